//! Data that moves while a program runs: send, recv and output taps, by way of the caller's callbacks.

use crate::{ElementType, Event, HostBytes, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// A piece of memory that travels between a device and a callback.
pub type Chunk = Arc<dyn HostBytes>;

/// Called by the backend for each piece a program sends: (piece, total bytes of the transfer, whether it is the
/// last). On any thread, any number of times.
pub type SendCallback = Arc<dyn Fn(Chunk, usize, bool) -> Result<()> + Send + Sync>;

/// Called by the backend when a program wants to receive; whoever is behind it fills the stream.
pub type RecvCallback = Arc<dyn Fn(Arc<dyn CopyToDeviceStream>) + Send + Sync>;

/// One value of a tapped output.
pub struct HloOutput<'a> {
    /// Replica the value comes from.
    pub replica: i64,
    /// Partition the value comes from.
    pub partition: i64,
    /// Position among the tapped operands.
    pub operand_index: i64,
    /// Type, dimensions and dense row-major bytes; `None` when the operand is missing.
    pub value: Option<(ElementType, &'a [i64], &'a [u8])>,
}

/// Called by the backend for each operand of a tapped output.
pub type HloOutputCallback = Arc<dyn Fn(HloOutput<'_>) + Send + Sync>;

/// A tapped output: which one, and what to call.
#[derive(Clone)]
pub struct HloOutputTap {
    /// Which tap of the program this serves.
    pub callback_id: i64,
    /// Operands of the tap: the callback is to be called once for each, also for missing ones.
    pub num_operands: usize,
    /// Whom to tell.
    pub callback: HloOutputCallback,
}

/// The device end of a transfer into a running program, implemented by the backend.
pub trait CopyToDeviceStream: Send + Sync {
    /// Bytes that the program wants in all.
    fn total_bytes(&self) -> usize;

    /// Chunks must be multiples of this many bytes.
    fn granule_size(&self) -> usize {
        1
    }

    /// Bytes taken so far.
    fn current_bytes(&self) -> usize;

    /// Takes a piece. Refusals (too much, not a multiple of the granule, already complete) arrive through the
    /// event.
    fn add_chunk(&self, chunk: Chunk) -> Event;
}

/// The callbacks of one launch.
#[derive(Clone, Default)]
pub struct TransferCallbacks {
    /// For each device of the launch: send callbacks by channel id.
    pub send: Vec<HashMap<i64, SendCallback>>,
    /// For each device of the launch: recv callbacks by channel id.
    pub recv: Vec<HashMap<i64, RecvCallback>>,
    /// Output taps, in the order given; they serve all devices of the launch.
    pub hlo_outputs: Vec<HloOutputTap>,
    /// Whether data in callbacks is row-major (else in device layout).
    pub row_major: bool,
}

impl TransferCallbacks {
    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.send.iter().all(HashMap::is_empty)
            && self.recv.iter().all(HashMap::is_empty)
            && self.hlo_outputs.is_empty()
    }
}
