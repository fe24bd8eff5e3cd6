//! Binds the element-wise ops and constants.

use super::{Binder, exactly, of_tensors};
use crate::eval::error::OpError;
use crate::eval::ops::binary::{BinaryOp, binary};
use crate::eval::ops::compare::compare;
use crate::eval::ops::convert::{bitcast_convert, convert, reduce_precision};
use crate::eval::ops::creation::complex;
use crate::eval::ops::movement::broadcast_scalar;
use crate::eval::ops::select::{clamp, select};
use crate::eval::ops::unary::{UnaryOp, unary};
use crate::eval::plan::{Kernel, Lift};
use crate::eval::tensor::{Tensor, element_count};
use crate::ir::OpCode;

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    if let Some(unary_op) = unary_op(op.code()) {
        return Ok(Some(of_tensors(Lift::Elementwise, move |x| {
            let [x] = exactly(x)?;
            unary(unary_op, &x)
        })));
    }
    if let Some(binary_op) = binary_op(op.code()) {
        let kernel = of_tensors(Lift::Elementwise, move |x| {
            let [lhs, rhs] = exactly(x)?;
            binary(binary_op, &lhs, &rhs)
        });
        return Ok(Some(Kernel { binary: Some(binary_op), ..kernel }));
    }
    Ok(Some(match op.code() {
        OpCode::Constant | OpCode::SdyConstant | OpCode::ChloConstant => constant(binder)?,
        OpCode::Compare => {
            let (direction, ty) = (op.comparison_direction()?, op.compare_type()?);
            of_tensors(Lift::Elementwise, move |x| {
                let [lhs, rhs] = exactly(x)?;
                compare(direction, ty, &lhs, &rhs)
            })
        }
        OpCode::Select => of_tensors(Lift::Elementwise, |x| {
            let [pred, on_true, on_false] = exactly(x)?;
            select(&pred, &on_true, &on_false)
        }),
        OpCode::Clamp => of_tensors(Lift::Elementwise, |x| {
            let [min, operand, max] = exactly(x)?;
            clamp(&min, &operand, &max)
        }),
        OpCode::Complex => of_tensors(Lift::Elementwise, |x| {
            let [re, im] = exactly(x)?;
            complex(&re, &im)
        }),
        OpCode::Convert => {
            let to = binder.result_element(0)?;
            of_tensors(Lift::Elementwise, move |x| {
                let [x] = exactly(x)?;
                convert(&x, to)
            })
        }
        OpCode::BitcastConvert => {
            let (to, dims) = (binder.result_element(0)?, binder.result_dims(0)?);
            of_tensors(Lift::Elementwise, move |x| {
                let [x] = exactly(x)?;
                // Of one width it is element-wise, and the shape that of the operand.
                let same_width = x.element_type().bits() == to.bits();
                bitcast_convert(&x, to, if same_width { x.dims() } else { &dims })
            })
        }
        // Between stored integers and numbers: all of it is around the kernel.
        OpCode::UniformQuantize | OpCode::UniformDequantize => of_tensors(Lift::Elementwise, |x| {
            let [x] = exactly(x)?;
            Ok(x)
        }),
        OpCode::ReducePrecision => {
            let (exponent_bits, mantissa_bits) = (op.int("exponent_bits")?, op.int("mantissa_bits")?);
            of_tensors(Lift::Elementwise, move |x| {
                let [x] = exactly(x)?;
                reduce_precision(&x, exponent_bits, mantissa_bits)
            })
        }
        _ => return Ok(None),
    }))
}

fn constant(binder: &Binder<'_, '_>) -> Result<Kernel, OpError> {
    let (ty, dims) = (binder.result_element(0)?, binder.result_dims(0)?);
    let dense = binder.op.dense("value")?;
    let value = if dense.is_splat() {
        if element_count(&dims).is_none() {
            return Err(OpError::invalid(format!("shape {dims:?} does not fit in memory")));
        }
        broadcast_scalar(&Tensor::from_bytes(ty, &[], dense.data())?, &dims)
    } else {
        Tensor::from_bytes(ty, &dims, dense.data())?
    };
    Ok(of_tensors(Lift::Constant, move |_| Ok(value.clone())))
}

/// Whether the op is one operation on one or two numbers.
pub(super) fn is_operation(code: OpCode) -> bool {
    unary_op(code).is_some() || binary_op(code).is_some()
}

