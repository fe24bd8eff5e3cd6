//! The MLIR bytecode container, versions 0 to 6, and the portable artifacts of StableHLO in it.
//!
//! ```
//! let error = stablehlo::bytecode::read(b"ML\xEFR\x0DStableHLO_v1.18.0\0").unwrap_err();
//! assert_eq!(error.message(), "the string section is missing");
//! ```

mod affine;
mod builtin;
mod cursor;
mod error;
mod ir_section;
mod op_plan;
mod quantized;
mod resources;
mod sdy;
mod sections;
mod stablehlo;
mod tables;
mod write;

pub use error::ReadError;
pub(crate) use error::Result;
pub(crate) use tables::{Decoder, Tables};
pub use write::{WriteError, write};

use crate::ir::Module;
use crate::vhlo::Version;

/// Whether the bytes begin as MLIR bytecode does.
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(&sections::MAGIC)
}

/// Reads a portable artifact into current StableHLO; or a program of the dialects builtin, func, stablehlo, chlo and
/// sdy that MLIR wrote as it is, in a bytecode version below 5 (`write_bytecode(file, desired_version=4)` in Python).
/// From version 5 on the attributes of an op have no names in the file, so that what they are depends on the release
/// of StableHLO that wrote them.
///
/// # Errors
/// If the bytes are damaged, or if the program has an op, attribute or type that is not known here, which a
/// newer artifact may; the error then names it with its source location.
pub fn read(bytes: &[u8]) -> std::result::Result<Module, ReadError> {
    let sections = sections::Sections::split(bytes)?;
    let producer = sections.producer.clone();
    read_sections(&sections).map_err(|error| error.by(&producer))
}

fn read_sections(sections: &sections::Sections<'_>) -> Result<Module> {
    if let Some(version) = Version::from_producer(&sections.producer)
        && version.major > crate::CURRENT_VERSION.major
    {
        let (newest, oldest) = (crate::CURRENT_VERSION, crate::MINIMUM_VERSION);
        return Err(ReadError::new(format!(
            "the artifact has StableHLO version {version}; versions {oldest} to {newest} are read: serialise it \
             for one of those"
        )));
    }
    let strings = sections::strings(sections.required(sections::STRINGS)?)?;
    let dialects = sections::dialects(sections.required(sections::DIALECTS)?, sections.version, &strings)?;
    let properties = match sections.optional(sections::PROPERTIES) {
        Some(cursor) => sections::properties(cursor)?,
        None if sections.version >= 5 => return Err(ReadError::new("the properties section is missing")),
        None => Vec::new(),
    };
    let resources = resources::resources(
        sections.optional(sections::RESOURCE_OFFSETS),
        sections.optional(sections::RESOURCES),
        dialects.names.len(),
    )?;
    let tables = Tables::new(
        sections.required(sections::ATTR_TYPE_OFFSETS)?,
        sections.required(sections::ATTR_TYPE_DATA)?,
        strings,
        dialects.names,
        resources,
    )?;
    ir_section::Reader::new(sections.version, dialects.ops, properties, tables).read(sections.required(sections::IR)?)
}
