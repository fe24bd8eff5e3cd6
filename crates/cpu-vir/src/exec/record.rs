//! Kernels written down: the actions of a kernel that is done in one tile, for operands at known places.
//!
//! The kernel's own control flow runs over addresses that stand for places, so what is written down is what it would do.
#![allow(unsafe_code, reason = "stands in for what takes memory by address; looks at no address")]

use std::ptr::without_provenance_mut;

use super::Kernel;
use super::action::Action;
use super::index::{CountFn, OffsetFn};
use super::isa::{LANES, TileFn};
use super::layout::Mode;
use super::machine::{Folded, Machine};
use super::memory::{GatherFn, LoadFn, StoreFn};
use super::one_lane::OneLaneFn;
use super::run::{Frame, Place, tile_lanes};

/// A byte of one of the areas that a sequence works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub(super) area: usize,
    pub(super) start: usize,
}

/// Where an operand of a kernel begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    pub(super) spot: Spot,
    /// Whether nothing in the sequence writes to it.
    pub(super) steady: bool,
}

/// Rows that are folded one after another, and reduced points that are: more are left to the kernel.
const MOST_FOLDS: usize = 16;

/// Whether a kernel does everything in a single tile, in few actions.
pub(super) fn is_short(kernel: &Kernel) -> bool {
    let (points, reduced) = (kernel.points, kernel.reduced_points);
    let one_tile = (1..=LANES).contains(&points) && tile_lanes(&kernel.lanes, 0, points) == points;
    match kernel.mode {
        Mode::Map => one_tile,
        Mode::Across => one_tile && (1..=MOST_FOLDS).contains(&reduced),
        Mode::Along => (1..=LANES).contains(&reduced) && points >= 1 && points <= MOST_FOLDS.min(LANES / reduced),
    }
}

/// Bits of an address that tell places in one operand apart.
const WITHIN: u32 = 44;

/// The address that stands for the beginning of an operand, or of the scratch memory.
fn stand_in(index: usize) -> *mut u8 {
    without_provenance_mut((index + 1) << WITHIN)
}

/// Writes actions down.
pub(super) struct Record {
    /// What is done once: values that are the same in every turn.
    pub(super) once: Vec<Action<Spot>>,
    pub(super) code: Vec<Action<Spot>>,
    /// The area of the scratch memory.
    scratch: usize,
    /// Its bytes that are taken for what is no value.
    reserved: usize,
    /// Whether kernels use the same tiles one after another: then nothing in them lasts, and all is done in every turn.
    shares: bool,
    /// Bytes of the scratch memory that the kernel at hand has taken, and the most that any had.
    end: usize,
    pub(super) bytes: usize,
    /// Tiles of values: where each begins, and whether it is the same in every turn. In order.
    tiles: Vec<(usize, bool)>,
    /// Of the kernel at hand; the last is the scratch memory.
    bases: Vec<Base>,
    place: Place,
}

impl Record {
    /// Nothing yet; `scratch` is the area that tiles are put in, `reserved` its bytes that are taken.
    pub(super) fn new(scratch: usize, reserved: usize, shares: bool) -> Record {
        Record {
            once: Vec::new(),
            code: Vec::new(),
            scratch,
            reserved,
            shares,
            end: reserved,
            bytes: reserved,
            tiles: Vec::new(),
            bases: Vec::new(),
            place: Place::default(),
        }
    }

    /// Writes down a kernel that [`is_short`]; its first [`Kernel::scratch`] bytes of scratch memory are shared with
    /// others.
    pub(super) fn kernel(&mut self, kernel: &Kernel, operands: &[Base]) {
        let lanes = LANES.min(kernel.points * kernel.reduced_points);
        if self.shares {
            self.end = self.reserved;
            self.tiles.clear();
        }
        // A tile of its own for every value: nothing but that value is there.
        let mut registers = Vec::with_capacity(kernel.registers.len());
        for _ in &kernel.registers {
            self.tiles.push((self.end, !self.shares));
            registers.push(self.end);
            self.end += lanes.next_multiple_of(4) * size_of::<u64>();
        }
        self.bytes = self.bytes.max(self.end);
        // Those of reduced points are another value for each.
        for step in &kernel.reduced_steps {
            if let Some(register) = step.result() {
                let tile = self.tiles.len() - registers.len() + register as usize;
                self.tiles[tile].1 = false;
            }
        }
        self.bases.clear();
        self.bases.extend_from_slice(operands);
        self.bases.push(Base { spot: Spot { area: self.scratch, start: 0 }, steady: true });
        let base = stand_in(operands.len());
        let mut tiles = registers.iter().map(|slot| base.wrapping_add(*slot)).collect();
        let addresses: Vec<*mut u8> = (0..operands.len()).map(stand_in).collect();
        let mut place = std::mem::take(&mut self.place);
        let mut frame = Frame {
            kernel,
            machine: self,
            registers: &registers,
            base,
            tiles: &mut tiles,
            operands: &addresses,
            place: &mut place,
        };
        frame.run(0..kernel.points);
        self.place = place;
    }

