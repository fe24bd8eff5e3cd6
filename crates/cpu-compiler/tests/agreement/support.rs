//! Random inputs, runs, and comparisons with the reference evaluator.

use cpu_compiler::{Argument, Error, ErrorKind, Executable, Launch, NoCustomCalls, Options};
use cpu_runtime::{Budget, Pool};
use stablehlo::eval::ops::convert::convert;
use stablehlo::eval::{Tensor, Value};
use stablehlo::ir::{Module, Type};
use stablehlo::{ElementKind, ElementType};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A small generator of repeatable numbers; quality does not matter here.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// From 0 to below 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    /// From −2 to 2 for floats, 0 to 7 for integers: good indices, trip counts and arguments of functions.
    pub fn tensor(&mut self, ty: ElementType, dims: &[usize]) -> Tensor {
        use ElementKind::{Complex, Float};
        let n = dims.iter().product();
        let values: Vec<f64> = match ty.kind() {
            Float | Complex => (0..n).map(|_| self.next() * 4.0 - 2.0).collect(),
            _ if ty == ElementType::Bool => (0..n).map(|_| (self.next() * 2.0).floor()).collect(),
            _ => (0..n).map(|_| (self.next() * 8.0).floor()).collect(),
        };
        convert(&Tensor::from_vec(dims, values), ty).expect("every type converts from f64")
    }
}

pub fn inputs(module: &Module, numbers: &mut Numbers) -> Vec<Value> {
    let main = module.function("main").expect("a main function");
    let input = |&ty: &_| match module.ty(ty) {
        Type::Tensor(tensor) => {
            let dims: Vec<usize> = tensor.dims.iter().map(|&d| d as usize).collect();
            numbers.tensor(tensor.element_type().expect("a plain element type"), &dims).into()
        }
        Type::Token => Value::Token,
        other => panic!("unexpected input type {other:?}"),
    };
    main.input_types().iter().map(input).collect()
}

pub fn run_compiled(executable: &Executable, inputs: Vec<Value>) -> Result<Vec<Value>, Error> {
    let pool = Pool::new(2);
    let budget = Budget::new(1 << 33);
    let bytes = |value: &Value| match value {
        Value::Tensor(tensor) => tensor.to_bytes(),
        _ => Vec::new(),
    };
    let inputs: Vec<Vec<u8>> = inputs.iter().map(bytes).collect();
    let arguments = inputs.iter().map(|bytes| Argument::Borrowed(bytes)).collect();
    // A loop that does not end is a failure, not a hang.
    let checks = AtomicU64::new(0);
    let too_long = || checks.fetch_add(1, Ordering::Relaxed) > 100_000;
    let launch = Launch { cancelled: Some(&too_long), ..Launch::new(arguments, &pool, &budget) };
    let results = executable.run(launch)?;
    let value = |(block, ty): (&cpu_runtime::Block, &cpu_compiler::ArrayType)| match ty.element {
        None => Value::Token,
        Some(element) => {
            Tensor::from_bytes(element, &ty.dims, block.bytes()).expect("bytes of the result's type").into()
        }
    };
    Ok(results.iter().zip(executable.results()).map(value).collect())
}

/// Why there are no results.
pub enum Failure {
    /// The compiler says that it cannot.
    Unsupported(String),
    /// Anything else, a panic too.
    Wrong(String),
}

/// Compiles and runs; a panic is a failure like others, so that the next program has its turn.
pub fn compile_and_run(module: &Arc<Module>, given: &[Value]) -> Result<Vec<Value>, Failure> {
    let run = || {
        let executable =
            Executable::compile(module.clone(), &Options { custom_calls: &NoCustomCalls, explained: false })?;
        run_compiled(&executable, given.to_vec())
    };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) if error.kind == ErrorKind::Unsupported => Err(Failure::Unsupported(error.message)),
        Ok(Err(error)) => Err(Failure::Wrong(error.to_string())),
        Err(panic) => Err(Failure::Wrong(format!("panic: {:?}", panic.downcast_ref::<String>()))),
    }
}

