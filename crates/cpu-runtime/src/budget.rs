//! Budgets: how much memory a device may use, and how much it does.

use crate::block_cache;
use crate::memory::Block;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An allocation that did not fit. The text carries the counters, since users act on those.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "out of memory: {wanted} bytes were asked for; {} of {} bytes are in use, the peak was {}",
    usage.bytes_in_use, usage.limit, usage.peak
)]
pub struct OutOfMemory {
    /// Bytes that were asked for.
    pub wanted: usize,
    /// Counters at that moment.
    pub usage: Usage,
}

/// Counters of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of all live blocks.
    pub bytes_in_use: usize,
    /// The most that was in use at one time.
    pub peak: usize,
    /// Blocks allocated so far.
    pub allocations: usize,
    /// The largest block so far.
    pub largest: usize,
    /// What may be in use.
    pub limit: usize,
}

#[derive(Default)]
struct Counters {
    in_use: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicUsize,
    largest: AtomicUsize,
    limit: usize,
}

/// A limit on memory, shared by everything that was allocated under it. Cheap to clone.
#[derive(Clone)]
pub struct Budget(Arc<Counters>);

impl Budget {
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Budget {
        Budget(Arc::new(Counters { limit, ..Counters::default() }))
    }

    /// Allocates a block of `length` bytes with arbitrary contents.
    ///
    /// # Errors
    /// When the limit would be passed, or the system has no memory.
    pub fn allocate(&self, length: usize) -> Result<Block, OutOfMemory> {
        let counters = &*self.0;
        let grow = |in_use: usize| in_use.checked_add(length).filter(|&sum| sum <= counters.limit);
        let before = counters.in_use.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grow);
        let Ok(before) = before else { return Err(self.out_of_memory(length)) };
        let raw = match length {
            0 => None,
            _ => match block_cache::take(length) {
                None => {
                    self.release(length);
                    return Err(self.out_of_memory(length));
                }
                raw => raw,
            },
        };
        counters.peak.fetch_max(before + length, Ordering::Relaxed);
        counters.largest.fetch_max(length, Ordering::Relaxed);
        counters.allocations.fetch_add(1, Ordering::Relaxed);
        Ok(Block::new(raw, length, self.clone()))
    }

    fn out_of_memory(&self, wanted: usize) -> OutOfMemory {
        OutOfMemory { wanted, usage: self.usage() }
    }

    pub(crate) fn release(&self, length: usize) {
        self.0.in_use.fetch_sub(length, Ordering::Relaxed);
    }

    /// The counters now.
    pub fn usage(&self) -> Usage {
        let load = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        Usage {
            bytes_in_use: load(&self.0.in_use),
            peak: load(&self.0.peak),
            allocations: load(&self.0.allocations),
            largest: load(&self.0.largest),
            limit: self.0.limit,
        }
    }

    /// Starts the peak afresh.
    pub fn clear_peak(&self) {
        self.0.peak.store(self.0.in_use.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Gives memory that is kept for reuse back to the system, in the whole process.
    pub fn trim() {
        block_cache::trim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::ALIGNMENT;

    #[test]
    fn the_limit_holds_and_the_error_carries_the_counters() {
        let budget = Budget::new(1000);
        let first = budget.allocate(900).unwrap();
        let error = budget.allocate(101).unwrap_err();
        assert_eq!((error.wanted, error.usage.bytes_in_use, error.usage.limit), (101, 900, 1000));
        drop(first);
        let usage = budget.usage();
        assert_eq!((usage.bytes_in_use, usage.peak, usage.allocations, usage.largest), (0, 900, 1, 900));
        budget.clear_peak();
        assert_eq!(budget.usage().peak, 0);
    }

    #[test]
    fn blocks_are_aligned_and_do_not_overlap() {
        let budget = Budget::new(usize::MAX);
        let mut blocks: Vec<_> = (0..50).map(|n| budget.allocate(n * 37).unwrap()).collect();
        for (n, block) in blocks.iter_mut().enumerate() {
            assert_eq!(block.address() % ALIGNMENT, 0);
            block.bytes_mut().fill(n as u8);
        }
        for (n, block) in blocks.iter().enumerate() {
            assert!(block.bytes().iter().all(|&byte| byte == n as u8));
        }
    }

    #[test]
    fn a_size_that_overflows_is_out_of_memory() {
        let budget = Budget::new(usize::MAX);
        let _held = budget.allocate(8).unwrap();
        assert!(budget.allocate(usize::MAX).is_err());
        assert!(budget.allocate(usize::MAX / 2).is_err());
        assert_eq!(budget.usage().bytes_in_use, 8);
    }

    #[test]
    fn a_large_block_comes_back_from_the_cache() {
        let budget = Budget::new(usize::MAX);
        let block = budget.allocate(3 << 20).unwrap();
        let address = block.address();
        assert_eq!(address % (2 << 20), 0, "large blocks begin on a huge page");
        drop(block);
        assert_eq!(budget.allocate(3 << 20).unwrap().address(), address);
        Budget::trim();
    }
}
