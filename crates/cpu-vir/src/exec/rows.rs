//! Kernels over the same rows, block of rows by block of rows: what one writes, the next finds in the cache.
//!
//! **Invariant:** results are those of the kernels run one after another, to the last bit: of what any of them writes, all
//! of them read and write only the row that they are at.
//!
//! What nobody wants afterwards has memory for one block of rows only, the same for all blocks, so that it never leaves the
//! cache.
#![allow(unsafe_code, reason = "several threads write to the same areas, in different rows")]

use std::cell::RefCell;
use std::sync::Arc;

use super::parallel::{Shared, spread_once};
use super::record::Spot;
use super::run::{Line, grown};
use super::sequence::{Area, Item, Misfit, Place, addresses, overlap};
use super::{Kernel, RunError, Spread};
use crate::program::{Access, Inst, OperandId, Program};
use crate::verify::Invalid;

/// A program whose first dimensions are those of the rows, and where its operands are.
pub struct RowLoop<'a> {
    /// What is done.
    pub program: &'a Program,
    /// Its inputs, in order.
    pub inputs: Vec<Place>,
    /// Its outputs, in order.
    pub outputs: Vec<Place>,
}

/// Several kernels made ready to run together.
pub struct Rows {
    areas: Vec<Area>,
    kernels: Vec<(Arc<Kernel>, Vec<Home>)>,
    /// Bytes that a block of rows of everything passing needs.
    scratch: usize,
    rows: usize,
    /// How many rows at a time.
    block: usize,
}

/// Where an operand is.
#[derive(Clone, Copy)]
enum Home {
    /// In an area, from there on.
    Area(Spot),
    /// Only while a block of rows is worked on: the first byte of the block's first row in the scratch memory, and bytes of
    /// a row.
    Passing { start: usize, row: usize },
}

/// Why programs do not run row by row.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum NoRows {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error(transparent)]
    Misfit(#[from] Misfit),
    #[error("program {program} has other rows than the first")]
    Different { program: usize },
    #[error("program {program} visits its points in an order of its own")]
    Order { program: usize },
    #[error("program {program} uses what is written otherwise than row by row")]
    Astray { program: usize },
}

/// Bytes of a block of rows, of all operands together: a part of the second-level cache.
const BLOCK: usize = 256 << 10;

/// Elements from one row of an operand to the next, if a program touches it row by row: in each point the row that is
/// numbered by the point's first `leading` indices, and nothing else.
pub fn row_length(program: &Program, operand: OperandId, leading: usize) -> Option<usize> {
    let mut found: Option<i64> = None;
    let mut agree = |access: &Access, dims: &[usize]| {
        if access.operand != operand {
            return true;
        }
        let length = row_of(access, dims, leading);
        length.is_some() && *found.get_or_insert(length.unwrap_or(0)) == length.unwrap_or(0)
    };
    let dims = &program.dims;
    let read = program.body.iter().all(|inst| match inst {
        Inst::Load { access, guard, .. } => access.operand != operand || guard.is_none() && agree(access, dims),
        Inst::Gather { access, .. } => access.operand != operand,
        _ => true,
    });
    let stores = program.stores.iter().map(|store| &store.access);
    let written = stores.chain(program.reductions.iter().map(|fold| &fold.access));
    let all = read && written.fold(true, |all, access| all & agree(access, program.outer()));
    found.filter(|_| all).and_then(|length| usize::try_from(length).ok())
}

fn row_of(access: &Access, dims: &[usize], leading: usize) -> Option<i64> {
    let last = (0..leading).rev().find(|dim| dims[*dim] > 1)?;
    let length = access.strides[last];
    let mut stride = length;
    for dim in (0..leading).rev() {
        if dims[dim] > 1 && access.strides[dim] != stride {
            return None;
        }
        stride = stride.checked_mul(i64::try_from(dims[dim]).ok()?)?;
    }
    let (mut low, mut high) = (access.offset, access.offset);
    for (stride, size) in access.strides.iter().zip(dims).skip(leading) {
        let reach = stride.checked_mul(i64::try_from(*size).ok()? - 1)?;
        low = low.checked_add(reach.min(0))?;
        high = high.checked_add(reach.max(0))?;
    }
    (low >= 0 && high < length).then_some(length)
}

/// An operand of one of the programs.
struct Use {
    program: usize,
    place: Place,
    bytes: usize,
    written: bool,
    /// Bytes from one row to the next, if it is touched row by row.
    row: Option<usize>,
}

