//! Where a program runs: which of how many replicas and partitions, and how the embedder follows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::OpError;
use super::feeds::Feeds;
use super::parallel::{Channel, Contributions, Grid, Rendezvous, Site};
use super::tensor::Tensor;

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

impl Process {
    /// The grid that it is part of.
    pub fn grid(&self) -> Grid {
        Grid { num_replicas: self.num_replicas, num_partitions: self.num_partitions }
    }

    /// Its place in the order of [`Grid`].
    pub(crate) fn index(&self) -> usize {
        self.grid().index(self.replica_id, self.partition_id)
    }
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
    /// Where it meets the other processes; `None` if it runs by itself.
    rendezvous: Option<&'a Rendezvous>,
    /// Where it reads from and writes to the host.
    feeds: Option<&'a Feeds>,
}

impl<'a> Environment<'a> {
    pub fn new(process: Process, interrupt: Option<Interrupt<'a>>, draws: &'a AtomicU64) -> Environment<'a> {
        Environment { process, interrupt, draws, rendezvous: None, feeds: None }
    }

    /// The same among other processes.
    pub fn meeting_at(self, rendezvous: &'a Rendezvous) -> Environment<'a> {
        Environment { rendezvous: Some(rendezvous), ..self }
    }

    /// The same with queues to and from the host.
    pub fn fed_by(self, feeds: &'a Feeds) -> Environment<'a> {
        Environment { feeds: Some(feeds), ..self }
    }

    /// What a device of a mesh has that this process runs for the time of a region.
    pub fn inside_mesh(&self, process: Process, rendezvous: &'a Rendezvous) -> Environment<'a> {
        Environment { process, rendezvous: Some(rendezvous), ..*self }
    }

    /// What another process of the same run starts from, by itself.
    pub fn of_process(&self, process: Process) -> Environment<'a> {
        Environment::new(process, self.interrupt, self.draws)
    }

    /// The queues to and from the host.
    pub fn feeds(&self) -> Result<&'a Feeds, OpError> {
        self.feeds.ok_or_else(|| {
            OpError::unsupported("there is no infeed or outfeed; give the program both with `Evaluator::run_fed`")
        })
    }

    /// Puts values on a channel.
    pub fn send(&self, channel: Channel, values: Vec<Tensor>) -> Result<(), OpError> {
        self.with_channels()?.send(channel, values);
        Ok(())
    }

    /// Takes values from a channel; waits for them, and fails when nobody is left to send them.
    pub fn receive(&self, site: &Site, channel: Channel) -> Result<Vec<Tensor>, OpError> {
        self.with_channels()?.receive(self.process.index(), site, channel, self.interrupt)
    }

    fn with_channels(&self) -> Result<&'a Rendezvous, OpError> {
        self.rendezvous.ok_or_else(|| {
            OpError::unsupported("there are no channels where a process runs by itself; use `Evaluator::run_all`")
        })
    }

    pub fn is_cancelled(&self) -> bool {
        self.interrupt.is_some_and(|stop| stop()) || self.rendezvous.is_some_and(Rendezvous::has_failed)
    }

    /// Gives `values` to all `members` (process indices, this one among them) and returns what each of them gave,
    /// in their order. Waits for them; fails when one of them will not come.
    pub fn exchange(&self, site: &Site, members: &[usize], values: Vec<Tensor>) -> Result<Arc<Contributions>, OpError> {
        match (members, self.rendezvous) {
            ([_], _) => Ok(Arc::new(vec![values])),
            (_, Some(rendezvous)) => rendezvous.meet(self.process.index(), site, members, values, self.interrupt),
            (_, None) => Err(OpError::unsupported(format!(
                "needs processes {} together, and process {} runs by itself; run all of them side by side with \
                 `Evaluator::run_all`",
                self.process.grid().names(members),
                self.process.grid().name(self.process.index()),
            ))),
        }
    }

    pub fn next_draw(&self) -> u64 {
        self.draws.fetch_add(1, Ordering::Relaxed)
    }
}
