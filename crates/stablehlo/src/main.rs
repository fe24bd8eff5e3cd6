//! The command-line tool: looks at, checks, runs, counts and converts programs.
//!
//! `cargo run -p stablehlo -- --help`

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
