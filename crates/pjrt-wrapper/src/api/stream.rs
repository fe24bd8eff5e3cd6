//! `PJRT_CopyToDeviceStream_*`, and chunks in both directions.

use crate::caller::Caller;
use crate::handle::{self, HandleType};
use crate::state::event;
use pjrt_client_trait::{Chunk, CopyToDeviceStream, HostBytes, Result, Status};
use pjrt_sys as sys;
use std::ffi::c_void;
use std::sync::Arc;

/// What is behind a `PJRT_CopyToDeviceStream`.
pub(crate) struct StreamState(pub(crate) Arc<dyn CopyToDeviceStream>);

impl HandleType for StreamState {
    const KIND: &'static str = "PJRT_CopyToDeviceStream";
}

fn get(stream: *const sys::PJRT_CopyToDeviceStream) -> Result<Arc<StreamState>> {
    handle::get(stream)
}

/// A piece of memory that was given to us together with its deleter.
struct ForeignChunk(sys::PJRT_Chunk);

// SAFETY: whoever gave the chunk gave it up, and takes its deleter on any thread.
unsafe impl Send for ForeignChunk {}
// SAFETY: as above.
unsafe impl Sync for ForeignChunk {}

impl HostBytes for ForeignChunk {
    fn bytes(&self) -> &[u8] {
        if self.0.data.is_null() || self.0.size == 0 {
            return &[];
        }
        // SAFETY: the chunk has `size` bytes until its deleter is called.
        unsafe { std::slice::from_raw_parts(self.0.data.cast::<u8>(), self.0.size) }
    }
}

impl Drop for ForeignChunk {
    fn drop(&mut self) {
        if let Some(deleter) = self.0.deleter {
            // SAFETY: this is the one call of the chunk's deleter, with what came with it.
            unsafe { deleter(self.0.data, self.0.deleter_arg) };
        }
    }
}

/// A chunk of ours for somebody who calls its deleter when done.
pub(crate) fn lend_chunk(chunk: Chunk) -> sys::PJRT_Chunk {
    let holder = Box::new(chunk);
    let bytes = holder.bytes();
    let (data, size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
    sys::PJRT_Chunk { data, size, deleter: Some(delete_chunk), deleter_arg: Box::into_raw(holder).cast() }
}

unsafe extern "C" fn delete_chunk(_: *mut c_void, holder: *mut c_void) {
    // SAFETY: the holder was made by `lend_chunk`, and the deleter is called once.
    drop(unsafe { Box::from_raw(holder.cast::<Chunk>()) });
}

/// `PJRT_CopyToDeviceStream_Destroy`.
pub(crate) fn destroy(_: Caller<'_>, args: &mut sys::PJRT_CopyToDeviceStream_Destroy_Args) -> Result<()> {
    handle::destroy::<StreamState, _>(args.stream).map(drop)
}

/// `PJRT_CopyToDeviceStream_AddChunk`. The chunk is ours from here on, also when this fails.
pub(crate) fn add_chunk(c: Caller<'_>, args: &mut sys::PJRT_CopyToDeviceStream_AddChunk_Args) -> Result<()> {
    let chunk = c.record(args.chunk).ok_or_else(|| Status::invalid_argument("the chunk is null"))?;
    let chunk: Chunk = Arc::new(ForeignChunk(chunk));
    args.transfer_complete = event::into_raw(get(args.stream)?.0.add_chunk(chunk));
    Ok(())
}

fn count(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// `PJRT_CopyToDeviceStream_TotalBytes`.
pub(crate) fn total_bytes(_: Caller<'_>, args: &mut sys::PJRT_CopyToDeviceStream_TotalBytes_Args) -> Result<()> {
    args.total_bytes = count(get(args.stream)?.0.total_bytes());
    Ok(())
}

/// `PJRT_CopyToDeviceStream_GranuleSize`.
pub(crate) fn granule_size(_: Caller<'_>, args: &mut sys::PJRT_CopyToDeviceStream_GranuleSize_Args) -> Result<()> {
    args.granule_size_in_bytes = count(get(args.stream)?.0.granule_size());
    Ok(())
}

/// `PJRT_CopyToDeviceStream_CurrentBytes`.
pub(crate) fn current_bytes(_: Caller<'_>, args: &mut sys::PJRT_CopyToDeviceStream_CurrentBytes_Args) -> Result<()> {
    args.current_bytes = count(get(args.stream)?.0.current_bytes());
    Ok(())
}
