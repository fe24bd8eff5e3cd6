//! One entry of a sequence: an action on memory, or where to go on.
//!
//! Owns what each does. The places it names are `P`: bytes of areas while a sequence is put together, addresses while it
//! runs.
#![allow(unsafe_code, reason = "acts on memory by address")]

use crate::element::Type;
use crate::exec::index::{CountFn, OffsetFn};
use crate::exec::isa::TileFn;
use crate::exec::machine::{Folded, Machine, Now};
use crate::exec::memory::{GatherFn, LoadFn, StoreFn};
use crate::exec::one_lane::OneLaneFn;

/// What is done next.
#[derive(Clone)]
pub(super) enum Action<P> {
    Compute {
        function: TileFn,
        to: P,
        from: [P; 3],
        lanes: usize,
        immediate: u64,
    },
    /// The result goes to two places, which may be one.
    OneLane {
        function: OneLaneFn,
        to: [P; 2],
        from: [P; 3],
    },
    Fill {
        to: P,
        bits: u64,
        size: usize,
        lanes: usize,
    },
    Load {
        function: LoadFn,
        to: P,
        from: P,
        stride: isize,
        lanes: usize,
    },
    Store {
        function: StoreFn,
        to: P,
        stride: isize,
        from: P,
        lanes: usize,
    },
    Copy {
        to: P,
        from: P,
        bytes: usize,
    },
    Count {
        function: CountFn,
        to: P,
        first: i64,
        stride: i64,
        lanes: usize,
    },
    Offset {
        function: OffsetFn,
        to: P,
        index: P,
        most: i64,
        stride: i64,
        lanes: usize,
    },
    Gather {
        function: GatherFn,
        to: P,
        from: P,
        offsets: P,
        lanes: usize,
    },
    Fold {
        fold: Folded,
        to: P,
        from: P,
        lanes: usize,
    },
    /// Adds an index, to which `wrap` is added where it is negative, brought to 0 to `most`, times `stride` to the offset
    /// that blocks are moved by; or begins with it.
    Seek {
        index: P,
        ty: Type,
        wrap: i64,
        most: i64,
        stride: usize,
        begin: bool,
    },
    /// Copies from `from` and the offset on.
    Take {
        to: P,
        from: P,
        bytes: usize,
    },
    /// Copies to `to` and the offset on.
    Put {
        to: P,
        from: P,
        bytes: usize,
    },
    /// Copies to `to` and the offset on, if no index had to be brought anywhere.
    PutInside {
        to: P,
        from: P,
        bytes: usize,
    },
    /// Runs a kernel of the sequence, by its number.
    Kernel(usize),
    /// Goes on elsewhere if a byte says so: when it is not 0, or when it is.
    If {
        condition: P,
        value: bool,
        target: usize,
    },
    Jump {
        target: usize,
    },
    /// Goes to one of a list of targets, by its number: by a byte, first if true, or by a clamped i32.
    Switch {
        choice: P,
        boolean: bool,
        targets: usize,
    },
}

impl<P: Copy> Action<P> {
    /// The same on other names of places.
    pub(super) fn map<Q>(&self, place: impl Fn(P) -> Q) -> Action<Q> {
        match *self {
            Action::Compute { function, to, from, lanes, immediate } => {
                Action::Compute { function, to: place(to), from: from.map(&place), lanes, immediate }
            }
            Action::OneLane { function, to, from } => {
                Action::OneLane { function, to: to.map(&place), from: from.map(&place) }
            }
            Action::Fill { to, bits, size, lanes } => Action::Fill { to: place(to), bits, size, lanes },
            Action::Load { function, to, from, stride, lanes } => {
                Action::Load { function, to: place(to), from: place(from), stride, lanes }
            }
            Action::Store { function, to, stride, from, lanes } => {
                Action::Store { function, to: place(to), stride, from: place(from), lanes }
            }
            Action::Copy { to, from, bytes } => Action::Copy { to: place(to), from: place(from), bytes },
            Action::Count { function, to, first, stride, lanes } => {
                Action::Count { function, to: place(to), first, stride, lanes }
            }
            Action::Offset { function, to, index, most, stride, lanes } => {
                Action::Offset { function, to: place(to), index: place(index), most, stride, lanes }
            }
            Action::Gather { function, to, from, offsets, lanes } => {
                Action::Gather { function, to: place(to), from: place(from), offsets: place(offsets), lanes }
            }
            Action::Fold { fold, to, from, lanes } => Action::Fold { fold, to: place(to), from: place(from), lanes },
            Action::Seek { index, ty, wrap, most, stride, begin } => {
                Action::Seek { index: place(index), ty, wrap, most, stride, begin }
            }
            Action::Take { to, from, bytes } => Action::Take { to: place(to), from: place(from), bytes },
            Action::Put { to, from, bytes } => Action::Put { to: place(to), from: place(from), bytes },
            Action::PutInside { to, from, bytes } => Action::PutInside { to: place(to), from: place(from), bytes },
            Action::Kernel(kernel) => Action::Kernel(kernel),
            Action::If { condition, value, target } => Action::If { condition: place(condition), value, target },
            Action::Jump { target } => Action::Jump { target },
            Action::Switch { choice, boolean, targets } => Action::Switch { choice: place(choice), boolean, targets },
        }
    }
}

