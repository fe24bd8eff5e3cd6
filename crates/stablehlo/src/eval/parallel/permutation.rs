//! `source_target_pairs`: who sends to whom along the replicas or the partitions of the grid.

use super::grid::Grid;
use super::groups::Strategy;
use crate::eval::error::OpError;
use crate::eval::process::Process;

/// The pairs of a permutation; ids are replicas, or partitions if it crosses partitions.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    pub pairs: Vec<[i64; 2]>,
    pub cross_partition: bool,
}

/// What a permutation means to one process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The processes that it must meet, itself among them: all that pairs connect to it.
    pub members: Vec<usize>,
    /// The position among them of the one that sends to it.
    pub source: Option<usize>,
}

impl Permutation {
    /// The route of a process; `None` if it is in no pair.
    ///
    /// Fails on ids that are absent from the grid, and on sources or targets that are named twice.
    pub fn route(&self, process: Process) -> Result<Option<Route>, OpError> {
        let grid = process.grid();
        let strategy = if self.cross_partition { Strategy::CrossPartition } else { Strategy::CrossReplica };
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(self.pairs.len());
        for &[source, target] in &self.pairs {
            let id = |id| strategy.check_id("source_target_pairs", id, grid);
            let pair = [id(source)?, id(target)?];
            if pairs.iter().any(|p| p[0] == pair[0] || p[1] == pair[1]) {
                return Err(OpError::invalid("`source_target_pairs` names a source or a target twice"));
            }
            pairs.push(pair);
        }
        let me = if self.cross_partition { process.partition_id } else { process.replica_id };
        if !pairs.iter().flatten().any(|&id| id == me) {
            return Ok(None);
        }
        let mut connected = vec![me];
        loop {
            let next = pairs.iter().flat_map(|&[a, b]| [(a, b), (b, a)]);
            let found = next.into_iter().find(|(a, b)| connected.contains(a) && !connected.contains(b));
            match found {
                Some((_, id)) => connected.push(id),
                None => break,
            }
        }
        connected.sort_unstable();
        let source = pairs.iter().find(|p| p[1] == me).and_then(|p| connected.iter().position(|&id| id == p[0]));
        let members = connected.iter().map(|&id| self.on_line(id, process, grid)).collect();
        Ok(Some(Route { members, source }))
    }

    /// The process to which a process sends; `None` if it is no source. Fails as [`Permutation::route`].
    pub fn target(&self, process: Process) -> Result<Option<usize>, OpError> {
        if self.route(process)?.is_none() {
            return Ok(None);
        }
        let me = i64::from(if self.cross_partition { process.partition_id } else { process.replica_id });
        let target = self.pairs.iter().find(|pair| pair[0] == me);
        Ok(target.map(|pair| self.on_line(pair[1] as u32, process, process.grid())))
    }

    fn on_line(&self, id: u32, process: Process, grid: Grid) -> usize {
        if self.cross_partition { grid.index(process.replica_id, id) } else { grid.index(id, process.partition_id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_meet_only_connected_processes() {
        let p = Permutation { pairs: vec![[0, 1], [1, 2], [4, 4]], cross_partition: false };
        let route = |replica_id| p.route(Process { replica_id, partition_id: 1, num_replicas: 5, num_partitions: 2 });
        assert_eq!(route(0).unwrap(), Some(Route { members: vec![1, 3, 5], source: None }));
        assert_eq!(route(2).unwrap(), Some(Route { members: vec![1, 3, 5], source: Some(1) }));
        assert_eq!(route(3).unwrap(), None);
        assert_eq!(route(4).unwrap(), Some(Route { members: vec![9], source: Some(0) }));
    }

    #[test]
    fn pairs_that_do_not_fit_are_refused() {
        let route = |pairs: &[[i64; 2]]| {
            let p = Permutation { pairs: pairs.to_vec(), cross_partition: true };
            p.route(Process { num_partitions: 2, ..Process::default() }).unwrap_err().to_string()
        };
        assert!(route(&[[0, 2]]).contains("id 2"));
        assert!(route(&[[0, 1], [0, 0]]).contains("twice"));
        assert!(route(&[[0, 1], [1, 1]]).contains("twice"));
    }
}