    fn base(&self, address: *mut u8) -> (Base, usize) {
        let address = address.addr();
        let (index, within) = ((address >> WITHIN) - 1, address & ((1 << WITHIN) - 1));
        (self.bases[index], within)
    }

    fn spot(&self, address: *mut u8) -> Spot {
        let (base, within) = self.base(address);
        Spot { area: base.spot.area, start: base.spot.start + within }
    }

    /// The tile that an address is in; none for operands and for what kernels share.
    fn tile(&self, address: *mut u8) -> Option<usize> {
        let spot = self.spot(address);
        match spot.area == self.scratch {
            true => self.tiles.partition_point(|(start, _)| *start <= spot.start).checked_sub(1),
            false => None,
        }
    }

    fn is_steady(&self, address: *mut u8) -> bool {
        let (base, _) = self.base(address);
        match base.spot.area == self.scratch {
            true => self.tile(address).is_some_and(|tile| self.tiles[tile].1),
            false => base.steady,
        }
    }

    /// Adds an action that computes a value from others.
    fn push(&mut self, op: Action<Spot>, to: *mut u8, from: &[*mut u8]) {
        let tile = self.tile(to);
        if tile.is_some_and(|tile| self.tiles[tile].1) && from.iter().all(|from| self.is_steady(*from)) {
            self.once.push(op);
            return;
        }
        if let Some(tile) = tile {
            self.tiles[tile].1 = false;
        }
        self.code.push(op);
    }
}

// SAFETY of every action: none looks at an address.
impl Machine for Record {
    const AT_ONCE: bool = false;

    unsafe fn compute(&mut self, function: TileFn, to: *mut u8, from: [*mut u8; 3], lanes: usize, immediate: u64) {
        let op =
            Action::Compute { function, to: self.spot(to), from: from.map(|from| self.spot(from)), lanes, immediate };
        self.push(op, to, &from);
    }

    unsafe fn one_lane(&mut self, function: OneLaneFn, to: *mut u8, from: [*mut u8; 3]) {
        let op = Action::OneLane { function, to: [self.spot(to); 2], from: from.map(|from| self.spot(from)) };
        self.push(op, to, &from);
    }

    unsafe fn fill(&mut self, to: *mut u8, bits: u64, size: usize, lanes: usize) {
        let op = Action::Fill { to: self.spot(to), bits, size, lanes };
        self.push(op, to, &[]);
    }

    unsafe fn load(&mut self, function: LoadFn, to: *mut u8, from: *mut u8, stride: isize, lanes: usize) {
        let op = Action::Load { function, to: self.spot(to), from: self.spot(from), stride, lanes };
        self.push(op, to, &[from]);
    }

    unsafe fn store(
        &mut self,
        function: StoreFn,
        to: *mut u8,
        stride: isize,
        from: *mut u8,
        lanes: usize,
        size: usize,
    ) {
        let (to, from) = (self.spot(to), self.spot(from));
        // What was computed just before goes there at once: nothing in between reads what it overwrites.
        if let Some(Action::OneLane { to: [first, second], .. }) = self.code.last_mut()
            && lanes == 1
            && size > 0
            && *first == from
            && *second == from
        {
            *second = to;
            return;
        }
        self.code.push(match lanes == 1 || stride == size as isize {
            true if size > 0 => Action::Copy { to, from, bytes: lanes * size },
            _ => Action::Store { function, to, stride, from, lanes },
        });
    }

    unsafe fn copy(&mut self, to: *mut u8, from: *mut u8, bytes: usize) {
        let op = Action::Copy { to: self.spot(to), from: self.spot(from), bytes };
        self.push(op, to, &[from]);
    }

    unsafe fn count(&mut self, function: CountFn, to: *mut u8, first: i64, stride: i64, lanes: usize) {
        let op = Action::Count { function, to: self.spot(to), first, stride, lanes };
        self.push(op, to, &[]);
    }

    unsafe fn offset(&mut self, function: OffsetFn, to: *mut u8, index: *mut u8, most: i64, stride: i64, lanes: usize) {
        let op = Action::Offset { function, to: self.spot(to), index: self.spot(index), most, stride, lanes };
        self.push(op, to, &[to, index]);
    }

    unsafe fn gather(&mut self, function: GatherFn, to: *mut u8, from: *mut u8, offsets: *mut u8, lanes: usize) {
        let op =
            Action::Gather { function, to: self.spot(to), from: self.spot(from), offsets: self.spot(offsets), lanes };
        self.push(op, to, &[from, offsets]);
    }

    unsafe fn fold(&mut self, fold: Folded, to: *mut u8, from: *mut u8, lanes: usize) {
        let op = Action::Fold { fold, to: self.spot(to), from: self.spot(from), lanes };
        self.push(op, to, &[from]);
    }
}
