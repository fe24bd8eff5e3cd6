//! What can go wrong in an operation ([`OpError`]) and in a program ([`EvalError`]).
//!
//! An operation knows its operands only; the interpreter adds the name, types and source location.

use crate::ElementType;

/// Failure of one operation on given operands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OpError {
    /// The operands or attributes contradict the specification or each other.
    #[error("{0}")]
    Invalid(String),
    /// Well-formed, but not something this evaluator does. The text says what would work instead.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The embedder's callback asked to stop.
    #[error("cancelled by the embedder")]
    Cancelled,
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
