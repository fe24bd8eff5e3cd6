//! Runs the conformance checks on a plugin: `conformance FILE.so [PART OF A CHECK'S NAME]`.

use std::process::ExitCode;

use pjrt_testkit::Plugin;
use pjrt_testkit::conformance::{self, Options};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: conformance FILE.so [PART OF A CHECK'S NAME]");
        return ExitCode::from(2);
    };
    let plugin = match Plugin::load(path.as_ref()) {
        Ok(plugin) => plugin,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let progress = |name: &str| eprintln!("{name}");
    let options = Options { filter: arguments.next(), progress: Some(progress), ..Options::default() };
    let report = conformance::run_with(&plugin, &options);
    print!("{report}");
    if report.is_conforming() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
