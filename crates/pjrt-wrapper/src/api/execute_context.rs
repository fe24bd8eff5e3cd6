//! `PJRT_ExecuteContext_*`.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle::{self, HandleType};
use pjrt_client_trait::{ExecuteContext, Result};
use pjrt_sys as sys;
use std::sync::Arc;

/// What is behind a `PJRT_ExecuteContext`. Launches hold the inner reference, so the handle may go at once.
pub(crate) struct ContextState(pub(crate) Arc<dyn ExecuteContext>);

impl HandleType for ContextState {
    const KIND: &'static str = "PJRT_ExecuteContext";
}

/// The context behind a handle; `None` for null.
pub(crate) fn get(context: *const sys::PJRT_ExecuteContext) -> Result<Option<Arc<dyn ExecuteContext>>> {
    if context.is_null() {
        return Ok(None);
    }
    Ok(Some(handle::get::<ContextState, _>(context)?.0.clone()))
}

/// `PJRT_ExecuteContext_Create`.
pub(crate) fn create<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_ExecuteContext_Create_Args) -> Result<()> {
    args.context = handle::insert(Arc::new(ContextState(B::create_execute_context()?)));
    Ok(())
}

/// `PJRT_ExecuteContext_Destroy`.
pub(crate) fn destroy(_: Caller<'_>, args: &mut sys::PJRT_ExecuteContext_Destroy_Args) -> Result<()> {
    handle::destroy::<ContextState, _>(args.context).map(drop)
}
