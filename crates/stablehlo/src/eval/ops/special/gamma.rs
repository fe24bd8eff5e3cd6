//! The logarithmic derivatives of the gamma function.

use std::f64::consts::PI;

use super::zeta::zeta;

/// From here on the asymptotic series is exact to the last place.
const ASYMPTOTIC: f64 = 12.0;

/// ψ(x), the derivative of ln Γ(x). NaN at its poles, the integers up to zero.
pub(super) fn digamma(x: f64) -> f64 {
    if x <= 0.0 && x == x.floor() {
        return f64::NAN;
    }
    if x < 0.5 {
        // ψ(1 − x) − ψ(x) = π cot(πx), whose period is one.
        return digamma_from_half(1.0 - x) - PI / (PI * (x - x.round())).tan();
    }
    digamma_from_half(x)
}

fn digamma_from_half(x: f64) -> f64 {
    // ψ(x) = ψ(x + 1) − 1/x.
    let (mut x, mut below) = (x, 0.0);
    while x < ASYMPTOTIC {
        below += 1.0 / x;
        x += 1.0;
    }
    // B₂ₖ / 2k for k from 1.
    const SERIES: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32760.0,
        1.0 / 12.0,
        -3617.0 / 8160.0,
    ];
    let square = 1.0 / (x * x);
    let tail = SERIES.iter().rev().fold(0.0, |sum, term| (sum + term) * square);
    x.ln() - 0.5 / x - tail - below
}

/// The n-th derivative of ψ at x; NaN unless n is a natural number.
pub(super) fn polygamma(n: f64, x: f64) -> f64 {
    if n.is_nan() || n < 0.0 || n != n.floor() {
        return f64::NAN;
    }
    if n == 0.0 {
        return digamma(x);
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    sign * libm::tgamma(n + 1.0) * zeta(n + 1.0, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        let euler = 0.577_215_664_901_532_9;
        // Below one half two large terms cancel.
        let close =
            |got: f64, want: f64| assert!((got - want).abs() <= 4e-15 * want.abs().max(1.0), "{got:e} for {want:e}");
        close(digamma(1.0), -euler);
        close(digamma(0.5), -euler - 2.0 * std::f64::consts::LN_2);
        close(digamma(-0.5), 0.036_489_973_978_576_52);
        close(digamma(100.0), 4.600_161_852_738_087);
        close(polygamma(1.0, 1.0), PI * PI / 6.0);
        close(polygamma(2.0, 1.0), -2.404_113_806_319_188_6);
        close(polygamma(1.0, 0.5), PI * PI / 2.0);
        assert!(digamma(-3.0).is_nan() && digamma(0.0).is_nan() && polygamma(0.5, 1.0).is_nan());
        assert_eq!(digamma(f64::INFINITY), f64::INFINITY);
        // The zero of ψ, as far as the neighbouring doubles tell.
        assert!(digamma(1.461_632_144_968_362_3).abs() < 1e-15);
    }
}
