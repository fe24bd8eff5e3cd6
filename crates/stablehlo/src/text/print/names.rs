//! Names of values, chosen as MLIR chooses them: `%arg0`, `%0`, `%cst_1`, `%iterArg`.

use hashbrown::HashSet;

use crate::ElementKind;
use crate::ir::{Element, Module, OpCode, OpId, RegionId, Type, ValueId};

/// The name of a value.
#[derive(Clone, Debug, Default)]
pub(super) enum Name {
    /// Not reachable from the root.
    #[default]
    None,
    /// `%n`, or `%n#i` for one of several results.
    Number(u32, Option<u32>),
    /// `%text`.
    Text(Box<str>),
}

#[derive(Clone, Copy)]
struct Counters {
    value: u32,
    argument: u32,
    conflict: u32,
}

/// Regions inside a region count on from its end, each from the same state.
struct Open {
    region: RegionId,
    counters: Counters,
    /// How many names were taken where the region stands.
    taken: usize,
}

struct Naming<'m> {
    module: &'m Module,
    /// Whether some ops suggest names for their values, as they do in the pretty form.
    suggested: bool,
    names: Vec<Name>,
    counters: Counters,
    used: HashSet<Box<str>>,
    /// Names in order, so that those of a region can be given back.
    order: Vec<Box<str>>,
}

/// Names of all values, indexed by value; with those that ops suggest, or just numbers.
pub(super) fn names(module: &Module, suggested: bool) -> Vec<Name> {
    let mut naming = Naming {
        module,
        suggested,
        names: vec![Name::None; module.num_values()],
        counters: Counters { value: 0, argument: 0, conflict: 0 },
        used: HashSet::new(),
        order: Vec::new(),
    };
    let mut open: Vec<Open> = Vec::new();
    naming.results(module.root());
    naming.open_regions(module.root(), &mut open);
    while let Some(Open { region, counters, taken }) = open.pop() {
        naming.counters = counters;
        for name in naming.order.drain(taken..) {
            naming.used.remove(&name);
        }
        naming.region(region);
        for block in module.region(region).blocks() {
            for op in module.block(block).ops() {
                naming.open_regions(op, &mut open);
            }
        }
    }
    naming.names
}

impl Naming<'_> {
    fn open_regions(&self, op: OpId, open: &mut Vec<Open>) {
        for &region in self.module.op(op).regions() {
            open.push(Open { region, counters: self.counters, taken: self.order.len() });
        }
    }

    fn region(&mut self, region: RegionId) {
        let op = self.module.region(region).parent_op().map(|op| self.module.op(op).code());
        for (i, block) in self.module.region(region).blocks().enumerate() {
            for &arg in self.module.block(block).args() {
                if self.suggested && op == Some(OpCode::While) {
                    self.text(arg, "iterArg");
                } else if i == 0 {
                    let name = format!("arg{}", self.counters.argument);
                    self.counters.argument += 1;
                    self.text(arg, &name);
                } else {
                    self.number(arg, None);
                }
            }
            for op in self.module.block(block).ops() {
                self.results(op);
            }
        }
    }

    fn number(&mut self, value: ValueId, of_many: Option<u32>) {
        self.names[value.index()] = Name::Number(self.counters.value, of_many);
        if of_many.is_none() {
            self.counters.value += 1;
        }
    }

    /// The name, or the next one like it that is free.
    fn text(&mut self, value: ValueId, wanted: &str) {
        let mut name: Box<str> = wanted.into();
        while self.used.contains(&name) {
            name = format!("{wanted}_{}", self.counters.conflict).into();
            self.counters.conflict += 1;
        }
        self.used.insert(name.clone());
        self.order.push(name.clone());
        self.names[value.index()] = Name::Text(name);
    }

    fn results(&mut self, op: OpId) {
        let op = self.module.op(op);
        match (op.code(), op.results()) {
            (_, []) => {}
            (OpCode::Constant, &[value]) if self.suggested => {
                let element = match self.module.ty(self.module.value_type(value)) {
                    Type::Tensor(tensor) => Some(tensor.element),
                    _ => None,
                };
                let is_integer = match element {
                    Some(Element::Plain(element)) => {
                        !matches!(element.kind(), ElementKind::Float | ElementKind::Complex)
                    }
                    Some(Element::Other(ty)) => matches!(self.module.ty(ty), Type::Integer { .. }),
                    _ => false,
                };
                self.text(value, if is_integer { "c" } else { "cst" });
            }
            (OpCode::RngBitGenerator, &[state, output]) if self.suggested => {
                self.text(state, "output_state");
                self.text(output, "output");
            }
            (OpCode::ChloTopK, &[values, indices]) if self.suggested => {
                self.text(values, "values");
                self.text(indices, "indices");
            }
            (_, &[value]) => self.number(value, None),
            (_, values) => {
                for (i, &value) in values.iter().enumerate() {
                    self.number(value, Some(i as u32));
                }
                self.counters.value += 1;
            }
        }
    }
}
