//! Launches: short programs run at once on the caller's thread, others on a thread of the device while the caller goes on.
//!
//! A launch waits for its arguments before it takes a place in the queue, so what is in the queue never waits for what is
//! behind it. A launch on several devices is one run over whole arrays.

use crate::buffer::{CpuBuffer, Fill, Storage};
use crate::client::Machine;
use crate::completion::Place;
use crate::custom_calls::CallContext;
use crate::device::memory_id;
use crate::executable::{CpuExecutable, status};
use crate::layout::Arrangement;
use crate::poison::Poison;
use crate::sharding;
use crate::signature::{Signature, Spread};
use cpu_compiler::{Argument, ErrorKind, Launch as Run};
use cpu_runtime::{Block, FlushDenormals};
use pjrt_wrapper::catch_panic;
use pjrt_wrapper::client_trait::{
    DeviceLaunch, DeviceOutputs, Event, ExecuteOptions, Launch, Layout, MemoryId, PjrtBuffer, PjrtLoadedExecutable,
    Result, Shape, Status,
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

/// What one device passes.
struct Part {
    /// Index of the device.
    device: usize,
    /// Which partition it is.
    partition: usize,
    arguments: Vec<Arc<CpuBuffer>>,
    /// Which of the arguments the program may overwrite, if nobody else holds them.
    donated: Vec<bool>,
}

/// One launch, ready to run as soon as its arguments are.
struct Task {
    executable: Arc<CpuExecutable>,
    machine: Arc<Machine>,
    parts: Vec<Part>,
    context: CallContext,
    poison: Arc<Poison>,
}

/// The writing ends of what devices get.
type Pending = (Vec<Fill>, Place);

impl CpuLoadedExecutable {
    pub(crate) fn new(executable: Arc<CpuExecutable>, machine: Arc<Machine>) -> Self {
        CpuLoadedExecutable { executable, machine }
    }

    fn task(&self, launches: &mut [DeviceLaunch<CpuBuffer>], options: &ExecuteOptions) -> Task {
        let run_id = match options.launch_id {
            0 => RUNS.fetch_add(1, Ordering::Relaxed),
            id => i64::from(id),
        };
        let part = |launch: &mut DeviceLaunch<CpuBuffer>| Part {
            device: launch.device.0 as usize,
            partition: launch.logical_id.partition as usize,
            donated: launch.arguments.iter().map(|argument| argument.is_donated()).collect(),
            arguments: launch.arguments.iter_mut().map(|argument| argument.take()).collect(),
        };
        let parts: Vec<Part> = launches.iter_mut().map(part).collect();
        let device = parts[0].device;
        let run = RunContext {
            user_data: options.context.clone(),
            run_id: Some(run_id),
            device_ordinal: Some(device as i32),
            ..RunContext::default()
        };
        let context = CallContext::new(run);
        let poison = self.machine.devices[device].poisons.enter(options.launch_id);
        Task { executable: self.executable.clone(), machine: self.machine.clone(), parts, context, poison }
    }

    /// Shape, memory and layout of each result of a device.
    fn results_of(&self, device: usize) -> impl Iterator<Item = (Shape, MemoryId, Option<Layout>)> + '_ {
        let Signature { outputs, output_kinds, output_layouts, .. } = &self.executable.signature;
        let results = outputs.iter().zip(output_kinds).zip(output_layouts);
        results.map(move |((shape, &kind), layout)| (shape.clone(), memory_id(device as i32, kind), layout.clone()))
    }

    /// Runs the task on this thread.
    fn run_now(&self, task: Task) -> Vec<DeviceOutputs<CpuBuffer>> {
        let devices: Vec<usize> = task.parts.iter().map(|part| part.device).collect();
        match task.run() {
            Ok(results) => {
                let filled =
                    |((shape, memory, layout), storage)| CpuBuffer::filled(shape, memory, storage).in_layout(layout);
                let outputs = |(device, results): (usize, Vec<Storage>)| DeviceOutputs {
                    outputs: self.results_of(device).zip(results).map(filled).collect(),
                    done: self.machine.devices[device].completions.ended(Ok(())),
                };
                devices.into_iter().zip(results).map(outputs).collect()
            }
            Err(error) => {
                let failed =
                    |(shape, memory, layout)| CpuBuffer::failed(shape, memory, error.clone()).in_layout(layout);
                let outputs = |device: usize| DeviceOutputs {
                    outputs: self.results_of(device).map(failed).collect(),
                    done: self.machine.devices[device].completions.ended(Err(error.clone())),
                };
                devices.into_iter().map(outputs).collect()
            }
        }
    }

    /// Runs the task on a thread of its first device, as soon as `ready` is.
    fn run_later(&self, task: Task, ready: &Event) -> Vec<DeviceOutputs<CpuBuffer>> {
        let mut pending: Vec<Pending> = Vec::with_capacity(task.parts.len());
        let mut outputs = Vec::with_capacity(task.parts.len());
        for part in &task.parts {
            let buffers = self.results_of(part.device).map(|(shape, memory, layout)| {
                let (fill, buffer) = CpuBuffer::pending(shape, memory);
                (fill, buffer.in_layout(layout))
            });
            let (fills, buffers): (Vec<Fill>, Vec<CpuBuffer>) = buffers.unzip();
            let (place, done) = self.machine.devices[part.device].completions.enter();
            pending.push((fills, place));
            outputs.push(DeviceOutputs { outputs: buffers, done });
        }
        let (machine, device) = (self.machine.clone(), task.parts[0].device);
        ready.on_ready(move |outcome| match outcome {
            Ok(()) => machine.devices[device].queue.push(move || finish(task.run(), pending)),
            Err(error) => {
                drop(task);
                finish(Err(error), pending);
            }
        });
        outputs
    }
}

