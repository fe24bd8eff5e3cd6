//! Complex numbers: the storage pair of `f32`, and the pair of `f64` in which all of them compute.
//!
//! Formulas avoid overflow and cancellation in intermediate results where the naive ones have them.

use bytemuck::{Pod, Zeroable};

/// `complex<f32>` as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct C64 {
    /// Real part.
    pub re: f32,
    /// Imaginary part.
    pub im: f32,
}

/// `complex<f64>` as it lies in memory, and the type in which complex arithmetic is done.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

/// Element types that are pairs of floats.
pub trait ComplexElement: super::Element {
    /// The type of the parts.
    type Part: super::Float;
    /// The exact value.
    fn to_complex(self) -> Complex;
    /// Each part rounded to nearest even.
    fn from_complex(value: Complex) -> Self;
}

impl ComplexElement for C64 {
    type Part = f32;
    fn to_complex(self) -> Complex {
        Complex { re: self.re as f64, im: self.im as f64 }
    }
    fn from_complex(value: Complex) -> C64 {
        C64 { re: value.re as f32, im: value.im as f32 }
    }
}

impl ComplexElement for Complex {
    type Part = f64;
    fn to_complex(self) -> Complex {
        self
    }
    fn from_complex(value: Complex) -> Complex {
        value
    }
}

impl std::ops::Add for Complex {
    type Output = Complex;
    fn add(self, o: Complex) -> Complex {
        Complex::new(self.re + o.re, self.im + o.im)
    }
}

impl std::ops::Sub for Complex {
    type Output = Complex;
    fn sub(self, o: Complex) -> Complex {
        Complex::new(self.re - o.re, self.im - o.im)
    }
}

impl std::ops::Mul for Complex {
    type Output = Complex;
    fn mul(self, o: Complex) -> Complex {
        Complex::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}

impl std::ops::Neg for Complex {
    type Output = Complex;
    fn neg(self) -> Complex {
        Complex::new(-self.re, -self.im)
    }
}

impl std::ops::Div for Complex {
    type Output = Complex;

    /// Smith's method, with the results of C's Annex G for zero and infinite operands.
    fn div(self, o: Complex) -> Complex {
        let quotient = if o.re.abs() >= o.im.abs() {
            let ratio = o.im / o.re;
            let scale = o.re + o.im * ratio;
            Complex::new((self.re + self.im * ratio) / scale, (self.im - self.re * ratio) / scale)
        } else {
            let ratio = o.re / o.im;
            let scale = o.re * ratio + o.im;
            Complex::new((self.re * ratio + self.im) / scale, (self.im * ratio - self.re) / scale)
        };
        if !(quotient.re.is_nan() && quotient.im.is_nan()) {
            return quotient;
        }
        let unit = |x: f64| (if x.is_infinite() { 1.0f64 } else { 0.0 }).copysign(x);
        if o.re == 0.0 && o.im == 0.0 && !(self.re.is_nan() && self.im.is_nan()) {
            let infinity = f64::INFINITY.copysign(o.re);
            return Complex::new(infinity * self.re, infinity * self.im);
        }
        if (self.re.is_infinite() || self.im.is_infinite()) && o.is_finite() {
            let (a, b) = (unit(self.re), unit(self.im));
            return Complex::new(f64::INFINITY * (a * o.re + b * o.im), f64::INFINITY * (b * o.re - a * o.im));
        }
        if (o.re.is_infinite() || o.im.is_infinite()) && self.is_finite() {
            let (c, d) = (unit(o.re), unit(o.im));
            return Complex::new(0.0 * (self.re * c + self.im * d), 0.0 * (self.im * c - self.re * d));
        }
        quotient
    }
}

impl Complex {
    /// From parts.
    pub const fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    /// A real number.
    pub const fn real(re: f64) -> Complex {
        Complex { re, im: 0.0 }
    }

    /// Whether both parts are finite.
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// Complex conjugate.
    pub fn conj(self) -> Complex {
        Complex::new(self.re, -self.im)
    }

    /// Magnitude, without overflow in between.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Argument in (−π, π].
    pub fn arg(self) -> f64 {
        self.im.atan2(self.re)
    }

    /// Product with a real number.
    pub fn scale(self, factor: f64) -> Complex {
        Complex::new(self.re * factor, self.im * factor)
    }

    /// From magnitude and argument; a zero magnitude is zero whatever the argument.
    fn polar(magnitude: f64, arg: f64) -> Complex {
        let (sin, cos) = arg.sin_cos();
        let part = |unit: f64| {
            if magnitude == 0.0 || (unit == 0.0 && magnitude.is_infinite()) { 0.0 } else { magnitude * unit }
        };
        Complex::new(part(cos), if arg == 0.0 { arg } else { part(sin) })
    }

