//! The inverse of the error function.

use std::f64::consts::PI;

/// The y with erf(y) = x; ±∞ at ±1, NaN beyond.
pub(super) fn erf_inv(x: f64) -> f64 {
    let size = x.abs();
    if size.is_nan() || size > 1.0 {
        return f64::NAN;
    }
    if size == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    if size == 0.0 {
        return x;
    }
    // A formula good to 2e-3 (Winitzki), then Halley's method, whose error is cubed in each step.
    const A: f64 = 0.147;
    let log = (1.0 - size).ln() + size.ln_1p();
    let half = 2.0 / (PI * A) + log / 2.0;
    let mut y = ((half * half - log / A).sqrt() - half).max(0.0).sqrt();
    // Relative to the first term of the series where the formula loses all digits.
    if size < 1e-3 {
        y = size * PI.sqrt() / 2.0;
    }
    for _ in 0..4 {
        // The smaller of erf and its complement keeps its digits.
        let error = if size < 0.5 { libm::erf(y) - size } else { (1.0 - size) - libm::erfc(y) };
        let slope = 2.0 / PI.sqrt() * (-y * y).exp();
        let newton = error / slope;
        y -= newton / (1.0 + y * newton);
    }
    y.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undoes_erf() {
        for i in 1..600 {
            let y = f64::from(i) / 100.0;
            let (x, complement) = (libm::erf(y), libm::erfc(y));
            if x == 1.0 {
                break;
            }
            // One place of x is this much of y.
            let slack = f64::EPSILON * (1.0 + y) + f64::EPSILON / complement.min(1.0) * 0.5;
            assert!((erf_inv(x) - y).abs() <= 2.0 * slack * y.max(1.0), "{y}: {}", erf_inv(x));
            assert_eq!(erf_inv(-x), -erf_inv(x));
        }
        let tiny = 1e-300;
        assert!((erf_inv(tiny) / (tiny * PI.sqrt() / 2.0) - 1.0).abs() < 1e-15);
        assert_eq!(erf_inv(1.0), f64::INFINITY);
        assert!(erf_inv(1.5).is_nan());
        let last = 1.0 - f64::EPSILON / 2.0;
        assert!((erf_inv(last) - 5.863_584_748_755_168).abs() < 1e-13, "{}", erf_inv(last));
    }
}
