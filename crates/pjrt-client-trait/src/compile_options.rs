//! Compile options: what of `CompileOptionsProto` a backend can act on, and the bytes themselves.

use crate::proto::{Field, Reader};
use crate::{DeviceAssignment, Result, Status};
use std::collections::BTreeMap;

/// The value of one `compiler_options=` entry of the user.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionOverride {
    /// Text.
    String(String),
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A 64-bit float.
    Double(f64),
}

/// Options of one compilation. The hundreds of XLA debug flags in the message are skipped.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileOptions {
    /// Replicas of the program; at least 1.
    pub num_replicas: usize,
    /// Partitions of the program; at least 1.
    pub num_partitions: usize,
    /// Whether one program in global shapes is to be partitioned by the backend.
    pub use_spmd_partitioning: bool,
    /// Whether shardings are Shardy attributes (and not `mhlo.sharding` texts).
    pub use_shardy_partitioner: bool,
    /// Whether the backend should choose shardings by itself.
    pub use_auto_spmd_partitioning: bool,
    /// Which device runs what, if the caller said so.
    pub device_assignment: Option<DeviceAssignment>,
    /// The device to compile for when there is no assignment; −1 when unspecified.
    pub device_ordinal: i64,
    /// Whether the executable may run on any one device, chosen at each launch.
    pub compile_portable_executable: bool,
    /// Per result: whether its sharding may be chosen by propagation. One entry may stand for all.
    pub allow_sharding_propagation_to_output: Vec<bool>,
    /// Per parameter: whether its sharding may be chosen by propagation. One entry may stand for all.
    pub allow_sharding_propagation_to_parameters: Vec<bool>,
    /// What the user gave with `compiler_options=`, by name.
    pub overrides: BTreeMap<String, OptionOverride>,
    proto: Vec<u8>,
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions {
            num_replicas: 1,
            num_partitions: 1,
            use_spmd_partitioning: false,
            use_shardy_partitioner: false,
            use_auto_spmd_partitioning: false,
            device_assignment: None,
            device_ordinal: -1,
            compile_portable_executable: false,
            allow_sharding_propagation_to_output: Vec::new(),
            allow_sharding_propagation_to_parameters: Vec::new(),
            overrides: BTreeMap::new(),
            proto: Vec::new(),
        }
    }
}

impl CompileOptions {
    /// Refuses every entry of [`CompileOptions::overrides`] that is not in `known`, so that a misspelt option, or one
    /// of another compiler, is not silently ignored.
    ///
    /// # Errors
    /// INVALID_ARGUMENT that names the unknown option and those that exist.
    pub fn reject_unknown_overrides(&self, known: &[&str]) -> Result<()> {
        match self.overrides.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Status::invalid_argument(format!(
                "unknown compiler option \"{name}\"; this backend knows: {}",
                if known.is_empty() { "none".to_owned() } else { known.join(", ") }
            ))),
        }
    }

    /// Reads a serialized `CompileOptionsProto`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the bytes are no such message, or counts and assignment contradict each other.
    pub fn from_proto(bytes: &[u8]) -> Result<Self> {
        CompileOptions::parse(bytes).map_err(|error| error.context("cannot read the compile options"))
    }

    /// The bytes these options were read from; empty when they were built in Rust.
    pub fn to_proto(&self) -> &[u8] {
        &self.proto
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let mut options = CompileOptions { proto: bytes.to_vec(), ..CompileOptions::default() };
        for field in Reader::new(bytes) {
            match field? {
                (3, Field::Bytes(build)) => options.parse_build_options(build)?,
                (4, Field::Varint(flag)) => options.compile_portable_executable = flag != 0,
                (7, Field::Bytes(entry)) => {
                    let (name, value) = parse_override(entry)?;
                    options.overrides.insert(name, value);
                }
                (3 | 7, _) => return Err(Status::invalid_argument("a nested message has the wrong wire type")),
                _ => {}
            }
        }
        if let Some(assignment) = &options.device_assignment {
            let (replicas, partitions) = (assignment.replicas(), assignment.partitions());
            if (replicas, partitions) != (options.num_replicas, options.num_partitions) {
                return Err(Status::invalid_argument(format!(
                    "num_replicas is {} and num_partitions is {}, but the device assignment is {replicas} x {partitions}",
                    options.num_replicas, options.num_partitions
                )));
            }
        }
        Ok(options)
    }

    fn parse_build_options(&mut self, bytes: &[u8]) -> Result<()> {
        for field in Reader::new(bytes) {
            match field? {
                (1, Field::Varint(ordinal)) => self.device_ordinal = ordinal as i64,
                (4, Field::Varint(count)) => self.num_replicas = positive("num_replicas", count)?,
                (5, Field::Varint(count)) => self.num_partitions = positive("num_partitions", count)?,
                (6, Field::Varint(flag)) => self.use_spmd_partitioning = flag != 0,
                (7, Field::Varint(flag)) => self.use_auto_spmd_partitioning = flag != 0,
                (9, Field::Bytes(assignment)) => {
                    self.device_assignment = Some(DeviceAssignment::from_proto(assignment)?)
                }
                (12, flags) => append_flags(flags, &mut self.allow_sharding_propagation_to_output)?,
                (18, flags) => append_flags(flags, &mut self.allow_sharding_propagation_to_parameters)?,
                (19, Field::Varint(flag)) => self.use_shardy_partitioner = flag != 0,
                _ => {}
            }
        }
        Ok(())
    }
}