impl Rows {
    /// Makes programs ready that have their first `leading` dimensions in common. What is in `passing` places is not wanted
    /// afterwards, and what was there before is not read.
    ///
    /// # Errors
    /// When one is invalid, reaches beyond an area, or does not work row by row.
    pub fn prepare(areas: &[Area], loops: &[RowLoop<'_>], leading: usize, passing: &[Place]) -> Result<Rows, NoRows> {
        let mut uses: Vec<Use> = Vec::new();
        let mut kernels = Vec::with_capacity(loops.len());
        let dims = |looped: &RowLoop<'_>| looped.program.outer().get(..leading).map(<[usize]>::to_vec);
        let rows_of = loops.first().and_then(dims).ok_or(NoRows::Different { program: 0 })?;
        for (index, looped) in loops.iter().enumerate() {
            let program = looped.program;
            if dims(looped).as_ref() != Some(&rows_of) {
                return Err(NoRows::Different { program: index });
            }
            let kernel = Arc::new(Kernel::prepare(program)?);
            if kernel.leading < leading {
                return Err(NoRows::Order { program: index });
            }
            let (inputs, outputs) = (looped.inputs.clone(), looped.outputs.clone());
            let item = Item::Run { kernel: kernel.clone(), inputs, outputs };
            item.check(index, areas, loops.len(), &item.touched())?;
            let mut operands = Vec::with_capacity(program.operands.len());
            for (operand, (written, position)) in kernel.positions.iter().enumerate() {
                let (places, needs) = match written {
                    true => (&looped.outputs, &kernel.outputs),
                    false => (&looped.inputs, &kernel.inputs),
                };
                let place = places[*position];
                let size = program.operands[operand].storage.size();
                let row = row_length(program, OperandId(operand as u32), leading).map(|length| length * size);
                uses.push(Use { program: index, place, bytes: needs[*position].bytes, written: *written, row });
                operands.push(place);
            }
            kernels.push((kernel, operands));
        }
        for written in uses.iter().filter(|one| one.written) {
            let row_by_row = |other: &Use| other.place == written.place && other.row == written.row;
            let clash = |other: &&Use| {
                overlap(&(other.place, other.bytes), &(written.place, written.bytes)) && !row_by_row(other)
            };
            if let Some(other) = uses.iter().find(clash) {
                return Err(NoRows::Astray { program: other.program });
            }
            if written.row.is_none() {
                return Err(NoRows::Astray { program: written.program });
            }
        }
        let mut touched: Vec<(usize, usize, usize)> =
            uses.iter().filter_map(|one| Some((one.place.area, one.place.start, one.row?))).collect();
        touched.sort_unstable();
        touched.dedup();
        let row: usize = touched.iter().map(|(_, _, row)| row).sum();
        let rows = rows_of.iter().product();
        let block = (BLOCK / row.max(1)).clamp(1, usize::max(rows, 1));
        // Written places are row by row, as was found above, and so is all that touches them.
        let written = |place: &Place| uses.iter().find(|one| one.written && one.place == *place);
        let mut scratch = 0;
        let mut homes: Vec<(Place, Home)> = Vec::new();
        for place in passing {
            if let Some(row) = written(place).and_then(|one| one.row) {
                homes.push((*place, Home::Passing { start: scratch, row }));
                scratch += (block * row).next_multiple_of(size_of::<Line>());
            }
        }
        let home = |place: Place| {
            let passing = homes.iter().find(|(known, _)| *known == place);
            passing.map_or(Home::Area(place.into()), |(_, home)| *home)
        };
        let kernels =
            kernels.into_iter().map(|(kernel, places)| (kernel, places.into_iter().map(home).collect())).collect();
        Ok(Rows { areas: areas.to_vec(), kernels, scratch, rows, block })
    }

    /// How many rows are done at a time.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Runs all rows as up to `parts` tasks; the result does not depend on their number. Areas that are only read and
    /// those that are written are given in order.
    ///
    /// # Errors
    /// When there are too few areas or bytes.
    pub fn run_on(
        &self,
        pool: &impl Spread,
        parts: usize,
        reads: &[&[u8]],
        writes: &mut [&mut [u8]],
    ) -> Result<(), RunError> {
        let bases = addresses(&self.areas, reads, writes)?;
        let bases = Shared(bases);
        let blocks = self.rows.div_ceil(self.block);
        let parts = parts.clamp(1, blocks.max(1));
        let task = |part: usize| {
            let bases = &bases;
            with_scratch(self.scratch, |scratch, operands| {
                for block in part * blocks / parts..(part + 1) * blocks / parts {
                    let (first, end) = (block * self.block, ((block + 1) * self.block).min(self.rows));
                    for (kernel, homes) in &self.kernels {
                        operands.clear();
                        operands.extend(homes.iter().map(|home| match *home {
                            Home::Area(spot) => bases.0[spot.area].wrapping_add(spot.start),
                            // Where the first row of all would be.
                            Home::Passing { start, row } => scratch.wrapping_add(start).wrapping_sub(first * row),
                        }));
                        let points = kernel.points / self.rows;
                        // SAFETY: `prepare` found every byte of the operands within its area, the areas have these
                        // bytes, are borrowed until the pool returns, and those that are written exclusively. Within a
                        // kernel no output overlaps another operand. Blocks have no row in common, and what any kernel
                        // writes, every kernel touches in the row of its points only: kernels number their points row
                        // by row. So of what passes the rows of this block are touched, which the scratch memory of
                        // this thread has.
                        unsafe { kernel.run_at(operands, first * points..end * points) }
                    }
                }
            });
        };
        spread_once(pool, parts, &task);
        Ok(())
    }
}

/// Memory for what passes, and a list of addresses; kept by each thread.
type Scratch = (Vec<Line>, Vec<*mut u8>);

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

fn with_scratch(bytes: usize, work: impl FnOnce(*mut u8, &mut Vec<*mut u8>)) {
    SCRATCH.with_borrow_mut(|(lines, operands)| work(grown(lines, bytes), operands));
}
