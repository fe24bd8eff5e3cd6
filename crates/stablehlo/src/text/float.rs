//! Floats as text and back, for every float type, digit for digit as MLIR writes them.

use crate::ElementType;
use crate::eval::number::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ,
    F8E8M0FNU, F16, Float,
};

/// Applies a generic function to the Rust type of a float element type; `None` for other types.
macro_rules! with_float {
    ($element:expr, $ty:ident => $body:expr) => {
        match $element {
            ElementType::F4E2M1FN => with_float!(@ F4E2M1FN, $ty, $body),
            ElementType::F6E2M3FN => with_float!(@ F6E2M3FN, $ty, $body),
            ElementType::F6E3M2FN => with_float!(@ F6E3M2FN, $ty, $body),
            ElementType::F8E3M4 => with_float!(@ F8E3M4, $ty, $body),
            ElementType::F8E4M3 => with_float!(@ F8E4M3, $ty, $body),
            ElementType::F8E4M3FN => with_float!(@ F8E4M3FN, $ty, $body),
            ElementType::F8E4M3FNUZ => with_float!(@ F8E4M3FNUZ, $ty, $body),
            ElementType::F8E4M3B11FNUZ => with_float!(@ F8E4M3B11FNUZ, $ty, $body),
            ElementType::F8E5M2 => with_float!(@ F8E5M2, $ty, $body),
            ElementType::F8E5M2FNUZ => with_float!(@ F8E5M2FNUZ, $ty, $body),
            ElementType::F8E8M0FNU => with_float!(@ F8E8M0FNU, $ty, $body),
            ElementType::BF16 => with_float!(@ BF16, $ty, $body),
            ElementType::F16 => with_float!(@ F16, $ty, $body),
            ElementType::F32 => with_float!(@ f32, $ty, $body),
            ElementType::F64 => with_float!(@ f64, $ty, $body),
            _ => None,
        }
    };
    (@ $concrete:ty, $ty:ident, $body:expr) => {{
        type $ty = $concrete;
        Some($body)
    }};
}

/// The bit pattern of the number nearest to `value`; `None` if the element is no float.
pub(crate) fn to_bits(element: ElementType, value: f64) -> Option<u64> {
    with_float!(element, T => <T as Float>::from_f64(value).raw())
}

/// The value of a bit pattern; `None` if the element is no float.
fn value_of(element: ElementType, bits: u64) -> Option<(f64, u32)> {
    with_float!(element, T => (<T as Float>::from_raw(bits).to_f64(), <T as Float>::MANTISSA_BITS + 1))
}

/// The number as MLIR writes it: six digits if they say it all, else as many as needed, else the bit pattern in
/// hexadecimal. Reads back as the same bits.
pub(crate) fn write(out: &mut String, element: ElementType, bits: u64) {
    let text = value_of(element, bits).filter(|(value, _)| value.is_finite()).and_then(|(value, precision)| {
        let reads_back = |text: &String| text.parse().is_ok_and(|v| to_bits(element, v) == Some(bits));
        let short = Some(decimal(value, 6, true)).filter(reads_back);
        let natural = || Some(decimal(value, 2 + precision as usize * 59 / 196, false));
        short.or_else(|| natural().filter(|text| text.contains('.')).filter(reads_back))
    });
    match text {
        Some(text) => out.push_str(&text),
        None => out.push_str(&format!("0x{bits:0width$X}", width = element.byte_width() * 2)),
    }
}

/// As LLVM's `APFloat::toString`: at most `digits` significant digits; in exponential form with all digits if
/// `pad`, else in the shorter form without trailing zeros.
fn decimal(value: f64, digits: usize, pad: bool) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return format!("{sign}{}", if pad { "0.000000e+00" } else { "0.0" });
    }
    let (mut number, mut exponent) = exact(value.abs(), digits);
    round(&mut number, &mut exponent, digits);
    while number.len() > 1 && number.last() == Some(&b'0') {
        number.pop();
        exponent += 1;
    }
    let text: &str = std::str::from_utf8(&number).unwrap_or("0");
    let power = exponent + text.len() as i32 - 1;
    let scientific = if exponent >= 0 { exponent > 3 } else { power < -3 };
    if pad || scientific {
        let (first, rest) = text.split_at(1);
        let zeros = if pad { "0".repeat((digits + 1).saturating_sub(text.len())) } else { String::new() };
        let rest = if rest.is_empty() && !pad { "0" } else { rest };
        let (e, width) = if pad { ("e", 2) } else { ("E", 1) };
        let power_sign = if power < 0 { "-" } else { "+" };
        return format!("{sign}{first}.{rest}{zeros}{e}{power_sign}{:0width$}", power.abs());
    }
    if exponent >= 0 {
        return format!("{sign}{text}{}", "0".repeat(exponent as usize));
    }
    let whole = text.len() as i32 + exponent;
    if whole > 0 {
        let (before, after) = text.split_at(whole as usize);
        return format!("{sign}{before}.{after}");
    }
    format!("{sign}0.{}{text}", "0".repeat(-whole as usize))
}