/// Hands out what came of a launch.
fn finish(outcome: Result<Vec<Vec<Storage>>>, pending: Vec<Pending>) {
    match outcome {
        Ok(results) => {
            for ((fills, place), results) in pending.into_iter().zip(results) {
                fills.into_iter().zip(results).for_each(|(fill, result)| fill.complete(Ok(result)));
                place.end(Ok(()));
            }
        }
        Err(error) => {
            for (fills, place) in pending {
                fills.into_iter().for_each(|fill| fill.complete(Err(error.clone())));
                place.end(Err(error.clone()));
            }
        }
    }
}

impl Task {
    /// Runs the program on this thread; the results of each device. All arguments are ready.
    fn run(mut self) -> Result<Vec<Vec<Storage>>> {
        let name = self.executable.signature.name.clone();
        let poison = self.poison.clone();
        let _mode = FlushDenormals::on_this_thread();
        poison.applied_to(catch_panic(&name, || {
            let parts = std::mem::take(&mut self.parts);
            match &self.executable.signature.spread {
                None => self.run_on_one(parts),
                Some(spread) => self.run_over_whole_arrays(spread, parts),
            }
        }))
    }

    fn run_on_one(&self, parts: Vec<Part>) -> Result<Vec<Vec<Storage>>> {
        let missing = || Status::internal("a launch on no device");
        let part = parts.into_iter().next().ok_or_else(missing)?;
        // What the program may take, and what it reads while we hold it.
        let mut held = Vec::with_capacity(part.arguments.len());
        let mut taken = Vec::with_capacity(part.arguments.len());
        for (buffer, donated) in part.arguments.into_iter().zip(part.donated) {
            let fits = donated && buffer.arrangement()?.is_none();
            let (block, buffer) = match if fits { CpuBuffer::into_block(buffer) } else { Err(buffer) } {
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
                (None, Some(buffer)) => match buffer.arrangement()? {
                    None => Argument::Borrowed(buffer.bytes()?),
                    Some(arrangement) => {
                        let mut rows = self.allocate(part.device, buffer.bytes()?.len())?;
                        arrangement.to_rows(buffer.bytes()?, rows.bytes_mut());
                        Argument::Donated(rows)
                    }
                },
                (None, None) => return Err(Status::internal("an argument is neither taken nor held")),
            });
        }
        let results = self.compute(part.device, arguments)?;
        let Signature { outputs, output_layouts, .. } = &self.executable.signature;
        let arranged = results.into_iter().zip(outputs).zip(output_layouts).map(|((block, shape), layout)| {
            let Some(arrangement) = Arrangement::of(shape, layout.as_ref())? else { return Ok(Storage::Own(block)) };
            let mut moved = self.allocate(part.device, block.bytes().len())?;
            arrangement.arrange(block.bytes(), moved.bytes_mut());
            Ok(Storage::Own(moved))
        });
        Ok(vec![arranged.collect::<Result<_>>()?])
    }

    fn run_over_whole_arrays(&self, spread: &Spread, mut parts: Vec<Part>) -> Result<Vec<Vec<Storage>>> {
        // In the order of the partitions, which is that of the blocks of a tiling.
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&place| parts[place].partition);
        let first = parts[order[0]].device;
        let mut arguments = Vec::with_capacity(spread.parameters.len());
        for (index, (shape, tiling)) in spread.parameters.iter().enumerate() {
            let blocks = order.iter().map(|&place| match parts[place].arguments[index].arrangement()? {
                None => parts[place].arguments[index].bytes(),
                Some(_) => Err(Status::unimplemented(format!(
                    "argument {index} is in layout {}, for a program over several devices; give it in row-major order",
                    parts[place].arguments[index].layout()
                ))),
            });
            let blocks = blocks.collect::<Result<Vec<&[u8]>>>()?;
            arguments.push(if tiling.grid.iter().all(|&count| count == 1) {
                Argument::Borrowed(blocks[0])
            } else {
                let mut whole = self.allocate(first, shape.byte_size())?;
                sharding::put_together(whole.bytes_mut(), shape, tiling, &blocks);
                Argument::Donated(whole)
            });
        }
        let wholes = self.compute(first, arguments)?;
        // What was donated is gone by now, as on one device.
        parts.iter_mut().for_each(|part| part.arguments.clear());
        let mut results: Vec<Vec<Storage>> = parts.iter().map(|_| Vec::with_capacity(wholes.len())).collect();
        for ((shape, tiling), (whole, block)) in
            spread.outputs.iter().zip(wholes.into_iter().zip(&self.executable.signature.outputs))
        {
            if tiling.grid.iter().all(|&count| count == 1) {
                let memory = memory_id(first as i32, 0);
                let shared = Arc::new(CpuBuffer::filled(shape.clone(), memory, Storage::Own(whole)));
                results.iter_mut().for_each(|results| results.push(Storage::Shared(shared.clone())));
                continue;
            }
            for (results, part) in results.iter_mut().zip(&parts) {
                let mut own = self.allocate(part.device, block.byte_size())?;
                sharding::cut(whole.bytes(), shape, tiling, &tiling.blocks[part.partition], own.bytes_mut());
                results.push(Storage::Own(own));
            }
        }
        Ok(results)
    }

    fn allocate(&self, device: usize, length: usize) -> Result<Block> {
        let block = self.machine.devices[device].budget.allocate(length);
        block.map_err(|error| status(error.into()))
    }

    fn compute(&self, device: usize, arguments: Vec<Argument<'_>>) -> Result<Vec<Block>> {
        let context: &(dyn Any + Send + Sync) = &self.context;
        let results = self.executable.engine.run(Run {
            arguments,
            pool: &self.machine.pool,
            budget: &self.machine.devices[device].budget,
            process: Process::default(),
            context: Some(context),
            cancelled: Some(&|| self.poison.is_set()),
        });
        results.map_err(|error| {
            // The only other error that a failed handler can be followed by is that somebody gave up on the launch.
            let from_handler = !matches!(error.kind, ErrorKind::Cancelled);
            let mut status = status(error);
            if let Some(failure) = self.context.failure.get().filter(|_| from_handler) {
                (status.code, status.payloads) = (failure.code, failure.payloads.clone());
            }
            status
        })
    }
}

impl PjrtLoadedExecutable for CpuLoadedExecutable {
    type Buffer = CpuBuffer;

    fn execute(&self, launch: Launch<'_, CpuBuffer>) -> Result<Vec<DeviceOutputs<CpuBuffer>>> {
        let arguments = launch.devices.iter().flat_map(|device| &device.arguments);
        let ready = Event::all(arguments.map(|argument| argument.buffer().ready_event()));
        let task = self.task(launch.devices, launch.options);
        if matches!(ready.outcome(), Some(Ok(()))) && self.executable.engine.is_short() {
            return Ok(self.run_now(task));
        }
        Ok(self.run_later(task, &ready))
    }
}
