//! The expectations that StableHLO's own tests state: ops of `check`, and custom calls of the same names.
//!
//! Ops become custom calls, and the registry handles these; a failed expectation is an error of the program. So do
//! the ops of `interpreter` that print a value or put it aside, to be compared later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use stablehlo::ElementType;
use stablehlo::eval::number::{
    BF16, C64, Complex, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2,
    F8E5M2FNUZ, F8E8M0FNU, F16, Float,
};
use stablehlo::eval::{CustomCall, OpError, Registry, Tensor, Value};
use stablehlo::ir::{Attr, Module, OpCode, OpId, OpSpec};

use super::Error;

/// Tolerance of the op `expect_almost_eq` that states none.
const OP_TOLERANCE: f64 = 1e-4;
/// The same of the custom call.
const CALL_TOLERANCE: f64 = 1e-3;
/// `expect_close` without numbers allows three units in the last place.
const MAX_ULP: u64 = 3;

/// Makes custom calls of the ops of `check`; constants become operands.
pub fn as_custom_calls(module: &mut Module) -> Result<(), Error> {
    let ops: Vec<OpId> = module.walk(module.root()).collect();
    for id in ops {
        let op = module.op(id);
        let target = match op.code() {
            OpCode::CheckExpectEq | OpCode::CheckExpectEqConst => "check.expect_eq",
            OpCode::CheckExpectAlmostEq | OpCode::CheckExpectAlmostEqConst => "check.expect_almost_eq",
            OpCode::CheckExpectClose => "check.expect_close",
            OpCode::CheckExpectSerializedEq => "check.expect_serialized_eq",
            OpCode::InterpreterProbe => "interpreter.probe",
            OpCode::InterpreterPrint => "interpreter.print",
            _ => continue,
        };
        if let Some(value) = op.attr_id("value") {
            let (actual, loc) = (op.operands()[0], op.loc());
            let Attr::DenseElements(dense) = module.attr(value) else {
                return Err(format!("{} at {}: `value` is no tensor", op.name(), op.loc_text()).into());
            };
            let ty = dense.ty();
            let attrs = [module.named("value", |_| value)];
            let constant = module.new_op(OpSpec::new(OpCode::Constant).loc(loc).results(&[ty]).attrs(&attrs));
            module.insert_before(id, constant);
            let expected = module.op(constant).results()[0];
            module.set_operands(id, &[actual, expected]);
            module.set_attr(id, "value", None);
        }
        // What stays inherent to the op of `check` is discardable in a custom call.
        let mut kept: Vec<_> = ["tolerance", "max_ulp_difference", "min_ulp_difference", "probe_id", "iteration"]
            .into_iter()
            .filter_map(|name| Some((name, module.op(id).attr_id(name)?)))
            .collect();
        if target == "check.expect_almost_eq" && kept.is_empty() {
            let ty = module.scalar_type(ElementType::F64);
            kept.push(("tolerance", module.intern_attr(Attr::Float { bits: OP_TOLERANCE.to_bits(), ty })));
        }
        for (name, _) in &kept {
            module.set_attr(id, name, None);
        }
        module.set_code(id, OpCode::CustomCall);
        for (name, value) in kept {
            module.set_attr(id, name, Some(value));
        }
        let (name, effect) = (module.string_attr(target), module.bool_attr(true));
        module.set_attr(id, "call_target_name", Some(name));
        module.set_attr(id, "has_side_effect", Some(effect));
    }
    Ok(())
}

/// Values put aside by probes: in order, under the name of the probe.
type Probes = Arc<Mutex<HashMap<String, Vec<Tensor>>>>;