/// Decimal digits and exponent. As LLVM does, digits far beyond those wanted are cut off, not rounded.
fn exact(value: f64, wanted: usize) -> (Vec<u8>, i32) {
    let bits = value.to_bits();
    let (fraction, field) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let (mut significand, mut power) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let zeros = significand.trailing_zeros();
    significand >>= zeros;
    power += zeros as i32;
    // The number is significand * 2^power; below one that is significand * 5^-power * 10^power.
    let (mut digits, bit_length, mut exponent) = if power >= 0 {
        (format!("{value:.0}").into_bytes(), 64 - significand.leading_zeros() as usize + power as usize, 0)
    } else {
        let mut words = vec![significand];
        for _ in 0..-power {
            let mut carry = 0u128;
            for word in &mut words {
                let product = u128::from(*word) * 5 + carry;
                *word = product as u64;
                carry = product >> 64;
            }
            if carry != 0 {
                words.push(carry as u64);
            }
        }
        let top = words.last().map_or(0, |w| 64 - w.leading_zeros() as usize);
        let text = format!("{value:.1080e}");
        let mantissa = text.split('e').next().unwrap_or("");
        let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
        let len = digits.iter().rposition(|&d| d != b'0').map_or(1, |at| at + 1);
        (digits[..len].to_vec(), (words.len() - 1) * 64 + top, power)
    };
    let required = (wanted * 196).div_ceil(59);
    if bit_length > required {
        let removable = (bit_length - required) * 59 / 196;
        let keep = digits.len().saturating_sub(removable).max(1);
        exponent += (digits.len() - keep) as i32;
        digits.truncate(keep);
        while digits.len() > 1 && digits.last() == Some(&b'0') {
            digits.pop();
            exponent += 1;
        }
    }
    (digits, exponent)
}

/// Rounds half up to so many digits.
fn round(digits: &mut Vec<u8>, exponent: &mut i32, wanted: usize) {
    if digits.len() <= wanted {
        return;
    }
    let up = digits[wanted] >= b'5';
    *exponent += (digits.len() - wanted) as i32;
    digits.truncate(wanted);
    if !up {
        return;
    }
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
    digits.pop();
    *exponent += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(element: ElementType, bits: u64) -> String {
        let mut out = String::new();
        write(&mut out, element, bits);
        out
    }

    #[test]
    fn numbers_look_as_in_mlir() {
        for (value, expected) in [
            (std::f32::consts::PI, "3.14159274"),
            (0.1, "1.000000e-01"),
            (16777216.0, "0x4B800000"),
            (1.192_092_9e-7, "1.1920929E-7"),
            (9.765625e-4, "9.765625E-4"),
            (0.0, "0.000000e+00"),
            (-0.0, "-0.000000e+00"),
            (f32::NAN, "0x7FC00000"),
            (f32::INFINITY, "0x7F800000"),
            (1e10, "1.000000e+10"),
            (0.012345679, "0.0123456791"),
        ] {
            assert_eq!(text(ElementType::F32, value.to_bits().into()), expected, "{value}");
        }
        assert_eq!(text(ElementType::F64, std::f64::consts::PI.to_bits()), "3.1415926535897931");
        let f16 = |value| text(ElementType::F16, to_bits(ElementType::F16, value).unwrap());
        assert_eq!([f16(3.14159274), f16(0.1), f16(9.765625e-4)], ["3.140630e+00", "9.997550e-02", "9.765620e-04"]);
    }

    #[test]
    fn every_small_float_reads_back() {
        for &element in ElementType::ALL {
            if element.kind() != crate::ElementKind::Float || element.bits() > 16 {
                continue;
            }
            for bits in 0..1u64 << element.bits() {
                let written = text(element, bits);
                let read = match written.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
                    None => to_bits(element, written.parse().unwrap()).unwrap(),
                };
                assert_eq!(read, bits, "{element} {written}");
            }
        }
    }
}
