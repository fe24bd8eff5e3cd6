//! Launches: short programs run at once on the caller's thread, others on a thread of the device while the caller goes on.
//!
//! A launch waits for its arguments before it takes a place in the queue, so what is in the queue never waits for what is
//! behind it.

use crate::buffer::{CpuBuffer, Fill, Storage};
use crate::client::Machine;
use crate::device::memory_id;
use crate::executable::{CpuExecutable, status};
use crate::poison::Poison;
use cpu_compiler::{Argument, Launch as Run};
use cpu_runtime::FlushDenormals;
use pjrt_wrapper::catch_panic;
use pjrt_wrapper::client_trait::{
    DeviceLaunch, DeviceOutputs, Event, EventPromise, Launch, MemoryId, PjrtBuffer, PjrtLoadedExecutable, Result,
    Status,
};
use stablehlo::eval::Process;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use xla_ffi::RunContext;

/// Numbers launches that the framework did not number.
static RUNS: AtomicI64 = AtomicI64::new(1);

/// A program bound to devices: all of them, since each can run it.
pub(crate) struct CpuLoadedExecutable {
    executable: Arc<CpuExecutable>,
    machine: Arc<Machine>,
}

/// One launch on one device, ready to run as soon as its arguments are.
struct Task {
    executable: Arc<CpuExecutable>,
    machine: Arc<Machine>,
    device: usize,
    arguments: Vec<Arc<CpuBuffer>>,
    /// Which of the arguments the program may overwrite, if nobody else holds them.
    donated: Vec<bool>,
    context: RunContext,
    poison: Arc<Poison>,
}

impl CpuLoadedExecutable {
    pub(crate) fn new(executable: Arc<CpuExecutable>, machine: Arc<Machine>) -> Self {
        CpuLoadedExecutable { executable, machine }
    }

    fn start(
        &self,
        launch: &mut DeviceLaunch<CpuBuffer>,
        options: &pjrt_wrapper::client_trait::ExecuteOptions,
    ) -> DeviceOutputs<CpuBuffer> {
        let device = launch.device.0;
        let signature = &self.executable.signature;
        let ready = Event::all(launch.arguments.iter().map(|argument| argument.buffer().ready_event()));
        let run_id = match options.launch_id {
            0 => RUNS.fetch_add(1, Ordering::Relaxed),
            id => i64::from(id),
        };
        let task = Task {
            executable: self.executable.clone(),
            machine: self.machine.clone(),
            device: device as usize,
            donated: launch.arguments.iter().map(|argument| argument.is_donated()).collect(),
            arguments: launch.arguments.iter_mut().map(|argument| argument.take()).collect(),
            context: RunContext {
                user_data: options.context.clone(),
                run_id: Some(run_id),
                device_ordinal: Some(device),
                ..RunContext::default()
            },
            poison: self.machine.devices[device as usize].poisons.enter(options.launch_id),
        };
        let memories: Vec<MemoryId> = signature.output_kinds.iter().map(|&kind| memory_id(device, kind)).collect();
        let shapes = signature.outputs.iter().cloned().zip(memories);
        if matches!(ready.outcome(), Some(Ok(()))) && self.executable.compiled.is_short() {
            return match task.run() {
                Ok(results) => {
                    let filled = |((shape, memory), storage)| CpuBuffer::filled(shape, memory, storage);
                    DeviceOutputs { outputs: shapes.zip(results).map(filled).collect(), done: Event::ready() }
                }
                Err(error) => {
                    let failed = |(shape, memory)| CpuBuffer::failed(shape, memory, error.clone());
                    DeviceOutputs { outputs: shapes.map(failed).collect(), done: Event::failed(error.clone()) }
                }
            };
        }
        let pending = shapes.map(|(shape, memory)| CpuBuffer::pending(shape, memory));
        let (fills, outputs): (Vec<Fill>, Vec<CpuBuffer>) = pending.unzip();
        let (promise, done) = Event::pending();
        let machine = self.machine.clone();
        ready.on_ready(move |outcome| match outcome {
            Ok(()) => machine.devices[task.device].queue.push(move || finish(task.run(), fills, promise)),
            Err(error) => {
                drop(task);
                finish(Err(error), fills, promise);
            }
        });
        DeviceOutputs { outputs, done }
    }
}

/// Hands out what came of a launch.
fn finish(outcome: Result<Vec<Storage>>, fills: Vec<Fill>, promise: EventPromise) {
    let end = outcome.as_ref().map(drop).map_err(Clone::clone);
    match outcome {
        Ok(results) => fills.into_iter().zip(results).for_each(|(fill, result)| fill.complete(Ok(result))),
        Err(error) => fills.into_iter().for_each(|fill| fill.complete(Err(error.clone()))),
    }
    promise.complete(end);
}

impl Task {
    /// Runs the program on this thread. All arguments are ready.
    fn run(self) -> Result<Vec<Storage>> {
        let name = self.executable.signature.name.clone();
        let _mode = FlushDenormals::on_this_thread();
        let poison = self.poison.clone();
        poison.applied_to(catch_panic(&name, || self.compute()))
    }

    fn compute(self) -> Result<Vec<Storage>> {
        // What the program may take, and what it reads while we hold it.
        let mut held = Vec::with_capacity(self.arguments.len());
        let mut taken = Vec::with_capacity(self.arguments.len());
        for (buffer, donated) in self.arguments.into_iter().zip(self.donated) {
            let (block, buffer) = match if donated { CpuBuffer::into_block(buffer) } else { Err(buffer) } {
                Ok(block) => (Some(block), None),
                Err(buffer) => (None, Some(buffer)),
            };
            taken.push(block);
            held.push(buffer);
        }
        let mut arguments = Vec::with_capacity(held.len());
        for (block, buffer) in taken.into_iter().zip(&held) {
            arguments.push(match (block, buffer) {
                (Some(block), _) => Argument::Donated(block),
                (None, Some(buffer)) => Argument::Borrowed(buffer.bytes()?),
                (None, None) => return Err(Status::internal("an argument is neither taken nor held")),
            });
        }
        let context: &(dyn Any + Send + Sync) = &self.context;
        let results = self.executable.compiled.run(Run {
            arguments,
            pool: &self.machine.pool,
            budget: &self.machine.devices[self.device].budget,
            process: Process::default(),
            context: Some(context),
            cancelled: Some(&|| self.poison.is_set()),
        });
        Ok(results.map_err(status)?.into_iter().map(Storage::Own).collect())
    }
}

impl PjrtLoadedExecutable for CpuLoadedExecutable {
    type Buffer = CpuBuffer;

    fn execute(&self, launch: Launch<'_, CpuBuffer>) -> Result<Vec<DeviceOutputs<CpuBuffer>>> {
        Ok(launch.devices.iter_mut().map(|device| self.start(device, launch.options)).collect())
    }
}
