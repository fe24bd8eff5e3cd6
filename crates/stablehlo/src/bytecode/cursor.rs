//! The primitives of MLIR bytecode, read from a bounded part of the file.
//!
//! Positions are those of the whole file: alignment and error messages need them.

use super::error::{ReadError, Result};

/// A position in the file and the end of what may be read from there.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    file: &'a [u8],
    pos: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(file: &'a [u8]) -> Self {
        Cursor { file, pos: 0, end: file.len() }
    }

    /// The part of a file from `start` to `end`, which must be in it.
    pub(crate) fn part(file: &'a [u8], start: usize, end: usize) -> Self {
        debug_assert!(start <= end && end <= file.len());
        Cursor { file, pos: start, end }
    }

    #[inline]
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.end - self.pos
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.pos == self.end
    }

    /// Limits or extends what may be read; `end` must lie in the file and not before the position.
    pub(crate) fn set_end(&mut self, end: usize) {
        debug_assert!(self.pos <= end && end <= self.file.len());
        self.end = end;
    }

    #[cold]
    pub(crate) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ReadError::at(message, self.pos))
    }

    pub(crate) fn expect_end(&self, what: &str) -> Result<()> {
        if self.is_at_end() {
            return Ok(());
        }
        self.error(format!("{} bytes are left over at the end of {what}", self.remaining()))
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8> {
        if self.pos == self.end {
            return self.error("the data end too early");
        }
        let byte = self.file[self.pos];
        self.pos += 1;
        Ok(byte)
    }

    pub(crate) fn bytes(&mut self, len: u64) -> Result<&'a [u8]> {
        match usize::try_from(len) {
            Ok(len) if len <= self.remaining() => {
                let bytes = &self.file[self.pos..self.pos + len];
                self.pos += len;
                Ok(bytes)
            }
            _ => self.error(format!("{len} bytes are announced and {} left", self.remaining())),
        }
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64> {
        let first = self.byte()?;
        if first & 1 == 1 {
            return Ok(u64::from(first >> 1));
        }
        self.long_varint(first)
    }

    fn long_varint(&mut self, first: u8) -> Result<u64> {
        let followers = first.trailing_zeros() as usize;
        let rest = self.bytes(followers as u64)?;
        let mut word = [0u8; 8];
        if followers == 8 {
            word.copy_from_slice(rest);
            return Ok(u64::from_le_bytes(word));
        }
        word[0] = first;
        word[1..=followers].copy_from_slice(rest);
        Ok(u64::from_le_bytes(word) >> (followers + 1))
    }

    #[inline]
    pub(crate) fn signed_varint(&mut self) -> Result<i64> {
        let zigzag = self.varint()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    #[inline]
    pub(crate) fn varint_with_flag(&mut self) -> Result<(u64, bool)> {
        let value = self.varint()?;
        Ok((value >> 1, value & 1 == 1))
    }

    pub(crate) fn bool(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => self.error(format!("a bool is {other}")),
        }
    }

    /// A count of things of which each takes at least one byte.
    #[inline]
    pub(crate) fn count(&mut self) -> Result<usize> {
        let count = self.varint()?;
        self.check_count(count)
    }

    #[inline]
    pub(crate) fn check_count(&self, count: u64) -> Result<usize> {
        match usize::try_from(count) {
            Ok(count) if count <= self.remaining() => Ok(count),
            _ => self.error(format!("{count} entries are announced and only {} bytes left", self.remaining())),
        }
    }

    pub(crate) fn blob(&mut self) -> Result<&'a [u8]> {
        let len = self.varint()?;
        self.bytes(len)
    }

    pub(crate) fn signed_list(&mut self) -> Result<Vec<i64>> {
        let count = self.count()?;
        (0..count).map(|_| self.signed_varint()).collect()
    }

    /// An integer of `width` bits, as the 64-bit words of its zero-extended value.
    pub(crate) fn ap_int(&mut self, width: u32) -> Result<Vec<u64>> {
        if width <= 64 {
            return Ok(vec![self.small_ap_int(width)?]);
        }
        let words = self.count()?;
        if words > width.div_ceil(64) as usize {
            return self.error(format!("an integer of {width} bits has {words} words"));
        }
        (0..words).map(|_| self.signed_varint().map(|word| word as u64)).collect()
    }

    /// An integer of at most 64 bits, zero-extended.
    pub(crate) fn small_ap_int(&mut self, width: u32) -> Result<u64> {
        let value = if width <= 8 { u64::from(self.byte()?) } else { self.signed_varint()? as u64 };
        Ok(if width >= 64 { value } else { value & ((1 << width) - 1) })
    }

    /// Text that a zero byte ends.
    pub(crate) fn zero_terminated(&mut self) -> Result<&'a [u8]> {
        let rest = &self.file[self.pos..self.end];
        match rest.iter().position(|&b| b == 0) {
            Some(len) => {
                self.pos += len + 1;
                Ok(&rest[..len])
            }
            None => self.error("a text has no zero byte at its end"),
        }
    }

    /// Skips the filler up to a multiple of `alignment`.
    pub(crate) fn align(&mut self, alignment: u64) -> Result<()> {
        if !alignment.is_power_of_two() {
            return self.error(format!("the alignment {alignment} is no power of two"));
        }
        while !(self.pos as u64).is_multiple_of(alignment) {
            if self.byte()? != 0xCB {
                return self.error("the filler before aligned data has another byte than CB");
            }
        }
        Ok(())
    }

    /// The head of a section: its id, and its data as a cursor of their own. This one goes on after them.
    pub(crate) fn section(&mut self) -> Result<(u8, Cursor<'a>)> {
        let id = self.byte()?;
        let len = self.varint()?;
        if id & 0x80 != 0 {
            let alignment = self.varint()?;
            self.align(alignment)?;
        }
        let start = self.pos;
        self.bytes(len)?;
        Ok((id & 0x7F, Cursor::part(self.file, start, self.pos)))
    }

    pub(crate) fn file(&self) -> &'a [u8] {
        self.file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_every_length() {
        let cases: [(&[u8], u64); 5] = [
            (&[0x57], 43),
            (&[0x3a, 0x02], 142),
            (&[0, 0, 0, 0, 0, 0, 0, 0, 0x80], 1 << 63),
            (&[0x80, 1, 0, 0, 0, 0, 0, 0], 1),
            (&[0x04, 0, 0x20], 1 << 18),
        ];
        for (bytes, value) in cases {
            let mut cursor = Cursor::new(bytes);
            assert_eq!(cursor.varint().unwrap(), value);
            assert!(cursor.is_at_end());
            for cut in 0..bytes.len() {
                assert!(Cursor::new(&bytes[..cut]).varint().is_err());
            }
        }
    }

    #[test]
    fn signed_and_small_integers() {
        let least = [0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(Cursor::new(&least).signed_varint().unwrap(), i64::MIN);
        assert_eq!(Cursor::new(&[0x07]).signed_varint().unwrap(), -2);
        assert_eq!(Cursor::new(&[0xff]).small_ap_int(4).unwrap(), 15);
        // A 32-bit -1 is written from 0xFFFFFFFF: zigzag 0x1FFFFFFFE.
        let minus_one = ((0x1_FFFF_FFFEu64 << 5) | 0x10).to_le_bytes();
        assert_eq!(Cursor::new(&minus_one[..5]).small_ap_int(32).unwrap(), 0xFFFF_FFFF);
    }

    #[test]
    fn counts_beyond_the_data_are_refused() {
        assert!(Cursor::new(&[0x57, 1, 2]).count().is_err());
        assert!(Cursor::new(&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).blob().is_err());
    }
}
