//! `PJRT_LoadedExecutable_Execute`.
//!
//! Everything that can be known beforehand is checked before the backend sees the launch. Donation is a
//! transaction: the storage is taken out of the donated buffers first, and put back if the launch fails.

use crate::api::{execute_callbacks, execute_context, loaded_executable};
use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::state::buffer::{BufferState, Source};
use crate::state::deferred::{BufferOf, Deferred, Fulfil};
use crate::state::device::DeviceState;
use crate::state::event;
use crate::state::executable::ExecutableState;
use crate::state::loaded::{LoadedOf, LoadedState};
use pjrt_client_trait::{
    Argument, DeviceId, DeviceLaunch, DeviceOutputs, ElementType, Event, EventPromise, ExecuteOptions, Launch,
    LogicalId, PjrtBuffer, PjrtExecutable, PjrtLoadedExecutable, Result, Status,
};
use pjrt_sys as sys;
use std::sync::Arc;

/// One argument as it was passed.
struct Passed<B: Backend> {
    buffer: Arc<BufferState<B>>,
    source: Source<B>,
    donated: bool,
}

/// The arguments of one device.
struct Part<B: Backend> {
    place: LogicalId,
    device: DeviceId,
    arguments: Vec<Passed<B>>,
}

/// Results of one device, ready to be handed out.
struct Results<B: Backend> {
    outputs: Vec<Arc<BufferState<B>>>,
    done: Event,
}

/// `PJRT_LoadedExecutable_Execute`.
pub(crate) fn execute<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_LoadedExecutable_Execute_Args) -> Result<()> {
    let loaded = loaded_executable::get::<B>(args.executable)?;
    let options = c.structure(args.options)?;
    let targets = targets(&loaded, args.execute_device, args.num_devices, &options)?;
    let output_lists = c.slice(args.output_lists, args.num_devices, "output_lists")?;
    if loaded.executable.num_outputs() > 0 && output_lists.iter().any(|list| list.is_null()) {
        return Err(Status::invalid_argument("an inner array of output_lists is null"));
    }
    let backend = loaded.loaded()?;
    let launch_options = ExecuteOptions {
        launch_id: options.launch_id,
        call_location: c.zero_terminated(options.call_location),
        context: execute_context::get(options.context)?,
        callbacks: execute_callbacks::read(c, &options, args.num_devices)?,
        task_incarnations: task_incarnations(c, &options)?,
    };
    let parts = arguments(c, &loaded, args, &options, &targets)?;
    let results = run(&loaded, backend, parts, launch_options)?;
    let room = loaded.executable.num_outputs();
    if results.iter().any(|results| results.outputs.len() != room) {
        return Err(Status::internal(format!(
            "backend {}: program {} had {room} results when it was compiled, and now has another number",
            B::NAME,
            loaded.executable.name
        )));
    }
    for (device, results) in results.into_iter().enumerate() {
        for (index, output) in results.outputs.into_iter().enumerate() {
            // SAFETY: the caller made room for as many outputs as PJRT_Executable_NumOutputs says, which is `room`.
            unsafe { output_lists[device].add(index).write(handle::insert(output)) };
        }
        if !args.device_complete_events.is_null() {
            // SAFETY: a non-null array has an element for each device.
            unsafe { args.device_complete_events.add(device).write(event::into_raw(results.done)) };
        }
    }
    Ok(())
}

/// Which devices run, and as what.
fn targets<B: Backend>(
    loaded: &LoadedState<B>,
    execute_device: *const sys::PJRT_Device,
    num_devices: usize,
    options: &sys::PJRT_ExecuteOptions,
) -> Result<Vec<(LogicalId, DeviceId)>> {
    let name = &loaded.executable.name;
    if execute_device.is_null() {
        if num_devices != loaded.addressable.len() {
            return Err(Status::invalid_argument(format!(
                "program {name} runs on {} devices of this process, but was launched on {num_devices}",
                loaded.addressable.len()
            )));
        }
        return Ok(loaded.addressable.clone());
    }
    if num_devices != 1 {
        return Err(Status::invalid_argument(format!(
            "execute_device is set, so num_devices must be 1; it is {num_devices}"
        )));
    }
    if options.num_send_ops > 0 || options.num_recv_ops > 0 {
        return Err(Status::unimplemented("send and recv callbacks in a launch on one chosen device"));
    }
    let device = handle::get::<DeviceState<B>, _>(execute_device)?;
    let own = loaded.client.device_states().get(device.index).is_some_and(|own| Arc::ptr_eq(own, &device));
    if !own || !device.is_addressable {
        return Err(Status::invalid_argument(
            "execute_device belongs to another client, or cannot be commanded by this process",
        ));
    }
    let id = device.with_device(|device| Ok(pjrt_client_trait::PjrtDevice::description(device).id))?;
    if loaded.executable.origin.options.compile_portable_executable {
        return Ok(vec![(LogicalId { replica: 0, partition: 0 }, id)]);
    }
    let place = loaded.addressable.iter().find(|(_, assigned)| *assigned == id);
    let place =
        place.ok_or_else(|| Status::invalid_argument(format!("program {name} is not assigned to device {}", id.0)))?;
    Ok(vec![*place])
}

