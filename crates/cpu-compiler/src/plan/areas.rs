//! Memory of several steps that run as one: for each region the piece that they touch.

use cpu_runtime::Span;
use cpu_vir::exec::{Area, Place};
use hashbrown::HashMap;

/// The pieces of regions that steps touch, one for each region.
#[derive(Default)]
pub(super) struct Areas {
    list: Vec<(Span, bool)>,
    /// Where in the list each region is: a program may have very many.
    of: HashMap<u32, usize>,
}

impl Areas {
    /// Notes that a span is read, or written too.
    pub fn add(&mut self, span: &Span, written: bool) {
        let end = span.start + span.length;
        let index = *self.of.entry(span.region).or_insert(self.list.len());
        match self.list.get_mut(index) {
            Some((area, is_written)) => {
                let last = end.max(area.start + area.length);
                area.start = area.start.min(span.start);
                area.length = last - area.start;
                *is_written |= written;
            }
            None => self.list.push((*span, written)),
        }
    }

    /// Where a span that was noted begins.
    pub fn place(&self, span: &Span) -> Place {
        // Everything was noted before; a place beyond the areas is refused.
        let area = self.of.get(&span.region).copied().unwrap_or(usize::MAX);
        Place { area, start: span.start - self.list.get(area).map_or(0, |(area, _)| area.start) }
    }

    /// What is known of each.
    pub fn list(&self) -> Vec<Area> {
        self.list.iter().map(|(span, written)| Area { bytes: span.length, written: *written }).collect()
    }

    /// The spans of those that are only read and of those that are written.
    pub fn finish(self) -> (Box<[Span]>, Box<[Span]>) {
        let spans = |wanted: bool| {
            self.list.iter().filter(|(_, written)| *written == wanted).map(|(span, _)| *span).collect::<Box<[Span]>>()
        };
        (spans(false), spans(true))
    }
}
