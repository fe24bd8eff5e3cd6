//! Gathers and scatters with one index vector: blocks of bytes that are moved from or to one place.

use cpu_vir::Type;

use super::vectors::IndexVectors;
use crate::layout::advance;

/// Blocks of more runs are not written out.
const MOST_RUNS: usize = 32;

/// An index of such a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleIndex {
    /// Where it is in the operand with the indices, in bytes.
    pub start: usize,
    /// What it is.
    pub ty: Type,
    /// What is added to it where it is negative, in its own type.
    pub wrap: i64,
    /// The highest that lies inside.
    pub most: usize,
    /// Bytes from one to the next in the array.
    pub stride: usize,
}

/// A block in an array, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleBlock {
    /// What the place is made of.
    pub indices: Vec<SingleIndex>,
    /// Offsets in the array behind the place and in the block, and how long both are contiguous; in bytes.
    pub runs: Vec<(usize, usize, usize)>,
}

/// A walk over the block: sizes, steps in the array, steps in the block, then a run; in elements.
pub(super) type Walk<'a> = (&'a [usize], &'a [isize], &'a [isize], usize);

impl SingleBlock {
    /// `None` where there are more vectors, where a block is larger than the array, and where it takes many runs.
    pub(super) fn new(
        vectors: &IndexVectors,
        axes: &[(usize, i64)],
        (dims, in_array, in_block, run): Walk<'_>,
        width: usize,
    ) -> Option<SingleBlock> {
        let count: usize = dims.iter().product();
        if count * run == 0 || count > MOST_RUNS || axes.iter().any(|(_, last)| *last < 0) {
            return None;
        }
        let indices = vectors.single(axes, width)?;
        let mut runs = Vec::with_capacity(count);
        let mut index = vec![0; dims.len()];
        loop {
            let offset = |steps: &[isize]| index.iter().zip(steps).map(|(i, s)| i * *s as usize).sum::<usize>() * width;
            runs.push((offset(in_array), offset(in_block), run * width));
            if !advance(&mut index, dims) {
                break;
            }
        }
        Some(SingleBlock { indices, runs })
    }
}
