//! `PJRT_LOG` prints the calls. In a child process, since the log is started once.

use crate::support::{in_child_process, is_child, session};

const SCENE: &str = "log::log_scene";

/// What the child processes do; by itself it checks no output.
#[test]
fn log_scene() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let y = session.compile("add_one f32[2]").run(&[&x]).unwrap().remove(0);
    assert_eq!(y.to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
    session.try_compile("nonsense f32[2]").unwrap_err();
    if is_child() {
        println!("the scene is over");
    }
}

fn errors_of_scene(level: Option<&str>) -> String {
    let environment: Vec<(&str, &str)> = level.map(|level| ("PJRT_LOG", level)).into_iter().collect();
    let output = in_child_process(SCENE, &environment);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("the scene is over"));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn log_prints_calls_with_their_outcome_at_debug() {
    let log = errors_of_scene(Some("debug"));
    for call in
        ["PJRT_Client_Create ok in ", "PJRT_Client_BufferFromHostBuffer ok in ", "PJRT_LoadedExecutable_Execute ok in "]
    {
        assert!(log.contains(call), "{call} is not in\n{log}");
    }
    let failed = log.lines().find(|line| line.contains("PJRT_Client_Compile failed in ")).expect("the failed call");
    assert!(failed.contains("InvalidArgument: unknown operation"), "{failed}");
    assert!(!log.contains("num_dims"), "arguments are for trace");
}

#[test]
fn log_prints_arguments_and_results_at_trace() {
    let log = errors_of_scene(Some("trace"));
    assert!(log.contains("PJRT_Client_BufferFromHostBuffer ok in "));
    assert!(log.contains("num_dims: 1"), "{log}");
    assert!(log.lines().any(|line| line.contains("results PJRT_Buffer_ToHostBuffer_Args")), "{log}");
}

#[test]
fn log_is_silent_unless_asked_for_and_explains_what_it_expects() {
    assert_eq!(errors_of_scene(None), "");
    assert_eq!(errors_of_scene(Some("off")), "");
    assert_eq!(errors_of_scene(Some("warn")), "");
    let log = errors_of_scene(Some("loud"));
    assert!(log.contains("PJRT_LOG=loud") && log.contains("debug"), "{log}");
}
