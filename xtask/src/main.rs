//! Developer commands, run as `cargo xtask COMMAND`: one module a command, each with an `Args` struct that
//! clap fills and a `run` function. What several commands need stands in modules named after its subject
//! (`workspace`, `plugin_binary`, `python_env`, ...), which know nothing of the command line.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod backend_metadata;
mod bench;
mod bench_report;
mod bindgen;
mod build_plugin;
mod conformance;
mod demo;
mod inspect;
mod interpreter;
mod jaxlib_matrix;
mod libclang;
mod new;
mod plugin_binary;
mod python_env;
mod suite;
mod suite_record;
mod test;
mod wheel;
mod wheel_archive;
mod workspace;

/// Builds plugins and wheels, looks into plugins, runs the demo and the tests.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    BuildPlugin(build_plugin::Args),
    Wheel(wheel::Args),
    Inspect(inspect::Args),
    Conformance(conformance::Args),
    Demo(demo::Args),
    Bench(bench::Args),
    Suite(suite::Args),
    Test(test::Args),
    New(new::Args),
    Bindgen(bindgen::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::BuildPlugin(args) => args.run(),
        Command::Wheel(args) => args.run(),
        Command::Inspect(args) => args.run(),
        Command::Conformance(args) => args.run(),
        Command::Demo(args) => args.run(),
        Command::Bench(args) => args.run(),
        Command::Suite(args) => args.run(),
        Command::Test(args) => args.run(),
        Command::New(args) => args.run(),
        Command::Bindgen(args) => args.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
