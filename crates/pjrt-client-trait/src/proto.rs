//! The protobuf wire format, as much as the handful of messages here needs: fields in and fields out.
//!
//! Knows no message; those are read and written beside the types they describe.

use crate::{Result, Status};

/// The value of one field on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

impl Field<'_> {
    /// Appends the elements of a repeated integer field, packed or not.
    pub(crate) fn repeated(self, into: &mut Vec<u64>) -> Result<()> {
        match self {
            Field::Varint(value) => into.push(value),
            Field::Bytes(packed) => {
                let mut reader = Reader::new(packed);
                while !reader.rest.is_empty() {
                    into.push(reader.varint()?);
                }
            }
            _ => return Err(malformed("a repeated integer has a fixed-width encoding")),
        }
        Ok(())
    }

    /// The text of a string field.
    pub(crate) fn text(self) -> Result<String> {
        match self {
            Field::Bytes(bytes) => String::from_utf8(bytes.to_vec()).map_err(|_| malformed("a string is not UTF-8")),
            _ => Err(malformed("a string has the wrong wire type")),
        }
    }
}

/// Iterates over the fields of one message: (field number, value).
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or_else(|| malformed("a varint is cut off"))?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(malformed("a varint has more than ten bytes"))
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8]> {
        let count = usize::try_from(count).ok().filter(|&count| count <= self.rest.len());
        let (taken, rest) = self.rest.split_at(count.ok_or_else(|| malformed("a field is cut off"))?);
        self.rest = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<(u64, Field<'a>)> {
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 {
            return Err(malformed("field number 0"));
        }
        let field = match tag & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(self.take(8)?.iter().rev().fold(0, |acc, &byte| acc << 8 | u64::from(byte))),
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Fixed32(self.take(4)?.iter().rev().fold(0, |acc, &byte| acc << 8 | u32::from(byte))),
            wire => return Err(malformed(&format!("wire type {wire}"))),
        };
        Ok((number, field))
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<(u64, Field<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

fn malformed(what: &str) -> Status {
    Status::invalid_argument(format!("not a well-formed protobuf message: {what}"))
}

/// Collects the fields of one message.
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Writer { bytes: Vec::new() }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    pub(crate) fn varint(&mut self, number: u64, value: u64) {
        self.raw_varint(number << 3);
        self.raw_varint(value);
    }

    pub(crate) fn bytes(&mut self, number: u64, value: &[u8]) {
        self.raw_varint(number << 3 | 2);
        self.raw_varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// A packed repeated integer field; nothing at all when there are no values.
    pub(crate) fn packed(&mut self, number: u64, values: impl IntoIterator<Item = u64>) {
        let mut packed = Writer::new();
        for value in values {
            packed.raw_varint(value);
        }
        if !packed.bytes.is_empty() {
            self.bytes(number, &packed.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_round_trip() {
        let mut writer = Writer::new();
        writer.varint(1, u64::MAX);
        writer.bytes(2, b"abc");
        writer.packed(16, [0, 300]);
        let bytes = writer.finish();
        let fields: Vec<_> = Reader::new(&bytes).map(Result::unwrap).collect();
        assert_eq!(fields[..2], [(1, Field::Varint(u64::MAX)), (2, Field::Bytes(b"abc"))]);
        let mut list = Vec::new();
        fields[2].1.repeated(&mut list).unwrap();
        assert_eq!(list, [0, 300]);
    }

    #[test]
    fn every_truncation_is_an_error_or_a_whole_prefix() {
        let mut writer = Writer::new();
        writer.bytes(3, &[7; 200]);
        let bytes = writer.finish();
        for cut in 1..bytes.len() {
            assert!(Reader::new(&bytes[..cut]).any(|field| field.is_err()), "cut at {cut}");
        }
    }
}