    /// e to this power.
    pub fn exp(self) -> Complex {
        if self.re == f64::NEG_INFINITY && !self.im.is_finite() {
            return Complex::real(0.0);
        }
        Complex::polar(self.re.exp(), self.im)
    }

    /// e to this power, less one, accurate near zero.
    pub fn exp_m1(self) -> Complex {
        let half_sin = (self.im * 0.5).sin();
        let growth = self.re.exp();
        let re = self.re.exp_m1() * self.im.cos() - 2.0 * half_sin * half_sin;
        let im = if self.im == 0.0 { self.im } else { growth * self.im.sin() };
        Complex::new(re, im)
    }

    /// Natural logarithm, imaginary part in (−π, π].
    pub fn ln(self) -> Complex {
        Complex::new(self.ln_abs(), self.arg())
    }

    /// Logarithm of the magnitude, accurate near magnitude one and without overflow.
    fn ln_abs(self) -> f64 {
        let (large, small) = (self.re.abs().max(self.im.abs()), self.re.abs().min(self.im.abs()));
        // The greater of a number and NaN is the number, so NaN is looked for.
        if (0.5..2.0).contains(&large) && !self.re.is_nan() && !self.im.is_nan() {
            // |z|² − 1 = (large − 1)(large + 1) + small², free of cancellation for large near one.
            0.5 * ((large - 1.0) * (large + 1.0) + small * small).ln_1p()
        } else {
            self.abs().ln()
        }
    }

    /// Natural logarithm of one plus this, accurate near zero.
    pub fn ln_1p(self) -> Complex {
        let shifted = Complex::new(1.0 + self.re, self.im);
        // |1 + z|² − 1 = 2 re + re² + im².
        let excess = self.re * (2.0 + self.re) + self.im * self.im;
        let re = if excess.abs() < 0.5 { 0.5 * excess.ln_1p() } else { shifted.ln_abs() };
        Complex::new(re, shifted.arg())
    }

    /// Principal square root.
    pub fn sqrt(self) -> Complex {
        let Complex { re, im } = self;
        if re == 0.0 && im == 0.0 {
            return Complex::new(0.0, im);
        }
        if im.is_infinite() {
            return Complex::new(f64::INFINITY, im);
        }
        if re.is_infinite() {
            let zero_or_nan = if im.is_nan() { im } else { 0.0 };
            return if re > 0.0 {
                Complex::new(re, zero_or_nan.copysign(im))
            } else {
                Complex::new(zero_or_nan, f64::INFINITY.copysign(im))
            };
        }
        // Scaling by a power of four keeps the magnitude in range and is exact.
        let scale = if re.abs().max(im.abs()) > 1e300 {
            0.25
        } else if re.abs().max(im.abs()) < 1e-290 {
            2f64.powi(100)
        } else {
            1.0
        };
        let (x, y) = (re * scale, im * scale);
        let half = ((x.abs() + x.hypot(y)) * 0.5).sqrt();
        let (root_re, root_im) =
            if x >= 0.0 { (half, y / (2.0 * half)) } else { (y.abs() / (2.0 * half), half.copysign(y)) };
        Complex::new(root_re, root_im).scale(1.0 / scale.sqrt())
    }

    /// Principal cube root.
    pub fn cbrt(self) -> Complex {
        if self.re == 0.0 && self.im == 0.0 { self } else { Complex::polar(self.abs().cbrt(), self.arg() / 3.0) }
    }

    /// Reciprocal of the principal square root.
    pub fn rsqrt(self) -> Complex {
        Complex::real(1.0) / self.sqrt()
    }

    /// Principal value of this to the power `o`: exp(o · ln(self)).
    pub fn pow(self, o: Complex) -> Complex {
        if self.re == 0.0 && self.im == 0.0 {
            return match (o.re == 0.0 && o.im == 0.0, o.re > 0.0) {
                (true, _) => Complex::real(1.0),
                (_, true) => Complex::real(0.0),
                _ => Complex::real(0.0).ln().mul_parts(o).exp(),
            };
        }
        let (ln_abs, arg) = (self.ln_abs(), self.arg());
        Complex::polar((o.re * ln_abs - o.im * arg).exp(), o.im * ln_abs + o.re * arg)
    }

    fn mul_parts(self, o: Complex) -> Complex {
        self * o
    }

