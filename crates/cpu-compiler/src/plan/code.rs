//! Blocks as one straight list with jumps, and the life of each value in it.
//!
//! A value that a loop's blocks use from around the loop lives until the loop ends, since the next turn uses it again.

use super::rows::Member;
use super::schedule::Item;
use crate::fuse::{Loop, source};
use crate::graph::{BlockId, Graph, NodeId, Op, Value};
use crate::kernel::Kernel;
use hashbrown::HashMap;
use std::sync::Arc;

/// Position in [`Code::list`].
pub(super) type Position = usize;

/// One entry of the list.
pub(super) enum Entry {
    Loop(Loop),
    /// Loops and products that run together, row by row.
    Rows {
        members: Vec<Member>,
        leading: usize,
    },
    Constant(Value),
    Kernel(NodeId),
    Direct {
        kernel: Arc<dyn Kernel>,
        inputs: Vec<Value>,
        output: Value,
    },
    /// The state of a loop gets its first values.
    CarryIn(NodeId),
    /// A turn begins.
    Head,
    /// Leaves the loop when its condition is false.
    Test {
        node: NodeId,
        condition: Value,
        end: Position,
    },
    /// The state gets the values of the next turn, which begins: always, or if the condition is true.
    CarryOut {
        node: NodeId,
        target: Position,
        condition: Option<Value>,
    },
    /// The loop is over.
    End(NodeId),
    /// Goes to one of the branches.
    Switch {
        node: NodeId,
        choice: Value,
        starts: Vec<Position>,
    },
    BranchStart {
        node: NodeId,
        block: BlockId,
    },
    /// The results of a branch become those of the op.
    BranchEnd {
        node: NodeId,
        block: BlockId,
        end: Position,
    },
    Join(NodeId),
    /// The results of the program.
    Return,
}

pub(super) struct Code {
    pub list: Vec<Entry>,
    /// For each value, where it is used last; by the value whose bytes it is.
    pub last_use: Vec<Position>,
    /// For each branch, the values of its surroundings that it uses, and where it does last.
    pub captured: HashMap<BlockId, HashMap<Value, Position>>,
}

struct Open {
    block: BlockId,
    items: std::vec::IntoIter<Item>,
    then: Then,
}

enum Then {
    Return,
    Test { node: NodeId, head: Position },
    Next { node: NodeId, test: Position, head: Position, begin: Position },
    Branch { node: NodeId, switch: Position, index: usize, ends: Vec<Position> },
}

struct Linear<'g> {
    graph: &'g Graph,
    code: Code,
    /// Uses so far: what, where, and in which block.
    uses: Vec<(Value, Position, BlockId)>,
    /// Where the loop ends that a block belongs to.
    ends: HashMap<BlockId, Position>,
}

/// Lays out the blocks.
pub(super) fn code(graph: &Graph, mut items: HashMap<BlockId, Vec<Item>>) -> Code {
    let code = Code { list: Vec::new(), last_use: vec![0; graph.num_values()], captured: HashMap::new() };
    let mut linear = Linear { graph, code, uses: Vec::new(), ends: HashMap::new() };
    let mut take = |block: BlockId| items.remove(&block).unwrap_or_default().into_iter();
    let mut open = vec![Open { block: Graph::MAIN, items: take(Graph::MAIN), then: Then::Return }];
    while let Some(top) = open.last_mut() {
        let block = top.block;
        let Some(item) = top.items.next() else {
            if let Some(done) = open.pop()
                && let Some(next) = linear.finish(done, &mut take)
            {
                open.push(next);
            }
            continue;
        };
        match item {
            Item::Loop(looped) => {
                looped.inputs.iter().for_each(|&value| linear.used(value, block));
                linear.code.list.push(Entry::Loop(looped));
            }
            Item::Rows { members, leading } => {
                members.iter().flat_map(Member::inputs).for_each(|value| linear.used(value, block));
                linear.code.list.push(Entry::Rows { members, leading });
            }
            Item::Constant(value) => linear.code.list.push(Entry::Constant(value)),
            Item::Kernel(node) => {
                linear.inputs_used(node, block);
                linear.code.list.push(Entry::Kernel(node));
            }
            Item::Direct { kernel, inputs, output } => {
                inputs.iter().for_each(|&value| linear.used(value, block));
                linear.code.list.push(Entry::Direct { kernel, inputs, output });
            }
            Item::While(node) => {
                linear.inputs_used(node, block);
                linear.code.list.push(Entry::CarryIn(node));
                let head = linear.here();
                linear.code.list.push(Entry::Head);
                if let Op::While { condition, .. } = graph.node(node).op {
                    open.push(Open { block: condition, items: take(condition), then: Then::Test { node, head } });
                }
            }
            Item::Case(node) => {
                linear.inputs_used(node, block);
                let switch = linear.here();
                let choice = graph.node(node).inputs[0];
                linear.code.list.push(Entry::Switch { node, choice, starts: Vec::new() });
                let then = Then::Branch { node, switch, index: 0, ends: Vec::new() };
                if let Some(first) = linear.begin_branch(node, then, &mut take) {
                    open.push(first);
                }
            }
        }
    }
    linear.settle();
    linear.code
}

