//! The log of API calls. `PJRT_LOG=debug` prints every call with its result and time, `PJRT_LOG=trace` its
//! arguments and outputs too; `error`, `warn` and `info` print what a backend reports through `tracing`.

use pjrt_client_trait::Result;
use std::fmt::Debug;
use std::sync::Once;
use std::time::Duration;
use tracing::Level;
use tracing::level_filters::LevelFilter;

/// The environment variable that turns the log on.
pub const LOG_VARIABLE: &str = "PJRT_LOG";

static START: Once = Once::new();

/// Installs the log if the environment asks for it. A plugin is a library of its own, so its `tracing` state
/// belongs to it alone; where the embedder has set a subscriber already, that one stays.
pub(crate) fn start() {
    START.call_once(|| {
        let Ok(wanted) = std::env::var(LOG_VARIABLE) else { return };
        match wanted.parse::<LevelFilter>() {
            Ok(level) => {
                let subscriber = tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(level);
                // An error means that the embedder's subscriber is in place: its choice.
                _ = subscriber.try_init();
            }
            Err(_) => eprintln!("{LOG_VARIABLE}={wanted}: expected off, error, warn, info, debug or trace"),
        }
    });
}

pub(crate) fn calls_are_logged() -> bool {
    tracing::enabled!(target: "pjrt", Level::DEBUG)
}

pub(crate) fn arguments(what: &str, args: &dyn Debug) {
    tracing::trace!(target: "pjrt", "{what} {args:?}");
}

pub(crate) fn result(name: &str, outcome: &Result<()>, took: Duration) {
    let micros = took.as_secs_f64() * 1e6;
    match outcome {
        Ok(()) => tracing::debug!(target: "pjrt", "{name} ok in {micros:.1} us"),
        Err(status) => tracing::debug!(target: "pjrt", "{name} failed in {micros:.1} us: {status}"),
    }
}
