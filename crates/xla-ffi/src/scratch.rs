//! Scratch memory of one execution: what a handler allocates and does not give back is freed with its context.

use pjrt_client_trait::{Result, Status};
use std::alloc::Layout;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks are aligned to this at least, as XLA's are.
const MIN_ALIGNMENT: usize = 64;

/// Where a backend counts the scratch memory of handlers, and can refuse it.
pub trait MemoryBudget: Send + Sync {
    /// Asks for so many bytes of host memory.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED, with the numbers in the message.
    fn reserve(&self, bytes: usize) -> Result<()>;

    /// Gives back what was reserved.
    fn release(&self, bytes: usize);
}

/// The scratch blocks of one execution.
pub(crate) struct Scratch {
    budget: Option<Arc<dyn MemoryBudget>>,
    blocks: Mutex<HashMap<usize, Block>>,
}

struct Block {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: a block is owned memory; its address is all that is kept.
unsafe impl Send for Block {}

impl Scratch {
    pub(crate) fn new(budget: Option<Arc<dyn MemoryBudget>>) -> Self {
        Scratch { budget, blocks: Mutex::default() }
    }

    /// A new block; null for no bytes.
    pub(crate) fn allocate(&self, size: usize, alignment: usize) -> Result<*mut c_void> {
        if !alignment.is_power_of_two() {
            return Err(Status::invalid_argument(format!("alignment {alignment} is no power of two")));
        }
        if size == 0 {
            return Ok(std::ptr::null_mut());
        }
        let exhausted = || Status::resource_exhausted(format!("no memory for {size} bytes of scratch space"));
        let layout = Layout::from_size_align(size, alignment.max(MIN_ALIGNMENT)).map_err(|_| exhausted())?;
        if let Some(budget) = &self.budget {
            budget.reserve(size)?;
        }
        // SAFETY: the layout has a size that is not 0.
        let start = unsafe { std::alloc::alloc(layout) };
        if start.is_null() {
            self.release(size);
            return Err(exhausted());
        }
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.insert(start.addr(), Block { start, layout });
        Ok(start.cast())
    }

    /// Frees a block of [`Scratch::allocate`]; null is nothing.
    pub(crate) fn free(&self, data: *mut c_void, size: usize) -> Result<()> {
        if data.is_null() {
            return Ok(());
        }
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        match blocks.get(&data.addr()).map(|block| block.layout.size()) {
            None => Err(Status::invalid_argument("this address is no block of scratch memory of this call")),
            Some(known) if known != size => {
                Err(Status::invalid_argument(format!("the block has {known} bytes of scratch memory, not {size}")))
            }
            Some(_) => {
                if let Some(block) = blocks.remove(&data.addr()) {
                    self.dispose(&block);
                }
                Ok(())
            }
        }
    }

    fn dispose(&self, block: &Block) {
        // SAFETY: `allocate` got the block with this layout; it left the table, so nobody frees it again.
        unsafe { std::alloc::dealloc(block.start, block.layout) };
        self.release(block.layout.size());
    }

    fn release(&self, bytes: usize) {
        if let Some(budget) = &self.budget {
            budget.release(bytes);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let blocks = std::mem::take(self.blocks.get_mut().unwrap_or_else(PoisonError::into_inner));
        for block in blocks.values() {
            self.dispose(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counter(AtomicUsize);

    impl MemoryBudget for Counter {
        fn reserve(&self, bytes: usize) -> Result<()> {
            let used = self.0.fetch_add(bytes, Ordering::SeqCst) + bytes;
            if used > 1000 {
                self.release(bytes);
                return Err(Status::resource_exhausted("1000 bytes are the limit"));
            }
            Ok(())
        }

        fn release(&self, bytes: usize) {
            self.0.fetch_sub(bytes, Ordering::SeqCst);
        }
    }

    #[test]
    fn blocks_are_aligned_counted_and_freed_with_their_owner() {
        let counter = Arc::new(Counter(AtomicUsize::new(0)));
        let scratch = Scratch::new(Some(counter.clone()));
        let (a, b) = (scratch.allocate(100, 1).unwrap(), scratch.allocate(200, 256).unwrap());
        assert_eq!((a.addr() % 64, b.addr() % 256), (0, 0));
        assert_eq!(counter.0.load(Ordering::SeqCst), 300);
        assert!(scratch.allocate(701, 1).is_err());
        assert!(scratch.allocate(1, 3).is_err());
        assert!(scratch.allocate(usize::MAX, 1).is_err());
        assert_eq!(scratch.allocate(0, 1), Ok(std::ptr::null_mut()));
        assert!(scratch.free(a, 99).is_err());
        assert_eq!(scratch.free(a, 100), Ok(()));
        assert!(scratch.free(a, 100).is_err(), "a block is freed once");
        assert_eq!(counter.0.load(Ordering::SeqCst), 200);
        drop(scratch);
        assert_eq!(counter.0.load(Ordering::SeqCst), 0);
    }
}
