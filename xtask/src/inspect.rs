//! `cargo xtask inspect`: what a plugin's table and attributes say, for any plugin: ours, XLA's, libtpu.
//! Loads the library and calls `GetPjrtApi` and `PJRT_Plugin_Attributes`; creates no client.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use pjrt_testkit::{Plugin, Value};
use serde_json::json;

use crate::plugin_binary::PluginBinary;

/// Shows what a plugin `.so` offers: versions, table, extensions, attributes
///
/// Works on any PJRT plugin for x86-64 Linux. The library is loaded and asked for its table and its attributes; no
/// client is created, so no accelerator is needed.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask inspect target/release/libbackend_example.so
  cargo xtask inspect --json site-packages/libtpu/libtpu.so")]
pub struct Args {
    /// The plugin.
    #[arg(value_name = "FILE.so")]
    plugin: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Loads and prints.
    pub fn run(self) -> Result<()> {
        let report = Report::of(&self.plugin)?;
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            print!("{}", report.to_text());
        }
        Ok(())
    }
}

/// What there is to know about a plugin without creating a client.
pub struct Report {
    path: PathBuf,
    binary: PluginBinary,
    /// Version of the C API that the plugin was compiled against.
    pub api_version: (i32, i32),
    table_size: usize,
    functions: usize,
    /// Functions we know that the table is long enough for, and that are null in it.
    null: Vec<&'static str>,
    /// Functions we know that are younger than the table.
    absent: Vec<&'static str>,
    /// Type number, name, size of the node in bytes.
    extensions: Vec<(u32, String, usize)>,
    /// Name, value; or the plugin's refusal.
    attributes: std::result::Result<Vec<(String, Value)>, String>,
}

impl Report {
    /// Loads the plugin at `path`, which stays loaded.
    pub fn of(path: &Path) -> Result<Self> {
        let binary = PluginBinary::read(path)?;
        let plugin = Plugin::load(path)?;
        let slots = plugin.slots();
        let names = |wanted: fn(&pjrt_testkit::Slot) -> bool| {
            slots.iter().filter(|slot| wanted(slot)).map(|slot| slot.name).collect::<Vec<_>>()
        };
        let attributes = plugin
            .attributes()
            .map(|values| values.into_iter().map(|value| (value.name, value.value)).collect())
            .map_err(|error| error.to_string());
        Ok(Self {
            path: path.to_owned(),
            binary,
            api_version: plugin.api_version(),
            table_size: plugin.table_size(),
            functions: slots.iter().filter(|slot| slot.in_table && slot.present).count(),
            null: names(|slot| slot.in_table && !slot.present),
            absent: names(|slot| !slot.in_table),
            extensions: plugin.extensions().iter().map(|node| (node.kind.0, node.name(), node.struct_size)).collect(),
            attributes,
        })
    }

    /// An attribute that is a list of numbers, as `1.2.3`.
    pub fn version_attribute(&self, name: &str) -> Option<String> {
        let (_, value) = self.attributes.as_ref().ok()?.iter().find(|(found, _)| found == name)?;
        match value {
            Value::Int64List(numbers) => Some(dotted(numbers)),
            _ => None,
        }
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: &str| {
            // Writing to a string cannot fail.
            _ = writeln!(text, "{}", format!("{label:14} {value}").trim_end());
        };
        line("plugin", &self.path.display().to_string());
        line("size", &format!("{:.1} MB", self.binary.size as f64 / 1e6));
        line("exports", &shortened(&self.binary.exported));
        line("needs", &self.binary.needed.join(", "));
        line("C API", &format!("{}.{}", self.api_version.0, self.api_version.1));
        line("table", &format!("{} bytes, {} functions", self.table_size, self.functions));
        line("null slots", &listed(&self.null));
        line("absent", &listed(&self.absent));
        line("extensions", if self.extensions.is_empty() { "none" } else { "" });
        for (kind, name, size) in &self.extensions {
            line("", &format!("{kind:3}  {name:28} {size:4} bytes"));
        }
        match &self.attributes {
            Err(refusal) => line("attributes", &format!("refused: {refusal}")),
            Ok(attributes) => {
                line("attributes", if attributes.is_empty() { "none" } else { "" });
                for (name, value) in attributes {
                    line("", &format!("{name} = {}", shown(value)));
                }
            }
        }
        text
    }

    fn to_json(&self) -> serde_json::Value {
        let extensions: Vec<_> = self
            .extensions
            .iter()
            .map(|(kind, name, size)| json!({"type": kind, "name": name, "struct_size": size}))
            .collect();
        let attributes = match &self.attributes {
            Ok(attributes) => attributes.iter().map(|(name, value)| (name.clone(), value_json(value))).collect(),
            Err(refusal) => json!({"error": refusal}),
        };
        json!({
            "path": self.path,
            "size": self.binary.size,
            "exported": self.binary.exported,
            "needed": self.binary.needed,
            "api_version": [self.api_version.0, self.api_version.1],
            "table_size": self.table_size,
            "functions": self.functions,
            "null_slots": self.null,
            "absent_functions": self.absent,
            "extensions": extensions,
            "attributes": attributes,
        })
    }
}

fn dotted(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(".")
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// A list that may be thousands of symbols long.
fn shortened(names: &[String]) -> String {
    match names {
        [] => "nothing".into(),
        few if few.len() <= 4 => few.join(", "),
        many => format!("{}, ... ({} symbols)", many[..3].join(", "), many.len()),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Int64(number) => number.to_string(),
        Value::Int64List(numbers) => dotted(numbers),
        Value::Float(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Unknown(kind) => format!("a value of unknown type {kind}"),
    }
}

fn value_json(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) => json!(text),
        Value::Int64(number) => json!(number),
        Value::Int64List(numbers) => json!(numbers),
        Value::Float(number) => json!(number),
        Value::Bool(truth) => json!(truth),
        Value::Unknown(kind) => json!({"unknown_type": kind}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plugin_is_refused_and_not_loaded() {
        let own = std::env::current_exe().unwrap();
        assert!(Report::of(Path::new("no/such/file.so")).is_err());
        assert!(Report::of(&own).is_err());
    }

    #[test]
    fn values_are_shown_as_people_write_them() {
        assert_eq!(shown(&Value::Int64List(vec![1, 13, 0])), "1.13.0");
        assert_eq!(shown(&Value::String("a".into())), "\"a\"");
        assert_eq!(value_json(&Value::Int64List(vec![1, 2])), json!([1, 2]));
    }

    #[test]
    fn long_lists_are_cut() {
        let many: Vec<String> = (0..9).map(|number| format!("s{number}")).collect();
        assert_eq!(shortened(&many), "s0, s1, s2, ... (9 symbols)");
    }
}
