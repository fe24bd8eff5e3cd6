//! `cholesky` and `triangular_solve` on stacks of matrices, computed in double precision and rounded once.

use crate::ElementKind;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::Complex;
use crate::eval::ops::convert::convert;
use crate::eval::tensor::Tensor;
use crate::ir::attrs::Transpose;

/// A stack of matrices as complex numbers: real ones have no imaginary part, and exact arithmetic keeps it so.
struct Stack {
    values: Vec<Complex>,
    rows: usize,
    columns: usize,
}

impl Stack {
    fn new(x: &Tensor) -> Result<Stack, OpError> {
        let [.., rows, columns] = *x.dims() else {
            return Err(OpError::invalid(format!("{} is no stack of matrices", x.describe())));
        };
        if !matches!(x.element_type().kind(), ElementKind::Float | ElementKind::Complex) {
            return Err(OpError::element_type("linear algebra", x.element_type()));
        }
        let wide = convert(x, ElementType::C128)?;
        Ok(Stack { values: wide.as_slice::<Complex>().to_vec(), rows, columns })
    }

    fn finish(self, like: &Tensor) -> Result<Tensor, OpError> {
        convert(&Tensor::from_vec(like.dims(), self.values), like.element_type())
    }
}

/// The triangular factor of Hermitian positive definite matrices: a = l·lᴴ with l lower, or uᴴ·u with u upper.
///
/// Reads the chosen triangle only and leaves zeros in the other. A matrix that is not positive definite gives a
/// matrix of NaN, as XLA:CPU does. Fails for other than square matrices of floats or complex numbers.
pub fn cholesky(a: &Tensor, lower: bool) -> Result<Tensor, OpError> {
    let mut stack = Stack::new(a)?;
    let n = stack.rows;
    if n != stack.columns {
        return Err(OpError::invalid(format!("{} is no stack of square matrices", a.describe())));
    }
    for m in stack.values.chunks_exact_mut((n * n).max(1)) {
        // The lower triangle, read as stored or from the mirrored upper one.
        let read = |m: &[Complex], i: usize, j: usize| if lower { m[i * n + j] } else { m[j * n + i].conj() };
        let mut l = vec![Complex::real(0.0); n * n];
        let mut definite = true;
        for j in 0..n {
            for i in j..n {
                let sum = (0..j).fold(read(m, i, j), |sum, k| sum - l[i * n + k] * l[j * n + k].conj());
                if i == j {
                    definite &= sum.re > 0.0;
                    l[j * n + j] = Complex::real(sum.re.sqrt());
                } else {
                    l[i * n + j] = sum.scale(1.0 / l[j * n + j].re);
                }
            }
        }
        for i in 0..n {
            for j in 0..n {
                let value = if lower { l[i * n + j] } else { l[j * n + i].conj() };
                m[i * n + j] = if definite { value } else { Complex::new(f64::NAN, f64::NAN) };
            }
        }
    }
    stack.finish(a)
}

/// How `triangular_solve` reads its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriangularSolve {
    /// Solve op(a)·x = b rather than x·op(a) = b.
    pub left_side: bool,
    /// Whether `a` is lower triangular.
    pub lower: bool,
    /// Whether the diagonal counts as ones.
    pub unit_diagonal: bool,
    /// op: nothing, transpose or conjugate transpose.
    pub transpose_a: Transpose,
}

/// Solves triangular systems, matrix by matrix. Division by a zero on the diagonal gives infinities and NaN.
///
/// Fails when shapes do not fit or the elements are neither floats nor complex.
pub fn triangular_solve(a: &Tensor, b: &Tensor, p: TriangularSolve) -> Result<Tensor, OpError> {
    let (matrix, mut x) = (Stack::new(a)?, Stack::new(b)?);
    let n = matrix.rows;
    let side = if p.left_side { x.rows } else { x.columns };
    let batches = |t: &Tensor| t.dims()[..t.rank() - 2].to_vec();
    let fits = n == matrix.columns && side == n && batches(a) == batches(b) && a.element_type() == b.element_type();
    if !fits || p.transpose_a == Transpose::Invalid {
        return Err(OpError::invalid(format!("{p:?} with a {} and b {}", a.describe(), b.describe())));
    }
    if x.values.is_empty() {
        return Ok(b.clone());
    }
    let (rows, columns) = (x.rows, x.columns);
    // Solving from the right is solving with the transpose from the left, on the rows of b.
    let transposed = (p.transpose_a != Transpose::NoTranspose) == p.left_side;
    let conjugated = p.transpose_a == Transpose::Adjoint;
    let forward = p.lower != transposed;
    for (m, x) in matrix.values.chunks_exact(n * n).zip(x.values.chunks_exact_mut(rows * columns)) {
        let element = |i: usize, j: usize| {
            let value = if transposed { m[j * n + i] } else { m[i * n + j] };
            if conjugated { value.conj() } else { value }
        };
        let vectors = if p.left_side { columns } else { rows };
        for v in 0..vectors {
            let at = |i: usize| if p.left_side { i * columns + v } else { v * columns + i };
            for step in 0..n {
                let i = if forward { step } else { n - 1 - step };
                let known = if forward { 0..i } else { i + 1..n };
                let sum = known.fold(x[at(i)], |sum, j| sum - element(i, j) * x[at(j)]);
                x[at(i)] = if p.unit_diagonal { sum } else { sum / element(i, i) };
            }
        }
    }
    x.finish(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_of_the_specification() {
        let a = Tensor::from_vec(&[3, 3], vec![1f32, 2.0, 3.0, 2.0, 20.0, 26.0, 3.0, 26.0, 70.0]);
        let l = cholesky(&a, true).unwrap();
        assert_eq!(l.as_slice::<f32>(), [1.0, 0.0, 0.0, 2.0, 4.0, 0.0, 3.0, 5.0, 6.0]);
        let u = cholesky(&a, false).unwrap();
        assert_eq!(u.as_slice::<f32>(), [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 0.0, 0.0, 6.0]);
        let bad = cholesky(&Tensor::from_vec(&[1, 1], vec![-1f64]), true).unwrap();
        assert!(bad.as_slice::<f64>()[0].is_nan());
        assert!(cholesky(&Tensor::zeros(ElementType::F32, &[2, 3]), true).is_err());
    }

    #[test]
    fn every_way_to_solve() {
        use crate::eval::ops::dot::{DotDimensions, dot_general};
        use crate::eval::ops::movement::transpose;
        let matmul = |a: &Tensor, b: &Tensor| {
            let dims = DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![0], ..Default::default() };
            dot_general(a, b, &dims, ElementType::F64).unwrap()
        };
        let x = Tensor::from_vec(&[2, 2], vec![1f64, 2.0, 3.0, 4.0]);
        for lower in [false, true] {
            let a =
                Tensor::from_vec(&[2, 2], if lower { vec![2f64, 0.0, 1.0, 4.0] } else { vec![2f64, 1.0, 0.0, 4.0] });
            for transpose_a in [Transpose::NoTranspose, Transpose::Transpose, Transpose::Adjoint] {
                let op_a =
                    if transpose_a == Transpose::NoTranspose { a.clone() } else { transpose(&a, &[1, 0]).unwrap() };
                for left_side in [false, true] {
                    let b = if left_side { matmul(&op_a, &x) } else { matmul(&x, &op_a) };
                    let p = TriangularSolve { left_side, lower, unit_diagonal: false, transpose_a };
                    assert_eq!(triangular_solve(&a, &b, p).unwrap(), x, "{p:?}");
                }
            }
        }
    }
}
