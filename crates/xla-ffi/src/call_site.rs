//! A custom call of a program: instantiated once, executed any number of times, on any number of threads at once.

use crate::api::current_call::CurrentCall;
use crate::attrs::Attrs;
use crate::buffer_spec::BufferSpec;
use crate::error_object::ErrorObject;
use crate::frame::Frame;
use crate::future::Future;
use crate::handler::Handler;
use crate::invoke_context::InvokeContext;
use crate::run_context::RunContext;
use crate::state::StateSlot;
use crate::sys::{self, XLA_FFI_ExecutionStage as Stage};
use pjrt_client_trait::{Event, Result, Status};
use std::sync::{Arc, Mutex, PoisonError};

/// One custom call in one program, with the state that its handler made when it was instantiated.
pub struct CallSite {
    handler: Arc<Handler>,
    arguments: Vec<BufferSpec>,
    results: Vec<BufferSpec>,
    attrs: Attrs,
    instantiated: Arc<StateSlot>,
    // Frames that no execution uses at the moment.
    idle: Mutex<Vec<Frame>>,
}

impl CallSite {
    /// Instantiates a call: builds its frame and runs the handler's instantiate function if it has one. Of `run` the
    /// handler sees the user data and the thread pool; there is no device yet.
    ///
    /// # Errors
    /// What the handler says; UNIMPLEMENTED for element types that the FFI does not have; INVALID_ARGUMENT for shapes
    /// that are none.
    pub fn instantiate(
        handler: Arc<Handler>,
        arguments: Vec<BufferSpec>,
        results: Vec<BufferSpec>,
        attrs: Attrs,
        run: &RunContext,
    ) -> Result<Arc<CallSite>> {
        for spec in arguments.iter().chain(&results) {
            spec.byte_len()?;
        }
        let instantiated = Arc::new(StateSlot::default());
        if let Some(function) = handler.function(Stage::INSTANTIATE) {
            let context = InvokeContext::new(handler.version(), run, instantiated.clone());
            // Buffers are a matter of executions; like XLA, only the attributes are shown at this stage.
            let mut frame = Frame::new(&[], &[], &attrs)?;
            invoke_and_wait(function, &mut frame, &context, Stage::INSTANTIATE)?;
        }
        let frame = Frame::new(&arguments, &results, &attrs)?;
        Ok(Arc::new(CallSite { handler, arguments, results, attrs, instantiated, idle: Mutex::new(vec![frame]) }))
    }

    /// The handler.
    pub fn handler(&self) -> &Handler {
        &self.handler
    }

    /// Types and shapes of the arguments.
    pub fn arguments(&self) -> &[BufferSpec] {
        &self.arguments
    }

    /// Types and shapes of the results.
    pub fn results(&self) -> &[BufferSpec] {
        &self.results
    }

    /// Runs the call on slices and waits until it is done. Numbers are in the machine's byte order, arrays dense, in the
    /// order that the call's layouts say (row-major when it has none; a handler sees the shape alone). Tokens are empty
    /// slices. The handler must write every result whole.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when number, size or alignment of the slices do not fit; otherwise what the handler says, with
    /// its code and its message.
    pub fn execute(self: &Arc<Self>, arguments: &[&[u8]], results: &mut [&mut [u8]], run: &RunContext) -> Result<()> {
        self.check_counts(arguments.len(), results.len())?;
        for (index, (spec, slice)) in self.arguments.iter().zip(arguments).enumerate() {
            self.check_slice("argument", index, spec, slice)?;
        }
        for (index, (spec, slice)) in self.results.iter().zip(results.iter()).enumerate() {
            self.check_slice("result", index, spec, slice)?;
        }
        let arguments: Vec<*const u8> = arguments.iter().map(|slice| slice.as_ptr()).collect();
        let results: Vec<*mut u8> = results.iter_mut().map(|slice| slice.as_mut_ptr()).collect();
        // SAFETY: sizes and alignments are checked; the slices are borrowed until the event is ready, the results
        // exclusively, so they overlap nothing.
        unsafe { self.start(&arguments, &results, run) }.wait()
    }

    /// Starts the call on pointers. The event is ready when the handler is done, with its error if it failed: mostly on
    /// return, later for handlers that finish asynchronously. An asynchronous handler may need the thread pool to get
    /// there, so do not wait for the event on a thread of that pool. Prepare and initialize functions are waited for here.
    ///
    /// # Safety
    /// Until the event is ready: every argument is readable, every result writable, for as many bytes as its spec says
    /// and aligned for its elements; nobody else writes the former or touches the latter. A result may share its memory
    /// with an argument only where the program says so (`output_operand_aliases`).
    pub unsafe fn start(self: &Arc<Self>, arguments: &[*const u8], results: &[*mut u8], run: &RunContext) -> Event {
        // SAFETY: what the caller promises.
        match unsafe { self.begin(arguments, results, run) } {
            Ok(event) => event,
            Err(status) => Event::failed(status),
        }
    }

