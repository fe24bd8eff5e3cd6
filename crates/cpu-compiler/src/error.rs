//! What goes wrong while a program is compiled or run, in the terms that a client needs to pass it on.

use stablehlo::eval::{EvalError, EvalErrorKind};
use stablehlo::ir::OpRef;

/// What sort of mistake it is, and so whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The program or its arguments break a rule.
    Invalid,
    /// The program is right, and we cannot run it.
    Unsupported,
    /// There is no memory for it.
    OutOfMemory,
    /// Whoever launched the program asked it to stop.
    Cancelled,
    /// A custom call said so; the message is the handler's.
    CustomCall,
    /// We are wrong.
    Internal,
}

/// A program that could not be compiled or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What sort of mistake it is.
    pub kind: ErrorKind,
    /// Op, types, source location and the way out, as far as there are such.
    pub message: String,
}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The program or its arguments break a rule.
    pub fn invalid(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Invalid, message: message.into() }
    }

    /// The program is right, and we cannot run it.
    pub fn unsupported(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Unsupported, message: message.into() }
    }

    /// We are wrong.
    pub fn internal(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Internal, message: message.into() }
    }

    /// A failed custom call.
    pub fn custom_call(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::CustomCall, message: message.into() }
    }

    /// The same error, told of an op: its name, result types and location come first.
    pub fn at(self, op: OpRef<'_>) -> Error {
        let module = op.module();
        let types: Vec<String> = op.result_types().map(|ty| module.type_text(ty)).collect();
        let message = format!("{} : {} at {}: {}", op.name(), types.join(", "), op.loc_text(), self.message);
        Error { kind: self.kind, message }
    }
}

impl From<EvalError> for Error {
    fn from(error: EvalError) -> Error {
        let kind = match error.kind {
            EvalErrorKind::Unsupported => ErrorKind::Unsupported,
            EvalErrorKind::Cancelled => ErrorKind::Cancelled,
            _ => ErrorKind::Invalid,
        };
        Error { kind, message: error.to_string() }
    }
}

impl From<stablehlo::ir::AttrError> for Error {
    fn from(error: stablehlo::ir::AttrError) -> Error {
        Error::invalid(error.to_string())
    }
}

impl From<cpu_runtime::OutOfMemory> for Error {
    fn from(error: cpu_runtime::OutOfMemory) -> Error {
        Error { kind: ErrorKind::OutOfMemory, message: error.to_string() }
    }
}
