//! `triangular_solve`.

use cpu_runtime::Pool;

use super::field::{Field, compute, with_field};
use crate::convert::Conversion;
use crate::dot::converted;
use crate::lanes::vectorized;
use crate::parallel::rows;
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "triangular_solve";

/// How the matrix is read, as in StableHLO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriangularSystem {
    /// Solve op(a)·x = b rather than x·op(a) = b.
    pub left_side: bool,
    /// Whether `a` is lower triangular.
    pub lower: bool,
    /// Whether the diagonal counts as ones.
    pub unit_diagonal: bool,
    /// Whether op is a transposition.
    pub transposed: bool,
    /// Whether op conjugates.
    pub conjugated: bool,
}

/// Inputs: stacks a of triangular matrices and b of right-hand sides. Output: x, of b's shape.
pub struct TriangularSolve {
    a: Shape,
    b: Shape,
    system: TriangularSystem,
    /// Rows and columns of b, and the order of a.
    sizes: (usize, usize, usize),
    compute: cpu_vir::Storage,
    conversions: [Option<Conversion>; 3],
}

impl TriangularSolve {
    /// # Errors
    /// When shapes do not fit or the elements are neither floats nor complex numbers.
    pub fn prepare(a: &Shape, b: &Shape, system: TriangularSystem) -> Result<TriangularSolve, KernelError> {
        a.check(OP)?;
        b.check(OP)?;
        let invalid = || KernelError::invalid(OP, format!("{system:?} with a {a} and b {b}"));
        let ([a_outer @ .., n, m], [b_outer @ .., rows, columns]) = (a.dims.as_slice(), b.dims.as_slice()) else {
            return Err(invalid());
        };
        let side = if system.left_side { rows } else { columns };
        let compute = compute(a.storage).ok_or_else(invalid)?;
        if n != m || side != n || a_outer != b_outer || a.storage != b.storage {
            return Err(invalid());
        }
        Ok(TriangularSolve {
            sizes: (*rows, *columns, *n),
            conversions: [
                Conversion::between(a.storage, compute, a.elements()),
                Conversion::between(b.storage, compute, b.elements()),
                Conversion::between(compute, b.storage, b.elements()),
            ],
            a: a.clone(),
            b: b.clone(),
            system,
            compute,
        })
    }

    fn solve<T: Field>(&self, pool: &Pool, a: &[T], b: &[T], x: &mut [T]) {
        let (rows_of_b, columns, n) = self.sizes;
        x.copy_from_slice(b);
        let cost = (n * rows_of_b * columns) as u64 * 150 + 10_000;
        rows(pool, x, rows_of_b * columns, cost, &|first, matrices| {
            for (index, x) in matrices.chunks_exact_mut(rows_of_b * columns).enumerate() {
                let a = &a[(first + index) * n * n..][..n * n];
                vectorized(|| if self.system.left_side { self.solve_left(a, x) } else { self.solve_right(a, x) });
            }
        });
    }

    /// Element (i, j) of the matrix that is solved with from the left, and whether solving goes forward.
    #[inline(always)]
    fn reading<T: Field>(&self, a: &[T], transposed: bool) -> (impl Fn(usize, usize) -> T, bool) {
        let (n, conjugated) = (self.sizes.2, self.system.conjugated);
        let element = move |i: usize, j: usize| {
            let value = if transposed { a[j * n + i] } else { a[i * n + j] };
            if conjugated { value.conj() } else { value }
        };
        (element, self.system.lower != transposed)
    }

    /// Rows of x one after the other: multiples of known ones are subtracted, all columns side by side.
    #[inline(always)]
    fn solve_left<T: Field>(&self, a: &[T], x: &mut [T]) {
        let (_, columns, n) = self.sizes;
        let (element, forward) = self.reading(a, self.system.transposed);
        for step in 0..n {
            let i = if forward { step } else { n - 1 - step };
            let (before, rest) = x.split_at_mut(i * columns);
            let (row, after) = rest.split_at_mut(columns);
            let known: &[T] = if forward { before } else { after };
            let first = if forward { 0 } else { i + 1 };
            for (k, other) in known.chunks_exact(columns).enumerate() {
                let factor = element(i, first + k);
                row.iter_mut().zip(other).for_each(|(x, y)| *x -= factor * *y);
            }
            if !self.system.unit_diagonal {
                let diagonal = element(i, i);
                row.iter_mut().for_each(|x| *x = *x / diagonal);
            }
        }
    }

    /// Solving from the right is solving with the transpose from the left, on the rows of b.
    #[inline(always)]
    fn solve_right<T: Field>(&self, a: &[T], x: &mut [T]) {
        let n = self.sizes.2;
        let (element, forward) = self.reading(a, !self.system.transposed);
        for x in x.chunks_exact_mut(n) {
            for step in 0..n {
                let i = if forward { step } else { n - 1 - step };
                let known = if forward { 0..i } else { i + 1..n };
                let sum = known.fold(x[i], |sum, j| sum - element(i, j) * x[j]);
                x[i] = if self.system.unit_diagonal { sum } else { sum / element(i, i) };
            }
        }
    }
}

impl OpKernel for TriangularSolve {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.a, &self.b], inputs), (&[&self.b], outputs), |inputs, outputs| {
            let out = &mut *outputs[0];
            let [widen_a, widen_b, narrow] = &self.conversions;
            let (count_a, count_b) = (self.a.elements(), self.b.elements());
            converted(pool, widen_a, inputs[0], count_a, self.compute, |a| {
                converted(pool, widen_b, inputs[1], count_b, self.compute, |b| {
                    with_field!(self.compute, T => match narrow {
                        None => self.solve::<T>(pool, numbers(a), numbers(b), numbers_mut(out)),
                        Some(narrow) => scratch::with(count_b, |wide: &mut [T]| {
                            self.solve::<T>(pool, numbers(a), numbers(b), wide);
                            narrow.run(pool, bytemuck::cast_slice(wide), out);
                        }),
                    });
                });
            });
            Ok(())
        })
    }
}
