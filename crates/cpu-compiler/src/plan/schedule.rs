//! What each block does, in order: loops around needed values, kernels, control flow. What nobody needs is left out.

use super::merge::merge_loops;
use super::rows::{Member, group_rows};
use crate::dump::Cluster;
use crate::error::{Error, Result};
use crate::fuse::{Chooser, LARGE_MOVE, Loop, source, transposes_far};
use crate::graph::{BlockId, Graph, NodeId, Op, Value};
use crate::import::shape;
use crate::kernel::{Kernel, Prepared};
use cpu_kernels::{Concatenate, OpKernel, Pad, PadDimension, Reverse, Transpose};
use hashbrown::HashMap;
use std::sync::Arc;

/// One thing that a block does.
pub(super) enum Item {
    Loop(Loop),
    /// Loops that have their first dimensions in common, and what else has as many rows, which run block of rows by block of
    /// rows.
    Rows {
        members: Vec<Member>,
        leading: usize,
    },
    /// A literal that somebody reads from memory.
    Constant(Value),
    Kernel(NodeId),
    /// A value that a kernel makes of another where a loop would be slow.
    Direct {
        kernel: Arc<dyn Kernel>,
        inputs: Vec<Value>,
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
            let list = items.entry(block).or_default();
            list.reverse();
            merge_loops(graph, list);
            group_rows(graph, list);
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
                let gathered = if kernel.gathering().is_some() { chooser.gather_loop(node.first)? } else { None };
                if let Some(looped) = gathered {
                    list.push(Item::Loop(looped));
                } else {
                    node.inputs.iter().for_each(|&input| chooser.need(input));
                    list.push(Item::Kernel(id));
                }
            }
            Op::While { condition, body, .. } => {
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
            op if !chooser.is_written(node.first) && direct(graph, op, node.first) => {
                let kernel = mover(graph, op, node.first)?;
                node.inputs.iter().for_each(|&input| chooser.need(input));
                list.push(Item::Direct { kernel, inputs: node.inputs.clone(), output: node.first });
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

/// Whether an op moves elements in a way that loops are slow at, and they are in memory anyway or that is worth it.
fn direct(graph: &Graph, op: &Op, value: Value) -> bool {
    let in_memory = |&input: &Value| {
        let op = graph.op(source(graph, input));
        matches!(op, Op::Parameter | Op::Kernel(_) | Op::While { .. } | Op::Case(_)) || graph.ty(input).dims.is_empty()
    };
    let slow = match op {
        Op::Transpose(order) => order.last() != Some(&(order.len() - 1)),
        Op::Reverse(_) | Op::Pad { .. } | Op::Concatenate(_) => true,
        _ => false,
    };
    slow && graph.ty(value).len() >= LARGE_MOVE && graph.inputs(value).iter().all(in_memory)
        || transposes_far(graph, value)
}

fn mover(graph: &Graph, op: &Op, value: Value) -> Result<Arc<dyn Kernel>> {
    let inputs = graph.inputs(value);
    let shapes = inputs.iter().map(|&input| shape(graph.ty(input))).collect::<Result<Vec<_>>>()?;
    let ty = graph.ty(value);
    let nanoseconds = 50 + ty.bytes() as u64 / 4;
    fn wrapped<K: OpKernel + 'static>(name: &'static str, kernel: K, nanoseconds: u64) -> Arc<dyn Kernel> {
        Arc::new(Prepared { name, kernel, nanoseconds, flops: 0.0 })
    }
    Ok(match op {
        Op::Transpose(order) => wrapped("transpose", Transpose::prepare(&shapes[0], order)?, nanoseconds),
        Op::Reverse(dims) => wrapped("reverse", Reverse::prepare(&shapes[0], dims)?, nanoseconds),
        Op::Concatenate(dim) => wrapped("concatenate", Concatenate::prepare(&shapes, *dim)?, nanoseconds),
        Op::Pad { low, interior } => {
            let dimension = |d: usize| {
                let size = shapes[0].dims[d] as i64;
                let spread = size + (size - 1).max(0) * interior[d] as i64;
                PadDimension { low: low[d], high: ty.dims[d] as i64 - low[d] - spread, interior: interior[d] }
            };
            let padding: Vec<PadDimension> = (0..low.len()).map(dimension).collect();
            wrapped("pad", Pad::prepare(&shapes[0], &padding)?, nanoseconds)
        }
        _ => return Err(Error::internal("no kernel moves elements this way")),
    })
}

/// The items of all blocks in order, those of inner blocks after what they belong to, for a picture.
pub(super) fn clusters(graph: &Graph, items: &HashMap<BlockId, Vec<Item>>) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    // Blocks whose rest is still to be shown.
    let mut open = vec![(Graph::MAIN, 0usize)];
    while let Some((block, at)) = open.pop() {
        let Some(item) = items.get(&block).and_then(|list| list.get(at)) else { continue };
        open.push((block, at + 1));
        let indent = open.len() - 1;
        let node = |id: NodeId| (graph.node(id).inputs.clone(), graph.results(id).collect::<Vec<_>>());
        let (title, detail, (reads, writes), color) = match item {
            Item::Constant(_) => continue,
            Item::Loop(looped) => {
                let program = &looped.program;
                let writes = looped.outputs.iter().map(|store| store.value).collect();
                let what = if program.reductions.is_empty() { "loop" } else { "reduction" };
                let detail = format!(
                    "{} operations, reads {}, writes {}",
                    program.body.len(),
                    looped.inputs.len(),
                    looped.outputs.len()
                );
                (format!("{what} over {:?}", program.dims), detail, (looped.inputs.clone(), writes), "#dcebfa")
            }
            Item::Rows { members, leading } => {
                let reads = members.iter().flat_map(Member::inputs).collect();
                let writes = members.iter().flat_map(Member::outputs).collect();
                let rows = members.iter().find_map(|member| match member {
                    Member::Loop(looped) => Some(&looped.program.dims[..*leading]),
                    Member::Step(_) | Member::Change(_) => None,
                });
                let others = members.iter().filter_map(|member| match member {
                    Member::Loop(_) => None,
                    Member::Step(step) => Some(step.kernel.name()),
                    Member::Change(change) => Some(change.kernel.name()),
                });
                let others: Vec<String> = others.collect();
                let detail = if others.is_empty() { String::new() } else { format!("with {}", others.join(", ")) };
                let (loops, rows) = (members.len() - others.len(), rows.unwrap_or_default());
                (format!("{loops} loops over rows {rows:?}"), detail, (reads, writes), "#dcebfa")
            }
            Item::Direct { kernel, inputs, output } => {
                let detail = format!("{:?}", graph.ty(*output).dims);
                (kernel.name(), detail, (inputs.clone(), vec![*output]), "#e8e4f8")
            }
            Item::Kernel(id) => {
                let Op::Kernel(kernel) = &graph.node(*id).op else { continue };
                let shapes = graph.results(*id).map(|value| format!("{:?}", graph.ty(value).dims));
                (kernel.name(), shapes.collect::<Vec<_>>().join(" "), node(*id), "#fdebd3")
            }
            Item::While(id) => {
                if let Op::While { condition, body, .. } = graph.node(*id).op {
                    open.extend([(body, 0), (condition, 0)]);
                }
                ("while".to_owned(), format!("{} values", graph.node(*id).results), node(*id), "#dff3dd")
            }
            Item::Case(id) => {
                if let Op::Case(branches) = &graph.node(*id).op {
                    open.extend(branches.iter().rev().map(|&branch| (branch, 0)));
                }
                ("case".to_owned(), format!("{} values", graph.node(*id).results), node(*id), "#dff3dd")
            }
        };
        let source = |value: Value| source(graph, value);
        let reads = reads.into_iter().map(source).collect();
        clusters.push(Cluster { title, detail, indent, reads, writes, color });
    }
    clusters
}
