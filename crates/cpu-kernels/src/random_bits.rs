//! `rng_bit_generator`: Threefry and Philox, bit for bit as XLA:CPU has them.
//!
//! The state is a key followed by a counter, as ui64 words. Draws are independent of each other, so they are made side by
//! side in vectors and on several threads.
#![allow(unsafe_code, reason = "tasks write to different parts of one output; vector instructions")]

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::{Storage, threefry};

use crate::parallel::{Shared, ranges};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape};
use cpu_vir::exec::Isa;

const OP: &str = "rng_bit_generator";

/// Draws that are made side by side.
const LANES: usize = 16;

/// Which generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RandomAlgorithm {
    /// Threefry 2x32 with 20 rounds.
    ThreeFry,
    /// Philox 4x32 with 10 rounds; also what DEFAULT means.
    Philox,
}

/// Input: the state. Outputs: the next state and the random bits.
pub struct RngBitGenerator {
    state: Shape,
    result: Shape,
    algorithm: RandomAlgorithm,
}

impl RngBitGenerator {
    /// # Errors
    /// When the state is not `ui64[2]` (for Philox also `ui64[3]`), and for truth values and complex numbers.
    pub fn prepare(algorithm: RandomAlgorithm, state: &Shape, result: &Shape) -> Result<RngBitGenerator, KernelError> {
        result.check(OP)?;
        let words: &[usize] = if algorithm == RandomAlgorithm::ThreeFry { &[2] } else { &[2, 3] };
        if state.storage != Storage::U64 || state.rank() != 1 || !words.contains(&state.dims[0]) {
            return Err(KernelError::invalid(OP, format!("a state {state} for {algorithm:?}")));
        }
        if result.storage == Storage::Bool || result.storage.is_complex() {
            return Err(KernelError::invalid(OP, format!("random bits as {result}; draw integers and convert them")));
        }
        Ok(RngBitGenerator { state: state.clone(), result: result.clone(), algorithm })
    }

    /// Shapes of the results: the state and the bits.
    pub fn results(&self) -> [Shape; 2] {
        [self.state.clone(), self.result.clone()]
    }

    fn three_fry_32<T: Narrow>(&self, pool: &Pool, state: [u64; 2], out: &mut [T]) -> u64 {
        // The two words of a draw lie next to each other along the first even dimension, or the largest one.
        let dims = &self.result.dims;
        let largest = (0..dims.len()).rev().max_by_key(|&i| dims[i]).unwrap_or(0);
        let split = dims.iter().position(|d| d.is_multiple_of(2)).unwrap_or(largest);
        let size = dims.get(split).copied().unwrap_or(1);
        let (outer, inner): (usize, usize) = (dims.iter().take(split).product(), dims.iter().skip(split + 1).product());
        let half = size.div_ceil(2);
        let draws = outer * half * inner;
        if out.is_empty() {
            return draws as u64;
        }
        let shared = Shared::new(out);
        // Draw `(o, h, k)` has its words at `(o, 2h, k)` and `(o, 2h + 1, k)`.
        if inner == 1 {
            let per_row = half.div_ceil(LANES);
            ranges(pool, outer * per_row, LANES as u64 * 1_800, &|start, end| {
                for task in start..end {
                    let (o, first) = (task / per_row, task % per_row * LANES);
                    let mut words = [[0; LANES]; 2];
                    three_fry(state, (o * half + first) as u64, &mut words);
                    let length = (2 * LANES).min(size - 2 * first);
                    // SAFETY: every piece of a row is handed out once.
                    let to = unsafe { shared.part(o * size + 2 * first, length) };
                    for (i, to) in to.iter_mut().enumerate() {
                        *to = T::narrow(words[i % 2][i / 2]);
                    }
                }
            });
            return draws as u64;
        }
        ranges(pool, outer * half, inner as u64 * 1_800, &|start, end| {
            for line in start..end {
                let (o, h) = (line / half, line % half);
                for first in (0..inner).step_by(LANES) {
                    let lanes = LANES.min(inner - first);
                    let mut words = [[0; LANES]; 2];
                    three_fry(state, (line * inner + first) as u64, &mut words);
                    for (word, words) in words.iter().enumerate().take(size - 2 * h) {
                        // SAFETY: every pair of lines is handed out once.
                        let to = unsafe { shared.part((o * size + 2 * h + word) * inner + first, lanes) };
                        to.iter_mut().zip(words).for_each(|(to, word)| *to = T::narrow(*word));
                    }
                }
            }
        });
        draws as u64
    }

