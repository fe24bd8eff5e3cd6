//! The portable executor: cache-sized tiles, and a precompiled loop for each instruction and type.
//!
//! A tile is a run of up to 1024 points. Its values live in slots of a scratch memory that belongs to the thread; a
//! load of contiguous memory is a pointer, no copy, and the last operation before a contiguous store writes to memory
//! itself. Unsafe code is confined to the modules that take memory by
//! address.
//!
//! **Invariant:** results depend on the program only: not on the range that a call runs, nor on the processor.

mod action;
mod arithmetic;
mod columns;
mod conversion;
mod fold;
mod gather;
mod index;
mod isa;
mod layout;
mod machine;
mod memory;
mod number;
mod one_lane;
mod pairs;
mod parallel;
mod prepare;
mod record;
mod registers;
mod rows;
mod run;
mod sequence;
mod stage;
#[cfg(test)]
mod tests;
mod walk;

pub use isa::{ISA_VARIABLE, Isa, LANES, TileFn};
pub use parallel::Spread;
pub use prepare::tile_loop;
pub use rows::{
    NoRows, RowChange, RowFunction, RowItem, RowLoop, RowStep, RowUpdate, RowWork, Rows, STEP_ROWS, row_length,
};
pub use sequence::{Area, Item, Misfit, Move, MoveIndex, Place, Sequence};

use layout::{Mode, Space};
use thiserror::Error;

/// A program made ready to run, as often and on as many threads as wanted.
pub struct Kernel {
    mode: Mode,
    /// What the lanes of tiles run over, with the terms of the body, and of the writes where they go with them.
    lanes: Space,
    /// What [`Mode::Across`] repeats tiles over.
    reduced: Space,
    /// The kept axes, with the terms of the results of [`Mode::Along`].
    results: Space,
    points: usize,
    reduced_points: usize,
    /// How many of the first dimensions number the points as the program has them.
    leading: usize,
    /// Whether what [`Mode::Along`] combines lies in memory as it is, row by row without gaps.
    whole_rows: bool,
    run: Vec<prepare::Step>,
    /// Done for one lane of each tile.
    row: Vec<prepare::Step>,
    tile: Vec<prepare::Step>,
    reduced_steps: Vec<prepare::Step>,
    folds: Vec<prepare::Fold>,
    /// For each fold of [`Mode::Across`], how it is done by whole rows of memory, if all are.
    columns: Option<Vec<prepare::Column>>,
    /// Where each value's tile is in the scratch memory.
    registers: Vec<usize>,
    /// Bytes of scratch memory.
    scratch: usize,
    inputs: Vec<Need>,
    outputs: Vec<Need>,
    positions: Vec<(bool, usize)>,
}

/// How much memory an operand must have.
struct Need {
    bytes: usize,
}

/// Why a kernel did not run. Nothing was written then.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum RunError {
    #[error("the kernel has {wanted} {role}s, {given} were handed in")]
    Count { role: &'static str, wanted: usize, given: usize },
    #[error("{role} {index} has {given} bytes of the {wanted} that the kernel touches")]
    TooShort { role: &'static str, index: usize, wanted: usize, given: usize },
    #[error("points {start}..{end} of {points}")]
    Range { start: usize, end: usize, points: usize },
}

impl Kernel {
    /// Whether it does all its points in one tile and a few actions: then as part of a [`Sequence`] it costs no more
    /// than those.
    pub fn is_short(&self) -> bool {
        record::is_short(self)
    }

    /// Number of points that ranges are cut from: those of the dimensions that are kept.
    ///
    /// Which point has which number is the kernel's affair: it visits them in the order that memory likes.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Bytes that each input must have at least.
    pub fn input_bytes(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().map(|need| need.bytes)
    }

    /// Bytes that each output must have at least.
    pub fn output_bytes(&self) -> impl Iterator<Item = usize> + '_ {
        self.outputs.iter().map(|need| need.bytes)
    }

    /// Whether there is more in its scratch memory than values.
    fn needs_scratch(&self) -> bool {
        let gathers = |steps: &[prepare::Step]| steps.iter().any(|step| matches!(step, prepare::Step::Gather(_)));
        !self.folds.is_empty()
            || [&self.run, &self.row, &self.tile, &self.reduced_steps].into_iter().any(|steps| gathers(steps))
    }

    fn check_range(&self, range: &std::ops::Range<usize>) -> Result<(), RunError> {
        match range.start <= range.end && range.end <= self.points {
            true => Ok(()),
            false => Err(RunError::Range { start: range.start, end: range.end, points: self.points }),
        }
    }
}

fn check_lengths(
    role: &'static str,
    needs: &[Need],
    given: impl ExactSizeIterator<Item = usize>,
) -> Result<(), RunError> {
    if given.len() != needs.len() {
        return Err(RunError::Count { role, wanted: needs.len(), given: given.len() });
    }
    for (index, (need, given)) in needs.iter().zip(given).enumerate() {
        if given < need.bytes {
            return Err(RunError::TooShort { role, index, wanted: need.bytes, given });
        }
    }
    Ok(())
}
