//! Source locations: where in the user's program an op comes from.
//!
//! Kept as the producer wrote them, and rendered to the short text that error messages carry.

use std::fmt::Write;

use super::Module;
use super::ids::{AttrId, LocId, StrId};

/// A source location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loc {
    /// Not known.
    Unknown,
    /// A range in a file. Lines and columns count from 1; 0 where not known.
    File {
        /// Path.
        file: StrId,
        /// First line.
        line: u32,
        /// First column.
        column: u32,
        /// Last line.
        end_line: u32,
        /// Last column.
        end_column: u32,
        /// How many numbers the producer gave: 0 none, 1 line, 2 line and column, 3 with end column, 4 all.
        numbers: u8,
    },
    /// A name (of a primitive and its name stack) for another location.
    Name {
        /// The name.
        name: StrId,
        /// What it names.
        child: LocId,
    },
    /// A call: a location inside a function, and where that function was called.
    CallSite {
        /// Inside the called function.
        callee: LocId,
        /// Of the call.
        caller: LocId,
    },
    /// Several locations at once.
    Fused {
        /// The locations.
        parts: Box<[LocId]>,
        /// What the producer noted about the fusion.
        metadata: Option<AttrId>,
    },
    /// A location of a kind that this crate keeps without understanding.
    Opaque(AttrId),
}

impl Module {
    /// Adds a location; equal ones are not merged.
    pub fn add_loc(&mut self, loc: Loc) -> LocId {
        if loc == Loc::Unknown {
            return LocId::UNKNOWN;
        }
        let id = LocId::from_index(self.locs.len());
        self.locs.push(loc);
        id
    }

    /// The location behind an id.
    pub fn loc(&self, id: LocId) -> &Loc {
        &self.locs[id.index()]
    }

    /// Text such as `train.py:12:3 (jit(step)/dot_general)`: the innermost file position and the outermost
    /// name; `unknown location` if there is neither.
    pub fn loc_text(&self, id: LocId) -> String {
        let (mut name, mut at) = (None, id);
        let mut out = String::new();
        loop {
            match self.loc(at) {
                Loc::File { file, line, column, numbers, .. } => {
                    out.push_str(self.str(*file));
                    if *numbers >= 1 {
                        let _ = write!(out, ":{line}");
                    }
                    if *numbers >= 2 {
                        let _ = write!(out, ":{column}");
                    }
                    break;
                }
                Loc::Name { name: n, child } => {
                    name.get_or_insert(*n);
                    at = *child;
                }
                Loc::CallSite { callee, .. } => at = *callee,
                Loc::Fused { parts, .. } => match parts.first() {
                    Some(&first) => at = first,
                    None => break,
                },
                Loc::Unknown | Loc::Opaque(_) => break,
            }
        }
        match name.map(|n| self.str(n)) {
            Some(name) if out.is_empty() => format!("({name})"),
            Some(name) => format!("{out} ({name})"),
            None if out.is_empty() => "unknown location".to_owned(),
            None => out,
        }
    }
}
