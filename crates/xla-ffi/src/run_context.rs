//! Where an execution runs, as far as handlers may ask.

use crate::attrs::Attrs;
use crate::scratch::MemoryBudget;
use crate::sys;
use crate::thread_pool::ThreadPool;
use pjrt_client_trait::ExecuteContext;
use std::sync::Arc;

/// What the handlers of one execution can learn from the host. All of it is optional: what is absent is an error of
/// the function that asks for it.
#[derive(Clone, Default)]
pub struct RunContext {
    /// User data by type, as frameworks attach them to an execution.
    pub user_data: Option<Arc<dyn ExecuteContext>>,
    /// The number of the logical execution: the same on all its devices, different for any two executions.
    pub run_id: Option<i64>,
    /// The device, counted from 0 in this process.
    pub device_ordinal: Option<i32>,
    /// Threads for tasks. Handlers run their tasks themselves when there are none.
    pub thread_pool: Option<Arc<dyn ThreadPool>>,
    /// Counts scratch memory. Without one it has no limit but the machine's.
    pub memory: Option<Arc<dyn MemoryBudget>>,
    /// Options of this one execution, beside the attributes in the program.
    pub custom_options: Option<Arc<Attrs>>,
    /// Extensions that handlers find by their types.
    pub extensions: Extensions,
}

/// Extensions of the invoke context, in the C form.
#[derive(Clone, Default)]
pub struct Extensions(Vec<*const sys::XLA_FFI_Extension>);

// SAFETY: `Extensions::push` demands that each extension may be used on any thread.
unsafe impl Send for Extensions {}
// SAFETY: as above.
unsafe impl Sync for Extensions {}

impl Extensions {
    /// Adds an extension. Of several with the same type handlers find the first.
    ///
    /// # Safety
    /// The extension must stay valid and unchanged until every execution with this list or a clone of it is done, and
    /// must be usable on any thread.
    pub unsafe fn push(&mut self, extension: *const sys::XLA_FFI_Extension) {
        self.0.push(extension);
    }

    /// The extension of this type, or null.
    pub(crate) fn find(&self, extension_type: i64) -> *const sys::XLA_FFI_Extension {
        let found = self.0.iter().find(|extension| {
            // SAFETY: valid, as promised to `push`.
            unsafe { (***extension).id.extension_type == extension_type }
        });
        found.copied().unwrap_or(std::ptr::null())
    }
}

impl std::fmt::Debug for RunContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunContext")
            .field("run_id", &self.run_id)
            .field("device_ordinal", &self.device_ordinal)
            .field("user_data", &self.user_data.is_some())
            .field("thread_pool", &self.thread_pool.is_some())
            .field("memory", &self.memory.is_some())
            .field("custom_options", &self.custom_options)
            .field("extensions", &self.extensions.0.len())
            .finish()
    }
}
