//! Element-wise ops and constants.

use super::Importer;
use crate::array_type::ArrayType;
use crate::error::Result;
use crate::fuse::lanes;
use crate::graph::{MapOp, Value};
use cpu_vir::{BinaryOp, Direction, UnaryOp};
use stablehlo::ElementKind;
use stablehlo::eval::Tensor;
use stablehlo::ir::attrs::{ComparisonDirection, ComparisonType};
use stablehlo::ir::{OpCode, OpRef};

impl<'m> Importer<'m> {
    /// The results of an element-wise op; `None` when it is none, or none that loops can do.
    pub(super) fn elementwise(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        if matches!(op.code(), OpCode::Constant | OpCode::SdyConstant | OpCode::ChloConstant) {
            let ty = self.result_type(op, 0)?;
            let dense = op.dense("value")?;
            let data = canonical(&ty, dense.data());
            return Ok(Some(vec![self.graph.constant(self.block, &data, dense.is_splat(), ty)]));
        }
        let Some(map) = map_op(op)? else { return Ok(None) };
        let ty = self.result_type(op, 0)?;
        let mut inputs = self.operands(op)?;
        let bool = self.graph.ty(inputs[0]).element.is_some_and(|element| element.kind() == ElementKind::Bool);
        let map = if bool { of_booleans(map) } else { map };
        // Predicates and bounds may be scalars beside arrays.
        for input in &mut inputs {
            if self.graph.ty(*input).dims.is_empty() && !ty.dims.is_empty() {
                *input = self.spread(*input, &ty.dims);
            }
        }
        if op.code() == OpCode::Clamp {
            let [low, x, high] = inputs[..] else { return Ok(None) };
            if !lanes::can_map(MapOp::Binary(BinaryOp::Max), &[&ty, &ty], &ty) {
                return Ok(None);
            }
            let raised = self.graph.map(self.block, MapOp::Binary(BinaryOp::Max), vec![x, low], ty.clone());
            let clamped = self.graph.map(self.block, MapOp::Binary(BinaryOp::Min), vec![raised, high], ty);
            return Ok(Some(vec![clamped]));
        }
        let types: Vec<_> = inputs.iter().map(|&input| &**self.graph.ty(input)).collect();
        if !lanes::can_map(map, &types, &ty) {
            return Ok(None);
        }
        Ok(Some(vec![self.graph.map(self.block, map, inputs, ty)]))
    }
}

/// Literals as arrays have them: booleans are 0 or 1, and the unused bits of narrow types say nothing.
fn canonical(ty: &ArrayType, data: &[u8]) -> Vec<u8> {
    let narrow = ty.element.filter(|element| element.bits() < 8);
    let tensor = narrow.and_then(|element| Tensor::from_bytes(element, &[data.len()], data).ok());
    tensor.map_or_else(|| data.to_vec(), |tensor| tensor.to_bytes())
}

/// Arithmetic of booleans is logic.
fn of_booleans(map: MapOp) -> MapOp {
    match map {
        MapOp::Binary(BinaryOp::Add | BinaryOp::Max) => MapOp::Binary(BinaryOp::Or),
        MapOp::Binary(BinaryOp::Mul | BinaryOp::Min) => MapOp::Binary(BinaryOp::And),
        other => other,
    }
}

