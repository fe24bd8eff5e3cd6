//! What can go wrong in an operation ([`OpError`]) and in a program ([`EvalError`]).
//!
//! An operation knows its operands only; the interpreter adds the name, types and source location.

use crate::ElementType;
use crate::ir::{AttrError, OpRef};

/// Failure of one operation on given operands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OpError {
    /// The operands or attributes contradict the specification or each other.
    #[error("{0}")]
    Invalid(String),
    /// Well-formed, but not something this evaluator does. The text says what would work instead.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The embedder asked to stop.
    #[error("cancelled by the embedder")]
    Cancelled,
    /// An op inside a region of the operation failed.
    #[error(transparent)]
    Inside(Box<EvalError>),
}

impl OpError {
    /// An [`OpError::Invalid`].
    pub fn invalid(text: impl Into<String>) -> OpError {
        OpError::Invalid(text.into())
    }

    /// An [`OpError::Unsupported`].
    pub fn unsupported(text: impl Into<String>) -> OpError {
        OpError::Unsupported(text.into())
    }

    /// The operation is not defined for this element type.
    pub fn element_type(what: &str, element_type: ElementType) -> OpError {
        OpError::Invalid(format!("{what} is not defined for element type {element_type}; convert the operand first"))
    }
}

impl From<AttrError> for OpError {
    fn from(error: AttrError) -> OpError {
        OpError::Invalid(format!("attribute `{}` {}", error.name, error.problem))
    }
}

impl From<EvalError> for OpError {
    fn from(error: EvalError) -> OpError {
        OpError::Inside(Box::new(error))
    }
}

/// What sort of failure an [`EvalError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalErrorKind {
    /// The program or its inputs are wrong.
    Invalid,
    /// The program is well-formed but needs something this evaluator does not do.
    Unsupported,
    /// The embedder asked to stop.
    Cancelled,
}

/// Failure to prepare or run a program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct EvalError {
    /// What sort of failure it is.
    pub kind: EvalErrorKind,
    /// The full name of the op; empty if no single op is to blame.
    pub op: String,
    /// Op, types, problem and source location in one text.
    pub message: String,
}

impl EvalError {
    /// A failure of the program as a whole, or of what it was given.
    pub fn invalid(message: impl Into<String>) -> EvalError {
        EvalError { kind: EvalErrorKind::Invalid, op: String::new(), message: message.into() }
    }

    /// Names the op that failed, its types and where it comes from.
    pub fn at(op: OpRef<'_>, error: OpError) -> EvalError {
        let kind = match error {
            OpError::Inside(inner) => return *inner,
            OpError::Invalid(_) => EvalErrorKind::Invalid,
            OpError::Unsupported(_) => EvalErrorKind::Unsupported,
            OpError::Cancelled => EvalErrorKind::Cancelled,
        };
        let module = op.module();
        let message = format!(
            "{} : ({}) -> ({}): {error}, at {}",
            op.name(),
            module.value_types_text(op.operands()),
            module.value_types_text(op.results()),
            op.loc_text()
        );
        EvalError { kind, op: op.name().to_owned(), message }
    }
}
