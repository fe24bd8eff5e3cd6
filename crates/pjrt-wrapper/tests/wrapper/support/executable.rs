//! Executables of the test backend, and running them.

use super::buffer::{Storage, TestBuffer, add_one};
use super::panics::point;
use super::program::Source;
use super::script::Script;
use pjrt_client_trait::{
    Chunk, CompiledMemoryStats, CopyToDeviceStream, DeviceLaunch, DeviceOutputs, ElementType, Event, ExecuteOptions,
    HloOutput, HostBytes, Launch, Layout, LogicalId, MemoryId, NamedValue, OpSharding, OptimizedProgram, PjrtBuffer,
    PjrtExecutable, PjrtLoadedExecutable, Result, Shape, Status,
};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

pub struct TestExecutable {
    pub source: Source,
    name: String,
    parameters: Vec<Shape>,
    outputs: Vec<Shape>,
}

impl TestExecutable {
    pub fn compile(code: &[u8]) -> Result<Self> {
        let source = Source::read(code)?;
        Ok(TestExecutable {
            name: format!("jit_{}", source.operation),
            parameters: vec![source.shape.clone(); source.num_parameters()],
            outputs: vec![source.shape.clone(); source.num_outputs()],
            source,
        })
    }

    fn is(&self, operation: &str) -> bool {
        self.source.operation == operation
    }
}

impl PjrtExecutable for TestExecutable {
    fn name(&self) -> &str {
        point("executable.name");
        &self.name
    }

    fn parameters(&self) -> &[Shape] {
        point("executable.parameters");
        &self.parameters
    }

    fn outputs(&self) -> &[Shape] {
        point("executable.outputs");
        &self.outputs
    }

    fn donated_parameters(&self) -> &[usize] {
        point("executable.donated_parameters");
        self.source.donated()
    }

    fn parameter_memory_kinds(&self) -> Option<Vec<String>> {
        point("executable.parameter_memory_kinds");
        None
    }

    fn output_memory_kinds(&self) -> Option<Vec<String>> {
        point("executable.output_memory_kinds");
        self.is("to_pinned").then(|| vec!["pinned_host".to_owned()])
    }

    fn parameter_layouts(&self) -> Option<Vec<Layout>> {
        point("executable.parameter_layouts");
        None
    }

    fn output_layouts(&self) -> Option<Vec<Layout>> {
        point("executable.output_layouts");
        let layout = Layout { minor_to_major: (0..self.source.shape.rank() as i64).collect(), tiles: Vec::new() };
        self.is("column_major").then(|| vec![layout])
    }

    fn parameter_shardings(&self) -> Option<Vec<OpSharding>> {
        point("executable.parameter_shardings");
        self.is("sharded").then(|| vec![OpSharding::Replicated])
    }

    fn output_shardings(&self) -> Option<Vec<OpSharding>> {
        point("executable.output_shardings");
        let tiled = OpSharding::Tiled { grid: vec![2, 1], devices: vec![0, 1], replicate_on_last_dim: false };
        self.is("sharded").then(|| vec![tiled])
    }

    fn size_of_generated_code(&self) -> i64 {
        point("executable.size_of_generated_code");
        42
    }

    fn cost_analysis(&self) -> Result<Vec<NamedValue>> {
        point("executable.cost_analysis");
        Ok(vec![NamedValue::new("flops", 2.5f32)])
    }

    fn compiled_memory_stats(&self) -> Result<CompiledMemoryStats> {
        point("executable.compiled_memory_stats");
        Ok(CompiledMemoryStats {
            argument_size: 1,
            output_size: 2,
            peak_memory: 3,
            total_size: 4,
            ..Default::default()
        })
    }

    fn optimized_program(&self) -> Result<OptimizedProgram> {
        point("executable.optimized_program");
        Ok(OptimizedProgram { format: "mlir", code: format!("optimized {}", self.source.operation).into_bytes() })
    }

