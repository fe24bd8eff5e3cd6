//! The modified Bessel function of order one.

use std::f64::consts::PI;

/// Up to here the power series, from here on the asymptotic one.
const LARGE: f64 = 30.0;

/// e^−|x| I₁(x).
pub(super) fn i1e(x: f64) -> f64 {
    let size = x.abs();
    if size.is_nan() || size == 0.0 {
        return x;
    }
    if size.is_infinite() {
        return 0f64.copysign(x);
    }
    let value = if size <= LARGE { (-size).exp() * power_series(size) } else { asymptotic(size) };
    value.copysign(x)
}

/// The sum of (x/2)^(2k+1) / (k! (k+1)!): positive terms, so nothing cancels.
fn power_series(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut sum, mut term) = (0.0, x / 2.0);
    let mut k = 1.0;
    while term > sum * (f64::EPSILON / 8.0) {
        sum += term;
        term *= quarter / (k * (k + 1.0));
        k += 1.0;
    }
    sum
}

fn asymptotic(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0f64);
    let mut k = 1.0;
    while term.abs() > f64::EPSILON / 8.0 && k < 2.0 * LARGE {
        let odd = 2.0 * k - 1.0;
        term *= (odd * odd - 4.0) / (8.0 * k * x);
        sum += term;
        k += 1.0;
    }
    sum / (2.0 * PI * x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        let close = |got: f64, want: f64| assert!((got - want).abs() <= 4e-15 * want.abs(), "{got:e} for {want:e}");
        close(i1e(1.0), 0.207_910_415_349_708_48);
        close(i1e(-10.0), -0.121_262_681_384_455_52);
        close(i1e(100.0), 0.039_744_153_025_130_25);
        // Both series meet.
        close(asymptotic(LARGE), (-LARGE).exp() * power_series(LARGE));
        assert_eq!(i1e(f64::INFINITY), 0.0);
        assert_eq!(i1e(-0.0).to_bits(), (-0.0f64).to_bits());
    }
}
