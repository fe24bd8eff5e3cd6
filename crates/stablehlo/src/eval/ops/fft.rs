//! `fft`: discrete Fourier transforms over the last one to three dimensions, in double precision, rounded once.

use super::convert::convert;
use crate::eval::error::OpError;
use crate::eval::number::Complex;
use crate::eval::tensor::Tensor;
use crate::ir::attrs::FftType;
use crate::{ElementKind, ElementType};

/// The transform of the last `fft_length.len()` dimensions, which have these (real-side) lengths.
///
/// `RFFT` keeps the first half of the last spectrum, `IRFFT` completes it by symmetry; inverses divide by the
/// length. Fails when types or lengths do not fit.
pub fn fft(x: &Tensor, fft_type: FftType, fft_length: &[usize]) -> Result<Tensor, OpError> {
    let (real_in, real_out) = (fft_type == FftType::Rfft, fft_type == FftType::Irfft);
    let inverse = matches!(fft_type, FftType::Ifft | FftType::Irfft);
    let axes = fft_length.len();
    let part = match x.element_type() {
        ElementType::F32 | ElementType::C64 => (ElementType::F32, ElementType::C64),
        _ => (ElementType::F64, ElementType::C128),
    };
    let type_fits = match x.element_type() {
        ElementType::F32 | ElementType::F64 => real_in,
        ty => ty.kind() == ElementKind::Complex && !real_in,
    };
    let half = |n: usize| if n == 0 { 0 } else { n / 2 + 1 };
    let mut input_sizes = fft_length.to_vec();
    if real_out && axes > 0 {
        input_sizes[axes - 1] = half(fft_length[axes - 1]);
    }
    if !type_fits || !(1..=3).contains(&axes) || axes > x.rank() || x.dims()[x.rank() - axes..] != input_sizes {
        return Err(OpError::invalid(format!("{fft_type:?} of length {fft_length:?} over {}", x.describe())));
    }
    let mut dims = x.dims().to_vec();
    let first_axis = dims.len() - axes;
    let wide = convert(x, ElementType::C128)?;
    let mut values = wide.as_slice::<Complex>().to_vec();
    let last = dims.len() - 1;
    if real_out {
        // The outer axes first, on the half spectrum; then the last one, completed by symmetry.
        for axis in first_axis..last {
            transform_axis(&mut values, &dims, axis, true);
        }
        values = complete_rows(&values, dims[last], fft_length[axes - 1]);
        dims[last] = fft_length[axes - 1];
        transform_axis(&mut values, &dims, last, true);
    } else {
        for axis in (first_axis..=last).rev() {
            transform_axis(&mut values, &dims, axis, inverse);
            if real_in && axis == last {
                let kept = half(dims[last]);
                values = values.chunks(dims[last].max(1)).flat_map(|row| row[..kept.min(row.len())].to_vec()).collect();
                dims[last] = kept;
            }
        }
    }
    convert(&Tensor::from_vec(&dims, values), if real_out { part.0 } else { part.1 })
}

/// Rows of `n` from their first `kept` elements, the rest being conjugates in reverse.
fn complete_rows(values: &[Complex], kept: usize, n: usize) -> Vec<Complex> {
    let row = |row: &[Complex]| -> Vec<Complex> {
        (0..n)
            .map(|k| match k {
                // Symmetry makes these real, whatever was given.
                _ if k == 0 || 2 * k == n => Complex::real(row[k].re),
                _ if k < kept => row[k],
                _ => row[n - k].conj(),
            })
            .collect()
    };
    values.chunks(kept.max(1)).flat_map(row).collect()
}

fn transform_axis(values: &mut [Complex], dims: &[usize], axis: usize, inverse: bool) {
    let n = dims[axis];
    let inner: usize = dims[axis + 1..].iter().product();
    if values.is_empty() || n == 0 {
        return;
    }
    let sign = if inverse { 1.0 } else { -1.0 };
    // e^(±2πik/n) for every k: no error grows along a recurrence.
    let roots: Vec<Complex> = (0..n)
        .map(|k| {
            let (sin, cos) = (sign * std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
            Complex::new(cos, sin)
        })
        .collect();
    for outer in 0..values.len() / (n * inner) {
        for k in 0..inner {
            let at = |i: usize| (outer * n + i) * inner + k;
            let line: Vec<Complex> = (0..n).map(|i| values[at(i)]).collect();
            let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
            for (i, value) in transform(&line, &roots, 1).into_iter().enumerate() {
                values[at(i)] = value.scale(scale);
            }
        }
    }
}

/// The unscaled transform of a line, by its smallest prime factor; `roots[k * stride]` are the roots of its length.
fn transform(line: &[Complex], roots: &[Complex], stride: usize) -> Vec<Complex> {
    let n = line.len();
    if n == 1 {
        return line.to_vec();
    }
    let factor = (2..).take_while(|p| p * p <= n).find(|p| n.is_multiple_of(*p)).unwrap_or(n);
    let rest = n / factor;
    let parts: Vec<Vec<Complex>> = (0..factor)
        .map(|r| {
            let part: Vec<Complex> = line.iter().skip(r).step_by(factor).copied().collect();
            transform(&part, roots, stride * factor)
        })
        .collect();
    let root = |k: usize| roots[k % n * stride];
    (0..n)
        .map(|k| parts.iter().enumerate().fold(Complex::real(0.0), |sum, (r, part)| sum + part[k % rest] * root(r * k)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::number::C64;

    #[test]
    fn the_definition() {
        for n in [1usize, 2, 5, 6, 8, 12, 49] {
            let line: Vec<Complex> = (0..n).map(|i| Complex::new((i * i) as f64 % 7.0, i as f64 % 3.0)).collect();
            let x = Tensor::from_vec(&[n], line.clone());
            let y = fft(&x, FftType::Fft, &[n]).unwrap();
            for (k, got) in y.as_slice::<Complex>().iter().enumerate() {
                let want = line.iter().enumerate().fold(Complex::real(0.0), |sum, (i, &v)| {
                    let (sin, cos) = (-std::f64::consts::TAU * ((i * k) % n) as f64 / n as f64).sin_cos();
                    sum + v * Complex::new(cos, sin)
                });
                assert!((*got - want).abs() < 1e-12 * n as f64, "{n} {k}: {got:?} {want:?}");
            }
            let back = fft(&y, FftType::Ifft, &[n]).unwrap();
            assert!(back.as_slice::<Complex>().iter().zip(&line).all(|(a, &b)| (*a - b).abs() < 1e-13 * n as f64));
        }
    }

    #[test]
    fn real_transforms_in_two_dimensions_come_back() {
        for n in [4usize, 5] {
            let x = Tensor::from_vec(&[3, n], (0..3 * n).map(|i| (i as f32).sin()).collect());
            let y = fft(&x, FftType::Rfft, &[3, n]).unwrap();
            assert_eq!((y.dims(), y.element_type()), (&[3, n / 2 + 1][..], ElementType::C64));
            assert!((y.as_slice::<C64>()[0].re - x.as_slice::<f32>().iter().sum::<f32>()).abs() < 1e-5);
            let back = fft(&y, FftType::Irfft, &[3, n]).unwrap();
            let pairs = back.as_slice::<f32>().iter().zip(x.as_slice::<f32>());
            assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-6), "{back:?}");
        }
        assert!(fft(&Tensor::zeros(ElementType::F32, &[4]), FftType::Fft, &[4]).is_err());
    }
}
