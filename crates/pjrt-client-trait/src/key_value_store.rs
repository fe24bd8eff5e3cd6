//! The rendezvous of the processes of one job.

use crate::Result;
use std::time::Duration;

/// A store shared by all processes of a job. Keys are written once; there is no delete and no watch.
pub trait KeyValueStore: Send + Sync {
    /// The value of `key`, waiting up to `timeout` for somebody to put it.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED or NOT_FOUND, as the store has it, when nobody did.
    fn get(&self, key: &str, timeout: Duration) -> Result<Vec<u8>>;

    /// The value of `key` if it is there now.
    ///
    /// # Errors
    /// NOT_FOUND when it is not.
    fn try_get(&self, key: &str) -> Result<Vec<u8>>;

    /// Publishes a value.
    ///
    /// # Errors
    /// ALREADY_EXISTS when the key is taken, or what the store reports.
    fn put(&self, key: &str, value: &[u8]) -> Result<()>;
}
