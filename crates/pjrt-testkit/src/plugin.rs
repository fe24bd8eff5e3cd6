//! A plugin's table: what is in it, and single calls through it. Everything above goes through here,
//! so here is where sizes are declared and canaries checked.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

use pjrt_sys::{API_FUNCTIONS, PJRT_Api, PJRT_Error, PJRT_Error_Code, Struct};

use crate::args::{ArgsBuf, Caller};
use crate::error::{Error, Result};
use crate::extension::ExtensionNode;
use crate::library::{self, LoadError};
use crate::named_value::NamedValue;

/// Type of nearly every function of the table.
pub type Function<S> = Option<unsafe extern "C" fn(*mut S) -> *mut PJRT_Error>;

/// A slot of a plugin's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Function.
    pub name: &'static str,
    /// Minor version that brought it.
    pub since: u16,
    /// Whether the plugin's table is long enough to have it.
    pub in_table: bool,
    /// Whether it is not null.
    pub present: bool,
}

/// A plugin, and who pretends to call it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Plugin {
    inner: Arc<Inner>,
    caller: Caller,
}

#[derive(Debug)]
struct Inner {
    /// The plugin's own table.
    table: *const PJRT_Api,
    /// A copy as long as our struct; slots that the plugin's table lacks are null.
    api: PJRT_Api,
}

