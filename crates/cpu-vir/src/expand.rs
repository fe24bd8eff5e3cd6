//! Rewrites elementary functions into arithmetic, for executors that have no loops of their own for them.
//!
//! The functions of the module `math` are called with symbols for lanes: what they compute is recorded as
//! instructions. So an expanded program gives the bits that the portable executor's own loops give.

use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::builder::Builder;
use crate::element::Type;
use crate::math::{self, Bits, Real};
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::program::{GatherIndex, Inst, Program, Reduction, Store, Value};
use crate::scalar::Scalar;
use crate::verify::{Invalid, verify};

/// The program with every elementary function written out.
///
/// Three stay, since their reduction of huge arguments has no straight-line form: sine, cosine and tangent. So do
/// remainders, integer powers and random bits. Constants of the expansions are shared.
///
/// # Errors
/// What [`verify`](verify()) finds in the program.
pub fn expand(program: &Program) -> Result<Program, Invalid> {
    verify(program)?;
    let mut builder = Builder::new(&program.dims, program.reduced);
    for operand in &program.operands {
        match operand.role {
            crate::program::Role::Input => builder.input(operand.storage),
            crate::program::Role::Output => builder.output(operand.storage),
        };
    }
    let recorder = Recorder { builder: RefCell::new(builder), constants: RefCell::default() };
    let mut values: Vec<Value> = Vec::with_capacity(program.body.len());
    for (inst, ty) in program.body.iter().zip(&program.types) {
        let argument = |value: &Value| values[value.index()];
        let expanded = match (inst, ty) {
            (Inst::Unary { op, a }, Type::F32) => unary_f32(*op, recorder.symbol::<f32>(argument(a))).map(|y| y.value),
            (Inst::Unary { op, a }, Type::F64) => unary_f64(*op, recorder.symbol::<f64>(argument(a))).map(|y| y.value),
            (Inst::Binary { op, a, b }, Type::F32) => {
                let (a, b) = (recorder.symbol::<f32>(argument(a)), recorder.symbol::<f32>(argument(b)));
                match op {
                    BinaryOp::Pow => Some(math::pow_f32(a, b).value),
                    BinaryOp::Atan2 => Some(math::atan2_f32(a, b).value),
                    _ => None,
                }
            }
            (Inst::Binary { op, a, b }, Type::F64) => {
                let (a, b) = (recorder.symbol::<f64>(argument(a)), recorder.symbol::<f64>(argument(b)));
                match op {
                    BinaryOp::Pow => Some(math::pow_f64(a, b).value),
                    BinaryOp::Atan2 => Some(math::atan2_f64(a, b).value),
                    _ => None,
                }
            }
            _ => None,
        };
        values.push(expanded.unwrap_or_else(|| recorder.push(renamed(inst, &values), *ty)));
    }
    let mut expanded = recorder.builder.into_inner().finish()?;
    let stores = program.stores.iter();
    expanded.stores = stores.map(|store| Store { value: values[store.value.index()], ..store.clone() }).collect();
    let reductions = program.reductions.iter();
    expanded.reductions =
        reductions.map(|fold| Reduction { value: values[fold.value.index()], ..fold.clone() }).collect();
    verify(&expanded)?;
    Ok(expanded)
}

fn renamed(inst: &Inst, values: &[Value]) -> Inst {
    let mut inst = inst.clone();
    let rename = |value: &mut Value| *value = values[value.index()];
    match &mut inst {
        Inst::Const(_) | Inst::Index { .. } | Inst::Load { .. } => {}
        Inst::Gather { indices, .. } => {
            indices.iter_mut().for_each(|index: &mut GatherIndex| index.index = values[index.index.index()]);
        }
        Inst::Unary { a, .. }
        | Inst::Convert { a }
        | Inst::NarrowToOdd { a }
        | Inst::Bitcast { a }
        | Inst::Round { a, .. }
        | Inst::Wrap { a, .. }
        | Inst::ReducePrecision { a, .. } => rename(a),
        Inst::Binary { a, b, .. } | Inst::Compare { a, b, .. } => [a, b].into_iter().for_each(rename),
        Inst::Select { mask: a, a: b, b: c } | Inst::Fma { a, b, c } => [a, b, c].into_iter().for_each(rename),
    }
    inst
}

