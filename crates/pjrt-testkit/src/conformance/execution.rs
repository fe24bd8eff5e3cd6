//! Execution: results, failures, donation, several devices, handles that die at once.

use super::{
    ADD_IN_PLACE, CONSTANT, Check, DOUBLE, DOUBLE_IN_PLACE, NO_OUTPUT, Subject, TWO_OUTPUTS, Trouble, Verdict, ensure,
    ensure_eq, ensure_error,
};
use crate::array::HostArray;
use crate::buffer::Buffer;
use crate::compile_options::CompileOptions;
use crate::error::Code;
use crate::execute::{ExecuteContext, ExecuteOptions};

pub(super) const CHECKS: &[Check] = &[
    Check::required("programs_give_their_results", results),
    Check::required("a_program_runs_on_every_device", every_device),
    Check::required("a_program_without_outputs_runs", no_output),
    Check::required("completion_events_may_be_left_out", without_events),
    Check::required("arguments_may_be_destroyed_at_once", destroyed_arguments),
    Check::required("the_executable_may_be_destroyed_at_once", destroyed_executable),
    Check::required("a_wrong_number_of_arguments_is_refused", wrong_count),
    Check::required("a_wrong_shape_is_refused", wrong_shape),
    Check::required("a_deleted_argument_is_refused", deleted_argument),
    Check::required("a_donated_argument_is_gone_or_untouched", donation),
    Check::required("the_caller_may_veto_donation", donation_veto),
    Check::required("an_argument_cannot_be_donated_and_used", donated_and_used),
    Check::required("a_failed_execution_donates_nothing", failed_donation),
    Check::optional("an_error_argument_makes_an_error", error_argument),
    Check::required("an_execute_context_may_be_destroyed_at_once", context),
    Check::optional("one_execution_runs_on_several_devices", several_devices),
    Check::required("executions_may_overlap_on_many_threads", threads),
];

fn upload(subject: &Subject) -> Result<Buffer, Trouble> {
    let array = HostArray::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[4]);
    Ok(subject.client.buffer_from_host(&array, &subject.device()?)?)
}

/// What doubling the uploaded buffer gives.
const DOUBLED: [f32; 4] = [2.0, 4.0, 6.0, 8.0];

fn ensure_doubled(buffers: &[Buffer]) -> Verdict {
    ensure_eq(&buffers.len(), &1, "outputs")?;
    ensure_eq(&buffers[0].to_host_vec::<f32>()?, &DOUBLED.to_vec(), "result")
}

fn results(subject: &Subject) -> Verdict {
    let double = subject.compile(DOUBLE)?;
    let argument = upload(subject)?;
    for launch_id in [0, 1, -7] {
        let options = ExecuteOptions { launch_id, call_location: Some(c"test.py:1".to_owned()), ..Default::default() };
        ensure_doubled(&double.execute(&[vec![&argument]], &options)?.single()?)?;
    }
    let two = subject.compile(TWO_OUTPUTS)?;
    let array = HostArray::from_slice(&[1.0_f32, -2.0, 3.0, -0.0], &[2, 2]);
    let x = subject.client.buffer_from_host(&array, &subject.device()?)?;
    let outputs = two.run(&[&x, &x])?;
    ensure_eq(&outputs.len(), &2, "outputs")?;
    ensure_eq(&outputs[0].to_host_vec::<f32>()?, &vec![1.0, 4.0, 9.0, 0.0], "product")?;
    let bits: Vec<u32> = outputs[1].to_host_vec::<f32>()?.iter().map(|x| x.to_bits()).collect();
    let expected: Vec<u32> = [-1.0_f32, 2.0, -3.0, 0.0].iter().map(|x| x.to_bits()).collect();
    ensure_eq(&bits, &expected, "bits of the negation")?;
    let constant = subject.compile(CONSTANT)?;
    ensure_eq(&constant.run(&[])?[0].to_host_vec::<i32>()?, &vec![1, 2, 3], "constant")
}

