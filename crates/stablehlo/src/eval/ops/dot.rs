//! `dot_general`: products of matrices, and the arithmetic they share with `convolution`.
//!
//! Floats of every width are multiplied and summed in `f64` and rounded once, to the result type; integers are
//! exact modulo 2^width; booleans are "or" of "and". No algorithm attribute asks for less than that.

use super::movement::{check_axes, transpose};
use crate::eval::error::OpError;
use crate::eval::number::{Bool, Complex, ComplexElement, Float, Integer, with_complex, with_float, with_integer};
use crate::eval::tensor::Tensor;
use crate::{ElementKind, ElementType};

/// Which dimensions of the two operands are paired, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDimensions {
    /// Batching dimensions of lhs.
    pub lhs_batching: Vec<usize>,
    /// Batching dimensions of rhs, as many.
    pub rhs_batching: Vec<usize>,
    /// Contracting dimensions of lhs.
    pub lhs_contracting: Vec<usize>,
    /// Contracting dimensions of rhs, as many.
    pub rhs_contracting: Vec<usize>,
}

/// A number that products are summed in.
pub(super) trait Accumulator: Copy {
    /// Zero.
    const ZERO: Self;
    /// `self + a * b`.
    fn add_product(self, a: Self, b: Self) -> Self;
    /// The elements of a tensor, exactly.
    fn load(x: &Tensor) -> Result<Vec<Self>, OpError>;
    /// Sums, rounded once to the type.
    fn store(sums: &[Self], ty: ElementType, dims: &[usize]) -> Result<Tensor, OpError>;
}

impl Accumulator for f64 {
    const ZERO: f64 = 0.0;
    fn add_product(self, a: f64, b: f64) -> f64 {
        self + a * b
    }
    fn load(x: &Tensor) -> Result<Vec<f64>, OpError> {
        super::convert::to_f64s(x)
    }
    fn store(sums: &[f64], ty: ElementType, dims: &[usize]) -> Result<Tensor, OpError> {
        with_float!(ty,
        T => Ok(Tensor::from_vec(dims, sums.iter().map(|&v| T::from_f64(v)).collect())),
        _ => match ty.kind() {
            ElementKind::Complex => Complex::store(&sums.iter().map(|&v| Complex::real(v)).collect::<Vec<_>>(), ty, dims),
            _ => super::convert::convert(&Tensor::from_vec(dims, sums.to_vec()), ty),
        })
    }
}

impl Accumulator for Complex {
    const ZERO: Complex = Complex::real(0.0);
    fn add_product(self, a: Complex, b: Complex) -> Complex {
        self + a * b
    }
    fn load(x: &Tensor) -> Result<Vec<Complex>, OpError> {
        Ok(super::convert::convert(x, ElementType::C128)?.as_slice::<Complex>().to_vec())
    }
    fn store(sums: &[Complex], ty: ElementType, dims: &[usize]) -> Result<Tensor, OpError> {
        with_complex!(ty,
            T => Ok(Tensor::from_vec(dims, sums.iter().map(|&v| T::from_complex(v)).collect())),
            _ => Err(OpError::element_type("a complex product", ty)))
    }
}

/// Integers modulo 2^64; cutting the sum to any width is exact modulo 2^width.
impl Accumulator for u64 {
    const ZERO: u64 = 0;
    fn add_product(self, a: u64, b: u64) -> u64 {
        self.wrapping_add(a.wrapping_mul(b))
    }
    fn load(x: &Tensor) -> Result<Vec<u64>, OpError> {
        let ty = x.element_type();
        if ty == ElementType::Bool {
            return Ok(x.as_slice::<Bool>().iter().map(|b| b.get() as u64).collect());
        }
        with_integer!(ty,
            T => Ok(x.as_slice::<T>().iter().map(|v| v.extend()).collect()),
            _ => Err(OpError::element_type("an integer product", ty)))
    }
    fn store(sums: &[u64], ty: ElementType, dims: &[usize]) -> Result<Tensor, OpError> {
        if ty == ElementType::Bool {
            return Ok(Tensor::from_vec(dims, sums.iter().map(|&v| Bool::new(v != 0)).collect()));
        }
        with_integer!(ty,
            T => Ok(Tensor::from_vec(dims, sums.iter().map(|&v| T::truncate(v)).collect())),
            _ => with_float!(ty,
                T => Ok(Tensor::from_vec(dims, sums.iter().map(|&v| T::from_f64(v as i64 as f64)).collect())),
                _ => Err(OpError::element_type("an integer product", ty))))
    }
}

