//! Which values are computed together: the chooser walks blocks backwards, and gathers around each value that is
//! needed in memory the producers that only it uses, or that cost less to repeat than to keep.

use super::emit::{Emitter, NotLinear, fill_scalars, reduction_space, source};
use super::gather::{gathering, gathers_short_runs};
use super::index_map::IndexMap;
use super::lanes::{Lane, storage};
use crate::error::{Error, Result};
use crate::graph::{BlockId, Graph, NodeId, Op, Value};
use cpu_vir::{Access, OperandId, Part, Program, row_major};
use hashbrown::HashSet;
use std::collections::BinaryHeap;

/// Most values that one loop computes. More would not fit the first-level cache as tiles.
const MOST_MEMBERS: usize = 96;
/// Most arrays that one loop reads and writes.
const MOST_ARRAYS: usize = 24;

/// From how many elements on a movement of elements is worth a kernel of its own.
pub(crate) const LARGE_MOVE: usize = 4096;

/// Whether a value is a large transposition whose rows come from as many cache lines as they have elements. A loop would read
/// them one by one, eight times as slowly as a kernel that moves blocks; reductions walk in the order of the source.
pub(crate) fn transposes_far(graph: &Graph, value: Value) -> bool {
    const LINE: usize = 64;
    let Op::Transpose(order) = graph.op(value) else { return false };
    let source = graph.ty(graph.inputs(value)[0]);
    let apart: usize = order.last().map_or(1, |&last| source.dims[last + 1..].iter().product());
    graph.ty(value).len() >= LARGE_MOVE && apart * source.width() >= LINE
}

/// One loop: a program, the values it reads and those it writes (in the order of the program's outputs).
pub(crate) struct Loop {
    pub program: Program,
    pub inputs: Vec<Value>,
    pub outputs: Vec<Store>,
}

/// A value that a loop writes, whole or in part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    pub value: Value,
    pub operand: OperandId,
    /// Whether every element of the value is written by this loop.
    pub whole: bool,
}

/// What is decided while blocks are walked.
pub(crate) struct Chooser<'g> {
    graph: &'g Graph,
    users: Vec<Vec<NodeId>>,
    /// Values that somebody reads from memory.
    needed: Vec<bool>,
    /// Values that loops cannot compute where they are wanted.
    barriers: HashSet<Value>,
    /// Values returned by the block that they are defined in.
    returned: Vec<bool>,
    /// Values that a loop has written besides its root.
    written: Vec<bool>,
}

impl<'g> Chooser<'g> {
    pub fn new(graph: &'g Graph) -> Chooser<'g> {
        let live = live_nodes(graph);
        let mut users = vec![Vec::new(); graph.num_values()];
        for (index, node) in graph.nodes.iter().enumerate().filter(|(index, _)| live[*index]) {
            for &input in &node.inputs {
                users[input.0 as usize].push(NodeId(index as u32));
            }
            // What a block returns without having made it is used by whose block it is.
            for block in node.op.blocks() {
                let from_around = |value: &&Value| graph.node(graph.definition(**value)).block != block;
                for value in graph.block(block).results.iter().filter(from_around) {
                    users[value.0 as usize].push(NodeId(index as u32));
                }
            }
        }
        let mut returned = vec![false; graph.num_values()];
        for &value in graph.blocks.iter().flat_map(|block| &block.results) {
            returned[value.0 as usize] = true;
        }
        let needed = vec![false; graph.num_values()];
        let written = needed.clone();
        Chooser { graph, users, needed, barriers: HashSet::new(), returned, written }
    }

    pub(super) fn graph(&self) -> &'g Graph {
        self.graph
    }

    pub(super) fn users_of(&self, value: Value) -> &[NodeId] {
        &self.users[value.0 as usize]
    }

    /// Whether one node uses a value and nobody else, so that it can be computed there.
    pub(super) fn is_for_one(&self, value: Value) -> bool {
        let wanted = self.needed[value.0 as usize] || self.returned[value.0 as usize];
        // Whether a gather of rows is computed there is not asked: that would be asked of its operand too, and so on.
        let fusible = is_linear(self.graph.op(value)) || gathers_short_runs(self.graph, value);
        let computed = fusible && !self.barriers.contains(&value) && !self.is_free(value);
        self.users[value.0 as usize].len() == 1 && !wanted && computed
    }

