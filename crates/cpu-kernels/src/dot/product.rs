//! One product of two matrices: which loops compute it.
#![allow(unsafe_code, reason = "matrices are read and written by address and stride")]

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::exec::Isa;
use num_complex::Complex;

use super::{blocked, tile, vector};
use crate::parallel::Shared;

/// A matrix somewhere in an array, by strides.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a, T> {
    /// From the first element of the matrix on.
    pub(crate) elements: &'a [T],
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl<'a, T> Matrix<'a, T> {
    pub(crate) fn new(elements: &'a [T], start: usize, row: usize, column: usize) -> Matrix<'a, T> {
        Matrix { elements: &elements[start..], row, column }
    }

    /// Panics unless it has so many rows and columns.
    fn check(&self, rows: usize, columns: usize) {
        assert!((rows - 1) * self.row + (columns - 1) * self.column < self.elements.len(), "a matrix of its size");
    }
}

/// The part of the output that a product writes: dense rows, `stride` apart.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) start: usize,
    pub(crate) stride: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// A number that matrices are multiplied in.
pub(crate) trait Number: Pod + Send + Sync {
    /// Writes `a · b` to the part of the output; nobody else may have that part. `depth` and the part are not empty.
    fn product(pool: &Pool, out: &Shared<'_, Self>, at: Output, a: Matrix<'_, Self>, b: Matrix<'_, Self>, depth: usize);

    /// Whether [`product`](Number::product) cuts products of so many rows and such a depth into tasks itself.
    fn spreads(rows: usize, depth: usize) -> bool;
}

/// Up to so many operations products are done at once, where the operands are.
const SMALL: usize = 32 * 32 * 32;

/// Up to so many rows products read their operands where they are; beyond, packing pays.
pub(super) fn few_rows() -> usize {
    if Isa::detect() >= Isa::Avx512 { 48 } else { 24 }
}

/// Whether `gemm` is the fastest for floats: its packing is, from a depth on, but it knows no AVX-512.
fn packs(depth: usize) -> bool {
    depth >= 64 && Isa::detect() < Isa::Avx512
}

macro_rules! reals {
    ($($T:ident $zero:literal |$given:ident| $packed:expr;)*) => {$(
        impl Number for $T {
            fn spreads(rows: usize, depth: usize) -> bool {
                let $given = depth;
                rows > few_rows() && !$packed
            }

            fn product(
                pool: &Pool,
                out: &Shared<'_, $T>,
                at: Output,
                a: Matrix<'_, $T>,
                b: Matrix<'_, $T>,
                depth: usize,
            ) {
                if vector::product(out, at, a, b, depth) {
                    return;
                }
                if at.rows <= few_rows() || at.rows * at.columns * depth <= SMALL {
                    tile::product(out, at, a, b, depth);
                } else if Self::spreads(at.rows, depth) {
                    blocked::product(pool, out, at, a, b, depth);
                } else {
                    packed(out, at, a, b, depth, 1 as $T, $zero);
                }
            }
        }
    )*};
}
reals! {
    f32 0.0 |depth| packs(depth);
    f64 0.0 |depth| packs(depth);
    u8 0 |_depth| false;
    u16 0 |_depth| false;
    u32 0 |_depth| false;
    u64 0 |_depth| false;
}

macro_rules! complex {
    ($($T:ident)*) => {$(
        impl Number for Complex<$T> {
            fn spreads(_: usize, _: usize) -> bool {
                false
            }

            fn product(
                _: &Pool,
                out: &Shared<'_, Self>,
                at: Output,
                a: Matrix<'_, Self>,
                b: Matrix<'_, Self>,
                depth: usize,
            ) {
                packed(out, at, a, b, depth, Complex { re: 1.0, im: 0.0 }, Complex { re: 0.0, im: 0.0 });
            }
        }
    )*};
}
complex! { f32 f64 }

/// The product by the `gemm` crate.
fn packed<T: Number>(
    out: &Shared<'_, T>,
    at: Output,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    depth: usize,
    one: T,
    zero: T,
) {
    a.check(at.rows, depth);
    b.check(depth, at.columns);
    let step = |stride: usize| stride as isize;
    // SAFETY: both operands were checked to hold their last element, and strides are not negative. The output holds
    // the part, which the caller alone has.
    unsafe {
        let target = target(out, at);
        gemm::gemm(
            at.rows,
            at.columns,
            depth,
            target,
            1,
            step(at.stride),
            false,
            a.elements.as_ptr(),
            step(a.column),
            step(a.row),
            b.elements.as_ptr(),
            step(b.column),
            step(b.row),
            zero,
            one,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// How many panels of the rhs a task takes with its block of rows: all, unless there are too few blocks to keep several threads
/// at work; and at least so many.
pub(super) fn panels_of_a_task(panels: usize, blocks: usize, least: usize) -> usize {
    panels.div_ceil(8usize.div_ceil(blocks)).max(least.min(panels))
}

/// The address of the first element of a part. Panics when the output does not hold the part.
pub(super) fn target<T>(out: &Shared<'_, T>, at: Output) -> *mut T {
    let last = (at.rows - 1) * at.stride + at.columns;
    assert!(at.rows == 1 || at.columns <= at.stride, "rows do not overlap");
    out.within(at.start, last)
}

/// Panics unless the matrices have the sizes that the product needs.
pub(super) fn check<T>(at: Output, a: Matrix<'_, T>, b: Matrix<'_, T>, depth: usize) {
    a.check(at.rows, depth);
    b.check(depth, at.columns);
}