    fn serialize(&self) -> Result<Vec<u8>> {
        point("executable.serialize");
        if self.is("serializable") {
            return Ok(format!("own bytes:{} {}", self.source.operation, self.source.shape).into_bytes());
        }
        Err(Status::unimplemented("only `serializable` serializes itself"))
    }

    fn fingerprint(&self) -> Result<Vec<u8>> {
        point("executable.fingerprint");
        if self.is("serializable") {
            return Ok(b"own fingerprint".to_vec());
        }
        Err(Status::unimplemented("only `serializable` has a fingerprint of its own"))
    }
}

pub struct TestLoaded {
    pub executable: Arc<TestExecutable>,
    pub script: Arc<Script>,
}

impl PjrtLoadedExecutable for TestLoaded {
    type Buffer = TestBuffer;

    fn execute(&self, launch: Launch<'_, TestBuffer>) -> Result<Vec<DeviceOutputs<TestBuffer>>> {
        point("loaded.execute");
        self.look_at(launch.options, launch.devices);
        if self.script.fail_launches.load(Ordering::SeqCst) {
            return Err(Status::unavailable("the script fails all launches"));
        }
        let mut results = Vec::new();
        for (index, device) in launch.devices.iter_mut().enumerate() {
            results.push(self.run(index, device, launch.options)?);
        }
        if self.executable.is("wrong_devices") {
            results.clear();
        }
        Ok(results)
    }
}

impl TestLoaded {
    fn look_at(&self, options: &ExecuteOptions, devices: &[DeviceLaunch<TestBuffer>]) {
        let mut seen = self.script.seen();
        seen.launch_id = options.launch_id;
        seen.call_location.clone_from(&options.call_location);
        seen.user_data = options.context.as_ref().map(|context| context.user_data(7).map(|data| data.0));
        seen.tasks.clone_from(&options.task_incarnations);
        seen.row_major = options.callbacks.row_major;
        seen.donated = devices[0].arguments.iter().map(pjrt_client_trait::Argument::is_donated).collect();
    }