fn task_incarnations(c: Caller<'_>, options: &sys::PJRT_ExecuteOptions) -> Result<Vec<(i32, i64)>> {
    let ids = c.slice(options.task_ids, options.num_tasks, "task_ids")?;
    let incarnations = c.slice(options.incarnation_ids, options.num_tasks, "incarnation_ids")?;
    Ok(ids.iter().copied().zip(incarnations.iter().copied()).collect())
}

/// Checks the arguments and takes what is donated. After an error nothing is taken.
fn arguments<B: Backend>(
    c: Caller<'_>,
    loaded: &LoadedState<B>,
    args: &sys::PJRT_LoadedExecutable_Execute_Args,
    options: &sys::PJRT_ExecuteOptions,
    targets: &[(LogicalId, DeviceId)],
) -> Result<Vec<Part<B>>> {
    let executable = &loaded.executable.executable;
    let (parameters, name) = (executable.parameters(), &loaded.executable.name);
    if args.num_args != parameters.len() {
        return Err(Status::invalid_argument(format!(
            "program {name} takes {} arguments, but {} were passed",
            parameters.len(),
            args.num_args
        )));
    }
    let vetoed = c.slice(
        options.non_donatable_input_indices,
        options.num_non_donatable_input_indices,
        "non_donatable_input_indices",
    )?;
    let lists = match args.num_args {
        0 => &[],
        _ => c.slice(args.argument_lists, args.num_devices, "argument_lists")?,
    };
    let mut buffers = Vec::with_capacity(targets.len());
    for (&(_, device), &list) in targets.iter().zip(lists) {
        let handles = c.slice(list, args.num_args, "an inner array of argument_lists")?;
        let mut own = Vec::with_capacity(handles.len());
        for (index, &handle) in handles.iter().enumerate() {
            let buffer = handle::get::<BufferState<B>, _>(handle).map_err(|status| status.context(at(name, index)))?;
            check_argument(loaded, &buffer, device, index)?;
            own.push(buffer);
        }
        check_donation(&own, executable.donated_parameters(), vetoed, name)?;
        buffers.push(own);
    }
    buffers.resize_with(targets.len(), Vec::new);
    let mut parts: Vec<Part<B>> = Vec::with_capacity(targets.len());
    for (&(place, device), own) in targets.iter().zip(buffers) {
        let mut part = Part { place, device, arguments: Vec::with_capacity(own.len()) };
        let mut failure = None;
        for (index, buffer) in own.into_iter().enumerate() {
            let donated = is_donated(executable.donated_parameters(), vetoed, index);
            let source = if donated { buffer.donate() } else { buffer.source() };
            match source {
                Ok(source) => part.arguments.push(Passed { buffer, source, donated }),
                Err(status) => {
                    failure = Some(status.context(at(name, index)));
                    break;
                }
            }
        }
        parts.push(part);
        if let Some(status) = failure {
            parts.into_iter().for_each(give_back);
            return Err(status);
        }
    }
    Ok(parts)
}

fn at(program: &str, index: usize) -> String {
    format!("argument {index} of program {program}")
}

fn is_donated(donated: &[usize], vetoed: &[i64], index: usize) -> bool {
    donated.binary_search(&index).is_ok() && !vetoed.contains(&(index as i64))
}

fn check_argument<B: Backend>(
    loaded: &LoadedState<B>,
    buffer: &Arc<BufferState<B>>,
    device: DeviceId,
    index: usize,
) -> Result<()> {
    let executable = &loaded.executable;
    if !Arc::ptr_eq(&buffer.client, &loaded.client) {
        return Err(Status::invalid_argument(format!("{} belongs to another client", at(&executable.name, index))));
    }
    let wanted = &executable.executable.parameters()[index];
    if buffer.shape != *wanted && wanted.element_type != ElementType::Token {
        return Err(Status::invalid_argument(format!(
            "{} must be a {wanted}, but a {} was passed",
            at(&executable.name, index),
            buffer.shape
        )));
    }
    let memory = &buffer.client.memory(buffer.memory)?.object().facts;
    if !memory.devices.contains(&device) {
        return Err(Status::invalid_argument(format!(
            "{} is in memory {}, which device {} cannot use",
            at(&executable.name, index),
            memory.to_string,
            device.0
        )));
    }
    Ok(())
}

