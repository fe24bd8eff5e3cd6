//! Opens a shared library as frameworks do: lazy binding, local visibility, never unloaded.

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use pjrt_sys::{GetPjrtApi, PJRT_Api};

/// Why a library is no plugin.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path holds a NUL byte.
    #[error("the path {0:?} contains a NUL byte")]
    Path(std::path::PathBuf),
    /// The loader refuses it.
    #[error("cannot load the plugin: {0}")]
    Open(String),
    /// There is no entry point.
    #[error("{path:?} exports no GetPjrtApi: {reason}")]
    NoEntryPoint {
        /// The library.
        path: std::path::PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The entry point returned null.
    #[error("GetPjrtApi of {0:?} returned null")]
    NullTable(std::path::PathBuf),
}

/// Loads a library and calls its entry point.
pub(crate) fn open(path: &Path) -> Result<*const PJRT_Api, LoadError> {
    // Without a slash the loader would search its own directories instead.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let name = CString::new(absolute.as_os_str().as_bytes()).map_err(|_| LoadError::Path(absolute.clone()))?;
    // SAFETY: the name is NUL-terminated. Initialisers of the library run, which is what loading means.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(LoadError::Open(last_error()));
    }
    // SAFETY: the handle was just opened and is never closed; the symbol is NUL-terminated.
    let symbol = unsafe { libc::dlsym(handle, c"GetPjrtApi".as_ptr()) };
    if symbol.is_null() {
        return Err(LoadError::NoEntryPoint { path: absolute, reason: last_error() });
    }
    // SAFETY: a symbol of this name has this type by the contract of PJRT plugins.
    let entry: GetPjrtApi = unsafe { std::mem::transmute(symbol) };
    // SAFETY: the entry point takes nothing and may be called at any time.
    let api = unsafe { entry() };
    if api.is_null() {
        return Err(LoadError::NullTable(absolute));
    }
    Ok(api)
}

fn last_error() -> String {
    // SAFETY: dlerror returns null or a string that is valid until the next call on this thread.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() { "no reason given".to_owned() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}
