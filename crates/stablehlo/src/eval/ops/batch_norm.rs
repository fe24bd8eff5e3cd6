//! `batch_norm_inference`, `batch_norm_training`, `batch_norm_grad`, by the formulas of the specification.
//!
//! All steps are in double precision, and results are rounded once.

use super::axes::axis;
use super::convert::{convert, to_f64s};
use crate::ElementKind;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::tensor::Tensor;

/// A tensor seen as values of features: where each element's feature is, and how many elements a feature has.
struct Features {
    values: Vec<f64>,
    /// Elements between neighbours along the feature dimension.
    inner: usize,
    count: usize,
}

impl Features {
    fn new(x: &Tensor, feature_index: i64) -> Result<Features, OpError> {
        if x.element_type().kind() != ElementKind::Float {
            return Err(OpError::element_type("batch normalisation", x.element_type()));
        }
        let feature = axis("feature_index", feature_index, x.rank())?;
        let inner = x.dims()[feature + 1..].iter().product();
        Ok(Features { values: to_f64s(x)?, inner, count: x.dims()[feature] })
    }

    fn of(&self, position: usize) -> usize {
        position / self.inner.max(1) % self.count
    }

    /// Means over all elements of each feature of a value computed from position and element.
    fn mean(&self, value: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        self.values.iter().enumerate().for_each(|(i, &x)| sums[self.of(i)] += value(i, x));
        let per_feature = self.values.len() as f64 / self.count as f64;
        sums.into_iter().map(|sum| sum / per_feature).collect()
    }

    /// A parameter with one value for each feature.
    fn parameter(&self, x: &Tensor) -> Result<Vec<f64>, OpError> {
        if x.dims() != [self.count] {
            return Err(OpError::invalid(format!("{} for {} features", x.describe(), self.count)));
        }
        to_f64s(x)
    }
}

fn rounded(values: Vec<f64>, ty: ElementType, dims: &[usize]) -> Result<Tensor, OpError> {
    convert(&Tensor::from_vec(dims, values), ty)
}

/// `scale * (x - mean) / sqrt(variance + epsilon) + offset`, with one of each for every feature.
pub fn batch_norm_inference(
    x: &Tensor,
    [scale, offset, mean, variance]: [&Tensor; 4],
    epsilon: f32,
    feature_index: i64,
) -> Result<Tensor, OpError> {
    let features = Features::new(x, feature_index)?;
    let (scale, offset) = (features.parameter(scale)?, features.parameter(offset)?);
    let (mean, variance) = (features.parameter(mean)?, features.parameter(variance)?);
    let normal = |(i, &v): (usize, &f64)| {
        let f = features.of(i);
        scale[f] * (v - mean[f]) / (variance[f] + epsilon as f64).sqrt() + offset[f]
    };
    rounded(features.values.iter().enumerate().map(normal).collect(), x.element_type(), x.dims())
}

/// The normalised tensor, and the mean and variance of each feature that it was normalised by.
pub fn batch_norm_training(
    x: &Tensor,
    scale: &Tensor,
    offset: &Tensor,
    epsilon: f32,
    feature_index: i64,
) -> Result<[Tensor; 3], OpError> {
    let features = Features::new(x, feature_index)?;
    let mean = features.mean(|_, v| v);
    let variance = features.mean(|i, v| (v - mean[features.of(i)]).powi(2));
    let dims = [features.count];
    let (wide_mean, wide_variance) = (Tensor::from_vec(&dims, mean.clone()), Tensor::from_vec(&dims, variance.clone()));
    let y = batch_norm_inference(x, [scale, offset, &wide_mean, &wide_variance], epsilon, feature_index)?;
    Ok([y, rounded(mean, x.element_type(), &dims)?, rounded(variance, x.element_type(), &dims)?])
}