/// A donated buffer may be passed only once.
fn check_donation<B: Backend>(
    buffers: &[Arc<BufferState<B>>],
    donated: &[usize],
    vetoed: &[i64],
    program: &str,
) -> Result<()> {
    for &index in donated.iter().filter(|&&index| is_donated(donated, vetoed, index)) {
        let same = |(_, other): &(usize, &Arc<BufferState<B>>)| Arc::ptr_eq(other, &buffers[index]);
        let other = buffers.iter().enumerate().filter(|(other, _)| *other != index).find(same);
        if let Some((other, _)) = other {
            return Err(Status::invalid_argument(format!(
                "{} is donated, but the same buffer is passed as argument {other} too",
                at(program, index)
            )));
        }
    }
    Ok(())
}

/// Puts donated storage back after a launch that did not happen.
fn give_back<B: Backend>(part: Part<B>) {
    for passed in part.arguments {
        if passed.donated {
            passed.buffer.restore(passed.source);
        }
    }
}

/// Launches now if all arguments exist; else makes placeholders, and launches when they do.
fn run<B: Backend>(
    loaded: &Arc<LoadedState<B>>,
    backend: Arc<LoadedOf<B>>,
    parts: Vec<Part<B>>,
    options: ExecuteOptions,
) -> Result<Vec<Results<B>>> {
    let exists = Event::all(parts.iter().flat_map(|part| part.arguments.iter().map(|passed| passed.source.exists())));
    match exists.outcome() {
        Some(Ok(())) => launch(loaded, &backend, parts, &options),
        Some(Err(status)) => {
            // An argument is an error: so are all results. Nothing ran, so nothing is consumed.
            let results = parts.iter().map(|part| failed(loaded, part.device, &status)).collect();
            parts.into_iter().for_each(give_back);
            results
        }
        None => {
            let mut results = Vec::new();
            let mut promises = Vec::new();
            for part in &parts {
                let (made, fulfil, done) = placeholders(loaded, part.device)?;
                results.push(made);
                promises.push((fulfil, done));
            }
            let loaded = loaded.clone();
            exists.on_ready(move |outcome| {
                let launched = match outcome {
                    Ok(()) => launch(&loaded, &backend, parts, &options),
                    Err(status) => {
                        // Nothing ran, so nothing is consumed.
                        parts.into_iter().for_each(give_back);
                        Err(status)
                    }
                };
                fulfil_all(launched, promises);
            });
            Ok(results)
        }
    }
}

/// Where a result of a launch on this device will live.
fn output_memory<B: Backend>(
    loaded: &LoadedState<B>,
    device: DeviceId,
    index: usize,
) -> Result<pjrt_client_trait::MemoryId> {
    let client = &loaded.client;
    let memories = &client.device(device)?.memory_ids;
    let kinds = loaded.executable.executable.output_memory_kinds();
    let wanted = kinds.as_ref().and_then(|kinds| kinds.get(index));
    let of_kind = |id: &&pjrt_client_trait::MemoryId| {
        wanted.is_some_and(|kind| client.memory(**id).is_ok_and(|memory| memory.object().facts.kind == *kind))
    };
    let found = memories.iter().find(of_kind).or(memories.first());
    found.copied().ok_or_else(|| Status::internal("a launch on a device without memory"))
}

fn outputs_from<B: Backend>(
    loaded: &LoadedState<B>,
    device: DeviceId,
    mut source: impl FnMut() -> Source<B>,
) -> Result<Vec<Arc<BufferState<B>>>> {
    let executable = &loaded.executable.executable;
    let layouts = ExecutableState::<B>::layouts_or_row_major(executable.output_layouts(), executable.outputs());
    let outputs = executable.outputs().iter().zip(layouts).enumerate().map(|(index, (shape, layout))| {
        let memory = output_memory(loaded, device, index)?;
        Ok(BufferState::placeholder(&loaded.client, shape.clone(), layout, memory, source()))
    });
    outputs.collect()
}

fn failed<B: Backend>(loaded: &LoadedState<B>, device: DeviceId, status: &Status) -> Result<Results<B>> {
    let outputs = outputs_from(loaded, device, || Source::Failed(status.clone()))?;
    Ok(Results { outputs, done: Event::failed(status.clone()) })
}

type Promises<B> = (Vec<Fulfil<B>>, EventPromise);

