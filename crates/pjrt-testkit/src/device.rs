//! Devices, their descriptions and counters.

use pjrt_sys::{PJRT_Device, PJRT_Device_MemoryStats_Args, PJRT_DeviceDescription};

use crate::client::Client;
use crate::error::{Code, Result};
use crate::memory::Memory;
use crate::named_value::NamedValue;
use crate::plugin::{Plugin, live_call};

/// A device; its handle lives as long as the client, which it keeps alive.
#[derive(Debug, Clone)]
pub struct Device {
    pub(crate) client: Client,
    pub(crate) raw: *mut PJRT_Device,
}

/// A description of a device, of a client or of a topology.
#[derive(Debug, Clone)]
pub struct DeviceDescription {
    pub(crate) plugin: Plugin,
    pub(crate) raw: *mut PJRT_DeviceDescription,
    /// Keeps the owner of the description alive.
    pub(crate) owner: std::sync::Arc<dyn std::any::Any + Send + Sync>,
}

// SAFETY: a handle may be used from any thread by the contract of the C API.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}
// SAFETY: as above.
unsafe impl Send for DeviceDescription {}
// SAFETY: as above.
unsafe impl Sync for DeviceDescription {}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

/// Memory counters of a device; those that the plugin does not set are nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Bytes in use.
    pub bytes_in_use: i64,
    /// Their peak.
    pub peak_bytes_in_use: Option<i64>,
    /// Number of allocations.
    pub num_allocs: Option<i64>,
    /// Largest allocation in bytes.
    pub largest_alloc_size: Option<i64>,
    /// Upper limit in bytes.
    pub bytes_limit: Option<i64>,
    /// Bytes of the pool.
    pub pool_bytes: Option<i64>,
    /// Peak of allocated bytes, from 0.113 on.
    pub peak_allocated_bytes: Option<i64>,
}

impl Device {
    /// The handle.
    #[must_use]
    pub fn raw(&self) -> *mut PJRT_Device {
        self.raw
    }

    /// The client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Description.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn description(&self) -> Result<DeviceDescription> {
        let args = live_call!(self.client.plugin(), PJRT_Device_GetDescription { device: self.raw })?;
        Ok(DeviceDescription {
            plugin: self.client.plugin().clone(),
            raw: args.device_description,
            owner: std::sync::Arc::new(self.client.clone()),
        })
    }

    /// Global id.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn id(&self) -> Result<i32> {
        self.description()?.id()
    }

    /// Whether this process commands it.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn is_addressable(&self) -> Result<bool> {
        Ok(live_call!(self.client.plugin(), PJRT_Device_IsAddressable { device: self.raw })?.is_addressable)
    }

    /// Number on its host, or -1.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn local_hardware_id(&self) -> Result<i32> {
        Ok(live_call!(self.client.plugin(), PJRT_Device_LocalHardwareId { device: self.raw })?.local_hardware_id)
    }

    /// Memories attached to it.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn addressable_memories(&self) -> Result<Vec<Memory>> {
        let args = live_call!(self.client.plugin(), PJRT_Device_AddressableMemories { device: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the client.
        Ok(self.client.wrap_memories(&unsafe { crate::plugin::copied(args.memories, args.num_memories) }))
    }

    /// Default memory.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn default_memory(&self) -> Result<Memory> {
        let args = live_call!(self.client.plugin(), PJRT_Device_DefaultMemory { device: self.raw })?;
        Ok(Memory { client: self.client.clone(), raw: args.memory })
    }

    /// Memory counters.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn memory_stats(&self) -> Result<MemoryStats> {
        let a: PJRT_Device_MemoryStats_Args =
            live_call!(self.client.plugin(), PJRT_Device_MemoryStats { device: self.raw })?;
        let set = |flag: bool, value: i64| flag.then_some(value);
        Ok(MemoryStats {
            bytes_in_use: a.bytes_in_use,
            peak_bytes_in_use: set(a.peak_bytes_in_use_is_set, a.peak_bytes_in_use),
            num_allocs: set(a.num_allocs_is_set, a.num_allocs),
            largest_alloc_size: set(a.largest_alloc_size_is_set, a.largest_alloc_size),
            bytes_limit: set(a.bytes_limit_is_set, a.bytes_limit),
            pool_bytes: set(a.pool_bytes_is_set, a.pool_bytes),
            peak_allocated_bytes: set(a.peak_allocated_bytes_is_set, a.peak_allocated_bytes),
        })
    }

    /// Resets the peaks of the counters.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn clear_memory_stats(&self) -> Result<()> {
        live_call!(self.client.plugin(), PJRT_Device_ClearMemoryStats { device: self.raw }).map(|_| ())
    }

    /// Static and current attributes.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the deleter is null.
    pub fn attributes(&self) -> Result<Vec<NamedValue>> {
        let args = live_call!(self.client.plugin(), PJRT_Device_GetAttributes { device: self.raw })?;
        // SAFETY: the array lives until the deleter is called, once, with its holder.
        unsafe {
            let attributes = NamedValue::read_array(args.attributes, args.num_attributes);
            args.attributes_deleter.expect("attributes_deleter is never null")(args.device_attributes);
            Ok(attributes)
        }
    }

    /// Makes an unfinished execution fail; whether there was one.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn poison_execution(&self, launch_id: i32, code: Code, message: &str) -> Result<bool> {
        Ok(live_call!(
            self.client.plugin(),
            PJRT_Device_PoisonExecution {
                device: self.raw,
                launch_id: launch_id,
                error_code: code.0,
                error_message: message.as_ptr().cast(),
                error_message_size: message.len(),
            }
        )?
        .poisoned)
    }

    /// Starts and ends a tracking event; whether the plugin has them.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn async_tracking_event(&self, description: &str) -> Result<bool> {
        let plugin = self.client.plugin();
        let args = live_call!(
            plugin,
            PJRT_Device_CreateAsyncTrackingEvent {
                device: self.raw,
                description: description.as_ptr().cast(),
                description_size: description.len(),
            }
        )?;
        if args.event.is_null() {
            return Ok(false);
        }
        live_call!(plugin, PJRT_AsyncTrackingEvent_Destroy { event: args.event })?;
        Ok(true)
    }
}

