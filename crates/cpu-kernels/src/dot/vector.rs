//! Products with one row or one column: they read a matrix once, and memory decides how fast that is.
#![allow(unsafe_code, reason = "matrices are read and written by address and stride")]
#![allow(clippy::needless_range_loop, reason = "what iterators are made of is not always inlined into wide code")]

use cpu_vir::exec::Isa;

use super::product::{Matrix, Output, check, target};
use crate::lanes::{self, Lane, Loops, Vector, as_array, first};
use crate::parallel::Shared;

/// Rows of the matrix that are added at once.
const AT_ONCE: usize = 8;
/// Sums that are kept in the first cache while rows are added.
const SUMS: usize = 4096;

/// Writes `a · b` if it is a product with a vector that has a loop here; false if it is not.
pub(super) fn product<T: Lane>(
    out: &Shared<'_, T>,
    at: Output,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    depth: usize,
) -> bool {
    // As vector (of `depth`) times matrix: how far apart its elements are, and the matrix by (depth, result).
    let (vector, step, matrix, deep, along, results) = if at.rows == 1 {
        (a.elements, a.column, b.elements, b.row, b.column, at.columns)
    } else if at.columns == 1 && at.stride == 1 {
        (b.elements, b.row, a.elements, a.column, a.row, at.rows)
    } else {
        return false;
    };
    if !(along == 1 || deep == 1 && step == 1) {
        return false;
    }
    check(at, a, b, depth);
    let to = target(out, at);
    let task = Task { to, vector: vector.as_ptr(), step, matrix: matrix.as_ptr(), deep, along, depth, results };
    // SAFETY: the operands hold all that sizes and strides reach, and the output its part, which is the caller's.
    unsafe { lanes::run(Isa::detect(), task) }
    true
}

/// A vector times a matrix.
struct Task<T> {
    to: *mut T,
    vector: *const T,
    step: usize,
    matrix: *const T,
    /// From one row of the matrix to the next.
    deep: usize,
    /// From one result's column to the next.
    along: usize,
    depth: usize,
    results: usize,
}

impl<T: Lane> Loops<T> for Task<T> {
    /// # Safety
    /// Vector and matrix have all elements by their strides, `to` can be written for all results, and the processor
    /// has what `V` needs.
    #[inline(always)]
    unsafe fn run<V: Vector<Lane = T>>(self) {
        // SAFETY: the caller's promises.
        unsafe {
            // A few results are better summed along the depth, if that is contiguous too.
            let narrow = self.results < V::LANES && self.deep == 1 && self.step == 1;
            if self.along == 1 && !narrow {
                for start in (0..self.results).step_by(SUMS) {
                    self.add_rows::<V>(self.to.add(start), start, SUMS.min(self.results - start));
                }
            } else {
                let mut j = 0;
                while j + 4 <= self.results {
                    self.dots::<V, 4>(self.to, j);
                    j += 4;
                }
                while j < self.results {
                    self.dots::<V, 1>(self.to, j);
                    j += 1;
                }
            }
        }
    }
}

impl<T: Lane> Task<T> {
    /// Adds multiples of rows to sums that stay in the cache.
    ///
    /// # Safety
    /// As for `run`, for the results from `start` on.
    #[inline(always)]
    unsafe fn add_rows<V: Vector<Lane = T>>(&self, to: *mut T, start: usize, results: usize) {
        // SAFETY: the caller's promises; every index is below `results` or `depth`.
        unsafe {
            let mut k = 0;
            while k < self.depth {
                let rows = if self.depth - k >= AT_ONCE { AT_ONCE } else { 1 };
                let row = self.matrix.add(k * self.deep + start);
                let vector = self.vector.add(k * self.step);
                let whole = results / V::LANES * V::LANES;
                if rows == AT_ONCE {
                    let mut factors = [V::splat(T::NIL); AT_ONCE];
                    for r in 0..AT_ONCE {
                        factors[r] = V::splat(*vector.add(r * self.step));
                    }
                    let mut j = 0;
                    while j < whole {
                        let at = to.add(j);
                        // Two chains, so that additions need not wait for each other.
                        let mut even = if k == 0 { V::splat(T::NIL) } else { V::load(at) };
                        let mut odd = V::splat(T::NIL);
                        for pair in 0..AT_ONCE / 2 {
                            let r = 2 * pair;
                            even = even.add_product(factors[r], V::load(row.add(r * self.deep + j)));
                            odd = odd.add_product(factors[r + 1], V::load(row.add((r + 1) * self.deep + j)));
                        }
                        even.add(odd).store(at);
                        j += V::LANES;
                    }
                } else {
                    let factor = V::splat(*vector);
                    let mut j = 0;
                    while j < whole {
                        let at = to.add(j);
                        let sum = if k == 0 { V::splat(T::NIL) } else { V::load(at) };
                        sum.add_product(factor, V::load(row.add(j))).store(at);
                        j += V::LANES;
                    }
                }
                // The rest one by one, in whole vectors of which one lane counts.
                for j in whole..results {
                    let mut sum = V::splat(if k == 0 { T::NIL } else { *to.add(j) });
                    for r in 0..rows {
                        sum = sum
                            .add_product(V::splat(*vector.add(r * self.step)), V::splat(*row.add(r * self.deep + j)));
                    }
                    *to.add(j) = first(sum);
                }
                k += rows;
            }
        }
    }

    /// `N` results as sums along contiguous columns.
    ///
    /// # Safety
    /// As for `run`; results `j..j + N` exist.
    #[inline(always)]
    unsafe fn dots<V: Vector<Lane = T>, const N: usize>(&self, to: *mut T, j: usize) {
        // SAFETY: the caller's promises.
        unsafe {
            let mut column = [self.matrix; N];
            for n in 0..N {
                column[n] = self.matrix.add((j + n) * self.along);
            }
            let mut sums = [[V::splat(T::NIL); 2]; N];
            let mut k = 0;
            while k + 2 * V::LANES <= self.depth {
                let second = k + V::LANES;
                let (x, y) = (V::load(self.vector.add(k)), V::load(self.vector.add(second)));
                for n in 0..N {
                    sums[n][0] = sums[n][0].add_product(x, V::load(column[n].add(k)));
                    sums[n][1] = sums[n][1].add_product(y, V::load(column[n].add(second)));
                }
                k += 2 * V::LANES;
            }
            for n in 0..N {
                let mut sum = V::splat(total(sums[n][0].add(sums[n][1])));
                for k in k..self.depth {
                    sum = sum.add_product(V::splat(*self.vector.add(k)), V::splat(*column[n].add(k)));
                }
                *to.add(j + n) = first(sum);
            }
        }
    }
}

/// The sum of all lanes, in halves.
#[inline(always)]
unsafe fn total<V: Vector>(vector: V) -> V::Lane {
    // SAFETY: the caller's promise; every load is within the array.
    unsafe {
        let mut all = as_array(vector);
        let mut count = V::LANES;
        while count > 1 {
            count /= 2;
            for i in 0..count {
                all[i] = first(V::splat(all[i]).add(V::splat(all[i + count])));
            }
        }
        all[0]
    }
}