/// # Safety
/// Both are valid for that many bytes, `to` for writes, and they do not overlap.
#[inline(always)]
unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller's promise; arrays of bytes have no alignment.
    unsafe {
        match bytes {
            1 => *to = *from,
            4 => *to.cast::<[u8; 4]>() = *from.cast(),
            8 => *to.cast::<[u8; 8]>() = *from.cast(),
            _ => std::ptr::copy_nonoverlapping(from, to, bytes),
        }
    }
}

/// An index, to which `wrap` was added in its own type if it is negative.
///
/// # Safety
/// The address is valid for reads of an integer of the type.
#[inline(never)]
unsafe fn index(at: *const u8, ty: Type, wrap: i64) -> i64 {
    macro_rules! signed {
        ($T:ty) => {{
            let index = at.cast::<$T>().read_unaligned();
            i64::from(if index < 0 { index.wrapping_add(wrap as $T) } else { index })
        }};
    }
    // SAFETY: the caller's promise.
    unsafe {
        match ty {
            Type::I8 => signed!(i8),
            Type::I16 => signed!(i16),
            Type::I32 => signed!(i32),
            Type::I64 => signed!(i64),
            Type::U16 => i64::from(at.cast::<u16>().read_unaligned()),
            Type::U32 => i64::from(at.cast::<u32>().read_unaligned()),
            Type::U64 => i64::try_from(at.cast::<u64>().read_unaligned()).unwrap_or(i64::MAX),
            _ => i64::from(*at),
        }
    }
}

/// What the entries of a running sequence leave for later ones.
#[derive(Default)]
pub(super) struct State {
    offset: usize,
    /// Whether an index had to be brought to what counts.
    outside: bool,
}

impl Action<*mut u8> {
    /// Does it, unless it says where to go on: then that is for the caller.
    ///
    /// # Safety
    /// As for [`Machine`]; an offset is within what [`Action::Seek`] was given.
    #[inline(always)]
    pub(super) unsafe fn act(&self, state: &mut State) {
        // SAFETY: the caller's promise.
        unsafe {
            match *self {
                Action::Compute { function, to, from, lanes, immediate } => {
                    Now.compute(function, to, from, lanes, immediate);
                }
                Action::OneLane { function, to: [to, also], from: [a, b, c] } => function(to, also, a, b, c),
                Action::Fill { to, bits, size, lanes } => Now.fill(to, bits, size, lanes),
                Action::Load { function, to, from, stride, lanes } => Now.load(function, to, from, stride, lanes),
                Action::Store { function, to, stride, from, lanes } => Now.store(function, to, stride, from, lanes, 0),
                Action::Copy { to, from, bytes } => copy(to, from, bytes),
                Action::Count { function, to, first, stride, lanes } => Now.count(function, to, first, stride, lanes),
                Action::Offset { function, to, index, most, stride, lanes } => {
                    Now.offset(function, to, index, most, stride, lanes);
                }
                Action::Gather { function, to, from, offsets, lanes } => Now.gather(function, to, from, offsets, lanes),
                Action::Fold { fold, to, from, lanes } => Now.fold(fold, to, from, lanes),
                Action::Seek { index: at, ty, wrap, most, stride, begin } => {
                    if begin {
                        *state = State::default();
                    }
                    let index = index(at, ty, wrap);
                    let counts = index.clamp(0, most);
                    state.offset += counts as usize * stride;
                    state.outside |= counts != index;
                }
                Action::Take { to, from, bytes } => copy(to, from.wrapping_add(state.offset), bytes),
                Action::Put { to, from, bytes } => copy(to.wrapping_add(state.offset), from, bytes),
                Action::PutInside { to, from, bytes } => {
                    if !state.outside {
                        copy(to.wrapping_add(state.offset), from, bytes);
                    }
                }
                Action::Kernel(_) | Action::If { .. } | Action::Jump { .. } | Action::Switch { .. } => {}
            }
        }
    }
}
