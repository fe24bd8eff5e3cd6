//! Argument structs as a framework of some version has them: exactly as long as that version's
//! header says, with canary bytes behind. Knows sizes; knows nothing of calls.

use std::mem::size_of;

use pjrt_sys::{Release, SizeField, Struct};

/// Bytes behind a struct that nobody may write to.
const CANARY_BYTES: usize = 64;

/// Value of those bytes. Read as a pointer or a length it leads nowhere, so that a callee that reads
/// past the declared size is noticed too.
const CANARY: u8 = 0xA5;

/// Who pretends to call: the version of its header, and what it declares beyond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caller {
    minor: Option<u16>,
    extra: usize,
}

impl Caller {
    /// A caller built against the header of this workspace.
    #[must_use]
    pub const fn current() -> Self {
        Self { minor: None, extra: 0 }
    }

    /// A caller built against an older header, whose structs have the sizes of that time.
    #[must_use]
    pub const fn at_minor(minor: u16) -> Self {
        Self { minor: Some(minor), extra: 0 }
    }

    /// A caller built against a newer header, in which every struct has this many more bytes, which
    /// hold values that mean nothing to us. A multiple of 8.
    #[must_use]
    pub const fn newer_by(extra: usize) -> Self {
        Self { minor: None, extra }
    }

    /// The minor version, if it is not the current one.
    #[must_use]
    pub const fn minor(self) -> Option<u16> {
        self.minor
    }

    /// The size that this caller knows for a struct, or nothing if its header lacks the struct.
    #[must_use]
    pub fn release<S: Struct>(self) -> Option<Release> {
        let newest = S::HISTORY.last().copied()?;
        match self.minor {
            None => {
                Some(Release { struct_size: newest.struct_size + self.extra, len: newest.len + self.extra, ..newest })
            }
            Some(minor) => S::released_at(minor),
        }
    }
}

/// One argument struct in memory of its own: the bytes that the caller's header gives it, then canary.
#[derive(Debug)]
pub struct ArgsBuf<S> {
    words: Vec<u64>,
    len: usize,
    rest: S,
}

impl<S: Struct> ArgsBuf<S> {
    /// Lays out `value` for `caller`, with `struct_size` filled in; nothing if the caller's header
    /// lacks the struct.
    #[must_use]
    pub fn new(caller: Caller, value: S) -> Option<Self> {
        let release = caller.release::<S>()?;
        let bytes = (release.len.max(size_of::<S>()) + CANARY_BYTES).next_multiple_of(8);
        let mut buffer =
            Self { words: vec![u64::from_ne_bytes([CANARY; 8]); bytes / 8], len: release.len, rest: value };
        let copied = release.len.min(size_of::<S>());
        // SAFETY: both ranges have `copied` bytes: the value by its type, the words because they
        // hold at least `release.len` bytes. They do not overlap, the words being freshly made.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (&raw const buffer.rest).cast::<u8>(),
                buffer.words.as_mut_ptr().cast::<u8>(),
                copied,
            );
        }
        if S::SIZE_FIELD != SizeField::Absent {
            buffer.words[0] = release.struct_size as u64;
        }
        Some(buffer)
    }

    /// Replaces the declared size, for tests of callers that declare nonsense.
    pub fn declare(&mut self, struct_size: usize) {
        self.words[0] = struct_size as u64;
    }

    /// The pointer to hand to the plugin.
    pub fn as_mut_ptr(&mut self) -> *mut S {
        self.words.as_mut_ptr().cast()
    }

    /// What the struct holds now; fields that the caller's header lacks are as they were given.
    #[must_use]
    pub fn value(&self) -> S {
        let mut value = self.rest;
        // SAFETY: the words hold at least `len` bytes and the value `size_of::<S>()`; the smaller of
        // the two is copied between memory that does not overlap. What a plugin writes are integers,
        // pointers and bools, as the struct says.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.words.as_ptr().cast::<u8>(),
                (&raw mut value).cast::<u8>(),
                self.len.min(size_of::<S>()),
            );
        }
        value
    }

    /// Offset of the first byte behind the struct that was written to, if any was.
    #[must_use]
    pub fn damage(&self) -> Option<usize> {
        let bytes = self.words.iter().flat_map(|word| word.to_ne_bytes());
        bytes.enumerate().skip(self.len).find(|(_, byte)| *byte != CANARY).map(|(at, _)| at)
    }

    /// Fails the test if the plugin wrote behind the struct.
    ///
    /// # Panics
    ///
    /// When it did; `context` says in which call.
    pub fn check(&self, context: &str) {
        if let Some(at) = self.damage() {
            panic!("{context}: the plugin wrote to byte {at} of {}, of which the caller has {}", S::NAME, self.len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pjrt_sys::{PJRT_Client_Create_Args, PJRT_ExecuteOptions, PJRT_Plugin_Attributes_Args};

    #[test]
    fn the_declared_size_is_that_of_the_callers_header() {
        for (caller, expected) in [
            (Caller::current(), 144),
            (Caller::at_minor(57), 72),
            (Caller::at_minor(90), 112),
            (Caller::newer_by(16), 160),
        ] {
            let mut buffer = ArgsBuf::new(caller, PJRT_ExecuteOptions::default()).expect("released");
            // SAFETY: the buffer holds the struct at least up to its first field.
            let declared = unsafe { *buffer.as_mut_ptr().cast::<usize>() };
            assert_eq!(declared, expected, "{caller:?}");
            assert_eq!(buffer.damage(), None);
        }
    }

    #[test]
    fn a_struct_younger_than_the_caller_does_not_exist() {
        let young = pjrt_sys::PJRT_Client_CreateErrorBuffer_Args::default();
        assert!(ArgsBuf::new(Caller::at_minor(81), young).is_none());
    }

    #[test]
    fn a_write_behind_the_struct_is_noticed() {
        let mut buffer = ArgsBuf::new(Caller::at_minor(57), PJRT_Client_Create_Args::default()).expect("released");
        // SAFETY: 72 bytes are the struct, and the canary behind it belongs to the same allocation.
        unsafe { *buffer.as_mut_ptr().cast::<u8>().add(72) = 0 };
        assert_eq!(buffer.damage(), Some(72));
    }

    #[test]
    fn a_write_within_the_struct_is_its_value() {
        let mut buffer = ArgsBuf::new(Caller::current(), PJRT_Plugin_Attributes_Args::default()).expect("released");
        // SAFETY: the buffer holds the whole struct.
        unsafe { (*buffer.as_mut_ptr()).num_attributes = 7 };
        assert_eq!(buffer.value().num_attributes, 7);
        assert_eq!(buffer.damage(), None);
    }

    #[test]
    fn an_understated_size_leaves_the_whole_struct_to_the_plugin() {
        let caller = Caller::at_minor(60);
        let mut buffer = ArgsBuf::new(caller, PJRT_Plugin_Attributes_Args::default()).expect("released");
        // SAFETY: the buffer holds the whole struct, although it declares 24 bytes.
        unsafe { (*buffer.as_mut_ptr()).num_attributes = 7 };
        assert_eq!(buffer.damage(), None);
        assert_eq!(buffer.value().num_attributes, 7);
    }
}
