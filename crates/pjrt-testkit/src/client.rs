//! Clients: creation with options and key-value callbacks, and what a client answers about itself.

use std::sync::Arc;

use pjrt_sys::{PJRT_Client, PJRT_Client_Create_Args, PJRT_Device, PJRT_Error_Code, PJRT_Memory, PJRT_ProcessInfo};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::key_value::{self, KeyValueStore};
use crate::memory::Memory;
use crate::named_value::NamedValue;
use crate::plugin::{Plugin, live_call};
use crate::topology::Topology;

/// A client. Cheap to clone; everything made from it keeps it alive.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
    plugin: Plugin,
}

#[derive(Debug)]
struct Inner {
    plugin: Plugin,
    raw: *mut PJRT_Client,
    /// The plugin may call it as long as the client lives.
    _store: Option<Arc<KeyValueStore>>,
}

// SAFETY: a client may be used from any thread by the contract of the C API.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            _ = live_call!(&self.plugin, PJRT_Client_Destroy { client: self.raw });
        }
    }
}

/// How to create a client.
#[derive(Debug, Clone)]
pub struct ClientBuilder<'a> {
    plugin: &'a Plugin,
    options: Vec<NamedValue>,
    store: Option<Arc<KeyValueStore>>,
}

impl<'a> ClientBuilder<'a> {
    /// No options, no key-value store.
    #[must_use]
    pub fn new(plugin: &'a Plugin) -> Self {
        Self { plugin, options: Vec::new(), store: None }
    }

    /// Adds options.
    #[must_use]
    pub fn options(mut self, options: &[NamedValue]) -> Self {
        self.options.extend_from_slice(options);
        self
    }

    /// Gives the client the callbacks of a store. Without this they are garbage, as in a framework of
    /// one process: a plugin that calls them crashes.
    #[must_use]
    pub fn key_value_store(mut self, store: &Arc<KeyValueStore>) -> Self {
        self.store = Some(Arc::clone(store));
        self
    }

    /// Creates the client.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn create(self) -> Result<Client> {
        const NAME: &str = "PJRT_Client_Create";
        let options = NamedValue::to_raw_array(&self.options);
        let store = self.store.as_ref().map(|store| Arc::as_ptr(store).cast_mut().cast());
        let fill = |args: &mut PJRT_Client_Create_Args| {
            args.create_options = options.as_ptr();
            args.num_options = options.len();
            if let Some(store) = store {
                args.kv_get_callback = Some(key_value::get);
                args.kv_get_user_arg = store;
                args.kv_put_callback = Some(key_value::put);
                args.kv_put_user_arg = store;
                args.kv_try_get_callback = Some(key_value::try_get);
                args.kv_try_get_user_arg = store;
            } else {
                args.kv_get_user_arg = std::ptr::dangling_mut::<u8>().cast();
                args.kv_put_user_arg = args.kv_get_user_arg;
                args.kv_try_get_user_arg = args.kv_get_user_arg;
                args.kv_get_callback = Some(not_to_be_called);
                args.kv_put_callback = Some(not_to_be_called);
                args.kv_try_get_callback = Some(not_to_be_called);
            }
        };
        // SAFETY: the options are alive; the store is kept by the client below.
        let args = unsafe { self.plugin.call(self.plugin.api().PJRT_Client_Create, NAME, fill)? };
        if args.client.is_null() {
            return Err(Error::local(PJRT_Error_Code::INTERNAL, NAME, "the client was not written".to_owned()));
        }
        let plugin = self.plugin.clone();
        let inner = Inner { plugin: plugin.clone(), raw: args.client, _store: self.store };
        Ok(Client { inner: Arc::new(inner), plugin })
    }
}

/// Stands for the garbage that a framework of one process leaves in the callback fields.
unsafe extern "C" fn not_to_be_called<A>(_: *mut A) -> *mut pjrt_sys::PJRT_Error {
    eprintln!("the plugin called a key-value callback although the options name no other process");
    std::process::abort()
}