/// The accumulator that holds products of elements of these types.
pub(super) enum Domain {
    Integer,
    Float,
    Complex,
}

/// Where products of the two types, summed to the result type, are computed.
pub(super) fn domain(lhs: ElementType, rhs: ElementType, result: ElementType) -> Domain {
    let kinds = [lhs.kind(), rhs.kind()];
    let integral = |kind: &ElementKind| !matches!(kind, ElementKind::Float | ElementKind::Complex);
    if kinds.contains(&ElementKind::Complex) || result.kind() == ElementKind::Complex {
        Domain::Complex
    } else if kinds.iter().all(integral) && integral(&result.kind()) {
        Domain::Integer
    } else {
        Domain::Float
    }
}

/// Sums of products over the contracting dimensions, for each index of batching, free lhs and free rhs dimensions,
/// which is the order of dimensions of the result. `result_type` is the preferred element type.
pub fn dot_general(
    lhs: &Tensor,
    rhs: &Tensor,
    dims: &DotDimensions,
    result_type: ElementType,
) -> Result<Tensor, OpError> {
    match domain(lhs.element_type(), rhs.element_type(), result_type) {
        Domain::Integer => product::<u64>(lhs, rhs, dims, result_type),
        Domain::Float => product::<f64>(lhs, rhs, dims, result_type),
        Domain::Complex => product::<Complex>(lhs, rhs, dims, result_type),
    }
}

fn product<A: Accumulator>(
    lhs: &Tensor,
    rhs: &Tensor,
    dims: &DotDimensions,
    result_type: ElementType,
) -> Result<Tensor, OpError> {
    let mismatch =
        || OpError::invalid(format!("{} and {} do not contract by {dims:?}", lhs.describe(), rhs.describe()));
    let lhs_paired = [dims.lhs_batching.as_slice(), &dims.lhs_contracting].concat();
    let rhs_paired = [dims.rhs_batching.as_slice(), &dims.rhs_contracting].concat();
    check_axes("lhs dimensions", &lhs_paired, lhs.rank())?;
    check_axes("rhs dimensions", &rhs_paired, rhs.rank())?;
    let sizes = |x: &Tensor, axes: &[usize]| axes.iter().map(|&a| x.dims()[a]).collect::<Vec<_>>();
    if dims.lhs_batching.len() != dims.rhs_batching.len() || sizes(lhs, &lhs_paired) != sizes(rhs, &rhs_paired) {
        return Err(mismatch());
    }
    let free = |x: &Tensor, paired: &[usize]| (0..x.rank()).filter(|a| !paired.contains(a)).collect::<Vec<_>>();
    let (lhs_free, rhs_free) = (free(lhs, &lhs_paired), free(rhs, &rhs_paired));
    // lhs as [batch, rows, depth] and rhs as [batch, depth, columns].
    let a = A::load(&transpose(lhs, &[&dims.lhs_batching[..], &lhs_free, &dims.lhs_contracting].concat())?)?;
    let b = A::load(&transpose(rhs, &[&rhs_paired[..], &rhs_free].concat())?)?;
    let batch_dims = sizes(lhs, &dims.lhs_batching);
    let (row_dims, column_dims) = (sizes(lhs, &lhs_free), sizes(rhs, &rhs_free));
    let size = |dims: &[usize]| dims.iter().product::<usize>();
    let (batch, rows, columns) = (size(&batch_dims), size(&row_dims), size(&column_dims));
    let depth = size(&sizes(lhs, &dims.lhs_contracting));
    let mut sums = vec![A::ZERO; batch * rows * columns];
    for i in 0..batch {
        let (a, b) = (&a[i * rows * depth..], &b[i * depth * columns..]);
        matrix_product(&mut sums[i * rows * columns..(i + 1) * rows * columns], a, b, rows, depth, columns);
    }
    A::store(&sums, result_type, &[batch_dims, row_dims, column_dims].concat())
}