// SAFETY: the table is static and immutable by contract, and every function in it may be called from
// any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Plugin {
    /// Loads a plugin from a shared library. It is never unloaded.
    ///
    /// # Errors
    ///
    /// When the loader refuses the file or it is no plugin.
    pub fn load(path: &Path) -> std::result::Result<Self, LoadError> {
        let table = library::open(path)?;
        // SAFETY: the table comes from the entry point of a plugin, which by contract is static.
        Ok(unsafe { Self::from_api(table) })
    }

    /// Takes the table of a plugin that is linked into this binary.
    ///
    /// # Safety
    ///
    /// `table` is a PJRT table that stays valid and unchanged for the rest of the process, at least as
    /// long as its `struct_size`.
    #[must_use]
    pub unsafe fn from_api(table: *const PJRT_Api) -> Self {
        let mut api = PJRT_Api::default();
        // SAFETY: the table has as many bytes as it declares, and our struct those of its type.
        unsafe {
            let size = (*table).struct_size.min(size_of::<PJRT_Api>());
            std::ptr::copy_nonoverlapping(table.cast::<u8>(), (&raw mut api).cast::<u8>(), size);
        }
        Self { inner: Arc::new(Inner { table, api }), caller: Caller::current() }
    }

    /// The same plugin, called by a framework of another version.
    #[must_use]
    pub fn called_by(&self, caller: Caller) -> Self {
        Self { inner: Arc::clone(&self.inner), caller }
    }

    /// Who pretends to call.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.caller
    }

    /// The table; slots beyond the end of the plugin's own are null.
    #[must_use]
    pub fn api(&self) -> &PJRT_Api {
        &self.inner.api
    }

    /// The pointer that the entry point returned.
    #[must_use]
    pub fn raw(&self) -> *const PJRT_Api {
        self.inner.table
    }

    /// Major and minor version of the header that the plugin was compiled against.
    #[must_use]
    pub fn api_version(&self) -> (i32, i32) {
        let version = &self.inner.api.pjrt_api_version;
        (version.major_version, version.minor_version)
    }

    /// Size of the table in bytes, as the plugin declares it.
    #[must_use]
    pub fn table_size(&self) -> usize {
        self.inner.api.struct_size
    }

    /// Every function that we know, and whether the plugin has it.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        API_FUNCTIONS
            .iter()
            .map(|function| {
                let in_table = function.offset + size_of::<usize>() <= self.table_size();
                // SAFETY: the offset is that of a field of our copy, which is a nullable pointer.
                let pointer =
                    unsafe { (&raw const self.inner.api).cast::<u8>().add(function.offset).cast::<usize>().read() };
                Slot { name: function.name, since: function.since, in_table, present: pointer != 0 }
            })
            .collect()
    }

    /// Whether the plugin's table is long enough for a function.
    #[must_use]
    pub fn table_covers(&self, function: &str) -> bool {
        self.slots().iter().any(|slot| slot.name == function && slot.in_table)
    }

    /// The extension chain of the table.
    #[must_use]
    pub fn extensions(&self) -> Vec<ExtensionNode> {
        // SAFETY: the chain of a table is static by contract.
        unsafe { ExtensionNode::chain(self.inner.api.extension_start) }
    }

    /// One-time set-up; frameworks call it before the first client.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn initialize(&self) -> Result<()> {
        live_call!(self, PJRT_Plugin_Initialize {}).map(|_| ())
    }

    /// Attributes of the plugin.
    ///
    /// # Errors
    ///
    /// The plugin's; frameworks treat them as fatal.
    pub fn attributes(&self) -> Result<Vec<NamedValue>> {
        let args = live_call!(self, PJRT_Plugin_Attributes {})?;
        // SAFETY: on success the array has this many elements, for the life of the process.
        Ok(unsafe { NamedValue::read_array(args.attributes, args.num_attributes) })
    }

    /// Calls a function: lays the arguments out for the caller's version, declares their size, checks
    /// that nothing behind them was written, and reads the error. Returns the arguments afterwards.
    ///
    /// # Errors
    ///
    /// The plugin's; UNIMPLEMENTED without a call where the slot is null or the struct is younger than
    /// the caller.
    ///
    /// # Panics
    ///
    /// When the plugin wrote behind the caller's struct.
    ///
    /// # Safety
    ///
    /// The pointers that `fill` stores are what the function may be given: live handles, readable
    /// memory of the sizes stored beside it, callbacks with their arguments.
    pub unsafe fn call<S: Struct>(
        &self,
        function: Function<S>,
        name: &'static str,
        fill: impl FnOnce(&mut S),
    ) -> Result<S> {
        let Some(function) = function else {
            return Err(Error::local(
                PJRT_Error_Code::UNIMPLEMENTED,
                name,
                format!("the slot of {name} is null or beyond the end of the table"),
            ));
        };
        let mut args = self.arguments(name, fill)?;
        // SAFETY: the function has this type by the table, and the arguments are laid out as a caller
        // of the chosen version would.
        let error = unsafe { function(args.as_mut_ptr()) };
        args.check(name);
        // SAFETY: a returned error belongs to the caller.
        unsafe { Error::take(self, error, name)? };
        Ok(args.value())
    }

    /// Arguments for one call, laid out for the caller's version.
    ///
    /// # Errors
    ///
    /// UNIMPLEMENTED if the struct is younger than the caller.
    pub fn arguments<S: Struct>(&self, name: &'static str, fill: impl FnOnce(&mut S)) -> Result<ArgsBuf<S>> {
        // SAFETY: all zero bytes are a valid value, by the contract of the trait.
        let mut value: S = unsafe { std::mem::zeroed() };
        fill(&mut value);
        ArgsBuf::new(self.caller, value).ok_or_else(|| {
            let minor = self.caller.minor().unwrap_or_default();
            let message = format!("a caller of 0.{minor} has no {}", S::NAME);
            Error::local(PJRT_Error_Code::UNIMPLEMENTED, name, message)
        })
    }

    /// As [`Self::call`], for functions that return nothing.
    pub(crate) fn call_void<S: Struct>(
        &self,
        function: Option<unsafe extern "C" fn(*mut S)>,
        name: &'static str,
        fill: impl FnOnce(&mut S),
    ) -> S {
        let function = function.unwrap_or_else(|| panic!("the slot of {name} is null"));
        let mut args = self.arguments(name, fill).expect("as old as the API");
        // SAFETY: as in `call`.
        unsafe { function(args.as_mut_ptr()) };
        args.check(name);
        args.value()
    }

    /// As [`Self::call`], for functions that must not fail because frameworks abort if they do.
    pub(crate) fn infallible<S: Struct>(
        &self,
        function: Function<S>,
        name: &'static str,
        fill: impl FnOnce(&mut S),
    ) -> S {
        let function = function.unwrap_or_else(|| panic!("the slot of {name} is null"));
        let mut args = self.arguments(name, fill).unwrap_or_else(|error| panic!("{error}"));
        // SAFETY: as in `call`.
        let error = unsafe { function(args.as_mut_ptr()) };
        args.check(name);
        assert!(error.is_null(), "{name} returned an error; frameworks abort when it does");
        args.value()
    }
}

