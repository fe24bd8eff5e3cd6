//! Combining rows of memory into one: sums and extremes over an outer dimension, of what lies in memory as it is.
//!
//! **Invariant:** each lane is combined row after row, as [`Mode::Across`](super::layout::Mode::Across) does with tiles.
#![allow(unsafe_code, reason = "reads and writes memory by address and stride")]
#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "what iterators are made of is not always inlined into wide code"
)]

use crate::element::Type;
use crate::exec::isa::{Raw, Variants, tile, tile_mut, variants};
use crate::exec::number::Number;
use crate::op::ReduceKind;

/// Combines `rows` rows of `lanes` elements, at least one of each, that are `stride` bytes apart, into one at `dst`.
///
/// # Safety
/// Every row is valid for reads; `dst` is valid for writes and overlaps none.
pub(super) type ColumnsFn = unsafe fn(dst: *mut u8, src: *const u8, stride: isize, rows: usize, lanes: usize);

/// An operation on two numbers.
trait Pair {
    type T: Copy;
    fn call(a: Self::T, b: Self::T) -> Self::T;
}

/// Lanes that stay in registers while a group of rows passes.
const WIDE: usize = 64;
/// Rows that are read side by side: as many streams as memory is read ahead in.
const GROUP: usize = 8;

#[inline(always)]
unsafe fn columns_body<P: Pair>(dst: *mut u8, src: *const u8, stride: isize, rows: usize, lanes: usize) {
    let size = size_of::<P::T>();
    let mut row = 0;
    while row < rows {
        let end = if rows - row < GROUP { rows } else { row + GROUP };
        let mut lane = 0;
        while lane < lanes {
            let width = if lanes - lane < WIDE { lanes - lane } else { WIDE };
            // SAFETY: the contract of `ColumnsFn`; lanes and rows are below their numbers.
            unsafe {
                let at = |row: usize| src.wrapping_offset(row as isize * stride).wrapping_add(lane * size);
                let to = tile_mut::<P::T>(dst.add(lane * size), width);
                if width == WIDE {
                    let first = if row == 0 { tile(at(0), WIDE) } else { &*to };
                    let mut sums = [first[0]; WIDE];
                    for i in 0..WIDE {
                        sums[i] = first[i];
                    }
                    let mut r = if row == 0 { 1 } else { row };
                    while r < end {
                        let next = tile::<P::T>(at(r), WIDE);
                        for i in 0..WIDE {
                            sums[i] = Raw(P::call(sums[i].0, next[i].0));
                        }
                        r += 1;
                    }
                    for i in 0..WIDE {
                        to[i] = sums[i];
                    }
                } else {
                    for i in 0..width {
                        let first = if row == 0 { tile::<P::T>(at(0), width)[i] } else { to[i] };
                        let mut sum = first.0;
                        let mut r = if row == 0 { 1 } else { row };
                        while r < end {
                            sum = P::call(sum, tile::<P::T>(at(r), width)[i].0);
                            r += 1;
                        }
                        to[i] = Raw(sum);
                    }
                }
            }
            lane += width;
        }
        row = end;
    }
}

variants! {
    fn loops<P: Pair>(dst: *mut u8, src: *const u8, stride: isize, rows: usize, lanes: usize) = columns_body::<P>
}

/// The loops of sums, the only ones that are worth their code.
pub(super) fn columns(kind: ReduceKind, ty: Type) -> Option<Variants<ColumnsFn>> {
    macro_rules! sum {
        ($($name:ident $lane:ident),*) => {
            match ty {
                $(Type::$name => {
                    struct Sum;
                    impl Pair for Sum {
                        type T = $lane;
                        #[inline(always)]
                        fn call(a: $lane, b: $lane) -> $lane {
                            Number::add(a, b)
                        }
                    }
                    Some(loops::<Sum>())
                })*
                _ => None,
            }
        };
    }
    match kind {
        // Modulo a power of two signs do not matter.
        ReduceKind::Sum => sum!(I32 i32, U32 i32, I64 i64, U64 i64, F32 f32, F64 f64),
        _ => None,
    }
}
