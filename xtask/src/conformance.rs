//! `cargo xtask conformance`: runs the checks of `pjrt-testkit` on any plugin and prints how they ended.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use pjrt_testkit::conformance::{self, Options};
use pjrt_testkit::{NamedValue, Plugin, Value};

/// Checks a plugin `.so` against the contract of the C API
///
/// Creates clients and runs small StableHLO programs. Every check is named after what holds when it passes. A plugin
/// that aborts takes this program with it: the name printed last is the check that did it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask conformance target/release/libbackend_example.so
  cargo xtask conformance --only donat --option num_devices=2 plugin.so")]
pub struct Args {
    /// The plugin.
    #[arg(value_name = "FILE.so", required_unless_present = "list")]
    plugin: Option<PathBuf>,
    /// Only checks whose name contains this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Client option; integers and true or false are passed as such, all else as text. May be repeated.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Print the names of all checks and stop; the plugin is not loaded.
    #[arg(long)]
    list: bool,
}

impl Args {
    /// Runs the checks; fails if one of them fails.
    pub fn run(self) -> Result<()> {
        if self.list {
            conformance::names().iter().for_each(|name| println!("{name}"));
            return Ok(());
        }
        let client_options = self.options.iter().map(|text| client_option(text)).collect::<Result<_>>()?;
        let plugin = Plugin::load(&self.plugin.context("FILE.so is missing")?)?;
        let options = Options { client_options, filter: self.only, progress: Some(|name| eprintln!("{name}")) };
        let report = conformance::run_with(&plugin, &options);
        print!("{report}");
        let failures = report.failures().count();
        if failures > 0 {
            bail!("{failures} checks failed");
        }
        Ok(())
    }
}

/// `name=value` as a client option.
fn client_option(text: &str) -> Result<NamedValue> {
    let (name, value) = text.split_once('=').with_context(|| format!("--option {text}: NAME=VALUE expected"))?;
    let value = match (value.parse::<i64>(), value.parse::<bool>()) {
        (Ok(number), _) => Value::Int64(number),
        (_, Ok(flag)) => Value::Bool(flag),
        _ => Value::String(value.to_owned()),
    };
    Ok(NamedValue::new(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_options_take_the_type_of_their_value() {
        let value = |text| client_option(text).expect("well-formed").value;
        assert_eq!(value("n=2"), Value::Int64(2));
        assert_eq!(value("flag=true"), Value::Bool(true));
        assert_eq!(value("name=a=b"), Value::String("a=b".to_owned()));
        assert!(client_option("nothing").is_err());
    }
}