/// The element-wise operation of an op.
pub(super) fn map_op(op: OpRef<'_>) -> Result<Option<MapOp>> {
    if let Some(unary) = unary_op(op.code()) {
        return Ok(Some(MapOp::Unary(unary)));
    }
    if let Some(binary) = binary_op(op.code()) {
        return Ok(Some(MapOp::Binary(binary)));
    }
    Ok(Some(match op.code() {
        OpCode::Compare => {
            let direction = match op.comparison_direction()? {
                ComparisonDirection::Eq => Direction::Eq,
                ComparisonDirection::Ne => Direction::Ne,
                ComparisonDirection::Ge => Direction::Ge,
                ComparisonDirection::Gt => Direction::Gt,
                ComparisonDirection::Le => Direction::Le,
                ComparisonDirection::Lt => Direction::Lt,
            };
            MapOp::Compare { direction, total: op.compare_type()? == ComparisonType::TotalOrder }
        }
        OpCode::Select => MapOp::Select,
        // Two maps, made by the caller.
        OpCode::Clamp => MapOp::Binary(BinaryOp::Max),
        OpCode::Convert => MapOp::Convert,
        OpCode::BitcastConvert => MapOp::Bitcast,
        OpCode::ReducePrecision => {
            let (exponent, mantissa) = (op.int("exponent_bits")?, op.int("mantissa_bits")?);
            match (u32::try_from(exponent), u32::try_from(mantissa)) {
                (Ok(exponent), Ok(mantissa)) => MapOp::ReducePrecision { exponent, mantissa },
                _ => return Ok(None),
            }
        }
        OpCode::Real => MapOp::Real,
        OpCode::Imag => MapOp::Imag,
        OpCode::Complex => MapOp::Complex,
        _ => return Ok(None),
    }))
}

fn unary_op(code: OpCode) -> Option<UnaryOp> {
    Some(match code {
        OpCode::Abs => UnaryOp::Abs,
        OpCode::Cbrt => UnaryOp::Cbrt,
        OpCode::Ceil => UnaryOp::Ceil,
        OpCode::Cosine => UnaryOp::Cos,
        OpCode::CountLeadingZeros => UnaryOp::Clz,
        OpCode::Exponential => UnaryOp::Exp,
        OpCode::ExponentialMinusOne => UnaryOp::Expm1,
        OpCode::Floor => UnaryOp::Floor,
        OpCode::IsFinite => UnaryOp::IsFinite,
        OpCode::Log => UnaryOp::Log,
        OpCode::LogPlusOne => UnaryOp::Log1p,
        OpCode::Logistic => UnaryOp::Logistic,
        OpCode::Negate => UnaryOp::Neg,
        OpCode::Not => UnaryOp::Not,
        OpCode::Popcnt => UnaryOp::Popcnt,
        OpCode::RoundNearestAfz => UnaryOp::RoundHalfAway,
        OpCode::RoundNearestEven => UnaryOp::RoundHalfEven,
        OpCode::Rsqrt => UnaryOp::Rsqrt,
        OpCode::Sign => UnaryOp::Sign,
        OpCode::Sine => UnaryOp::Sin,
        OpCode::Sqrt => UnaryOp::Sqrt,
        OpCode::Tan | OpCode::ChloTan => UnaryOp::Tan,
        OpCode::Tanh => UnaryOp::Tanh,
        OpCode::ChloErf => UnaryOp::Erf,
        _ => return None,
    })
}

/// The operation of an op of two operands of one type.
pub(super) fn binary_op(code: OpCode) -> Option<BinaryOp> {
    Some(match code {
        OpCode::Add => BinaryOp::Add,
        OpCode::And => BinaryOp::And,
        OpCode::Atan2 => BinaryOp::Atan2,
        OpCode::Divide => BinaryOp::Div,
        OpCode::Maximum => BinaryOp::Max,
        OpCode::Minimum => BinaryOp::Min,
        OpCode::Multiply => BinaryOp::Mul,
        OpCode::Or => BinaryOp::Or,
        OpCode::Power => BinaryOp::Pow,
        OpCode::Remainder => BinaryOp::Rem,
        OpCode::ShiftLeft => BinaryOp::Shl,
        OpCode::ShiftRightArithmetic => BinaryOp::ShrArithmetic,
        OpCode::ShiftRightLogical => BinaryOp::ShrLogical,
        OpCode::Subtract => BinaryOp::Sub,
        OpCode::Xor => BinaryOp::Xor,
        _ => return None,
    })
}
