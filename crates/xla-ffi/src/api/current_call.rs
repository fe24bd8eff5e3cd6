//! Which version of the API the handler on this thread was compiled with: some arguments changed their form without
//! changing their size, in functions that are not told of their call.

use crate::handler::HandlerVersion;
use std::cell::Cell;

thread_local! {
    static CURRENT: Cell<Option<HandlerVersion>> = const { Cell::new(None) };
}

/// A handler runs on this thread until this is dropped.
pub(crate) struct CurrentCall {
    outer: Option<HandlerVersion>,
}

impl CurrentCall {
    pub(crate) fn enter(version: HandlerVersion) -> Self {
        CurrentCall { outer: CURRENT.replace(Some(version)) }
    }

    /// The version of the innermost handler on this thread; our own outside of handlers.
    pub(crate) fn version() -> HandlerVersion {
        CURRENT.get().unwrap_or(HandlerVersion::OURS)
    }
}

impl Drop for CurrentCall {
    fn drop(&mut self) {
        CURRENT.set(self.outer);
    }
}