/// Gradients of `batch_norm_training` with respect to operand, scale and offset.
pub fn batch_norm_grad(
    x: &Tensor,
    [scale, mean, variance]: [&Tensor; 3],
    grad_output: &Tensor,
    epsilon: f32,
    feature_index: i64,
) -> Result<[Tensor; 3], OpError> {
    let features = Features::new(x, feature_index)?;
    if grad_output.dims() != x.dims() {
        return Err(OpError::invalid(format!("gradient {} for operand {}", grad_output.describe(), x.describe())));
    }
    let (scale, mean) = (features.parameter(scale)?, features.parameter(mean)?);
    let deviation: Vec<f64> = features.parameter(variance)?.iter().map(|v| (v + epsilon as f64).sqrt()).collect();
    let grad = to_f64s(grad_output)?;
    let mean_grad = features.mean(|i, _| grad[i]);
    let mean_grad_centered = features.mean(|i, v| grad[i] * (v - mean[features.of(i)]));
    let per_feature = features.values.len() as f64 / features.count as f64;
    let operand = |(i, &v): (usize, &f64)| {
        let f = features.of(i);
        let along = (v - mean[f]) * mean_grad_centered[f] / deviation[f].powi(2);
        scale[f] / deviation[f] * (grad[i] - mean_grad[f] - along)
    };
    let grad_operand = features.values.iter().enumerate().map(operand).collect();
    let grad_scale = (0..features.count).map(|f| mean_grad_centered[f] * per_feature / deviation[f]).collect();
    let grad_offset = mean_grad.iter().map(|g| g * per_feature).collect();
    let (ty, dims) = (x.element_type(), [features.count]);
    Ok([rounded(grad_operand, ty, x.dims())?, rounded(grad_scale, ty, &dims)?, rounded(grad_offset, ty, &dims)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_specification() {
        let x = Tensor::from_vec(&[2, 2, 2], vec![1f64, 2.0, 3.0, 4.0, 3.0, 4.0, 1.0, 2.0]);
        let ones = Tensor::from_vec(&[2], vec![1f64, 1.0]);
        let [y, mean, variance] = batch_norm_training(&x, &ones, &ones, 0.0, 2).unwrap();
        assert_eq!(y.as_slice::<f64>(), [0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 0.0, 0.0]);
        assert_eq!((mean.as_slice::<f64>(), variance.as_slice::<f64>()), (&[2.0, 3.0][..], &[1.0, 1.0][..]));
        let grad = Tensor::from_vec(&[2, 2, 2], vec![0.1f64; 8]);
        let [operand, scale, offset] = batch_norm_grad(&x, [&ones, &mean, &ones], &grad, 0.0, 2).unwrap();
        assert!(operand.as_slice::<f64>().iter().all(|v| v.abs() < 1e-12));
        assert!(scale.as_slice::<f64>().iter().all(|v| v.abs() < 1e-12));
        assert_eq!(offset.as_slice::<f64>(), [0.4, 0.4]);
    }

    #[test]
    fn gradients_match_differences() {
        let values = vec![0.3f64, -1.2, 0.7, 2.0, 0.1, -0.4];
        let grad = Tensor::from_vec(&[3, 2], vec![0.5, -0.25, 1.0, 0.75, -0.5, 0.1]);
        let scale = Tensor::from_vec(&[2], vec![1.5f64, 0.5]);
        let zero = Tensor::from_vec(&[2], vec![0f64, 0.0]);
        let loss = |values: Vec<f64>| {
            let [y, ..] = batch_norm_training(&Tensor::from_vec(&[3, 2], values), &scale, &zero, 1e-3, 1).unwrap();
            y.as_slice::<f64>().iter().zip(grad.as_slice::<f64>()).map(|(a, b)| a * b).sum::<f64>()
        };
        let x = Tensor::from_vec(&[3, 2], values.clone());
        let [_, mean, variance] = batch_norm_training(&x, &scale, &zero, 1e-3, 1).unwrap();
        let [operand, ..] = batch_norm_grad(&x, [&scale, &mean, &variance], &grad, 1e-3, 1).unwrap();
        for i in 0..values.len() {
            let (mut up, mut down) = (values.clone(), values.clone());
            up[i] += 1e-6;
            down[i] -= 1e-6;
            let slope = (loss(up) - loss(down)) / 2e-6;
            assert!((slope - operand.as_slice::<f64>()[i]).abs() < 1e-6, "{i}: {slope}");
        }
    }
}
