//! What one plugin consists of: the four creators and what else an author may give.

use crate::extension::CustomExtension;
use pjrt_client_trait::{
    ClientOptions, ExecuteContext, FfiRegistry, NamedValue, PjrtClient, Result, Status, UserDataContext,
};
use pjrt_sys as sys;
use std::sync::{Arc, OnceLock};

/// The topology type of a backend.
pub type TopologyOf<B> = <<B as Backend>::Client as PjrtClient>::Topology;

/// A plugin, as [`crate::pjrt_plugin`] puts it together. Backends do not implement this by hand.
pub trait Backend: Sized + Send + Sync + 'static {
    /// The backend's client.
    type Client: PjrtClient;

    /// The name of the crate, for messages.
    const NAME: &'static str;

    /// Creates a client.
    ///
    /// # Errors
    /// Why the backend cannot start, what was tried and what to set.
    fn create_client(options: ClientOptions) -> Result<Self::Client>;

    /// Creates an execute context.
    ///
    /// # Errors
    /// What the backend reports.
    fn create_execute_context() -> Result<Arc<dyn ExecuteContext>> {
        Ok(Arc::new(UserDataContext::default()))
    }

    /// Creates a topology without a client, by name and options.
    ///
    /// # Errors
    /// What the backend reports.
    fn create_topology(name: &str, options: ClientOptions) -> Result<TopologyOf<Self>>;

    /// Reads what the topology's own `serialize` wrote.
    ///
    /// # Errors
    /// UNIMPLEMENTED unless the backend serializes topologies itself.
    fn deserialize_topology(bytes: &[u8]) -> Result<TopologyOf<Self>> {
        _ = bytes;
        Err(Status::unimplemented(format!("{} does not serialize topologies itself", Self::NAME)))
    }

    /// One-time set-up of the process, before the first client.
    ///
    /// # Errors
    /// Why the backend cannot be used.
    fn initialize() -> Result<()> {
        Ok(())
    }

    /// Attributes of the plugin beside those that every plugin has.
    fn attributes() -> Vec<NamedValue> {
        Vec::new()
    }

    /// Extensions of the backend's own.
    fn extensions() -> Vec<CustomExtension> {
        Vec::new()
    }

    /// Where custom-call handlers are registered; `None` leaves out the FFI extension.
    fn ffi_registry() -> Option<&'static dyn FfiRegistry> {
        None
    }

    /// Where the table of this plugin is kept.
    #[doc(hidden)]
    fn api() -> &'static OnceLock<ApiCell>;
}

/// The function table and everything that hangs on it; made once, never freed.
#[doc(hidden)]
pub struct ApiCell(pub(crate) &'static sys::PJRT_Api);

// SAFETY: the table and what it points to are immutable once built.
unsafe impl Send for ApiCell {}
// SAFETY: as above.
unsafe impl Sync for ApiCell {}

/// Returns the `PJRT_Api` of a backend, the same one each time.
pub fn get_api<B: Backend>() -> *const sys::PJRT_Api {
    crate::log::start();
    std::ptr::from_ref(B::api().get_or_init(|| ApiCell(crate::table::build::<B>())).0)
}

/// Defines a plugin and exports its one symbol, `GetPjrtApi`.
///
/// A whole plugin is shown at the [root of this crate](crate).
///
/// ```text
/// pjrt_wrapper::pjrt_plugin! {
///     client: MyClient = MyClient::new,          // fn(ClientOptions) -> Result<MyClient>
///     topology: create_topology,                 // fn(&str, ClientOptions) -> Result<MyTopology>
///     execute_context: create_context,           // optional: fn() -> Result<Arc<dyn ExecuteContext>>
///     initializer: set_up,                       // optional: fn() -> Result<()>
///     attributes: attributes,                    // optional: fn() -> Vec<NamedValue>
///     extensions: extensions,                    // optional: fn() -> Vec<CustomExtension>
///     ffi_registry: registry,                    // optional: fn() -> Option<&'static dyn FfiRegistry>
///     deserialize_topology: read_topology,       // optional: fn(&[u8]) -> Result<MyTopology>
/// }
/// ```
#[macro_export]
macro_rules! pjrt_plugin {
    ($($body:tt)*) => {
        $crate::pjrt_backend! { pub(crate) struct PjrtPlugin; $($body)* }

        /// The symbol by which frameworks load this plugin.
        #[unsafe(no_mangle)]
        pub extern "C" fn GetPjrtApi() -> *const $crate::sys::PJRT_Api {
            $crate::get_api::<PjrtPlugin>()
        }
    };
}

/// Defines a [`Backend`] without exporting anything: [`pjrt_plugin`] for tests and embedders that call
/// [`get_api`] themselves.
#[macro_export]
macro_rules! pjrt_backend {
    (
        $vis:vis struct $name:ident;
        client: $client:ty = $create_client:expr,
        topology: $create_topology:expr
        $(, execute_context: $execute_context:expr)?
        $(, initializer: $initializer:expr)?
        $(, attributes: $attributes:expr)?
        $(, extensions: $extensions:expr)?
        $(, ffi_registry: $ffi_registry:expr)?
        $(, deserialize_topology: $deserialize_topology:expr)?
        $(,)?
    ) => {
        /// This plugin.
        $vis struct $name;

        impl $crate::Backend for $name {
            type Client = $client;

            const NAME: &'static str = ::core::env!("CARGO_PKG_NAME");

            fn create_client(options: $crate::client_trait::ClientOptions) -> $crate::client_trait::Result<$client> {
                ($create_client)(options)
            }

            fn create_topology(
                name: &str,
                options: $crate::client_trait::ClientOptions,
            ) -> $crate::client_trait::Result<$crate::TopologyOf<Self>> {
                ($create_topology)(name, options)
            }

            $(fn create_execute_context()
                -> $crate::client_trait::Result<::std::sync::Arc<dyn $crate::client_trait::ExecuteContext>> {
                ($execute_context)()
            })?

            $(fn initialize() -> $crate::client_trait::Result<()> {
                ($initializer)()
            })?

            $(fn attributes() -> ::std::vec::Vec<$crate::client_trait::NamedValue> {
                ($attributes)()
            })?

            $(fn extensions() -> ::std::vec::Vec<$crate::CustomExtension> {
                ($extensions)()
            })?

            $(fn ffi_registry() -> ::core::option::Option<&'static dyn $crate::client_trait::FfiRegistry> {
                ($ffi_registry)()
            })?

            $(fn deserialize_topology(bytes: &[u8]) -> $crate::client_trait::Result<$crate::TopologyOf<Self>> {
                ($deserialize_topology)(bytes)
            })?

            fn api() -> &'static ::std::sync::OnceLock<$crate::ApiCell> {
                static API: ::std::sync::OnceLock<$crate::ApiCell> = ::std::sync::OnceLock::new();
                &API
            }
        }
    };
}
