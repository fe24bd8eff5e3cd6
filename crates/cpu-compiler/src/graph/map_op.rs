//! Element-wise operations.

use cpu_vir::{BinaryOp, Direction, UnaryOp};
use std::hash::Hash;

/// What is done to each element. Types are those of operands and result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum MapOp {
    Unary(UnaryOp),
    /// Of two operands of one type. On complex numbers add, subtract, multiply and divide.
    Binary(BinaryOp),
    /// `total`: floats by IEEE 754's total order.
    Compare {
        direction: Direction,
        total: bool,
    },
    /// Mask, value if true, value if false.
    Select,
    Convert,
    /// The same bits; the compute types have one size.
    Bitcast,
    ReducePrecision {
        exponent: u32,
        mantissa: u32,
    },
    Real,
    Imag,
    /// Real part, imaginary part.
    Complex,
}

impl MapOp {
    /// Estimated picoseconds for one element; what is below 500 is cheaper to repeat than to store and load.
    pub fn cost(self) -> u64 {
        match self {
            MapOp::Unary(op) => match op {
                UnaryOp::Neg
                | UnaryOp::Abs
                | UnaryOp::Sign
                | UnaryOp::Not
                | UnaryOp::Floor
                | UnaryOp::Ceil
                | UnaryOp::Trunc
                | UnaryOp::RoundHalfAway
                | UnaryOp::RoundHalfEven
                | UnaryOp::IsFinite => 40,
                UnaryOp::Popcnt | UnaryOp::Clz => 120,
                UnaryOp::Sqrt => 250,
                _ => 800,
            },
            MapOp::Binary(BinaryOp::Div | BinaryOp::Rem) => 400,
            MapOp::Binary(BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Threefry) => 3000,
            _ => 60,
        }
    }
}
