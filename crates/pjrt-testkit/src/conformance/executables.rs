//! Compilation, metadata of executables, serialization.

use pjrt_sys::PJRT_Buffer_Type as Type;

use super::{
    CONSTANT, Check, DOUBLE, Program, Subject, TWO_OUTPUTS, Verdict, ensure, ensure_code, ensure_eq, ensure_error,
};
use crate::array::HostArray;
use crate::compile_options::CompileOptions;
use crate::error::Code;
use crate::executable::Executable;
use crate::named_value::Value;

pub(super) const CHECKS: &[Check] = &[
    Check::required("an_executable_describes_its_outputs", outputs),
    Check::required("a_loaded_executable_names_its_devices", devices),
    Check::required("garbage_options_are_refused", garbage_options),
    Check::required("an_unknown_format_is_refused", unknown_format),
    Check::required("a_broken_program_is_refused", broken_program),
    Check::required("handles_of_one_program_are_independent", handles),
    Check::required("a_deleted_executable_says_so_and_does_not_run", delete),
    Check::optional("programs_are_read_as_text_too", text),
    Check::optional("memory_kinds_are_listed", memory_kinds),
    Check::optional("fingerprints_tell_programs_apart", fingerprints),
    Check::optional("costs_are_floats", costs),
    Check::optional("planned_memory_is_not_negative", memory_stats),
    Check::optional("the_optimized_program_can_be_read", optimized_program),
    Check::optional("compile_options_can_be_read_back", compile_options),
    Check::optional("a_serialized_executable_runs_again", serialization),
    Check::optional("compiling_ahead_of_time_and_loading_works", ahead_of_time),
    Check::required("programs_may_be_compiled_on_many_threads", threads),
];

/// What an executable says. The loaded one lives as long: some plugins let the other borrow from it.
fn with_executable<T>(
    subject: &Subject,
    program: Program,
    ask: impl FnOnce(&Executable) -> Result<T, crate::Error>,
) -> Result<T, super::Trouble> {
    let loaded = subject.compile(program)?;
    let executable = loaded.executable()?;
    Ok(ask(&executable)?)
}

fn outputs(subject: &Subject) -> Verdict {
    let loaded = subject.compile(TWO_OUTPUTS)?;
    let executable = loaded.executable()?;
    ensure_eq(&executable.num_outputs()?, &2, "outputs")?;
    ensure_eq(&executable.num_replicas()?, &1, "replicas")?;
    ensure_eq(&executable.num_partitions()?, &1, "partitions")?;
    ensure_eq(&executable.output_element_types()?, &vec![Type::F32; 2], "element types")?;
    ensure_eq(&executable.output_dimensions()?, &vec![vec![2, 2]; 2], "dimensions")?;
    ensure(executable.name()?.contains("two_outputs"), || format!("name {:?}", executable.name().ok()))?;
    executable.size_of_generated_code()?;
    Ok(())
}

fn devices(subject: &Subject) -> Verdict {
    let devices = subject.client.addressable_devices()?;
    let last = devices.last().ok_or_else(|| super::Trouble::Failed("no device".to_owned()))?;
    let id = last.id()?;
    let options = CompileOptions::on_device(i64::from(id)).to_bytes();
    let loaded = subject.client.compile(DOUBLE.artifact, "mlir", &options)?;
    ensure(loaded.addressable_devices()? == std::slice::from_ref(last), || "another device".to_owned())?;
    if subject.plugin().api_version().1 >= 96 {
        ensure_eq(&loaded.addressable_device_logical_ids()?, &vec![(0, 0)], "logical ids")?;
    }
    if subject.plugin().api_version().1 >= 79 && id < 128 {
        let expected = vec![8, 1, 16, 1, 26, 3, 10, 1, u8::try_from(id).unwrap_or(0)];
        ensure_eq(&loaded.device_assignment()?, &expected, "device assignment")?;
    }
    Ok(())
}

fn garbage_options(subject: &Subject) -> Verdict {
    let outcome = subject.client.compile(DOUBLE.artifact, "mlir", b"\xff\xff\xff\xff");
    ensure_code(outcome, Code::INVALID_ARGUMENT, "garbage options")
}

fn unknown_format(subject: &Subject) -> Verdict {
    let outcome = subject.client.compile(b"", "no such format", &CompileOptions::default().to_bytes());
    let quoted = outcome.as_ref().is_err_and(|error| error.message.contains("no such format"));
    ensure_code(outcome, Code::INVALID_ARGUMENT, "an unknown format")?;
    ensure(quoted, || "the message does not quote the format".to_owned())
}

fn broken_program(subject: &Subject) -> Verdict {
    let options = CompileOptions::default().to_bytes();
    ensure_error(subject.client.compile(b"this is no module", "mlir", &options), "compiling prose")?;
    ensure_error(subject.client.compile(b"ML\xefR\x00", "mlir", &options), "compiling cut-off bytecode")
}

fn handles(subject: &Subject) -> Verdict {
    let loaded = subject.compile(CONSTANT)?;
    let (one, two) = (loaded.executable()?, loaded.executable()?);
    ensure(one.raw() != two.raw(), || "the same handle twice".to_owned())?;
    one.destroy()?;
    ensure_eq(&two.num_outputs()?, &1, "outputs")?;
    two.destroy()?;
    ensure_eq(&loaded.run(&[])?[0].to_host_vec::<i32>()?, &vec![1, 2, 3], "result")
}

