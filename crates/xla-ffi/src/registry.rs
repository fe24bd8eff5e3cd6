//! The handlers that programs can call, by target and platform.

use crate::handler::Handler;
use crate::sys;
use crate::type_registry;
use pjrt_client_trait::{FfiHandler, FfiRegistry, FfiTypeInfo, Result, Status};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Handlers by target and platform. A backend uses the one of the process, [`Registry::process`], which is also where
/// libraries register that have been given our function table.
#[derive(Debug, Default)]
pub struct Registry {
    handlers: RwLock<HashMap<(String, String), Arc<Handler>>>,
}

static PROCESS: std::sync::LazyLock<Registry> = std::sync::LazyLock::new(Registry::new);

impl Registry {
    /// An empty registry of its own.
    pub fn new() -> Self {
        Registry::default()
    }

    /// The registry of the process: what a backend names as its [`FfiRegistry`].
    pub fn process() -> &'static Registry {
        &PROCESS
    }

    /// Registers a handler with functions for the stages; `execute` is required. The same functions may be registered
    /// again.
    ///
    /// # Safety
    /// Every function of the bundle is a handler of XLA's typed FFI for its stage, and stays loaded for the rest of
    /// the process.
    ///
    /// # Errors
    /// INVALID_ARGUMENT without a name or an `execute` function; FAILED_PRECONDITION when the handler was compiled for
    /// a version that is not served; ALREADY_EXISTS when the target has other functions on this platform.
    pub unsafe fn register(
        &self,
        target: &str,
        platform: &str,
        bundle: sys::XLA_FFI_Handler_Bundle,
        traits: u32,
    ) -> Result<Arc<Handler>> {
        if target.is_empty() {
            return Err(Status::invalid_argument("a custom call target needs a name"));
        }
        // SAFETY: what the caller promises. No lock is held: the functions are not ours.
        let handler = Arc::new(unsafe { Handler::new(target, platform, bundle, traits) }?);
        let mut handlers = self.handlers.write().unwrap_or_else(PoisonError::into_inner);
        let known = handlers.entry((target.to_owned(), canonical(platform))).or_insert_with(|| handler.clone());
        if !known.has(&bundle) {
            return Err(Status::already_exists(format!(
                "custom call target {target:?} on platform {platform:?} has another handler already"
            )));
        }
        Ok(known.clone())
    }

    /// [`Registry::register`] for functions of which only the addresses are known, as they cross the PJRT C API: those of
    /// the stages instantiate, prepare, initialize, execute and record, 0 where there is none. As in [`FfiHandler`], an
    /// address that is not 0 is that of a handler function, in a library that is never unloaded.
    ///
    /// # Errors
    /// Those of [`Registry::register`].
    pub fn register_addresses(&self, target: &str, platform: &str, stages: [usize; 5], traits: u32) -> Result<()> {
        let [instantiate, prepare, initialize, execute, record] = stages.map(handler_at);
        let bundle = sys::XLA_FFI_Handler_Bundle { instantiate, prepare, initialize, execute, record };
        // SAFETY: the addresses are those of handlers, and libraries with handlers are not unloaded; see above.
        unsafe { self.register(target, platform, bundle, traits) }.map(|_| ())
    }

    /// The handler of a target. Platforms are compared without regard to case; `host` is `cpu`.
    ///
    /// # Errors
    /// UNIMPLEMENTED when there is none, with the way out.
    pub fn handler(&self, target: &str, platform: &str) -> Result<Arc<Handler>> {
        let handlers = self.handlers.read().unwrap_or_else(PoisonError::into_inner);
        let wanted = (target.to_owned(), canonical(platform));
        if let Some(handler) = handlers.get(&wanted) {
            return Ok(handler.clone());
        }
        let mut elsewhere: Vec<&str> =
            handlers.keys().filter(|(name, _)| name == target).map(|(_, platform)| platform.as_str()).collect();
        elsewhere.sort_unstable();
        let note =
            if elsewhere.is_empty() { String::new() } else { format!(" (it has one for {})", elsewhere.join(", ")) };
        Err(Status::unimplemented(format!(
            "no handler for custom call target {target:?} on platform {platform:?}{note}; register one with \
             jax.ffi.register_ffi_target(..., platform={platform:?})"
        )))
    }

    /// The names of the targets on a platform, sorted.
    pub fn targets(&self, platform: &str) -> Vec<String> {
        let platform = canonical(platform);
        let handlers = self.handlers.read().unwrap_or_else(PoisonError::into_inner);
        let mut targets: Vec<String> =
            handlers.keys().filter(|(_, known)| *known == platform).map(|(target, _)| target.clone()).collect();
        targets.sort_unstable();
        targets
    }
}

impl FfiRegistry for Registry {
    fn register_type(&self, name: &str, type_id: i64, info: FfiTypeInfo) -> Result<i64> {
        type_registry::register_type(name, type_id, info)
    }

    fn register_handler(&self, handler: FfiHandler) -> Result<()> {
        let FfiHandler { target, platform, address, traits } = handler;
        if address == 0 {
            return Err(Status::invalid_argument(format!("the handler of custom call target {target:?} is null")));
        }
        self.register_addresses(&target, &platform, [0, 0, 0, address, 0], traits)
    }
}

/// The function at an address; `None` for 0.
fn handler_at(address: usize) -> Option<sys::XLA_FFI_Handler> {
    let pointer = std::ptr::with_exposed_provenance::<()>(address);
    // SAFETY: not null, and a handler function by the contracts of `FfiHandler` and of `Registry::register_addresses`.
    (address != 0).then(|| unsafe { std::mem::transmute::<*const (), sys::XLA_FFI_Handler>(pointer) })
}

fn canonical(platform: &str) -> String {
    let platform = platform.to_ascii_lowercase();
    if platform == "host" { "cpu".to_owned() } else { platform }
}