/// Handles the custom calls of one run; `print` gets what it prints.
pub fn register(registry: &mut Registry, print: fn(&Value)) {
    let probes = Probes::default();
    let seen = Arc::clone(&probes);
    registry.register("interpreter.probe", move |call| {
        let value = call.operands.first().ok_or_else(|| OpError::invalid("a probe takes a value"))?;
        let name = call.op.string("probe_id")?.to_owned();
        seen.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default().push(value.as_tensor()?.clone());
        Ok(call.operands)
    });
    registry.register("check.expect_serialized_eq", move |mut call| {
        let (name, iteration) = (call.op.string("probe_id")?, call.op.int_or("iteration", 0)?);
        let probes = probes.lock().unwrap_or_else(PoisonError::into_inner);
        let value = usize::try_from(iteration).ok().and_then(|i| probes.get(name)?.get(i).cloned());
        let value = value.ok_or_else(|| OpError::invalid(format!("probe {name:?} has no value {iteration}")))?;
        call.operands.insert(0, value.into());
        compare(&call, |actual, expected| (!equal(actual, expected)).then(|| "not equal".to_owned()))
    });
    registry.register("interpreter.print", move |call| {
        call.operands.iter().for_each(print);
        Ok(Vec::new())
    });
    registry.register("check.expect_eq", |call| {
        compare(&call, |actual, expected| (!equal(actual, expected)).then(|| "not equal".to_owned()))
    });
    registry.register("check.eq", |call| {
        let tolerance = 0.0001;
        compare(&call, |actual, expected| almost(actual, expected, tolerance))?;
        Ok(vec![Tensor::scalar(stablehlo::eval::number::Bool::new(true)).into()])
    });
    registry.register("check.expect_almost_eq", |call| {
        let tolerance = match call.op.attr("tolerance") {
            Some(Attr::Float { bits, .. }) => f64::from_bits(*bits),
            _ => CALL_TOLERANCE,
        };
        compare(&call, |actual, expected| almost(actual, expected, tolerance))
    });
    registry.register("check.expect_close", |call| {
        let number = |name: &str, default: u64| match call.op.attr(name) {
            Some(Attr::Integer { value, .. }) => *value as u64,
            _ => default,
        };
        let (most, least) = (number("max_ulp_difference", MAX_ULP), number("min_ulp_difference", 0));
        compare(&call, |actual, expected| close(actual, expected, least, most))
    });
}

/// One number of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    /// Its bits: integers and booleans.
    Exact(u64),
    /// The value, and the bits without the sign.
    Float(f64, u64),
}

/// Compares two tensors number by number; complex numbers are two. `judge` says what is wrong with a pair.
fn compare(call: &CustomCall<'_>, judge: impl Fn(Number, Number) -> Option<String>) -> Result<Vec<Value>, OpError> {
    let [actual, expected] = &call.operands[..] else {
        return Err(OpError::invalid(format!("an expectation takes two values, not {}", call.operands.len())));
    };
    let (actual, expected) = (actual.as_tensor()?, expected.as_tensor()?);
    if actual.element_type() != expected.element_type() || actual.dims() != expected.dims() {
        let (actual, expected) = (actual.describe(), expected.describe());
        return Err(OpError::invalid(format!("expected a {expected}, found a {actual}")));
    }
    let (left, right) = (numbers(actual)?, numbers(expected)?);
    let per_element = left.len() / actual.len().max(1);
    let wrong: Vec<(usize, String)> =
        left.iter().zip(&right).enumerate().filter_map(|(i, (&a, &b))| Some((i, judge(a, b)?))).collect();
    let Some((first, problem)) = wrong.first() else { return Ok(Vec::new()) };
    let show = |number: Number| match number {
        Number::Exact(bits) => (bits as i64).to_string(),
        Number::Float(value, _) => format!("{value:e}"),
    };
    let mut rest = first / per_element.max(1);
    let mut index = Vec::new();
    for &dim in actual.dims().iter().rev() {
        index.insert(0, rest % dim.max(1));
        rest /= dim.max(1);
    }
    Err(OpError::invalid(format!(
        "{} of {} numbers differ, first at {index:?}: {} is {problem} to the expected {}",
        wrong.len(),
        left.len(),
        show(left[*first]),
        show(right[*first])
    )))
}

