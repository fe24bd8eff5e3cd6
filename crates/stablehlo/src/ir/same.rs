//! Whether two modules are the same program.
//!
//! Compares structure: ops in order, with names, attributes, types, and which value feeds which operand.
//! Locations, value names and the order in which a module interned things do not count.

use hashbrown::HashMap;

use super::import::Importer;
use super::{BlockId, Module, NamedAttr, OpId, ValueId, WalkStep};

/// `Ok` if both modules are the same program, locations aside; otherwise what differs first, in words.
///
/// # Errors
/// Names the op of `a` where the programs part.
pub fn same_program(a: &Module, b: &Module) -> Result<(), String> {
    let mut same = Same {
        a,
        b,
        import_a: Importer::new(a),
        import_b: Importer::new(b),
        scratch: Module::new(),
        values: HashMap::new(),
    };
    let mut steps_b = b.walk_steps(b.root());
    for step_a in a.walk_steps(a.root()) {
        match (step_a, steps_b.next()) {
            (WalkStep::Enter(op_a), Some(WalkStep::Enter(op_b))) => same.enter(op_a, op_b)?,
            (WalkStep::Leave(op_a), Some(WalkStep::Leave(op_b))) => same.leave(op_a, op_b)?,
            (WalkStep::Enter(op) | WalkStep::Leave(op), _) => {
                return Err(same.differ(op, "is followed by another number of ops"));
            }
        }
    }
    match steps_b.next() {
        None => Ok(()),
        Some(_) => Err(same.differ(a.root(), "has fewer ops than the other program")),
    }
}

struct Same<'m> {
    a: &'m Module,
    b: &'m Module,
    import_a: Importer<'m>,
    import_b: Importer<'m>,
    /// Holds the types and attributes of both, so that equal ones have equal ids.
    scratch: Module,
    values: HashMap<ValueId, ValueId>,
}

impl Same<'_> {
    fn differ(&self, op: OpId, what: &str) -> String {
        let op = self.a.op(op);
        format!("{} at {} {what}", op.name(), op.loc_text())
    }

    fn enter(&mut self, op_a: OpId, op_b: OpId) -> Result<(), String> {
        let (a, b) = (self.a.op(op_a), self.b.op(op_b));
        if a.name() != b.name() {
            return Err(self.differ(op_a, &format!("is {} in the other program", b.name())));
        }
        let operands = (a.operands().len(), b.operands().len());
        let results = (a.results().len(), b.results().len());
        let regions = (a.regions().len(), b.regions().len());
        for (what, (in_a, in_b)) in [("operands", operands), ("results", results), ("regions", regions)] {
            if in_a != in_b {
                return Err(self.differ(op_a, &format!("has {in_a} {what}, {in_b} in the other program")));
            }
        }
        for (i, (x, y)) in a.operands().iter().zip(b.operands()).enumerate() {
            if self.values.get(x) != Some(y) {
                return Err(self.differ(op_a, &format!("takes another operand {i}")));
            }
        }
        self.attrs(op_a, a.inherent_attrs(), b.inherent_attrs())?;
        self.attrs(op_a, a.discardable_attrs(), b.discardable_attrs())?;
        for (&ra, &rb) in a.regions().iter().zip(b.regions()) {
            let blocks_a: Vec<BlockId> = self.a.region(ra).blocks().collect();
            let blocks_b: Vec<BlockId> = self.b.region(rb).blocks().collect();
            if blocks_a.len() != blocks_b.len() {
                return Err(self.differ(op_a, "has other blocks"));
            }
            for (&block_a, &block_b) in blocks_a.iter().zip(&blocks_b) {
                let (block_a, block_b) = (self.a.block(block_a), self.b.block(block_b));
                if block_a.ops().count() != block_b.ops().count() {
                    return Err(self.differ(op_a, "has a block with another number of ops"));
                }
                self.pair(op_a, block_a.args(), block_b.args(), "block argument")?;
            }
        }
        Ok(())
    }

    /// Results become visible after the op's own regions.
    fn leave(&mut self, op_a: OpId, op_b: OpId) -> Result<(), String> {
        self.pair(op_a, self.a.op(op_a).results(), self.b.op(op_b).results(), "result")
    }

    fn pair(&mut self, op: OpId, a: &[ValueId], b: &[ValueId], what: &str) -> Result<(), String> {
        if a.len() != b.len() {
            return Err(self.differ(op, &format!("has another number of {what}s")));
        }
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            let tx = self.import_a.ty(&mut self.scratch, self.a.value_type(x));
            let ty = self.import_b.ty(&mut self.scratch, self.b.value_type(y));
            if tx != ty {
                let (tx, ty) = (self.scratch.type_text(tx), self.scratch.type_text(ty));
                return Err(self.differ(op, &format!("has {what} {i} of type {tx}, {ty} in the other program")));
            }
            self.values.insert(x, y);
        }
        Ok(())
    }

    fn attrs(&mut self, op: OpId, a: &[NamedAttr], b: &[NamedAttr]) -> Result<(), String> {
        let names = |module: &Module, attrs: &[NamedAttr]| -> Vec<String> {
            attrs.iter().map(|&attr| module.attr_name(attr).to_owned()).collect()
        };
        let (names_a, names_b) = (names(self.a, a), names(self.b, b));
        if names_a != names_b {
            return Err(self.differ(op, &format!("has attributes {names_a:?}, {names_b:?} in the other program")));
        }
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            let vx = self.import_a.attr(&mut self.scratch, x.value);
            let vy = self.import_b.attr(&mut self.scratch, y.value);
            if vx != vy {
                let (vx, vy) = (self.scratch.attr(vx), self.scratch.attr(vy));
                let what = format!("has another attribute `{}`: {vx:?} and not {vy:?}", names_a[i]);
                return Err(self.differ(op, &what.chars().take(600).collect::<String>()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ElementType;
    use crate::ir::{OpCode, OpSpec};

    fn program(code: OpCode, swap: bool, tag: i64) -> Module {
        let mut m = Module::new();
        if swap {
            m.intern_str("something that only this module knows");
        }
        let ty = m.tensor_type(&[2], ElementType::F32);
        let (_, body) = m.add_function("main", &[ty, ty], &[ty]);
        let args = m.block(body).args().to_vec();
        let operands = if swap { [args[1], args[0]] } else { [args[0], args[1]] };
        let attrs = [m.named("tag", |m| m.i64_attr(tag))];
        let op = m.append(body, OpSpec::new(code).operands(&operands).results(&[ty]).attrs(&attrs));
        let result = m.op(op).results()[0];
        m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[result]));
        m
    }

    #[test]
    fn differences_are_found_and_interning_order_does_not_count() {
        let m = program(OpCode::Add, false, 1);
        let mut other = Module::new();
        other.tensor_type(&[7], ElementType::I8);
        assert_eq!(same_program(&m, &m.clone()), Ok(()));
        for (other, word) in [
            (program(OpCode::Subtract, false, 1), "stablehlo.subtract"),
            (program(OpCode::Add, true, 1), "operand 0"),
            (program(OpCode::Add, false, 2), "`tag`"),
            (other, "module"),
        ] {
            let difference = same_program(&m, &other).unwrap_err();
            assert!(difference.contains(word), "{difference}");
        }
    }
}
