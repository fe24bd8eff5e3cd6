//! A program as a framework hands it over: bytes and the name of their format.

use crate::{Result, Status};

/// The formats a framework may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramFormat {
    /// MLIR: a StableHLO portable artifact (bytecode), or MLIR text. Told apart by content.
    Mlir,
    /// A serialized `HloModuleProto`.
    Hlo,
}

impl ProgramFormat {
    /// The name used at the boundary: `mlir` or `hlo`.
    pub const fn name(self) -> &'static str {
        match self {
            ProgramFormat::Mlir => "mlir",
            ProgramFormat::Hlo => "hlo",
        }
    }

    /// The format of this name.
    ///
    /// # Errors
    /// INVALID_ARGUMENT that quotes the unknown name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "mlir" => Ok(ProgramFormat::Mlir),
            "hlo" => Ok(ProgramFormat::Hlo),
            _ => Err(Status::invalid_argument(format!(
                "unknown program format \"{name}\"; the formats are mlir and hlo"
            ))),
        }
    }
}

/// A program to compile. The bytes are lent for the duration of the call.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// What the bytes are.
    pub format: ProgramFormat,
    /// The program.
    pub code: &'a [u8],
    /// The program is as JAX wrote it, CHLO ops included. If it is refused, it comes again as a portable artifact, in
    /// which jaxlib's passes have taken apart what StableHLO has no ops for. So a backend need not know CHLO, and refuses
    /// with UNIMPLEMENTED what it would compile better in that form.
    pub unlowered: bool,
}

impl<'a> Program<'a> {
    /// A program that comes in this form only.
    pub const fn new(format: ProgramFormat, code: &'a [u8]) -> Program<'a> {
        Program { format, code, unlowered: false }
    }

    /// The bytes, if the program is MLIR.
    ///
    /// # Errors
    /// UNIMPLEMENTED that names the format that was sent and the way out.
    pub fn mlir(&self) -> Result<&'a [u8]> {
        match self.format {
            ProgramFormat::Mlir => Ok(self.code),
            ProgramFormat::Hlo => Err(Status::unimplemented(
                "programs in format \"hlo\" (a serialized HloModuleProto) are not supported; send format \"mlir\" (StableHLO)",
            )),
        }
    }
}
