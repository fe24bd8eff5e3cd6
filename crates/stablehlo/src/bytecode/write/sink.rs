//! The primitives of MLIR bytecode, written.

/// Octets being collected.
#[derive(Clone, Debug, Default)]
pub(super) struct Sink(Vec<u8>);

impl Sink {
    /// Begins with a code.
    pub(super) fn code(code: u64) -> Sink {
        let mut sink = Sink::default();
        sink.varint(code);
        sink
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn varint(&mut self, value: u64) {
        let bits = 64 - value.leading_zeros() as usize;
        let len = bits.div_ceil(7).max(1);
        if len >= 9 {
            self.0.push(0);
            self.0.extend_from_slice(&value.to_le_bytes());
            return;
        }
        let word = ((value << 1) | 1) << (len - 1);
        self.0.extend_from_slice(&word.to_le_bytes()[..len]);
    }

    pub(super) fn signed_varint(&mut self, value: i64) {
        self.varint(((value << 1) ^ (value >> 63)) as u64);
    }

    pub(super) fn varint_with_flag(&mut self, value: u64, flag: bool) {
        self.varint(value << 1 | u64::from(flag));
    }

    pub(super) fn signed_list(&mut self, values: &[i64]) {
        self.varint(values.len() as u64);
        for &value in values {
            self.signed_varint(value);
        }
    }

    pub(super) fn list(&mut self, indices: &[u64]) {
        self.varint(indices.len() as u64);
        for &index in indices {
            self.varint(index);
        }
    }

    pub(super) fn blob(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.bytes(bytes);
    }

    /// An integer of at most 64 bits, given zero-extended.
    pub(super) fn ap_int(&mut self, width: u32, value: u64) {
        let value = if width >= 64 { value } else { value & ((1 << width) - 1) };
        if width <= 8 { self.byte(value as u8) } else { self.signed_varint(value as i64) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::cursor::Cursor;

    #[test]
    fn what_is_written_is_read() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut sink = Sink::default();
                sink.varint(value);
                sink.signed_varint(value as i64);
                sink.signed_varint((value as i64).wrapping_neg());
                let bytes = sink.finish();
                let mut cursor = Cursor::new(&bytes);
                assert_eq!(cursor.varint(), Ok(value));
                assert_eq!(cursor.signed_varint(), Ok(value as i64));
                assert_eq!(cursor.signed_varint(), Ok((value as i64).wrapping_neg()));
                assert!(cursor.is_at_end());
            }
        }
        let mut sink = Sink::default();
        sink.ap_int(32, u64::MAX);
        sink.ap_int(4, u64::MAX);
        let bytes = sink.finish();
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.small_ap_int(32), Ok(0xFFFF_FFFF));
        assert_eq!(cursor.small_ap_int(4), Ok(15));
    }
}
