//! The callbacks of a launch: send, recv and output taps, from C function pointers to closures.

use crate::api::stream::{StreamState, lend_chunk};
use crate::caller::Caller;
use crate::{error_object, handle};
use pjrt_client_trait::{HloOutput, HloOutputTap, RecvCallback, Result, SendCallback, Status, TransferCallbacks};
use pjrt_sys as sys;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

/// A callback's argument. Pairs of function and argument are copied, so nothing of the caller's arrays is kept.
#[derive(Clone, Copy)]
struct UserArg(*mut c_void);

// SAFETY: the header says that these callbacks run on any thread.
unsafe impl Send for UserArg {}
// SAFETY: as above.
unsafe impl Sync for UserArg {}

impl UserArg {
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// Reads the callbacks out of the options of a launch on `num_devices` devices.
pub(crate) fn read(c: Caller<'_>, options: &sys::PJRT_ExecuteOptions, num_devices: usize) -> Result<TransferCallbacks> {
    let mut callbacks = TransferCallbacks { row_major: row_major(options), ..TransferCallbacks::default() };
    if options.num_send_ops > 0 {
        for &list in c.slice(options.send_callbacks, num_devices, "send_callbacks")? {
            let infos = c.slice(list.cast_const(), options.num_send_ops, "send_callbacks of a device")?;
            let by_channel: Result<HashMap<_, _>> =
                infos.iter().map(|info| Ok((info.channel_id, send(info)?))).collect();
            callbacks.send.push(by_channel?);
        }
    }
    if options.num_recv_ops > 0 {
        for &list in c.slice(options.recv_callbacks, num_devices, "recv_callbacks")? {
            let infos = c.slice(list.cast_const(), options.num_recv_ops, "recv_callbacks of a device")?;
            let by_channel: Result<HashMap<_, _>> =
                infos.iter().map(|info| Ok((info.channel_id, recv(info)?))).collect();
            callbacks.recv.push(by_channel?);
        }
    }
    for info in c.slice(options.hlo_output_callbacks, options.num_hlo_output_callbacks, "hlo_output_callbacks")? {
        callbacks.hlo_outputs.push(hlo_output(info)?);
    }
    Ok(callbacks)
}

/// A caller whose struct does not have the field means true.
fn row_major(options: &sys::PJRT_ExecuteOptions) -> bool {
    let field = std::mem::offset_of!(sys::PJRT_ExecuteOptions, use_major_to_minor_data_layout_for_callbacks);
    options.struct_size <= field || options.use_major_to_minor_data_layout_for_callbacks
}

fn send(info: &sys::PJRT_SendCallbackInfo) -> Result<SendCallback> {
    let callback = info.send_callback.ok_or_else(|| null_callback("send", info.channel_id))?;
    let user_arg = UserArg(info.user_arg);
    Ok(Arc::new(move |chunk, total, done| {
        let mut chunk = lend_chunk(chunk);
        let mut callback_error = Some(error_object::callback_error as _);
        // SAFETY: the framework's callback gets what the header says; the chunk is its own from here on.
        let error = unsafe { callback(&raw mut chunk, &raw mut callback_error, total, done, user_arg.get()) };
        // SAFETY: the error is ours now.
        unsafe { error_object::take(error) }
    }))
}

fn recv(info: &sys::PJRT_RecvCallbackInfo) -> Result<RecvCallback> {
    let callback = info.recv_callback.ok_or_else(|| null_callback("recv", info.channel_id))?;
    let user_arg = UserArg(info.user_arg);
    Ok(Arc::new(move |stream| {
        let stream = handle::insert(Arc::new(StreamState(stream)));
        // SAFETY: the framework's callback gets what the header says; the stream's handle is its own.
        unsafe { callback(stream, user_arg.get()) };
    }))
}

fn hlo_output(info: &sys::PJRT_HloOutputCallbackInfo) -> Result<HloOutputTap> {
    let callback = info.callback.ok_or_else(|| null_callback("output", info.callback_id))?;
    let user_arg = UserArg(info.user_arg);
    let callback = Arc::new(move |output: HloOutput<'_>| {
        let (data, dims, rank, number) = match output.value {
            Some((ty, dims, bytes)) => (bytes.as_ptr().cast(), dims.as_ptr(), dims.len(), ty as u32),
            None => (std::ptr::null(), std::ptr::null(), 0, 0),
        };
        let ty = sys::PJRT_Buffer_Type(number);
        let (replica, partition) = (output.replica, output.partition);
        // SAFETY: the framework's callback gets what the header says; data and dims live during the call.
        unsafe { callback(replica, partition, data, dims, rank, ty, output.operand_index, user_arg.get()) };
    });
    Ok(HloOutputTap { callback_id: info.callback_id, num_operands: info.num_operands, callback })
}

fn null_callback(which: &str, id: i64) -> Status {
    Status::invalid_argument(format!("the {which} callback {id} is null"))
}
