//! Source locations.

use super::Result_;
use super::sink::Sink;
use super::table::{Dialect, Form, Table};
use crate::ir::{Loc, LocId};

impl Table<'_> {
    /// The index of a location. Parts have smaller ids than wholes, so those not yet written are gathered from
    /// the top and written from the bottom: chains of calls need no stack.
    pub(super) fn loc(&mut self, id: LocId) -> Result_<u64> {
        if let Some(&index) = self.loc_memo.get(&id) {
            return Ok(index);
        }
        self.loc_seen[id.index()] = true;
        let mut needed = vec![id];
        let mut next = 0;
        while let Some(&at) = needed.get(next) {
            next += 1;
            let seen = &mut self.loc_seen;
            let mut need = |part: LocId| {
                if !std::mem::replace(&mut seen[part.index()], true) {
                    needed.push(part);
                }
            };
            match self.module.loc(at) {
                Loc::Name { child, .. } => need(*child),
                Loc::CallSite { callee, caller } => [*callee, *caller].into_iter().for_each(need),
                Loc::Fused { parts, .. } => parts.iter().copied().for_each(need),
                Loc::Unknown | Loc::File { .. } | Loc::Opaque(_) => {}
            }
        }
        needed.sort_unstable();
        for part in needed {
            self.write_loc(part)?;
        }
        Ok(self.loc_memo[&id])
    }

    fn write_loc(&mut self, id: LocId) -> Result_<()> {
        let memo = |table: &Self, part: &LocId| table.loc_memo[part];
        let name = |table: &mut Self, text| {
            let module = table.module;
            table.string_attr(Form::Builtin, module.str(text).as_bytes())
        };
        let sink = match self.module.loc(id) {
            Loc::Unknown => Sink::code(15),
            Loc::Name { name: text, child } => {
                let mut sink = Sink::code(14);
                sink.varint(name(self, *text));
                sink.varint(memo(self, child));
                sink
            }
            Loc::CallSite { callee, caller } => {
                let mut sink = Sink::code(10);
                sink.varint(memo(self, callee));
                sink.varint(memo(self, caller));
                sink
            }
            Loc::Fused { parts, metadata } => {
                let metadata = match metadata {
                    Some(metadata) => Some(self.attr(Form::Builtin, *metadata)?),
                    None => None,
                };
                let mut sink = Sink::code(if metadata.is_some() { 13 } else { 12 });
                let parts: Vec<u64> = parts.iter().map(|part| memo(self, part)).collect();
                sink.list(&parts);
                if let Some(metadata) = metadata {
                    sink.varint(metadata);
                }
                sink
            }
            Loc::File { file, line, column, end_line, end_column, numbers } => {
                let file = name(self, *file);
                // Ranges came with version 1.9; older readers know points only.
                let range = self.has(1, 9) && *numbers != 2;
                let mut sink = Sink::code(if range { 22 } else { 11 });
                sink.varint(file);
                let at = match (range, *numbers) {
                    (false, _) => vec![line, column],
                    (_, 0) => vec![],
                    (_, 1) => vec![line],
                    (_, 3) => vec![line, column, end_column],
                    _ => vec![line, column, end_line, end_column],
                };
                if range {
                    sink.varint(at.len() as u64);
                }
                at.into_iter().for_each(|&number| sink.varint(number.into()));
                sink
            }
            Loc::Opaque(attr) => {
                let index = self.attr(Form::Builtin, *attr)?;
                self.loc_memo.insert(id, index);
                return Ok(());
            }
        };
        let index = self.attr_entry(Dialect::Builtin, sink);
        self.loc_memo.insert(id, index);
        Ok(())
    }
}
