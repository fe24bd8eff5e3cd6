//! Call frames: the C structs of one execution of one call. A frame is made once and used again.

use crate::api::api;
use crate::attrs::Attrs;
use crate::buffer_spec::{BufferSpec, data_type};
use crate::kept::Kept;
use crate::sys;
use pjrt_client_trait::Result;
use std::ffi::c_void;
use std::ptr::null_mut;

/// A frame for a fixed number of arguments and results of fixed shapes. Only raw pointers lead into it, because
/// handlers may hold some until their work is done.
pub(crate) struct Frame {
    frame: *mut sys::XLA_FFI_CallFrame,
    arguments: *mut sys::XLA_FFI_Buffer,
    results: *mut sys::XLA_FFI_Buffer,
    counts: (usize, usize),
    _memory: Kept,
}

// SAFETY: the pointers lead into `_memory`, which moves along; one thread at a time uses a frame, because every method
// that follows them takes `&mut self`.
unsafe impl Send for Frame {}

impl Frame {
    /// A frame of these shapes. `attrs` must outlive it.
    pub(crate) fn new(arguments: &[BufferSpec], results: &[BufferSpec], attrs: &Attrs) -> Result<Self> {
        let mut memory = Kept::default();
        let (argument_buffers, args) = buffers(&mut memory, arguments)?;
        let (result_buffers, rets) = buffers(&mut memory, results)?;
        let frame = sys::XLA_FFI_CallFrame {
            struct_size: sys::XLA_FFI_CallFrame::STRUCT_SIZE,
            extension_start: null_mut(),
            api: api(),
            ctx: null_mut(),
            stage: sys::XLA_FFI_ExecutionStage::EXECUTE,
            args: sys::XLA_FFI_Args {
                struct_size: sys::XLA_FFI_Args::STRUCT_SIZE,
                extension_start: null_mut(),
                size: arguments.len() as i64,
                types: memory.keep(vec![sys::XLA_FFI_ArgType::BUFFER; arguments.len()]),
                args,
            },
            rets: sys::XLA_FFI_Rets {
                struct_size: sys::XLA_FFI_Rets::STRUCT_SIZE,
                extension_start: null_mut(),
                size: results.len() as i64,
                types: memory.keep(vec![sys::XLA_FFI_RetType::BUFFER; results.len()]),
                rets,
            },
            attrs: *attrs.as_raw(),
            future: null_mut(),
        };
        Ok(Frame {
            frame: memory.keep_one(frame),
            arguments: argument_buffers,
            results: result_buffers,
            counts: (arguments.len(), results.len()),
            _memory: memory,
        })
    }

    /// Sets where arguments and results are.
    pub(crate) fn set_buffers(&mut self, arguments: &[*const u8], results: &[*mut u8]) {
        assert_eq!((arguments.len(), results.len()), self.counts, "as many buffers as the frame was made for");
        for (index, data) in arguments.iter().enumerate() {
            // SAFETY: `arguments` has as many buffers as the assertion says, in memory that `self` owns.
            unsafe { (*self.arguments.add(index)).data = data.cast_mut().cast() };
        }
        for (index, data) in results.iter().enumerate() {
            // SAFETY: as above, for the results.
            unsafe { (*self.results.add(index)).data = data.cast() };
        }
    }

    /// Makes the frame ready for a stage and returns the pointer for the handler; valid as long as the frame lives.
    pub(crate) fn prepare(
        &mut self,
        ctx: *mut sys::XLA_FFI_InvokeContext,
        stage: sys::XLA_FFI_ExecutionStage,
    ) -> *mut sys::XLA_FFI_CallFrame {
        // SAFETY: the frame is in memory that `self` owns, and `&mut self` excludes another use.
        unsafe {
            (*self.frame).ctx = ctx;
            (*self.frame).stage = stage;
            (*self.frame).future = null_mut();
        }
        self.frame
    }

    /// The future that the handler left, or null.
    pub(crate) fn future(&mut self) -> *mut sys::XLA_FFI_Future {
        // SAFETY: as in `prepare`; a handler writes this before it returns.
        unsafe { (*self.frame).future }
    }
}

type Buffers = (*mut sys::XLA_FFI_Buffer, *mut *mut c_void);

fn buffers(memory: &mut Kept, specs: &[BufferSpec]) -> Result<Buffers> {
    let mut buffers = Vec::with_capacity(specs.len());
    for spec in specs {
        buffers.push(sys::XLA_FFI_Buffer {
            struct_size: sys::XLA_FFI_Buffer::STRUCT_SIZE,
            extension_start: null_mut(),
            dtype: data_type(spec.element_type)?,
            data: null_mut(),
            rank: spec.dims.len() as i64,
            dims: memory.keep(spec.dims.clone()),
        });
    }
    let first = memory.keep(buffers);
    // Addresses only: the buffers lie in one block, one after another.
    let pointers = (0..specs.len()).map(|index| first.wrapping_add(index).cast()).collect();
    Ok((first, memory.keep(pointers)))
}
