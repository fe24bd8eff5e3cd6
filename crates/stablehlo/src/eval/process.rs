//! Where a program runs: which of how many replicas and partitions, and how the embedder follows it.

use std::sync::atomic::{AtomicU64, Ordering};

/// One process of the grid of replicas and partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Which replica.
    pub replica_id: u32,
    /// Which partition.
    pub partition_id: u32,
    /// Number of replicas.
    pub num_replicas: u32,
    /// Number of partitions.
    pub num_partitions: u32,
}

impl Default for Process {
    fn default() -> Process {
        Process { replica_id: 0, partition_id: 0, num_replicas: 1, num_partitions: 1 }
    }
}

/// Called before each op; true stops the program with an error.
pub type Interrupt<'a> = &'a (dyn Fn() -> bool + Sync);

/// What a run has beside the program and its inputs.
pub(crate) struct Environment<'a> {
    pub process: Process,
    interrupt: Option<Interrupt<'a>>,
    /// Numbers the draws of `rng`, so that no two are alike.
    draws: &'a AtomicU64,
}

impl<'a> Environment<'a> {
    pub fn new(process: Process, interrupt: Option<Interrupt<'a>>, draws: &'a AtomicU64) -> Environment<'a> {
        Environment { process, interrupt, draws }
    }

    pub fn is_cancelled(&self) -> bool {
        self.interrupt.is_some_and(|stop| stop())
    }

    pub fn next_draw(&self) -> u64 {
        self.draws.fetch_add(1, Ordering::Relaxed)
    }
}