fn unary_f32<R: Real>(op: UnaryOp, x: R) -> Option<R> {
    Some(match op {
        UnaryOp::Rsqrt => math::rsqrt(x),
        UnaryOp::Cbrt => math::cbrt_f32(x),
        UnaryOp::Exp => math::exp_f32(x),
        UnaryOp::Exp2 => math::exp2_f32(x),
        UnaryOp::Expm1 => math::expm1_f32(x),
        UnaryOp::Log => math::log_f32(x),
        UnaryOp::Log1p => math::log1p_f32(x),
        UnaryOp::Tanh => math::tanh_f32(x),
        UnaryOp::Logistic => math::logistic_f32(x),
        UnaryOp::Erf => math::erf_f32(x),
        _ => return None,
    })
}

fn unary_f64<R: Real>(op: UnaryOp, x: R) -> Option<R> {
    Some(match op {
        UnaryOp::Rsqrt => math::rsqrt(x),
        UnaryOp::Cbrt => math::cbrt_f64(x),
        UnaryOp::Exp => math::exp_f64(x),
        UnaryOp::Exp2 => math::exp2_f64(x),
        UnaryOp::Expm1 => math::expm1_f64(x),
        UnaryOp::Log => math::log_f64(x),
        UnaryOp::Log1p => math::log1p_f64(x),
        UnaryOp::Tanh => math::tanh_f64(x),
        UnaryOp::Logistic => math::logistic_f64(x),
        UnaryOp::Erf => math::erf_f64(x),
        _ => return None,
    })
}

/// The program that symbols write to.
struct Recorder {
    builder: RefCell<Builder>,
    constants: RefCell<HashMap<Scalar, Value>>,
}

impl Recorder {
    fn symbol<P>(&self, value: Value) -> Symbol<'_, P> {
        Symbol { recorder: self, value, precision: PhantomData }
    }

    fn push(&self, inst: Inst, ty: Type) -> Value {
        self.builder.borrow_mut().push(inst, ty)
    }

    fn constant(&self, scalar: Scalar) -> Value {
        let record = || self.push(Inst::Const(scalar), scalar.ty());
        *self.constants.borrow_mut().entry(scalar).or_insert_with(record)
    }
}

/// f32 or f64, as a mark on symbols.
trait Precision: Copy {
    type Number: Real;
    const FLOAT: Type;
    const BITS: Type;
}

impl Precision for f32 {
    type Number = f32;
    const FLOAT: Type = Type::F32;
    const BITS: Type = Type::U32;
}

impl Precision for f64 {
    type Number = f64;
    const FLOAT: Type = Type::F64;
    const BITS: Type = Type::U64;
}

/// A lane that is not known yet: its arithmetic is recorded.
struct Symbol<'r, P> {
    recorder: &'r Recorder,
    value: Value,
    precision: PhantomData<P>,
}

/// The bits of a [`Symbol`].
struct SymbolBits<'r, P>(Symbol<'r, P>);

/// The truth of a comparison of symbols.
#[derive(Clone, Copy)]
struct SymbolMask<'r> {
    recorder: &'r Recorder,
    value: Value,
}

// Not derived: the mark need not be a copy for its symbol to be one.
impl<P> Clone for Symbol<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for Symbol<'_, P> {}
impl<P> Clone for SymbolBits<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for SymbolBits<'_, P> {}

impl<'r, P: Precision> Symbol<'r, P> {
    fn record(self, inst: Inst) -> Self {
        self.recorder.symbol(self.recorder.push(inst, P::FLOAT))
    }

    fn unary(self, op: UnaryOp) -> Self {
        self.record(Inst::Unary { op, a: self.value })
    }

    fn binary(self, op: BinaryOp, other: Self) -> Self {
        self.record(Inst::Binary { op, a: self.value, b: other.value })
    }

    fn compare(self, direction: Direction, other: Self) -> SymbolMask<'r> {
        let inst = Inst::Compare { direction, a: self.value, b: other.value };
        SymbolMask { recorder: self.recorder, value: self.recorder.push(inst, Type::Mask) }
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $op:ident)*) => {$(
        impl<P: Precision> $operator for Symbol<'_, P> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.binary(BinaryOp::$op, other)
            }
        }
    )*};
}

operators!(Add add Add Sub sub Sub Mul mul Mul Div div Div);

impl<P: Precision> Neg for Symbol<'_, P> {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(UnaryOp::Neg)
    }
}

impl SymbolMask<'_> {
    fn binary(self, op: BinaryOp, other: Self) -> Self {
        let value = self.recorder.push(Inst::Binary { op, a: self.value, b: other.value }, Type::Mask);
        SymbolMask { value, ..self }
    }
}

impl BitAnd for SymbolMask<'_> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.binary(BinaryOp::And, other)
    }
}

