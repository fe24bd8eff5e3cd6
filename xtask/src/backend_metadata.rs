//! What a backend's `Cargo.toml` says about its plugin, in `[package.metadata.pjrt]`:
//!
//! ```toml
//! [package.metadata.pjrt]
//! platform = "rust_example"           # the name users write into JAX_PLATFORMS
//! client-platform = "rust_example"    # what the client reports; default: `platform`
//! priority = 500                      # JAX prefers the highest; its own CPU has 0
//! host-callbacks = "send-recv"        # how Python callbacks travel; default: "none"
//! device-count-option = "devices"     # the client option that JAX's number of CPU devices sets; default: none
//! summary = "One line for pip"        # default: the crate's description
//! ```

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::workspace::Workspace;

/// Facts about a plugin that its binary does not carry.
#[derive(Debug, Clone, PartialEq)]
pub struct BackendMetadata {
    /// The crate that builds the plugin.
    pub package: String,
    /// Its version, which becomes the wheel's.
    pub version: String,
    /// The crate's licence expression.
    pub license: String,
    /// One line that describes the plugin.
    pub summary: String,
    /// The name under which JAX registers the plugin.
    pub platform: String,
    /// The platform name that the client reports.
    pub client_platform: String,
    /// JAX's default backend is the one with the highest priority.
    pub priority: i64,
    /// How Python callbacks reach the host: `none` or `send-recv`.
    pub host_callbacks: String,
    /// The client option that takes JAX's number of CPU devices; empty when there is none.
    pub device_count_option: String,
}

impl BackendMetadata {
    /// Reads the description of the crate `package`.
    pub fn load(workspace: &Workspace, package: &str) -> Result<Self> {
        Self::parse(workspace.package(package)?)
            .with_context(|| format!("[package.metadata.pjrt] of crate `{package}`"))
    }

    fn parse(package: &Value) -> Result<Self> {
        let name = text(package, "name")?;
        let table = &package["metadata"]["pjrt"];
        ensure!(table.is_object(), "the section is missing; it must hold at least `platform = \"...\"`");
        const KNOWN: [&str; 6] =
            ["platform", "client-platform", "priority", "host-callbacks", "device-count-option", "summary"];
        for key in table.as_object().into_iter().flat_map(|table| table.keys()) {
            ensure!(KNOWN.contains(&key.as_str()), "unknown key `{key}`; known are {}", KNOWN.join(", "));
        }
        let platform = text(table, "platform")?;
        ensure!(
            platform.starts_with(|c: char| c.is_ascii_lowercase())
                && platform.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
            "platform = {platform:?}: lower-case letters, digits and `_` only, beginning with a letter, because the \
             name is also a Python module and JAX lower-cases it"
        );
        let host_callbacks = optional_text(table, "host-callbacks")?.unwrap_or_else(|| "none".into());
        ensure!(
            ["none", "send-recv"].contains(&host_callbacks.as_str()),
            "host-callbacks = {host_callbacks:?}: must be \"none\" or \"send-recv\""
        );
        let priority = match &table["priority"] {
            Value::Null => 500,
            value => value.as_i64().context("priority must be an integer")?,
        };
        Ok(Self {
            version: text(package, "version")?,
            license: optional_text(package, "license")?.unwrap_or_default(),
            summary: optional_text(table, "summary")?
                .or(optional_text(package, "description")?)
                .unwrap_or_else(|| format!("JAX backend {platform}")),
            client_platform: optional_text(table, "client-platform")?.unwrap_or_else(|| platform.clone()),
            package: name,
            platform,
            priority,
            host_callbacks,
            device_count_option: optional_text(table, "device-count-option")?.unwrap_or_default(),
        })
    }

    /// The name of the distribution on pip's side, normalised as in a wheel's file name.
    pub fn distribution(&self) -> String {
        format!("jax_{}", self.platform)
    }
}

fn text(table: &Value, key: &str) -> Result<String> {
    optional_text(table, key)?.with_context(|| format!("`{key}` is missing"))
}

fn optional_text(table: &Value, key: &str) -> Result<Option<String>> {
    match &table[key] {
        Value::Null => Ok(None),
        Value::String(text) if !text.is_empty() => Ok(Some(text.clone())),
        other => bail!("`{key}` must be a non-empty string, not {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(pjrt: Value) -> Value {
        json!({"name": "backend-x", "version": "0.1.0", "description": "About x", "metadata": {"pjrt": pjrt}})
    }

    #[test]
    fn defaults_follow_the_platform_name() {
        let metadata = BackendMetadata::parse(&package(json!({"platform": "my_chip"}))).unwrap();
        assert_eq!(metadata.client_platform, "my_chip");
        assert_eq!(metadata.priority, 500);
        assert_eq!(metadata.host_callbacks, "none");
        assert_eq!(metadata.summary, "About x");
        assert_eq!(metadata.distribution(), "jax_my_chip");
    }

    #[test]
    fn what_is_wrong_is_said_by_name() {
        for (table, said) in [
            (Value::Null, "the section is missing"),
            (json!({}), "`platform` is missing"),
            (json!({"platform": "My-Chip"}), "lower-case letters"),
            (json!({"platform": "x", "priority": "high"}), "priority must be an integer"),
            (json!({"platform": "x", "host-callbacks": "maybe"}), "host-callbacks"),
            (json!({"platform": "x", "priorty": 1}), "unknown key `priorty`"),
        ] {
            let error = BackendMetadata::parse(&package(table)).unwrap_err().to_string();
            assert!(error.contains(said), "{error:?} does not say {said:?}");
        }
    }
}
