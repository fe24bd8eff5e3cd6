//! How the elements of a buffer lie in memory: an order of dimensions, and tiles.

use crate::{Result, Status};
use std::fmt;

/// One tile of a tiled layout: its extents, in elements, over the minor-most dimensions.
pub type Tile = Vec<i64>;

/// A device layout: dimensions from the fastest-varying to the slowest, then tiles, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// `minor_to_major[0]` is the dimension whose index varies fastest.
    pub minor_to_major: Vec<i64>,
    /// Empty for a plain dense layout.
    pub tiles: Vec<Tile>,
}

impl Layout {
    /// Dense, last dimension fastest.
    pub fn row_major(rank: usize) -> Self {
        Layout { minor_to_major: (0..rank as i64).rev().collect(), tiles: Vec::new() }
    }

    /// Whether this is [`Layout::row_major`] of its rank.
    pub fn is_row_major(&self) -> bool {
        self.tiles.is_empty() && self.minor_to_major.iter().copied().eq((0..self.minor_to_major.len() as i64).rev())
    }

    /// Checks that `minor_to_major` is a permutation of `0..rank`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT that shows the offending list.
    pub fn validate(&self, rank: usize) -> Result<()> {
        let mut seen = vec![false; rank];
        let permutation = self.minor_to_major.len() == rank
            && self.minor_to_major.iter().all(|&dim| {
                usize::try_from(dim)
                    .ok()
                    .and_then(|dim| seen.get_mut(dim))
                    .is_some_and(|slot| !std::mem::replace(slot, true))
            });
        if permutation {
            return Ok(());
        }
        Err(Status::invalid_argument(format!(
            "minor_to_major {:?} is not a permutation of the {rank} dimensions of the array",
            self.minor_to_major
        )))
    }
}

/// XLA's layout text, such as `{1,0}` or `{1,0:T(8,128)(2,1)}`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        write!(f, "{{{}", list(&self.minor_to_major))?;
        if !self.tiles.is_empty() {
            f.write_str(":T")?;
            for tile in &self.tiles {
                write!(f, "({})", list(tile))?;
            }
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_xla_prints() {
        assert_eq!(Layout::row_major(2).to_string(), "{1,0}");
        assert_eq!(Layout::row_major(0).to_string(), "{}");
        let tiled = Layout { minor_to_major: vec![1, 0], tiles: vec![vec![8, 128], vec![2, 1]] };
        assert_eq!(tiled.to_string(), "{1,0:T(8,128)(2,1)}");
    }

    #[test]
    fn only_permutations_are_valid() {
        assert!(Layout::row_major(3).validate(3).is_ok());
        for bad in [vec![0, 0], vec![0, 2], vec![-1, 0], vec![0]] {
            assert!(Layout { minor_to_major: bad, tiles: vec![] }.validate(2).is_err());
        }
    }
}
