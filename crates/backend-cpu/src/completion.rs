//! The order in which a device's launches are said to be complete: that in which they were made.
//!
//! Launches may end in another order, since one that is in a custom call lets those behind it run, and one over several
//! devices stands in the queue of the first alone. Frameworks that want to know whether everything is done keep the
//! completion of the last launch on each device and wait for nothing else. Results do not wait: they are there when
//! they are computed, so a callback may use what a later launch gives.

use pjrt_wrapper::client_trait::{Event, EventPromise, Result, Status};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The launches of a device that are not said to be complete yet.
#[derive(Clone, Default)]
pub(crate) struct Completions(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// In the order of launches; with its outcome where one has ended before those ahead of it.
    launches: VecDeque<(EventPromise, Option<Result<()>>)>,
    /// The number of the launch at the front.
    first: u64,
    /// Whether a thread is telling of completions.
    telling: bool,
}

/// A launch's place in the order. Dropped without an outcome, it tells of an INTERNAL error.
pub(crate) struct Place {
    completions: Completions,
    number: u64,
    outcome: Option<Result<()>>,
}

impl Completions {
    /// A place behind all launches so far, and its completion.
    pub(crate) fn enter(&self) -> (Place, Event) {
        let (promise, event) = Event::pending();
        let mut state = self.lock();
        let number = state.first + state.launches.len() as u64;
        state.launches.push_back((promise, None));
        (Place { completions: self.clone(), number, outcome: None }, event)
    }

    /// The completion of a launch that has ended by now.
    pub(crate) fn ended(&self, outcome: Result<()>) -> Event {
        if self.lock().launches.is_empty() {
            return Event::completed(outcome);
        }
        let (place, event) = self.enter();
        place.end(outcome);
        event
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics under this lock but a failed allocation; the state is valid in any case.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an outcome and tells of all launches at the front that have ended. One thread tells at a time, with the
    /// lock open, since whoever listens may launch.
    fn note(&self, number: u64, outcome: Result<()>) {
        let mut state = self.lock();
        let at = (number - state.first) as usize;
        state.launches[at].1 = Some(outcome);
        if state.telling {
            return;
        }
        state.telling = true;
        while let Some((_, Some(_))) = state.launches.front() {
            state.first += 1;
            let told = state.launches.pop_front();
            drop(state);
            if let Some((promise, Some(outcome))) = told {
                promise.complete(outcome);
            }
            state = self.lock();
        }
        state.telling = false;
    }
}

impl Place {
    /// The launch has ended like this.
    pub(crate) fn end(mut self, outcome: Result<()>) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let lost = || Err(Status::internal("a launch was dropped before it finished"));
        self.completions.note(self.number, self.outcome.take().unwrap_or_else(lost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pjrt_wrapper::client_trait::Code;

    #[test]
    fn a_launch_that_ends_early_is_complete_after_those_before_it() {
        let completions = Completions::default();
        let (slow, first) = completions.enter();
        let (quick, second) = completions.enter();
        quick.end(Ok(()));
        let third = completions.ended(Err(Status::invalid_argument("x")));
        assert!(!first.is_ready() && !second.is_ready() && !third.is_ready());
        slow.end(Ok(()));
        assert_eq!((first.outcome(), second.outcome()), (Some(Ok(())), Some(Ok(()))));
        assert_eq!(third.outcome().unwrap().unwrap_err().code, Code::InvalidArgument);
        assert!(completions.ended(Ok(())).is_ready(), "nothing is left to wait for");
    }

    #[test]
    fn an_outcome_is_that_of_its_own_launch() {
        let completions = Completions::default();
        let (lost, first) = completions.enter();
        let (place, second) = completions.enter();
        place.end(Ok(()));
        drop(lost);
        assert_eq!(first.outcome().unwrap().unwrap_err().code, Code::Internal);
        assert_eq!(second.outcome(), Some(Ok(())));
    }

    #[test]
    fn many_that_wait_for_one_need_no_deep_stack() {
        let completions = Completions::default();
        let (slow, _) = completions.enter();
        let waiting: Vec<Event> = (0..200_000).map(|_| completions.ended(Ok(()))).collect();
        slow.end(Ok(()));
        assert_eq!(waiting[waiting.len() - 1].outcome(), Some(Ok(())));
    }

    #[test]
    fn whoever_listens_may_launch() {
        let completions = Completions::default();
        let (slow, first) = completions.enter();
        let (again, heard) = (completions.clone(), Arc::new(Mutex::new(None)));
        let kept = heard.clone();
        first.on_ready(move |_| *kept.lock().unwrap() = Some(again.ended(Ok(()))));
        slow.end(Ok(()));
        assert!(heard.lock().unwrap().as_ref().unwrap().is_ready());
    }
}
