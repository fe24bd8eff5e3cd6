//! Memory that C code holds pointers into: it never moves and is freed with its owner.
//!
//! Must not know what is stored. Only raw pointers are handed out, so that nothing here claims to be the sole way to
//! the contents.

/// Blocks of plain values, each at an address of its own until this is dropped.
#[derive(Default)]
pub(crate) struct Kept {
    blocks: Vec<Box<dyn Block>>,
}

trait Block {}

struct Values<T>(*mut [T]);

impl<T> Block for Values<T> {}

impl<T> Drop for Values<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Box::into_raw` in `Kept::keep` and is owned by this value alone.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Sixteen bytes at an address that suits every element type.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Aligned([u8; 16]);

impl Kept {
    /// Keeps values; the pointer to the first is valid, for reads and writes, as long as `self` lives.
    pub(crate) fn keep<T: Copy + 'static>(&mut self, values: Vec<T>) -> *mut T {
        let block = Box::into_raw(values.into_boxed_slice());
        self.blocks.push(Box::new(Values(block)));
        block.cast()
    }

    /// Keeps one value.
    pub(crate) fn keep_one<T: Copy + 'static>(&mut self, value: T) -> *mut T {
        self.keep(vec![value])
    }

    /// Keeps bytes at an address that is a multiple of 16.
    pub(crate) fn keep_aligned(&mut self, bytes: &[u8]) -> *mut u8 {
        let mut chunks = Vec::with_capacity(bytes.len().div_ceil(16));
        for part in bytes.chunks(16) {
            let mut chunk = [0; 16];
            chunk[..part.len()].copy_from_slice(part);
            chunks.push(Aligned(chunk));
        }
        self.keep(chunks).cast()
    }
}

// SAFETY: the values are `Copy`, so freeing them on another thread runs no code of theirs; `Kept` itself never reads
// them. Whoever follows the pointers answers for the threads it does so on.
unsafe impl Send for Kept {}
// SAFETY: as above, and nothing can be done through a shared reference.
unsafe impl Sync for Kept {}
