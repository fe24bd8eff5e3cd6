//! Single-assignment completion: an event is pending, then ready with success or with an error, for ever.
//!
//! Callbacks belong to the shared state and not to a handle, so that dropping every [`Event`] neither blocks
//! nor cancels anything and each callback still runs exactly once. No lock is held while a callback runs:
//! callbacks may call back into anything, and may drop the very event they hang on.

use crate::{Result, Status};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

type Callback = Box<dyn FnOnce(Result<()>) + Send>;

enum State {
    Pending(Vec<Callback>),
    Done(Result<()>),
}

struct Shared {
    state: Mutex<State>,
    done: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under this lock can only come from an allocation failure; the state is valid in any case.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn complete(&self, outcome: Result<()>) -> bool {
        let callbacks = {
            let mut state = self.lock();
            match &mut *state {
                State::Done(_) => return false,
                State::Pending(callbacks) => {
                    let callbacks = std::mem::take(callbacks);
                    *state = State::Done(outcome.clone());
                    callbacks
                }
            }
        };
        self.done.notify_all();
        for callback in callbacks {
            callback(outcome.clone());
        }
        true
    }
}

/// Something that will have happened. Cheap to clone; an event that is ready from the start costs nothing.
#[derive(Clone)]
pub struct Event(Option<Arc<Shared>>);

/// The writing end of an [`Event`]. Dropped without an outcome, it completes the event with an INTERNAL error,
/// so that nobody waits for ever.
pub struct EventPromise(Arc<Shared>);

impl Event {
    /// An event that has already succeeded.
    pub const fn ready() -> Self {
        Event(None)
    }

    /// An event that has already failed.
    pub fn failed(status: Status) -> Self {
        Event::completed(Err(status))
    }

    /// An event with this outcome.
    pub fn completed(outcome: Result<()>) -> Self {
        match outcome {
            Ok(()) => Event::ready(),
            Err(status) => {
                Event(Some(Arc::new(Shared { state: Mutex::new(State::Done(Err(status))), done: Condvar::new() })))
            }
        }
    }

    /// A pending event and the promise that completes it.
    pub fn pending() -> (EventPromise, Event) {
        let shared = Arc::new(Shared { state: Mutex::new(State::Pending(Vec::new())), done: Condvar::new() });
        (EventPromise(shared.clone()), Event(Some(shared)))
    }

    /// An event that is ready when all of `events` are, with the first error in list order if there is one.
    pub fn all(events: impl IntoIterator<Item = Event>) -> Event {
        let waiting: Vec<Event> = events.into_iter().filter(|event| !matches!(event.outcome(), Some(Ok(())))).collect();
        match waiting.len() {
            0 => Event::ready(),
            1 => waiting.into_iter().next().unwrap_or_else(Event::ready),
            _ => {
                let (promise, all) = Event::pending();
                Event::join(waiting, 0, Ok(()), promise);
                all
            }
        }
    }

    /// Waits for `events[next..]` one after another; iterates over those that are done, so that the depth of
    /// the stack does not grow with the number of events that are ready.
    fn join(events: Vec<Event>, mut next: usize, mut outcome: Result<()>, promise: EventPromise) {
        while let Some(event) = events.get(next) {
            match event.outcome() {
                Some(done) => outcome = outcome.and(done),
                None => {
                    let event = event.clone();
                    event.on_ready(move |done| Event::join(events, next + 1, outcome.and(done), promise));
                    return;
                }
            }
            next += 1;
        }
        promise.complete(outcome);
    }

    /// Whether the outcome is known (success or error). Never blocks.
    pub fn is_ready(&self) -> bool {
        self.outcome().is_some()
    }

    /// The outcome, or `None` while pending. Never blocks.
    pub fn outcome(&self) -> Option<Result<()>> {
        match &self.0 {
            None => Some(Ok(())),
            Some(shared) => match &*shared.lock() {
                State::Pending(_) => None,
                State::Done(outcome) => Some(outcome.clone()),
            },
        }
    }

    /// Blocks the calling thread until the outcome is known.
    pub fn wait(&self) -> Result<()> {
        let Some(shared) = &self.0 else { return Ok(()) };
        let mut state = shared.lock();
        loop {
            match &*state {
                State::Done(outcome) => return outcome.clone(),
                State::Pending(_) => state = shared.done.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Calls `callback` exactly once with the outcome: now, on this thread, if it is known, else on the thread
    /// that completes the event.
    pub fn on_ready(&self, callback: impl FnOnce(Result<()>) + Send + 'static) {
        let outcome = match &self.0 {
            None => Ok(()),
            Some(shared) => match &mut *shared.lock() {
                State::Pending(callbacks) => {
                    callbacks.push(Box::new(callback));
                    return;
                }
                State::Done(outcome) => outcome.clone(),
            },
        };
        callback(outcome);
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Event").field(&self.outcome()).finish()
    }
}

impl EventPromise {
    /// Sets the outcome and runs the callbacks on this thread.
    pub fn complete(self, outcome: Result<()>) {
        self.0.complete(outcome);
    }

    /// An event completed by this promise.
    pub fn event(&self) -> Event {
        Event(Some(self.0.clone()))
    }
}

impl Drop for EventPromise {
    fn drop(&mut self) {
        self.0.complete(Err(Status::internal("the work behind this event was dropped before it finished")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    #[test]
    fn callbacks_run_once_after_every_handle_is_gone() {
        let (promise, event) = Event::pending();
        let (sender, receiver) = mpsc::channel();
        event.on_ready(move |outcome| sender.send(outcome).unwrap());
        drop(event);
        promise.complete(Ok(()));
        assert_eq!(receiver.recv(), Ok(Ok(())));
        assert!(receiver.recv().is_err(), "the callback is gone after its one call");
    }

    #[test]
    fn a_dropped_promise_is_an_error_and_not_a_hang() {
        let (promise, event) = Event::pending();
        drop(promise);
        assert_eq!(event.wait().unwrap_err().code, crate::Code::Internal);
    }

    #[test]
    fn waiting_wakes_on_completion_from_another_thread() {
        let (promise, event) = Event::pending();
        let waiter = std::thread::spawn(move || event.wait());
        promise.complete(Err(Status::not_found("x")));
        assert_eq!(waiter.join().unwrap(), Err(Status::not_found("x")));
    }

    #[test]
    fn all_reports_the_first_error_and_waits_for_the_rest() {
        let (first, a) = Event::pending();
        let (second, b) = Event::pending();
        let all = Event::all([Event::ready(), a, Event::failed(Status::internal("mid")), b]);
        first.complete(Ok(()));
        assert!(!all.is_ready());
        second.complete(Err(Status::internal("last")));
        assert_eq!(all.outcome(), Some(Err(Status::internal("mid"))));
    }

    #[test]
    fn a_callback_may_use_the_event_it_hangs_on() {
        let (promise, event) = Event::pending();
        let seen = Arc::new(AtomicUsize::new(0));
        let (inner, counter) = (event.clone(), seen.clone());
        event.on_ready(move |_| {
            let again = counter.clone();
            inner.on_ready(move |_| _ = again.fetch_add(1, Ordering::SeqCst));
            counter.fetch_add(1, Ordering::SeqCst);
        });
        promise.complete(Ok(()));
        assert_eq!(seen.load(Ordering::SeqCst), 2);
    }
}
