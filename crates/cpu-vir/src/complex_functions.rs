//! Functions of complex numbers as pairs of f64: expansions, no instructions. Where a part is not finite they give what
//! C's Annex G says, as the reference evaluator does.

use crate::builder::Builder;
use crate::complex::Complex;
use crate::element::Type;
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::program::Value;
use crate::scalar::Scalar;

/// Real arithmetic on f64, in short.
struct Real<'a> {
    b: &'a mut Builder,
}

impl Real<'_> {
    fn number(&mut self, value: f64) -> Value {
        self.b.constant(value)
    }

    fn op(&mut self, op: BinaryOp, x: Value, y: Value) -> Value {
        self.b.binary(op, x, y)
    }

    fn of(&mut self, op: UnaryOp, x: Value) -> Value {
        self.b.unary(op, x)
    }

    fn is(&mut self, direction: Direction, x: Value, value: f64) -> Value {
        let value = self.number(value);
        self.b.compare(direction, x, value)
    }

    fn is_nan(&mut self, x: Value) -> Value {
        self.b.compare(Direction::Ne, x, x)
    }

    fn is_infinite(&mut self, x: Value) -> Value {
        let size = self.of(UnaryOp::Abs, x);
        self.is(Direction::Eq, size, f64::INFINITY)
    }

    fn and(&mut self, x: Value, y: Value) -> Value {
        self.op(BinaryOp::And, x, y)
    }

    fn or(&mut self, x: Value, y: Value) -> Value {
        self.op(BinaryOp::Or, x, y)
    }

    fn choose(&mut self, mask: Value, yes: Complex, no: Complex) -> Complex {
        Complex { re: self.b.select(mask, yes.re, no.re), im: self.b.select(mask, yes.im, no.im) }
    }

    /// The magnitude of `x` with the sign of `y`.
    fn with_sign(&mut self, x: Value, y: Value) -> Value {
        let sign = self.b.constant(Scalar::from_bits(Type::U64, 1 << 63));
        let rest = self.of(UnaryOp::Not, sign);
        let (x, y) = (self.b.bitcast(Type::U64, x), self.b.bitcast(Type::U64, y));
        let (x, y) = (self.and(x, rest), self.and(y, sign));
        let joined = self.or(x, y);
        self.b.bitcast(Type::F64, joined)
    }

    /// One where a part is infinite, else zero, with its sign.
    fn unit(&mut self, x: Value) -> Value {
        let infinite = self.is_infinite(x);
        let (one, zero) = (self.number(1.0), self.number(0.0));
        let size = self.b.select(infinite, one, zero);
        self.with_sign(size, x)
    }

    /// `a · b + c · d`, each rounded.
    fn products(&mut self, op: BinaryOp, (a, b): (Value, Value), (c, d): (Value, Value)) -> Value {
        let (x, y) = (self.op(BinaryOp::Mul, a, b), self.op(BinaryOp::Mul, c, d));
        self.op(op, x, y)
    }
}

