//! Invariant 11: nothing depends on the client being destroyed, or on when; several clients live side by side;
//! a forked child gets an error or works.

use crate::support::{in_child_process, is_child, plugin, session};
use pjrt_testkit::{Code, ExecuteOptions, call};
use std::time::{Duration, Instant};

#[test]
fn no_order_of_destruction_is_needed_the_client_may_go_first() {
    let session = session();
    session.script.set(|script| &script.pending_puts, true);
    let waiting = session.put_pending(&[1.0f32, 2.0], &[2]);
    session.script.set(|script| &script.pending_puts, false);
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let loaded = session.compile("add_one f32[2]");
    let executable = loaded.executable().unwrap();
    let running = loaded.execute(&[vec![&waiting]], &ExecuteOptions::default()).unwrap();
    let (device, memory) = (session.device(0), session.memory(0));
    let destroy = || {
        // SAFETY: a handle that is live the first time, and refused the second.
        unsafe { call!(session.plugin, PJRT_Client_Destroy { client: session.client.raw() }) }
    };
    destroy().unwrap();
    assert_eq!(destroy().unwrap_err().code, Code::INVALID_ARGUMENT);
    assert_eq!(session.client.platform_name().unwrap_err().code, Code::INVALID_ARGUMENT);
    // Everything that hangs on the client goes on.
    assert_eq!(x.to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!((x.device().unwrap().raw(), x.memory().unwrap().raw()), (device.raw(), memory.raw()));
    assert_eq!((device.id().unwrap(), memory.kind().unwrap().as_str()), (0, "device"));
    assert_eq!(loaded.run(&[&x]).unwrap()[0].to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert_eq!(executable.name().unwrap(), "jit_add_one");
    session.script.complete(&Ok(()));
    assert_eq!(running.single().unwrap()[0].to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
    for outcome in [loaded.destroy(), executable.destroy(), waiting.destroy(), x.destroy()] {
        outcome.unwrap();
    }
    assert_eq!(session.script.live(), 0);
    assert_eq!(device.id().unwrap_err().code, Code::INVALID_ARGUMENT, "the last user took the devices along");
    assert_eq!(memory.kind().unwrap_err().code, Code::INVALID_ARGUMENT);
}

#[test]
fn no_order_of_destruction_keeps_launches_from_surviving_their_executable() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let pending = session.compile("pending f32[2]");
    let running = pending.execute(&[vec![&x]], &ExecuteOptions::default()).unwrap();
    let loaded = session.compile("add_one f32[2]");
    pending.delete().unwrap();
    assert!(pending.is_deleted().unwrap());
    let error = pending.run(&[&x]).unwrap_err();
    assert!(error.code == Code::FAILED_PRECONDITION && error.message.contains("deleted"), "{error}");
    pending.delete().unwrap();
    pending.destroy().unwrap();
    let next = loaded.execute(&[vec![&running.outputs[0][0]]], &ExecuteOptions::default()).unwrap();
    loaded.destroy().unwrap();
    x.destroy().unwrap();
    assert!(!running.complete[0].is_ready().unwrap());
    session.script.complete(&Ok(()));
    assert_eq!(next.single().unwrap()[0].to_host_vec::<f32>().unwrap(), [3.0, 4.0]);
}

#[test]
fn no_order_of_destruction_two_clients_are_independent_and_told_apart() {
    let (a, b) = (session(), session());
    let x = a.put(&[1.0f32, 2.0], &[2]);
    let y = b.put(&[5.0f32, 6.0], &[2]);
    assert_ne!(a.device(0).raw(), b.device(0).raw());
    let loaded = a.compile("add_one f32[2]");
    let error = loaded.run(&[&y]).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("another client"), "{error}");
    assert_eq!(x.copy_to_memory(&b.memory(0)).unwrap_err().code, Code::UNIMPLEMENTED);
    let array = pjrt_testkit::HostArray::from_slice(&[1.0f32], &[1]);
    let foreign = a.client.buffer_from_host(&array, &b.device(0)).unwrap_err();
    assert!(foreign.code == Code::INVALID_ARGUMENT && foreign.message.contains("another client"), "{foreign}");
    let portable = pjrt_testkit::CompileOptions { portable: true, ..Default::default() }.to_bytes();
    let portable = a.client.compile(b"constant u8[2]", "mlir", &portable).unwrap();
    let device = b.device(0);
    let options = ExecuteOptions { execute_device: Some(&device), ..ExecuteOptions::default() };
    let error = portable.execute(&[vec![]], &options).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("another client"), "{error}");
    let (alias, fulfillment) = a.client.alias_buffer(x.element_type().unwrap(), &[2], None, &a.memory(0)).unwrap();
    assert_eq!(fulfillment.fulfill(&y).unwrap_err().code, Code::INVALID_ARGUMENT);
    assert!(alias.ready_event().unwrap().wait().is_err(), "the handle was used up");
    drop(a.client);
    assert_eq!(y.to_host_vec::<f32>().unwrap(), [5.0, 6.0]);
    drop(b);
    assert_eq!(x.to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn no_order_of_destruction_is_needed_at_exit() {
    if is_child() {
        let session = session();
        session.script.set(|script| &script.pending_puts, true);
        let pending = session.put_pending(&[1.0f32], &[1]);
        pending.ready_event().unwrap().on_ready(|_| println!("called back")).unwrap();
        let loaded = session.compile("add_one f32[1]");
        let running = loaded.execute(&[vec![&pending]], &ExecuteOptions::default()).unwrap();
        std::mem::forget((pending, loaded, running, session));
        println!("leaving everything behind");
        std::process::exit(7);
    }
    let output =
        in_child_process("invariant_11_no_order_of_destruction::no_order_of_destruction_is_needed_at_exit", &[]);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("leaving everything behind"));
}

/// Forks, runs `child` there, and returns its exit status.
fn fork(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child runs only what the test gives it, and ends without unwinding into the parent's frames.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork");
    if pid == 0 {
        let status = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(99);
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(status) };
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut status = 0;
    loop {
        // SAFETY: our own child, and a place for its status.
        let ended = unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
        if ended == pid {
            return if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -libc::WTERMSIG(status) };
        }
        if Instant::now() > deadline {
            // SAFETY: our own child.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the forked child hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn no_order_of_destruction_and_no_fork_leaves_a_child_hanging() {
    const NAME: &str =
        "invariant_11_no_order_of_destruction::no_order_of_destruction_and_no_fork_leaves_a_child_hanging";
    if !is_child() {
        // A process of its own, since other tests hold locks of their own while this one forks.
        let output = in_child_process(NAME, &[]);
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let plugin = plugin();
    let before = || {
        let session = crate::support::Session::new(&plugin);
        let x = session.put(&[1.0f32, 2.0], &[2]);
        let y = session.compile("add_one f32[2]").run(&[&x]).unwrap().remove(0);
        i32::from(y.to_host_vec::<f32>().unwrap() != [2.0, 3.0])
    };
    assert_eq!(fork(before), 0, "a fork before the first client");
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let loaded = session.compile("add_one f32[2]");
    let status = fork(|| {
        let works = x.to_host_vec::<f32>().is_ok_and(|values| values == [1.0, 2.0]);
        let runs = loaded.run(&[&x]).is_ok_and(|outputs| outputs[0].to_host_vec::<f32>().is_ok());
        drop(session.put(&[1.0f32], &[1]));
        i32::from(!(works && runs))
    });
    assert_eq!(status, 0, "a fork with a client");
    assert_eq!(loaded.run(&[&x]).unwrap()[0].to_host_vec::<f32>().unwrap(), [2.0, 3.0], "the parent goes on");
}