impl BitOr for SymbolMask<'_> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.binary(BinaryOp::Or, other)
    }
}

impl Not for SymbolMask<'_> {
    type Output = Self;
    fn not(self) -> Self {
        let value = self.recorder.push(Inst::Unary { op: UnaryOp::Not, a: self.value }, Type::Mask);
        SymbolMask { value, ..self }
    }
}

impl<P: Precision> SymbolBits<'_, P> {
    fn binary(self, op: BinaryOp, other: Value) -> Self {
        let Symbol { recorder, value, .. } = self.0;
        SymbolBits(recorder.symbol(recorder.push(Inst::Binary { op, a: value, b: other }, P::BITS)))
    }

    fn with_constant(self, op: BinaryOp, value: u64) -> Self {
        self.binary(op, self.0.recorder.constant(Scalar::from_bits(P::BITS, value)))
    }
}

impl<P: Precision> Bits for SymbolBits<'_, P> {
    const WIDTH: u32 = <P::Number as Real>::Bits::WIDTH;

    fn add(self, value: u64) -> Self {
        self.with_constant(BinaryOp::Add, value)
    }
    fn sub(self, other: Self) -> Self {
        self.binary(BinaryOp::Sub, other.0.value)
    }
    fn and(self, value: u64) -> Self {
        self.with_constant(BinaryOp::And, value)
    }
    fn or(self, other: Self) -> Self {
        self.binary(BinaryOp::Or, other.0.value)
    }
    fn xor(self, other: Self) -> Self {
        self.binary(BinaryOp::Xor, other.0.value)
    }
    fn shl(self, by: u32) -> Self {
        self.with_constant(BinaryOp::Shl, u64::from(by))
    }
    fn shr(self, by: u32) -> Self {
        self.with_constant(BinaryOp::ShrLogical, u64::from(by))
    }
}

impl<'r, P: Precision> Real for Symbol<'r, P> {
    type Bits = SymbolBits<'r, P>;
    type Mask = SymbolMask<'r>;
    type Wide = Symbol<'r, f64>;
    const MANTISSA: u32 = <P::Number as Real>::MANTISSA;
    const MAGIC: f64 = <P::Number as Real>::MAGIC;
    const BIAS: u64 = <P::Number as Real>::BIAS;

    fn lit(self, value: f64) -> Self {
        let scalar = if P::FLOAT == Type::F32 { Scalar::from(value as f32) } else { Scalar::from(value) };
        self.recorder.symbol(self.recorder.constant(scalar))
    }
    fn fma(self, factor: Self, term: Self) -> Self {
        self.record(Inst::Fma { a: self.value, b: factor.value, c: term.value })
    }
    fn abs(self) -> Self {
        self.unary(UnaryOp::Abs)
    }
    fn sqrt(self) -> Self {
        self.unary(UnaryOp::Sqrt)
    }
    fn trunc(self) -> Self {
        self.unary(UnaryOp::Trunc)
    }
    fn bits(self) -> Self::Bits {
        SymbolBits(self.recorder.symbol(self.recorder.push(Inst::Bitcast { a: self.value }, P::BITS)))
    }
    fn from_bits(bits: Self::Bits) -> Self {
        bits.0.record(Inst::Bitcast { a: bits.0.value })
    }
    fn widen(self) -> Self::Wide {
        match P::FLOAT {
            Type::F64 => self.recorder.symbol(self.value),
            _ => self.recorder.symbol::<f64>(self.value).record(Inst::Convert { a: self.value }),
        }
    }
    fn narrow(wide: Self::Wide) -> Self {
        match P::FLOAT {
            Type::F64 => wide.recorder.symbol(wide.value),
            _ => wide.recorder.symbol::<P>(wide.value).record(Inst::Convert { a: wide.value }),
        }
    }
    fn lt(self, other: Self) -> Self::Mask {
        self.compare(Direction::Lt, other)
    }
    fn equals(self, other: Self) -> Self::Mask {
        self.compare(Direction::Eq, other)
    }
    fn test(bits: Self::Bits, value: u64) -> Self::Mask {
        let recorder = bits.0.recorder;
        let (a, b) = (bits.and(value).0.value, recorder.constant(Scalar::from_bits(P::BITS, 0)));
        let inst = Inst::Compare { direction: Direction::Ne, a, b };
        SymbolMask { recorder, value: recorder.push(inst, Type::Mask) }
    }
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        yes.record(Inst::Select { mask: mask.value, a: yes.value, b: no.value })
    }
}
