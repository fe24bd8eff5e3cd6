//! Why a kernel could not be prepared or run.

use thiserror::Error;

/// Failure to prepare or to run a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KernelError {
    /// Shapes and attributes contradict each other or the specification.
    #[error("{op}: {problem}")]
    #[allow(missing_docs, reason = "the message says what the fields are")]
    Invalid { op: &'static str, problem: String },
    /// Well-formed, but no kernel does it. The text says what and what would work instead.
    #[error("{op}: unsupported: {problem}")]
    #[allow(missing_docs, reason = "the message says what the fields are")]
    Unsupported { op: &'static str, problem: String },
    /// Another number of operands than the kernel has.
    #[error("{wanted} {role}s expected, {given} were handed in")]
    #[allow(missing_docs, reason = "the message says what the fields are")]
    Count { role: &'static str, wanted: usize, given: usize },
    /// An operand of another size than its shape takes.
    #[error("{role} {index} has {given} bytes, its shape takes {wanted}")]
    #[allow(missing_docs, reason = "the message says what the fields are")]
    Length { role: &'static str, index: usize, wanted: usize, given: usize },
}

impl KernelError {
    pub(crate) fn invalid(op: &'static str, problem: impl Into<String>) -> KernelError {
        KernelError::Invalid { op, problem: problem.into() }
    }

    pub(crate) fn unsupported(op: &'static str, problem: impl Into<String>) -> KernelError {
        KernelError::Unsupported { op, problem: problem.into() }
    }
}
