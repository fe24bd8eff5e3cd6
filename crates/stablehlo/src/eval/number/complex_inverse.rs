//! Hyperbolic functions of complex numbers, and the inverses of these and of the circular ones.
//!
//! The inverses follow W. Kahan ("Branch Cuts for Complex Elementary Functions", 1987): no term cancels another, and
//! signed zeros tell the sides of branch cuts.

use std::f64::consts::FRAC_PI_2;

use super::Complex;

/// Square roots of 1 − z and 1 + z, of which the inverses are made.
fn roots(z: Complex) -> (Complex, Complex) {
    (Complex::new(1.0 - z.re, -z.im).sqrt(), Complex::new(1.0 + z.re, z.im).sqrt())
}

/// The real part of a product. A zero times an infinity is nothing here: the other term is infinite.
fn product_re(a: Complex, b: Complex) -> f64 {
    part(a.re, b.re) - part(a.im, b.im)
}

/// The imaginary part of the product of a conjugate and a number.
fn conj_product_im(a: Complex, b: Complex) -> f64 {
    part(a.re, b.im) - part(a.im, b.re)
}

fn part(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

impl Complex {
    /// i times this.
    fn turned(self) -> Complex {
        Complex::new(-self.im, self.re)
    }

    /// −i times this.
    fn turned_back(self) -> Complex {
        Complex::new(self.im, -self.re)
    }

    /// Square, as (re − im)(re + im) + 2 re im i.
    pub fn square(self) -> Complex {
        Complex::new((self.re - self.im) * (self.re + self.im), self.re * self.im * 2.0)
    }

    /// Hyperbolic sine.
    pub fn sinh(self) -> Complex {
        self.turned().sin().turned_back()
    }

    /// Hyperbolic cosine.
    pub fn cosh(self) -> Complex {
        self.turned().cos()
    }

    /// Inverse cosine, real part in [0, π].
    pub fn acos(self) -> Complex {
        if self.re.is_nan() || self.im.is_nan() || !self.is_finite() {
            let asin = self.asin();
            return Complex::new(FRAC_PI_2 - asin.re, -asin.im);
        }
        let (below, above) = roots(self);
        Complex::new(2.0 * below.re.atan2(above.re), conj_product_im(above, below).asinh())
    }

    /// Inverse sine, real part in [−π/2, π/2].
    pub fn asin(self) -> Complex {
        self.turned().asinh().turned_back()
    }

    /// Inverse hyperbolic sine.
    pub fn asinh(self) -> Complex {
        let Complex { re, im } = self;
        if re.is_nan() || im.is_nan() || !self.is_finite() {
            return infinite_asinh(re, im);
        }
        // asinh z = i asin(−i z), of which the real part is that of an angle and the imaginary one of a logarithm.
        let w = self.turned_back();
        let (below, above) = roots(w);
        let angle = w.re.atan2(product_re(below, above));
        let size = libm::asinh(conj_product_im(below, above));
        // Both have the signs of the parts of the operand, zeros too.
        Complex::new(size.abs().copysign(re), angle.abs().copysign(im))
    }

    /// Inverse hyperbolic cosine, real part at least 0.
    pub fn acosh(self) -> Complex {
        let acos = self.acos();
        // acosh z = ±i acos z, whichever has a real part that is not negative.
        let turned = if self.im.is_sign_negative() { acos.turned_back() } else { acos.turned() };
        Complex::new(turned.re.abs(), turned.im)
    }

    /// Inverse tangent, real part in [−π/2, π/2].
    pub fn atan(self) -> Complex {
        self.turned().atanh().turned_back()
    }

    /// Inverse hyperbolic tangent, imaginary part in [−π/2, π/2].
    pub fn atanh(self) -> Complex {
        let (x, y) = (self.re.abs(), self.im.abs());
        let with_signs = |re: f64, im: f64| Complex::new(re.copysign(self.re), im.copysign(self.im));
        if self.re.is_nan() || self.im.is_nan() {
            return match (x.is_infinite(), y.is_infinite()) {
                (true, _) => Complex::new(0f64.copysign(self.re), f64::NAN),
                (_, true) => with_signs(0.0, FRAC_PI_2),
                _ if x == 0.0 => Complex::new(self.re, f64::NAN),
                _ => Complex::new(f64::NAN, f64::NAN),
            };
        }
        // Far out it is 1/z ± iπ/2, and squares would overflow.
        const FAR: f64 = 1e150;
        if x > FAR || y > FAR {
            let inverse = if x.is_infinite() || y.is_infinite() { 0.0 } else { 1.0 / x.max(y) };
            let ratio = if x < y { x / y } else { y / x };
            let re = if x < y { ratio * inverse } else { inverse } / (1.0 + ratio * ratio);
            return with_signs(if re.is_nan() { 0.0 } else { re }, FRAC_PI_2);
        }
        if x == 1.0 && y == 0.0 {
            return with_signs(f64::INFINITY, 0.0);
        }
        // ln(|1 + z| / |1 − z|) / 2, by the difference of the squares of both sizes.
        let re = if x == 1.0 {
            (4.0 + y * y).ln() / 4.0 - y.ln() / 2.0
        } else {
            (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p() / 4.0
        };
        let im = (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y) / 2.0;
        with_signs(re, im)
    }

    /// What the four inverses have in common: with w of z, asin z = atan2(z.re, w.re) ± w.im i.
    pub fn asin_acos_kernel(self) -> Complex {
        let (below, above) = roots(self);
        Complex::new(product_re(below, above), libm::asinh(conj_product_im(below, above)).abs())
    }
}

/// asinh where a part is infinite or NaN, as C's Annex G has it.
fn infinite_asinh(re: f64, im: f64) -> Complex {
    let quarter = FRAC_PI_2 / 2.0;
    if re.is_infinite() {
        let angle = if im.is_nan() {
            f64::NAN
        } else if im.is_infinite() {
            quarter
        } else {
            0.0
        };
        return Complex::new(re, angle.copysign(im));
    }
    if im.is_infinite() {
        return if re.is_nan() {
            Complex::new(f64::INFINITY, f64::NAN)
        } else {
            Complex::new(f64::INFINITY.copysign(re), FRAC_PI_2.copysign(im))
        };
    }
    // NaN and a finite number; a real NaN has no imaginary part.
    if im == 0.0 { Complex::new(f64::NAN, im) } else { Complex::new(f64::NAN, f64::NAN) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(got: Complex, want: Complex) {
        let scale = want.re.abs().max(want.im.abs()).max(1.0);
        let off = (got.re - want.re).abs().max((got.im - want.im).abs());
        assert!(off <= 4e-15 * scale, "{got:?} for {want:?}");
    }

    #[test]
    fn inverses_undo_their_functions() {
        for re in [-2.5, -1.0, -0.75, -1e-3, 0.0, 0.3, 1.0, 3.0] {
            for im in [-2.0, -0.5, 1e-3, 0.25, 1.0, 1.5] {
                let z = Complex::new(re, im);
                close(z.asinh().sinh(), z);
                close(z.acosh().cosh(), z);
                close(z.asin().sin(), z);
                close(z.acos().cos(), z);
                close(z.atanh().tanh(), z);
                close(z.atan().tan(), z);
            }
        }
    }

    #[test]
    fn small_and_large_numbers() {
        let tiny = Complex::new(1e-20, -1e-25);
        for f in [Complex::asin, Complex::asinh, Complex::atan, Complex::atanh, Complex::sinh] {
            let got = f(tiny);
            assert!((got.re / tiny.re - 1.0).abs() < 1e-15 && (got.im / tiny.im - 1.0).abs() < 1e-15, "{got:?}");
        }
        let large = Complex::new(3e200, 4e200);
        close(large.asinh(), Complex::new((2.0 * 5e100f64).ln() + 100.0 * 10f64.ln(), 4f64.atan2(3.0)));
        close(large.atanh(), Complex::new(3.0 / 25e200, FRAC_PI_2));
        let infinite = Complex::new(f64::INFINITY, 1.0);
        assert_eq!(infinite.asinh(), Complex::new(f64::INFINITY, 0.0));
        assert_eq!(infinite.atanh(), Complex::new(0.0, FRAC_PI_2));
        assert_eq!(Complex::real(1.0).atanh().re, f64::INFINITY);
    }

    #[test]
    fn sides_of_branch_cuts() {
        // On the real axis beyond one the sign of the zero decides.
        let upper = Complex::new(2.0, 0.0).asin();
        let lower = Complex::new(2.0, -0.0).asin();
        close(upper, Complex::new(FRAC_PI_2, 2f64.acosh()));
        close(lower, Complex::new(FRAC_PI_2, -2f64.acosh()));
        close(Complex::new(-2.0, 0.0).acosh(), Complex::new(2f64.acosh(), std::f64::consts::PI));
        close(Complex::new(0.0, 2.0).asinh(), Complex::new(2f64.acosh(), FRAC_PI_2));
        close(Complex::new(2.0, 0.0).atanh(), Complex::new(0.5 * 3f64.ln(), FRAC_PI_2));
    }

    #[test]
    fn the_kernel_gives_all_inverses() {
        for z in [Complex::new(0.5, 0.25), Complex::new(-2.0, -1.0)] {
            let w = z.asin_acos_kernel();
            close(z.asin(), Complex::new(z.re.atan2(w.re), w.im.copysign(z.im)));
            close(z.acos(), Complex::new(w.re.atan2(z.re), -w.im.copysign(z.im)));
        }
    }
}