fn unary_op(code: OpCode) -> Option<UnaryOp> {
    Some(match code {
        OpCode::Abs => UnaryOp::Abs,
        OpCode::Cbrt => UnaryOp::Cbrt,
        OpCode::Ceil => UnaryOp::Ceil,
        OpCode::Cosine => UnaryOp::Cosine,
        OpCode::CountLeadingZeros => UnaryOp::CountLeadingZeros,
        OpCode::Exponential => UnaryOp::Exponential,
        OpCode::ExponentialMinusOne => UnaryOp::ExponentialMinusOne,
        OpCode::Floor => UnaryOp::Floor,
        OpCode::Imag => UnaryOp::Imag,
        OpCode::IsFinite => UnaryOp::IsFinite,
        OpCode::Log => UnaryOp::Log,
        OpCode::LogPlusOne => UnaryOp::LogPlusOne,
        OpCode::Logistic => UnaryOp::Logistic,
        OpCode::Negate => UnaryOp::Negate,
        OpCode::Not => UnaryOp::Not,
        OpCode::Popcnt => UnaryOp::Popcnt,
        OpCode::Real => UnaryOp::Real,
        OpCode::RoundNearestAfz => UnaryOp::RoundNearestAfz,
        OpCode::RoundNearestEven => UnaryOp::RoundNearestEven,
        OpCode::Rsqrt => UnaryOp::Rsqrt,
        OpCode::Sign => UnaryOp::Sign,
        OpCode::Sine => UnaryOp::Sine,
        OpCode::Sqrt => UnaryOp::Sqrt,
        OpCode::Tan => UnaryOp::Tan,
        OpCode::Tanh => UnaryOp::Tanh,
        _ => return None,
    })
}

pub(super) fn binary_op(code: OpCode) -> Option<BinaryOp> {
    Some(match code {
        OpCode::Add => BinaryOp::Add,
        OpCode::And => BinaryOp::And,
        OpCode::Atan2 => BinaryOp::Atan2,
        OpCode::Divide => BinaryOp::Divide,
        OpCode::Maximum => BinaryOp::Maximum,
        OpCode::Minimum => BinaryOp::Minimum,
        OpCode::Multiply => BinaryOp::Multiply,
        OpCode::Or => BinaryOp::Or,
        OpCode::Power => BinaryOp::Power,
        OpCode::Remainder => BinaryOp::Remainder,
        OpCode::ShiftLeft => BinaryOp::ShiftLeft,
        OpCode::ShiftRightArithmetic => BinaryOp::ShiftRightArithmetic,
        OpCode::ShiftRightLogical => BinaryOp::ShiftRightLogical,
        OpCode::Subtract => BinaryOp::Subtract,
        OpCode::Xor => BinaryOp::Xor,
        _ => return None,
    })
}

/// What an op of chlo does after broadcasting its operands; `None` if it is no such op.
pub(super) fn broadcast_base(code: OpCode) -> Option<OpCode> {
    Some(match code {
        OpCode::ChloBroadcastAdd => OpCode::Add,
        OpCode::ChloBroadcastAnd => OpCode::And,
        OpCode::ChloBroadcastAtan2 => OpCode::Atan2,
        OpCode::ChloBroadcastCompare => OpCode::Compare,
        OpCode::ChloBroadcastComplex => OpCode::Complex,
        OpCode::ChloBroadcastDivide => OpCode::Divide,
        OpCode::ChloBroadcastMaximum => OpCode::Maximum,
        OpCode::ChloBroadcastMinimum => OpCode::Minimum,
        OpCode::ChloBroadcastMultiply => OpCode::Multiply,
        OpCode::ChloBroadcastNextAfter => OpCode::ChloNextAfter,
        OpCode::ChloBroadcastOr => OpCode::Or,
        OpCode::ChloBroadcastPolygamma => OpCode::ChloPolygamma,
        OpCode::ChloBroadcastPower => OpCode::Power,
        OpCode::ChloBroadcastRemainder => OpCode::Remainder,
        OpCode::ChloBroadcastShiftLeft => OpCode::ShiftLeft,
        OpCode::ChloBroadcastShiftRightArithmetic => OpCode::ShiftRightArithmetic,
        OpCode::ChloBroadcastShiftRightLogical => OpCode::ShiftRightLogical,
        OpCode::ChloBroadcastSubtract => OpCode::Subtract,
        OpCode::ChloBroadcastXor => OpCode::Xor,
        OpCode::ChloBroadcastZeta => OpCode::ChloZeta,
        _ => return None,
    })
}
