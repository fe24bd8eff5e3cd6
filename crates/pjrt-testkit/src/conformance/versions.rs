//! Callers of other versions: the same short session as every framework since the oldest one makes it.

use std::collections::BTreeSet;

use pjrt_sys::{OLDEST_MINOR, PJRT_API_MINOR, STRUCTS};

use super::{Check, DOUBLE, Subject, Trouble, Verdict, ensure, ensure_eq};
use crate::args::Caller;
use crate::array::HostArray;
use crate::client::Client;
use crate::compile_options::CompileOptions;
use crate::error::Error;

pub(super) const CHECKS: &[Check] = &[
    Check::required("a_caller_of_the_current_version_is_served", current),
    Check::required("a_newer_caller_with_longer_structs_is_served", newer),
    Check::optional("older_callers_are_served", older),
];

/// Creates a client, runs a program and reads everything that frameworks read on the way.
fn session(subject: &Subject, caller: Caller) -> Verdict {
    let client = Client::create(&subject.plugin().called_by(caller), &subject.options.client_options)?;
    client.plugin().attributes()?;
    client.platform_name()?;
    client.platform_version()?;
    client.addressable_memories()?;
    let device = client.addressable_devices()?.remove(0);
    device.description()?.attributes()?;
    device.addressable_memories()?;
    let options = CompileOptions::on_device(i64::from(device.id()?)).to_bytes();
    // Absent counters are no reason to stop; a refused struct is.
    for outcome in
        [device.memory_stats().map(|_| ()), client.topology().and_then(|topology| topology.attributes()).map(|_| ())]
    {
        tolerate_unimplemented(outcome)?;
    }
    let loaded = client.compile(DOUBLE.artifact, "mlir", &options)?;
    let executable = loaded.executable()?;
    ensure_eq(&executable.num_outputs()?, &1, "outputs")?;
    for outcome in [
        executable.compiled_memory_stats().map(|_| ()),
        executable.cost_analysis().map(|_| ()),
        executable.fingerprint().map(|_| ()),
        executable.output_memory_kinds().map(|_| ()),
    ] {
        tolerate_unimplemented(outcome)?;
    }
    loaded.addressable_devices()?;
    let argument = client.buffer_from_host(&HostArray::from_slice(&[1.0_f32; 4], &[4]), &device)?;
    let outputs = loaded.run(&[&argument])?;
    ensure_eq(&outputs[0].to_host_vec::<f32>()?, &vec![2.0; 4], "result")?;
    match executable.serialize().and_then(|bytes| client.deserialize_and_load(&bytes, None)) {
        Ok(back) => ensure_eq(&back.run(&[&argument])?[0].to_host_vec::<f32>()?, &vec![2.0; 4], "reloaded")?,
        Err(error) => tolerate_unimplemented(Err(error))?,
    }
    argument.delete()?;
    ensure(argument.is_deleted()?, || "not deleted".to_owned())
}

fn tolerate_unimplemented(outcome: Result<(), Error>) -> Verdict {
    match outcome {
        Err(error) if !error.is_unimplemented() => Err(error.into()),
        _ => Ok(()),
    }
}

fn current(subject: &Subject) -> Verdict {
    session(subject, Caller::current())
}

fn newer(subject: &Subject) -> Verdict {
    session(subject, Caller::newer_by(16))
}

/// Minor versions from the oldest one on at which some struct changed.
fn minors() -> BTreeSet<u16> {
    let changes = STRUCTS.iter().flat_map(|list| list.iter()).flat_map(|s| s.history.iter().map(|r| r.minor));
    let newest = u16::try_from(PJRT_API_MINOR).unwrap_or(u16::MAX);
    changes.chain([OLDEST_MINOR, newest]).filter(|minor| *minor >= OLDEST_MINOR).collect()
}

fn older(subject: &Subject) -> Verdict {
    let mut refused = Vec::new();
    for minor in minors() {
        match session(subject, Caller::at_minor(minor)) {
            Ok(()) => {}
            // A plugin may serve only those frameworks that are as new as itself: it must say so.
            Err(Trouble::Failed(why)) if why.contains("INVALID_ARGUMENT") => refused.push((minor, why)),
            Err(Trouble::Failed(why)) => return Err(Trouble::Failed(format!("caller of 0.{minor}: {why}"))),
            Err(other) => return Err(other),
        }
    }
    let Some((last, why)) = refused.last() else { return Ok(()) };
    Err(Trouble::Unsupported(format!("callers up to 0.{last} are refused: {why}")))
}