impl<'g> Linear<'g> {
    fn here(&self) -> Position {
        self.code.list.len()
    }

    /// The entry that comes next uses a value.
    fn used(&mut self, value: Value, block: BlockId) {
        let value = source(self.graph, value);
        self.uses.push((value, self.here(), block));
    }

    fn inputs_used(&mut self, node: NodeId, block: BlockId) {
        let graph = self.graph;
        graph.node(node).inputs.iter().for_each(|&value| self.used(value, block));
    }

    fn begin_branch(
        &mut self,
        node: NodeId,
        then: Then,
        take: &mut impl FnMut(BlockId) -> std::vec::IntoIter<Item>,
    ) -> Option<Open> {
        let (Op::Case(branches), Then::Branch { index, switch, .. }) = (&self.graph.node(node).op, &then) else {
            return None;
        };
        let block = *branches.get(*index)?;
        let here = self.here();
        if let Entry::Switch { starts, .. } = &mut self.code.list[*switch] {
            starts.push(here);
        }
        self.code.list.push(Entry::BranchStart { node, block });
        self.code.captured.insert(block, HashMap::new());
        Some(Open { block, items: take(block), then })
    }

    fn finish(&mut self, done: Open, take: &mut impl FnMut(BlockId) -> std::vec::IntoIter<Item>) -> Option<Open> {
        let graph = self.graph;
        let results = &graph.block(done.block).results;
        results.iter().for_each(|&value| self.used(value, done.block));
        match done.then {
            Then::Return => {
                self.code.list.push(Entry::Return);
                None
            }
            Then::Test { node, head } => {
                let test = self.here();
                self.code.list.push(Entry::Test { node, condition: results[0], end: 0 });
                let Op::While { body, .. } = graph.node(node).op else { return None };
                let begin = self.here();
                Some(Open { block: body, items: take(body), then: Then::Next { node, test, head, begin } })
            }
            Then::Next { node, test, head, begin } => {
                // A loop whose body tells whether there is another turn does not go back to its condition.
                let (target, condition) = match graph.node(node).op {
                    Op::While { rotated: true, .. } => (begin, results.last().copied()),
                    _ => (head, None),
                };
                self.code.list.push(Entry::CarryOut { node, target, condition });
                let end = self.here();
                self.code.list.push(Entry::End(node));
                if let Entry::Test { end: target, .. } = &mut self.code.list[test] {
                    *target = end;
                }
                if let Op::While { body, condition, .. } = graph.node(node).op {
                    self.ends.insert(condition, end);
                    self.ends.insert(body, end);
                }
                None
            }
            Then::Branch { node, switch, index, mut ends } => {
                ends.push(self.here());
                self.code.list.push(Entry::BranchEnd { node, block: done.block, end: 0 });
                let then = Then::Branch { node, switch, index: index + 1, ends };
                let more = matches!(&graph.node(node).op, Op::Case(branches) if index + 1 < branches.len());
                if more {
                    return self.begin_branch(node, then, take);
                }
                let join = self.here();
                self.code.list.push(Entry::Join(node));
                if let Then::Branch { ends, .. } = then {
                    for position in ends {
                        if let Entry::BranchEnd { end, .. } = &mut self.code.list[position] {
                            *end = join;
                        }
                    }
                }
                None
            }
        }
    }

    /// Extends each use to the end of the outermost loop that is inside of the value's block, or inside of a branch.
    fn settle(&mut self) {
        let graph = self.graph;
        for &(value, position, block) in &self.uses {
            let home = graph.node(graph.definition(value)).block;
            let (mut last, mut at) = (position, block);
            while at != home {
                if let Some(&end) = self.ends.get(&at) {
                    last = last.max(end);
                }
                if let Some(captured) = self.code.captured.get_mut(&at) {
                    let known = captured.entry(value).or_insert(last);
                    *known = last.max(*known);
                }
                match graph.block(at).parent {
                    Some(parent) => at = parent,
                    None => break,
                }
            }
            let known = &mut self.code.last_use[value.0 as usize];
            *known = last.max(*known);
        }
    }
}
