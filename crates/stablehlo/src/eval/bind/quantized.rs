//! Arithmetic on quantized elements, as the specification defines it: on the numbers they stand for, and back.
//!
//! Ops that move elements, and those whose regions compute, work on the stored integers.

use super::tensors;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::machine::Context;
use crate::eval::ops::quantize::{Quantization, dequantize, quantize};
use crate::eval::plan::{Kernel, Lift};
use crate::eval::value::Value;
use crate::ir::{Element, Module, OpCode, OpRef, QuantizationParameters, QuantizedType, Type, TypeId};

/// The type of the stored integers.
pub(super) fn storage_type(module: &Module, quantized: &QuantizedType) -> Option<ElementType> {
    let Type::Scalar(storage) = *module.ty(quantized.storage) else { return None };
    // The builtin type has no sign; the flags do.
    Some(match (storage, quantized.is_signed()) {
        (ElementType::I2, false) => ElementType::U2,
        (ElementType::I4, false) => ElementType::U4,
        (ElementType::I8, false) => ElementType::U8,
        (ElementType::I16, false) => ElementType::U16,
        (ElementType::I32, false) => ElementType::U32,
        (storage, _) => storage,
    })
}

/// The type of the numbers that a quantized element stands for.
pub(super) fn expressed_type(module: &Module, element: Element) -> Option<ElementType> {
    match *module.ty(quantized(module, element)?.expressed) {
        Type::Scalar(expressed) => Some(expressed),
        _ => None,
    }
}

fn quantized(module: &Module, element: Element) -> Option<&QuantizedType> {
    match element {
        Element::Quantized(ty) => match module.ty(ty) {
            Type::Quantized(quantized) => Some(quantized),
            _ => None,
        },
        _ => None,
    }
}

fn of_type(module: &Module, ty: TypeId) -> Result<Option<Quantization>, OpError> {
    let Type::Tensor(tensor) = module.ty(ty) else { return Ok(None) };
    let Some(q) = quantized(module, tensor.element) else { return Ok(None) };
    let unusual = || OpError::unsupported(format!("quantized type {}", module.type_text(ty)));
    let (axis, parameters) = match &q.parameters {
        QuantizationParameters::PerTensor { scale, zero_point } => (None, vec![(f64::from_bits(*scale), *zero_point)]),
        QuantizationParameters::PerAxis { axis, scales, zero_points } => {
            let pairs = scales.iter().zip(zero_points).map(|(&scale, &zero)| (f64::from_bits(scale), zero));
            (Some(usize::try_from(*axis).map_err(|_| unusual())?), pairs.collect())
        }
    };
    Ok(Some(Quantization {
        storage: storage_type(module, q).ok_or_else(unusual)?,
        expressed: expressed_type(module, tensor.element).ok_or_else(unusual)?,
        range: (q.storage_min, q.storage_max),
        axis,
        parameters,
    }))
}

/// Whether the op computes with the numbers that quantized operands or results stand for.
pub(super) fn is_arithmetic(op: OpRef<'_>) -> bool {
    let module = op.module();
    let elements = || {
        let tensors = op.operand_types().chain(op.result_types()).filter_map(|ty| module.ty(ty).as_tensor());
        tensors.map(|tensor| tensor.element).filter(|element| matches!(element, Element::Quantized(_)))
    };
    if elements().next().is_none() {
        return false;
    }
    match op.code() {
        OpCode::UniformQuantize | OpCode::UniformDequantize | OpCode::Iota | OpCode::DynamicIota => true,
        OpCode::Select => elements().any(|element| Some(element) != elements().next()),
        OpCode::Constant | OpCode::BitcastConvert | OpCode::ChloConstant | OpCode::SdyConstant => false,
        OpCode::DotGeneral
        | OpCode::Dot
        | OpCode::Einsum
        | OpCode::UnaryEinsum
        | OpCode::Convolution
        | OpCode::DynamicConv
        | OpCode::Cholesky
        | OpCode::TriangularSolve
        | OpCode::BatchNormInference
        | OpCode::BatchNormTraining
        | OpCode::BatchNormGrad
        | OpCode::ReducePrecision
        | OpCode::Clamp
        | OpCode::Compare
        | OpCode::Convert => true,
        code => super::elementwise::is_operation(code) || super::chlo::is_arithmetic(code),
    }
}

/// The kernel on stored integers, from the one on the numbers that they stand for.
pub(super) fn around(op: OpRef<'_>, kernel: Kernel) -> Result<Kernel, OpError> {
    let module = op.module();
    let operands = op.operand_types().map(|ty| of_type(module, ty)).collect::<Result<Vec<_>, _>>()?;
    let results = op.result_types().map(|ty| of_type(module, ty)).collect::<Result<Vec<_>, _>>()?;
    let inner = kernel.run;
    let run = move |context: &Context<'_>, values: Vec<Value>| {
        let real = |(x, q): (crate::eval::tensor::Tensor, &Option<Quantization>)| match q {
            Some(q) => dequantize(&x, q).map(Value::from),
            None => Ok(x.into()),
        };
        let numbers = tensors(values)?.into_iter().zip(&operands).map(real).collect::<Result<Vec<Value>, _>>()?;
        let stored = |(value, q): (Value, &Option<Quantization>)| match q {
            Some(q) => Ok(quantize(value.as_tensor()?, q)?.into()),
            None => Ok(value),
        };
        inner(context, numbers)?.into_iter().zip(&results).map(stored).collect()
    };
    let lift = if kernel.lift == Lift::Elementwise { Lift::Elementwise } else { Lift::Never };
    Ok(Kernel { run: Box::new(run), lift, binary: None })
}
