//! What a client is created with: the user's options and, in a job of several processes, a key-value store.

use crate::{KeyValueStore, NamedValue, Result, Status, Value};
use std::fmt;
use std::sync::Arc;

/// Options of one client, as the framework passes them.
///
/// `node_id` and `num_nodes` belong to every backend: JAX adds them under `jax.distributed`, so they are
/// never refused as unknown.
#[derive(Clone, Default)]
pub struct ClientOptions {
    values: Vec<NamedValue>,
    store: Option<Arc<dyn KeyValueStore>>,
}

/// Options that the framework itself may add.
const ALWAYS_ACCEPTED: [&str; 3] = ["node_id", "num_nodes", "partition_index"];

impl ClientOptions {
    /// Options with these values and no key-value store.
    pub fn new(values: Vec<NamedValue>) -> Self {
        ClientOptions { values, store: None }
    }

    /// The same options with a key-value store.
    #[must_use]
    pub fn with_key_value_store(mut self, store: Arc<dyn KeyValueStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// The store by which the processes of a job find each other; `None` in a single process.
    pub fn key_value_store(&self) -> Option<&Arc<dyn KeyValueStore>> {
        self.store.as_ref()
    }

    /// Rank of this process.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when `node_id` is no integer, or not below `num_nodes`.
    pub fn node_id(&self) -> Result<i64> {
        let (node, nodes) = (self.int("node_id", 0)?, self.num_nodes()?);
        if (0..nodes).contains(&node) {
            return Ok(node);
        }
        Err(Status::invalid_argument(format!("option node_id is {node}, but num_nodes is {nodes}")))
    }

    /// Number of processes in the job.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when `num_nodes` is not a positive integer.
    pub fn num_nodes(&self) -> Result<i64> {
        match self.int("num_nodes", 1)? {
            nodes if nodes > 0 => Ok(nodes),
            nodes => Err(Status::invalid_argument(format!("option num_nodes is {nodes}; it must be at least 1"))),
        }
    }

    /// The value of an option, if it was given.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|named| named.name == name).map(|named| &named.value)
    }

    /// An integer option.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it was given with another type.
    pub fn int(&self, name: &str, default: i64) -> Result<i64> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Int64(value)) => Ok(*value),
            Some(other) => Err(wrong_type(name, "int64", other)),
        }
    }

    /// A boolean option.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it was given with another type.
    pub fn bool(&self, name: &str, default: bool) -> Result<bool> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Bool(value)) => Ok(*value),
            Some(other) => Err(wrong_type(name, "bool", other)),
        }
    }

    /// A text option.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it was given with another type.
    pub fn string(&self, name: &str, default: &str) -> Result<String> {
        match self.get(name) {
            None => Ok(default.to_owned()),
            Some(Value::String(value)) => Ok(value.clone()),
            Some(other) => Err(wrong_type(name, "string", other)),
        }
    }

    /// Refuses every option that is not in `known`, so that a misspelt option is not silently ignored.
    ///
    /// # Errors
    /// INVALID_ARGUMENT that names the unknown option and those that exist.
    pub fn reject_unknown(&self, known: &[&str]) -> Result<()> {
        let accepted = |name: &str| known.contains(&name) || ALWAYS_ACCEPTED.contains(&name);
        match self.values.iter().find(|named| !accepted(&named.name)) {
            None => Ok(()),
            Some(named) => Err(Status::invalid_argument(format!(
                "unknown client option \"{}\" ({}); this backend knows: {}",
                named.name,
                named.value.type_name(),
                if known.is_empty() { "none".to_owned() } else { known.join(", ") }
            ))),
        }
    }
}

fn wrong_type(name: &str, wanted: &str, got: &Value) -> Status {
    Status::invalid_argument(format!("client option \"{name}\" must be {wanted}, but a {} was given", got.type_name()))
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientOptions")
            .field("values", &self.values)
            .field("key_value_store", &self.store.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_options_are_named_and_the_job_options_are_not_unknown() {
        let options = ClientOptions::new(vec![
            NamedValue::new("num_nodes", 2),
            NamedValue::new("node_id", 1),
            NamedValue::new("devcies", 3),
        ]);
        let error = options.reject_unknown(&["devices"]).unwrap_err();
        assert_eq!(error.message, "unknown client option \"devcies\" (int64); this backend knows: devices");
        assert_eq!(options.node_id(), Ok(1));
    }

    #[test]
    fn a_wrong_type_or_rank_is_an_error() {
        assert!(ClientOptions::new(vec![NamedValue::new("devices", "two")]).int("devices", 1).is_err());
        assert!(ClientOptions::new(vec![NamedValue::new("node_id", 1)]).node_id().is_err());
        assert!(ClientOptions::new(vec![NamedValue::new("num_nodes", 0)]).num_nodes().is_err());
    }
}
