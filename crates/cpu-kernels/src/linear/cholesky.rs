//! `cholesky`: the triangular factor of Hermitian positive definite matrices.

use cpu_runtime::Pool;

use super::field::{Field, compute, with_field};
use crate::convert::Conversion;
use crate::dot::converted;
use crate::lanes::vectorized;
use crate::parallel::rows;
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "cholesky";

/// Input: a stack of matrices, of which one triangle is read. Output: l with a = l·lᴴ, or u with a = uᴴ·u, and zeros in
/// the other triangle; NaN where a matrix is not positive definite.
pub struct Cholesky {
    shape: Shape,
    lower: bool,
    size: usize,
    compute: cpu_vir::Storage,
    widen: Option<Conversion>,
    narrow: Option<Conversion>,
}

impl Cholesky {
    /// # Errors
    /// For other than stacks of square matrices of floats or complex numbers.
    pub fn prepare(shape: &Shape, lower: bool) -> Result<Cholesky, KernelError> {
        shape.check(OP)?;
        let compute = compute(shape.storage);
        match (shape.dims.as_slice(), compute) {
            ([.., rows, columns], Some(compute)) if rows == columns => Ok(Cholesky {
                size: *rows,
                widen: Conversion::between(shape.storage, compute, shape.elements()),
                narrow: Conversion::between(compute, shape.storage, shape.elements()),
                shape: shape.clone(),
                lower,
                compute,
            }),
            _ => Err(KernelError::invalid(OP, format!("{shape} is no stack of square matrices of floats"))),
        }
    }

    fn factor<T: Field>(&self, pool: &Pool, from: &[T], to: &mut [T]) {
        let n = self.size;
        let cost = (n * n * n) as u64 * 60 + 10_000;
        rows(pool, to, n * n, cost, &|first, matrices| {
            for (index, l) in matrices.chunks_exact_mut(n * n).enumerate() {
                let a = &from[(first + index) * n * n..][..n * n];
                if !vectorized(|| self.factor_one(a, l)) {
                    l.fill(T::NAN);
                } else if !self.lower {
                    for i in 0..n {
                        for j in 0..i {
                            l[j * n + i] = l[i * n + j].conj();
                            l[i * n + j] = T::zero();
                        }
                    }
                }
            }
        });
    }

    /// Writes the lower factor; false when there is none. Rows of it are computed one after the other, each element by a
    /// product of two contiguous rows.
    #[inline(always)]
    fn factor_one<T: Field>(&self, a: &[T], l: &mut [T]) -> bool {
        let n = self.size;
        for i in 0..n {
            let (above, row) = l.split_at_mut(i * n);
            let row = &mut row[..n];
            for j in 0..i {
                let value = if self.lower { a[i * n + j] } else { a[j * n + i].conj() };
                let other = &above[j * n..][..n];
                row[j] = (value - dot(&row[..j], &other[..j])) / other[j];
            }
            let diagonal = (a[i * n + i] - dot(&row[..i], &row[..i])).re();
            if diagonal.partial_cmp(&T::zero().re()) != Some(std::cmp::Ordering::Greater) {
                return false;
            }
            row[i] = T::real(num_complex::ComplexFloat::sqrt(diagonal));
            row[i + 1..].fill(T::zero());
        }
        true
    }
}

/// The sum of products of one row with the conjugate of another, in several chains.
#[inline(always)]
fn dot<T: Field>(a: &[T], b: &[T]) -> T {
    const CHAINS: usize = 16;
    let mut sums = [T::zero(); CHAINS];
    let (left, right) = (a.chunks_exact(CHAINS), b.chunks_exact(CHAINS));
    let rest = left.remainder().iter().zip(right.remainder()).fold(T::zero(), |sum, (x, y)| sum + *x * y.conj());
    for (x, y) in left.zip(right) {
        sums.iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (x, y))| *sum = *sum + *x * y.conj());
    }
    sums.into_iter().fold(rest, |sum, x| sum + x)
}

impl OpKernel for Cholesky {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.shape], inputs), (&[&self.shape], outputs), |inputs, outputs| {
            let count = self.shape.elements();
            let out = &mut *outputs[0];
            converted(pool, &self.widen, inputs[0], count, self.compute, |from| {
                with_field!(self.compute, T => match &self.narrow {
                    None => self.factor::<T>(pool, numbers(from), numbers_mut(out)),
                    Some(narrow) => scratch::with(count, |wide: &mut [T]| {
                        self.factor::<T>(pool, numbers(from), wide);
                        narrow.run(pool, bytemuck::cast_slice(wide), out);
                    }),
                });
            });
            Ok(())
        })
    }
}
