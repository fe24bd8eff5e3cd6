//! Binds matrix products, convolutions and linear algebra.

use super::{Binder, exactly, of_tensors, plain, tensors};
use crate::eval::error::OpError;
use crate::eval::ops::axes::{axes, sizes};
use crate::eval::ops::batch_norm::{batch_norm_grad, batch_norm_inference, batch_norm_training};
use crate::eval::ops::convolution::{Convolution, convolution};
use crate::eval::ops::dot::{DotDimensions, dot_general};
use crate::eval::ops::fft::fft;
use crate::eval::ops::linear::{TriangularSolve, cholesky, triangular_solve};
use crate::eval::ops::window::WindowDimension;
use crate::eval::plan::{Kernel, Lift};
use crate::eval::value::Value;
use crate::ir::OpCode;

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    Ok(Some(match op.code() {
        OpCode::DotGeneral => {
            let numbers = op.dot_dimension_numbers()?;
            let (lhs_rank, rhs_rank) = (binder.operand_rank(0)?, binder.operand_rank(1)?);
            let dims = DotDimensions {
                lhs_batching: axes("lhs_batching_dimensions", &numbers.lhs_batching_dimensions, lhs_rank)?,
                rhs_batching: axes("rhs_batching_dimensions", &numbers.rhs_batching_dimensions, rhs_rank)?,
                lhs_contracting: axes("lhs_contracting_dimensions", &numbers.lhs_contracting_dimensions, lhs_rank)?,
                rhs_contracting: axes("rhs_contracting_dimensions", &numbers.rhs_contracting_dimensions, rhs_rank)?,
            };
            let result = binder.result_element(0)?;
            of_tensors(Lift::Never, move |x| {
                let [lhs, rhs] = exactly(x)?;
                dot_general(&lhs, &rhs, &dims, result)
            })
        }
        OpCode::Convolution => {
            let unpadded = unpadded_convolution(binder)?;
            let padding = op.padding("padding")?.unwrap_or_else(|| vec![(0, 0); unpadded.windows.len()]);
            let parameters = padded(&unpadded, &padding)?;
            of_tensors(Lift::Never, move |x| {
                let [lhs, rhs] = exactly(x)?;
                convolution(&lhs, &rhs, &parameters)
            })
        }
        OpCode::DynamicConv => {
            let unpadded = unpadded_convolution(binder)?;
            of_tensors(Lift::Never, move |x| {
                let [lhs, rhs, padding] = exactly(x)?;
                let rows: Vec<(i64, i64)> = padding.to_i64s()?.chunks_exact(2).map(|row| (row[0], row[1])).collect();
                convolution(&lhs, &rhs, &padded(&unpadded, &rows)?)
            })
        }
        OpCode::Cholesky => {
            let lower = op.bool_or("lower", false)?;
            of_tensors(Lift::Never, move |x| {
                let [a] = exactly(x)?;
                cholesky(&a, lower)
            })
        }
        OpCode::TriangularSolve => {
            let parameters = TriangularSolve {
                left_side: op.bool("left_side")?,
                lower: op.bool("lower")?,
                unit_diagonal: op.bool("unit_diagonal")?,
                transpose_a: op.transpose_a()?,
            };
            of_tensors(Lift::Never, move |x| {
                let [a, b] = exactly(x)?;
                triangular_solve(&a, &b, parameters)
            })
        }
        OpCode::BatchNormInference => {
            let (epsilon, feature_index) = (op.f32("epsilon")?, op.int("feature_index")?);
            of_tensors(Lift::Never, move |x| {
                let [x, scale, offset, mean, variance] = exactly(x)?;
                batch_norm_inference(&x, [&scale, &offset, &mean, &variance], epsilon, feature_index)
            })
        }
        OpCode::BatchNormTraining => {
            let (epsilon, feature_index) = (op.f32("epsilon")?, op.int("feature_index")?);
            plain(move |_, operands| {
                let [x, scale, offset] = exactly(tensors(operands)?)?;
                Ok(batch_norm_training(&x, &scale, &offset, epsilon, feature_index)?.map(Value::from).to_vec())
            })
        }
        OpCode::BatchNormGrad => {
            let (epsilon, feature_index) = (op.f32("epsilon")?, op.int("feature_index")?);
            plain(move |_, operands| {
                let [x, scale, mean, variance, grad] = exactly(tensors(operands)?)?;
                let gradients = batch_norm_grad(&x, [&scale, &mean, &variance], &grad, epsilon, feature_index)?;
                Ok(gradients.map(Value::from).to_vec())
            })
        }
        OpCode::Fft => {
            let (fft_type, fft_length) = (op.fft_type()?, sizes("fft_length", op.i64s("fft_length")?)?);
            of_tensors(Lift::Never, move |x| {
                let [x] = exactly(x)?;
                fft(&x, fft_type, &fft_length)
            })
        }
        _ => return Ok(None),
    }))
}

/// What a convolution says but for the padding.
fn unpadded_convolution(binder: &Binder<'_, '_>) -> Result<Convolution, OpError> {
    let op = binder.op;
    let numbers = op.conv_dimension_numbers()?.clone();
    let rank = numbers.kernel_spatial_dimensions.len();
    let per_dimension = |name: &str| -> Result<Vec<i64>, OpError> {
        let values = op.i64s_opt(name)?.map_or(vec![1; rank], <[i64]>::to_vec);
        if values.len() == rank { Ok(values) } else { Err(OpError::invalid(format!("`{name}` needs {rank} entries"))) }
    };
    let strides = per_dimension("window_strides")?;
    let (lhs_dilation, rhs_dilation) = (per_dimension("lhs_dilation")?, per_dimension("rhs_dilation")?);
    let kernel = op.operand_tensor(1).ok_or_else(|| OpError::invalid("operand 1 must be a ranked tensor"))?;
    let spatial = axes("kernel_spatial_dimensions", &numbers.kernel_spatial_dimensions, kernel.rank())?;
    let windows = (0..rank)
        .map(|d| WindowDimension::new(kernel.dims[spatial[d]], strides[d], (0, 0), lhs_dilation[d], rhs_dilation[d]));
    Ok(Convolution {
        windows: windows.collect::<Result<_, _>>()?,
        window_reversal: op.bools_opt("window_reversal")?.map_or(vec![false; rank], <[bool]>::to_vec),
        feature_group_count: sizes("feature_group_count", &[op.int_or("feature_group_count", 1)?])?[0],
        batch_group_count: sizes("batch_group_count", &[op.int_or("batch_group_count", 1)?])?[0],
        result_type: binder.result_element(0)?,
        numbers,
    })
}

fn padded(convolution: &Convolution, padding: &[(i64, i64)]) -> Result<Convolution, OpError> {
    let mut convolution = convolution.clone();
    if padding.len() != convolution.windows.len() {
        return Err(OpError::invalid(format!("`padding` needs {} rows", convolution.windows.len())));
    }
    for (window, &padding) in convolution.windows.iter_mut().zip(padding) {
        window.padding = padding;
    }
    Ok(convolution)
}