/// Equal as numbers, or the same NaN.
fn equal(actual: Number, expected: Number) -> bool {
    match (actual, expected) {
        (Number::Float(a, a_bits), Number::Float(b, b_bits)) if a.is_nan() && b.is_nan() => {
            a_bits == b_bits && a.is_sign_negative() == b.is_sign_negative()
        }
        (a, b) => a == b,
    }
}

fn almost(actual: Number, expected: Number, tolerance: f64) -> Option<String> {
    let fits = match (actual, expected) {
        (Number::Float(a, _), Number::Float(b, _)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a.is_finite() && b.is_finite() && (a - b).abs() <= tolerance)
        }
        (a, b) => a == b,
    };
    (!fits).then(|| format!("not within {tolerance:e}"))
}

fn close(actual: Number, expected: Number, least: u64, most: u64) -> Option<String> {
    let distance = match (actual, expected) {
        (Number::Float(a, _), Number::Float(b, _)) if a.is_nan() && b.is_nan() => 0,
        (Number::Float(a, a_bits), Number::Float(b, b_bits)) => {
            if a.is_finite() && b.is_finite() {
                if a.is_sign_negative() == b.is_sign_negative() { a_bits.abs_diff(b_bits) } else { a_bits + b_bits }
            } else if a == b {
                0
            } else {
                u64::MAX
            }
        }
        (a, b) => return (a != b).then(|| "not equal".to_owned()),
    };
    (!(least..=most).contains(&distance)).then(|| format!("{distance} units in the last place away, not close"))
}

/// All numbers of a tensor.
fn numbers(tensor: &Tensor) -> Result<Vec<Number>, OpError> {
    use ElementType as E;
    fn floats<T: Float>(tensor: &Tensor) -> Vec<Number> {
        tensor.as_slice::<T>().iter().map(|&x| float(x)).collect()
    }
    fn float<T: Float>(x: T) -> Number {
        let value = x.to_f64();
        let sign = if T::TYPE == E::F8E8M0FNU { 0 } else { 1u64 << (T::TYPE.bits() - 1) };
        Number::Float(value, x.raw() & !sign)
    }
    Ok(match tensor.element_type() {
        E::F4E2M1FN => floats::<F4E2M1FN>(tensor),
        E::F6E2M3FN => floats::<F6E2M3FN>(tensor),
        E::F6E3M2FN => floats::<F6E3M2FN>(tensor),
        E::F8E3M4 => floats::<F8E3M4>(tensor),
        E::F8E4M3 => floats::<F8E4M3>(tensor),
        E::F8E4M3FN => floats::<F8E4M3FN>(tensor),
        E::F8E4M3FNUZ => floats::<F8E4M3FNUZ>(tensor),
        E::F8E4M3B11FNUZ => floats::<F8E4M3B11FNUZ>(tensor),
        E::F8E5M2 => floats::<F8E5M2>(tensor),
        E::F8E5M2FNUZ => floats::<F8E5M2FNUZ>(tensor),
        E::F8E8M0FNU => floats::<F8E8M0FNU>(tensor),
        E::BF16 => floats::<BF16>(tensor),
        E::F16 => floats::<F16>(tensor),
        E::F32 => floats::<f32>(tensor),
        E::F64 => floats::<f64>(tensor),
        E::C64 => {
            let parts = tensor.bytes().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            debug_assert_eq!(size_of::<C64>(), 8);
            parts.map(float).collect()
        }
        E::C128 => {
            debug_assert_eq!(size_of::<Complex>(), 16);
            let parts = tensor.bytes().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes")));
            parts.map(float).collect()
        }
        integer => {
            let narrow = integer.bits() < 8;
            let widen = |bytes: &[u8]| {
                let mut word = [0u8; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                let raw = u64::from_le_bytes(word);
                // The bits above a narrow number mean nothing.
                Number::Exact(if narrow { raw & ((1 << integer.bits()) - 1) } else { raw })
            };
            tensor.bytes().chunks_exact(integer.byte_width()).map(widen).collect()
        }
    })
}