    fn three_fry_64(&self, pool: &Pool, state: [u64; 2], out: &mut [u64]) -> u64 {
        let count = out.len() as u64;
        let shared = Shared::new(out);
        let total = count as usize;
        ranges(pool, total.div_ceil(LANES), LANES as u64 * 1_800, &|start, end| {
            for task in start..end {
                let first = task * LANES;
                let mut words = [[0; LANES]; 2];
                three_fry(state, first as u64, &mut words);
                // SAFETY: every piece is handed out once.
                let to = unsafe { shared.part(first, LANES.min(total - first)) };
                for (lane, to) in to.iter_mut().enumerate() {
                    *to = u64::from(words[0][lane]) | u64::from(words[1][lane]) << 32;
                }
            }
        });
        count
    }

    /// Each draw gives four words, or two of double width: `make` turns them into `per_draw` elements.
    fn philox<T: Pod + Send + Sync, const PER_DRAW: usize>(
        &self,
        pool: &Pool,
        state: &[u64],
        out: &mut [T],
        make: impl Fn([u32; 4]) -> [T; PER_DRAW] + Sync,
    ) -> u128 {
        // A state of two words has no upper counter word: the key stands in for it.
        let upper = state.get(2).copied().unwrap_or(state[0]);
        let counter = u128::from(state[1]) | u128::from(upper) << 64;
        let total = out.len();
        let draws = total.div_ceil(PER_DRAW);
        let shared = Shared::new(out);
        ranges(pool, draws.div_ceil(LANES), LANES as u64 * 2_500, &|start, end| {
            for task in start..end {
                let mut words = [[0; LANES]; 4];
                philox(state[0], counter.wrapping_add((task * LANES) as u128), &mut words);
                let first = task * LANES * PER_DRAW;
                // SAFETY: every piece is handed out once.
                let to = unsafe { shared.part(first, (LANES * PER_DRAW).min(total - first)) };
                for (lane, to) in to.chunks_mut(PER_DRAW).enumerate() {
                    let elements = make(std::array::from_fn(|word| words[word][lane]));
                    to.iter_mut().zip(elements).for_each(|(to, element)| *to = element);
                }
            }
        });
        counter.wrapping_add(draws as u128)
    }

    fn narrow<T: Narrow>(&self, pool: &Pool, state: &[u64], out: &mut [T]) -> Vec<u64> {
        match self.algorithm {
            RandomAlgorithm::ThreeFry => {
                let draws = self.three_fry_32(pool, [state[0], state[1]], out);
                vec![state[0], state[1].wrapping_add(draws)]
            }
            RandomAlgorithm::Philox => {
                self.next_of_philox(state, self.philox::<T, 4>(pool, state, out, |words| words.map(T::narrow)))
            }
        }
    }

    fn wide(&self, pool: &Pool, state: &[u64], out: &mut [u64]) -> Vec<u64> {
        match self.algorithm {
            RandomAlgorithm::ThreeFry => {
                let draws = self.three_fry_64(pool, [state[0], state[1]], out);
                vec![state[0], state[1].wrapping_add(draws)]
            }
            RandomAlgorithm::Philox => {
                let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
                let pairs = |[a, b, c, d]: [u32; 4]| [join(a, b), join(c, d)];
                self.next_of_philox(state, self.philox::<u64, 2>(pool, state, out, pairs))
            }
        }
    }

    fn next_of_philox(&self, state: &[u64], end: u128) -> Vec<u64> {
        let mut next = vec![state[0], end as u64];
        if state.len() == 3 {
            next.push((end >> 64) as u64);
        }
        next
    }
}

/// An element that takes the low bits of a draw of 32.
trait Narrow: Pod + Send + Sync {
    fn narrow(word: u32) -> Self;
}

macro_rules! narrow {
    ($($T:ident)*) => {$(
        impl Narrow for $T {
            #[inline(always)]
            fn narrow(word: u32) -> $T {
                word as $T
            }
        }
    )*};
}
narrow! { u8 u16 u32 }

