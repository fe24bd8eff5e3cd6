//! `iota` and `complex`: tensors that come from indices or from parts.

use super::map::map2;
use super::map::same_type;
use super::movement::{broadcast_in_dim, check_axes};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::{C64, Complex, ComplexElement, Float, Integer, with_complex, with_float, with_integer};
use crate::eval::tensor::{Tensor, element_count};

/// Every element is its index along `dimension`; integers wrap and floats round.
pub fn iota(element_type: ElementType, dims: &[usize], dimension: usize) -> Result<Tensor, OpError> {
    check_axes("iota_dimension", &[dimension], dims.len())?;
    if element_count(dims).is_none() {
        return Err(OpError::invalid(format!("result shape {dims:?} does not fit in memory")));
    }
    let n = dims[dimension];
    let undefined = || OpError::element_type("iota", element_type);
    let line = with_integer!(element_type,
        T => Tensor::from_vec(&[n], (0..n).map(|i| T::truncate(i as u64)).collect()),
        _ => with_float!(element_type,
            T => Tensor::from_vec(&[n], (0..n).map(|i| T::from_f64(i as f64)).collect()),
            _ => with_complex!(element_type,
                T => Tensor::from_vec(&[n], (0..n).map(|i| T::from_complex(Complex::real(i as f64))).collect()),
                _ => return Err(undefined()))));
    broadcast_in_dim(&line, &[dimension], dims)
}

/// Complex numbers from real and imaginary parts. Fails unless both are `f32` or both `f64`.
pub fn complex(re: &Tensor, im: &Tensor) -> Result<Tensor, OpError> {
    same_type(re, im)?;
    match re.element_type() {
        ElementType::F32 => Ok(map2(re, im, |re: f32, im: f32| C64 { re, im })),
        ElementType::F64 => Ok(map2(re, im, |re: f64, im: f64| Complex { re, im })),
        other => Err(OpError::element_type("complex", other)),
    }
}
