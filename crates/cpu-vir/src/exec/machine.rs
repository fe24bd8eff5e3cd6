//! What the control flow of a kernel does to memory, action by action: at once ([`Now`]), or written down to be done
//! again and again ([`Record`](super::record::Record)).
#![allow(unsafe_code, reason = "the actions take memory by address")]

use super::fold::FoldFn;
use super::index::{CountFn, OffsetFn};
use super::isa::TileFn;
use super::memory::{self, GatherFn, LoadFn, StoreFn};
use super::one_lane::OneLaneFn;

/// The actions. Addresses are computed without being looked at, so that they may stand for others.
///
/// # Safety
/// Of every action: each address is valid for the lanes that the action reads or writes there, and what is written
/// overlaps nothing else that the action is given.
pub(super) trait Machine {
    /// Whether addresses are those of memory, and actions have happened when they return.
    const AT_ONCE: bool;

    /// One instruction over a tile.
    unsafe fn compute(&mut self, function: TileFn, to: *mut u8, from: [*mut u8; 3], lanes: usize, immediate: u64);
    /// One instruction on a single lane.
    unsafe fn one_lane(&mut self, function: OneLaneFn, to: *mut u8, from: [*mut u8; 3]);
    /// The same bits in every lane.
    unsafe fn fill(&mut self, to: *mut u8, bits: u64, size: usize, lanes: usize);
    /// Elements `stride` bytes apart to a tile.
    unsafe fn load(&mut self, function: LoadFn, to: *mut u8, from: *mut u8, stride: isize, lanes: usize);
    /// A tile to elements `stride` bytes apart; `size` is that of a lane if lane and element have the same bits, or 0.
    unsafe fn store(&mut self, function: StoreFn, to: *mut u8, stride: isize, from: *mut u8, lanes: usize, size: usize);
    /// Bytes as they are.
    unsafe fn copy(&mut self, to: *mut u8, from: *mut u8, bytes: usize);
    /// `first`, `first + stride`, ….
    unsafe fn count(&mut self, function: CountFn, to: *mut u8, first: i64, stride: i64, lanes: usize);
    /// Adds to each i64 an index, brought to 0 to `most`, times `stride`.
    unsafe fn offset(&mut self, function: OffsetFn, to: *mut u8, index: *mut u8, most: i64, stride: i64, lanes: usize);
    /// Elements at byte offsets to a tile.
    unsafe fn gather(&mut self, function: GatherFn, to: *mut u8, from: *mut u8, offsets: *mut u8, lanes: usize);
    /// Lanes combined into one, and that with the start value.
    unsafe fn fold(&mut self, fold: Folded, to: *mut u8, from: *mut u8, lanes: usize);
}

/// How lanes are combined into one.
#[derive(Clone, Copy)]
pub(super) struct Folded {
    pub(super) function: FoldFn,
    pub(super) combine: fn(u64, u64) -> u64,
    pub(super) init: u64,
    /// Bytes of the result.
    pub(super) size: usize,
}

/// Does what it is told.
pub(super) struct Now;

impl Machine for Now {
    const AT_ONCE: bool = true;

    #[inline(always)]
    unsafe fn compute(&mut self, function: TileFn, to: *mut u8, [a, b, c]: [*mut u8; 3], lanes: usize, immediate: u64) {
        // SAFETY: the contract of the trait is that of the loop.
        unsafe { function(to, a, b, c, lanes, immediate) }
    }

    #[inline(always)]
    unsafe fn one_lane(&mut self, function: OneLaneFn, to: *mut u8, [a, b, c]: [*mut u8; 3]) {
        // SAFETY: the contract of the trait is that of the function.
        unsafe { function(to, to, a, b, c) }
    }

    #[inline(always)]
    unsafe fn fill(&mut self, to: *mut u8, bits: u64, size: usize, lanes: usize) {
        // SAFETY: the contract of the trait.
        unsafe { memory::fill(to, bits, size, lanes) }
    }

    #[inline(always)]
    unsafe fn load(&mut self, function: LoadFn, to: *mut u8, from: *mut u8, stride: isize, lanes: usize) {
        // SAFETY: the contract of the trait is that of the loop.
        unsafe { function(to, from, stride, lanes) }
    }

    #[inline(always)]
    unsafe fn store(&mut self, function: StoreFn, to: *mut u8, stride: isize, from: *mut u8, lanes: usize, _: usize) {
        // SAFETY: the contract of the trait is that of the loop.
        unsafe { function(to, stride, from, lanes) }
    }

    #[inline(always)]
    unsafe fn copy(&mut self, to: *mut u8, from: *mut u8, bytes: usize) {
        // SAFETY: the contract of the trait.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
    }

    #[inline(always)]
    unsafe fn count(&mut self, function: CountFn, to: *mut u8, first: i64, stride: i64, lanes: usize) {
        // SAFETY: the contract of the trait is that of the loop.
        unsafe { function(to, first, stride, lanes) }
    }

    #[inline(always)]
    unsafe fn offset(&mut self, function: OffsetFn, to: *mut u8, index: *mut u8, most: i64, stride: i64, lanes: usize) {
        // SAFETY: the contract of the trait is that of the loop.
        unsafe { function(to, index, most, stride, lanes) }
    }

    #[inline(always)]
    unsafe fn gather(&mut self, function: GatherFn, to: *mut u8, from: *mut u8, offsets: *mut u8, lanes: usize) {
        // SAFETY: the contract of the trait is that of the loop.
        unsafe { function(to, from, offsets, lanes) }
    }

    #[inline(always)]
    unsafe fn fold(&mut self, fold: Folded, to: *mut u8, from: *mut u8, lanes: usize) {
        // SAFETY: the contract of the trait.
        unsafe {
            let bits = (fold.combine)(fold.init, (fold.function)(from, lanes));
            memory::fill(to, bits, fold.size, 1);
        }
    }
}
