//! The command-line tool: looks at, checks, runs, counts and converts programs.
//!
//! `cargo run -p stablehlo -- --help`

#![forbid(unsafe_code)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
