//! The grid of replicas and partitions, and how its processes are numbered and named.

use crate::eval::process::Process;

/// The processes that run one program: `num_replicas` times `num_partitions`.
///
/// Their order is that of flattened ids: `replica_id * num_partitions + partition_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of replicas.
    pub num_replicas: u32,
    /// Number of partitions.
    pub num_partitions: u32,
}

impl Grid {
    /// Number of processes.
    pub fn num_processes(&self) -> usize {
        self.num_replicas as usize * self.num_partitions as usize
    }

    /// All processes in order.
    pub fn processes(self) -> impl Iterator<Item = Process> {
        (0..self.num_processes()).map(move |index| self.process(index))
    }

    pub(crate) fn index(&self, replica_id: u32, partition_id: u32) -> usize {
        replica_id as usize * self.num_partitions as usize + partition_id as usize
    }

    fn process(&self, index: usize) -> Process {
        let Grid { num_replicas, num_partitions } = *self;
        let (replica_id, partition_id) =
            ((index / num_partitions as usize) as u32, (index % num_partitions as usize) as u32);
        Process { replica_id, partition_id, num_replicas, num_partitions }
    }

    /// A process as the specification writes it: `(replica_id, partition_id)`.
    pub(crate) fn name(&self, index: usize) -> String {
        let process = self.process(index);
        format!("({}, {})", process.replica_id, process.partition_id)
    }

    /// Several processes, separated by commas.
    pub(crate) fn names(&self, indices: &[usize]) -> String {
        indices.iter().map(|&i| self.name(i)).collect::<Vec<_>>().join(", ")
    }
}
