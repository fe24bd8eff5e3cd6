//! Many threads at the same objects.

use crate::support::session;
use pjrt_client_trait::Status;
use pjrt_testkit::{Buffer, Code, ExecuteOptions, call};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};

const THREADS: usize = 8;

#[test]
fn stress_executions_copies_events_and_deletions() {
    let session = session();
    let add_one = session.compile("add_one f32[2]");
    let donate = session.compile("donate f32[2]");
    let shared = session.put(&[1.0f32, 2.0], &[2]);
    let calls = AtomicUsize::new(0);
    let calls = &calls;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (session, add_one, donate, shared) = (&session, &add_one, &donate, &shared);
            scope.spawn(move || {
                let (sender, receiver) = mpsc::channel();
                for round in 0..100 {
                    let x = session.put(&[thread as f32, round as f32], &[2]);
                    let y = add_one.run(&[&x]).unwrap().remove(0);
                    let z = donate.run(&[&y]).unwrap().remove(0);
                    assert!(y.is_deleted().unwrap());
                    let sender = sender.clone();
                    z.ready_event().unwrap().on_ready(move |outcome| sender.send(outcome).unwrap()).unwrap();
                    receiver.recv().unwrap().unwrap();
                    assert_eq!(z.to_host_vec::<f32>().unwrap(), [thread as f32 + 2.0, round as f32 + 2.0]);
                    let w = add_one.run(&[shared]).unwrap().remove(0);
                    x.delete().unwrap();
                    assert_eq!(w.to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(calls.load(Ordering::Relaxed), THREADS * 100);
    assert_eq!(session.script.live(), 1);
    drop(shared);
    assert_eq!(session.script.live(), 0);
}

#[test]
fn stress_one_buffer_is_donated_to_one_of_many() {
    let session = session();
    let donate = session.compile("donate f32[2]");
    for _ in 0..50 {
        let x = session.put(&[1.0f32, 2.0], &[2]);
        let barrier = Barrier::new(THREADS);
        let won: Vec<Vec<f32>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        match donate.run(&[&x]) {
                            Ok(outputs) => Some(outputs[0].to_host_vec::<f32>().unwrap()),
                            Err(error) => {
                                assert_eq!(error.code, Code::INVALID_ARGUMENT, "{error}");
                                None
                            }
                        }
                    })
                })
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(won, [[2.0, 3.0]]);
    }
}

#[test]
fn stress_deletion_while_others_read() {
    let session = session();
    let add_one = session.compile("add_one f32[2]");
    for _ in 0..50 {
        let x = session.put(&[1.0f32, 2.0], &[2]);
        let barrier = Barrier::new(4);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                barrier.wait();
                x.delete().unwrap();
            });
            for _ in 0..3 {
                scope.spawn(|| {
                    barrier.wait();
                    for outcome in [
                        x.to_host(None).map(|bytes| assert_eq!(bytes[..4], 1.0f32.to_le_bytes())),
                        add_one.run(&[&x]).map(|y| assert_eq!(y[0].to_host_vec::<f32>().unwrap(), [2.0, 3.0])),
                        x.external_reference().map(drop),
                    ] {
                        assert!(outcome.is_ok() || outcome.is_err_and(|error| error.code == Code::INVALID_ARGUMENT));
                    }
                    assert_eq!(x.dimensions().unwrap(), [2]);
                });
            }
        });
        drop(x);
        assert_eq!(session.script.live(), 0);
    }
}

#[test]
fn stress_a_handle_is_destroyed_by_one_of_many() {
    let session = session();
    for _ in 0..50 {
        let raw = session.put(&[1.0f32], &[1]).into_raw().addr();
        let barrier = Barrier::new(THREADS);
        let won = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    let buffer = std::ptr::without_provenance_mut(raw);
                    // SAFETY: at most one of these finds the handle live, and the others are refused.
                    match unsafe { call!(session.plugin, PJRT_Buffer_Destroy { buffer: buffer }) } {
                        Ok(_) => _ = won.fetch_add(1, Ordering::SeqCst),
                        Err(error) => assert_eq!(error.code, Code::INVALID_ARGUMENT),
                    }
                });
            }
        });
        assert_eq!((won.load(Ordering::SeqCst), session.script.live()), (1, 0));
    }
}

#[test]
fn stress_completion_races_with_registration() {
    let session = Arc::new(session());
    let pending = session.compile("pending f32[1]");
    for round in 0..100 {
        let x = session.put(&[1.0f32], &[1]);
        let results = pending.execute(&[vec![&x]], &ExecuteOptions::default()).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let done = AtomicBool::new(false);
        let outcome = if round % 2 == 0 { Ok(()) } else { Err(Status::unavailable("unplugged")) };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                session.script.complete(&outcome);
                done.store(true, Ordering::SeqCst);
            });
            for _ in 0..3 {
                let (output, count): (&Buffer, _) = (&results.outputs[0][0], count.clone());
                scope.spawn(move || {
                    let event = output.ready_event().unwrap();
                    event
                        .on_ready(move |seen| {
                            assert_eq!(seen.is_ok(), round % 2 == 0);
                            count.fetch_add(1, Ordering::SeqCst);
                        })
                        .unwrap();
                });
            }
            assert_eq!(results.complete[0].wait().is_ok(), round % 2 == 0);
        });
        assert_eq!((count.load(Ordering::SeqCst), done.load(Ordering::SeqCst)), (3, true));
    }
}
