//! A registered handler: its functions for the stages, and what it says about itself.

use crate::metadata;
use crate::sys::{self, XLA_FFI_ExecutionStage as Stage};
use pjrt_client_trait::{Result, Status};
use std::fmt;

/// The version of the FFI's headers that a handler was compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerVersion {
    /// Changes break the ABI.
    pub major: i32,
    /// Changes add to the ABI.
    pub minor: i32,
}

impl HandlerVersion {
    /// The oldest minor version that is served: that of jaxlib 0.4.38.
    pub(crate) const OLDEST_MINOR: i32 = 1;

    /// The version of our own declarations.
    pub(crate) const OURS: HandlerVersion =
        HandlerVersion { major: sys::XLA_FFI_API_MAJOR, minor: sys::XLA_FFI_API_MINOR };
}

impl fmt::Display for HandlerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A handler that a program can call.
#[derive(Debug)]
pub struct Handler {
    target: String,
    platform: String,
    bundle: sys::XLA_FFI_Handler_Bundle,
    traits: u32,
    version: HandlerVersion,
    state_type_id: i64,
}

impl Handler {
    /// Asks every function of the bundle for its metadata and checks the version.
    ///
    /// # Safety
    /// The functions are handlers of XLA's typed FFI for their stages, and stay loaded for the rest of the process.
    pub(crate) unsafe fn new(
        target: &str,
        platform: &str,
        bundle: sys::XLA_FFI_Handler_Bundle,
        traits: u32,
    ) -> Result<Self> {
        let name = || format!("custom call target {target:?} on platform {platform:?}");
        let Some(execute) = bundle.execute else {
            return Err(Status::invalid_argument(format!("{}: a handler needs an execute function", name())));
        };
        let mut handler = Handler {
            target: target.to_owned(),
            platform: platform.to_owned(),
            bundle,
            traits,
            version: HandlerVersion::OURS,
            state_type_id: 0,
        };
        let stages = [
            (Stage::INSTANTIATE, bundle.instantiate),
            (Stage::PREPARE, bundle.prepare),
            (Stage::INITIALIZE, bundle.initialize),
            (Stage::EXECUTE, Some(execute)),
            (Stage::RECORD, bundle.record),
        ];
        for (stage, function) in stages {
            let Some(function) = function else { continue };
            let stage_name = crate::state::stage_name(stage);
            // SAFETY: a handler, as the caller promises.
            let metadata = unsafe { metadata::query(function) }
                .map_err(|status| status.context(format!("{}, {stage_name} function", name())))?;
            handler.traits |= metadata.traits;
            // Functions of one bundle come from one library; the oldest says how they are to be talked to.
            if metadata.version.minor < handler.version.minor {
                handler.version = metadata.version;
            }
            if stage == Stage::INSTANTIATE {
                handler.state_type_id = metadata.state_type_id;
            }
        }
        Ok(handler)
    }

    /// The name programs call it by.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The platform it was registered for.
    pub fn platform(&self) -> &str {
        &self.platform
    }

    /// Bits of its traits, those of the registration and those it declares itself.
    pub fn traits(&self) -> u32 {
        self.traits
    }

    /// The version of the API it was compiled with.
    pub fn version(&self) -> HandlerVersion {
        self.version
    }

    /// The number of the type of the state it makes when instantiated; 0 when it makes none.
    pub fn state_type_id(&self) -> i64 {
        self.state_type_id
    }

    /// The function for a stage.
    pub(crate) fn function(&self, stage: Stage) -> Option<sys::XLA_FFI_Handler> {
        match stage {
            Stage::INSTANTIATE => self.bundle.instantiate,
            Stage::PREPARE => self.bundle.prepare,
            Stage::INITIALIZE => self.bundle.initialize,
            Stage::EXECUTE => self.bundle.execute,
            Stage::RECORD => self.bundle.record,
            _ => None,
        }
    }

    /// Whether the functions are these.
    pub(crate) fn has(&self, bundle: &sys::XLA_FFI_Handler_Bundle) -> bool {
        addresses(&self.bundle) == addresses(bundle)
    }
}

fn addresses(bundle: &sys::XLA_FFI_Handler_Bundle) -> [usize; 5] {
    [bundle.instantiate, bundle.prepare, bundle.initialize, bundle.execute, bundle.record]
        .map(|function| function.map_or(0, |function| function as usize))
}
