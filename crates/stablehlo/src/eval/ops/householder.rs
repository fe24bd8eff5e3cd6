//! QR factorisation by Householder reflections, as the custom calls `Qr` and
//! `ProductOfElementaryHouseholderReflectors` have it: LAPACK's packed form, in double precision, rounded once.

use crate::eval::error::OpError;
use crate::eval::number::Complex;
use crate::eval::ops::convert::convert;
use crate::eval::tensor::Tensor;
use crate::{ElementKind, ElementType};

const ZERO: Complex = Complex::real(0.0);
const ONE: Complex = Complex::real(1.0);

/// Rows and columns of a stack of matrices, and its elements.
fn stack(a: &Tensor) -> Result<(usize, usize, Vec<Complex>), OpError> {
    if !matches!(a.element_type().kind(), ElementKind::Float | ElementKind::Complex) {
        return Err(OpError::element_type("a QR factorisation", a.element_type()));
    }
    match *a.dims() {
        [.., rows, columns] => Ok((rows, columns, convert(a, ElementType::C128)?.as_slice::<Complex>().to_vec())),
        _ => Err(OpError::invalid(format!("{} is no stack of matrices", a.describe()))),
    }
}

/// Adds `factor` · v · (vᴴ · m[:, column]) to a column, where v is column `k` of `packed` below its implicit one.
fn reflect(m: &mut [Complex], packed: &[Complex], k: usize, column: usize, rows: usize, width: usize, factor: Complex) {
    let v = |i: usize| if i == k { ONE } else { packed[i * width + k] };
    let dot = (k..rows).fold(ZERO, |sum, i| sum + v(i).conj() * m[i * width + column]);
    for i in k..rows {
        m[i * width + column] = m[i * width + column] + factor * v(i) * dot;
    }
}

/// Packed reflectors (R on and above the diagonal) and their factors: Q = H₀·H₁·…, with H = 1 − τ·v·vᴴ.
pub fn qr(a: &Tensor) -> Result<[Tensor; 2], OpError> {
    let (rows, columns, mut values) = stack(a)?;
    let steps = rows.min(columns);
    let mut taus = Vec::new();
    for m in values.chunks_exact_mut((rows * columns).max(1)) {
        for k in 0..steps {
            let alpha = m[k * columns + k];
            let below = (k + 1..rows).fold(0f64, |norm, i| norm.hypot(m[i * columns + k].abs()));
            if below == 0.0 && alpha.im == 0.0 {
                taus.push(ZERO);
                continue;
            }
            let beta = -alpha.abs().hypot(below).copysign(alpha.re);
            let tau = Complex::new((beta - alpha.re) / beta, -alpha.im / beta);
            let scale = ONE / (alpha - Complex::real(beta));
            (k + 1..rows).for_each(|i| m[i * columns + k] = m[i * columns + k] * scale);
            m[k * columns + k] = Complex::real(beta);
            let packed = m.to_vec();
            (k + 1..columns).for_each(|column| reflect(m, &packed, k, column, rows, columns, -tau.conj()));
            taus.push(tau);
        }
    }
    let mut tau_dims = a.dims()[..a.rank() - 2].to_vec();
    tau_dims.push(steps);
    if taus.is_empty() {
        taus = vec![ZERO; tau_dims.iter().product()];
    }
    let ty = a.element_type();
    Ok([convert(&Tensor::from_vec(a.dims(), values), ty)?, convert(&Tensor::from_vec(&tau_dims, taus), ty)?])
}

/// The first columns of Q, as many as `packed` has, from what [`qr`] gives.
pub fn householder_product(packed: &Tensor, taus: &Tensor) -> Result<Tensor, OpError> {
    let (rows, columns, reflectors) = stack(packed)?;
    let steps = taus.dims().last().copied().unwrap_or(0);
    if taus.rank() + 1 != packed.rank()
        || taus.dims()[..taus.rank() - 1] != packed.dims()[..packed.rank() - 2]
        || steps > columns.min(rows)
    {
        return Err(OpError::invalid(format!("factors {} for reflectors {}", taus.describe(), packed.describe())));
    }
    let wide = convert(taus, ElementType::C128)?;
    let mut values = vec![ZERO; reflectors.len()];
    let size = (rows * columns).max(1);
    for (batch, (m, packed)) in values.chunks_exact_mut(size).zip(reflectors.chunks_exact(size)).enumerate() {
        (0..rows.min(columns)).for_each(|i| m[i * columns + i] = ONE);
        for k in (0..steps).rev() {
            let tau = wide.as_slice::<Complex>()[batch * steps + k];
            (0..columns).for_each(|column| reflect(m, packed, k, column, rows, columns, -tau));
        }
    }
    convert(&Tensor::from_vec(packed.dims(), values), packed.element_type())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_the_matrix() {
        for (rows, columns) in [(4usize, 3usize), (3, 3), (1, 1)] {
            let element = |i: usize| Complex::new((i as f64 * 1.7).sin(), (i as f64 * 0.9).cos());
            let a: Vec<Complex> = (0..rows * columns).map(element).collect();
            let [packed, taus] = qr(&Tensor::from_vec(&[rows, columns], a.clone())).unwrap();
            let q = householder_product(&packed, &taus).unwrap();
            let (q, r) = (q.as_slice::<Complex>(), packed.as_slice::<Complex>());
            for i in 0..rows {
                for j in 0..columns {
                    let product = (0..=j).fold(ZERO, |sum, k| sum + q[i * columns + k] * r[k * columns + j]);
                    assert!((product - a[i * columns + j]).abs() < 1e-14, "{i} {j}");
                }
            }
        }
    }
}
