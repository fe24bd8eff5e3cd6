//! Copies of arrays that handlers may read.

/// Bytes at an address that suits every element.
pub(super) struct Aligned {
    store: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    pub(super) fn new(bytes: &[u8]) -> Aligned {
        const ALIGNMENT: usize = 64;
        let mut store = vec![0; bytes.len() + ALIGNMENT];
        let start = store.as_ptr().align_offset(ALIGNMENT);
        store[start..start + bytes.len()].copy_from_slice(bytes);
        Aligned { store, start, length: bytes.len() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.store[self.start..self.start + self.length]
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.store[self.start..self.start + self.length]
    }
}