impl DeviceDescription {
    /// The handle.
    #[must_use]
    pub fn raw(&self) -> *mut PJRT_DeviceDescription {
        self.raw
    }

    /// What keeps the description alive.
    #[must_use]
    pub fn owner(&self) -> &(dyn std::any::Any + Send + Sync) {
        &*self.owner
    }

    /// Global id.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn id(&self) -> Result<i32> {
        Ok(live_call!(&self.plugin, PJRT_DeviceDescription_Id { device_description: self.raw })?.id)
    }

    /// Process that commands it.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn process_index(&self) -> Result<i32> {
        let args = live_call!(&self.plugin, PJRT_DeviceDescription_ProcessIndex { device_description: self.raw })?;
        Ok(args.process_index)
    }

    /// Kind.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn kind(&self) -> Result<String> {
        let args = live_call!(&self.plugin, PJRT_DeviceDescription_Kind { device_description: self.raw })?;
        // SAFETY: a string with the lifetime of the owner.
        Ok(unsafe { crate::plugin::text(args.device_kind, args.device_kind_size) })
    }

    /// Verbose text.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn debug_string(&self) -> Result<String> {
        let args = live_call!(&self.plugin, PJRT_DeviceDescription_DebugString { device_description: self.raw })?;
        // SAFETY: a string with the lifetime of the owner.
        Ok(unsafe { crate::plugin::text(args.debug_string, args.debug_string_size) })
    }

    /// Short text.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn to_text(&self) -> Result<String> {
        let args = live_call!(&self.plugin, PJRT_DeviceDescription_ToString { device_description: self.raw })?;
        // SAFETY: a string with the lifetime of the owner.
        Ok(unsafe { crate::plugin::text(args.to_string, args.to_string_size) })
    }

    /// Static attributes.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn attributes(&self) -> Result<Vec<NamedValue>> {
        let args = live_call!(&self.plugin, PJRT_DeviceDescription_Attributes { device_description: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the owner.
        Ok(unsafe { NamedValue::read_array(args.attributes, args.num_attributes) })
    }
}
