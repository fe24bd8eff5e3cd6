//! A cache of freed memory by size class, one for the process.
//!
//! Fresh pages cost far more than the work of a typical element-wise loop on them, so a block that is freed is
//! kept for the next user of its class. What is kept is bounded, and can be given back to the system.

use crate::memory::Raw;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Four classes between one power of two and the next, so at most a quarter of a block is unused.
fn class(length: usize) -> Option<usize> {
    const SMALLEST: usize = 64;
    let length = length.max(SMALLEST);
    let power = length.checked_next_power_of_two()?;
    let step = (power / 8).max(1);
    let rounded = length.checked_next_multiple_of(step)?;
    Some(rounded.min(power))
}

/// Bytes that may be kept, and how many blocks of one class.
const KEEP_BYTES: usize = 1 << 30;
const KEEP_BLOCKS: usize = 64;

#[derive(Default)]
struct Cache {
    bytes: usize,
    /// Sorted by capacity.
    classes: Vec<(usize, Vec<Raw>)>,
}

static CACHE: Mutex<Cache> = Mutex::new(Cache { bytes: 0, classes: Vec::new() });

fn cache() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory for `length` bytes, from the cache or new; `None` when the system has none.
pub(crate) fn take(length: usize) -> Option<Raw> {
    let capacity = class(length)?;
    {
        let mut cache = cache();
        if let Ok(index) = cache.classes.binary_search_by_key(&capacity, |(class, _)| *class)
            && let Some(raw) = cache.classes[index].1.pop()
        {
            cache.bytes -= capacity;
            return Some(raw);
        }
    }
    Raw::allocate(capacity).or_else(|| {
        // The system is out of memory; what is kept may be enough of it.
        trim();
        Raw::allocate(capacity)
    })
}

/// Keeps memory for the next user, or frees it when enough is kept.
pub(crate) fn give_back(raw: Raw) {
    let capacity = raw.capacity();
    let mut cache = cache();
    if cache.bytes + capacity > KEEP_BYTES {
        drop(cache);
        drop(raw);
        return;
    }
    let index = match cache.classes.binary_search_by_key(&capacity, |(class, _)| *class) {
        Ok(index) => index,
        Err(index) => {
            cache.classes.insert(index, (capacity, Vec::new()));
            index
        }
    };
    if cache.classes[index].1.len() < KEEP_BLOCKS {
        cache.bytes += capacity;
        cache.classes[index].1.push(raw);
    }
}

/// Frees everything that is kept.
pub(crate) fn trim() {
    let kept = std::mem::take(&mut *cache());
    drop(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_was_asked_for_and_waste_a_quarter_at_most() {
        for length in (1..5000).chain([1 << 20, (1 << 20) + 1, 123_456_789]) {
            let class = class(length).unwrap();
            assert!(class >= length, "{length}");
            assert!(length < 64 || class <= length + length / 4 + 1, "{length} in {class}");
        }
        assert_eq!(class(usize::MAX), None);
    }
}
