//! The contract as a list of checks that any plugin can be run through.
//!
//! [`run`] makes one client and puts it through every check. A check passes, fails, or finds that the
//! plugin does not support what it is about; where frameworks need the function, that counts as a
//! failure too. A panic of the test kit, such as one over damaged canary bytes, fails its check.
//!
//! The programs are portable artifacts of StableHLO 1.0.0, which is what frameworks send and what every
//! reader takes; that a plugin reads their text too is a check of its own.

use std::fmt;
use std::panic::AssertUnwindSafe;

use crate::client::Client;
use crate::compile_options::CompileOptions;
use crate::device::Device;
use crate::error::{Code, Error};
use crate::executable::LoadedExecutable;
use crate::named_value::NamedValue;
use crate::plugin::Plugin;

mod buffer_data;
mod buffer_life;
mod clients;
mod errors;
mod events;
mod executables;
mod execution;
mod table;
mod versions;

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// As the contract says.
    Pass,
    /// Not as the contract says.
    Fail(String),
    /// The plugin does not have this, which it need not.
    Unsupported(String),
}

/// A check and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// Name: what holds if it passes.
    pub name: &'static str,
    /// Whether frameworks need what it checks.
    pub required: bool,
    /// How it ended.
    pub outcome: Outcome,
}

/// All results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// In order.
    pub results: Vec<CheckResult>,
}

impl Report {
    /// Whether no check failed.
    #[must_use]
    pub fn is_conforming(&self) -> bool {
        self.failures().next().is_none()
    }

    /// Checks that failed.
    pub fn failures(&self) -> impl Iterator<Item = &CheckResult> {
        self.results.iter().filter(|result| matches!(result.outcome, Outcome::Fail(_)))
    }

    /// Number of checks that passed, failed, and found nothing to check.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |test: fn(&Outcome) -> bool| self.results.iter().filter(|r| test(&r.outcome)).count();
        (
            count(|o| *o == Outcome::Pass),
            count(|o| matches!(o, Outcome::Fail(_))),
            count(|o| matches!(o, Outcome::Unsupported(_))),
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for result in &self.results {
            match &result.outcome {
                Outcome::Pass => writeln!(f, "pass         {}", result.name)?,
                Outcome::Fail(why) => writeln!(f, "FAIL         {}: {why}", result.name)?,
                Outcome::Unsupported(why) => writeln!(f, "unsupported  {}: {why}", result.name)?,
            }
        }
        let (pass, fail, unsupported) = self.counts();
        writeln!(f, "{pass} passed, {fail} failed, {unsupported} unsupported")
    }
}

/// How to run the checks.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Options for every client that the checks create.
    pub client_options: Vec<NamedValue>,
    /// Only checks whose name contains this.
    pub filter: Option<String>,
    /// Called before each check, for instance to print its name.
    pub progress: Option<fn(&str)>,
}

/// Runs every check.
#[must_use]
pub fn run(plugin: &Plugin) -> Report {
    run_with(plugin, &Options::default())
}

/// Runs the checks that the options ask for.
#[must_use]
pub fn run_with(plugin: &Plugin, options: &Options) -> Report {
    let mut report = Report::default();
    let mut add = |check: &Check, outcome| {
        report.results.push(CheckResult { name: check.name, required: check.required, outcome });
    };
    let wanted = |check: &&Check| options.filter.as_ref().is_none_or(|filter| check.name.contains(filter.as_str()));
    let initialized = Check::required("initialize_and_create_a_client", |_| Ok(()));
    let client = plugin.initialize().and_then(|()| Client::create(plugin, &options.client_options));
    let client = match client {
        Ok(client) => {
            add(&initialized, Outcome::Pass);
            client
        }
        Err(error) => {
            add(&initialized, Outcome::Fail(error.to_string()));
            return report;
        }
    };
    let subject = Subject { client, options: options.clone() };
    for check in groups().iter().flat_map(|group| group.iter()).filter(wanted) {
        if let Some(progress) = options.progress {
            progress(check.name);
        }
        add(check, check.run(&subject));
    }
    report
}

/// Names of all checks, in the order of [`run`].
#[must_use]
pub fn names() -> Vec<&'static str> {
    groups().iter().flat_map(|group| group.iter().map(|check| check.name)).collect()
}

fn groups() -> [&'static [Check]; 9] {
    [
        table::CHECKS,
        errors::CHECKS,
        clients::CHECKS,
        events::CHECKS,
        buffer_data::CHECKS,
        buffer_life::CHECKS,
        executables::CHECKS,
        execution::CHECKS,
        versions::CHECKS,
    ]
}

