//! Complex arithmetic as pairs of real values: expansions, no instructions.

use crate::builder::Builder;
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::program::{Access, Part, Value};
use crate::scalar::Scalar;

/// A complex number as its parts, both f32 or both f64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Complex {
    /// The real part.
    pub re: Value,
    /// The imaginary part.
    pub im: Value,
}

impl Builder {
    /// Both parts of an element.
    pub fn load_complex(&mut self, access: Access) -> Complex {
        let re = self.load_part(access.clone(), Part::Re, None);
        Complex { re, im: self.load_part(access, Part::Im, None) }
    }

    /// Both parts of an element.
    pub fn store_complex(&mut self, access: Access, value: Complex) {
        self.store_part(access.clone(), Part::Re, value.re);
        self.store_part(access, Part::Im, value.im);
    }

    /// Part by part: right for sums and differences.
    pub fn complex_binary(&mut self, op: BinaryOp, a: Complex, b: Complex) -> Complex {
        Complex { re: self.binary(op, a.re, b.re), im: self.binary(op, a.im, b.im) }
    }

    /// The product, each part rounded after every operation.
    pub fn complex_mul(&mut self, a: Complex, b: Complex) -> Complex {
        let (rr, ii) = (self.binary(BinaryOp::Mul, a.re, b.re), self.binary(BinaryOp::Mul, a.im, b.im));
        let (ri, ir) = (self.binary(BinaryOp::Mul, a.re, b.im), self.binary(BinaryOp::Mul, a.im, b.re));
        Complex { re: self.binary(BinaryOp::Sub, rr, ii), im: self.binary(BinaryOp::Add, ri, ir) }
    }

    /// The quotient by Smith's method: the divisor is scaled by its greater part, so that nothing overflows early.
    pub fn complex_div(&mut self, a: Complex, b: Complex) -> Complex {
        let (re_size, im_size) = (self.unary(UnaryOp::Abs, b.re), self.unary(UnaryOp::Abs, b.im));
        let upright = self.compare(Direction::Lt, re_size, im_size);
        // With the parts swapped where the imaginary one is greater: (p + q·r) / (s + t·r), r = t / s.
        let s = self.select(upright, b.im, b.re);
        let t = self.select(upright, b.re, b.im);
        let ratio = self.binary(BinaryOp::Div, t, s);
        let scaled = self.binary(BinaryOp::Mul, t, ratio);
        let divisor = self.binary(BinaryOp::Add, s, scaled);
        let p = self.select(upright, a.im, a.re);
        let q = self.select(upright, a.re, a.im);
        let q_scaled = self.binary(BinaryOp::Mul, q, ratio);
        let p_scaled = self.binary(BinaryOp::Mul, p, ratio);
        let re = self.binary(BinaryOp::Add, p, q_scaled);
        let forward = self.binary(BinaryOp::Sub, q, p_scaled);
        let backward = self.binary(BinaryOp::Sub, p_scaled, q);
        let im = self.select(upright, backward, forward);
        Complex { re: self.binary(BinaryOp::Div, re, divisor), im: self.binary(BinaryOp::Div, im, divisor) }
    }

    /// The magnitude, without overflow or underflow on the way; ∞ if either part is infinite, else NaN if either is.
    pub fn complex_abs(&mut self, a: Complex) -> Value {
        let ty = self.ty(a.re);
        let (re, im) = (self.unary(UnaryOp::Abs, a.re), self.unary(UnaryOp::Abs, a.im));
        let more = self.binary(BinaryOp::Max, re, im);
        let less = self.binary(BinaryOp::Min, re, im);
        let ratio = self.binary(BinaryOp::Div, less, more);
        let one = self.constant(Scalar::integer(ty, 1));
        let zero = self.constant(Scalar::integer(ty, 0));
        let infinity = self.constant(Scalar::float(ty, f64::INFINITY).unwrap_or(Scalar::integer(ty, 0)));
        let square = self.fma(ratio, ratio, one);
        let root = self.unary(UnaryOp::Sqrt, square);
        let size = self.binary(BinaryOp::Mul, more, root);
        let none = self.compare(Direction::Eq, more, zero);
        let size = self.select(none, zero, size);
        let re_infinite = self.compare(Direction::Eq, re, infinity);
        let im_infinite = self.compare(Direction::Eq, im, infinity);
        let infinite = self.binary(BinaryOp::Or, re_infinite, im_infinite);
        self.select(infinite, infinity, size)
    }
}