/// Calls a function of the table by name: `unsafe { call!(plugin, PJRT_Client_Devices { client: raw }) }`.
/// Expands to [`Plugin::call`], with its contract and its result.
#[macro_export]
macro_rules! call {
    ($plugin:expr, $function:ident { $($field:ident: $value:expr),* $(,)? }) => {
        $plugin.call($plugin.api().$function, stringify!($function), |args| {
            let _ = &args;
            $(args.$field = $value;)*
        })
    };
}

/// [`call!`] for this crate's own objects: the handles are kept alive by the object that makes the call,
/// and whatever else is pointed to is borrowed for longer than the call.
macro_rules! live_call {
    ($plugin:expr, $($rest:tt)*) => {{
        let plugin: &$crate::Plugin = $plugin;
        // SAFETY: see the macro's description, which every use is to satisfy.
        unsafe { $crate::call!(plugin, $($rest)*) }
    }};
}
pub(crate) use live_call;

/// Gives a handle type its raw pointer and destruction. The type has a field `raw`, and a method
/// `plugin`; it keeps alive what the handle depends on.
macro_rules! owned_handle {
    ($type:ident, $raw:ident, $destroy:ident, $field:ident) => {
        impl $type {
            /// The handle, for calls that break rules on purpose.
            #[must_use]
            pub fn raw(&self) -> *mut pjrt_sys::$raw {
                self.raw
            }

            /// Gives the handle up without destroying it.
            #[must_use]
            pub fn into_raw(mut self) -> *mut pjrt_sys::$raw {
                std::mem::replace(&mut self.raw, std::ptr::null_mut())
            }

            /// Destroys the handle and says how that went; dropping does it silently.
            ///
            /// # Errors
            ///
            /// The plugin's.
            pub fn destroy(mut self) -> $crate::Result<()> {
                let raw = std::mem::replace(&mut self.raw, std::ptr::null_mut());
                $crate::plugin::live_call!(self.plugin(), $destroy { $field: raw }).map(|_| ())
            }
        }

        impl Drop for $type {
            fn drop(&mut self) {
                if !self.raw.is_null() {
                    let raw = self.raw;
                    // A failure has nobody to report to here; `destroy` reports it.
                    _ = $crate::plugin::live_call!(self.plugin(), $destroy { $field: raw });
                }
            }
        }

        // SAFETY: the handle may be used from any thread by the contract of the C API.
        unsafe impl Send for $type {}
        // SAFETY: as above; only destruction must not race, and that takes the value.
        unsafe impl Sync for $type {}
    };
}
pub(crate) use owned_handle;

/// Copies a length-delimited string; null is empty.
///
/// # Safety
///
/// `data` is null or points to `size` readable bytes.
pub(crate) unsafe fn text(data: *const c_char, size: usize) -> String {
    // SAFETY: by the contract of this function.
    String::from_utf8_lossy(&unsafe { bytes(data, size) }).into_owned()
}

/// Copies bytes; null is empty.
///
/// # Safety
///
/// `data` is null or points to `size` readable bytes.
pub(crate) unsafe fn bytes(data: *const c_char, size: usize) -> Vec<u8> {
    // SAFETY: by the contract of this function.
    unsafe { copied(data.cast::<u8>(), size) }
}

/// Copies an array; null is empty.
///
/// # Safety
///
/// `data` is null or points to `len` readable elements.
pub(crate) unsafe fn copied<T: Copy>(data: *const T, len: usize) -> Vec<T> {
    if data.is_null() || len == 0 {
        return Vec::new();
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts(data, len) }.to_vec()
}
