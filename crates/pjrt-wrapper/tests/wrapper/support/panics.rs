//! Panics on demand: every trait method of the test backend passes a named point.

use std::cell::Cell;

thread_local! {
    static ARMED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Runs `action`; the first time this thread passes the point meanwhile, it panics. Returns the result and
/// whether it panicked.
pub fn panic_in<R>(point: &'static str, action: impl FnOnce() -> R) -> (R, bool) {
    ARMED.set(Some(point));
    let result = action();
    let left = ARMED.replace(None);
    (result, left.is_none())
}

/// A place where a panic may be asked for.
pub fn point(name: &'static str) {
    if ARMED.get() == Some(name) {
        ARMED.set(None);
        panic!("asked to panic in {name}");
    }
}