impl Builder {
    /// The quotient, with infinities and zeros instead of NaN where one operand is infinite or zero.
    pub fn complex_quotient(&mut self, a: Complex, o: Complex) -> Complex {
        let quotient = self.complex_div(a, o);
        let mut r = Real { b: self };
        let (re_nan, im_nan) = (r.is_nan(quotient.re), r.is_nan(quotient.im));
        let lost = r.and(re_nan, im_nan);
        let all = |r: &mut Real<'_>, z: Complex, is: fn(&mut Real<'_>, Value) -> Value| {
            let (re, im) = (is(r, z.re), is(r, z.im));
            r.and(re, im)
        };
        let any_infinite = |r: &mut Real<'_>, z: Complex| {
            let (re, im) = (r.is_infinite(z.re), r.is_infinite(z.im));
            r.or(re, im)
        };
        let finite = |r: &mut Real<'_>, z: Complex| all(r, z, |r, x| r.of(UnaryOp::IsFinite, x));
        // By zero.
        let zero = all(&mut r, o, |r, x| r.is(Direction::Eq, x, 0.0));
        let nothing = all(&mut r, a, |r, x| r.is_nan(x));
        let something = r.of(UnaryOp::Not, nothing);
        let by_zero = r.and(zero, something);
        let infinity = r.number(f64::INFINITY);
        let signed = r.with_sign(infinity, o.re);
        let of_zero = Complex { re: r.op(BinaryOp::Mul, signed, a.re), im: r.op(BinaryOp::Mul, signed, a.im) };
        // An infinity by something finite.
        let (a_infinite, o_finite) = (any_infinite(&mut r, a), finite(&mut r, o));
        let grows = r.and(a_infinite, o_finite);
        let (x, y) = (r.unit(a.re), r.unit(a.im));
        let re = r.products(BinaryOp::Add, (x, o.re), (y, o.im));
        let im = r.products(BinaryOp::Sub, (y, o.re), (x, o.im));
        let grown = Complex { re: r.op(BinaryOp::Mul, infinity, re), im: r.op(BinaryOp::Mul, infinity, im) };
        // Something finite by an infinity.
        let (o_infinite, a_finite) = (any_infinite(&mut r, o), finite(&mut r, a));
        let falls = r.and(o_infinite, a_finite);
        let (x, y) = (r.unit(o.re), r.unit(o.im));
        let re = r.products(BinaryOp::Add, (a.re, x), (a.im, y));
        let im = r.products(BinaryOp::Sub, (a.im, x), (a.re, y));
        let nil = r.number(0.0);
        let fallen = Complex { re: r.op(BinaryOp::Mul, nil, re), im: r.op(BinaryOp::Mul, nil, im) };
        let instead = r.choose(falls, fallen, quotient);
        let instead = r.choose(grows, grown, instead);
        let instead = r.choose(by_zero, of_zero, instead);
        r.choose(lost, instead, quotient)
    }

    /// e to the power.
    pub fn complex_exp(&mut self, z: Complex) -> Complex {
        let mut r = Real { b: self };
        let size = r.of(UnaryOp::Exp, z.re);
        let (none, endless) = (r.is(Direction::Eq, size, 0.0), r.is(Direction::Eq, size, f64::INFINITY));
        let nil = r.number(0.0);
        let mut part = |op: UnaryOp| {
            let unit = r.of(op, z.im);
            let flat = r.is(Direction::Eq, unit, 0.0);
            let flat = r.and(flat, endless);
            let is_nil = r.or(none, flat);
            let product = r.op(BinaryOp::Mul, size, unit);
            r.b.select(is_nil, nil, product)
        };
        let (re, sine) = (part(UnaryOp::Cos), part(UnaryOp::Sin));
        let on_axis = r.is(Direction::Eq, z.im, 0.0);
        let im = r.b.select(on_axis, z.im, sine);
        // At −∞ it is zero in every direction.
        let least = r.is(Direction::Eq, z.re, f64::NEG_INFINITY);
        let finite = r.of(UnaryOp::IsFinite, z.im);
        let nowhere = r.of(UnaryOp::Not, finite);
        let vanishes = r.and(least, nowhere);
        r.choose(vanishes, Complex { re: nil, im: nil }, Complex { re, im })
    }

    /// Natural logarithm, the imaginary part in (−π, π].
    pub fn complex_log(&mut self, z: Complex) -> Complex {
        let size = self.complex_abs(z);
        let mut r = Real { b: self };
        let (x, y) = (r.of(UnaryOp::Abs, z.re), r.of(UnaryOp::Abs, z.im));
        let (large, small) = (r.op(BinaryOp::Max, x, y), r.op(BinaryOp::Min, x, y));
        let (above, below) = (r.is(Direction::Ge, large, 0.5), r.is(Direction::Lt, large, 2.0));
        let near = r.and(above, below);
        // |z|² − 1 without cancellation for magnitudes near one.
        let (one, half) = (r.number(1.0), r.number(0.5));
        let (less, more) = (r.op(BinaryOp::Sub, large, one), r.op(BinaryOp::Add, large, one));
        let excess = r.products(BinaryOp::Add, (less, more), (small, small));
        let excess = r.of(UnaryOp::Log1p, excess);
        let close = r.op(BinaryOp::Mul, half, excess);
        let far = r.of(UnaryOp::Log, size);
        let re = r.b.select(near, close, far);
        Complex { re, im: r.op(BinaryOp::Atan2, z.im, z.re) }
    }

    /// Principal square root.
    pub fn complex_sqrt(&mut self, z: Complex) -> Complex {
        let mut r = Real { b: self };
        let (x_size, y_size) = (r.of(UnaryOp::Abs, z.re), r.of(UnaryOp::Abs, z.im));
        let largest = r.op(BinaryOp::Max, x_size, y_size);
        // By a power of four and back by its root: exact, and the magnitude stays in range.
        let (huge, tiny) = (r.is(Direction::Gt, largest, 1e300), r.is(Direction::Lt, largest, 1e-290));
        let mut scale = |of: fn(f64) -> f64| {
            let (down, one, up) = (r.number(of(0.25)), r.number(1.0), r.number(of(100f64.exp2())));
            let scale = r.b.select(tiny, up, one);
            r.b.select(huge, down, scale)
        };
        let (there, back) = (scale(|s| s), scale(|s| 1.0 / s.sqrt()));
        let (x, y) = (r.op(BinaryOp::Mul, z.re, there), r.op(BinaryOp::Mul, z.im, there));
        let size = r.b.complex_abs(Complex { re: x, im: y });
        let (half, two) = (r.number(0.5), r.number(2.0));
        let (x_size, y_size) = (r.of(UnaryOp::Abs, x), r.of(UnaryOp::Abs, y));
        let sum = r.op(BinaryOp::Add, x_size, size);
        let halved = r.op(BinaryOp::Mul, sum, half);
        let root = r.of(UnaryOp::Sqrt, halved);
        let twice = r.op(BinaryOp::Mul, two, root);
        let right = Complex { re: root, im: r.op(BinaryOp::Div, y, twice) };
        let left = Complex { re: r.op(BinaryOp::Div, y_size, twice), im: r.with_sign(root, y) };
        let is_right = r.is(Direction::Ge, x, 0.0);
        let scaled = r.choose(is_right, right, left);
        let found = Complex { re: r.op(BinaryOp::Mul, scaled.re, back), im: r.op(BinaryOp::Mul, scaled.im, back) };
        // An infinite real part.
        let (nil, infinity) = (r.number(0.0), r.number(f64::INFINITY));
        let no_number = r.is_nan(z.im);
        let side = r.b.select(no_number, z.im, nil);
        let ahead = Complex { re: z.re, im: r.with_sign(side, z.im) };
        let behind = Complex { re: side, im: r.with_sign(infinity, z.im) };
        let positive = r.is(Direction::Gt, z.re, 0.0);
        let endless = r.choose(positive, ahead, behind);
        let (re_infinite, im_infinite) = (r.is_infinite(z.re), r.is_infinite(z.im));
        let found = r.choose(re_infinite, endless, found);
        let found = r.choose(im_infinite, Complex { re: infinity, im: z.im }, found);
        let is_nil = r.is(Direction::Eq, largest, 0.0);
        r.choose(is_nil, Complex { re: nil, im: z.im }, found)
    }

    /// Reciprocal of the principal square root.
    pub fn complex_rsqrt(&mut self, z: Complex) -> Complex {
        let root = self.complex_sqrt(z);
        let mut r = Real { b: self };
        let one = Complex { re: r.number(1.0), im: r.number(0.0) };
        self.complex_quotient(one, root)
    }

    /// `z / |z|`, and a zero itself.
    pub fn complex_sign(&mut self, z: Complex) -> Complex {
        let size = self.complex_abs(z);
        let mut r = Real { b: self };
        let nil = r.is(Direction::Eq, size, 0.0);
        let unit = Complex { re: r.op(BinaryOp::Div, z.re, size), im: r.op(BinaryOp::Div, z.im, size) };
        r.choose(nil, z, unit)
    }
}
