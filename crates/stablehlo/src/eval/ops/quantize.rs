//! Between quantized integers and the real numbers that they stand for.

use super::convert::convert;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::{Float, with_float};
use crate::eval::tensor::Tensor;

/// What the integers of a quantized type stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantization {
    /// Type of the stored integers.
    pub storage: ElementType,
    /// Type of the numbers they stand for, in which the arithmetic is done.
    pub expressed: ElementType,
    /// Least and greatest stored integer that is used.
    pub range: (i64, i64),
    /// The dimension along which scale and zero point change; `None` if they are the same for all.
    pub axis: Option<usize>,
    /// Scales and zero points.
    pub parameters: Vec<(f64, i64)>,
}

impl Quantization {
    /// For each element of a shape the place of its parameters.
    fn places<'a>(&'a self, dims: &'a [usize]) -> Result<impl Iterator<Item = usize> + use<'a>, OpError> {
        let (inner, size) = match self.axis {
            None => (1, 1),
            Some(axis) if dims.get(axis) == Some(&self.parameters.len()) => {
                (dims[axis + 1..].iter().product::<usize>(), dims[axis])
            }
            Some(axis) => {
                return Err(OpError::invalid(format!(
                    "{} scales along dimension {axis} of shape {dims:?}",
                    self.parameters.len()
                )));
            }
        };
        Ok((0..dims.iter().product()).map(move |i: usize| i / inner.max(1) % size.max(1)))
    }
}

/// The numbers that stored integers stand for: (stored − zero point) · scale, in the expressed type.
pub fn dequantize(x: &Tensor, q: &Quantization) -> Result<Tensor, OpError> {
    let stored = x.to_i64s()?;
    let places = q.places(x.dims())?;
    with_float!(q.expressed,
        T => {
            let real = |(stored, place): (i64, usize)| {
                let (scale, zero_point) = q.parameters[place];
                let difference = T::from_f64((stored - zero_point) as f64);
                T::from_f64(difference.to_f64() * T::from_f64(scale).to_f64())
            };
            Ok(Tensor::from_vec(x.dims(), stored.into_iter().zip(places).map(real).collect()))
        },
        _ => Err(OpError::element_type("an expressed number", q.expressed)))
}

/// The stored integers nearest to numbers: x / scale + zero point, clamped to the range and rounded, halves to even.
///
/// Each step rounds to the expressed type.
pub fn quantize(x: &Tensor, q: &Quantization) -> Result<Tensor, OpError> {
    if x.element_type() != q.expressed {
        return Err(OpError::invalid(format!("{} where numbers of {} are quantized", x.describe(), q.expressed)));
    }
    let places = q.places(x.dims())?;
    let stored: Vec<f64> = with_float!(q.expressed,
        T => {
            let round = |v: f64| T::from_f64(v).to_f64();
            let (low, high) = (round(q.range.0 as f64), round(q.range.1 as f64));
            let integer = |(v, place): (&T, usize)| {
                let (scale, zero_point) = q.parameters[place];
                let moved = round(round(v.to_f64() / round(scale)) + round(zero_point as f64));
                // NaN stays, and is converted to 0.
                moved.max(low).min(high).round_ties_even() + if moved.is_nan() { f64::NAN } else { 0.0 }
            };
            x.as_slice::<T>().iter().zip(places).map(integer).collect()
        },
        _ => return Err(OpError::element_type("an expressed number", q.expressed)));
    convert(&Tensor::from_vec(x.dims(), stored), q.storage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_along_an_axis() {
        let q = Quantization {
            storage: ElementType::I8,
            expressed: ElementType::F32,
            range: (-128, 127),
            axis: Some(0),
            parameters: vec![(0.1, -30), (0.5, -20)],
        };
        let x = Tensor::from_vec(&[2, 2], vec![4f32, 1e9, 15.0, f32::NAN]);
        let stored = quantize(&x, &q).unwrap();
        assert_eq!(stored.as_slice::<i8>(), [10, 127, 10, 0]);
        assert_eq!(dequantize(&stored, &q).unwrap().as_slice::<f32>(), [4.0, 15.7, 15.0, 10.0]);
        assert!(quantize(&Tensor::zeros(ElementType::F32, &[3]), &q).is_err());
    }

    #[test]
    fn halves_go_to_even() {
        let q = Quantization {
            storage: ElementType::U8,
            expressed: ElementType::F32,
            range: (0, 255),
            axis: None,
            parameters: vec![(1.0, 0)],
        };
        let x = Tensor::from_vec(&[4], vec![0.5f32, 1.5, 2.5, -3.0]);
        assert_eq!(quantize(&x, &q).unwrap().as_slice::<u8>(), [0, 2, 2, 0]);
    }
}
