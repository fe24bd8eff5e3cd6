//! Process groups: the four strategies by which the specification splits the grid.

use super::grid::Grid;
use crate::eval::error::OpError;

/// What the ids of `replica_groups` are, and which processes a group of ids stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Replicas; one group for each partition.
    CrossReplica,
    /// Partitions; one group for each replica.
    CrossPartition,
    /// Replicas with all their partitions.
    CrossReplicaAndPartition,
    /// Processes by flattened id.
    FlattenedIds,
}

/// What an op demands of its groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupRules {
    /// Every id is in a group; no groups at all stand for one of all ids.
    pub complete: bool,
    /// −1 fills groups that are shorter than others.
    pub ragged: bool,
}

/// The `replica_groups` of an op.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    pub lists: Vec<Vec<i64>>,
    pub strategy: Strategy,
    pub rules: GroupRules,
}

impl Strategy {
    /// How many ids there are.
    fn ids(self, grid: Grid) -> usize {
        match self {
            Strategy::CrossReplica | Strategy::CrossReplicaAndPartition => grid.num_replicas as usize,
            Strategy::CrossPartition => grid.num_partitions as usize,
            Strategy::FlattenedIds => grid.num_processes(),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Strategy::CrossReplica | Strategy::CrossReplicaAndPartition => "replicas",
            Strategy::CrossPartition => "partitions",
            Strategy::FlattenedIds => "processes",
        }
    }

    /// The id as a number below the number of ids.
    pub(super) fn check_id(self, attribute: &str, id: i64, grid: Grid) -> Result<u32, OpError> {
        match u32::try_from(id) {
            Ok(known) if (known as usize) < self.ids(grid) => Ok(known),
            _ => Err(OpError::invalid(format!(
                "`{attribute}` names id {id}, and the program runs on {} {}; run it on a grid that has the id",
                self.ids(grid),
                self.noun()
            ))),
        }
    }
}

impl Groups {
    /// All process groups, each in its order.
    ///
    /// Fails on ids that are absent from the grid or named twice, and on ids left out if all must be there.
    pub fn process_groups(&self, grid: Grid) -> Result<Vec<Vec<usize>>, OpError> {
        let count = self.strategy.ids(grid);
        let mut seen = vec![false; count];
        let mut groups: Vec<Vec<u32>> = Vec::with_capacity(self.lists.len());
        for list in &self.lists {
            let mut group = Vec::with_capacity(list.len());
            for &id in list.iter().filter(|&&id| !(self.rules.ragged && id == -1)) {
                let known = self.strategy.check_id("replica_groups", id, grid)?;
                if std::mem::replace(&mut seen[known as usize], true) {
                    return Err(OpError::invalid(format!("`replica_groups` names id {id} twice")));
                }
                group.push(known);
            }
            groups.push(group);
        }
        groups.retain(|group| !group.is_empty());
        if self.rules.complete {
            if groups.is_empty() {
                groups.push((0..count as u32).collect());
            } else if let Some(missing) = seen.iter().position(|s| !s) {
                return Err(OpError::invalid(format!(
                    "`replica_groups` leaves out id {missing}, and the program runs on {count} {}; each must be in a \
                     group",
                    self.strategy.noun()
                )));
            }
        }
        Ok(groups.iter().flat_map(|group| self.expand(group, grid)).collect())
    }

    /// The process groups that a group of ids stands for.
    fn expand(&self, group: &[u32], grid: Grid) -> Vec<Vec<usize>> {
        let (replicas, partitions) = (0..grid.num_replicas, 0..grid.num_partitions);
        match self.strategy {
            Strategy::CrossReplica => {
                partitions.map(|partition| group.iter().map(|&id| grid.index(id, partition)).collect()).collect()
            }
            Strategy::CrossPartition => {
                replicas.map(|replica| group.iter().map(|&id| grid.index(replica, id)).collect()).collect()
            }
            Strategy::CrossReplicaAndPartition => {
                vec![partitions.flat_map(|partition| group.iter().map(move |&id| grid.index(id, partition))).collect()]
            }
            Strategy::FlattenedIds => vec![group.iter().map(|&id| id as usize).collect()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: GroupRules = GroupRules { complete: true, ragged: false };

    fn named(lists: &[&[i64]], strategy: Strategy, rules: GroupRules, grid: Grid) -> Result<String, OpError> {
        let groups = Groups { lists: lists.iter().map(|l| l.to_vec()).collect(), strategy, rules };
        let groups = groups.process_groups(grid)?;
        Ok(groups.iter().map(|g| grid.names(g)).collect::<Vec<_>>().join(" | "))
    }

    /// The examples of the specification.
    #[test]
    fn strategies_split_the_grid_as_specified() {
        let grid = Grid { num_replicas: 4, num_partitions: 2 };
        let pairs: &[&[i64]] = &[&[0, 1], &[2, 3]];
        let split = |lists, strategy| named(lists, strategy, COMPLETE, grid).unwrap();
        assert_eq!(
            split(pairs, Strategy::CrossReplica),
            "(0, 0), (1, 0) | (0, 1), (1, 1) | (2, 0), (3, 0) | (2, 1), (3, 1)"
        );
        assert_eq!(
            split(&[&[0, 1]], Strategy::CrossPartition),
            "(0, 0), (0, 1) | (1, 0), (1, 1) | (2, 0), (2, 1) | (3, 0), (3, 1)"
        );
        assert_eq!(
            split(pairs, Strategy::CrossReplicaAndPartition),
            "(0, 0), (1, 0), (0, 1), (1, 1) | (2, 0), (3, 0), (2, 1), (3, 1)"
        );
        assert_eq!(
            split(&[&[0, 1, 2, 3], &[4, 5, 6, 7]], Strategy::FlattenedIds),
            "(0, 0), (0, 1), (1, 0), (1, 1) | (2, 0), (2, 1), (3, 0), (3, 1)"
        );
    }

    #[test]
    fn groups_that_do_not_fit_the_grid_are_refused() {
        let grid = Grid { num_replicas: 3, num_partitions: 1 };
        let split = |lists, rules| named(lists, Strategy::CrossReplica, rules, grid);
        let ragged = GroupRules { complete: true, ragged: true };
        assert_eq!(split(&[&[1, 0], &[2, -1]], ragged).unwrap(), "(1, 0), (0, 0) | (2, 0)");
        assert!(split(&[&[1, 0], &[2, -1]], COMPLETE).unwrap_err().to_string().contains("id -1"));
        assert!(split(&[&[0, 1, 2, 3]], COMPLETE).unwrap_err().to_string().contains("id 3"));
        assert!(split(&[&[0, 1, 1]], COMPLETE).unwrap_err().to_string().contains("twice"));
        assert!(split(&[&[0, 1]], COMPLETE).unwrap_err().to_string().contains("leaves out id 2"));
        assert_eq!(split(&[], COMPLETE).unwrap(), "(0, 0), (1, 0), (2, 0)");
        let partial = GroupRules { complete: false, ragged: false };
        assert_eq!(split(&[&[2, 1]], partial).unwrap(), "(2, 0), (1, 0)");
        assert_eq!(split(&[], partial).unwrap(), "");
    }
}