/// What checks work on.
struct Subject {
    client: Client,
    options: Options,
}

/// Why a check did not pass.
enum Trouble {
    Failed(String),
    Unsupported(String),
}

type Verdict = Result<(), Trouble>;

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        if error.is_unimplemented() { Self::Unsupported(error.to_string()) } else { Self::Failed(error.to_string()) }
    }
}

/// A check.
struct Check {
    name: &'static str,
    required: bool,
    body: fn(&Subject) -> Verdict,
}

impl Check {
    /// A check of something that frameworks need.
    const fn required(name: &'static str, body: fn(&Subject) -> Verdict) -> Self {
        Self { name, required: true, body }
    }

    /// A check of something that a plugin may leave out.
    const fn optional(name: &'static str, body: fn(&Subject) -> Verdict) -> Self {
        Self { name, required: false, body }
    }

    fn run(&self, subject: &Subject) -> Outcome {
        match std::panic::catch_unwind(AssertUnwindSafe(|| (self.body)(subject))) {
            Ok(Ok(())) => Outcome::Pass,
            Ok(Err(Trouble::Failed(why))) => Outcome::Fail(why),
            Ok(Err(Trouble::Unsupported(why))) if self.required => Outcome::Fail(why),
            Ok(Err(Trouble::Unsupported(why))) => Outcome::Unsupported(why),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Outcome::Fail(text.unwrap_or("panic").to_owned())
            }
        }
    }
}

/// Fails unless a condition holds.
fn ensure(condition: bool, what: impl FnOnce() -> String) -> Verdict {
    if condition { Ok(()) } else { Err(Trouble::Failed(what())) }
}

/// Fails unless two values are equal.
fn ensure_eq<T: PartialEq + fmt::Debug>(found: &T, expected: &T, what: &str) -> Verdict {
    ensure(found == expected, || format!("{what}: {found:?} instead of {expected:?}"))
}

/// Fails unless a call failed with this code.
fn ensure_code<T>(outcome: Result<T, Error>, code: Code, what: &str) -> Verdict {
    match outcome {
        Ok(_) => Err(Trouble::Failed(format!("{what} succeeded instead of {code}"))),
        Err(error) if error.code == code => ensure(!error.message.is_empty(), || format!("{what}: no message")),
        Err(error) => Err(Trouble::Failed(format!("{what}: {error} instead of {code}"))),
    }
}

/// Fails unless a call failed.
fn ensure_error<T>(outcome: Result<T, Error>, what: &str) -> Verdict {
    match outcome {
        Ok(_) => Err(Trouble::Failed(format!("{what} succeeded"))),
        Err(_) => Ok(()),
    }
}

impl Subject {
    fn plugin(&self) -> &Plugin {
        self.client.plugin()
    }

    /// The first addressable device.
    fn device(&self) -> Result<Device, Trouble> {
        let devices = self.client.addressable_devices()?;
        devices.into_iter().next().ok_or_else(|| Trouble::Failed("no addressable device".to_owned()))
    }

    /// Another client with the same options.
    fn another_client(&self) -> Result<Client, Trouble> {
        Ok(Client::create(self.plugin(), &self.options.client_options)?)
    }

    /// Compiles a program for the first device.
    fn compile(&self, program: Program) -> Result<LoadedExecutable, Trouble> {
        let options = CompileOptions::on_device(i64::from(self.device()?.id()?));
        Ok(self.client.compile(program.artifact, "mlir", &options.to_bytes())?)
    }
}

/// A program in both forms that the C API takes. The artifacts are the texts, serialized for StableHLO
/// 1.0.0 by `stablehlo.serialize_portable_artifact_str` of jaxlib.
struct Program {
    text: &'static str,
    artifact: &'static [u8],
}

macro_rules! program {
    ($name:literal) => {
        Program {
            text: include_str!(concat!("programs/", $name, ".mlir")),
            artifact: include_bytes!(concat!("programs/", $name, ".mlirbc")),
        }
    };
}

/// `x + x`.
const DOUBLE: Program = program!("double");

/// `x + x`, with the argument donated.
const DOUBLE_IN_PLACE: Program = program!("double_in_place");

/// `x + y`, with the first argument donated.
const ADD_IN_PLACE: Program = program!("add_in_place");

/// Two outputs: `x * y` and `-x`.
const TWO_OUTPUTS: Program = program!("two_outputs");

/// No argument, one output.
const CONSTANT: Program = program!("constant");

/// One argument, no output.
const NO_OUTPUT: Program = program!("no_output");