fn every_device(subject: &Subject) -> Verdict {
    for device in subject.client.addressable_devices()? {
        let options = CompileOptions::on_device(i64::from(device.id()?)).to_bytes();
        let loaded = subject.client.compile(DOUBLE.artifact, "mlir", &options)?;
        let array = HostArray::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[4]);
        let argument = subject.client.buffer_from_host(&array, &device)?;
        let outputs = loaded.run(&[&argument])?;
        ensure(outputs[0].device()? == device, || "the output is on another device".to_owned())?;
        ensure_doubled(&outputs)?;
    }
    Ok(())
}

fn no_output(subject: &Subject) -> Verdict {
    let loaded = subject.compile(NO_OUTPUT)?;
    let executable = loaded.executable()?;
    ensure_eq(&executable.num_outputs()?, &0, "outputs")?;
    ensure_eq(&loaded.run(&[&upload(subject)?])?.len(), &0, "outputs")
}

fn without_events(subject: &Subject) -> Verdict {
    let options = ExecuteOptions { without_events: true, ..Default::default() };
    let argument = upload(subject)?;
    let mut execution = subject.compile(DOUBLE)?.execute(&[vec![&argument]], &options)?;
    ensure_doubled(&execution.outputs.remove(0))
}

fn destroyed_arguments(subject: &Subject) -> Verdict {
    let loaded = subject.compile(DOUBLE)?;
    let argument = upload(subject)?;
    let execution = loaded.execute(&[vec![&argument]], &ExecuteOptions::default())?;
    drop(argument);
    ensure_doubled(&execution.single()?)
}

fn destroyed_executable(subject: &Subject) -> Verdict {
    let loaded = subject.compile(DOUBLE)?;
    let argument = upload(subject)?;
    let execution = loaded.execute(&[vec![&argument]], &ExecuteOptions::default())?;
    drop(loaded);
    ensure_doubled(&execution.single()?)
}

fn wrong_count(subject: &Subject) -> Verdict {
    let loaded = subject.compile(DOUBLE)?;
    let argument = upload(subject)?;
    ensure_error(loaded.run(&[]), "no argument instead of one")?;
    ensure_error(loaded.run(&[&argument, &argument]), "two arguments instead of one")?;
    ensure(!argument.is_deleted()?, || "the argument is gone".to_owned())
}

fn wrong_shape(subject: &Subject) -> Verdict {
    let loaded = subject.compile(DOUBLE)?;
    let array = HostArray::from_slice(&[1.0_f32, 2.0], &[2]);
    let argument = subject.client.buffer_from_host(&array, &subject.device()?)?;
    ensure_error(loaded.run(&[&argument]), "two elements instead of four")
}

fn deleted_argument(subject: &Subject) -> Verdict {
    let argument = upload(subject)?;
    argument.delete()?;
    ensure_error(subject.compile(DOUBLE)?.run(&[&argument]), "a deleted argument")
}

fn donation(subject: &Subject) -> Verdict {
    let loaded = subject.compile(DOUBLE_IN_PLACE)?;
    let argument = upload(subject)?;
    ensure_doubled(&loaded.run(&[&argument])?)?;
    ensure_eq(&argument.dimensions()?, &vec![4], "dimensions of the argument")?;
    if argument.is_deleted()? {
        ensure_error(loaded.run(&[&argument]), "using a donated buffer")
    } else {
        ensure_eq(&argument.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "an argument that was not consumed")
    }
}

fn donation_veto(subject: &Subject) -> Verdict {
    let loaded = subject.compile(DOUBLE_IN_PLACE)?;
    let argument = upload(subject)?;
    let options = ExecuteOptions { non_donatable_input_indices: vec![0], ..Default::default() };
    ensure_doubled(&loaded.execute(&[vec![&argument]], &options)?.single()?)?;
    ensure(!argument.is_deleted()?, || "donated against the veto".to_owned())?;
    ensure_eq(&argument.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "the argument")
}

