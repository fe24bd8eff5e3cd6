//! Kernels over the same rows, block of rows by block of rows: what one writes, the next finds in the cache. Among them may be
//! what is no loop and works by rows all the same, with an operand that it wants whole: a product of matrices.
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

/// Work on rows that is no loop: of each row of one operand and the whole of another it makes a row.
pub trait RowWork: Send + Sync {
    /// Makes the whole operand ready, on several threads if that pays, and calls `body` once with what works on rows.
    fn with_whole(&self, pool: &dyn Spread, whole: &[u8], body: &mut dyn FnMut(&RowFunction<'_>));
}

/// Makes rows, which are dense, of as many rows, which are dense too; any threads call it. What was in the target is not read.
pub type RowFunction<'a> = dyn Fn(&[u8], &mut [u8]) + Sync + 'a;

/// Work that changes what is whole by rows of some operands.
pub trait RowUpdate: Send + Sync {
    /// Changes the target by so many rows of each operand, which are dense. Rows come in order, on one thread at a time.
    fn update(&self, rows: usize, from: &[&[u8]], target: &mut [u8]);
}

/// Work on rows, and where its operands are.
pub struct RowStep {
    /// What is done.
    pub work: Arc<dyn RowWork>,
    /// How many rows there are.
    pub rows: usize,
    /// How many rows at a time at least.
    pub least: usize,
    /// The rows that it reads, and bytes of each.
    pub from: (Place, usize),
    /// What it wants whole, and bytes of that.
    pub whole: (Place, usize),
    /// The rows that it makes, and bytes of each.
    pub to: (Place, usize),
}

/// Changes by rows, and where their operands are.
pub struct RowChange {
    /// What is done.
    pub work: Arc<dyn RowUpdate>,
    /// How many rows there are.
    pub rows: usize,
    /// The rows that it reads, and bytes of each; of each operand.
    pub from: Vec<(Place, usize)>,
    /// What is changed, which nobody else touches, and bytes of that.
    pub target: (Place, usize),
}

/// One of what runs row by row.
pub enum RowItem<'a> {
    /// A loop.
    Loop(RowLoop<'a>),
    /// Anything else that makes rows.
    Step(RowStep),
    /// Anything that changes what is whole: then there is one thread.
    Change(RowChange),
}

/// Several kernels made ready to run together.
pub struct Rows {
    areas: Vec<Area>,
    members: Vec<Member>,
    /// Bytes that a block of rows of everything passing needs.
    scratch: usize,
    rows: usize,
    /// How many rows at a time.
    block: usize,
    /// Whether the blocks come one after another.
    ordered: bool,
}

/// What is done with each block of rows.
enum Member {
    Kernel(Arc<Kernel>, Vec<Home>),
    Step {
        work: Arc<dyn RowWork>,
        /// Where the rows are that it reads and those that it makes, and bytes of each.
        from: (Home, usize),
        to: (Home, usize),
        whole: (Spot, usize),
    },
    Change {
        work: Arc<dyn RowUpdate>,
        from: Vec<(Home, usize)>,
        target: (Spot, usize),
    },
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

/// Rows of a block at least when there is a step among the kernels: each block takes the whole operand from the second-level
/// cache once.
pub const STEP_ROWS: usize = 96;

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
    /// Whether nobody else may touch it.
    alone: bool,
    /// Bytes from one row to the next, if it is touched row by row.
    row: Option<usize>,
}

impl Rows {
    /// Makes programs ready that have their first `leading` dimensions in common. What is in `passing` places is not wanted
    /// afterwards, and what was there before is not read.
    ///
    /// # Errors
    /// When one is invalid, reaches beyond an area, or does not work row by row.
    pub fn prepare(areas: &[Area], items: Vec<RowItem<'_>>, leading: usize, passing: &[Place]) -> Result<Rows, NoRows> {
        let mut uses: Vec<Use> = Vec::new();
        let count = items.len();
        let mut members = Vec::with_capacity(count);
        let dims = |looped: &RowLoop<'_>| looped.program.outer().get(..leading).map(<[usize]>::to_vec);
        let first = items.iter().find_map(|item| match item {
            RowItem::Loop(looped) => Some(dims(looped)),
            RowItem::Step(_) | RowItem::Change(_) => None,
        });
        let rows_of = first.flatten().ok_or(NoRows::Different { program: 0 })?;
        let rows: usize = rows_of.iter().product();
        let mut least = 1;
        for (index, item) in items.into_iter().enumerate() {
            let looped = match item {
                RowItem::Loop(looped) => looped,
                RowItem::Step(step) => {
                    if step.rows != rows {
                        return Err(NoRows::Different { program: index });
                    }
                    least = least.max(step.least);
                    uses.extend(step.uses(index, areas)?);
                    members.push(Planned::Step(step));
                    continue;
                }
                RowItem::Change(change) => {
                    if change.rows != rows {
                        return Err(NoRows::Different { program: index });
                    }
                    uses.extend(change.uses(index, areas)?);
                    members.push(Planned::Change(change));
                    continue;
                }
            };
            let program = looped.program;
            if dims(&looped).as_ref() != Some(&rows_of) {
                return Err(NoRows::Different { program: index });
            }
            let kernel = Arc::new(Kernel::prepare(program)?);
            if kernel.leading < leading {
                return Err(NoRows::Order { program: index });
            }
            let (inputs, outputs) = (looped.inputs.clone(), looped.outputs.clone());
            let item = Item::Run { kernel: kernel.clone(), inputs, outputs };
            item.check(index, areas, count, &item.touched())?;
            let mut operands = Vec::with_capacity(program.operands.len());
            for (operand, (written, position)) in kernel.positions.iter().enumerate() {
                let (places, needs) = match written {
                    true => (&looped.outputs, &kernel.outputs),
                    false => (&looped.inputs, &kernel.inputs),
                };
                let place = places[*position];
                let size = program.operands[operand].storage.size();
                let row = row_length(program, OperandId(operand as u32), leading).map(|length| length * size);
                let bytes = needs[*position].bytes;
                uses.push(Use { program: index, place, bytes, written: *written, alone: false, row });
                operands.push(place);
            }
            members.push(Planned::Kernel(kernel, operands));
        }
        for written in uses.iter().filter(|one| one.written) {
            let row_by_row = |other: &Use| match written.alone {
                true => other.program == written.program,
                false => other.place == written.place && other.row == written.row,
            };
            let clash = |other: &&Use| {
                overlap(&(other.place, other.bytes), &(written.place, written.bytes)) && !row_by_row(other)
            };
            if let Some(other) = uses.iter().find(clash) {
                return Err(NoRows::Astray { program: other.program });
            }
            if written.row.is_none() && !written.alone {
                return Err(NoRows::Astray { program: written.program });
            }
        }
        let mut touched: Vec<(usize, usize, usize)> =
            uses.iter().filter_map(|one| Some((one.place.area, one.place.start, one.row?))).collect();
        touched.sort_unstable();
        touched.dedup();
        let row: usize = touched.iter().map(|(_, _, row)| row).sum();
        let block = (BLOCK / row.max(1)).max(least).min(rows.max(1));
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
        let members = members.into_iter().map(|member| match member {
            Planned::Kernel(kernel, places) => Member::Kernel(kernel, places.into_iter().map(home).collect()),
            Planned::Step(RowStep { work, from, whole, to, .. }) => Member::Step {
                work,
                from: (home(from.0), from.1),
                to: (home(to.0), to.1),
                whole: (whole.0.into(), whole.1),
            },
            Planned::Change(RowChange { work, from, target, .. }) => Member::Change {
                work,
                from: from.into_iter().map(|(place, row)| (home(place), row)).collect(),
                target: (target.0.into(), target.1),
            },
        });
        let members: Vec<Member> = members.collect();
        let ordered = members.iter().any(|member| matches!(member, Member::Change { .. }));
        Ok(Rows { areas: areas.to_vec(), members, scratch, rows, block, ordered })
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
        let bases = Shared(addresses(&self.areas, reads, writes)?);
        let blocks = self.rows.div_ceil(self.block);
        let most = if self.ordered { 1 } else { blocks.max(1) };
        self.with_functions(pool, &bases, &[], parts.clamp(1, most));
        Ok(())
    }

    /// Makes whole operands ready, one after the other, and runs the blocks when all are.
    fn with_functions(&self, pool: &impl Spread, bases: &Shared, functions: &[&RowFunction<'_>], parts: usize) {
        let mut steps = self.members.iter().filter_map(|member| match member {
            Member::Step { work, whole, .. } => Some((work, *whole)),
            Member::Kernel(..) | Member::Change { .. } => None,
        });
        let Some((work, (spot, bytes))) = steps.nth(functions.len()) else {
            return self.run_blocks(pool, bases, functions, parts);
        };
        // SAFETY: `prepare` found these bytes within the area, which is borrowed until this returns, and nothing that any
        // member writes overlaps them.
        let whole = unsafe { std::slice::from_raw_parts(bases.0[spot.area].wrapping_add(spot.start), bytes) };
        work.with_whole(pool, whole, &mut |function| {
            let functions: Vec<&RowFunction<'_>> = functions.iter().copied().chain([function]).collect();
            self.with_functions(pool, bases, &functions, parts);
        });
    }

    fn run_blocks(&self, pool: &impl Spread, bases: &Shared, functions: &[&RowFunction<'_>], parts: usize) {
        let blocks = self.rows.div_ceil(self.block);
        let task = |part: usize| {
            with_scratch(self.scratch, |scratch, operands| {
                for block in part * blocks / parts..(part + 1) * blocks / parts {
                    let (first, end) = (block * self.block, ((block + 1) * self.block).min(self.rows));
                    let at = |home: Home| match home {
                        Home::Area(spot) => bases.0[spot.area].wrapping_add(spot.start),
                        // Where the first row of all would be.
                        Home::Passing { start, row } => scratch.wrapping_add(start).wrapping_sub(first * row),
                    };
                    let mut functions = functions.iter();
                    let rows = end - first;
                    // Where the rows of this block are.
                    let rows_at = |(home, row): (Home, usize)| at(home).wrapping_add(first * row);
                    for member in &self.members {
                        // SAFETY: `prepare` found every byte of the operands within its area, the areas have these
                        // bytes, are borrowed until the pool returns, and those that are written exclusively. Within a
                        // member no output overlaps another operand. Blocks have no row in common, and what any member
                        // writes, every member touches in the row that it is at only: kernels number their points row
                        // by row, and of a step's operands there are the rows of this block. So of what passes the rows
                        // of this block are touched, which the scratch memory of this thread has. What a change is
                        // made to, no other member touches, and where there is one, there is one task.
                        unsafe {
                            match member {
                                Member::Kernel(kernel, homes) => {
                                    operands.clear();
                                    operands.extend(homes.iter().map(|home| at(*home)));
                                    let points = kernel.points / self.rows;
                                    kernel.run_at(operands, first * points..end * points);
                                }
                                Member::Step { from, to, .. } => {
                                    let function = functions.next().expect("one for each step");
                                    function(
                                        std::slice::from_raw_parts(rows_at(*from), rows * from.1),
                                        std::slice::from_raw_parts_mut(rows_at(*to), rows * to.1),
                                    );
                                }
                                Member::Change { work, from, target } => {
                                    let slice = |from: &(Home, usize)| {
                                        std::slice::from_raw_parts(rows_at(*from), rows * from.1)
                                    };
                                    let sources: Vec<&[u8]> = from.iter().map(slice).collect();
                                    let (spot, bytes) = *target;
                                    let start = bases.0[spot.area].wrapping_add(spot.start);
                                    work.update(rows, &sources, std::slice::from_raw_parts_mut(start, bytes));
                                }
                            }
                        }
                    }
                }
            });
        };
        spread_once(pool, parts, &task);
    }
}

/// A member whose operands have places and no homes yet.
enum Planned {
    Kernel(Arc<Kernel>, Vec<Place>),
    Step(RowStep),
    Change(RowChange),
}

/// One use of memory by what is no loop, found within its area.
fn used(
    program: usize,
    areas: &[Area],
    (place, bytes): (Place, usize),
    written: bool,
    row: Option<usize>,
) -> Result<Use, NoRows> {
    let Place { area, start } = place;
    let has = areas.get(area).map_or(0, |area| area.bytes);
    let end = start.saturating_add(bytes);
    if area >= areas.len() || end > has {
        return Err(Misfit::Beyond { item: program, area, start, end, bytes: has }.into());
    }
    if written && !areas[area].written {
        return Err(Misfit::ReadOnly { item: program, area }.into());
    }
    Ok(Use { program, place, bytes, written, alone: written && row.is_none(), row })
}

/// Whether what is written, which is the last, is apart from everything else.
fn apart(program: usize, uses: &[Use]) -> Result<(), NoRows> {
    let end = |one: &Use| (one.place, one.bytes);
    let Some((written, others)) = uses.split_last() else { return Ok(()) };
    match others.iter().any(|other| overlap(&end(written), &end(other))) {
        true => Err(Misfit::Overlap { item: program }.into()),
        false => Ok(()),
    }
}

impl RowStep {
    /// What it touches, found within the areas and apart from each other.
    fn uses(&self, program: usize, areas: &[Area]) -> Result<Vec<Use>, NoRows> {
        let RowStep { from, whole, to, rows, .. } = self;
        let by_rows = |(place, row): (Place, usize), written| {
            used(program, areas, (place, rows.saturating_mul(row)), written, Some(row))
        };
        let uses = vec![by_rows(*from, false)?, used(program, areas, *whole, false, None)?, by_rows(*to, true)?];
        apart(program, &uses)?;
        Ok(uses)
    }
}

impl RowChange {
    /// The same.
    fn uses(&self, program: usize, areas: &[Area]) -> Result<Vec<Use>, NoRows> {
        let RowChange { from, target, rows, .. } = self;
        let by_rows =
            |&(place, row): &(Place, usize)| used(program, areas, (place, rows.saturating_mul(row)), false, Some(row));
        let mut uses = from.iter().map(by_rows).collect::<Result<Vec<_>, _>>()?;
        uses.push(used(program, areas, *target, true, None)?);
        apart(program, &uses)?;
        Ok(uses)
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
