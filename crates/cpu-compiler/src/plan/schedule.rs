//! What each block does, in order: loops around needed values, kernels, control flow. What nobody needs is left out.

use crate::error::Result;
use crate::fuse::{Chooser, Loop};
use crate::graph::{BlockId, Graph, NodeId, Op, Value};
use crate::import::shape;
use crate::kernel::{Kernel, Prepared};
use cpu_kernels::Transpose;
use hashbrown::HashMap;
use std::sync::Arc;

/// One thing that a block does.
pub(super) enum Item {
    Loop(Loop),
    /// A literal that somebody reads from memory.
    Constant(Value),
    Kernel(NodeId),
    /// A value that a kernel makes of another where a loop would be slow.
    Direct {
        kernel: Arc<dyn Kernel>,
        input: Value,
        output: Value,
    },
    While(NodeId),
    Case(NodeId),
}

/// Literals up to this size are kept whole; larger ones of equal elements are written by a loop when they are needed.
const SPLAT_LIMIT: usize = 4096;

/// The items of every block that runs.
pub(super) fn schedule(graph: &Graph) -> Result<HashMap<BlockId, Vec<Item>>> {
    let mut chooser = Chooser::new(graph);
    let mut items: HashMap<BlockId, Vec<Item>> = HashMap::new();
    // Blocks from their ends: what a block needs from around it is known before that is reached.
    let mut open: Vec<(BlockId, usize)> = Vec::new();
    let enter = |chooser: &mut Chooser<'_>, open: &mut Vec<(BlockId, usize)>, block: BlockId| {
        graph.block(block).results.iter().for_each(|&value| chooser.need(value));
        open.push((block, graph.block(block).nodes.len()));
    };
    enter(&mut chooser, &mut open, Graph::MAIN);
    while let Some((block, left)) = open.last_mut() {
        let block = *block;
        if *left == 0 {
            open.pop();
            items.entry(block).or_default().reverse();
            continue;
        }
        *left -= 1;
        let id = graph.block(block).nodes[*left];
        let node = graph.node(id);
        let wanted = node.effect || graph.results(id).any(|value| chooser.is_needed(value));
        if !wanted {
            continue;
        }
        let list = items.entry(block).or_default();
        match &node.op {
            Op::Parameter | Op::View => {}
            Op::Constant(literal) if !literal.splat || graph.ty(node.first).bytes() <= SPLAT_LIMIT => {
                list.push(Item::Constant(node.first));
            }
            Op::Kernel(kernel) => {
                let updated = kernel.updates();
                debug_assert!(updated.iter().all(|(operand, _)| *operand < node.inputs.len()));
                node.inputs.iter().for_each(|&input| chooser.need(input));
                list.push(Item::Kernel(id));
            }
            Op::While { condition, body } => {
                list.push(Item::While(id));
                node.inputs.iter().for_each(|&input| chooser.need(input));
                enter(&mut chooser, &mut open, *condition);
                enter(&mut chooser, &mut open, *body);
            }
            Op::Case(branches) => {
                list.push(Item::Case(id));
                node.inputs.iter().for_each(|&input| chooser.need(input));
                branches.iter().for_each(|&branch| enter(&mut chooser, &mut open, branch));
            }
            Op::Transpose(order) if direct(graph, node.first) && !chooser.is_written(node.first) => {
                let input = node.inputs[0];
                let kernel = transpose(graph, input, order)?;
                chooser.need(input);
                list.push(Item::Direct { kernel, input, output: node.first });
            }
            _ => {
                if !chooser.is_written(node.first) {
                    let mut loops = chooser.loops(node.first)?;
                    loops.reverse();
                    list.extend(loops.into_iter().map(Item::Loop));
                }
            }
        }
    }
    Ok(items)
}

/// From how many elements on a transposition is worth a kernel that walks in squares.
const LARGE_TRANSPOSE: usize = 4096;

/// Whether a transposition moves the innermost dimension of much that is in memory anyway.
fn direct(graph: &Graph, value: Value) -> bool {
    let Op::Transpose(order) = graph.op(value) else { return false };
    let input = graph.inputs(value)[0];
    let in_memory =
        matches!(graph.op(input), Op::Parameter | Op::Kernel(_) | Op::While { .. } | Op::Case(_) | Op::View);
    graph.ty(value).len() >= LARGE_TRANSPOSE && in_memory && order.last() != Some(&(order.len() - 1))
}

fn transpose(graph: &Graph, input: Value, order: &[usize]) -> Result<Arc<dyn Kernel>> {
    let ty = graph.ty(input);
    let kernel = Transpose::prepare(&shape(ty)?, order)?;
    Ok(Arc::new(Prepared { name: "transpose", kernel, nanoseconds: 50 + ty.bytes() as u64 / 4, flops: 0.0 }))
}
