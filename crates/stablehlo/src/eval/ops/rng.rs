//! Random numbers: the counter-based generators of `rng_bit_generator`, bit for bit as XLA, and `rng` on top.
//!
//! The state is a key followed by a counter, as `ui64` words. The default algorithm is Philox, as on XLA:CPU.

use super::convert::{convert, to_f64s};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::tensor::{Tensor, element_count};
use crate::ir::attrs::{RngAlgorithm, RngDistribution};

/// The low and high halves of a word.
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// Twenty rounds of Threefry on two words.
fn threefry_2x32(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let [mut x0, mut x1] = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x0 = x0.wrapping_add(x1);
            x1 = x1.rotate_left(rotation) ^ x0;
        }
        x0 = x0.wrapping_add(keys[(group + 1) % 3]);
        x1 = x1.wrapping_add(keys[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    [x0, x1]
}

/// Ten rounds of Philox on four words.
fn philox_4x32(mut key: [u32; 2], mut x: [u32; 4]) -> [u32; 4] {
    for _ in 0..10 {
        let (a, b) = (0xD251_1F53 * x[0] as u64, 0xCD9E_8D57 * x[2] as u64);
        x = [(b >> 32) as u32 ^ x[1] ^ key[0], b as u32, (a >> 32) as u32 ^ x[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    x
}

/// Next state and random bits of an element type and shape.
///
/// Fails on a state of another type than `ui64[2]` (for Philox also `ui64[3]`), and on `i1` and complex results.
pub fn rng_bit_generator(
    algorithm: RngAlgorithm,
    state: &Tensor,
    element_type: ElementType,
    dims: &[usize],
) -> Result<(Tensor, Tensor), OpError> {
    use crate::ElementKind::{Bool, Complex};
    let three_fry = algorithm == RngAlgorithm::ThreeFry;
    let sizes: &[usize] = if three_fry { &[2] } else { &[2, 3] };
    if state.element_type() != ElementType::U64 || state.rank() != 1 || !sizes.contains(&state.len()) {
        return Err(OpError::invalid(format!(
            "a state of type {}; this algorithm takes two{} words of ui64",
            state.describe(),
            if three_fry { "" } else { " or three" }
        )));
    }
    if matches!(element_type.kind(), Bool | Complex) {
        return Err(OpError::element_type("rng_bit_generator", element_type));
    }
    let count =
        element_count(dims).ok_or_else(|| OpError::invalid(format!("result shape {dims:?} does not fit in memory")))?;
    let words = state.as_slice::<u64>();
    let wide = element_type.bits() == 64;
    let (next, bits) = match (three_fry, wide) {
        (true, true) => three_fry_64(words, count),
        (true, false) => three_fry_32(words, dims),
        (false, _) => philox(words, count, wide),
    };
    // Narrow types take the low bits of a 32-bit draw.
    let mut bytes = Vec::with_capacity(count * element_type.byte_width());
    bits.iter().for_each(|word| bytes.extend(&word.to_le_bytes()[..element_type.byte_width()]));
    Ok((Tensor::from_vec(state.dims(), next), Tensor::from_bytes(element_type, dims, &bytes)?))
}

fn three_fry_64(state: &[u64], count: usize) -> (Vec<u64>, Vec<u64>) {
    let draw = |i: usize| {
        let [low, high] = threefry_2x32(halves(state[0]), halves(state[1].wrapping_add(i as u64)));
        low as u64 | (high as u64) << 32
    };
    (vec![state[0], state[1].wrapping_add(count as u64)], (0..count).map(draw).collect())
}

/// Each call gives two words; they lie next to each other along the first even dimension, or the largest one.
fn three_fry_32(state: &[u64], dims: &[usize]) -> (Vec<u64>, Vec<u64>) {
    let largest = |dims: &[usize]| (0..dims.len()).rev().max_by_key(|&i| dims[i]).unwrap_or(0);
    let split = dims.iter().position(|d| d.is_multiple_of(2)).unwrap_or_else(|| largest(dims));
    let size = dims.get(split).copied().unwrap_or(1);
    let (outer, inner): (usize, usize) = (dims.iter().take(split).product(), dims.iter().skip(split + 1).product());
    let half = size.div_ceil(2);
    let mut bits = Vec::with_capacity(outer * size * inner);
    for o in 0..outer {
        for i in 0..size {
            for k in 0..inner {
                let counter = (o * half + i / 2) * inner + k;
                let pair = threefry_2x32(halves(state[0]), halves(state[1].wrapping_add(counter as u64)));
                bits.push(pair[i % 2] as u64);
            }
        }
    }
    (vec![state[0], state[1].wrapping_add((outer * half * inner) as u64)], bits)
}

/// Each call gives four words, or two of double width. A two-word state has no upper counter word: the key stands in
/// for it, and what carries into it is not kept.
fn philox(state: &[u64], count: usize, wide: bool) -> (Vec<u64>, Vec<u64>) {
    let upper = state.get(2).copied().unwrap_or(state[0]);
    let counter = state[1] as u128 | (upper as u128) << 64;
    let per_call = if wide { 2 } else { 4 };
    let calls = count.div_ceil(per_call);
    let mut bits = Vec::with_capacity(calls * per_call);
    for call in 0..calls {
        let at = counter.wrapping_add(call as u128);
        let ([a, b], [c, d]) = (halves(at as u64), halves((at >> 64) as u64));
        let x = philox_4x32(halves(state[0]), [a, b, c, d]).map(u64::from);
        if wide {
            bits.extend([x[0] | x[1] << 32, x[2] | x[3] << 32]);
        } else {
            bits.extend(x);
        }
    }
    bits.truncate(count);
    let end = counter.wrapping_add(calls as u128);
    let mut next = vec![state[0], end as u64];
    if state.len() == 3 {
        next.push((end >> 64) as u64);
    }
    (next, bits)
}

/// Numbers of a distribution with two scalar parameters: lower and upper bound, or mean and standard deviation.
///
/// The specification leaves the generator open; `draw` numbers the calls, so that no two give the same. Integers
/// and floats are supported for `UNIFORM`, floats for `NORMAL`.
pub fn rng(
    distribution: RngDistribution,
    a: &Tensor,
    b: &Tensor,
    dims: &[usize],
    draw: u64,
) -> Result<Tensor, OpError> {
    use crate::ElementKind::{Complex, Float};
    let ty = a.element_type();
    let kind_fits = match distribution {
        RngDistribution::Uniform => ty.kind() != Complex,
        RngDistribution::Normal => ty.kind() == Float,
    };
    if !kind_fits || b.element_type() != ty || a.len() != 1 || b.len() != 1 {
        return Err(OpError::invalid(format!(
            "{distribution:?} numbers from parameters {} and {}",
            a.describe(),
            b.describe()
        )));
    }
    let count =
        element_count(dims).ok_or_else(|| OpError::invalid(format!("result shape {dims:?} does not fit in memory")))?;
    let (_, bits) = philox(&[0x5EED, 0, draw], 2 * count, true);
    let unit = |word: u64| (word >> 11) as f64 * 2f64.powi(-53);
    let (a, b) = (to_f64s(a)?[0], to_f64s(b)?[0]);
    let number = |pair: &[u64]| match distribution {
        RngDistribution::Uniform if ty.kind() == Float => a + (b - a) * unit(pair[0]),
        RngDistribution::Uniform => (a + (b - a) * unit(pair[0])).floor(),
        // Box and Muller; 1 − u keeps the logarithm finite.
        RngDistribution::Normal => {
            let radius = (-2.0 * (1.0 - unit(pair[0])).ln()).sqrt();
            a + b * radius * (std::f64::consts::TAU * unit(pair[1])).cos()
        }
    };
    convert(&Tensor::from_vec(dims, bits.chunks_exact(2).map(number).collect()), ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits<T: crate::eval::number::Element>(
        algorithm: RngAlgorithm,
        state: &[u64],
        ty: ElementType,
        dims: &[usize],
    ) -> (Vec<u64>, Vec<T>) {
        let state = Tensor::from_vec(&[state.len()], state.to_vec());
        let (next, bits) = rng_bit_generator(algorithm, &state, ty, dims).unwrap();
        (next.as_slice::<u64>().to_vec(), bits.as_slice::<T>().to_vec())
    }

    // What XLA:CPU of jaxlib 0.12 gives.

    const STATE: [u64; 2] = [1 | 2 << 32, 3 | 4 << 32];

    #[test]
    fn philox_as_xla() {
        let (next, x) = bits::<u32>(RngAlgorithm::Philox, &STATE, ElementType::U32, &[5]);
        assert_eq!(x, [512747620, 1298009047, 1267190206, 761827841, 1383286907]);
        assert_eq!(next, [STATE[0], STATE[1] + 2]);
        assert_eq!(bits::<u8>(RngAlgorithm::Default, &STATE, ElementType::U8, &[3]).1, [100, 215, 190]);
        let (next, x) = bits::<u64>(RngAlgorithm::Default, &STATE, ElementType::U64, &[3]);
        assert_eq!(x, [5574906407289874532, 3272025663544478142, 7043725020835825787]);
        assert_eq!(next[1], STATE[1] + 2);
        let (next, x) =
            bits::<u32>(RngAlgorithm::Philox, &[1 | 2 << 32, u64::MAX, 7 | 8 << 32], ElementType::U32, &[5]);
        assert_eq!(x, [2890212764, 3346488760, 3156333524, 3261719106, 3638972237]);
        assert_eq!(next, [1 | 2 << 32, 1, (7 | 8 << 32) + 1]);
    }

    #[test]
    fn a_carry_reaches_the_key_but_is_not_kept() {
        let (next, x) = bits::<u32>(RngAlgorithm::Philox, &[0x2_1234_5678, u64::MAX], ElementType::U32, &[5]);
        assert_eq!(x, [1958706608, 3948722928, 2966640099, 890551443, 3158529429]);
        assert_eq!(next, [0x2_1234_5678, 1]);
    }

    #[test]
    fn three_fry_as_xla() {
        let (next, x) = bits::<u32>(RngAlgorithm::ThreeFry, &STATE, ElementType::U32, &[5]);
        assert_eq!(x, [1576285164, 2249660814, 740599976, 2425682526, 2436392515]);
        assert_eq!(next[1], STATE[1] + 3);
        let (next, x) = bits::<u32>(RngAlgorithm::ThreeFry, &STATE, ElementType::U32, &[3, 3]);
        assert_eq!(x[..6], [1576285164, 740599976, 2436392515, 2249660814, 2425682526, 1497962777]);
        assert_eq!(next[1], STATE[1] + 6);
        let (next, x) = bits::<u64>(RngAlgorithm::ThreeFry, &STATE, ElementType::U64, &[5]);
        assert_eq!(x[..2], [9662219624799024108, 10418227120389269672]);
        assert_eq!(next[1], STATE[1] + 5);
    }

    #[test]
    fn distributions_have_their_moments() {
        let scalar = Tensor::scalar::<f32>;
        let n = 20_000;
        let x = rng(RngDistribution::Uniform, &scalar(-1.0), &scalar(3.0), &[n], 1).unwrap();
        let x = to_f64s(&x).unwrap();
        assert!(x.iter().all(|&v| (-1.0..=3.0).contains(&v)));
        assert!((x.iter().sum::<f64>() / n as f64 - 1.0).abs() < 0.05);
        let y = to_f64s(&rng(RngDistribution::Normal, &scalar(2.0), &scalar(0.5), &[n], 2).unwrap()).unwrap();
        let mean = y.iter().sum::<f64>() / n as f64;
        let variance = y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        assert!((mean - 2.0).abs() < 0.02 && (variance - 0.25).abs() < 0.02, "{mean} {variance}");
        assert!(rng(RngDistribution::Normal, &Tensor::scalar(0), &Tensor::scalar(1), &[1], 3).is_err());
    }
}
