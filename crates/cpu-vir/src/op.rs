//! The instruction set: which operations there are, on which types, and what each means at its edges.
//!
//! Knows no program and no executor. An executor that differs from a word here is wrong; the suite says so.

use std::fmt;

use crate::element::Type;

macro_rules! ops {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $op:ident $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $op,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$op,)*];

            /// The name in dumps.
            pub const fn name(self) -> &'static str {
                match self { $($name::$op => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

ops! {
    /// Operations of one argument. The result has its type, except that [`IsFinite`](UnaryOp::IsFinite) gives a mask.
    /// Elementary functions are within 2 units in the last place, NaN for NaN, and exact where the doc says so.
    UnaryOp {
        /// Two's complement for integers (MIN stays MIN, unsigned wraps); the sign bit for floats.
        Neg "neg",
        /// Absolute value; the MIN of a signed integer stays.
        Abs "abs",
        /// −1, 0 or 1; −0, +0 and NaN are kept.
        Sign "sign",
        /// All bits, or the truth, inverted.
        Not "not",
        /// Rounds down.
        Floor "floor",
        /// Rounds up.
        Ceil "ceil",
        /// Rounds to nearest, halves away from zero.
        RoundHalfAway "round_half_away",
        /// Rounds to nearest, halves to even.
        RoundHalfEven "round_half_even",
        /// Rounds towards zero.
        Trunc "trunc",
        /// Square root, correctly rounded.
        Sqrt "sqrt",
        /// `1 / sqrt(x)`; ∞ of the zero's sign for zero.
        Rsqrt "rsqrt",
        /// Cube root; keeps the sign, zeros and infinities.
        Cbrt "cbrt",
        /// e to the power; 1 at zero, 0 and ∞ beyond the range, gradual underflow.
        Exp "exp",
        /// 2 to the power; exact for integers.
        Exp2 "exp2",
        /// `e^x − 1` without cancellation; −1 at −∞, keeps zeros.
        Expm1 "expm1",
        /// Natural logarithm; −∞ at zeros, NaN below, 0 at 1.
        Log "log",
        /// `log(1 + x)` without cancellation; −∞ at −1, NaN below, keeps zeros.
        Log1p "log1p",
        /// Sine for every finite argument, however large; NaN at infinities.
        Sin "sin",
        /// Cosine, likewise.
        Cos "cos",
        /// Tangent, likewise.
        Tan "tan",
        /// Hyperbolic tangent; keeps zeros.
        Tanh "tanh",
        /// `1 / (1 + e^−x)`, with gradual underflow for negative arguments.
        Logistic "logistic",
        /// Error function; keeps zeros.
        Erf "erf",
        /// Number of ones.
        Popcnt "popcnt",
        /// Number of zeros above the highest one; the width for zero.
        Clz "clz",
        /// Neither infinite nor NaN.
        IsFinite "is_finite",
    }
}

ops! {
    /// Operations of two arguments of one type, which is the result's too.
    BinaryOp {
        /// Sum; integers wrap.
        Add "add",
        /// Difference; integers wrap.
        Sub "sub",
        /// Product; integers wrap.
        Mul "mul",
        /// Quotient; integers round towards zero, `x / 0` has all bits set, `MIN / −1` is MIN.
        Div "div",
        /// Remainder with the sign of the dividend, exact for floats; of integers `x % 0` is `x`, `MIN % −1` is 0.
        Rem "rem",
        /// The lesser; NaN if either is, −0 below +0; of masks, and.
        Min "min",
        /// The greater; NaN if either is, −0 below +0; of masks, or.
        Max "max",
        /// Bits in both.
        And "and",
        /// Bits in either.
        Or "or",
        /// Bits that differ.
        Xor "xor",
        /// Left shift; 0 when the amount, taken as unsigned, is the width or more.
        Shl "shl",
        /// Right shift that fills with zeros; 0 when over-wide.
        ShrLogical "shr_logical",
        /// Right shift that repeats the top bit, also of unsigned types; nothing but top bits when over-wide.
        ShrArithmetic "shr_arithmetic",
        /// Power. Floats as C's `pow`. Integers wrap; a negative exponent gives 0 unless the base is 1 or −1.
        Pow "pow",
        /// The angle of (second, first); quadrants and signed zeros as C's `atan2(y, x)`.
        Atan2 "atan2",
        /// [`threefry`](crate::threefry()) with the first as its key and the second as its counter. Of two words the
        /// first is in the upper half, in the result too.
        Threefry "threefry",
    }
}

ops! {
    /// Comparisons; the result is a mask. With NaN all are false, except that "not equal" is true.
    Direction {
        /// Equal; −0 equals +0.
        Eq "eq",
        /// Not equal.
        Ne "ne",
        /// Less.
        Lt "lt",
        /// Less or equal.
        Le "le",
        /// Greater.
        Gt "gt",
        /// Greater or equal.
        Ge "ge",
    }
}

ops! {
    /// How a reduction combines two values; each is the [`BinaryOp`] of that name.
    ReduceKind {
        /// Sum.
        Sum "sum",
        /// Product.
        Product "product",
        /// Least, NaN if any is.
        Min "min",
        /// Greatest, NaN if any is.
        Max "max",
        /// Bits, or truths, in all.
        And "and",
        /// Bits, or truths, in any.
        Or "or",
        /// Parity of every bit.
        Xor "xor",
    }
}

impl UnaryOp {
    /// Does it take this type?
    pub fn accepts(self, ty: Type) -> bool {
        match self {
            UnaryOp::Neg => ty.is_integer() || ty.is_float(),
            UnaryOp::Abs | UnaryOp::Sign => ty.is_signed_integer() || ty.is_float(),
            UnaryOp::Not => !ty.is_float(),
            UnaryOp::Popcnt | UnaryOp::Clz => ty.is_integer(),
            _ => ty.is_float(),
        }
    }

    /// The type of the result.
    pub fn result(self, ty: Type) -> Type {
        if self == UnaryOp::IsFinite { Type::Mask } else { ty }
    }
}

impl BinaryOp {
    /// Does it take this type?
    pub fn accepts(self, ty: Type) -> bool {
        match self {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => {
                ty != Type::Mask
            }
            BinaryOp::Min | BinaryOp::Max => true,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !ty.is_float(),
            BinaryOp::Shl | BinaryOp::ShrLogical | BinaryOp::ShrArithmetic => ty.is_integer(),
            BinaryOp::Atan2 => ty.is_float(),
            BinaryOp::Threefry => ty == Type::U64,
        }
    }

    /// Whether the two arguments may change places.
    pub fn commutes(self) -> bool {
        match self {
            BinaryOp::Add
            | BinaryOp::Mul
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor => true,
            BinaryOp::Sub
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::ShrLogical
            | BinaryOp::ShrArithmetic
            | BinaryOp::Pow
            | BinaryOp::Atan2
            | BinaryOp::Threefry => false,
        }
    }
}

impl ReduceKind {
    /// The operation that combines two values.
    pub fn combine(self) -> BinaryOp {
        match self {
            ReduceKind::Sum => BinaryOp::Add,
            ReduceKind::Product => BinaryOp::Mul,
            ReduceKind::Min => BinaryOp::Min,
            ReduceKind::Max => BinaryOp::Max,
            ReduceKind::And => BinaryOp::And,
            ReduceKind::Or => BinaryOp::Or,
            ReduceKind::Xor => BinaryOp::Xor,
        }
    }
}
