//! Reduction of huge arguments modulo π/2, by Payne and Hanek's method.

/// Up to here the f32 functions reduce their argument themselves.
pub(crate) const HUGE_F32: f32 = 131072.0;
/// Up to here the f64 functions do.
pub(crate) const HUGE_F64: f64 = 1048576.0;

/// The binary digits of 2/π after the point, behind 64 zeros.
const TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// 64 binary digits of 2/π from a position of [`TWO_OVER_PI`].
fn digits(position: usize) -> u64 {
    let (word, shift) = (position / 64, position % 64);
    let pair = u128::from(TWO_OVER_PI[word]) << 64 | u128::from(TWO_OVER_PI[word + 1]);
    (pair >> (64 - shift)) as u64
}

/// Of a finite x beyond [`HUGE_F64`]'s neighbourhood (at least 2^16): a quadrant and a remainder within ±π/4, as the
/// sum of two numbers, with `x = quadrant · π/2 + high + low` up to multiples of 2π.
pub(crate) fn reduce_huge(x: f64) -> (u64, f64, f64) {
    let bits = x.abs().to_bits();
    let m = bits & ((1 << 52) - 1) | 1 << 52;
    // |x| = m · 2^e. Digits of 2/π worth 4 / m or more turn full circles.
    let e = (bits >> 52) as i64 - 1075;
    let start = (e - 2 + 64) as usize;
    // The fraction of a full circle, in 192 bits: m · digits modulo 1.
    let low = u128::from(digits(start + 128)) * u128::from(m);
    let middle = u128::from(digits(start + 64)) * u128::from(m) + (low >> 64);
    let high = digits(start).wrapping_mul(m).wrapping_add((middle >> 64) as u64);
    let mut quadrant = high >> 62;
    // The fraction of the quadrant, in 128 of its bits.
    let mut fraction = (u128::from(high) << 64 | u128::from(middle as u64)) << 2 | u128::from(low as u64 >> 62);
    let mut rest = (low as u64) << 2;
    let negative = fraction >> 127 != 0;
    if negative {
        quadrant += 1;
        // Subtracting 1 from the fraction: its complement to 2^192, of the opposite sign.
        rest = rest.wrapping_neg();
        fraction = if rest == 0 { fraction.wrapping_neg() } else { !fraction };
    }
    let zeros = fraction.leading_zeros();
    let window = match zeros {
        0 => fraction,
        1..64 => fraction << zeros | u128::from(rest >> (64 - zeros)),
        64..128 => fraction.checked_shl(zeros).unwrap_or(0) | u128::from(rest) << (zeros - 64),
        _ => u128::from(rest) << 64,
    };
    let unit = (-f64::from(zeros)).exp2();
    let high = (window >> 75) as f64 * (-53f64).exp2() * unit;
    let low = (window >> 22 & ((1 << 53) - 1)) as f64 * (-106f64).exp2() * unit;
    // Times π/2.
    let half_pi = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17];
    let r = high * half_pi[0];
    let r_low = high.mul_add(half_pi[0], -r) + high.mul_add(half_pi[1], low * half_pi[0]);
    let (r, r_low) = if negative { (-r, -r_low) } else { (r, r_low) };
    match x < 0.0 {
        true => (quadrant.wrapping_neg(), -r, -r_low),
        false => (quadrant, r, r_low),
    }
}
