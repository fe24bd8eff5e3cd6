//! Memories, and the user data that frameworks attach to them.

use std::ffi::c_void;

use pjrt_sys::{PJRT_Memory, PJRT_Memory_FunctionTable};

use crate::client::Client;
use crate::device::Device;
use crate::error::Result;
use crate::plugin::live_call;

/// A memory; its handle lives as long as the client, which it keeps alive.
#[derive(Debug, Clone)]
pub struct Memory {
    pub(crate) client: Client,
    pub(crate) raw: *mut PJRT_Memory,
}

// SAFETY: a handle may be used from any thread by the contract of the C API.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Memory {
    /// The handle.
    #[must_use]
    pub fn raw(&self) -> *mut PJRT_Memory {
        self.raw
    }

    /// The client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Id.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn id(&self) -> Result<i32> {
        Ok(live_call!(self.client.plugin(), PJRT_Memory_Id { memory: self.raw })?.id)
    }

    /// Name of the kind.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn kind(&self) -> Result<String> {
        let args = live_call!(self.client.plugin(), PJRT_Memory_Kind { memory: self.raw })?;
        // SAFETY: a string with the lifetime of the client.
        Ok(unsafe { crate::plugin::text(args.kind, args.kind_size) })
    }

    /// Number of the kind.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn kind_id(&self) -> Result<i32> {
        Ok(live_call!(self.client.plugin(), PJRT_Memory_Kind_Id { memory: self.raw })?.kind_id)
    }

    /// Verbose text.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn debug_string(&self) -> Result<String> {
        let args = live_call!(self.client.plugin(), PJRT_Memory_DebugString { memory: self.raw })?;
        // SAFETY: a string with the lifetime of the client.
        Ok(unsafe { crate::plugin::text(args.debug_string, args.debug_string_size) })
    }

    /// Short text.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn to_text(&self) -> Result<String> {
        let args = live_call!(self.client.plugin(), PJRT_Memory_ToString { memory: self.raw })?;
        // SAFETY: a string with the lifetime of the client.
        Ok(unsafe { crate::plugin::text(args.to_string, args.to_string_size) })
    }

    /// Devices that can use it.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn addressable_by_devices(&self) -> Result<Vec<Device>> {
        let args = live_call!(self.client.plugin(), PJRT_Memory_AddressableByDevices { memory: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the client.
        Ok(self.client.wrap_devices(&unsafe { crate::plugin::copied(args.devices, args.num_devices) }))
    }

    /// The function table that a memory begins with since 0.105, or nothing if the plugin is older or
    /// the pointer null.
    #[must_use]
    pub fn function_table(&self) -> Option<&PJRT_Memory_FunctionTable> {
        if self.client.plugin().api_version().1 < 105 {
            return None;
        }
        // SAFETY: from 0.105 on a memory begins with this pointer; the table lives as long as it.
        unsafe { (*self.raw).vtable.as_ref() }
    }

    /// User data under a key.
    #[must_use]
    pub fn user_data(&self, key: usize) -> Option<*mut c_void> {
        let get = self.function_table()?.get_user_data?;
        // SAFETY: the memory is alive; the key is opaque.
        Some(unsafe { get(self.raw, key as *const c_void) })
    }

    /// Sets or, with null, removes user data under a key. False if the plugin has no user data.
    ///
    /// # Safety
    ///
    /// `destructor` may be called with `data` from any thread, at the latest when the client dies.
    pub unsafe fn set_user_data(
        &self,
        key: usize,
        data: *mut c_void,
        destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    ) -> bool {
        let Some(set) = self.function_table().and_then(|table| table.set_user_data) else { return false };
        // SAFETY: the memory is alive; the rest is by the contract of this function.
        unsafe { set(self.raw, key as *const c_void, data, destructor) };
        true
    }
}
