//! Invariant 6: an event that is destroyed before it is ready still fires its callback, exactly once; one that
//! is ready from the start costs no allocation.

use crate::support::{allocations, session};
use pjrt_client_trait::Status;
use pjrt_testkit::sys::*;
use pjrt_testkit::{Code, Event};
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

#[test]
fn events_destroyed_before_they_are_ready_fire_once() {
    let session = session();
    session.script.set(|script| &script.pending_puts, true);
    let x = session.put_pending(&[1.0f32], &[1]);
    let event = x.ready_event().unwrap();
    assert!(!event.is_ready().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..3 {
        let count = count.clone();
        event
            .on_ready(move |outcome| {
                outcome.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
            })
            .unwrap();
    }
    event.destroy().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 0);
    // The event outlives its buffer, too.
    x.destroy().unwrap();
    session.script.complete(&Ok(()));
    assert_eq!(count.load(Ordering::SeqCst), 3);
    assert_eq!(session.script.live(), 0);
}

#[test]
fn events_that_fail_hand_their_error_to_every_callback_and_waiter() {
    let session = session();
    session.script.set(|script| &script.pending_puts, true);
    let x = session.put_pending(&[1.0f32], &[1]);
    let event = x.ready_event().unwrap();
    let (sender, receiver) = mpsc::channel();
    let late = sender.clone();
    event.on_ready(move |outcome| sender.send(outcome).unwrap()).unwrap();
    let pending = event.error().unwrap_err();
    assert_eq!(pending.code, Code::FAILED_PRECONDITION, "{pending}");
    let status = Status::data_loss("lost").with_payload("where", "there");
    std::thread::scope(|scope| {
        let waiters: Vec<_> = (0..3).map(|_| scope.spawn(|| event.wait())).collect();
        session.script.complete(&Err(status));
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap().unwrap_err().message, "lost");
        }
    });
    event.on_ready(move |outcome| late.send(outcome).unwrap()).unwrap();
    for _ in 0..2 {
        let error = receiver.recv().unwrap().unwrap_err();
        assert_eq!((error.code, error.payloads), (Code::DATA_LOSS, vec![("where".to_owned(), b"there".to_vec())]));
    }
    assert!(receiver.recv().is_err());
    assert!(event.is_ready().unwrap() && event.error().is_err());
    let copied = x.to_host_into(None, &mut [0; 4]).unwrap_err();
    assert_eq!(copied.message, "lost", "a copy of a failed buffer has the error of the buffer");
}

/// What the callback below needs.
struct InCallback {
    destroy: unsafe extern "C" fn(*mut PJRT_Event_Destroy_Args) -> *mut PJRT_Error,
    event: Mutex<usize>,
    calls: AtomicUsize,
}

