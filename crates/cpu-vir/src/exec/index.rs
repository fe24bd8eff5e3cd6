//! The loops that count, and those that make offsets of indices.
#![allow(unsafe_code, reason = "writes tiles by address")]
#![allow(clippy::needless_range_loop, reason = "what iterators are made of is not always inlined into wide code")]

use crate::element::Type;
use crate::exec::isa::{Isa, Raw, tile, tile_mut, variants};
use crate::program::{Inst, Program};

/// Writes `first`, `first + stride`, … to `n` lanes, wrapped to their type.
///
/// # Safety
/// `dst` is valid for `n` lanes.
pub(super) type CountFn = unsafe fn(dst: *mut u8, first: i64, stride: i64, n: usize);

/// Adds to each of `n` i64 an index, an i64 brought to 0 to `most`, times `stride`.
///
/// # Safety
/// Both are valid for `n` i64 and do not overlap.
pub(super) type OffsetFn = unsafe fn(dst: *mut u8, index: *const u8, most: i64, stride: i64, n: usize);

/// How indices are counted.
#[derive(Clone, Copy)]
pub(super) struct Count {
    pub(super) function: CountFn,
    /// Bytes of a lane.
    pub(super) size: usize,
}

impl Count {
    /// In i64.
    pub(super) fn wide(isa: Isa) -> Count {
        Count { function: counts::<i64>().pick(isa), size: size_of::<i64>() }
    }

    /// In i32.
    pub(super) fn narrow(isa: Isa) -> Count {
        Count { function: counts::<i32>().pick(isa), size: size_of::<i32>() }
    }
}

/// For each value, whether it is an index that is converted to i32 and nothing else: then it is counted in i32, which wraps
/// to the same.
pub(super) fn narrowed(program: &Program) -> Vec<bool> {
    let mut narrowed: Vec<bool> = program.body.iter().map(|inst| matches!(inst, Inst::Index { .. })).collect();
    for (inst, ty) in program.body.iter().zip(&program.types) {
        if !matches!(inst, Inst::Convert { .. }) || *ty != Type::I32 {
            inst.for_each_argument(|argument| narrowed[argument.index()] = false);
        }
    }
    let written = program.stores.iter().map(|store| store.value);
    for value in written.chain(program.reductions.iter().map(|reduction| reduction.value)) {
        narrowed[value.index()] = false;
    }
    narrowed
}

/// A number that is counted.
trait Counted: Copy {
    /// `first + stride · step`, wrapped.
    fn at(first: i64, stride: i64, step: usize) -> Self;
}

macro_rules! counted {
    ($($T:ident)*) => {$(
        impl Counted for $T {
            #[inline(always)]
            fn at(first: i64, stride: i64, step: usize) -> $T {
                (first as $T).wrapping_add((stride as $T).wrapping_mul(step as $T))
            }
        }
    )*};
}
counted! { i32 i64 }

#[inline(always)]
unsafe fn count_body<T: Counted>(dst: *mut u8, first: i64, stride: i64, n: usize) {
    // SAFETY: `CountFn` grants the tile.
    let dst = unsafe { tile_mut::<T>(dst, n) };
    for lane in 0..n {
        dst[lane] = Raw(T::at(first, stride, lane));
    }
}

variants! {
    fn counts<T: Counted>(dst: *mut u8, first: i64, stride: i64, n: usize) = count_body::<T>
}

/// What products of indices and strides are made of.
trait Width {
    fn product(index: i64, stride: i64) -> i64;
}

/// Of any numbers.
struct Wide;

impl Width for Wide {
    #[inline(always)]
    fn product(index: i64, stride: i64) -> i64 {
        index.wrapping_mul(stride)
    }
}

/// Of the low halves, which is one instruction for several lanes.
struct Narrow;

impl Width for Narrow {
    #[inline(always)]
    fn product(index: i64, stride: i64) -> i64 {
        i64::from(index as u32).wrapping_mul(i64::from(stride as u32))
    }
}

#[inline(always)]
unsafe fn offset_body<W: Width>(dst: *mut u8, index: *const u8, most: i64, stride: i64, n: usize) {
    // SAFETY: `OffsetFn` grants both tiles.
    let (dst, index) = unsafe { (tile_mut::<i64>(dst, n), tile::<i64>(index, n)) };
    for lane in 0..n {
        let clamped = index[lane].0.clamp(0, most);
        dst[lane] = Raw(dst[lane].0.wrapping_add(W::product(clamped, stride)));
    }
}

variants! {
    fn offsets<W: Width>(dst: *mut u8, index: *const u8, most: i64, stride: i64, n: usize) = offset_body::<W>
}

/// The loop that adds indices of at most `most` times `stride`.
pub(super) fn offset(most: i64, stride: i64, isa: Isa) -> OffsetFn {
    let fits = |number: i64| u32::try_from(number).is_ok();
    if fits(most) && fits(stride) { offsets::<Narrow>().pick(isa) } else { offsets::<Wide>().pick(isa) }
}