    /// Asks for a value in memory.
    pub fn need(&mut self, value: Value) {
        let value = source(self.graph, value);
        self.needed[value.0 as usize] = true;
    }

    pub fn is_needed(&self, value: Value) -> bool {
        self.needed[value.0 as usize]
    }

    /// Whether some loop has written the value beside its own root.
    pub fn is_written(&self, value: Value) -> bool {
        self.written[value.0 as usize]
    }

    /// Whether a value takes no reading from memory.
    fn is_free(&self, value: Value) -> bool {
        let graph = self.graph;
        let mut value = value;
        loop {
            match graph.op(value) {
                Op::Constant(literal) => return literal.splat,
                Op::Iota(_) => return true,
                Op::Broadcast(_) => value = graph.inputs(value)[0],
                _ => return false,
            }
        }
    }

    fn is_fusible(&self, value: Value) -> bool {
        is_linear(self.graph.op(value)) || self.gathers_in_loop(value) || self.joins_components(value)
    }

    /// The operands of a node that a loop does, as far as the loop may compute them: others are read from memory.
    fn producers(&self, value: Value) -> &'g [Value] {
        let inputs = self.graph.inputs(value);
        match gathering(self.graph, value) {
            Some(_) if !self.takes_operand(value) => &inputs[1..],
            _ => inputs,
        }
    }

    /// A loop that gathers a value and does what is in front of that; `None` when a kernel does no worse.
    ///
    /// # Errors
    /// Internal ones only.
    pub fn gather_loop(&mut self, root: Value) -> Result<Option<Loop>> {
        let graph = self.graph;
        let ty = graph.ty(root).clone();
        let place = Place { offset: 0, strides: row_major(&ty.dims), whole: true };
        let worthwhile = |chooser: &Chooser<'_>, members: &HashSet<Value>| {
            chooser.gathers_in_loop(root)
                && members.iter().any(|&member| matches!(graph.op(member), Op::Map(_) | Op::Concatenate(_)))
        };
        self.grow_while(root, None, &ty.dims, place, worthwhile)
    }

    /// Whether repeating the node is cheaper than keeping its result.
    fn is_cheap(&self, value: Value) -> bool {
        let graph = self.graph;
        let arrays = graph.inputs(value).iter().filter(|&&input| !self.is_free(input)).count();
        match graph.op(value) {
            Op::Map(op) => arrays <= 1 && op.cost() <= 60,
            Op::Broadcast(_) | Op::View | Op::Slice { .. } => true,
            _ => false,
        }
    }

    /// The loops that put a value into memory; several for the parts of a concatenation.
    ///
    /// # Errors
    /// Internal ones only.
    pub fn loops(&mut self, root: Value) -> Result<Vec<Loop>> {
        let graph = self.graph;
        let ty = graph.ty(root).clone();
        match graph.op(root) {
            Op::Concatenate(dim) => {
                let (dim, mut at) = (*dim, 0);
                let strides = row_major(&ty.dims);
                let mut loops = Vec::new();
                for &part in graph.inputs(root) {
                    let dims = graph.ty(part).dims.clone();
                    let offset = at as i64 * strides[dim];
                    at += dims[dim];
                    let place = Place { offset, strides: strides.clone(), whole: false };
                    loops.push(self.grow(root, Some(part), &dims, place)?);
                }
                Ok(loops)
            }
            Op::Pad { low, interior } if self.barriers.contains(&root) || interior.iter().any(|&gap| gap > 0) => {
                let (low, interior) = (low.clone(), interior.clone());
                self.scattered_pad(root, &low, &interior)
            }
            _ => {
                let place = Place { offset: 0, strides: row_major(&ty.dims), whole: true };
                Ok(vec![self.grow(root, None, &ty.dims, place)?])
            }
        }
    }

    /// A pad with gaps: the value everywhere, then the elements where they go.
    fn scattered_pad(&mut self, root: Value, low: &[i64], interior: &[usize]) -> Result<Vec<Loop>> {
        let graph = self.graph;
        let [operand, around] = *graph.inputs(root) else {
            return Err(Error::internal("a pad of other than 2 operands"));
        };
        let (ty, from) = (graph.ty(root).clone(), graph.ty(operand).clone());
        let strides = row_major(&ty.dims);
        let everywhere = Place { offset: 0, strides: strides.clone(), whole: true };
        let fill = self.fill(root, around, &ty.dims, everywhere)?;
        // Only elements that land inside are moved: those of negative padding are cut away.
        let mut start = vec![0usize; low.len()];
        let mut count = vec![0usize; low.len()];
        for d in 0..low.len() {
            let step = interior[d] as i64 + 1;
            let first = if low[d] < 0 { (-low[d] + step - 1) / step } else { 0 };
            let last = (ty.dims[d] as i64 - 1 - low[d]).div_euclid(step).min(from.dims[d] as i64 - 1);
            start[d] = first as usize;
            count[d] = (last - first + 1).max(0) as usize;
        }
        let mut offset = 0;
        for d in 0..low.len() {
            offset += (low[d] + start[d] as i64 * (interior[d] as i64 + 1)) * strides[d];
        }
        if count.contains(&0) {
            return Ok(vec![fill]);
        }
        let strides = strides.iter().zip(interior).map(|(stride, &gap)| stride * (gap as i64 + 1)).collect();
        let place = Place { offset, strides, whole: false };
        let map = IndexMap::select(count.len(), &(0..count.len()).collect::<Vec<_>>());
        let map = map.scaled(|_| 1, |d| start[d] as i64);
        let moved = self.emit_at(root, operand, &count, &map, place)?;
        Ok(vec![fill, moved])
    }

    fn fill(&mut self, root: Value, scalar: Value, dims: &[usize], place: Place) -> Result<Loop> {
        self.emit_at(root, scalar, dims, &IndexMap { dims: Vec::new(), bounds: None }, place)
    }

    /// A loop that stores one value under a map, without gathering producers.
    fn emit_at(&mut self, root: Value, value: Value, dims: &[usize], map: &IndexMap, place: Place) -> Result<Loop> {
        let graph = self.graph;
        let members: HashSet<Value> = [value].into_iter().filter(|&value| self.is_free(value)).collect();
        let mut emitter = Emitter::new(graph, &members, dims, 0);
        let lane = emitter.emit(value, map).map_err(|_| Error::internal("a value without producers is not linear"))?;
        let mut outputs = Vec::new();
        store(graph, &mut emitter, root, lane, &place, &mut outputs);
        self.finish(emitter, outputs)
    }

    /// Gathers producers and emits them; values that turn out not to be linear are kept in memory instead.
    fn grow(&mut self, root: Value, part: Option<Value>, dims: &[usize], place: Place) -> Result<Loop> {
        let grown = self.grow_while(root, part, dims, place, |_, _| true)?;
        grown.ok_or_else(|| Error::internal("a loop that is not worthwhile"))
    }

    /// The same as long as its members are worthwhile.
    fn grow_while(
        &mut self,
        root: Value,
        part: Option<Value>,
        dims: &[usize],
        place: Place,
        worthwhile: impl Fn(&Chooser<'_>, &HashSet<Value>) -> bool,
    ) -> Result<Option<Loop>> {
        loop {
            let (members, kept) = self.members(root, part);
            if !worthwhile(self, &members) {
                return Ok(None);
            }
            match self.emit_cluster(root, part, dims, &place, &members, &kept) {
                Ok(done) => {
                    for &value in &kept {
                        self.written[value.0 as usize] = true;
                    }
                    return done.map(Some);
                }
                Err(NotLinear(value)) => {
                    if !self.barriers.insert(value) {
                        return Err(Error::internal("a value that is in memory cannot be read"));
                    }
                }
            }
        }
    }

    /// The values computed with the root, and those of them that are stored as well.
    fn members(&self, root: Value, part: Option<Value>) -> (HashSet<Value>, Vec<Value>) {
        let graph = self.graph;
        let root_node = graph.definition(root);
        let block = graph.node(root_node).block;
        let mut members = HashSet::new();
        // Nodes that run nowhere else; those that are repeated elsewhere want their operands there too.
        let mut nodes: HashSet<NodeId> = [root_node].into_iter().collect();
        let mut kept = Vec::new();
        let mut seen = HashSet::new();
        // What is taken element by element: from where does not matter.
        let mut taken: HashSet<Value> = HashSet::new();
        let enter = |value: Value, seen: &mut HashSet<Value>, taken: &mut HashSet<Value>| {
            let (inputs, producers) = (graph.inputs(value), self.producers(value));
            if gathering(graph, value).is_some() {
                taken.extend(&inputs[..1]);
            } else if taken.contains(&value) {
                taken.extend(inputs);
            }
            let from_memory = inputs.len() - producers.len();
            seen.extend(&inputs[..from_memory]);
            (producers.iter().copied(), from_memory)
        };
        let mut arrays = 1;
        let mut queue: BinaryHeap<Value> = match part {
            Some(part) => [part].into_iter().collect(),
            None => {
                let (producers, from_memory) = enter(root, &mut seen, &mut taken);
                arrays += from_memory;
                producers.collect()
            }
        };
        while let Some(value) = queue.pop() {
            if !seen.insert(value) {
                continue;
            }
            let id = graph.definition(value);
            let node = graph.node(id);
            let mut repeated = false;
            let take = if self.is_free(value) {
                true
            } else if !self.is_fusible(value)
                || self.barriers.contains(&value)
                || members.len() >= MOST_MEMBERS
                || transposes_far(graph, value)
                    && !matches!(graph.op(root), Op::Reduce { .. })
                    && !taken.contains(&value)
            {
                false
            } else if node.block != block {
                repeated = matches!(node.op, Op::View | Op::Broadcast(_));
                repeated
            } else {
                let users = &self.users[value.0 as usize];
                let inside = users.iter().all(|user| nodes.contains(user));
                let needed = self.needed[value.0 as usize];
                if inside && !needed && !self.returned[value.0 as usize] {
                    true
                } else if self.is_cheap(value) && !needed {
                    repeated = true;
                    true
                } else if part.is_none() && arrays + kept.len() < MOST_ARRAYS && self.can_keep(root, value, &nodes) {
                    kept.push(value);
                    true
                } else {
                    false
                }
            };
            if take {
                members.insert(value);
                if !repeated {
                    nodes.insert(id);
                }
                let (producers, from_memory) = enter(value, &mut seen, &mut taken);
                arrays += from_memory;
                queue.extend(producers);
            } else {
                arrays += 1;
                if arrays + queue.len() > MOST_ARRAYS {
                    // Whatever is left is read from memory.
                    queue.retain(|&value| self.is_free(value));
                }
            }
        }
        (members, kept)
    }

    /// Whether the loop of `root` may store `value` too: it has the same points, and whoever else uses it comes later.
    fn can_keep(&self, root: Value, value: Value, nodes: &HashSet<NodeId>) -> bool {
        let graph = self.graph;
        let elementwise = matches!(graph.op(root), Op::Map(_)) && matches!(graph.op(value), Op::Map(_));
        let wanted = self.needed[value.0 as usize] && !self.written[value.0 as usize];
        if !elementwise || !wanted || graph.ty(root).dims != graph.ty(value).dims {
            return false;
        }
        let root_node = graph.definition(root);
        self.users[value.0 as usize].iter().all(|user| nodes.contains(user) || *user > root_node)
    }

    #[allow(clippy::type_complexity, reason = "the outer result asks for another try, the inner one is an error")]
    fn emit_cluster(
        &mut self,
        root: Value,
        part: Option<Value>,
        dims: &[usize],
        place: &Place,
        members: &HashSet<Value>,
        kept: &[Value],
    ) -> std::result::Result<Result<Loop>, NotLinear> {
        let graph = self.graph;
        let identity = |rank: usize| IndexMap::select(rank, &(0..rank).collect::<Vec<_>>());
        let mut outputs = Vec::new();
        if let Op::Reduce { dims, kind, init } = graph.op(root) {
            let (kind, operand) = (*kind, graph.inputs(root)[0]);
            let (space, map) = reduction_space(graph.ty(operand), dims);
            let mut emitter = Emitter::new(graph, members, &space, dims.len());
            let lane = emitter.emit(operand, &map)?;
            let element = graph.ty(root).element.unwrap_or(stablehlo::ElementType::Bool);
            let init = fill_scalars(element, init);
            let b = &mut emitter.builder;
            let operand = b.output(storage(element));
            let access = b.dense_result(operand);
            match lane {
                Lane::One(value) => b.reduce(kind, value, init[0], access),
                Lane::Two(z) => {
                    b.reduce_part(kind, z.re, init[0], access.clone(), Part::Re);
                    b.reduce_part(kind, z.im, init[1], access, Part::Im);
                }
            }
            outputs.push(Store { value: root, operand, whole: true });
            return Ok(self.finish(emitter, outputs));
        }
        let mut emitter = Emitter::new(graph, members, dims, 0);
        let map = identity(dims.len());
        let lane = match part {
            Some(part) => emitter.emit(part, &map)?,
            None => emitter.compute(root, &map)?,
        };
        store(graph, &mut emitter, root, lane, place, &mut outputs);
        for &value in kept {
            let lane = emitter.emit(value, &map)?;
            store(graph, &mut emitter, value, lane, place, &mut outputs);
        }
        Ok(self.finish(emitter, outputs))
    }

    fn finish(&mut self, emitter: Emitter<'_>, outputs: Vec<Store>) -> Result<Loop> {
        let inputs: Vec<Value> = emitter.inputs.iter().map(|(value, _, _)| *value).collect();
        for &input in &inputs {
            self.need(input);
        }
        let program = emitter.builder.finish().map_err(|error| Error::internal(format!("a loop program: {error}")))?;
        Ok(Loop { program, inputs, outputs })
    }
}

