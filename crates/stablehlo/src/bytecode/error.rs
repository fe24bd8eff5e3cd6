//! What a failed read says.

use std::fmt;

/// Why program bytes could not be read. Never a panic: any bytes give a module or one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(Box<Details>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Details {
    message: String,
    offset: Option<usize>,
    op: Option<String>,
    producer: Option<String>,
    location: Option<String>,
}

pub(crate) type Result<T> = std::result::Result<T, ReadError>;

impl ReadError {
    pub(crate) fn new(message: impl Into<String>) -> ReadError {
        ReadError(Box::new(Details { message: message.into(), ..Details::default() }))
    }

    pub(crate) fn at(message: impl Into<String>, offset: usize) -> ReadError {
        ReadError(Box::new(Details { message: message.into(), offset: Some(offset), ..Details::default() }))
    }

    /// Adds where the error was found, unless it says so already.
    pub(crate) fn or_at(mut self, offset: usize) -> ReadError {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds the op that was being read, unless it names one already.
    pub(crate) fn in_op(mut self, op: &str, location: impl FnOnce() -> Option<String>) -> ReadError {
        if self.0.op.is_none() {
            self.0.op = Some(op.to_owned());
            self.0.location = location();
        }
        self
    }

    /// Adds who wrote the bytes.
    pub(crate) fn by(mut self, producer: &str) -> ReadError {
        self.0.producer.get_or_insert_with(|| producer.to_owned());
        self
    }

    /// What is wrong, without the circumstances.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Offset of the byte where it was noticed.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// The op that was being read, by its name in the file.
    pub fn op(&self) -> Option<&str> {
        self.0.op.as_deref()
    }

    /// The producer that the file names, such as `StableHLO_v1.18.0`.
    pub fn producer(&self) -> Option<&str> {
        self.0.producer.as_deref()
    }

    /// Source location of that op.
    pub fn location(&self) -> Option<&str> {
        self.0.location.as_deref()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { message, offset, op, producer, location } = &*self.0;
        match op {
            Some(op) => write!(f, "{op}: {message}")?,
            None => f.write_str(message)?,
        }
        if let Some(location) = location {
            write!(f, ", at {location}")?;
        }
        if let Some(offset) = offset {
            write!(f, ", byte {offset}")?;
        }
        match producer {
            Some(producer) => write!(f, ", program by {producer}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ReadError {}