/// Adds to each element of `sums` the products of a row of `a` and a column of `b`, in order of depth.
fn matrix_product<A: Accumulator>(sums: &mut [A], a: &[A], b: &[A], rows: usize, depth: usize, columns: usize) {
    if columns == 1 {
        for (row, sum) in sums.iter_mut().enumerate() {
            let products = a[row * depth..(row + 1) * depth].iter().zip(b);
            *sum = products.fold(*sum, |sum, (&x, &y)| sum.add_product(x, y));
        }
        return;
    }
    for row in 0..rows {
        let sums = &mut sums[row * columns..(row + 1) * columns];
        for (k, &x) in a[row * depth..(row + 1) * depth].iter().enumerate() {
            for (sum, &y) in sums.iter_mut().zip(&b[k * columns..(k + 1) * columns]) {
                *sum = sum.add_product(x, y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matmul() -> DotDimensions {
        DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![0], ..Default::default() }
    }

    #[test]
    fn matrices() {
        let a = Tensor::from_vec(&[2, 2], vec![1i64, 2, 3, 4]);
        let b = Tensor::from_vec(&[2, 3], vec![1i64, 0, 2, 0, 1, 3]);
        let c = dot_general(&a, &b, &matmul(), ElementType::I64).unwrap();
        assert_eq!((c.dims(), c.as_slice::<i64>()), (&[2, 3][..], &[1, 2, 8, 3, 4, 18][..]));
    }

    #[test]
    fn batches_come_first() {
        let dims = DotDimensions {
            lhs_batching: vec![0],
            rhs_batching: vec![0],
            lhs_contracting: vec![2],
            rhs_contracting: vec![1],
        };
        let a = Tensor::from_vec(&[2, 2, 2], vec![1i64, 2, 3, 4, 5, 6, 7, 8]);
        let identity = Tensor::from_vec(&[2, 2, 2], vec![1i64, 0, 0, 1, 1, 0, 0, 1]);
        assert_eq!(dot_general(&a, &identity, &dims, ElementType::I64).unwrap(), a);
    }

    #[test]
    fn narrow_types_sum_wide_and_round_once() {
        // 256 + 1 + 1 in bf16 would lose both ones if each sum were rounded.
        let a =
            crate::eval::ops::convert::convert(&Tensor::from_vec(&[1, 3], vec![256f32, 1.0, 1.0]), ElementType::BF16)
                .unwrap();
        let ones = crate::eval::ops::convert::filled(ElementType::BF16, &[3, 1], 1.0);
        let c = dot_general(&a, &ones, &matmul(), ElementType::BF16).unwrap();
        assert_eq!(super::super::convert::to_f64s(&c).unwrap(), [258.0]);
        let x = Tensor::from_vec(&[1, 2], vec![100i8, 100]);
        let y = Tensor::from_vec(&[2, 1], vec![100i8, 100]);
        assert_eq!(dot_general(&x, &y, &matmul(), ElementType::I32).unwrap().as_slice::<i32>(), [20000]);
        assert_eq!(dot_general(&x, &y, &matmul(), ElementType::I8).unwrap().as_slice::<i8>(), [20000i32 as i8]);
    }

    #[test]
    fn booleans_and_empty_sums() {
        let t = Tensor::from_vec(&[1, 2], vec![Bool::new(true), Bool::new(true)]);
        let c = dot_general(&t, &t.clone().with_dims(&[2, 1]), &matmul(), ElementType::Bool).unwrap();
        assert!(c.as_slice::<Bool>()[0].get());
        let c = dot_general(
            &Tensor::zeros(ElementType::F32, &[2, 0]),
            &Tensor::zeros(ElementType::F32, &[0, 3]),
            &matmul(),
            ElementType::F32,
        );
        assert_eq!(c.unwrap().as_slice::<f32>(), [0.0; 6]);
    }

    #[test]
    fn sizes_must_agree() {
        let a = Tensor::zeros(ElementType::F32, &[2, 3]);
        assert!(dot_general(&a, &a, &matmul(), ElementType::F32).is_err());
    }
}