/// Whether loops do an op where it is wanted, if its indices are linear there.
fn is_linear(op: &Op) -> bool {
    matches!(
        op,
        Op::Iota(_)
            | Op::Map(_)
            | Op::Broadcast(_)
            | Op::View
            | Op::Transpose(_)
            | Op::Slice { .. }
            | Op::Reverse(_)
            | Op::Pad { .. }
    )
}

/// Where a loop stores its values: element of point 0, strides of its dimensions.
struct Place {
    offset: i64,
    strides: Vec<i64>,
    whole: bool,
}

fn store(graph: &Graph, emitter: &mut Emitter<'_>, value: Value, lane: Lane, place: &Place, outputs: &mut Vec<Store>) {
    let element = graph.ty(value).element.unwrap_or(stablehlo::ElementType::Bool);
    let operand = emitter.builder.output(storage(element));
    let access = Access { operand, offset: place.offset, strides: place.strides.clone() };
    match lane {
        Lane::One(x) => emitter.builder.store(access, x),
        Lane::Two(z) => emitter.builder.store_complex(access, z),
    }
    outputs.push(Store { value, operand, whole: place.whole });
}

/// Nodes that results or effects depend on.
fn live_nodes(graph: &Graph) -> Vec<bool> {
    let mut live = vec![false; graph.nodes.len()];
    let mut work: Vec<NodeId> = Vec::new();
    let block_needs = |block: BlockId, work: &mut Vec<NodeId>| {
        let block = graph.block(block);
        work.extend(block.results.iter().map(|&value| graph.definition(value)));
        work.extend(block.nodes.iter().copied().filter(|&node| graph.node(node).effect));
    };
    block_needs(Graph::MAIN, &mut work);
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut live[id.0 as usize], true) {
            continue;
        }
        let node = graph.node(id);
        work.extend(node.inputs.iter().map(|&value| graph.definition(value)));
        match &node.op {
            Op::While { condition, body, .. } => {
                block_needs(*condition, &mut work);
                block_needs(*body, &mut work);
            }
            Op::Case(branches) => branches.iter().for_each(|&block| block_needs(block, &mut work)),
            _ => {}
        }
    }
    live
}
