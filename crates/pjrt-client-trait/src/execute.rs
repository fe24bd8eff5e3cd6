//! Launches: arguments in, results out, on one or many devices in one call.

use crate::{DeviceId, Event, ExecuteContext, LogicalId, PjrtBuffer, Result, TransferCallbacks};
use std::sync::Arc;

/// What one call of [`PjrtLoadedExecutable::execute`] has to do.
pub struct Launch<'a, B> {
    /// One entry for each device of this launch, in the order of the device assignment.
    pub devices: &'a mut [DeviceLaunch<B>],
    /// Options common to all devices.
    pub options: &'a ExecuteOptions,
}

/// The part of a launch that one device runs.
pub struct DeviceLaunch<B> {
    /// The device.
    pub device: DeviceId,
    /// Which replica and partition it is.
    pub logical_id: LogicalId,
    /// The arguments: as many as the executable has parameters, of those shapes, all on this device.
    pub arguments: Vec<Argument<B>>,
}

/// One argument of a launch.
pub struct Argument<B> {
    buffer: Option<Arc<B>>,
    donated: bool,
}

impl<B: PjrtBuffer> Argument<B> {
    /// An argument that is only read.
    pub fn borrowed(buffer: Arc<B>) -> Self {
        Argument { buffer: Some(buffer), donated: false }
    }

    /// An argument whose storage the program may take.
    pub fn donated(buffer: Arc<B>) -> Self {
        Argument { buffer: Some(buffer), donated: true }
    }

    /// Whether the storage may be taken.
    pub fn is_donated(&self) -> bool {
        self.donated
    }

    /// The buffer.
    ///
    /// # Panics
    /// After [`Argument::take`]: a bug in the backend.
    pub fn buffer(&self) -> &Arc<B> {
        self.buffer.as_ref().expect("this argument was taken before")
    }

    /// The buffer itself if it is donated, else a clone. A donated buffer that nobody else reads can then be
    /// unwrapped with [`Arc::try_unwrap`] and overwritten. Take only when the launch can no longer fail: what
    /// is left in the launch after an error goes back to the caller, undamaged.
    ///
    /// # Panics
    /// When taken twice: a bug in the backend.
    pub fn take(&mut self) -> Arc<B> {
        if self.donated { self.buffer.take().expect("this argument was taken before") } else { self.buffer().clone() }
    }

    /// What is left of the argument after the launch.
    pub fn into_inner(self) -> Option<Arc<B>> {
        self.buffer
    }
}

/// What one device hands back.
pub struct DeviceOutputs<B> {
    /// As many as the executable has outputs, of those shapes. May still be pending.
    pub outputs: Vec<B>,
    /// Ready when everything on this device is done, with its error if it failed.
    pub done: Event,
}

/// Options of one launch.
#[derive(Default)]
pub struct ExecuteOptions {
    /// Correlates the launches of one logical execution over devices and hosts; 0 is none. May be negative.
    pub launch_id: i32,
    /// Where the user's program called, if known.
    pub call_location: Option<String>,
    /// User data for custom calls.
    pub context: Option<Arc<dyn ExecuteContext>>,
    /// Callbacks of send, recv and output taps.
    pub callbacks: TransferCallbacks,
    /// Incarnations of the processes that take part: (task id, incarnation id).
    pub task_incarnations: Vec<(i32, i64)>,
}

/// A compiled program that is bound to devices.
pub trait PjrtLoadedExecutable: Send + Sync + 'static {
    /// Its arguments and results.
    type Buffer: PjrtBuffer;

    /// Runs the program on every device of the launch; one [`DeviceOutputs`] for each, in order.
    ///
    /// The framework has checked number, shape, device and liveness of the arguments. Arguments may be pending;
    /// a failed one must fail the results. May return as soon as the work is enqueued.
    ///
    /// # Errors
    /// What is known to be wrong before anything runs. Later failures go into the events.
    fn execute(&self, launch: Launch<'_, Self::Buffer>) -> Result<Vec<DeviceOutputs<Self::Buffer>>>;
}