/// Destroys the event it hangs on, as frameworks do.
unsafe extern "C" fn destroy_own_event(error: *mut PJRT_Error, user_arg: *mut c_void) {
    assert!(error.is_null());
    // SAFETY: the test passes its state, which outlives the event.
    let state = unsafe { &*user_arg.cast::<InCallback>() };
    let mut args = PJRT_Event_Destroy_Args {
        struct_size: PJRT_Event_Destroy_Args::STRUCT_SIZE,
        event: std::ptr::without_provenance_mut(*state.event.lock().unwrap()),
        ..Default::default()
    };
    // SAFETY: the event is live until here.
    assert!(unsafe { (state.destroy)(&raw mut args) }.is_null());
    state.calls.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn events_may_be_destroyed_in_their_own_callback() {
    let session = session();
    let api = session.plugin.api();
    for pending in [false, true] {
        session.script.set(|script| &script.pending_puts, pending);
        let x = session.put_pending(&[1.0f32], &[1]);
        let event = x.ready_event().unwrap().into_raw();
        let state = InCallback {
            destroy: api.PJRT_Event_Destroy.unwrap(),
            event: Mutex::new(event.addr()),
            calls: AtomicUsize::new(0),
        };
        // SAFETY: a live event; the state outlives it.
        unsafe {
            pjrt_testkit::call!(
                session.plugin,
                PJRT_Event_OnReady {
                    event: event,
                    callback: Some(destroy_own_event),
                    user_arg: (&raw const state).cast_mut().cast(),
                }
            )
        }
        .unwrap();
        assert_eq!(state.calls.load(Ordering::SeqCst), usize::from(!pending));
        if pending {
            session.script.complete(&Ok(()));
            assert_eq!(state.calls.load(Ordering::SeqCst), 1);
            // SAFETY: a handle that is known to be dead is refused.
            let again = unsafe { pjrt_testkit::call!(session.plugin, PJRT_Event_IsReady { event: event }) };
            assert_eq!(again.unwrap_err().code, Code::INVALID_ARGUMENT);
        }
    }
}

#[test]
fn events_callbacks_may_call_back_into_everything() {
    let session = Arc::new(session());
    session.script.set(|script| &script.pending_puts, true);
    let x = Arc::new(session.put_pending(&[1.0f32, 2.0], &[2]));
    let (sender, receiver) = mpsc::channel();
    let (inner, buffer) = (session.clone(), x.clone());
    x.ready_event()
        .unwrap()
        .on_ready(move |_| {
            inner.script.set(|script| &script.pending_puts, false);
            let loaded = inner.compile("add_one f32[2]");
            let y = loaded.run(&[&buffer]).unwrap().remove(0);
            buffer.delete().unwrap();
            sender.send(y.to_host_vec::<f32>().unwrap()).unwrap();
        })
        .unwrap();
    session.script.complete(&Ok(()));
    assert_eq!(receiver.recv().unwrap(), [2.0, 3.0]);
    assert!(x.is_deleted().unwrap());
}

#[test]
fn events_of_the_framework_are_completed_once() {
    let session = session();
    let event = Event::create(&session.client).unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let inner = count.clone();
    event
        .on_ready(move |outcome| {
            assert_eq!(outcome.unwrap_err().code, Code::CANCELLED);
            inner.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
    event.set(Code::CANCELLED, "no more").unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert_eq!(event.set(Code::OK, "").unwrap_err().code, Code::FAILED_PRECONDITION);
    assert_eq!(event.wait().unwrap_err().message, "no more");
    let ok = Event::create(&session.client).unwrap();
    ok.set(Code::OK, "").unwrap();
    ok.wait().unwrap();
    // An event that is not the framework's.
    let ready = session.put(&[1u8], &[1]).ready_event().unwrap();
    assert_eq!(ready.set(Code::OK, "").unwrap_err().code, Code::FAILED_PRECONDITION);
    // Given up without an outcome, it does not leave its callbacks waiting.
    let dropped = Event::create(&session.client).unwrap();
    let inner = count.clone();
    dropped
        .on_ready(move |outcome| {
            assert_eq!(outcome.unwrap_err().code, Code::INTERNAL);
            inner.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
    dropped.destroy().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 2);
    let unknown = Event::create(&session.client).unwrap();
    unknown.set(Code(PJRT_Error_Code(99)), "x").unwrap();
    assert_eq!(unknown.error().unwrap_err().code, Code::UNKNOWN);
}

unsafe extern "C" fn count_call(error: *mut PJRT_Error, user_arg: *mut c_void) {
    assert!(error.is_null());
    // SAFETY: the test passes its counter.
    unsafe { (*user_arg.cast::<AtomicUsize>()).fetch_add(1, Ordering::SeqCst) };
}

#[test]
fn events_that_are_ready_from_the_start_cost_no_allocation() {
    let session = session();
    let x = session.put(&[1.0f32], &[1]);
    let api = session.plugin.api();
    let calls = AtomicUsize::new(0);
    let buffer = x.raw();
    // SAFETY: live handles and whole Args; the counter outlives the event.
    let round = || unsafe {
        let mut ready = PJRT_Buffer_ReadyEvent_Args { struct_size: 32, buffer, ..Default::default() };
        assert!(api.PJRT_Buffer_ReadyEvent.unwrap()(&raw mut ready).is_null());
        let event = ready.event;
        let mut args = PJRT_Event_IsReady_Args { struct_size: 25, event, ..Default::default() };
        assert!(api.PJRT_Event_IsReady.unwrap()(&raw mut args).is_null() && args.is_ready);
        let mut args = PJRT_Event_Error_Args { struct_size: 24, event, ..Default::default() };
        assert!(api.PJRT_Event_Error.unwrap()(&raw mut args).is_null());
        let mut args = PJRT_Event_Await_Args { struct_size: 24, event, ..Default::default() };
        assert!(api.PJRT_Event_Await.unwrap()(&raw mut args).is_null());
        let user_arg = (&raw const calls).cast_mut().cast();
        let mut args = PJRT_Event_OnReady_Args {
            struct_size: PJRT_Event_OnReady_Args::STRUCT_SIZE,
            event,
            callback: Some(count_call),
            user_arg,
            ..Default::default()
        };
        assert!(api.PJRT_Event_OnReady.unwrap()(&raw mut args).is_null());
        let mut args = PJRT_Event_Destroy_Args { struct_size: 24, event, ..Default::default() };
        assert!(api.PJRT_Event_Destroy.unwrap()(&raw mut args).is_null());
    };
    round();
    let before = allocations();
    for _ in 0..100 {
        round();
    }
    assert_eq!(allocations(), before);
    assert_eq!(calls.load(Ordering::SeqCst), 101);
}
