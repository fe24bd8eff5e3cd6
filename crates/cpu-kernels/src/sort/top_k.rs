//! `top_k`: the first elements of each row in order, without sorting the rest.
#![allow(unsafe_code, reason = "tasks write to different rows of two outputs")]

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::Storage;

use super::key::{self, KeyOrder, KeyVisitor, SortKey};
use super::radix::Word;
use crate::body::by_size;
use crate::lanes::vectorized;
use crate::parallel::{Shared, ranges};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape};

const OP: &str = "top_k";

/// Elements that are compared with the threshold at a time.
const BLOCK: usize = 32;

/// Input: an array. Outputs: the `k` greatest (or least) elements along the last dimension, in order, and their positions
/// as i32; of equal ones the first comes first.
pub struct TopK {
    input: Shape,
    results: [Shape; 2],
    key: SortKey,
    size: usize,
    k: usize,
}

impl TopK {
    /// # Errors
    /// When rows have less than `k` elements or more than an i32 counts, and for complex numbers.
    pub fn prepare(input: &Shape, k: usize, greatest: bool, order: KeyOrder) -> Result<TopK, KernelError> {
        input.check(OP)?;
        let size = input.dims.last().copied().unwrap_or(0);
        if input.rank() == 0 || k > size || i32::try_from(size).is_err() || input.storage.is_complex() {
            return Err(KernelError::invalid(OP, format!("the first {k} elements of rows of {input}")));
        }
        let mut dims = input.dims.clone();
        dims[input.rank() - 1] = k;
        Ok(TopK {
            results: [Shape::new(input.storage, &dims), Shape::new(Storage::I32, &dims)],
            input: input.clone(),
            key: SortKey { operand: 0, descending: greatest, order },
            size,
            k,
        })
    }

    /// Shapes of the results: values and positions.
    pub fn results(&self) -> &[Shape; 2] {
        &self.results
    }
}

/// Finds the first words of a row: keys with positions below them.
struct Scan<W> {
    k: usize,
    _word: std::marker::PhantomData<W>,
}

impl<W: Word> KeyVisitor for Scan<W> {
    type Output = Vec<u32>;

    fn visit<T: Pod + Send + Sync>(self, row: &[T], _: usize, _: usize, _: u32, key: impl Fn(T) -> u64) -> Vec<u32> {
        let k = self.k;
        let word = |i: usize, key: u64| W::of(key).append(32, i as u64);
        let capacity = (2 * k).max(1024);
        let mut best: Vec<W> = Vec::with_capacity(capacity + BLOCK);
        // No key at the threshold or above it is among the first, once there are k.
        let mut threshold: Option<u64> = None;
        let mut keys = [0u64; BLOCK];
        for (block, elements) in row.chunks(BLOCK).enumerate() {
            // Of a short last block, what is left of the block before it comes to nothing.
            let any = vectorized(|| {
                keys.iter_mut().zip(elements).for_each(|(to, x)| *to = key(*x));
                let least = threshold.unwrap_or(u64::MAX);
                keys.iter().fold(false, |any, key| any | (*key < least))
            });
            if threshold.is_some() && !any {
                continue;
            }
            let keys = &keys[..elements.len()];
            let passes = |key: &u64| threshold.is_none_or(|threshold| *key < threshold);
            let passing = keys.iter().enumerate().filter(|(_, key)| passes(key));
            best.extend(passing.map(|(i, key)| word(block * BLOCK + i, *key)));
            if best.len() > capacity - BLOCK {
                best.select_nth_unstable(k - 1);
                best.truncate(k);
                // Later elements with the key of the last come after it.
                let last = (best[k - 1].low() as u32) as usize;
                threshold = Some(key(row[last]));
            }
        }
        if best.len() > k {
            best.select_nth_unstable(k - 1);
            best.truncate(k);
        }
        best.sort_unstable();
        best.iter().map(|word| word.low() as u32).collect()
    }
}

impl OpKernel for TopK {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let [values, positions] = &self.results;
        with_operands((&[&self.input], inputs), (&[values, positions], outputs), |inputs, outputs| {
            let [values, positions] = outputs else { unreachable!("checked: two outputs") };
            if self.k == 0 || values.is_empty() {
                return Ok(());
            }
            let size = self.input.storage.size();
            let (values, positions) = (Shared::new(values), Shared::new(numbers_mut::<u32>(positions)));
            let rows = self.input.elements() / self.size;
            ranges(pool, rows, self.size as u64 * 300 + self.k as u64 * 30_000, &|start, end| {
                for row in start..end {
                    let bytes = &inputs[0][row * self.size * size..][..self.size * size];
                    let first = match key::bits(self.input.storage) <= 32 {
                        true => {
                            let scan = Scan::<u64> { k: self.k, _word: std::marker::PhantomData };
                            key::visit(bytes, self.input.storage, false, self.key, scan)
                        }
                        false => {
                            let scan = Scan::<u128> { k: self.k, _word: std::marker::PhantomData };
                            key::visit(bytes, self.input.storage, false, self.key, scan)
                        }
                    };
                    // SAFETY: every row is handed out once.
                    let (to, places) = unsafe {
                        (values.part(row * self.k * size, self.k * size), positions.part(row * self.k, self.k))
                    };
                    places.copy_from_slice(&first);
                    by_size!(size, W => {
                        let elements = numbers::<W>(bytes);
                        let to = numbers_mut::<W>(to);
                        to.iter_mut().zip(&first).for_each(|(to, &at)| *to = elements[at as usize]);
                    });
                }
            });
            Ok(())
        })
    }
}