    /// Sine.
    pub fn sin(self) -> Complex {
        let (sin, cos) = self.re.sin_cos();
        Complex::new(
            if self.re == 0.0 { self.re } else { sin * self.im.cosh() },
            if self.im == 0.0 { self.im } else { cos * self.im.sinh() },
        )
    }

    /// Cosine.
    pub fn cos(self) -> Complex {
        let (sin, cos) = self.re.sin_cos();
        Complex::new(
            cos * self.im.cosh(),
            if self.re == 0.0 || self.im == 0.0 { -self.re * self.im } else { -sin * self.im.sinh() },
        )
    }

    /// Tangent.
    pub fn tan(self) -> Complex {
        // tan z = −i tanh(iz).
        let turned = Complex::new(-self.im, self.re).tanh();
        Complex::new(turned.im, -turned.re)
    }

    /// Hyperbolic tangent.
    pub fn tanh(self) -> Complex {
        let Complex { re, im } = self;
        // Beyond this, tanh of the real part is ±1 to the last bit and cosh would overflow below.
        if re.abs() > 20.0 && im.is_finite() {
            let fall = 4.0 * (-2.0 * re.abs()).exp();
            return Complex::new(1f64.copysign(re), fall * im.sin() * im.cos());
        }
        if re.is_infinite() {
            return Complex::new(1f64.copysign(re), 0.0);
        }
        let (tan, sinh) = (im.tan(), re.sinh());
        let cosh = (1.0 + sinh * sinh).sqrt();
        let beta = 1.0 + tan * tan;
        if tan.is_infinite() {
            return Complex::new(cosh / sinh, 1.0 / tan);
        }
        let scale = 1.0 + beta * sinh * sinh;
        Complex::new(beta * cosh * sinh / scale, tan / scale)
    }

    /// 1 / (1 + e^−z).
    pub fn logistic(self) -> Complex {
        Complex::real(1.0) / (Complex::real(1.0) + (-self).exp())
    }

    /// z / |z|, and zero of zero.
    pub fn sign(self) -> Complex {
        let magnitude = self.abs();
        if magnitude == 0.0 { self } else { Complex::new(self.re / magnitude, self.im / magnitude) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: Complex, re: f64, im: f64) {
        let scale = re.abs().max(im.abs()).max(1e-300);
        assert!((got.re - re).abs() <= 1e-14 * scale && (got.im - im).abs() <= 1e-14 * scale, "{got:?} for {re} {im}");
    }

    #[test]
    fn known_values() {
        let z = Complex::new(0.5, -0.75);
        close(z * z.conj(), 0.8125, 0.0);
        close(z / z, 1.0, 0.0);
        close(z.sqrt() * z.sqrt(), 0.5, -0.75);
        close(z.cbrt() * z.cbrt() * z.cbrt(), 0.5, -0.75);
        close(z.exp().ln(), 0.5, -0.75);
        close(z.exp_m1().ln_1p(), 0.5, -0.75);
        close(z.sin() * z.sin() + z.cos() * z.cos(), 1.0, 0.0);
        close(z.tan(), (z.sin() / z.cos()).re, (z.sin() / z.cos()).im);
        let e2 = z.scale(2.0).exp();
        let tanh = (e2 - Complex::real(1.0)) / (e2 + Complex::real(1.0));
        close(z.tanh(), tanh.re, tanh.im);
        close(Complex::new(0.0, 1.0).pow(Complex::real(2.0)), -1.0, 1.2246467991473532e-16);
        close(Complex::new(3.0, 4.0).sign(), 0.6, 0.8);
    }

    #[test]
    fn no_overflow_in_between() {
        let big = Complex::new(1e200, 1e200);
        assert!(big.abs().is_finite() && big.sqrt().is_finite());
        close(big / big, 1.0, 0.0);
        close(Complex::new(500.0, 1.0).tanh(), 1.0, 0.0);
        // ln(1 + z) = z − z²/2 + …, and z² is 2e-20 i here.
        close(Complex::new(1e-10, 1e-10).ln_1p(), 1e-10, 1e-10 - 1e-20);
    }

    #[test]
    fn zero_and_infinity() {
        let zero = Complex::real(0.0);
        assert_eq!(zero.sqrt(), zero);
        assert_eq!(zero.ln().re, f64::NEG_INFINITY);
        assert_eq!(zero.sign(), zero);
        assert_eq!(zero.pow(zero), Complex::real(1.0));
        assert_eq!(Complex::new(1.0, 1.0) / zero, Complex::new(f64::INFINITY, f64::INFINITY));
        assert_eq!(Complex::real(f64::NEG_INFINITY).exp(), zero);
    }
}
