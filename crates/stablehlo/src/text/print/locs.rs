//! Source locations as text: each location is an alias, so that sharing and depth cost nothing.

use super::writer::Printer;
use crate::ir::{Loc, LocId};

impl<'m> Printer<'m> {
    /// ` loc(...)` if locations are wanted.
    pub(super) fn trailing_loc(&mut self, loc: LocId) {
        if self.options.locations {
            self.push(" ");
            self.loc_reference(loc);
        }
    }

    /// `loc(#loc3)`.
    pub(super) fn loc_reference(&mut self, loc: LocId) {
        let text = format!("loc({})", self.loc_name(loc));
        self.push(&text);
    }

    /// What stands for a location: its alias, defined by [`Printer::loc_definitions`]. Kinds of locations that
    /// the IR keeps without understanding are unknown.
    fn loc_name(&mut self, loc: LocId) -> String {
        if matches!(self.module.loc(loc), Loc::Unknown | Loc::Opaque(_)) {
            return "unknown".to_owned();
        }
        let next = self.locs.len();
        let number = *self.loc_numbers.entry(loc).or_insert(next);
        if number == next {
            self.locs.push(loc);
        }
        format!("#loc{number}")
    }

    /// The aliases of all locations that were referred to, each behind those that it refers to.
    pub(super) fn loc_definitions(&mut self) -> String {
        let mut definitions = String::new();
        let mut done = Vec::new();
        let mut stack: Vec<(LocId, bool)> = self.locs.iter().rev().map(|&loc| (loc, false)).collect();
        while let Some((loc, children_done)) = stack.pop() {
            if done.get(loc.index()) == Some(&true) {
                continue;
            }
            if children_done {
                if done.len() <= loc.index() {
                    done.resize(loc.index() + 1, false);
                }
                done[loc.index()] = true;
                let text = self.loc_definition(loc);
                let name = self.loc_name(loc);
                if name != "unknown" {
                    definitions.push_str(&format!("{name} = loc({text})\n"));
                }
                continue;
            }
            stack.push((loc, true));
            match self.module.loc(loc) {
                Loc::Name { child, .. } => stack.push((*child, false)),
                Loc::CallSite { callee, caller } => stack.extend([(*callee, false), (*caller, false)]),
                Loc::Fused { parts, .. } => stack.extend(parts.iter().map(|&part| (part, false))),
                Loc::Unknown | Loc::File { .. } | Loc::Opaque(_) => {}
            }
        }
        definitions
    }

    fn loc_definition(&mut self, loc: LocId) -> String {
        let module = self.module;
        match module.loc(loc) {
            Loc::Unknown | Loc::Opaque(_) => "unknown".to_owned(),
            Loc::File { file, line, column, end_line, end_column, numbers } => {
                let file = Self::escaped(module.str(*file));
                match numbers {
                    3 => format!("\"{file}\":{line}:{column} to :{end_column}"),
                    4 => format!("\"{file}\":{line}:{column} to {end_line}:{end_column}"),
                    _ => format!("\"{file}\":{line}:{column}"),
                }
            }
            Loc::Name { name, child } => {
                let (name, child) = (Self::escaped(module.str(*name)), self.loc_name(*child));
                if child == "unknown" { format!("\"{name}\"") } else { format!("\"{name}\"({child})") }
            }
            Loc::CallSite { callee, caller } => {
                format!("callsite({} at {})", self.loc_name(*callee), self.loc_name(*caller))
            }
            Loc::Fused { parts, metadata } => {
                let parts: Vec<String> = parts.iter().map(|&part| self.loc_name(part)).collect();
                // Metadata may hold locations again; these are not followed.
                let metadata = metadata.map_or(String::new(), |attr| format!("<{}>", super::print_attr(module, attr)));
                format!("fused{metadata}[{}]", parts.join(", "))
            }
        }
    }
}