/// A count that is zero or absent means one, as in XLA.
fn positive(name: &str, count: u64) -> Result<usize> {
    match i32::try_from(count as i64) {
        Ok(count) if count >= 0 => Ok(count.max(1) as usize),
        _ => Err(Status::invalid_argument(format!("{name} is {}", count as i64))),
    }
}

fn append_flags(field: Field<'_>, into: &mut Vec<bool>) -> Result<()> {
    let mut values = Vec::new();
    field.repeated(&mut values)?;
    into.extend(values.into_iter().map(|value| value != 0));
    Ok(())
}

fn parse_override(entry: &[u8]) -> Result<(String, OptionOverride)> {
    let (mut name, mut value) = (String::new(), None);
    for field in Reader::new(entry) {
        match field? {
            (1, text) => name = text.text()?,
            (2, Field::Bytes(message)) => {
                for field in Reader::new(message) {
                    value = match field? {
                        (1, text) => Some(OptionOverride::String(text.text()?)),
                        (2, Field::Varint(flag)) => Some(OptionOverride::Bool(flag != 0)),
                        (3, Field::Varint(number)) => Some(OptionOverride::Int(number as i64)),
                        (4, Field::Fixed64(bits)) => Some(OptionOverride::Double(f64::from_bits(bits))),
                        _ => value,
                    };
                }
            }
            _ => {}
        }
    }
    let value = value.ok_or_else(|| Status::invalid_argument(format!("compiler option \"{name}\" has no value")))?;
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceId;
    use crate::proto::Writer;

    fn message(replicas: u64, partitions: u64, devices: &[i32]) -> Vec<u8> {
        let mut build = Writer::new();
        build.varint(1, -1i64 as u64);
        build.bytes(3, &[0x08, 0x01]);
        build.varint(4, replicas);
        build.varint(5, partitions);
        build.varint(6, 1);
        if !devices.is_empty() {
            let ids = devices.iter().map(|&id| DeviceId(id)).collect();
            build.bytes(9, &DeviceAssignment::new(1, devices.len(), ids).unwrap().to_proto());
        }
        build.packed(12, [1, 0]);
        build.varint(19, 1);
        let mut options = Writer::new();
        options.bytes(3, &build.finish());
        let mut value = Writer::new();
        value.varint(3, -5i64 as u64);
        let mut entry = Writer::new();
        entry.bytes(1, b"level");
        entry.bytes(2, &value.finish());
        options.bytes(7, &entry.finish());
        options.finish()
    }

    #[test]
    fn what_jax_sends_is_read() {
        let options = CompileOptions::from_proto(&message(1, 2, &[1, 0])).unwrap();
        assert_eq!((options.num_replicas, options.num_partitions, options.device_ordinal), (1, 2, -1));
        assert!(options.use_spmd_partitioning && options.use_shardy_partitioner);
        assert_eq!(options.allow_sharding_propagation_to_output, [true, false]);
        assert_eq!(options.overrides["level"], OptionOverride::Int(-5));
        assert!(options.reject_unknown_overrides(&["level"]).is_ok());
        let error = options.reject_unknown_overrides(&["depth"]).unwrap_err();
        assert_eq!(error.message, "unknown compiler option \"level\"; this backend knows: depth");
        let devices: Vec<_> = options.device_assignment.unwrap().iter().map(|(_, device)| device.0).collect();
        assert_eq!(devices, [1, 0]);
    }

    #[test]
    fn contradictions_and_garbage_are_refused() {
        assert!(CompileOptions::from_proto(&message(2, 2, &[1, 0])).is_err());
        assert!(CompileOptions::from_proto(&message(1, u64::MAX, &[])).is_err());
        assert!(CompileOptions::from_proto(b"invalid compile options").is_err());
        assert_eq!(CompileOptions::from_proto(&[]).unwrap().num_partitions, 1);
    }
}
