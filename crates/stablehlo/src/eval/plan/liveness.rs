//! Where each value is used for the last time.

use hashbrown::{HashMap, HashSet};

use crate::ir::{BlockId, Module, OpId, ValueDef, ValueId};

/// For each value the last op, in the block that defines it, that uses it directly or in a region.
pub(super) struct Liveness {
    last_user: Vec<Option<OpId>>,
    /// (op, value): the op uses the value inside a region.
    nested: HashSet<(OpId, ValueId)>,
    /// Of those, by op, the values whose last user it is.
    dying: HashMap<OpId, Vec<ValueId>>,
}

impl Liveness {
    /// Looks at every op of the module. Uses of values that are not visible there have no effect.
    pub fn new(module: &Module) -> Liveness {
        let mut liveness =
            Liveness { last_user: vec![None; module.num_values()], nested: HashSet::new(), dying: HashMap::new() };
        for user in module.walk(module.root()) {
            for &value in module.op(user).operands() {
                if let Some(outer) = ancestor_in(module, user, defining_block(module, value)) {
                    // The walk is in program order, so the latest use comes last.
                    liveness.last_user[value.index()] = Some(outer);
                    if outer != user {
                        liveness.nested.insert((outer, value));
                    }
                }
            }
        }
        for &(op, value) in &liveness.nested {
            if liveness.last_user[value.index()] == Some(op) {
                liveness.dying.entry(op).or_default().push(value);
            }
        }
        liveness
    }

    pub fn is_last_user(&self, op: OpId, value: ValueId) -> bool {
        self.last_user[value.index()] == Some(op)
    }

    pub fn is_unused(&self, value: ValueId) -> bool {
        self.last_user[value.index()].is_none()
    }

    /// Values that the op uses inside its regions and that nothing uses after it.
    pub fn dying_inside(&self, op: OpId) -> &[ValueId] {
        self.dying.get(&op).map_or(&[], Vec::as_slice)
    }

    /// Whether the op uses the value inside one of its regions.
    pub fn is_used_inside(&self, op: OpId, value: ValueId) -> bool {
        self.nested.contains(&(op, value))
    }
}

fn defining_block(module: &Module, value: ValueId) -> Option<BlockId> {
    match module.value_def(value) {
        ValueDef::Result { op, .. } => module.op(op).parent_block(),
        ValueDef::Argument { block, .. } => Some(block),
    }
}

/// The op itself or the one around it that stands in the block.
fn ancestor_in(module: &Module, op: OpId, block: Option<BlockId>) -> Option<OpId> {
    let mut op = op;
    loop {
        let parent = module.op(op).parent_block()?;
        if Some(parent) == block {
            return Some(op);
        }
        op = module.block(parent).parent_op()?;
    }
}