    fn run(
        &self,
        index: usize,
        device: &mut DeviceLaunch<TestBuffer>,
        options: &ExecuteOptions,
    ) -> Result<DeviceOutputs<TestBuffer>> {
        let program = &self.executable.source;
        let ready = Event::all(device.arguments.iter().map(|argument| argument.buffer().ready_event()));
        let memory = MemoryId(device.device.0 as usize * 2 + usize::from(program.operation == "to_pinned"));
        let output = |shape: &Shape, bytes: Vec<u8>, ready: &Event| {
            TestBuffer::new(shape.clone(), memory, Storage::Own(bytes), ready.clone(), &self.script)
        };
        let copy = |device: &DeviceLaunch<TestBuffer>| device.arguments[0].buffer().bytes().map(<[u8]>::to_vec);
        let plus_one = |mut bytes: Vec<u8>| add_one(program.shape.element_type, &mut bytes).map(|()| bytes);
        let shape = &program.shape;
        let outputs = match program.operation.as_str() {
            "nothing" => Vec::new(),
            "constant" => vec![output(shape, vec![7; shape.byte_size()], &ready)],
            "identify" => {
                let LogicalId { replica, partition } = device.logical_id;
                vec![output(shape, [replica.to_le_bytes(), partition.to_le_bytes()].concat(), &ready)]
            }
            "donate" | "donate_first" | "donate_both" => {
                let bytes = self.take(device)?;
                vec![output(shape, plus_one(bytes)?, &ready)]
            }
            "fail" => return Err(Status::resource_exhausted("this program fails")),
            "fail_after_take" => {
                self.take(device)?;
                return Err(Status::resource_exhausted("this program fails late"));
            }
            "fail_later" => {
                let failed = Event::failed(Status::data_loss("this program fails in the end"));
                return Ok(DeviceOutputs { outputs: vec![output(shape, copy(device)?, &failed)], done: failed });
            }
            "pending" => {
                let ready = Event::all([ready, self.script.pending()]);
                let outputs = vec![output(shape, plus_one(copy(device)?)?, &ready)];
                return Ok(DeviceOutputs { outputs, done: ready });
            }
            "two" => {
                vec![output(shape, copy(device)?, &ready), output(shape, plus_one(copy(device)?)?, &ready)]
            }
            "column_major" => {
                let mut made = output(shape, copy(device)?, &ready);
                made.layout = self.executable.output_layouts().expect("it has one").remove(0);
                vec![made]
            }
            "wrong_count" => Vec::new(),
            "wrong_result" => vec![output(&Shape::new(ElementType::S8, [1])?, vec![0], &ready)],
            "send" => {
                let chunk: Chunk = Arc::new(Own(copy(device)?));
                let answer = options.callbacks.send[index][&5](chunk, shape.byte_size(), true);
                self.script.seen().sent.push(answer);
                vec![output(shape, copy(device)?, &ready)]
            }
            "recv" => {
                let stream = Arc::new(Stream { total: shape.byte_size(), bytes: Mutex::default() });
                options.callbacks.recv[index][&5](stream.clone());
                let bytes = std::mem::take(&mut *stream.bytes.lock().expect("no panic under this lock"));
                self.script.seen().received.clone_from(&bytes);
                vec![output(shape, copy(device)?, &ready)]
            }
            "tap" => {
                let bytes = copy(device)?;
                for tap in &options.callbacks.hlo_outputs {
                    let LogicalId { replica, partition } = device.logical_id;
                    let (replica, partition) = (i64::from(replica), i64::from(partition));
                    let value = Some((shape.element_type, shape.dims.as_slice(), bytes.as_slice()));
                    // The program has one operand; the others of the tap are missing, and the last is the tap's number.
                    (tap.callback)(HloOutput { replica, partition, operand_index: 0, value });
                    for operand_index in (1..tap.num_operands as i64).chain([tap.callback_id]) {
                        (tap.callback)(HloOutput { replica, partition, operand_index, value: None });
                    }
                }
                vec![output(shape, bytes, &ready)]
            }
            "add_one" => vec![output(shape, plus_one(copy(device)?)?, &ready)],
            _ => vec![output(shape, copy(device)?, &ready)],
        };
        Ok(DeviceOutputs { outputs, done: ready })
    }

    /// Takes all donated arguments, and returns the bytes of the first: in its own storage if it can be had.
    fn take(&self, device: &mut DeviceLaunch<TestBuffer>) -> Result<Vec<u8>> {
        let mut first = None;
        for argument in device.arguments.iter_mut().filter(|argument| argument.is_donated()) {
            let bytes = match Arc::try_unwrap(argument.take()) {
                Ok(mut buffer) => {
                    self.script.seen().in_place.push(true);
                    buffer.take_bytes()?
                }
                Err(shared) => {
                    self.script.seen().in_place.push(false);
                    shared.bytes()?.to_vec()
                }
            };
            first.get_or_insert(bytes);
        }
        first.map_or_else(|| device.arguments[0].buffer().bytes().map(<[u8]>::to_vec), Ok)
    }
}

struct Own(Vec<u8>);

impl HostBytes for Own {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The device end of a transfer.
struct Stream {
    total: usize,
    bytes: Mutex<Vec<u8>>,
}

impl CopyToDeviceStream for Stream {
    fn total_bytes(&self) -> usize {
        self.total
    }

    fn granule_size(&self) -> usize {
        4
    }

    fn current_bytes(&self) -> usize {
        self.bytes.lock().expect("no panic under this lock").len()
    }

    fn add_chunk(&self, chunk: Chunk) -> Event {
        let mut bytes = self.bytes.lock().expect("no panic under this lock");
        if bytes.len() + chunk.bytes().len() > self.total || !chunk.bytes().len().is_multiple_of(4) {
            return Event::failed(Status::invalid_argument("the chunk does not fit"));
        }
        bytes.extend_from_slice(chunk.bytes());
        Event::ready()
    }
}
