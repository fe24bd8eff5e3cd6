//! Which value a name stands for.
//!
//! Names of a region are visible in the regions inside it, up to ops that are isolated from above.

use hashbrown::HashMap;

use crate::ir::ValueId;

/// The values of one name: all results that were named together.
#[derive(Clone, Copy)]
struct Entry {
    first: u32,
    len: u32,
}

/// The names that are visible.
#[derive(Default)]
pub(super) struct Scope<'a> {
    names: HashMap<&'a str, Entry>,
    /// Names in order of definition, to forget them again.
    order: Vec<&'a str>,
    values: Vec<ValueId>,
}

/// What was visible before a region.
pub(super) enum Outer<'a> {
    /// Everything up to a point stays visible.
    Shared(usize),
    /// Nothing does.
    Isolated(Box<Scope<'a>>),
}

/// Why a name stands for no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unresolved {
    NoSuchName,
    /// It has only so many values.
    NoSuchResult(u32),
}

impl<'a> Scope<'a> {
    pub(super) fn enter(&mut self, isolated: bool) -> Outer<'a> {
        if isolated {
            return Outer::Isolated(Box::new(std::mem::take(self)));
        }
        Outer::Shared(self.order.len())
    }

    pub(super) fn leave(&mut self, outer: Outer<'a>) {
        match outer {
            Outer::Isolated(scope) => *self = *scope,
            Outer::Shared(len) => {
                for name in self.order.drain(len..) {
                    self.names.remove(name);
                }
            }
        }
    }

    /// False if the name is taken.
    pub(super) fn define(&mut self, name: &'a str, values: &[ValueId]) -> bool {
        let entry = Entry { first: self.values.len() as u32, len: values.len() as u32 };
        if self.names.contains_key(name) {
            return false;
        }
        self.values.extend_from_slice(values);
        self.names.insert(name, entry);
        self.order.push(name);
        true
    }

    pub(super) fn resolve(&self, name: &str, index: u32) -> Result<ValueId, Unresolved> {
        let entry = self.names.get(name).ok_or(Unresolved::NoSuchName)?;
        if index >= entry.len {
            return Err(Unresolved::NoSuchResult(entry.len));
        }
        Ok(self.values[(entry.first + index) as usize])
    }
}
