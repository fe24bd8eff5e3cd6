//! `XLA_FFI_InvokeContext`: what one execution of one call carries, behind an opaque pointer.

use crate::handler::HandlerVersion;
use crate::run_context::RunContext;
use crate::scratch::Scratch;
use crate::state::{StateSlot, stage_name};
use crate::sys::{self, XLA_FFI_ExecutionStage as Stage};
use pjrt_client_trait::{Result, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What an `XLA_FFI_InvokeContext` pointer of ours points at. Handlers reach it from any thread, so all access is
/// shared.
pub(crate) struct InvokeContext {
    pub(crate) version: HandlerVersion,
    pub(crate) run: RunContext,
    stage: AtomicU32,
    instantiated: Arc<StateSlot>,
    prepared: StateSlot,
    initialized: StateSlot,
    scratch: Scratch,
}

impl InvokeContext {
    pub(crate) fn new(version: HandlerVersion, run: &RunContext, instantiated: Arc<StateSlot>) -> Arc<Self> {
        Arc::new(InvokeContext {
            version,
            run: run.clone(),
            stage: AtomicU32::new(Stage::INSTANTIATE.0),
            instantiated,
            prepared: StateSlot::default(),
            initialized: StateSlot::default(),
            scratch: Scratch::new(run.memory.clone()),
        })
    }

    /// The pointer that handlers get; valid as long as the `Arc` lives.
    pub(crate) fn as_raw(self: &Arc<Self>) -> *mut sys::XLA_FFI_InvokeContext {
        Arc::as_ptr(self).cast_mut().cast()
    }

    /// The context behind a pointer.
    ///
    /// # Safety
    /// The pointer is null or came from [`InvokeContext::as_raw`] of a context that lives for `'a`.
    pub(crate) unsafe fn get<'a>(ctx: *mut sys::XLA_FFI_InvokeContext) -> Result<&'a InvokeContext> {
        // SAFETY: what the caller promises.
        unsafe { ctx.cast::<InvokeContext>().as_ref() }
            .ok_or_else(|| Status::invalid_argument("the invoke context is null"))
    }

    pub(crate) fn stage(&self) -> Stage {
        Stage(self.stage.load(Ordering::Relaxed))
    }

    pub(crate) fn enter(&self, stage: Stage) {
        self.stage.store(stage.0, Ordering::Relaxed);
    }

    /// The slot of the state that `stage` makes.
    pub(crate) fn state(&self, stage: Stage) -> Result<&StateSlot> {
        match stage {
            Stage::INSTANTIATE => Ok(&self.instantiated),
            Stage::PREPARE => Ok(&self.prepared),
            Stage::INITIALIZE => Ok(&self.initialized),
            _ => Err(Status::invalid_argument(format!("stage {} ({}) has no state", stage_name(stage), stage.0))),
        }
    }

    pub(crate) fn scratch(&self) -> Result<&Scratch> {
        if self.stage() == Stage::INSTANTIATE {
            return Err(Status::failed_precondition("there is no device memory when a program is compiled"));
        }
        Ok(&self.scratch)
    }
}
