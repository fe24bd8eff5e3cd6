//! Programs: compiled (read and prepared for the evaluator), loaded, launched.

use crate::buffer::{ExampleBuffer, Fill};
use crate::device::ExampleDevice;
use crate::memory::{Allocation, DeviceMemory};
use crate::program;
use pjrt_wrapper::catch_panic;
use pjrt_wrapper::client_trait::{
    CompileOptions, CompiledMemoryStats, DeviceLaunch, DeviceOutputs, ElementType, Event, Launch, PjrtDevice,
    PjrtExecutable, PjrtLoadedExecutable, Program, Result, Shape, Status,
};
use stablehlo::eval::{EvalError, EvalErrorKind, Evaluator, Registry, Value};
use std::sync::Arc;

/// A program that the device can run.
pub(crate) struct ExampleExecutable {
    name: String,
    parameters: Vec<Shape>,
    outputs: Vec<Shape>,
    donated: Vec<usize>,
    evaluator: Evaluator,
}

impl ExampleExecutable {
    pub(crate) fn compile(program: &Program<'_>, options: &CompileOptions) -> Result<Self> {
        options.reject_unknown_overrides(&[])?;
        if options.num_replicas * options.num_partitions != 1 {
            return Err(Status::unimplemented(format!(
                "a program for {} replicas x {} partitions: this simulator runs a program on one device; \
                 use jax.device_put to place its arguments on one",
                options.num_replicas, options.num_partitions
            )));
        }
        let module =
            stablehlo::read_program(program.mlir()?).map_err(|error| Status::invalid_argument(error.to_string()))?;
        let main = program::main(&module)?;
        program::check_placement(main)?;
        let (parameters, outputs) = program::signature(main)?;
        let (name, donated) = (program::name(&module), program::donated_parameters(main));
        let evaluator = Evaluator::new(Arc::new(module), &Registry::default()).map_err(status)?;
        Ok(ExampleExecutable { name, parameters, outputs, donated, evaluator })
    }

    /// What the device does: arguments from its memory, results into its memory.
    fn run(&self, arguments: Vec<Arc<ExampleBuffer>>, memory: &Arc<DeviceMemory>) -> Result<Vec<Allocation>> {
        let inputs = arguments.iter().zip(&self.parameters).map(|(buffer, parameter)| match parameter.element_type {
            ElementType::Token => Ok(Value::Token),
            _ => buffer.tensor().map(Value::Tensor),
        });
        let inputs = inputs.collect::<Result<Vec<Value>>>()?;
        // Donated arguments have no holder but us, so this gives their storage to the evaluator.
        drop(arguments);
        let results = self.evaluator.run(inputs).map_err(status)?;
        results.into_iter().map(|result| memory.store(program::into_tensor(result)?)).collect()
    }
}

/// Where an error of the evaluator belongs in PJRT's terms.
fn status(error: EvalError) -> Status {
    match error.kind {
        EvalErrorKind::Unsupported => Status::unimplemented(error.to_string()),
        _ => Status::invalid_argument(error.to_string()),
    }
}

impl PjrtExecutable for ExampleExecutable {
    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> &[Shape] {
        &self.parameters
    }

    fn outputs(&self) -> &[Shape] {
        &self.outputs
    }

    fn donated_parameters(&self) -> &[usize] {
        &self.donated
    }

    fn compiled_memory_stats(&self) -> Result<CompiledMemoryStats> {
        let total = |shapes: &[Shape]| shapes.iter().map(|shape| shape.byte_size() as i64).sum();
        let (argument_size, output_size) = (total(&self.parameters), total(&self.outputs));
        Ok(CompiledMemoryStats { argument_size, output_size, ..CompiledMemoryStats::default() })
    }
}

/// A program bound to devices: all of them, since any of ours can run it.
pub(crate) struct ExampleLoadedExecutable {
    executable: Arc<ExampleExecutable>,
    devices: Arc<[ExampleDevice]>,
}

impl ExampleLoadedExecutable {
    pub(crate) fn new(executable: Arc<ExampleExecutable>, devices: Arc<[ExampleDevice]>) -> Self {
        ExampleLoadedExecutable { executable, devices }
    }

    /// Enqueues the program on one device; its results are there when the device gets to it.
    fn enqueue(&self, launch: &mut DeviceLaunch<ExampleBuffer>) -> Result<DeviceOutputs<ExampleBuffer>> {
        let device = &self.devices[launch.device.0 as usize];
        device.queue.check()?;
        let space = device.memory_spaces()[0];
        let pending = self.executable.outputs.iter().map(|shape| ExampleBuffer::pending(shape.clone(), space));
        let (fills, outputs): (Vec<Fill>, Vec<ExampleBuffer>) = pending.unzip();
        let (promise, done) = Event::pending();
        let arguments = launch.arguments.iter_mut().map(|argument| argument.take()).collect();
        let (executable, memory) = (self.executable.clone(), device.memory.clone());
        device.queue.push(move || {
            let outcome = catch_panic(&executable.name, || executable.run(arguments, &memory));
            let end = outcome.as_ref().map(drop).map_err(Clone::clone);
            match outcome {
                Ok(results) => fills.into_iter().zip(results).for_each(|(fill, result)| fill.complete(Ok(result))),
                Err(error) => fills.into_iter().for_each(|fill| fill.complete(Err(error.clone()))),
            }
            promise.complete(end);
        });
        Ok(DeviceOutputs { outputs, done })
    }
}

impl PjrtLoadedExecutable for ExampleLoadedExecutable {
    type Buffer = ExampleBuffer;

    fn execute(&self, launch: Launch<'_, ExampleBuffer>) -> Result<Vec<DeviceOutputs<ExampleBuffer>>> {
        launch.devices.iter_mut().map(|device| self.enqueue(device)).collect()
    }
}