impl Client {
    /// Creates a client with options only.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn create(plugin: &Plugin, options: &[NamedValue]) -> Result<Self> {
        ClientBuilder::new(plugin).options(options).create()
    }

    /// Takes a client that was created by other means.
    ///
    /// # Safety
    ///
    /// `raw` is a client of this plugin, and the caller owns it.
    #[must_use]
    pub unsafe fn from_raw(plugin: &Plugin, raw: *mut PJRT_Client) -> Self {
        let inner = Inner { plugin: plugin.clone(), raw, _store: None };
        Self { inner: Arc::new(inner), plugin: plugin.clone() }
    }

    /// The same client, called by a framework of another version.
    #[must_use]
    pub fn called_by(&self, caller: crate::Caller) -> Self {
        Self { inner: Arc::clone(&self.inner), plugin: self.plugin.called_by(caller) }
    }

    /// The plugin.
    #[must_use]
    pub fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    /// The handle.
    #[must_use]
    pub fn raw(&self) -> *mut PJRT_Client {
        self.inner.raw
    }

    /// Name of the platform.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn platform_name(&self) -> Result<String> {
        let args = live_call!(self.plugin(), PJRT_Client_PlatformName { client: self.raw() })?;
        // SAFETY: a string with the lifetime of the client.
        Ok(unsafe { crate::plugin::text(args.platform_name, args.platform_name_size) })
    }

    /// Version text of the platform.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn platform_version(&self) -> Result<String> {
        let args = live_call!(self.plugin(), PJRT_Client_PlatformVersion { client: self.raw() })?;
        // SAFETY: a string with the lifetime of the client.
        Ok(unsafe { crate::plugin::text(args.platform_version, args.platform_version_size) })
    }

    /// Rank of this process.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn process_index(&self) -> Result<i32> {
        Ok(live_call!(self.plugin(), PJRT_Client_ProcessIndex { client: self.raw() })?.process_index)
    }

    /// All devices of the job.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn devices(&self) -> Result<Vec<Device>> {
        let args = live_call!(self.plugin(), PJRT_Client_Devices { client: self.raw() })?;
        // SAFETY: an array of this length with the lifetime of the client.
        Ok(self.wrap_devices(&unsafe { crate::plugin::copied(args.devices, args.num_devices) }))
    }

    /// Devices of this process.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn addressable_devices(&self) -> Result<Vec<Device>> {
        let args = live_call!(self.plugin(), PJRT_Client_AddressableDevices { client: self.raw() })?;
        // SAFETY: an array of this length with the lifetime of the client.
        let raw = unsafe { crate::plugin::copied(args.addressable_devices, args.num_addressable_devices) };
        Ok(self.wrap_devices(&raw))
    }

    /// Device by global id.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn lookup_device(&self, id: i32) -> Result<Device> {
        let args = live_call!(self.plugin(), PJRT_Client_LookupDevice { client: self.raw(), id: id })?;
        Ok(Device { client: self.clone(), raw: args.device })
    }

    /// Device by local hardware id.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn lookup_addressable_device(&self, local_hardware_id: i32) -> Result<Device> {
        let args = live_call!(
            self.plugin(),
            PJRT_Client_LookupAddressableDevice { client: self.raw(), local_hardware_id: local_hardware_id }
        )?;
        Ok(Device { client: self.clone(), raw: args.addressable_device })
    }

    /// Memories of this process.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn addressable_memories(&self) -> Result<Vec<Memory>> {
        let args = live_call!(self.plugin(), PJRT_Client_AddressableMemories { client: self.raw() })?;
        // SAFETY: an array of this length with the lifetime of the client.
        let raw = unsafe { crate::plugin::copied(args.addressable_memories, args.num_addressable_memories) };
        Ok(self.wrap_memories(&raw))
    }

    /// Default device ids for replicas and partitions, replica outermost, into an array of `capacity`.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn default_device_assignment(&self, replicas: i32, partitions: i32, capacity: usize) -> Result<Vec<i32>> {
        let mut ids = vec![i32::MIN; capacity];
        live_call!(
            self.plugin(),
            PJRT_Client_DefaultDeviceAssignment {
                client: self.raw(),
                num_replicas: replicas,
                num_partitions: partitions,
                default_assignment_size: capacity,
                default_assignment: ids.as_mut_ptr(),
            }
        )?;
        Ok(ids)
    }

    /// Topology of the client.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn topology(&self) -> Result<Topology> {
        let args = live_call!(self.plugin(), PJRT_Client_TopologyDescription { client: self.raw() })?;
        Ok(Topology::of_client(self, args.topology))
    }

    /// Tells the client about the processes of the job.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn update_global_process_info(&self, processes: &[PJRT_ProcessInfo]) -> Result<()> {
        let mut processes = processes.to_vec();
        live_call!(
            self.plugin(),
            PJRT_Client_UpdateGlobalProcessInfo {
                client: self.raw(),
                process_infos: processes.as_mut_ptr(),
                num_process_infos: processes.len(),
            }
        )
        .map(|_| ())
    }

    pub(crate) fn wrap_devices(&self, raw: &[*mut PJRT_Device]) -> Vec<Device> {
        raw.iter().map(|raw| Device { client: self.clone(), raw: *raw }).collect()
    }

    pub(crate) fn wrap_memories(&self, raw: &[*mut PJRT_Memory]) -> Vec<Memory> {
        raw.iter().map(|raw| Memory { client: self.clone(), raw: *raw }).collect()
    }
}
