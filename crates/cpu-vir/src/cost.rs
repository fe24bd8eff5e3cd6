//! What a point of a program costs, roughly: enough to decide whether to cut it for several threads.

use crate::element::Type;
use crate::op::{BinaryOp, UnaryOp};
use crate::program::{Inst, Program};

/// Estimated picoseconds for one point on one core with 256-bit vectors, data in cache. Within a factor of 3.
pub fn picoseconds_per_point(program: &Program) -> u64 {
    let body: u64 = program.body.iter().zip(&program.types).map(|(inst, ty)| instruction(program, inst, *ty)).sum();
    let stores: u64 = program.stores.iter().map(|store| lanes(program.ty(store.value), 40)).sum();
    let reductions: u64 = program.reductions.iter().map(|reduction| lanes(program.ty(reduction.value), 50)).sum();
    body + stores + reductions
}

/// Estimated picoseconds for the whole program.
pub fn picoseconds(program: &Program) -> u64 {
    let points = program.dims.iter().product::<usize>() as u64;
    picoseconds_per_point(program).saturating_mul(points)
}

/// A cost stated for 32-bit lanes, for lanes of this type.
fn lanes(ty: Type, cost: u64) -> u64 {
    cost * ty.size() as u64 / 4 + 5
}

fn instruction(program: &Program, inst: &Inst, ty: Type) -> u64 {
    let cost = match inst {
        Inst::Const(_) | Inst::Bitcast { .. } => return 0,
        Inst::Load { access, guard, .. } => {
            let inner = access.strides.last().copied().unwrap_or(0);
            let small = program.operands[access.operand.index()].storage.is_small_float();
            let walk = if inner.abs() <= 1 { 30 } else { 400 };
            walk + if guard.is_some() { 20 } else { 0 } + if small { 100 } else { 0 }
        }
        Inst::Gather { indices, .. } => 800 + 200 * indices.len() as u64,
        Inst::Unary { op, .. } => unary(*op),
        Inst::Binary { op, .. } => binary(*op, ty),
        Inst::Round { .. } => 200,
        Inst::ReducePrecision { .. } => 150,
        Inst::Convert { .. } | Inst::NarrowToOdd { .. } => 60,
        Inst::Fma { .. } | Inst::Select { .. } => 60,
        Inst::Index { .. } | Inst::Compare { .. } | Inst::Wrap { .. } => 45,
    };
    lanes(ty, cost)
}

fn unary(op: UnaryOp) -> u64 {
    match op {
        UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Not | UnaryOp::IsFinite => 40,
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::RoundHalfAway | UnaryOp::RoundHalfEven | UnaryOp::Trunc => 50,
        UnaryOp::Popcnt | UnaryOp::Clz => 120,
        UnaryOp::Sqrt => 250,
        UnaryOp::Exp | UnaryOp::Exp2 | UnaryOp::Rsqrt => 400,
        UnaryOp::Expm1 | UnaryOp::Log | UnaryOp::Tanh | UnaryOp::Logistic => 600,
        UnaryOp::Log1p | UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan => 800,
        UnaryOp::Erf => 1000,
        UnaryOp::Cbrt => 2000,
    }
}

fn binary(op: BinaryOp, ty: Type) -> u64 {
    match op {
        BinaryOp::Div if ty.is_float() => 200,
        BinaryOp::Div => 2500,
        BinaryOp::Rem => 4000,
        BinaryOp::Pow if ty.is_float() => 3000,
        BinaryOp::Pow => 8000,
        BinaryOp::Atan2 => 1000,
        // Of 64-bit lanes.
        BinaryOp::Threefry => 1500,
        BinaryOp::Min | BinaryOp::Max => 70,
        _ => 45,
    }
}