fn delete(subject: &Subject) -> Verdict {
    let loaded = subject.compile(CONSTANT)?;
    ensure(!loaded.is_deleted()?, || "deleted from the start".to_owned())?;
    loaded.delete()?;
    ensure(loaded.is_deleted()?, || "not deleted".to_owned())?;
    ensure_error(loaded.run(&[]), "running a deleted executable")
}

fn text(subject: &Subject) -> Verdict {
    let options = CompileOptions::on_device(i64::from(subject.device()?.id()?)).to_bytes();
    for program in [DOUBLE, TWO_OUTPUTS] {
        // A plugin may read artifacts only; what it reads must be the same program.
        let loaded = subject.client.compile(program.text.as_bytes(), "mlir", &options);
        let loaded = loaded.map_err(|error| super::Trouble::Unsupported(error.to_string()))?;
        let executable = loaded.executable()?;
        let same = with_executable(subject, program, |executable| executable.output_dimensions())?;
        ensure_eq(&executable.output_dimensions()?, &same, "dimensions")?;
    }
    Ok(())
}

fn memory_kinds(subject: &Subject) -> Verdict {
    let loaded = subject.compile(TWO_OUTPUTS)?;
    let executable = loaded.executable()?;
    let kinds = executable.output_memory_kinds()?;
    ensure(kinds.len() == 2 && kinds.iter().all(|kind| !kind.is_empty()), || format!("outputs: {kinds:?}"))?;
    let kinds = executable.parameter_memory_kinds()?;
    ensure(kinds.len() == 2 && kinds.iter().all(|kind| !kind.is_empty()), || format!("parameters: {kinds:?}"))
}

fn fingerprints(subject: &Subject) -> Verdict {
    let of = |program| with_executable(subject, program, Executable::fingerprint);
    let (one, same, other) = (of(DOUBLE)?, of(DOUBLE)?, of(CONSTANT)?);
    ensure(!one.is_empty() && one != other, || "two programs have the same".to_owned())?;
    ensure_eq(&same, &one, "fingerprint of the same program")
}

fn costs(subject: &Subject) -> Verdict {
    let costs = with_executable(subject, TWO_OUTPUTS, |executable| executable.cost_analysis())?;
    let floats = costs.iter().all(|cost| matches!(cost.value, Value::Float(_)));
    ensure(floats, || format!("{costs:?}"))
}

fn memory_stats(subject: &Subject) -> Verdict {
    let stats = with_executable(subject, TWO_OUTPUTS, |executable| executable.compiled_memory_stats())?;
    let all = [stats.generated_code, stats.arguments, stats.outputs, stats.aliases, stats.temporaries, stats.peak];
    ensure(all.iter().all(|bytes| *bytes >= 0), || format!("{stats:?}"))
}

fn optimized_program(subject: &Subject) -> Verdict {
    let (format, bytes) = with_executable(subject, DOUBLE, |executable| executable.optimized_program())?;
    let known = ["hlo", "hlo_with_config", "mlir"].contains(&format.as_str());
    ensure(known && !bytes.is_empty(), || format!("format {format:?}, {} bytes", bytes.len()))
}

fn compile_options(subject: &Subject) -> Verdict {
    let bytes = with_executable(subject, DOUBLE, |executable| executable.compile_options())?;
    ensure(!bytes.is_empty(), || "no bytes".to_owned())?;
    // What comes back must be acceptable again.
    let again = subject.client.compile(DOUBLE.artifact, "mlir", &bytes)?;
    let executable = again.executable()?;
    ensure_eq(&executable.num_outputs()?, &1, "outputs")
}

fn serialization(subject: &Subject) -> Verdict {
    let bytes = with_executable(subject, DOUBLE, |executable| executable.serialize())?;
    let back = subject.client.deserialize_and_load(&bytes, None)?;
    let argument = subject.client.buffer_from_host(&HostArray::from_slice(&[1.0_f32; 4], &[4]), &subject.device()?)?;
    ensure_eq(&back.run(&[&argument])?[0].to_host_vec::<f32>()?, &vec![2.0; 4], "result")?;
    ensure_error(subject.client.deserialize_and_load(b"no executable", None), "loading garbage")?;
    ensure_error(subject.client.deserialize_and_load(&bytes[..bytes.len() / 2], None), "loading half of the bytes")
}

fn ahead_of_time(subject: &Subject) -> Verdict {
    let topology = subject.client.topology()?;
    let options = CompileOptions::on_device(i64::from(subject.device()?.id()?)).to_bytes();
    let executable = subject.client.compile_for(&topology, CONSTANT.artifact, "mlir", &options)?;
    ensure_eq(&executable.num_outputs()?, &1, "outputs")?;
    let loaded = subject.client.load(&executable, &options)?;
    drop(executable);
    ensure_eq(&loaded.run(&[])?[0].to_host_vec::<i32>()?, &vec![1, 2, 3], "result")
}

fn threads(subject: &Subject) -> Verdict {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| -> Verdict {
                    let loaded = subject.compile(CONSTANT)?;
                    ensure_eq(&loaded.run(&[])?[0].to_host_vec::<i32>()?, &vec![1, 2, 3], "result")
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|w| w.join().unwrap_or_else(|_| Err(super::Trouble::Failed("a thread panicked".to_owned()))))
    })
}
