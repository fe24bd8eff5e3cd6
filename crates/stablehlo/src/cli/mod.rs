//! Commands of the tool, one file each. Programs come from files or standard input, as text or as bytecode,
//! whichever they are.

mod census;
mod convert;
mod expect;
mod input;
mod judge;
mod npy;
mod print;
mod run;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Whatever went wrong, as text for the user.
type Error = Box<dyn std::error::Error>;

/// Looks at, checks, runs, counts and converts StableHLO programs.
#[derive(Parser)]
#[command(name = "stablehlo", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Prints programs as text.
    Print(print::Print),
    /// Checks programs against the constraints of the specification.
    Verify(verify::Verify),
    /// Evaluates a program; failed expectations (check.expect_eq and the like) set the exit status.
    Run(run::Run),
    /// Runs files of tests with expectations and prints which fail.
    Judge(judge::Judge),
    /// Converts between text and portable artifacts of any version.
    Convert(convert::Convert),
    /// Counts the ops of programs.
    Census(census::Census),
}

/// Runs the command of the command line. The exit status is 1 if a program is at fault, 2 if the command line is.
pub fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Print(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Judge(command) => command.run(),
        Command::Convert(command) => command.run(),
        Command::Census(command) => command.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard output. A reader that has seen enough (`| head`) is no error.
fn show(text: &str) -> Result<(), Error> {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
