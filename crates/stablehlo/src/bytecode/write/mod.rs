//! Writing a program as a portable artifact of a chosen StableHLO version.
//!
//! The inverse of reading: StableHLO ops become the VHLO ops of that version with every default spelled out,
//! sdy ops stand between conversion casts. What the version cannot express is an error, never left out.

mod attrs;
mod locs;
mod ops;
mod properties;
mod sdy;
mod sink;
mod table;
mod type_spelling;

use sink::Sink;

use super::sections;
use crate::ir::{Module, OpId};
use crate::vhlo::{MINIMUM_VERSION, Version};

/// Why a program cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op}: {message}, at {location}")]
pub struct WriteError {
    /// The op, or the part of the program.
    pub op: String,
    /// What is wrong.
    pub message: String,
    /// Source location of the op.
    pub location: String,
}

/// Writes the program for readers of StableHLO `version`.
///
/// # Errors
/// If the program uses something that the version does not have or that has no portable form; and if the
/// version is older than [`MINIMUM_VERSION`] or newer than [`CURRENT_VERSION`](crate::CURRENT_VERSION).
pub fn write(module: &Module, version: Version) -> Result<Vec<u8>, WriteError> {
    if version < MINIMUM_VERSION || (version.major, version.minor) > newest() {
        return Err(WriteError {
            op: "program".to_owned(),
            message: format!(
                "StableHLO {version} cannot be written; versions {MINIMUM_VERSION} to {} can",
                crate::CURRENT_VERSION
            ),
            location: "unknown location".to_owned(),
        });
    }
    let mut table = table::Table::new(module, version);
    let body = ops::Writer::new(&mut table).write(module.root())?;
    Ok(table.finish(&body))
}

fn newest() -> (u32, u32) {
    (crate::CURRENT_VERSION.major, crate::CURRENT_VERSION.minor)
}

/// A problem that does not know yet which op has it.
type Result_<T> = Result<T, String>;

fn in_op(module: &Module, op: OpId, message: String) -> WriteError {
    let op = module.op(op);
    WriteError { op: op.name().to_owned(), message, location: op.loc_text() }
}

fn section(out: &mut Sink, id: usize, data: &[u8]) {
    out.byte(id as u8);
    out.varint(data.len() as u64);
    out.bytes(data);
}

/// The file around the sections.
fn assemble(version: Version, parts: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut out = Sink::default();
    out.bytes(&sections::MAGIC);
    out.varint(version.bytecode_version());
    out.bytes(format!("StableHLO_v{version}\0").as_bytes());
    for (id, data) in parts {
        section(&mut out, *id, data);
    }
    out.finish()
}
