//! The floats below f32: from and to f32, by integer arithmetic that makes vectors.
//!
//! Rounding is to nearest even. Values beyond the range become infinity, or NaN where there is none, or the greatest
//! value where there is neither. This is ml_dtypes' behaviour, pattern for pattern.

/// A float format as constants.
struct Format {
    /// Bits of a code.
    width: u32,
    mantissa: u32,
    bias: u32,
    /// The code of the greatest finite magnitude.
    greatest: u32,
    /// What larger magnitudes become.
    overflow: u32,
    /// What NaN becomes, less its sign.
    nan: u32,
    signs: Signs,
}

#[derive(PartialEq, Eq)]
enum Signs {
    /// A sign bit, always.
    Plain,
    /// As `Plain`, but the format has no NaN and gives a zero of the opposite sign instead.
    NanIsZero,
    /// There is no −0: its code is the only NaN.
    NoNegativeZero,
}

/// A float type that is stored in a code of its own and computed in f32.
pub trait SmallFloat {
    /// The code: u8 or u16.
    type Code: Copy;
    /// The nearest code.
    fn encode(value: f32) -> Self::Code;
    /// The exact value.
    fn decode(code: Self::Code) -> f32;
}

#[inline(always)]
const fn encode(format: &Format, value: f32) -> u32 {
    let bits = value.to_bits();
    let size = bits & 0x7fff_ffff;
    let sign = bits >> 31 << (format.width - 1);
    let shift = 23 - format.mantissa;
    // A carry out of the mantissa rightly moves on into the exponent.
    let rounded = size.wrapping_add((1 << (shift - 1)) - 1).wrapping_add(size >> shift & 1);
    let normal = (rounded >> shift).wrapping_sub((127 - format.bias) << format.mantissa);
    // Adding a number whose last place is the least subnormal lets the hardware round.
    let unit = (127 + 24 - format.bias - format.mantissa) << 23;
    let subnormal = (f32::from_bits(size) + f32::from_bits(unit)).to_bits().wrapping_sub(unit);
    let code = if size < (128 - format.bias) << 23 { subnormal } else { normal };
    let finite = size < 0x7f80_0000 && code <= format.greatest;
    let code = if finite { code } else { format.overflow };
    let nan = size > 0x7f80_0000;
    match format.signs {
        Signs::Plain => (if nan { format.nan } else { code }) | sign,
        Signs::NanIsZero => {
            if nan {
                sign ^ 1 << (format.width - 1)
            } else {
                code | sign
            }
        }
        Signs::NoNegativeZero => {
            if nan || !finite {
                format.nan
            } else if code == 0 {
                0
            } else {
                code | sign
            }
        }
    }
}

#[inline(always)]
const fn decode(format: &Format, code: u32) -> f32 {
    let size = code & ((1 << (format.width - 1)) - 1);
    let sign = (code >> (format.width - 1) & 1) << 31;
    let exponent = size >> format.mantissa;
    let fraction = size & ((1 << format.mantissa) - 1);
    let unit = f32::from_bits((127 + 1 - format.bias - format.mantissa) << 23);
    let subnormal = (fraction as i32 as f32 * unit).to_bits();
    let normal = (size << (23 - format.mantissa)).wrapping_add((127 - format.bias) << 23);
    let bits = if exponent == 0 { subnormal } else { normal };
    let special = match format.signs {
        Signs::Plain => size > format.greatest,
        Signs::NanIsZero => false,
        Signs::NoNegativeZero => size == 0 && sign != 0,
    };
    if !special {
        f32::from_bits(bits | sign)
    } else if size == format.overflow && format.overflow != format.nan {
        f32::from_bits(0x7f80_0000 | sign)
    } else {
        f32::from_bits(0x7fc0_0000 | sign)
    }
}

const fn table(format: &Format) -> [f32; 256] {
    let mut values = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        values[code] = decode(format, code as u32);
        code += 1;
    }
    values
}

