//! Handles: what the opaque pointers of the C API really are.
//!
//! A handle is not an address. It encodes an index into a table that only grows, and the generation of that
//! entry, so that looking one up dereferences nothing the caller gave: null, a handle that was destroyed
//! before, a handle of another kind and plain garbage are all found out and become INVALID_ARGUMENT. That is
//! also why this file needs no unsafe code.
//!
//! Only errors and memories are real addresses, because the ABI lets frameworks look inside those.

use pjrt_client_trait::{Result, Status};
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An object that handles can refer to.
pub(crate) trait HandleType: Any + Send + Sync {
    /// The C name of the handle, for messages.
    const KIND: &'static str;
}

type Object = Arc<dyn Any + Send + Sync>;

struct Entry {
    generation: u32,
    object: Option<(Object, &'static str)>,
}

impl Default for Entry {
    fn default() -> Self {
        // Not 0, so that no small number is a handle.
        Entry { generation: 1, object: None }
    }
}

/// Chunk `k` holds `FIRST_CHUNK << k` entries, so entries never move and an index finds its chunk by its bits.
const FIRST_CHUNK: u32 = 1024;
const CHUNKS: usize = 22;
const INDEX_SHIFT: u32 = 4;
const GENERATION_SHIFT: u32 = 36;
const GENERATION_MASK: u32 = 0xff_ffff;
/// Set in every handle: none is null, and none is aligned like an object of the framework's.
const TAG: usize = 0b1000;

static TABLE: [OnceLock<Box<[Mutex<Entry>]>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];

#[derive(Default)]
struct Indices {
    unused: u32,
    free: Vec<u32>,
}

static INDICES: Mutex<Indices> = Mutex::new(Indices { unused: 0, free: Vec::new() });

fn place(index: u32) -> Option<(usize, usize)> {
    let shifted = index.checked_add(FIRST_CHUNK)?;
    let chunk = shifted.ilog2() - FIRST_CHUNK.ilog2();
    Some((chunk as usize, (shifted - (FIRST_CHUNK << chunk)) as usize))
}

fn entry(index: u32) -> Option<&'static Mutex<Entry>> {
    let (chunk, offset) = place(index)?;
    TABLE.get(chunk)?.get()?.get(offset)
}

/// Makes a handle that owns a reference to `object`.
///
/// # Panics
/// When two thousand million handles are live.
pub(crate) fn insert<T: HandleType, P>(object: Arc<T>) -> *mut P {
    let index = {
        let mut indices = INDICES.lock().unwrap_or_else(PoisonError::into_inner);
        indices.free.pop().unwrap_or_else(|| {
            indices.unused += 1;
            indices.unused - 1
        })
    };
    let (chunk, offset) = place(index).expect("the handle table is full");
    let entries = TABLE[chunk].get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| Mutex::default()).collect());
    let mut entry = entries[offset].lock().unwrap_or_else(PoisonError::into_inner);
    entry.object = Some((object, T::KIND));
    let bits = (entry.generation as usize) << GENERATION_SHIFT | (index as usize) << INDEX_SHIFT | TAG;
    std::ptr::without_provenance_mut(bits)
}

fn decode<P>(handle: *const P) -> Option<(u32, u32)> {
    let bits = handle.addr();
    let tagged = bits & 0xf == TAG;
    tagged.then_some(((bits >> INDEX_SHIFT) as u32, (bits >> GENERATION_SHIFT) as u32))
}

fn dead<T: HandleType, P>(handle: *const P) -> Status {
    Status::invalid_argument(if handle.is_null() {
        format!("a {} is null where one is needed", T::KIND)
    } else {
        format!("{handle:p} is not a live {}: it was destroyed before, or never was one", T::KIND)
    })
}

