//! Topologies, of a client or on their own.

use std::sync::Arc;

use pjrt_sys::{PJRT_Buffer_Type, PJRT_TopologyDescription};

use crate::client::Client;
use crate::device::DeviceDescription;
use crate::error::Result;
use crate::named_value::NamedValue;
use crate::plugin::{Plugin, live_call};

/// A topology; its handle is destroyed with the last clone, unless a client owns it.
#[derive(Debug, Clone)]
pub struct Topology {
    inner: Arc<Inner>,
    plugin: Plugin,
}

#[derive(Debug)]
struct Inner {
    plugin: Plugin,
    raw: *mut PJRT_TopologyDescription,
    client: Option<Client>,
}

// SAFETY: a handle may be used from any thread by the contract of the C API.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.client.is_none() {
            _ = live_call!(&self.plugin, PJRT_TopologyDescription_Destroy { topology: self.raw });
        }
    }
}

impl Topology {
    pub(crate) fn of_client(client: &Client, raw: *mut PJRT_TopologyDescription) -> Self {
        let plugin = client.plugin().clone();
        Self { inner: Arc::new(Inner { plugin: plugin.clone(), raw, client: Some(client.clone()) }), plugin }
    }

    fn owned(plugin: &Plugin, raw: *mut PJRT_TopologyDescription) -> Self {
        Self { inner: Arc::new(Inner { plugin: plugin.clone(), raw, client: None }), plugin: plugin.clone() }
    }

    /// Makes a topology from a name and options.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn create(plugin: &Plugin, name: &str, options: &[NamedValue]) -> Result<Self> {
        let options = NamedValue::to_raw_array(options);
        let args = live_call!(
            plugin,
            PJRT_TopologyDescription_Create {
                topology_name: name.as_ptr().cast(),
                topology_name_size: name.len(),
                create_options: options.as_ptr(),
                num_options: options.len(),
            }
        )?;
        Ok(Self::owned(plugin, args.topology))
    }

    /// Makes a topology from serialized bytes.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn deserialize(plugin: &Plugin, bytes: &[u8]) -> Result<Self> {
        let args = live_call!(
            plugin,
            PJRT_TopologyDescription_Deserialize {
                serialized_topology: bytes.as_ptr().cast(),
                serialized_topology_size: bytes.len(),
            }
        )?;
        Ok(Self::owned(plugin, args.topology))
    }

    /// The handle.
    #[must_use]
    pub fn raw(&self) -> *mut PJRT_TopologyDescription {
        self.inner.raw
    }

    pub(crate) fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    /// Name of the platform.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn platform_name(&self) -> Result<String> {
        let args = live_call!(self.plugin(), PJRT_TopologyDescription_PlatformName { topology: self.raw() })?;
        // SAFETY: a string with the lifetime of the topology.
        Ok(unsafe { crate::plugin::text(args.platform_name, args.platform_name_size) })
    }

    /// Version text of the platform.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn platform_version(&self) -> Result<String> {
        let args = live_call!(self.plugin(), PJRT_TopologyDescription_PlatformVersion { topology: self.raw() })?;
        // SAFETY: a string with the lifetime of the topology.
        Ok(unsafe { crate::plugin::text(args.platform_version, args.platform_version_size) })
    }

    /// Attributes.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn attributes(&self) -> Result<Vec<NamedValue>> {
        let args = live_call!(self.plugin(), PJRT_TopologyDescription_Attributes { topology: self.raw() })?;
        // SAFETY: an array of this length with the lifetime of the topology.
        Ok(unsafe { NamedValue::read_array(args.attributes, args.num_attributes) })
    }

    /// Descriptions of the devices.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn device_descriptions(&self) -> Result<Vec<DeviceDescription>> {
        let args = live_call!(self.plugin(), PJRT_TopologyDescription_GetDeviceDescriptions { topology: self.raw() })?;
        // SAFETY: an array of this length with the lifetime of the topology.
        let raw = unsafe { crate::plugin::copied(args.descriptions, args.num_descriptions) };
        Ok(raw
            .into_iter()
            .map(|raw| DeviceDescription { plugin: self.plugin.clone(), raw, owner: Arc::new(self.clone()) })
            .collect())
    }

    /// Serialized form.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the deleter is null.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        let args = live_call!(self.plugin(), PJRT_TopologyDescription_Serialize { topology: self.raw() })?;
        // SAFETY: the bytes live until the deleter is called, once, with their holder.
        unsafe {
            let bytes = crate::plugin::bytes(args.serialized_bytes, args.serialized_bytes_size);
            args.serialized_topology_deleter.expect("the deleter is never null")(args.serialized_topology);
            Ok(bytes)
        }
    }

    /// Number that identifies it.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn fingerprint(&self) -> Result<u64> {
        let args = live_call!(self.plugin(), PJRT_TopologyDescription_Fingerprint { topology: self.raw() })?;
        Ok(args.fingerprint)
    }

    /// Memory kind ids, the default first.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn memory_space_kind_ids(&self) -> Result<Vec<i32>> {
        let args = live_call!(self.plugin(), PJRT_TopologyDescription_GetMemorySpaceKindIds { topology: self.raw() })?;
        // SAFETY: an array of this length with the lifetime of the topology.
        Ok(unsafe { crate::plugin::copied(args.memory_space_kind_ids, args.num_memory_space_kind_ids) })
    }

    /// Serialized shape of an array as a memory kind stores it.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the deleter is null.
    pub fn canonical_shape(&self, kind_id: i32, element_type: PJRT_Buffer_Type, dims: &[i64]) -> Result<Vec<u8>> {
        let args = live_call!(
            self.plugin(),
            PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace {
                topology: self.raw(),
                memory_space_kind_id: kind_id,
                dims: dims.as_ptr(),
                num_dims: dims.len(),
                element_type: element_type,
            }
        )?;
        // SAFETY: the bytes live until the deleter is called, once, with their address.
        unsafe {
            let bytes = crate::plugin::bytes(args.serialized_shape, args.serialized_shape_size);
            args.serialized_shape_deleter.expect("the deleter is never null")(args.serialized_shape);
            Ok(bytes)
        }
    }
}