fn donated_and_used(subject: &Subject) -> Verdict {
    let loaded = subject.compile(ADD_IN_PLACE)?;
    let argument = upload(subject)?;
    match loaded.run(&[&argument, &argument]) {
        Err(error) => ensure_eq(&error.code, &Code::INVALID_ARGUMENT, "code")?,
        // A plugin that does not donate may run it.
        Ok(outputs) => {
            ensure(!argument.is_deleted()?, || "donated although it is used twice".to_owned())?;
            ensure_doubled(&outputs)?;
        }
    }
    ensure(!argument.is_deleted()?, || "a refused execution consumed its argument".to_owned())
}

fn failed_donation(subject: &Subject) -> Verdict {
    let loaded = subject.compile(ADD_IN_PLACE)?;
    let (argument, gone) = (upload(subject)?, upload(subject)?);
    gone.delete()?;
    ensure_error(loaded.run(&[&argument, &gone]), "a deleted argument")?;
    ensure(!argument.is_deleted()?, || "the other argument was donated".to_owned())?;
    ensure_eq(&argument.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "the argument")
}

fn error_argument(subject: &Subject) -> Verdict {
    let memory = subject.device()?.default_memory()?;
    let f32 = pjrt_sys::PJRT_Buffer_Type::F32;
    let bad = subject.client.error_buffer(Code::DATA_LOSS, "bad news", &[], f32, &[4], &memory)?;
    let outcome =
        subject.compile(DOUBLE)?.execute(&[vec![&bad]], &ExecuteOptions::default()).and_then(|mut execution| {
            let outputs = execution.outputs.remove(0);
            outputs[0].ready_event()?.wait()
        });
    // Some plugins wrap the error in one of their own, which then carries its text.
    ensure(outcome.as_ref().is_err_and(|error| error.message.contains("bad news")), || format!("{outcome:?}"))
}

fn context(subject: &Subject) -> Verdict {
    if subject.plugin().api_version().1 < 64 {
        return Ok(());
    }
    let loaded = subject.compile(DOUBLE)?;
    let argument = upload(subject)?;
    let context = ExecuteContext::create(&subject.client)?;
    let options = ExecuteOptions { context: Some(&context), ..Default::default() };
    let execution = loaded.execute(&[vec![&argument]], &options)?;
    context.destroy()?;
    ensure_doubled(&execution.single()?)
}

fn several_devices(subject: &Subject) -> Verdict {
    let devices = subject.client.addressable_devices()?;
    if devices.len() < 2 {
        return Err(Trouble::Unsupported("there is one device".to_owned()));
    }
    let mut ids = Vec::new();
    for device in &devices[..2] {
        ids.push(i64::from(device.id()?));
    }
    let options = CompileOptions {
        num_replicas: 2,
        device_assignment: Some(ids.iter().map(|id| vec![*id]).collect()),
        ..CompileOptions::default()
    };
    let loaded = subject.client.compile(DOUBLE.artifact, "mlir", &options.to_bytes())?;
    let order = loaded.addressable_devices()?;
    ensure_eq(&order.len(), &2, "devices")?;
    let mut arguments = Vec::new();
    for (at, device) in order.iter().enumerate() {
        let array = HostArray::from_slice(&[at as f32; 4], &[4]);
        arguments.push(subject.client.buffer_from_host(&array, device)?);
    }
    let lists: Vec<Vec<&Buffer>> = arguments.iter().map(|argument| vec![argument]).collect();
    let execution = loaded.execute(&lists, &ExecuteOptions::default())?;
    execution.wait()?;
    for (at, outputs) in execution.outputs.iter().enumerate() {
        ensure(outputs[0].device()? == order[at], || "an output is on another device".to_owned())?;
        ensure_eq(&outputs[0].to_host_vec::<f32>()?, &vec![2.0 * at as f32; 4], "result")?;
    }
    Ok(())
}

fn threads(subject: &Subject) -> Verdict {
    let loaded = subject.compile(DOUBLE)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| -> Verdict {
                    for _ in 0..20 {
                        ensure_doubled(&loaded.run(&[&upload(subject)?])?)?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|w| w.join().unwrap_or_else(|_| Err(Trouble::Failed("a thread panicked".to_owned()))))
    })
}
