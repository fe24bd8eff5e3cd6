//! Several kernels with jumps between them as one piece: how the turns of small loops run.
//!
//! A kernel of a few points costs more to begin than to run. Here every kernel that is done in one tile is written down
//! as the actions that it comes to ([`record`](super::record)), with all addresses known, and what is the same in every
//! turn is done once. A turn is then a walk along a list: nothing is allocated, looked up or checked in it.
//!
//! **Invariant:** results are those of the kernels run one after another, to the last bit.
#![allow(unsafe_code, reason = "hands addresses within the areas to the actions")]

use std::cell::Cell;
use std::sync::Arc;

use thiserror::Error;

use super::action::{Action, State};
use super::record::{Base, Record, Spot, is_short};
use super::run::{Line, grown};
use super::{Kernel, RunError};
use crate::element::Type;

/// A piece of memory that a sequence works on; it may hold many operands, also ones that overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// Bytes that it must have.
    pub bytes: usize,
    /// Whether it is written to.
    pub written: bool,
}

/// Where in the areas an operand begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which area.
    pub area: usize,
    /// The first byte.
    pub start: usize,
}

/// An index that moves one side of a [`Move`]: by `stride` bytes times its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveIndex {
    /// Where it is.
    pub place: Place,
    /// What it is: an integer.
    pub ty: Type,
    /// What is added to it where it is negative, in its own type.
    pub wrap: i64,
    /// The highest that counts.
    pub most: usize,
    /// Bytes from one to the next.
    pub stride: usize,
}

/// A block of memory copied from or to a place that indices tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Where bytes come from.
    pub from: Place,
    /// Where they go.
    pub to: Place,
    /// The indices.
    pub indices: Vec<MoveIndex>,
    /// Whether they move the source; otherwise they move the target.
    pub moves_source: bool,
    /// Whether nothing goes to the target that they move when one is below 0 or above `most`; otherwise it is brought there.
    pub drops: bool,
    /// Offsets from both places, and the bytes that are copied there.
    pub runs: Vec<(usize, usize, usize)>,
}

/// One thing that a sequence does. Targets are positions in the list of all; the end is one too.
#[derive(Clone)]
pub enum Item {
    /// Runs all points of a kernel.
    Run {
        /// Which.
        kernel: Arc<Kernel>,
        /// Its inputs, in order.
        inputs: Vec<Place>,
        /// Its outputs, in order.
        outputs: Vec<Place>,
    },
    /// Copies bytes.
    Copy {
        /// Where they come from.
        from: Place,
        /// Where they go.
        to: Place,
        /// How many.
        bytes: usize,
    },
    /// Copies a block.
    Move(Move),
    /// Goes on at the target if a boolean has this value.
    If {
        /// The boolean.
        condition: Place,
        /// The value.
        value: bool,
        /// Where to go on.
        target: usize,
    },
    /// Goes on at the target.
    Jump {
        /// Where to go on.
        target: usize,
    },
    /// Goes on at one of the targets.
    Switch {
        /// A boolean (the first if true), or an i32 (the last if it is out of range).
        choice: Place,
        /// Which of them.
        boolean: bool,
        /// Where to go on.
        targets: Vec<usize>,
    },
}

/// Why items make no sequence.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Misfit {
    #[error("item {item} reads or writes bytes {start}..{end} of area {area}, which has {bytes}")]
    Beyond { item: usize, area: usize, start: usize, end: usize, bytes: usize },
    #[error("item {item} writes to area {area}, which is only read")]
    ReadOnly { item: usize, area: usize },
    #[error("item {item} writes where it reads or writes something else")]
    Overlap { item: usize },
    #[error("item {item} has no target, a target {target} beyond the end, or a wrong number of operands")]
    Malformed { item: usize, target: usize },
}

/// Items made ready.
pub struct Sequence {
    areas: Vec<Area>,
    once: Vec<Action<Spot>>,
    code: Vec<Action<Spot>>,
    /// Kernels that stay what they are, with their operands.
    kernels: Vec<(Arc<Kernel>, Vec<Spot>)>,
    targets: Vec<Vec<usize>>,
    scratch: usize,
    /// Whether there is nothing but actions one after another: those are not worth addresses of their own.
    is_straight: bool,
    /// Jumps back until somebody is asked whether to go on.
    patience: u32,
}