/// Elements below a byte, which take fewer bits and extend them.
macro_rules! narrower {
    ($($name:ident $byte:ident $bits:literal)*) => {$(
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $name($byte);

        // SAFETY: a transparent byte: every pattern is a value, and there is no padding.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: as above.
        unsafe impl Pod for $name {}

        impl Narrow for $name {
            fn narrow(word: u32) -> $name {
                $name((word as $byte) << (8 - $bits) >> (8 - $bits))
            }
        }
    )*};
}
narrower! { Signed2 i8 2 Signed4 i8 4 Unsigned2 u8 2 Unsigned4 u8 4 Unsigned6 u8 6 }

/// Twenty rounds of Threefry on the counters from `state[1] + first` on.
fn three_fry(state: [u64; 2], first: u64, words: &mut [[u32; LANES]; 2]) {
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    unsafe fn wide(state: [u64; 2], first: u64, words: &mut [[u32; LANES]; 2]) {
        three_fry_lanes(state, first, words);
    }
    if Isa::detect() >= Isa::Avx2 {
        // SAFETY: the processor has what the variant is compiled for.
        unsafe { wide(state, first, words) }
    } else {
        three_fry_lanes(state, first, words);
    }
}

#[inline(always)]
fn three_fry_lanes(state: [u64; 2], first: u64, words: &mut [[u32; LANES]; 2]) {
    let key = [state[0] as u32, (state[0] >> 32) as u32];
    let start = state[1].wrapping_add(first);
    let [xs, ys] = words;
    for (i, (x, y)) in xs.iter_mut().zip(&mut *ys).enumerate() {
        let counter = start.wrapping_add(i as u64);
        (*x, *y) = (counter as u32, (counter >> 32) as u32);
    }
    for (x, y) in xs.iter_mut().zip(ys) {
        [*x, *y] = threefry(key, [*x, *y]);
    }
}

/// Ten rounds of Philox on the counters from `counter` on.
fn philox(key: u64, counter: u128, words: &mut [[u32; LANES]; 4]) {
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    unsafe fn wide(key: u64, counter: u128, words: &mut [[u32; LANES]; 4]) {
        philox_lanes(key, counter, words);
    }
    if Isa::detect() >= Isa::Avx2 {
        // SAFETY: the processor has what the variant is compiled for.
        unsafe { wide(key, counter, words) }
    } else {
        philox_lanes(key, counter, words);
    }
}

#[inline(always)]
fn philox_lanes(key: u64, counter: u128, words: &mut [[u32; LANES]; 4]) {
    for lane in 0..LANES {
        let at = counter.wrapping_add(lane as u128);
        for (word, words) in words.iter_mut().enumerate() {
            words[lane] = (at >> (32 * word)) as u32;
        }
    }
    let mut key = [key as u32, (key >> 32) as u32];
    for _ in 0..10 {
        let [first, second, third, fourth] = &mut *words;
        for (((w, x), y), z) in first.iter_mut().zip(second).zip(third).zip(fourth) {
            let (a, b) = (0xD251_1F53 * u64::from(*w), 0xCD9E_8D57 * u64::from(*y));
            *w = (b >> 32) as u32 ^ *x ^ key[0];
            *x = b as u32;
            *y = (a >> 32) as u32 ^ *z ^ key[1];
            *z = a as u32;
        }
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
}

impl OpKernel for RngBitGenerator {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.state], inputs), (&[&self.state, &self.result], outputs), |inputs, outputs| {
            let state = numbers::<u64>(inputs[0]);
            let out = &mut *outputs[1];
            let next = match self.result.storage {
                Storage::I2 => self.narrow::<Signed2>(pool, state, numbers_mut(out)),
                Storage::I4 => self.narrow::<Signed4>(pool, state, numbers_mut(out)),
                Storage::U2 => self.narrow::<Unsigned2>(pool, state, numbers_mut(out)),
                Storage::U4 | Storage::F4E2M1FN => self.narrow::<Unsigned4>(pool, state, numbers_mut(out)),
                Storage::F6E2M3FN | Storage::F6E3M2FN => self.narrow::<Unsigned6>(pool, state, numbers_mut(out)),
                storage => match storage.size() {
                    1 => self.narrow::<u8>(pool, state, out),
                    2 => self.narrow::<u16>(pool, state, numbers_mut(out)),
                    4 => self.narrow::<u32>(pool, state, numbers_mut(out)),
                    _ => self.wide(pool, state, numbers_mut(out)),
                },
            };
            numbers_mut::<u64>(&mut *outputs[0]).copy_from_slice(&next);
            Ok(())
        })
    }
}
