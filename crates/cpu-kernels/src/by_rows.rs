//! Kernels that work on some rows at a time, so that what makes the rows before and what reads them after can take turns with
//! them.

use cpu_vir::exec::{RowUpdate, RowWork, Spread};
use std::sync::Arc;

use crate::parallel::Runs;

/// A kernel that makes a row of each row of an operand, and what its operands are.
#[derive(Clone)]
pub struct ByRows {
    /// What is done.
    pub work: Arc<dyn RowWork>,
    /// How many rows.
    pub rows: usize,
    /// How many rows at a time are worth it.
    pub least: usize,
    /// The operand that is read row by row, and bytes of a row.
    pub from: (usize, usize),
    /// The operand that is wanted whole.
    pub whole: usize,
    /// Bytes of a row of the result.
    pub to: usize,
}

/// A kernel that changes its first operand by rows of others, in their order.
#[derive(Clone)]
pub struct UpdatesByRows {
    /// What is done.
    pub work: Arc<dyn RowUpdate>,
    /// How many rows.
    pub rows: usize,
    /// The operands that are read row by row, and bytes of a row of each.
    pub from: Vec<(usize, usize)>,
}

/// What hands out tasks, as kernels want it.
pub(crate) struct Tasks<'a>(pub &'a dyn Spread);

impl Runs for Tasks<'_> {
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.spread(tasks, task);
    }
}
