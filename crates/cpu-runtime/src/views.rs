//! Pieces of memory handed out as slices, many at a time: what is written overlaps nothing else that is handed out.

use std::fmt;

/// A piece of one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which region, in the order in which they were added.
    pub region: u32,
    /// The first byte.
    pub start: usize,
    /// Number of bytes.
    pub length: usize,
}

impl fmt::Display for Span {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}[{}..{}]", self.region, self.start, self.start.saturating_add(self.length))
    }
}

struct Region {
    start: *mut u8,
    length: usize,
    writable: bool,
}

/// Regions of memory, borrowed for as long as this lives.
#[derive(Default)]
pub struct Views<'a> {
    regions: Vec<Region>,
    // Empty outside of `with`; kept for their storage.
    reads: Vec<&'a [u8]>,
    writes: Vec<&'a mut [u8]>,
}

impl<'a> Views<'a> {
    /// No regions yet.
    pub fn new() -> Views<'a> {
        Views::default()
    }

    /// Adds a region that is only read.
    pub fn add(&mut self, bytes: &'a [u8]) {
        self.regions.push(Region { start: bytes.as_ptr().cast_mut(), length: bytes.len(), writable: false });
    }

    /// Adds a region that is read and written.
    pub fn add_mut(&mut self, bytes: &'a mut [u8]) {
        self.regions.push(Region { start: bytes.as_mut_ptr(), length: bytes.len(), writable: true });
    }

    fn check(&self, span: &Span, writable: bool) -> *mut u8 {
        let region = &self.regions[span.region as usize];
        let fits = span.start.checked_add(span.length).is_some_and(|end| end <= region.length);
        assert!(fits && (region.writable || !writable), "{span} of a region of {} bytes", region.length);
        region.start.wrapping_add(span.start)
    }

    /// Calls `f` with the bytes of the spans. Nothing is allocated once as many spans have been handed out before.
    ///
    /// # Panics
    /// When a span is not within its region, when one of `writes` is in a region that is only read, or when one of
    /// `writes` overlaps another span.
    #[inline]
    pub fn with<R>(&mut self, reads: &[Span], writes: &[Span], f: impl FnOnce(&[&[u8]], &mut [&mut [u8]]) -> R) -> R {
        self.reads.clear();
        self.writes.clear();
        for span in reads {
            let start = self.check(span, false);
            // SAFETY: within a region, which is borrowed for `'a`; regions that are written are borrowed exclusively,
            // and below it is made sure that no write of this call overlaps this. The slices end with this call: `f`
            // cannot keep them, and both lists are cleared before the next.
            self.reads.push(unsafe { std::slice::from_raw_parts(start, span.length) });
        }
        for (index, span) in writes.iter().enumerate() {
            let start = self.check(span, true);
            let overlaps = |other: &Span| {
                other.region == span.region
                    && other.start < span.start + span.length
                    && span.start < other.start + other.length
            };
            let clash = reads.iter().chain(&writes[..index]).find(|other| overlaps(other));
            assert!(clash.is_none(), "{span} is written while {clash:?} is used");
            // SAFETY: within a region that this alone may write, and apart from every other slice of this call.
            self.writes.push(unsafe { std::slice::from_raw_parts_mut(start, span.length) });
        }
        f(&self.reads, &mut self.writes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn span(region: u32, start: usize, length: usize) -> Span {
        Span { region, start, length }
    }

    #[test]
    fn apart_they_are_handed_out_and_together_they_are_refused() {
        let source = [1u8, 2, 3, 4];
        let mut target = [0u8; 8];
        let mut views = Views::new();
        views.add(&source);
        views.add_mut(&mut target);
        views.with(&[span(0, 1, 2)], &[span(1, 0, 2), span(1, 2, 6)], |reads, writes| {
            writes[0].copy_from_slice(reads[0]);
            writes[1].fill(9);
        });
        let mut refused = |reads: &[Span], writes: &[Span]| {
            catch_unwind(AssertUnwindSafe(|| views.with(reads, writes, |_, _| ()))).is_err()
        };
        assert!(refused(&[span(1, 1, 1)], &[span(1, 0, 2)]), "read and written");
        assert!(refused(&[], &[span(1, 0, 2), span(1, 1, 2)]), "written twice");
        assert!(refused(&[], &[span(0, 0, 1)]), "only read");
        assert!(refused(&[span(0, 3, 2)], &[]) && refused(&[span(0, usize::MAX, 2)], &[]), "beyond the end");
        assert!(!refused(&[span(1, 2, 2), span(1, 2, 2)], &[span(1, 0, 2)]), "read twice is fine");
        drop(views);
        assert_eq!(target, [2, 3, 9, 9, 9, 9, 9, 9]);
    }
}
