//! Running one test of a binary in a process of its own, for what concerns whole processes.

use std::process::{Command, Output, Stdio};

const ROLE: &str = "PJRT_WRAPPER_TEST_CHILD";

/// Whether this process was started by [`in_child_process`].
pub fn is_child() -> bool {
    std::env::var_os(ROLE).is_some()
}

/// Runs a test of this binary again, alone, with more environment variables; the test sees [`is_child`].
pub fn in_child_process(test: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this binary has a path"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(ROLE, "1").envs(environment.iter().copied());
    command.stdin(Stdio::null()).output().expect("this binary starts")
}
