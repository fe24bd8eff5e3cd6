//! `PJRT_Client_Create`, and the key-value store that comes with it.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::error_object;
use crate::handle;
use crate::state::client::ClientState;
use pjrt_client_trait::{ClientOptions, Code, KeyValueStore, Result, Status};
use pjrt_sys as sys;
use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

/// `PJRT_Client_Create`.
pub(crate) fn create<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Client_Create_Args) -> Result<()> {
    let mut options = ClientOptions::new(c.named_values(args.create_options, args.num_options)?);
    options.node_id()?;
    // In a single process these pointers are uninitialised memory, so only the options tell whether they mean
    // anything.
    if options.num_nodes()? > 1 {
        options = options.with_key_value_store(Arc::new(CallerStore::new(args)?));
    }
    let client = B::create_client(options).map_err(|status| status.context(format!("{} cannot start", B::NAME)))?;
    args.client = handle::insert(ClientState::<B>::new(client)?);
    Ok(())
}

type GetCallback = unsafe extern "C" fn(*mut sys::PJRT_KeyValueGetCallback_Args) -> *mut sys::PJRT_Error;
type TryGetCallback = unsafe extern "C" fn(*mut sys::PJRT_KeyValueTryGetCallback_Args) -> *mut sys::PJRT_Error;
type PutCallback = unsafe extern "C" fn(*mut sys::PJRT_KeyValuePutCallback_Args) -> *mut sys::PJRT_Error;

/// The framework's store. Its callbacks live as long as the framework's client object.
struct CallerStore {
    get: (GetCallback, *mut c_void),
    put: (PutCallback, *mut c_void),
    try_get: Option<(TryGetCallback, *mut c_void)>,
}

// SAFETY: the header says that the callbacks may be called from any thread with these arguments.
unsafe impl Send for CallerStore {}
// SAFETY: as above.
unsafe impl Sync for CallerStore {}

/// Copies a value that the framework lends until its deleter is called.
fn copy_value(
    value: *mut std::ffi::c_char,
    size: usize,
    deleter: Option<unsafe extern "C" fn(*mut std::ffi::c_char)>,
) -> Vec<u8> {
    if value.is_null() {
        return Vec::new();
    }
    // SAFETY: the callback succeeded, so its value has `size` bytes until the deleter is called.
    let copy = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) }.to_vec();
    if let Some(deleter) = deleter {
        // SAFETY: called once, with the value it came with.
        unsafe { deleter(value) };
    }
    copy
}

impl CallerStore {
    fn new(args: &sys::PJRT_Client_Create_Args) -> Result<Self> {
        let missing = |which: &str| {
            Status::invalid_argument(format!(
                "option num_nodes asks for several processes, but the {which} callback is null"
            ))
        };
        Ok(CallerStore {
            get: (args.kv_get_callback.ok_or_else(|| missing("key-value get"))?, args.kv_get_user_arg),
            put: (args.kv_put_callback.ok_or_else(|| missing("key-value put"))?, args.kv_put_user_arg),
            try_get: args.kv_try_get_callback.map(|callback| (callback, args.kv_try_get_user_arg)),
        })
    }
}

impl KeyValueStore for CallerStore {
    fn get(&self, key: &str, timeout: Duration) -> Result<Vec<u8>> {
        let mut callback_error = Some(error_object::callback_error as _);
        let mut args = sys::PJRT_KeyValueGetCallback_Args {
            struct_size: <sys::PJRT_KeyValueGetCallback_Args as sys::Struct>::STRUCT_SIZE,
            key: key.as_ptr().cast(),
            key_size: key.len(),
            timeout_in_ms: i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX),
            callback_error: &raw mut callback_error,
            user_arg: self.get.1,
            ..Default::default()
        };
        // SAFETY: the framework's callback gets the Args and the argument it asked for.
        let error = unsafe { (self.get.0)(&raw mut args) };
        // SAFETY: the error is ours now.
        unsafe { error_object::take(error) }?;
        Ok(copy_value(args.value, args.value_size, args.value_deleter_callback))
    }

    fn try_get(&self, key: &str) -> Result<Vec<u8>> {
        let Some((callback, user_arg)) = self.try_get else {
            // Frameworks before 0.61 have no such callback; a short wait asks the same question.
            return self.get(key, Duration::from_millis(1)).map_err(|status| match status.code {
                Code::DeadlineExceeded => Status { code: Code::NotFound, ..status },
                _ => status,
            });
        };
        let mut callback_error = Some(error_object::callback_error as _);
        let mut args = sys::PJRT_KeyValueTryGetCallback_Args {
            struct_size: <sys::PJRT_KeyValueTryGetCallback_Args as sys::Struct>::STRUCT_SIZE,
            key: key.as_ptr().cast(),
            key_size: key.len(),
            callback_error: &raw mut callback_error,
            user_arg,
            ..Default::default()
        };
        // SAFETY: the framework's callback gets the Args and the argument it asked for.
        let error = unsafe { callback(&raw mut args) };
        // SAFETY: the error is ours now.
        unsafe { error_object::take(error) }?;
        Ok(copy_value(args.value, args.value_size, args.value_deleter_callback))
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<()> {
        let mut callback_error = Some(error_object::callback_error as _);
        let mut args = sys::PJRT_KeyValuePutCallback_Args {
            struct_size: <sys::PJRT_KeyValuePutCallback_Args as sys::Struct>::STRUCT_SIZE,
            key: key.as_ptr().cast(),
            key_size: key.len(),
            value: value.as_ptr().cast(),
            value_size: value.len(),
            callback_error: &raw mut callback_error,
            user_arg: self.put.1,
            ..Default::default()
        };
        // SAFETY: the framework's callback gets the Args and the argument it asked for.
        let error = unsafe { (self.put.0)(&raw mut args) };
        // SAFETY: the error is ours now.
        unsafe { error_object::take(error) }
    }
}