fn placeholders<B: Backend>(
    loaded: &LoadedState<B>,
    device: DeviceId,
) -> Result<(Results<B>, Vec<Fulfil<B>>, EventPromise)> {
    let mut promises = Vec::new();
    let outputs = outputs_from(loaded, device, || {
        let (fulfil, deferred) = Deferred::<B>::new();
        promises.push(fulfil);
        Source::Deferred(deferred)
    })?;
    let (promise, done) = Event::pending();
    Ok((Results { outputs, done }, promises, promise))
}

fn fulfil_all<B: Backend>(launched: Result<Vec<Results<B>>>, promises: Vec<Promises<B>>) {
    match launched {
        Err(status) => {
            for (outputs, done) in promises {
                outputs.into_iter().for_each(|fulfil| fulfil.complete(Err(status.clone())));
                done.complete(Err(status.clone()));
            }
        }
        Ok(results) => {
            for ((outputs, promise), results) in promises.into_iter().zip(results) {
                for (fulfil, output) in outputs.into_iter().zip(results.outputs) {
                    // Taken out, so that the placeholder is the only holder: it may be donated in place.
                    let buffer = output.donate().and_then(|source| source.now()).transpose();
                    fulfil.complete(buffer.unwrap_or_else(|| Err(Status::internal("a result that does not exist"))));
                }
                results.done.on_ready(move |outcome| promise.complete(outcome));
            }
        }
    }
}

/// Hands the launch to the backend. All arguments exist.
fn launch<B: Backend>(
    loaded: &LoadedState<B>,
    backend: &LoadedOf<B>,
    parts: Vec<Part<B>>,
    options: &ExecuteOptions,
) -> Result<Vec<Results<B>>> {
    let mut donors: Vec<Vec<Option<Arc<BufferState<B>>>>> = Vec::with_capacity(parts.len());
    let mut devices: Vec<DeviceLaunch<BufferOf<B>>> = Vec::with_capacity(parts.len());
    for part in parts {
        let mut arguments = Vec::with_capacity(part.arguments.len());
        let mut own = Vec::with_capacity(part.arguments.len());
        for passed in part.arguments {
            let buffer = passed.source.now()?.ok_or_else(|| Status::internal("an argument that does not exist"))?;
            // Drop our own hold, so that a donated buffer has no other holder but those who read it.
            drop(passed.source);
            own.push(passed.donated.then_some(passed.buffer));
            arguments.push(if passed.donated { Argument::donated(buffer) } else { Argument::borrowed(buffer) });
        }
        donors.push(own);
        devices.push(DeviceLaunch { device: part.device, logical_id: part.place, arguments });
    }
    let outcome = crate::call::catch_panic("PJRT_LoadedExecutable_Execute", || {
        backend
            .execute(Launch { devices: &mut devices, options })
            .and_then(|results| wrap(loaded, results, devices.len()))
    });
    if outcome.is_err() {
        for (donors, device) in donors.into_iter().zip(devices) {
            for (donor, argument) in donors.into_iter().zip(device.arguments) {
                if let (Some(donor), Some(buffer)) = (donor, argument.into_inner()) {
                    donor.restore(Source::Direct(buffer));
                }
            }
        }
    }
    outcome
}

/// Checks what the backend returned and wraps it.
fn wrap<B: Backend>(
    loaded: &LoadedState<B>,
    results: Vec<DeviceOutputs<BufferOf<B>>>,
    num_devices: usize,
) -> Result<Vec<Results<B>>> {
    let shapes = loaded.executable.executable.outputs();
    let name = &loaded.executable.name;
    if results.len() != num_devices {
        return Err(Status::internal(format!(
            "backend {}: program {name} ran on {num_devices} devices and returned results of {}",
            B::NAME,
            results.len()
        )));
    }
    let wrapped = results.into_iter().map(|device| {
        if device.outputs.len() != shapes.len() {
            return Err(Status::internal(format!(
                "backend {}: program {name} has {} results, but returned {}",
                B::NAME,
                shapes.len(),
                device.outputs.len()
            )));
        }
        let outputs = device.outputs.into_iter().zip(shapes).enumerate().map(|(index, (buffer, shape))| {
            if buffer.shape() != shape {
                return Err(Status::internal(format!(
                    "backend {}: result {index} of program {name} is a {} and not a {shape}",
                    B::NAME,
                    buffer.shape()
                )));
            }
            BufferState::direct(&loaded.client, Arc::new(buffer))
        });
        Ok(Results { outputs: outputs.collect::<Result<_>>()?, done: device.done })
    });
    wrapped.collect()
}
