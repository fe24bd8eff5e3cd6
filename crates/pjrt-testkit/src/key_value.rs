//! An in-memory key-value store with the callbacks that a framework gives to multi-process clients.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pjrt_sys::{
    PJRT_CallbackError, PJRT_Error, PJRT_Error_Code, PJRT_KeyValueGetCallback_Args, PJRT_KeyValuePutCallback_Args,
    PJRT_KeyValueTryGetCallback_Args,
};

/// A store that several clients of one test can share.
#[derive(Debug, Default)]
pub struct KeyValueStore {
    values: Mutex<HashMap<Vec<u8>, Vec<u8>>>,
    changed: Condvar,
}

impl KeyValueStore {
    /// Stores a value.
    pub fn put(&self, key: &[u8], value: &[u8]) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_vec(), value.to_vec());
        self.changed.notify_all();
    }

    /// The value of a key, waiting for it up to a time.
    #[must_use]
    pub fn get(&self, key: &[u8], timeout: Duration) -> Option<Vec<u8>> {
        let deadline = Instant::now() + timeout;
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(value) = values.get(key) {
                return Some(value.clone());
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            values = self.changed.wait_timeout(values, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether nothing was stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Makes an error with the function that the plugin passed in.
unsafe fn fail(callback_error: *mut PJRT_CallbackError, code: PJRT_Error_Code, message: &str) -> *mut PJRT_Error {
    // SAFETY: the plugin passes a pointer to its function, which copies the message.
    unsafe {
        let make = (*callback_error).expect("callback_error");
        make(code, message.as_ptr().cast(), message.len())
    }
}

/// Copies a value to the C heap, from where `free` takes it without knowing its length.
fn lend(value: Vec<u8>) -> (*mut c_char, usize) {
    let size = value.len();
    // One byte more, so that an empty value has an address too.
    let mut bytes = value;
    bytes.push(0);
    // SAFETY: malloc is given a positive size; the copy stays within it.
    unsafe {
        let memory = libc::malloc(bytes.len()).cast::<u8>();
        assert!(!memory.is_null(), "out of memory");
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len());
        (memory.cast(), size)
    }
}

unsafe extern "C" fn free(value: *mut c_char) {
    // SAFETY: the value comes from `lend`.
    unsafe { libc::free(value.cast::<c_void>()) };
}

/// `PJRT_KeyValueGetCallback` over a [`KeyValueStore`] in `user_arg`.
pub(crate) unsafe extern "C" fn get(args: *mut PJRT_KeyValueGetCallback_Args) -> *mut PJRT_Error {
    // SAFETY: the plugin fills the arguments and lends the key; `user_arg` is the store, which the
    // client keeps alive.
    unsafe {
        let args = &mut *args;
        let store = &*args.user_arg.cast::<KeyValueStore>();
        let key = crate::plugin::bytes(args.key, args.key_size);
        let timeout = Duration::from_millis(u64::try_from(args.timeout_in_ms).unwrap_or(0));
        let Some(value) = store.get(&key, timeout) else {
            let message = format!("no value for {} after {timeout:?}", String::from_utf8_lossy(&key));
            return fail(args.callback_error, PJRT_Error_Code::DEADLINE_EXCEEDED, &message);
        };
        (args.value, args.value_size) = lend(value);
        args.value_deleter_callback = Some(free);
        std::ptr::null_mut()
    }
}

/// `PJRT_KeyValueTryGetCallback` over a [`KeyValueStore`] in `user_arg`.
pub(crate) unsafe extern "C" fn try_get(args: *mut PJRT_KeyValueTryGetCallback_Args) -> *mut PJRT_Error {
    // SAFETY: as in `get`.
    unsafe {
        let args = &mut *args;
        let store = &*args.user_arg.cast::<KeyValueStore>();
        let key = crate::plugin::bytes(args.key, args.key_size);
        let Some(value) = store.get(&key, Duration::ZERO) else {
            let message = format!("no value for {}", String::from_utf8_lossy(&key));
            return fail(args.callback_error, PJRT_Error_Code::NOT_FOUND, &message);
        };
        (args.value, args.value_size) = lend(value);
        args.value_deleter_callback = Some(free);
        std::ptr::null_mut()
    }
}

/// `PJRT_KeyValuePutCallback` over a [`KeyValueStore`] in `user_arg`.
pub(crate) unsafe extern "C" fn put(args: *mut PJRT_KeyValuePutCallback_Args) -> *mut PJRT_Error {
    // SAFETY: as in `get`.
    unsafe {
        let args = &*args;
        let store = &*args.user_arg.cast::<KeyValueStore>();
        let key = crate::plugin::bytes(args.key, args.key_size);
        store.put(&key, &crate::plugin::bytes(args.value, args.value_size));
    }
    std::ptr::null_mut()
}
