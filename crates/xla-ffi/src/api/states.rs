//! States, in the three forms that these functions had.

use super::invoke::number;
use super::{checked, guard};
use crate::invoke_context::InvokeContext;
use crate::state::stage_name;
use crate::sys::{self, XLA_FFI_ExecutionStage as Stage};
use pjrt_client_trait::Status;

pub(super) unsafe extern "C" fn state_set(args: *mut sys::XLA_FFI_State_Set_Args) -> *mut sys::XLA_FFI_Error {
    guard("XLA_FFI_State_Set", || {
        // SAFETY: by the contract of the C API the caller passes such a struct for the time of the call; all forms
        // begin with the fields that are read of this one.
        let common = unsafe { checked(args.cast::<sys::XLA_FFI_State_Set_Args_0_2>()) }?;
        // SAFETY: contexts come from call frames and live as long as the call.
        let context = unsafe { InvokeContext::get(common.ctx) }?;
        let (stage, type_id, state, deleter) = match context.version.minor {
            ..=1 => {
                // SAFETY: as above, in the form of the version that the handler was compiled with.
                let args = unsafe { checked(args.cast::<sys::XLA_FFI_State_Set_Args_0_1>()) }?;
                (context.stage(), args.type_id, args.state, args.deleter)
            }
            2 => (context.stage(), common.type_id, common.state, None),
            _ => {
                // SAFETY: as above.
                let args = unsafe { checked(args) }?;
                (args.stage, args.type_id, args.state, None)
            }
        };
        // SAFETY: a number that the caller owns, or null.
        let type_id = unsafe { number(type_id) }?;
        if stage != context.stage() {
            let (stage, now) = (stage_name(stage), stage_name(context.stage()));
            return Err(Status::failed_precondition(format!(
                "the state of stage {stage} cannot be set in stage {now}"
            )));
        }
        // SAFETY: the handler gives the state up; its deleter is in the arguments or registered with the type.
        unsafe { context.state(stage)?.set(type_id, state, deleter) }
    })
}

pub(super) unsafe extern "C" fn state_get(args: *mut sys::XLA_FFI_State_Get_Args) -> *mut sys::XLA_FFI_Error {
    guard("XLA_FFI_State_Get", || {
        // SAFETY: by the contract of the C API the caller passes such a struct for the time of the call; both forms
        // begin with the fields that are read of this one.
        let old = unsafe { checked(args.cast::<sys::XLA_FFI_State_Get_Args_0_2>()) }?;
        // SAFETY: contexts come from call frames and live as long as the call.
        let context = unsafe { InvokeContext::get(old.ctx) }?;
        if context.version.minor <= 2 {
            // Only instantiation made states then.
            // SAFETY: a number that the caller owns, or null.
            let type_id = unsafe { number(old.type_id) }?;
            old.state = context.state(Stage::INSTANTIATE)?.get(type_id, Stage::INSTANTIATE)?;
            return Ok(());
        }
        // SAFETY: as above.
        let args = unsafe { checked(args) }?;
        // SAFETY: a number that the caller owns, or null.
        let type_id = unsafe { number(args.type_id) }?;
        args.state = context.state(args.stage)?.get(type_id, args.stage)?;
        Ok(())
    })
}
