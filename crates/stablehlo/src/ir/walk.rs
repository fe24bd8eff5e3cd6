//! Visiting every op of a program, without recursion.

use super::{Module, OpId};

/// Ops in order, outer before inner, starting with the op itself.
pub struct Walk<'m> {
    module: &'m Module,
    stack: Vec<(OpId, u32)>,
    root: OpId,
}

/// One step of [`Module::walk_steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkStep {
    /// Before the regions of an op.
    Enter(OpId),
    /// After them.
    Leave(OpId),
}

impl Module {
    /// Ops in order, outer before inner, starting with `op` itself.
    pub fn walk(&self, op: OpId) -> Walk<'_> {
        Walk { module: self, stack: vec![(op, 0)], root: op }
    }

    /// Like [`Module::walk`], with the number of ops around each (0 for `op` itself).
    pub fn walk_depth(&self, op: OpId) -> impl Iterator<Item = (u32, OpId)> + '_ {
        let mut walk = self.walk(op);
        std::iter::from_fn(move || walk.step())
    }

    /// Ops in order, each entered before and left after what is inside it.
    pub fn walk_steps(&self, op: OpId) -> impl Iterator<Item = WalkStep> + '_ {
        let mut walk = self.walk_depth(op);
        let mut open: Vec<OpId> = Vec::new();
        let mut pending: Option<(u32, OpId)> = None;
        std::iter::from_fn(move || {
            if pending.is_none() {
                pending = walk.next();
            }
            let depth = pending.map_or(0, |(depth, _)| depth as usize);
            if open.len() > depth || pending.is_none() {
                return open.pop().map(WalkStep::Leave);
            }
            let (_, op) = pending.take()?;
            open.push(op);
            Some(WalkStep::Enter(op))
        })
    }
}

impl Walk<'_> {
    fn step(&mut self) -> Option<(u32, OpId)> {
        let (op, depth) = self.stack.pop()?;
        if op != self.root
            && let Some(next) = self.module.op(op).next()
        {
            self.stack.push((next, depth));
        }
        let mark = self.stack.len();
        for &region in self.module.op(op).regions() {
            for block in self.module.region(region).blocks() {
                if let Some(first) = self.module.block(block).first_op() {
                    self.stack.push((first, depth + 1));
                }
            }
        }
        self.stack[mark..].reverse();
        Some((depth, op))
    }
}

impl Iterator for Walk<'_> {
    type Item = OpId;

    fn next(&mut self) -> Option<OpId> {
        self.step().map(|(_, op)| op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{OpCode, OpSpec};

    #[test]
    fn order_is_outer_before_inner_and_steps_pair_up() {
        let mut m = Module::new();
        let (main, body) = m.add_function("main", &[], &[]);
        let (a, b) = (m.new_region(), m.new_region());
        let (block_a, block_b) = (m.new_block(a, &[]), m.new_block(b, &[]));
        let ra = m.append(block_a, OpSpec::new(OpCode::Return));
        let rb = m.append(block_b, OpSpec::new(OpCode::Return));
        let cond = m.append(body, OpSpec::new(OpCode::While).regions(&[a, b]));
        let ret = m.append(body, OpSpec::new(OpCode::FuncReturn));
        let root = m.root();
        assert_eq!(m.walk(root).collect::<Vec<_>>(), [root, main, cond, ra, rb, ret]);
        assert_eq!(m.walk(cond).collect::<Vec<_>>(), [cond, ra, rb]);
        let depths: Vec<u32> = m.walk_depth(root).map(|(d, _)| d).collect();
        assert_eq!(depths, [0, 1, 2, 3, 3, 2]);
        use WalkStep::{Enter, Leave};
        assert_eq!(
            m.walk_steps(main).collect::<Vec<_>>(),
            [
                Enter(main),
                Enter(cond),
                Enter(ra),
                Leave(ra),
                Enter(rb),
                Leave(rb),
                Leave(cond),
                Enter(ret),
                Leave(ret),
                Leave(main)
            ]
        );
    }

    #[test]
    fn nesting_needs_no_stack() {
        let run = || {
            let mut m = Module::new();
            let (_, mut block) = m.add_function("main", &[], &[]);
            for _ in 0..10_000 {
                let region = m.new_region();
                let inner = m.new_block(region, &[]);
                m.append(block, OpSpec::new(OpCode::Case).regions(&[region]));
                block = inner;
            }
            assert_eq!(m.walk(m.root()).count(), 10_002);
            assert_eq!(m.walk_steps(m.root()).count(), 20_004);
            drop(m.clone());
        };
        std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
    }
}