macro_rules! byte_floats {
    ($($name:ident $width:literal $mantissa:literal $bias:literal $greatest:literal $overflow:literal $nan:literal
       $signs:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`, in the low bits of a byte; those above are ignored.")]
        pub struct $name;

        impl $name {
            const FORMAT: Format = Format {
                width: $width,
                mantissa: $mantissa,
                bias: $bias,
                greatest: $greatest,
                overflow: $overflow,
                nan: $nan,
                signs: Signs::$signs,
            };
            const VALUES: &[f32; 256] = &table(&Self::FORMAT);
        }

        impl SmallFloat for $name {
            type Code = u8;
            #[inline(always)]
            fn encode(value: f32) -> u8 {
                encode(&Self::FORMAT, value) as u8
            }
            #[inline(always)]
            fn decode(code: u8) -> f32 {
                Self::VALUES[code as usize]
            }
        }
    )*};
}

byte_floats! {
    F4E2M1FN 4 1 1 0x7 0x7 0x0 NanIsZero;
    F6E2M3FN 6 3 1 0x1f 0x1f 0x0 NanIsZero;
    F6E3M2FN 6 2 3 0x1f 0x1f 0x0 NanIsZero;
    F8E3M4 8 4 3 0x6f 0x70 0x78 Plain;
    F8E4M3 8 3 7 0x77 0x78 0x7c Plain;
    F8E4M3FN 8 3 7 0x7e 0x7f 0x7f Plain;
    F8E4M3FNUZ 8 3 8 0x7f 0x80 0x80 NoNegativeZero;
    F8E4M3B11FNUZ 8 3 11 0x7f 0x80 0x80 NoNegativeZero;
    F8E5M2 8 2 15 0x7b 0x7c 0x7e Plain;
    F8E5M2FNUZ 8 2 16 0x7f 0x80 0x80 NoNegativeZero;
}

/// Powers of two from 2^−127, without sign or zero; everything that has no code is NaN.
pub struct F8E8M0FNU;

impl SmallFloat for F8E8M0FNU {
    type Code = u8;
    #[inline(always)]
    fn encode(value: f32) -> u8 {
        let bits = value.to_bits();
        // The significand of a power of two is odd, hence halves go up.
        let rounded = bits.wrapping_add(0x40_0000) >> 23;
        let subnormal = u32::from(bits >= 0x60_0000);
        let code = if bits < 0x80_0000 { subnormal } else { rounded };
        if bits == 0 || bits >= 0x7f40_0000 { 0xff } else { code as u8 }
    }
    #[inline(always)]
    fn decode(code: u8) -> f32 {
        match code {
            0 => f32::from_bits(0x40_0000),
            0xff => f32::NAN,
            _ => f32::from_bits(u32::from(code) << 23),
        }
    }
}

/// The upper half of an f32; a NaN keeps what fits of its payload.
pub struct Bf16;

impl SmallFloat for Bf16 {
    type Code = u16;
    #[inline(always)]
    fn encode(value: f32) -> u16 {
        let bits = value.to_bits();
        let rounded = bits.wrapping_add(0x7fff).wrapping_add(bits >> 16 & 1) >> 16;
        let nan = bits >> 16 | 0x40;
        (if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded }) as u16
    }
    #[inline(always)]
    fn decode(code: u16) -> f32 {
        f32::from_bits(u32::from(code) << 16)
    }
}

/// IEEE 754 half precision; a NaN keeps what fits of its payload.
pub struct F16;

impl F16 {
    const FORMAT: Format = Format {
        width: 16,
        mantissa: 10,
        bias: 15,
        greatest: 0x7bff,
        overflow: 0x7c00,
        nan: 0x7e00,
        signs: Signs::Plain,
    };
}

impl SmallFloat for F16 {
    type Code = u16;
    #[inline(always)]
    fn encode(value: f32) -> u16 {
        let bits = value.to_bits();
        let payload = if bits & 0x7fff_ffff > 0x7f80_0000 { bits >> 13 & 0x1ff } else { 0 };
        (encode(&Self::FORMAT, value) | payload) as u16
    }
    #[inline(always)]
    fn decode(code: u16) -> f32 {
        let code = u32::from(code);
        let payload = if code & 0x7fff > 0x7c00 { (code & 0x3ff) << 13 } else { 0 };
        f32::from_bits(decode(&Self::FORMAT, code).to_bits() | payload)
    }
}
