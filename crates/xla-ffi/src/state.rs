//! States: objects that a handler makes in one stage, the host keeps, and later stages find.

use crate::sys::XLA_FFI_ExecutionStage as Stage;
use crate::type_registry::{describe, type_info};
use pjrt_client_trait::{Result, Status};
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

/// Deletes a state.
pub(crate) type Deleter = unsafe extern "C" fn(*mut c_void);

/// The place of one stage's state.
#[derive(Default)]
pub(crate) struct StateSlot(Mutex<Option<State>>);

struct State {
    type_id: i64,
    object: *mut c_void,
    deleter: Deleter,
}

// SAFETY: handlers hand states over to the host, which deletes and lends them on whatever thread it runs; that is the
// contract of `XLA_FFI_State_Set`.
unsafe impl Send for State {}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: whoever set the state gave it up together with the function that deletes it, and this is the only
        // call: the slot owned it.
        unsafe { (self.deleter)(self.object) }
    }
}

impl StateSlot {
    /// Keeps a state. On error it is not taken.
    ///
    /// # Safety
    /// `deleter`, if there is one, deletes `object`; without one the registered deleter of the type does.
    pub(crate) unsafe fn set(&self, type_id: i64, object: *mut c_void, deleter: Option<Deleter>) -> Result<()> {
        let deleter = match deleter {
            Some(deleter) => deleter,
            None => registered_deleter(type_id)?,
        };
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = &*slot {
            let message = format!("this stage has a state already, of type {}", describe(state.type_id));
            return Err(Status::already_exists(message));
        }
        *slot = Some(State { type_id, object, deleter });
        Ok(())
    }

    /// The state of this type.
    pub(crate) fn get(&self, type_id: i64, stage: Stage) -> Result<*mut c_void> {
        let wanted = || format!("the {} state of type {}", stage_name(stage), describe(type_id));
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Err(Status::not_found(format!("{}: the handler has set none", wanted()))),
            Some(state) if state.type_id != type_id => {
                let message = format!("{}: what was set has type {}", wanted(), describe(state.type_id));
                Err(Status::invalid_argument(message))
            }
            Some(state) => Ok(state.object),
        }
    }
}

fn registered_deleter(type_id: i64) -> Result<Deleter> {
    let address = type_info(type_id).map_or(0, |(_, info)| info.deleter);
    if address == 0 {
        let message = format!(
            "a state of type {} cannot be kept: no deleter is registered; register the type with its type info first \
             (jax.ffi.register_ffi_type)",
            describe(type_id)
        );
        return Err(Status::failed_precondition(message));
    }
    let pointer = std::ptr::with_exposed_provenance::<()>(address);
    // SAFETY: the address is not 0 and was registered as the deleter of this type.
    Ok(unsafe { std::mem::transmute::<*const (), Deleter>(pointer) })
}

/// The stage as messages name it.
pub(crate) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::INSTANTIATE => "instantiate",
        Stage::PREPARE => "prepare",
        Stage::INITIALIZE => "initialize",
        Stage::EXECUTE => "execute",
        Stage::RECORD => "record",
        _ => "unknown",
    }
}