thread_local! {
    /// Scratch memory of the thread's sequences; kept, so that running one allocates little once it has grown.
    static SCRATCH: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// Bytes of tiles that are kept apart: a part of the second-level cache.
const MOST_SCRATCH: usize = 128 << 10;

/// Actions of so many turns or so take some microseconds.
const PATIENCE: u32 = 256;

/// Bytes that an item reads and writes.
#[derive(Default)]
pub(super) struct Touched {
    reads: Vec<(Place, usize)>,
    writes: Vec<(Place, usize)>,
}

impl Item {
    pub(super) fn touched(&self) -> Touched {
        let mut touched = Touched::default();
        match self {
            Item::Run { kernel, inputs, outputs } => {
                touched.reads.extend(inputs.iter().copied().zip(kernel.input_bytes()));
                touched.writes.extend(outputs.iter().copied().zip(kernel.output_bytes()));
            }
            Item::Copy { from, to, bytes } => {
                touched.reads.push((*from, *bytes));
                touched.writes.push((*to, *bytes));
            }
            Item::Move(moved) => {
                let reach = moved.indices.iter().map(|index| index.most.saturating_mul(index.stride));
                let reach = reach.fold(0usize, usize::saturating_add);
                let end = |side: fn(&(usize, usize, usize)) -> usize| {
                    let ends = moved.runs.iter().map(|run| side(run).saturating_add(run.2));
                    ends.max().unwrap_or(0)
                };
                let (source, target) = if moved.moves_source { (reach, 0) } else { (0, reach) };
                touched.reads.push((moved.from, end(|run| run.0).saturating_add(source)));
                touched.writes.push((moved.to, end(|run| run.1).saturating_add(target)));
                touched.reads.extend(moved.indices.iter().map(|index| (index.place, index.ty.size())));
            }
            Item::If { condition, .. } => touched.reads.push((*condition, 1)),
            Item::Switch { choice, boolean, .. } => touched.reads.push((*choice, if *boolean { 1 } else { 4 })),
            Item::Jump { .. } => {}
        }
        touched
    }

    pub(super) fn check(&self, item: usize, areas: &[Area], items: usize, touched: &Touched) -> Result<(), Misfit> {
        for &(Place { area, start }, length) in touched.reads.iter().chain(&touched.writes) {
            let bytes = areas.get(area).map_or(0, |area| area.bytes);
            let end = start.saturating_add(length);
            if area >= areas.len() || end > bytes {
                return Err(Misfit::Beyond { item, area, start, end, bytes });
            }
        }
        for (index, write) in touched.writes.iter().enumerate() {
            if !areas[write.0.area].written {
                return Err(Misfit::ReadOnly { item, area: write.0.area });
            }
            if touched.reads.iter().chain(&touched.writes[..index]).any(|other| overlap(write, other)) {
                return Err(Misfit::Overlap { item });
            }
        }
        let malformed = |target: usize| Err(Misfit::Malformed { item, target });
        match self {
            Item::If { target, .. } | Item::Jump { target } if *target > items => malformed(*target),
            Item::Switch { targets, .. } => match targets.iter().find(|target| **target > items) {
                Some(target) => malformed(*target),
                None if targets.is_empty() => malformed(items),
                None => Ok(()),
            },
            Item::Run { kernel, inputs, outputs }
                if inputs.len() != kernel.inputs.len() || outputs.len() != kernel.outputs.len() =>
            {
                malformed(items)
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn overlap((a, m): &(Place, usize), (b, n): &(Place, usize)) -> bool {
    a.area == b.area && *m > 0 && *n > 0 && a.start < b.start + n && b.start < a.start + m
}

impl From<Place> for Spot {
    fn from(place: Place) -> Spot {
        Spot { area: place.area, start: place.start }
    }
}

impl Sequence {
    /// Makes items ready to run on such areas.
    ///
    /// # Errors
    /// For items that reach beyond an area, write where they must not, or go on nowhere.
    pub fn prepare(areas: &[Area], items: &[Item]) -> Result<Sequence, Misfit> {
        let touched: Vec<Touched> = items.iter().map(Item::touched).collect();
        for (index, (item, touched)) in items.iter().zip(&touched).enumerate() {
            item.check(index, areas, items.len(), touched)?;
        }
        let writes: Vec<(Place, usize)> = touched.iter().flat_map(|touched| touched.writes.iter().copied()).collect();
        // What runs once gains nothing from tiles that last, and in many tiles nothing stays in the cache.
        if items.iter().any(|item| matches!(item, Item::If { .. } | Item::Jump { .. } | Item::Switch { .. })) {
            let lasting = Sequence::write_down(areas, items, &writes, false);
            if lasting.scratch <= MOST_SCRATCH {
                return Ok(lasting);
            }
        }
        Ok(Sequence::write_down(areas, items, &writes, true))
    }

    /// The actions of items that were checked. `shares`: whether all kernels use the same tiles.
    fn write_down(areas: &[Area], items: &[Item], writes: &[(Place, usize)], shares: bool) -> Sequence {
        let reserved = items.iter().map(|item| match item {
            // What is no value: results on their way, offsets.
            Item::Run { kernel, .. } if is_short(kernel) && kernel.needs_scratch() => kernel.scratch,
            _ => 0,
        });
        let mut record = Record::new(areas.len(), reserved.max().unwrap_or(0), shares);
        let (mut kernels, mut lists) = (Vec::new(), Vec::new());
        let mut starts = Vec::with_capacity(items.len() + 1);
        for item in items {
            starts.push(record.code.len());
            match item {
                Item::Run { kernel, inputs, outputs } => {
                    let operand = |(written, index): &(bool, usize)| match written {
                        true => Base { spot: outputs[*index].into(), steady: false },
                        false => {
                            let read = (inputs[*index], kernel.inputs[*index].bytes);
                            // Nobody asks where tiles are shared, and there may be very many writes then.
                            let steady = !shares && !writes.iter().any(|write| overlap(write, &read));
                            Base { spot: inputs[*index].into(), steady }
                        }
                    };
                    let operands: Vec<Base> = kernel.positions.iter().map(operand).collect();
                    if is_short(kernel) {
                        record.kernel(kernel, &operands);
                    } else if kernel.points > 0 {
                        record.code.push(Action::Kernel(kernels.len()));
                        kernels.push((kernel.clone(), operands.iter().map(|operand| operand.spot).collect()));
                    }
                }
                Item::Copy { from, to, bytes } => {
                    record.code.push(Action::Copy { to: (*to).into(), from: (*from).into(), bytes: *bytes });
                }
                Item::Move(moved) => record.code.extend(actions(moved)),
                Item::If { condition, value, target } => {
                    record.code.push(Action::If { condition: (*condition).into(), value: *value, target: *target });
                }
                Item::Jump { target } => record.code.push(Action::Jump { target: *target }),
                Item::Switch { choice, boolean, targets } => {
                    let (choice, boolean) = ((*choice).into(), *boolean);
                    record.code.push(Action::Switch { choice, boolean, targets: lists.len() });
                    lists.push(targets.clone());
                }
            }
        }
        starts.push(record.code.len());
        for action in &mut record.code {
            if let Action::If { target, .. } | Action::Jump { target } = action {
                *target = starts[*target];
            }
        }
        lists.iter_mut().flatten().for_each(|target| *target = starts[*target]);
        let Record { once, code, bytes, .. } = record;
        let goes_on = |action: &Action<Spot>| {
            matches!(action, Action::Kernel(_) | Action::If { .. } | Action::Jump { .. } | Action::Switch { .. })
        };
        let is_straight = !code.iter().any(goes_on);
        let patience = if kernels.is_empty() { PATIENCE } else { 1 };
        Sequence { areas: areas.to_vec(), once, code, kernels, targets: lists, scratch: bytes, is_straight, patience }
    }

    /// Runs the items from the first on, until the end is reached or `go_on`, asked at some of the jumps back, says no;
    /// whether it was reached. Areas that are only read and those that are written are given in order.
    ///
    /// # Errors
    /// When there are too few areas or bytes.
    pub fn run(
        &self,
        reads: &[&[u8]],
        writes: &mut [&mut [u8]],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, RunError> {
        let mut bases = addresses(&self.areas, reads, writes)?;
        let mut scratch = SCRATCH.take();
        bases.push(grown(&mut scratch, self.scratch));
        let done = self.run_at(&bases, go_on);
        SCRATCH.set(scratch);
        Ok(done)
    }

    /// Runs on areas at these addresses; the last is that of the scratch memory.
    fn run_at(&self, bases: &[*mut u8], go_on: &mut dyn FnMut() -> bool) -> bool {
        let address = |spot: Spot| bases[spot.area].wrapping_add(spot.start);
        let operands =
            |(_, spots): &(Arc<Kernel>, Vec<Spot>)| spots.iter().map(|spot| address(*spot)).collect::<Vec<_>>();
        let operands: Vec<_> = self.kernels.iter().map(operands).collect();
        let mut state = State::default();
        let straight = if self.is_straight { &self.code[..] } else { &[] };
        for action in self.once.iter().chain(straight) {
            // SAFETY: as below.
            unsafe { action.map(address).act(&mut state) }
        }
        if self.is_straight {
            return true;
        }
        let code: Vec<Action<*mut u8>> = self.code.iter().map(|action| action.map(address)).collect();
        let mut patience = self.patience;
        let mut at = 0;
        while let Some(action) = code.get(at) {
            let next = match *action {
                Action::If { condition, value, target } => {
                    // SAFETY: as below.
                    if unsafe { *condition != 0 } != value {
                        at += 1;
                        continue;
                    }
                    target
                }
                Action::Jump { target } => target,
                Action::Switch { choice, boolean, targets } => {
                    // SAFETY: as below.
                    unsafe { choose(choice, boolean, &self.targets[targets]) }
                }
                Action::Kernel(kernel) => {
                    let (operands, (kernel, _)) = (&operands[kernel], &self.kernels[kernel]);
                    // SAFETY: as below; the kernel is run by this thread alone.
                    unsafe { kernel.run_at(operands, 0..kernel.points) }
                    at += 1;
                    continue;
                }
                _ => {
                    // SAFETY: `prepare` found every byte that items touch within its area, and no written one among
                    // those that the same item touches otherwise; the areas have these bytes, are borrowed for this
                    // call, and those that are written exclusively. A tile has as many lanes as its kernel has points.
                    unsafe { action.act(&mut state) }
                    at += 1;
                    continue;
                }
            };
            if next <= at {
                patience -= 1;
                if patience == 0 {
                    patience = self.patience;
                    if !go_on() {
                        return false;
                    }
                }
            }
            at = next;
        }
        true
    }
}

/// The first byte of each area.
pub(super) fn addresses(areas: &[Area], reads: &[&[u8]], writes: &mut [&mut [u8]]) -> Result<Vec<*mut u8>, RunError> {
    let mut bases: Vec<*mut u8> = Vec::with_capacity(areas.len() + 1);
    let (mut read, mut written) = (reads.iter(), writes.iter_mut());
    for (index, area) in areas.iter().enumerate() {
        let given = match area.written {
            true => written.next().map(|bytes| (bytes.as_mut_ptr(), bytes.len())),
            false => read.next().map(|bytes| (bytes.as_ptr().cast_mut(), bytes.len())),
        };
        let role = if area.written { "written area" } else { "read area" };
        let Some((start, given)) = given else {
            return Err(RunError::Count { role, wanted: areas.len(), given: index });
        };
        if given < area.bytes {
            return Err(RunError::TooShort { role, index, wanted: area.bytes, given });
        }
        bases.push(start);
    }
    Ok(bases)
}

/// # Safety
/// The address is valid for reads of the byte or i32.
unsafe fn choose(choice: *const u8, boolean: bool, targets: &[usize]) -> usize {
    let last = targets.len() - 1;
    // SAFETY: the caller's promise.
    let index = unsafe {
        match boolean {
            true => usize::from(*choice == 0),
            false => usize::try_from(choice.cast::<i32>().read_unaligned()).unwrap_or(last),
        }
    };
    targets[index.min(last)]
}

/// The actions of a block that is moved.
fn actions(moved: &Move) -> Vec<Action<Spot>> {
    let (from, to) = (Spot::from(moved.from), Spot::from(moved.to));
    let mut actions: Vec<Action<Spot>> = Vec::new();
    // An index that only 0 counts of moves nothing, but may say that nothing is moved.
    let drops = moved.drops && !moved.moves_source;
    for index in moved.indices.iter().filter(|index| drops || index.most > 0) {
        let MoveIndex { place, ty, wrap, most, stride } = *index;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        actions.push(Action::Seek { index: place.into(), ty, wrap, most, stride, begin: actions.is_empty() });
    }
    let fixed = actions.is_empty();
    for &(source, target, bytes) in &moved.runs {
        let from = Spot { start: from.start + source, ..from };
        let to = Spot { start: to.start + target, ..to };
        actions.push(match (moved.moves_source, drops) {
            _ if fixed => Action::Copy { to, from, bytes },
            (true, _) => Action::Take { to, from, bytes },
            (false, true) => Action::PutInside { to, from, bytes },
            (false, false) => Action::Put { to, from, bytes },
        });
    }
    actions
}
