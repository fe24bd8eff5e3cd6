//! Which values the function-like regions of an op take from around it.

use hashbrown::HashSet;

use crate::ir::{Module, RegionId, ValueId};

/// Values used inside a region, at any depth, but defined outside, in order of first use.
pub(super) fn captures(module: &Module, region: RegionId) -> Vec<ValueId> {
    let mut inside: HashSet<ValueId> = HashSet::new();
    let mut seen: HashSet<ValueId> = HashSet::new();
    let mut captured = Vec::new();
    let define_blocks = |inside: &mut HashSet<ValueId>, region: RegionId| {
        for block in module.region(region).blocks() {
            inside.extend(module.block(block).args());
        }
    };
    define_blocks(&mut inside, region);
    for block in module.region(region).blocks() {
        for top in module.block(block).ops() {
            for op in module.walk(top) {
                let op = module.op(op);
                for &value in op.operands() {
                    // Definitions precede uses in a walk, so a value not met yet comes from outside.
                    if !inside.contains(&value) && seen.insert(value) {
                        captured.push(value);
                    }
                }
                inside.extend(op.results());
                op.regions().iter().for_each(|&r| define_blocks(&mut inside, r));
            }
        }
    }
    captured
}
