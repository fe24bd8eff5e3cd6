//! Events: completion, callbacks, destruction at awkward moments.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Check, Subject, Trouble, Verdict, ensure, ensure_code, ensure_eq};
use crate::error::{Code, Error};
use crate::event::Event;
use crate::layout::Layout;

pub(super) const CHECKS: &[Check] = &[
    Check::optional("an_event_completes_once_set", completes),
    Check::optional("an_event_hands_out_its_error_again_and_again", error_again),
    Check::optional("callbacks_run_once_whenever_they_were_registered", callbacks),
    Check::optional("an_event_destroyed_before_it_is_ready_still_fires", destroyed_early),
    Check::optional("an_event_may_be_destroyed_in_its_callback", destroyed_in_callback),
    Check::optional("many_threads_may_wait_for_one_event", many_waiters),
    Check::required("a_buffer_that_is_ready_says_so", ready_buffer),
];

/// Longest wait for a callback.
const PATIENCE: Duration = Duration::from_secs(20);

fn completes(subject: &Subject) -> Verdict {
    let event = Event::create(&subject.client)?;
    ensure(!event.is_ready()?, || "a fresh event is ready".to_owned())?;
    event.set(Code::OK, "")?;
    ensure(event.is_ready()?, || "an event that was set is not ready".to_owned())?;
    event.wait()?;
    Ok(event.error()?)
}

fn error_again(subject: &Subject) -> Verdict {
    let event = Event::create(&subject.client)?;
    event.set(Code::DATA_LOSS, "lost")?;
    ensure(event.is_ready()?, || "an event with an error is not ready".to_owned())?;
    for outcome in [event.wait(), event.wait(), event.error(), event.error()] {
        let error = outcome.err().ok_or_else(|| Trouble::Failed("the error is gone".to_owned()))?;
        ensure_eq(&error.code, &Code::DATA_LOSS, "code")?;
        ensure(error.message.contains("lost"), || format!("text {:?}", error.message))?;
    }
    Ok(())
}

/// The outcomes that reached callbacks, in order.
type Outcomes = Arc<Mutex<Vec<Result<(), Error>>>>;

fn record(outcomes: &Outcomes) -> impl FnOnce(Result<(), Error>) + Send + 'static {
    let outcomes = Arc::clone(outcomes);
    move |outcome| outcomes.lock().expect("no panic in a callback").push(outcome)
}

fn callbacks(subject: &Subject) -> Verdict {
    let event = Event::create(&subject.client)?;
    let (sender, receiver) = channel();
    for _ in 0..2 {
        let sender = sender.clone();
        event.on_ready(move |outcome| _ = sender.send(outcome))?;
    }
    ensure(receiver.try_recv().is_err(), || "a callback ran before the event was ready".to_owned())?;
    event.set(Code::ABORTED, "stop")?;
    for _ in 0..2 {
        let outcome =
            receiver.recv_timeout(PATIENCE).map_err(|_| Trouble::Failed("a callback is missing".to_owned()))?;
        ensure_code(outcome, Code::ABORTED, "the outcome in a callback")?;
    }
    let late: Outcomes = Arc::default();
    event.on_ready(record(&late))?;
    ensure_eq(&late.lock().expect("no panic").len(), &1, "callbacks that ran at once on a ready event")?;
    drop(sender);
    match receiver.recv_timeout(Duration::from_millis(50)) {
        Err(RecvTimeoutError::Disconnected) => Ok(()),
        _ => Err(Trouble::Failed("a callback ran twice or was never released".to_owned())),
    }
}

fn destroyed_early(subject: &Subject) -> Verdict {
    // Completion comes from the plugin here: an alias buffer is pending until it is bound.
    let device = subject.device()?;
    let memory = device.default_memory()?;
    let f32 = pjrt_sys::PJRT_Buffer_Type::F32;
    let (alias, fulfillment) = subject.client.alias_buffer(f32, &[2], Some(&Layout::row_major(1)), &memory)?;
    let event = alias.ready_event()?;
    ensure(!event.is_ready()?, || "an alias is ready before it is bound".to_owned())?;
    let (sender, receiver) = channel();
    event.on_ready(move |outcome| _ = sender.send(outcome))?;
    event.destroy()?;
    ensure(receiver.try_recv().is_err(), || "the callback ran when the event was destroyed".to_owned())?;
    fulfillment.fail(Code::CANCELLED, "never mind")?;
    let outcome = receiver.recv_timeout(PATIENCE).map_err(|_| Trouble::Failed("the callback never ran".to_owned()))?;
    ensure_code(outcome, Code::CANCELLED, "the outcome in the callback")
}

fn destroyed_in_callback(subject: &Subject) -> Verdict {
    for ready_before in [false, true] {
        let event = Event::create(&subject.client)?;
        let keeper = Arc::new(Mutex::new(None));
        let (sender, receiver) = channel();
        // The event that is destroyed is another handle's owner, so that the one in use stays ours.
        let shared = Arc::clone(&keeper);
        let callback = move |_| {
            let event: Option<Event> = shared.lock().expect("no panic").take();
            drop(event);
            _ = sender.send(());
        };
        if ready_before {
            event.set(Code::OK, "")?;
        }
        let raw = event.raw();
        *keeper.lock().expect("no panic") = Some(event);
        // SAFETY: a second owner of the same handle, given up without destroying it below.
        let alias = unsafe { Event::from_raw(&subject.client, raw) };
        let outcome = alias.on_ready(callback);
        if !ready_before {
            alias.set(Code::OK, "")?;
        }
        _ = alias.into_raw();
        outcome?;
        receiver.recv_timeout(PATIENCE).map_err(|_| Trouble::Failed("the callback never ran".to_owned()))?;
    }
    Ok(())
}

fn many_waiters(subject: &Subject) -> Verdict {
    let event = Event::create(&subject.client)?;
    std::thread::scope(|scope| {
        let waiters: Vec<_> = (0..8).map(|_| scope.spawn(|| event.wait())).collect();
        std::thread::sleep(Duration::from_millis(5));
        let set = event.set(Code::OK, "");
        for waiter in waiters {
            waiter.join().map_err(|_| Trouble::Failed("a waiter panicked".to_owned()))??;
        }
        Ok(set?)
    })
}

fn ready_buffer(subject: &Subject) -> Verdict {
    let array = crate::array::HostArray::from_slice(&[1.0_f32, 2.0], &[2]);
    let buffer = subject.client.buffer_from_host(&array, &subject.device()?)?;
    let event = buffer.ready_event()?;
    event.wait()?;
    ensure(event.is_ready()?, || "awaited, but not ready".to_owned())?;
    event.error()?;
    let (sender, receiver) = channel();
    event.on_ready(move |outcome| _ = sender.send(outcome))?;
    Ok(receiver.recv_timeout(PATIENCE).map_err(|_| Trouble::Failed("the callback never ran".to_owned()))??)
}
