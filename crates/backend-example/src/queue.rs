//! The command queue of one device: a thread that does one thing after another.

use pjrt_wrapper::client_trait::{Result, Status};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Command = Box<dyn FnOnce() + Send>;

static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Commands run in the order in which they were pushed. The thread ends when the queue is dropped and empty.
pub(crate) struct Queue {
    commands: Sender<Command>,
    process: u32,
}

impl Queue {
    pub(crate) fn new(device: i32) -> std::io::Result<Self> {
        let (sender, commands) = channel::<Command>();
        let name = format!("rust_example {device}");
        thread::Builder::new().name(name).spawn(move || commands.iter().for_each(|command| command()))?;
        Ok(Queue { commands: sender, process: std::process::id() })
    }

    /// Whether the thread is there: a forked child has none.
    pub(crate) fn check(&self) -> Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(Status::failed_precondition(
            "the device stayed in the parent process; start processes by spawn, not by fork",
        ))
    }

    /// Runs `command`, which must not panic, after all that was pushed before.
    pub(crate) fn push(&self, command: impl FnOnce() + Send + 'static) {
        LAUNCHES.fetch_add(1, Ordering::Relaxed);
        // The receiver lives as long as this sender, so there is somebody to receive.
        _ = self.commands.send(Box::new(command));
    }
}

/// Commands pushed in this process so far.
pub(crate) fn launches() -> u64 {
    LAUNCHES.load(Ordering::Relaxed)
}