/// Inputs of which floats are off by up to two roundings of an `f32` this way or that: what they change, rounding
/// changes.
pub fn nudged(inputs: &[Value], seed: u64) -> Vec<Value> {
    let mut numbers = Numbers::new(seed);
    let mut nudge = |value: &Value| match value {
        Value::Tensor(tensor) if matches!(tensor.element_type(), ElementType::F32 | ElementType::C64) => {
            let mut bytes = tensor.to_bytes();
            for word in bytes.chunks_exact_mut(4) {
                let bits = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                let off = (numbers.next() * 5.0) as u32;
                word.copy_from_slice(&bits.wrapping_add(off).wrapping_sub(2).to_le_bytes());
            }
            Tensor::from_bytes(tensor.element_type(), tensor.dims(), &bytes).expect("as many bytes").into()
        }
        other => other.clone(),
    };
    inputs.iter().map(&mut nudge).collect()
}

/// The first difference beyond rounding: integers and booleans must be equal. `nudged` is what slightly other inputs
/// give, if that was asked for: a program that amplifies it amplifies rounding too.
pub fn differences(expected: &[Value], found: &[Value], nudged: Option<&[Value]>) -> Option<String> {
    assert_eq!(expected.len(), found.len());
    for (index, (a, b)) in expected.iter().zip(found).enumerate() {
        let (Value::Tensor(a), Value::Tensor(b)) = (a, b) else { continue };
        if a.element_type() != b.element_type() || a.dims() != b.dims() {
            return Some(format!("result {index} is {}, not {}", b.describe(), a.describe()));
        }
        let tolerance = match a.element_type() {
            ElementType::F64 | ElementType::C128 => 1e-9,
            ElementType::F32 | ElementType::C64 => 2e-4,
            ElementType::F16 => 4e-3,
            ty if ty.kind() == ElementKind::Float => 0.04,
            _ if a.bytes() == b.bytes() => continue,
            _ => {
                let at = a.bytes().iter().zip(b.bytes()).position(|(x, y)| x != y).unwrap_or(0);
                return Some(format!("result {index} {} differs at byte {at}", a.describe()));
            }
        };
        for part in [ElementType::F64, ElementType::C128] {
            let (x, y) = (parts(a, part), parts(b, part));
            let slack = match nudged.map(|nudged| &nudged[index]) {
                Some(Value::Tensor(other)) => {
                    let pairs = x.iter().zip(parts(other, part)).map(|(x, y)| (x - y).abs());
                    8.0 * pairs.filter(|d| d.is_finite()).fold(0.0, f64::max)
                }
                _ => 0.0,
            };
            let scale = x.iter().filter(|v| v.is_finite()).fold(1e-30f64, |most, v| most.max(v.abs()));
            for (at, (x, y)) in x.iter().zip(&y).enumerate() {
                let allowed = (tolerance * scale.min(x.abs().max(scale * 1e-2)).max(1e-30)).max(slack);
                let near = (x - y).abs() <= allowed;
                if !(near || x == y || x.is_nan() && y.is_nan()) {
                    return Some(format!("result {index} {} at {at}: {y} instead of {x}", a.describe()));
                }
            }
            if a.element_type().kind() != ElementKind::Complex {
                break;
            }
        }
    }
    None
}

fn parts(tensor: &Tensor, wanted: ElementType) -> Vec<f64> {
    let complex = tensor.element_type().kind() == ElementKind::Complex && wanted == ElementType::C128;
    let wide = convert(tensor, if complex { ElementType::C128 } else { ElementType::F64 }).expect("a conversion");
    bytemuck_f64(wide.bytes())
}

fn bytemuck_f64(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|chunk| f64::from_le_bytes(chunk.try_into().expect("eight bytes"))).collect()
}