    /// # Safety
    /// As for [`CallSite::start`].
    unsafe fn begin(self: &Arc<Self>, arguments: &[*const u8], results: &[*mut u8], run: &RunContext) -> Result<Event> {
        self.check_counts(arguments.len(), results.len())?;
        let mut execution = Execution {
            context: InvokeContext::new(self.handler.version(), run, self.instantiated.clone()),
            frame: Some(self.idle_frame()?),
            site: self.clone(),
        };
        let Execution { context, frame: Some(frame), .. } = &mut execution else {
            return Err(Status::internal("an execution lost its frame"));
        };
        frame.set_buffers(arguments, results);
        for stage in [Stage::PREPARE, Stage::INITIALIZE] {
            if let Some(function) = self.handler.function(stage) {
                invoke_and_wait(function, frame, context, stage)?;
            }
        }
        let Some(function) = self.handler.function(Stage::EXECUTE) else {
            return Err(Status::internal(format!("handler {:?} has no execute function", self.handler.target())));
        };
        let future = invoke(function, frame, context, Stage::EXECUTE)?;
        if future.is_null() {
            return Ok(Event::ready());
        }
        // SAFETY: the handler returned this future in its frame, where we take it, once.
        Ok(unsafe { Future::take(future, Box::new(execution)) })
    }

    fn idle_frame(&self) -> Result<Frame> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| Frame::new(&self.arguments, &self.results, &self.attrs), Ok)
    }

    fn check_counts(&self, arguments: usize, results: usize) -> Result<()> {
        if (arguments, results) == (self.arguments.len(), self.results.len()) {
            return Ok(());
        }
        Err(Status::invalid_argument(format!(
            "custom call {:?} has {} arguments and {} results, not {arguments} and {results}",
            self.handler.target(),
            self.arguments.len(),
            self.results.len()
        )))
    }

    fn check_slice(&self, what: &str, index: usize, spec: &BufferSpec, slice: &[u8]) -> Result<()> {
        let name = || format!("{what} {index} ({spec}) of custom call {:?}", self.handler.target());
        let wanted = spec.byte_len()?;
        if slice.len() != wanted {
            let message = format!("{} has {wanted} bytes, not {}", name(), slice.len());
            return Err(Status::invalid_argument(message));
        }
        let alignment = spec.alignment();
        if wanted != 0 && !slice.as_ptr().addr().is_multiple_of(alignment) {
            let message = format!("{} is not aligned to {alignment} bytes", name());
            return Err(Status::invalid_argument(message));
        }
        Ok(())
    }
}

impl std::fmt::Debug for CallSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallSite")
            .field("target", &self.handler.target())
            .field("arguments", &self.arguments)
            .field("results", &self.results)
            .field("attrs", &self.attrs)
            .finish_non_exhaustive()
    }
}

/// What an execution uses until its handler is done. States and scratch memory go first, the frame goes back.
struct Execution {
    context: Arc<InvokeContext>,
    frame: Option<Frame>,
    site: Arc<CallSite>,
}

impl Drop for Execution {
    fn drop(&mut self) {
        if let Some(frame) = self.frame.take() {
            self.site.idle.lock().unwrap_or_else(PoisonError::into_inner).push(frame);
        }
    }
}

/// Calls a handler's function for a stage. Returns its future, or null when it is done.
fn invoke(
    function: sys::XLA_FFI_Handler,
    frame: &mut Frame,
    context: &Arc<InvokeContext>,
    stage: Stage,
) -> Result<*mut sys::XLA_FFI_Future> {
    context.enter(stage);
    let raw = frame.prepare(context.as_raw(), stage);
    let current = CurrentCall::enter(context.version);
    // SAFETY: `Registry::register` was promised that this is a handler for the stage. The frame and all it points at
    // live here until the handler returns, and in an `Execution` until its future is complete.
    let error = unsafe { function(raw) };
    drop(current);
    let future = frame.future();
    if error.is_null() {
        return Ok(future);
    }
    if !future.is_null() {
        // SAFETY: as in `begin`; the handler failed, so nobody will ask for the outcome.
        drop(unsafe { Future::take(future, Box::new(())) });
    }
    // SAFETY: handlers make errors with the table in their frame, which is ours, and give them up by returning them.
    Err(unsafe { ErrorObject::from_raw(error) }.into_status())
}

/// The same for stages before the execution, which later ones depend on: waits if the function is asynchronous.
fn invoke_and_wait(
    function: sys::XLA_FFI_Handler,
    frame: &mut Frame,
    context: &Arc<InvokeContext>,
    stage: Stage,
) -> Result<()> {
    let future = invoke(function, frame, context, stage)?;
    if future.is_null() {
        return Ok(());
    }
    // SAFETY: as in `begin`. Frame and context outlive the wait.
    unsafe { Future::take(future, Box::new(())) }.wait()
}
