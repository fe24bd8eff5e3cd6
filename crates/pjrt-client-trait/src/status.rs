//! Errors as they cross every boundary here: a canonical code, a message, optional payloads.

use std::collections::BTreeMap;
use std::fmt;

/// The result of every fallible method of the vocabulary.
pub type Result<T, E = Status> = std::result::Result<T, E>;

/// The canonical error codes (absl and gRPC numbering), without OK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Code {
    /// The caller gave up.
    Cancelled = 1,
    /// Nothing better is known.
    Unknown = 2,
    /// The arguments are wrong whatever the state of the system.
    InvalidArgument = 3,
    /// Time ran out.
    DeadlineExceeded = 4,
    /// Something named does not exist.
    NotFound = 5,
    /// Something to be created exists.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// Memory or another quota is used up.
    ResourceExhausted = 8,
    /// The system is not in the state that the call needs.
    FailedPrecondition = 9,
    /// A conflict with concurrent work; trying again may help.
    Aborted = 10,
    /// Past the valid range.
    OutOfRange = 11,
    /// The backend does not support this.
    Unimplemented = 12,
    /// A broken invariant, or a panic.
    Internal = 13,
    /// Temporarily not available.
    Unavailable = 14,
    /// Data are lost or damaged.
    DataLoss = 15,
    /// The caller is not identified.
    Unauthenticated = 16,
}

impl Code {
    /// The code with this number; `None` for 0 (OK) and for numbers outside the canonical range.
    pub fn from_number(number: u32) -> Option<Code> {
        use Code::*;
        const ALL: [Code; 16] = [
            Cancelled,
            Unknown,
            InvalidArgument,
            DeadlineExceeded,
            NotFound,
            AlreadyExists,
            PermissionDenied,
            ResourceExhausted,
            FailedPrecondition,
            Aborted,
            OutOfRange,
            Unimplemented,
            Internal,
            Unavailable,
            DataLoss,
            Unauthenticated,
        ];
        number.checked_sub(1).and_then(|index| ALL.get(index as usize)).copied()
    }
}

/// An error: what kind, what and where, and optional machine-readable payloads (key to bytes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The canonical code.
    pub code: Code,
    /// What went wrong, where, and the way out.
    pub message: String,
    /// Extra data by key (a type URL in XLA's use). Empty nearly always.
    pub payloads: BTreeMap<String, Vec<u8>>,
}

impl Status {
    /// An error with this code and message and no payloads.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Status { code, message: message.into(), payloads: BTreeMap::new() }
    }

    /// The same error with `context: ` in front of its message.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The same error with one more payload.
    #[must_use]
    pub fn with_payload(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.payloads.insert(key.into(), value.into());
        self
    }
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $code:ident;)*) => {
        impl Status {
            $($(#[$doc])* pub fn $name(message: impl Into<String>) -> Self { Status::new(Code::$code, message) })*
        }
    };
}

constructors! {
    /// [`Code::InvalidArgument`].
    invalid_argument => InvalidArgument;
    /// [`Code::NotFound`].
    not_found => NotFound;
    /// [`Code::AlreadyExists`].
    already_exists => AlreadyExists;
    /// [`Code::FailedPrecondition`].
    failed_precondition => FailedPrecondition;
    /// [`Code::ResourceExhausted`].
    resource_exhausted => ResourceExhausted;
    /// [`Code::Unimplemented`]: name the thing and the way out.
    unimplemented => Unimplemented;
    /// [`Code::Internal`].
    internal => Internal;
    /// [`Code::Unavailable`].
    unavailable => Unavailable;
    /// [`Code::DataLoss`].
    data_loss => DataLoss;
    /// [`Code::DeadlineExceeded`].
    deadline_exceeded => DeadlineExceeded;
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.code, self.message)
    }
}

impl std::error::Error for Status {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_canonical_ones() {
        for number in 1..=16 {
            assert_eq!(Code::from_number(number).map(|code| code as u32), Some(number));
        }
        assert_eq!(Code::from_number(0), None);
        assert_eq!(Code::from_number(17), None);
    }
}
