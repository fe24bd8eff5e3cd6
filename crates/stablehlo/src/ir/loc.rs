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

    /// An id for a location that is not known yet; unknown until [`Module::set_loc`].
    pub(crate) fn reserve_loc(&mut self) -> LocId {
        let id = LocId::from_index(self.locs.len());
        self.locs.push(Loc::Unknown);
        id
    }

    /// Gives a reserved id its location.
    pub(crate) fn set_loc(&mut self, id: LocId, loc: Loc) {
        self.locs[id.index()] = loc;
    }

    /// The location behind an id.
    pub fn loc(&self, id: LocId) -> &Loc {
        &self.locs[id.index()]
    }

    /// Text such as `train.py:12:3 (jit(step)/dot_general)`: the innermost file position and the outermost
    /// name; `unknown location` if there is neither.
    pub fn loc_text(&self, id: LocId) -> String {
        let mut name = None;
        let mut out = String::new();
        // Places to look, best last. The limit is for crafted chains; real ones are some ten long.
        let mut places = vec![id];
        for _ in 0..10_000 {
            let Some(at) = places.pop() else { break };
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
                    places.push(*child);
                }
                Loc::CallSite { callee, caller } => places.extend([*caller, *callee]),
                Loc::Fused { parts, .. } => places.extend(parts.iter().rev()),
                Loc::Unknown | Loc::Opaque(_) => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_innermost_file_and_the_outermost_name() {
        let mut m = Module::new();
        let [file, other, op, inner] = ["a.py", "b.py", "jit(f)/add", "f"].map(|text| m.intern_str(text));
        let at = |file, line| Loc::File { file, line, column: 3, end_line: line, end_column: 9, numbers: 4 };
        let (callee, caller) = (m.add_loc(at(file, 12)), m.add_loc(at(other, 7)));
        let named = m.add_loc(Loc::Name { name: inner, child: callee });
        let call = m.add_loc(Loc::CallSite { callee: named, caller });
        let loc = m.add_loc(Loc::Name { name: op, child: call });
        assert_eq!(m.loc_text(loc), "a.py:12:3 (jit(f)/add)");
        let fallback = m.add_loc(Loc::CallSite { callee: LocId::UNKNOWN, caller });
        assert_eq!(m.loc_text(fallback), "b.py:7:3");
        let bare = m.add_loc(Loc::Name { name: op, child: LocId::UNKNOWN });
        assert_eq!(m.loc_text(bare), "(jit(f)/add)");
        assert_eq!(m.loc_text(LocId::UNKNOWN), "unknown location");
    }
}
