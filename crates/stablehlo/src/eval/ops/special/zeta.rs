//! The Hurwitz zeta function.

/// B₂ₖ / (2k)! for k from 1.
const EULER_MACLAURIN: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
];

/// The sum of (q + n)^−x for n from 0.
///
/// NaN for x < 1, +∞ at x = 1. For q ≤ 0 it takes an integer x, and has poles at integers: +∞ for even x, else NaN.
pub(super) fn zeta(x: f64, q: f64) -> f64 {
    if x.is_nan() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if x == 1.0 {
        return f64::INFINITY;
    }
    if q > 0.0 {
        return from_positive(x, q);
    }
    if x != x.floor() {
        return f64::NAN;
    }
    let even = x % 2.0 == 0.0;
    if q == q.floor() {
        return if even { f64::INFINITY } else { f64::NAN };
    }
    // Below zero are finitely many terms: those at −(j − f) for j from 1 to m, where q = f − m.
    let m = -q.floor();
    let f = q + m;
    let below = from_positive(x, 1.0 - f) - from_positive(x, 1.0 - f + m);
    from_positive(x, f) + if even { below } else { -below }
}

/// The first terms one by one, the rest by the formula of Euler and Maclaurin.
fn from_positive(x: f64, q: f64) -> f64 {
    const ONE_BY_ONE: i32 = 14;
    let head: f64 = (0..ONE_BY_ONE).rev().map(|n| (q + f64::from(n)).powf(-x)).sum();
    let a = q + f64::from(ONE_BY_ONE);
    let power = a.powf(-x);
    if power == 0.0 {
        return head;
    }
    let mut tail = power * (a / (x - 1.0) + 0.5);
    // x (x + 1) … (x + 2k − 2) a^(1 − x − 2k).
    let mut factor = power * x / a;
    for (k, coefficient) in EULER_MACLAURIN.iter().enumerate() {
        let term = coefficient * factor;
        tail += term;
        if term.abs() <= f64::EPSILON / 8.0 * tail.abs() {
            break;
        }
        let next = x + 2.0 * k as f64 + 1.0;
        factor *= next / a * ((next + 1.0) / a);
    }
    head + tail
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn published_values() {
        let close = |got: f64, want: f64| assert!((got - want).abs() <= 4e-15 * want.abs(), "{got:e} for {want:e}");
        close(zeta(2.0, 1.0), PI * PI / 6.0);
        close(zeta(4.0, 1.0), PI.powi(4) / 90.0);
        close(zeta(3.0, 1.0), 1.202_056_903_159_594_2);
        close(zeta(1.5, 1.0), 2.612_375_348_685_488);
        close(zeta(2.0, 0.5), PI * PI / 2.0);
        close(zeta(60.0, 1.0), 1.0);
        // π² / sin²(πq) is the sum over all integers, so that of −0.5 is π² − π²/2 + 4.
        close(zeta(2.0, -0.5), PI * PI / 2.0 + 4.0);
        close(zeta(3.0, -0.5), 7.0 * 1.202_056_903_159_594_2 - 8.0);
        assert_eq!(zeta(1.0, 3.0), f64::INFINITY);
        assert_eq!(zeta(2.0, -3.0), f64::INFINITY);
        assert!(zeta(3.0, -3.0).is_nan() && zeta(2.5, -0.5).is_nan() && zeta(0.5, 1.0).is_nan());
        assert_eq!(zeta(2.0, f64::INFINITY), 0.0);
    }
}