fn with_entry<T: HandleType, P, R>(handle: *const P, action: impl FnOnce(&mut Entry, Arc<T>) -> R) -> Result<R> {
    let (index, generation) = decode(handle).ok_or_else(|| dead::<T, P>(handle))?;
    let entry = entry(index).ok_or_else(|| dead::<T, P>(handle))?;
    let mut entry = entry.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((object, kind)) = entry.object.as_ref().filter(|_| entry.generation == generation) else {
        return Err(dead::<T, P>(handle));
    };
    let typed = object.clone().downcast::<T>().map_err(|_| {
        Status::invalid_argument(format!("{handle:p} is a {kind} of this or another plugin, not a {}", T::KIND))
    })?;
    Ok(action(&mut entry, typed))
}

/// The object behind a live handle.
///
/// # Errors
/// INVALID_ARGUMENT when the handle is null, destroyed, of another kind, or none at all.
pub(crate) fn get<T: HandleType, P>(handle: *const P) -> Result<Arc<T>> {
    with_entry(handle, |_, object| object)
}

/// Ends a handle and returns its object, whose last reference the caller may thus drop outside all locks.
///
/// # Errors
/// As [`get`]; a second destruction is one of those cases.
pub(crate) fn remove<T: HandleType, P>(handle: *const P) -> Result<Arc<T>> {
    let (object, held) = with_entry(handle, |entry, object: Arc<T>| {
        entry.generation = (entry.generation + 1) & GENERATION_MASK;
        (object, entry.object.take())
    })?;
    drop(held);
    if let Some((index, _)) = decode(handle) {
        INDICES.lock().unwrap_or_else(PoisonError::into_inner).free.push(index);
    }
    Ok(object)
}

/// [`remove`] for destroy functions: null is fine and does nothing.
pub(crate) fn destroy<T: HandleType, P>(handle: *const P) -> Result<Option<Arc<T>>> {
    if handle.is_null() { Ok(None) } else { remove(handle).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Cat(u32);
    struct Dog;
    impl HandleType for Cat {
        const KIND: &'static str = "Cat";
    }
    impl HandleType for Dog {
        const KIND: &'static str = "Dog";
    }

    #[test]
    fn a_handle_is_good_until_it_is_removed_and_never_again() {
        let handle: *mut Cat = insert(Arc::new(Cat(7)));
        assert_eq!(get::<Cat, _>(handle).unwrap().0, 7);
        assert_eq!(remove::<Cat, _>(handle).unwrap().0, 7);
        assert!(remove::<Cat, _>(handle).is_err());
        // Whoever gets the same entry next is not reached by the old handle.
        let others: Vec<*mut Cat> = (0..100).map(|n| insert(Arc::new(Cat(n)))).collect();
        assert!(get::<Cat, _>(handle).is_err());
        others.into_iter().for_each(|other| drop(remove::<Cat, _>(other).unwrap()));
    }

    #[test]
    fn kinds_null_and_garbage_are_told_apart() {
        let handle: *mut Cat = insert(Arc::new(Cat(0)));
        let error = get::<Dog, _>(handle).err().unwrap();
        assert!(error.message.contains("is a Cat") && error.message.contains("not a Dog"), "{error}");
        assert!(get::<Cat, Cat>(std::ptr::null()).err().unwrap().message.contains("null"));
        for garbage in [1usize, 8, 0x7fff_dead_bee8, usize::MAX, usize::MAX & !7] {
            assert!(get::<Cat, Cat>(std::ptr::without_provenance(garbage)).is_err(), "{garbage:x}");
        }
        remove::<Cat, _>(handle).unwrap();
    }

    #[test]
    fn the_table_grows_over_several_chunks() {
        let handles: Vec<*mut Cat> = (0..5000).map(|n| insert(Arc::new(Cat(n)))).collect();
        for (n, &handle) in handles.iter().enumerate() {
            assert_eq!(get::<Cat, _>(handle).unwrap().0, n as u32);
        }
        for handle in handles {
            remove::<Cat, _>(handle).unwrap();
        }
    }
}
