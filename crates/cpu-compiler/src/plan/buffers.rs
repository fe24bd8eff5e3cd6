//! Values to buffers. A buffer is shared by values whose lives do not meet: a result takes the place of an operand that
//! dies with it, the state of a loop has one place for all turns, results are computed where they are to end up.

use super::ArgumentPlan;
use super::code::{Code, Entry, Position};
use super::rows::{Member, replaceable};
use crate::array_type::ArrayType;
use crate::error::{Error, Result};
use crate::fuse::{Loop, source};
use crate::graph::{BlockId, Graph, Literal, NodeId, Op, Value};
use cpu_vir::{Inst, Program, Role};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// Position in [`Placed::buffers`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct BufferId(pub usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Argument(usize),
    Constant(usize),
    Result(usize),
    /// Somewhere in the arena, from the first position to the last.
    Arena {
        from: Position,
        to: Position,
    },
}

pub(super) struct Buffer {
    pub home: Home,
    pub bytes: usize,
    /// The last use of what it holds at the moment.
    busy: Option<Position>,
}

/// The list, with the buffers of its values.
pub(super) struct Placed {
    pub list: Vec<(Entry, Vec<Copy>)>,
    pub buffers: Vec<Buffer>,
    pub constants: Vec<Arc<[u8]>>,
    pub of: Vec<Option<BufferId>>,
    /// Where each loop's own word on another turn is.
    pub conditions: HashMap<NodeId, BufferId>,
}

/// A copy that an entry makes: before a kernel or a loop, at a `CarryIn` or `BranchEnd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copy {
    pub from: BufferId,
    pub to: BufferId,
}

/// Where a value wants to be.
#[derive(Clone, Copy)]
enum Wish {
    Result(usize),
    Carry(NodeId, usize),
    Case(NodeId, usize),
    /// Where another value is to be, into which a kernel changes it.
    Becomes(Value),
}

struct Placer<'g> {
    graph: &'g Graph,
    last_use: Vec<Position>,
    buffers: Vec<Buffer>,
    of: Vec<Option<BufferId>>,
    constants: Vec<Arc<[u8]>>,
    known_constants: HashMap<Literal, usize>,
    results: Vec<BufferId>,
    wishes: HashMap<Value, Wish>,
    /// The buffers of loop states and of branch results.
    places: HashMap<(NodeId, usize), BufferId>,
    /// Where the condition of each loop is known.
    tests: HashMap<NodeId, Position>,
    /// Where the branches of each choice come together.
    joins: HashMap<NodeId, Position>,
    /// For each branch, the values of its surroundings that it uses, and where it does last.
    captured: HashMap<BlockId, HashMap<Value, Position>>,
    /// Where each loop's own word on another turn is.
    conditions: HashMap<NodeId, BufferId>,
    /// A value was used that has no buffer: a mistake of ours.
    lost: std::cell::Cell<bool>,
}

/// Gives every value of the list a buffer.
///
/// # Errors
/// Internal ones only.
pub(super) fn place(graph: &Graph, code: Code, arguments: &[ArgumentPlan], results: &[ArrayType]) -> Result<Placed> {
    let (mut tests, mut joins) = (HashMap::new(), HashMap::new());
    for (position, entry) in code.list.iter().enumerate() {
        match entry {
            Entry::Test { node, .. } => tests.insert(*node, position),
            Entry::Join(node) => joins.insert(*node, position),
            _ => None,
        };
    }
    let mut placer = Placer {
        graph,
        last_use: code.last_use,
        buffers: Vec::new(),
        of: vec![None; graph.num_values()],
        constants: Vec::new(),
        known_constants: HashMap::new(),
        results: Vec::new(),
        wishes: wishes(graph),
        places: HashMap::new(),
        tests,
        joins,
        captured: code.captured,
        conditions: HashMap::new(),
        lost: std::cell::Cell::new(false),
    };
    for (index, ty) in results.iter().enumerate() {
        let buffer = placer.new_buffer(Home::Result(index), ty.bytes());
        placer.results.push(buffer);
    }
    for (index, &parameter) in graph.block(Graph::MAIN).parameters.iter().enumerate() {
        let buffer = match arguments[index] {
            ArgumentPlan::Becomes(result) => placer.results[result],
            ArgumentPlan::Read => placer.new_buffer(Home::Argument(index), graph.ty(parameter).bytes()),
        };
        placer.hold(buffer, parameter);
    }
    let mut list = Vec::with_capacity(code.list.len());
    for (position, mut entry) in code.list.into_iter().enumerate() {
        let copies = placer.entry(&mut entry, position);
        list.push((entry, copies));
    }
    if placer.lost.get() {
        return Err(Error::internal("a value is used that no step makes"));
    }
    Ok(Placed {
        list,
        buffers: placer.buffers,
        constants: placer.constants,
        of: placer.of,
        conditions: placer.conditions,
    })
}

/// Which values become results of blocks, and which are changed into others.
fn wishes(graph: &Graph) -> HashMap<Value, Wish> {
    let mut wishes = HashMap::new();
    // Values that kernels of their block change, with how often they are used at all.
    let mut changed: HashMap<Value, (Value, usize)> = HashMap::new();
    for node in &graph.nodes {
        let Op::Kernel(kernel) = &node.op else { continue };
        for &(operand, result) in kernel.updates() {
            let operand = source(graph, node.inputs[operand]);
            if graph.node(graph.definition(operand)).block == node.block {
                changed.insert(operand, (Value(node.first.0 + result as u32), 0));
            }
        }
    }
    if !changed.is_empty() {
        let results = graph.blocks.iter().flat_map(|block| &block.results);
        for &value in graph.nodes.iter().flat_map(|node| &node.inputs).chain(results) {
            if let Some((_, uses)) = changed.get_mut(&source(graph, value)) {
                *uses += 1;
            }
        }
    }
    for (operand, (result, uses)) in changed {
        if uses == 1 {
            wishes.insert(operand, Wish::Becomes(result));
        }
    }
    for (index, &value) in graph.block(Graph::MAIN).results.iter().enumerate() {
        wishes.entry(source(graph, value)).or_insert(Wish::Result(index));
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        let id = NodeId(index as u32);
        match &node.op {
            Op::While { body, .. } => {
                for (k, &value) in graph.block(*body).results.iter().enumerate().take(node.inputs.len()) {
                    wishes.entry(source(graph, value)).or_insert(Wish::Carry(id, k));
                }
                for (k, &value) in node.inputs.iter().enumerate() {
                    wishes.entry(source(graph, value)).or_insert(Wish::Carry(id, k));
                }
            }
            Op::Case(branches) => {
                for &branch in branches {
                    for (k, &value) in graph.block(branch).results.iter().enumerate() {
                        wishes.entry(source(graph, value)).or_insert(Wish::Case(id, k));
                    }
                }
            }
            _ => {}
        }
    }
    wishes
}

impl Placer<'_> {
    fn new_buffer(&mut self, home: Home, bytes: usize) -> BufferId {
        self.buffers.push(Buffer { home, bytes, busy: None });
        BufferId(self.buffers.len() - 1)
    }

    fn buffer(&mut self, id: BufferId) -> &mut Buffer {
        &mut self.buffers[id.0]
    }

    fn at(&self, value: Value) -> BufferId {
        // Whoever is used was placed before: entries stand in order of definition.
        self.of[source(self.graph, value).0 as usize].unwrap_or_else(|| {
            self.lost.set(true);
            BufferId(0)
        })
    }

    fn last_use(&self, value: Value) -> Position {
        self.last_use[value.0 as usize]
    }

    /// From now on the buffer holds the value.
    fn hold(&mut self, id: BufferId, value: Value) {
        let last = self.last_use(value);
        self.hold_until(id, last);
        self.of[value.0 as usize] = Some(id);
    }

    fn hold_until(&mut self, id: BufferId, last: Position) {
        let buffer = self.buffer(id);
        buffer.busy = Some(last);
        if let Home::Arena { to, .. } = &mut buffer.home {
            *to = last.max(*to);
        }
    }

    fn is_writable(&self, id: BufferId) -> bool {
        matches!(self.buffers[id.0].home, Home::Result(_) | Home::Arena { .. })
    }

    /// Whether nothing that the buffer holds is used at `position` or later.
    fn is_free(&self, id: BufferId, position: Position) -> bool {
        self.buffers[id.0].busy.is_none_or(|busy| busy < position)
    }

    /// The buffer that a value wishes for, if it is there and free.
    fn wished(&self, value: Value, bytes: usize, position: Position) -> Option<BufferId> {
        let place = self.target(value)?;
        let fits = self.buffers[place.0].bytes == bytes && self.is_free(place, position);
        (fits && self.is_writable(place)).then_some(place)
    }

    /// The buffer that a value wishes for, if it is there.
    fn target(&self, value: Value) -> Option<BufferId> {
        let graph = self.graph;
        let mut value = value;
        // Each step goes to the result of a later op, so this ends.
        for _ in 0..64 {
            let (place, next) = match *self.wishes.get(&value)? {
                Wish::Result(index) => (Some(self.results[index]), None),
                Wish::Carry(node, k) | Wish::Case(node, k) => {
                    let result = Value(graph.node(node).first.0 + k as u32);
                    (self.places.get(&(node, k)).copied(), Some(result))
                }
                Wish::Becomes(result) => (None, Some(result)),
            };
            if place.is_some() {
                return place;
            }
            value = next?;
        }
        None
    }

    /// A buffer for a value that an entry makes.
    fn make(&mut self, value: Value, position: Position) {
        let bytes = self.graph.ty(value).bytes();
        let buffer = match self.wished(value, bytes, position) {
            Some(buffer) => buffer,
            None => self.new_buffer(Home::Arena { from: position, to: position }, bytes),
        };
        // A value that nobody uses is still written.
        self.last_use[value.0 as usize] = self.last_use(value).max(position);
        self.hold(buffer, value);
    }

    /// Lets a result take the place of an operand that dies here; false if it does not die.
    fn take_over(&mut self, operand: Value, result: Value, position: Position) -> bool {
        let buffer = self.at(operand);
        let dies = self.buffers[buffer.0].busy.is_some_and(|busy| busy <= position);
        let fits = self.buffers[buffer.0].bytes == self.graph.ty(result).bytes();
        if !dies || !fits || !self.is_writable(buffer) {
            return false;
        }
        self.last_use[result.0 as usize] = self.last_use(result).max(position);
        self.hold(buffer, result);
        true
    }

    fn entry(&mut self, entry: &mut Entry, position: Position) -> Vec<Copy> {
        let graph = self.graph;
        match entry {
            Entry::Constant(value) => {
                self.constant(*value);
                Vec::new()
            }
            Entry::Loop(looped) => {
                let inputs = looped.inputs.clone();
                self.looped(looped, position, &inputs);
                Vec::new()
            }
            Entry::Rows { members, leading } => {
                let replaceable = replaceable(graph, members, *leading);
                // What is changed is there before all of them, and nobody else touches it.
                let mut copies = Vec::new();
                for (member, replaceable) in members.iter_mut().zip(replaceable) {
                    match member {
                        Member::Loop(looped) => self.looped(looped, position, &replaceable),
                        Member::Step(step) => self.make(step.output, position),
                        Member::Change(change) => copies.extend(self.kernel(change.node, position)),
                    }
                }
                copies
            }
            Entry::Kernel(node) => self.kernel(*node, position),
            Entry::Direct { output, .. } => {
                self.make(*output, position);
                Vec::new()
            }
            Entry::CarryIn(node) => self.carry_in(*node, position),
            Entry::Head | Entry::Test { .. } => Vec::new(),
            Entry::Return => {
                let results = graph.block(Graph::MAIN).results.iter().zip(&self.results);
                let pending = results.map(|(&value, &to)| Copy { from: self.at(value), to }).collect();
                self.in_order(pending, position)
            }
            Entry::CarryOut { node, condition, .. } => self.carry_out(*node, *condition, position),
            Entry::End(node) => {
                for (k, result) in graph.results(*node).enumerate() {
                    let place = self.places[&(*node, k)];
                    self.last_use[result.0 as usize] = self.last_use(result).max(position);
                    self.hold(place, result);
                }
                Vec::new()
            }
            Entry::Switch { node, .. } => {
                self.switch(*node, position);
                Vec::new()
            }
            Entry::BranchStart { node, block } => {
                self.branch_start(*node, *block, position);
                Vec::new()
            }
            Entry::BranchEnd { node, block, .. } => {
                let results = graph.block(*block).results.clone();
                self.moves(*node, &results, position)
            }
            Entry::Join(node) => {
                for (k, result) in graph.results(*node).enumerate() {
                    let place = self.places[&(*node, k)];
                    self.last_use[result.0 as usize] = self.last_use(result).max(position);
                    self.hold(place, result);
                }
                Vec::new()
            }
        }
    }

    /// Gives the results of a choice their places.
    fn switch(&mut self, id: NodeId, position: Position) {
        let graph = self.graph;
        let join = self.joins.get(&id).copied().unwrap_or(position);
        let mut claimed: HashSet<BufferId> = HashSet::new();
        for (k, result) in graph.results(id).enumerate() {
            let bytes = graph.ty(result).bytes();
            // Where it is to end up may hold what the branches alone still use: they change it in its place, if they do.
            let target = self.target(result).filter(|target| {
                let fits = self.buffers[target.0].bytes == bytes && self.is_writable(*target);
                fits && self.is_free(*target, join) && !claimed.contains(target)
            });
            let place = target.unwrap_or_else(|| self.new_buffer(Home::Arena { from: position, to: position }, bytes));
            claimed.insert(place);
            // Reserved while the branches run.
            self.extend(place, position);
            self.places.insert((id, k), place);
        }
    }

    /// A branch may write to the places of the results once it no longer uses what is in them.
    fn branch_start(&mut self, id: NodeId, block: BlockId, position: Position) {
        let mut until: HashMap<BufferId, Position> = HashMap::new();
        for (value, &last) in self.captured.get(&block).into_iter().flatten() {
            if let Some(buffer) = self.of[value.0 as usize] {
                let known = until.entry(buffer).or_insert(last);
                *known = last.max(*known);
            }
        }
        for k in 0..self.graph.node(id).results as usize {
            let place = self.places[&(id, k)];
            self.buffer(place).busy = until.get(&place).copied();
            self.extend(place, position);
        }
    }

    fn extend(&mut self, id: BufferId, position: Position) {
        if let Home::Arena { to, .. } = &mut self.buffer(id).home {
            *to = position.max(*to);
        }
    }

    fn constant(&mut self, value: Value) {
        let graph = self.graph;
        let Some(literal) = graph.literal(value).cloned() else { return };
        let ty = graph.ty(value);
        let index = match self.known_constants.get(&literal) {
            Some(&index) if self.constants[index].len() == ty.bytes() => index,
            _ => {
                let bytes: Arc<[u8]> = match literal.splat {
                    true => literal.bytes.repeat(ty.len()).into(),
                    false => literal.bytes.clone(),
                };
                self.constants.push(bytes);
                self.known_constants.insert(literal, self.constants.len() - 1);
                self.constants.len() - 1
            }
        };
        let buffer = self.new_buffer(Home::Constant(index), ty.bytes());
        self.hold(buffer, value);
    }

    /// Gives the outputs of a loop their buffers. `replaceable`: inputs that are not read after it at this position.
    fn looped(&mut self, looped: &mut Loop, position: Position, replaceable: &[Value]) {
        for index in 0..looped.outputs.len() {
            // Taking the place of an input renumbers the operands.
            let store = looped.outputs[index];
            if self.of[store.value.0 as usize].is_some() && !store.whole {
                continue;
            }
            let bytes = self.graph.ty(store.value).bytes();
            let wished = self.wished(store.value, bytes, position).is_some();
            if store.whole && !wished && self.in_place(looped, &store, position, replaceable) {
                continue;
            }
            self.make(store.value, position);
        }
    }

    /// Lets an output take the place of an input that is read only where it is written.
    fn in_place(
        &mut self,
        looped: &mut Loop,
        store: &crate::fuse::Store,
        position: Position,
        replaceable: &[Value],
    ) -> bool {
        // An input that lies where the output is to end up comes first.
        let target = self.target(store.value);
        let mut order: Vec<usize> = (0..looped.inputs.len()).collect();
        order.sort_by_key(|&index| target != Some(self.at(looped.inputs[index])));
        for index in order {
            let input = looped.inputs[index];
            // The same memory under another type stays apart.
            if !replaceable.contains(&input)
                || looped.inputs.iter().filter(|&&other| self.at(other) == self.at(input)).count() > 1
            {
                continue;
            }
            let Some(operand) = looped.program.with_role(Role::Input).nth(index) else { continue };
            if reads_where_it_writes(&looped.program, operand, store.operand)
                && self.take_over(input, store.value, position)
            {
                merge(&mut looped.program, operand, store.operand);
                looped.inputs.remove(index);
                for other in &mut looped.outputs {
                    if other.operand > operand {
                        other.operand.0 -= 1;
                    }
                }
                return true;
            }
        }
        false
    }

    fn kernel(&mut self, id: NodeId, position: Position) -> Vec<Copy> {
        let graph = self.graph;
        let node = graph.node(id);
        let Op::Kernel(kernel) = &node.op else { return Vec::new() };
        let mut copies = Vec::new();
        for (index, result) in graph.results(id).enumerate() {
            let updated =
                kernel.updates().iter().find(|(_, of)| *of == index).map(|(operand, _)| node.inputs[*operand]);
            let Some(operand) = updated else {
                self.make(result, position);
                continue;
            };
            // Another operand in the same memory would see the update.
            let alone = node.inputs.iter().filter(|&&other| self.at(other) == self.at(operand)).count() == 1;
            if !alone || !self.take_over(operand, result, position) {
                let from = self.at(operand);
                self.make(result, position);
                copies.push(Copy { from, to: self.at(result) });
            }
        }
        copies
    }

    fn carry_in(&mut self, id: NodeId, position: Position) -> Vec<Copy> {
        let graph = self.graph;
        let node = graph.node(id);
        let Op::While { condition, body, .. } = node.op else { return Vec::new() };
        let mut copies = Vec::new();
        let mut claimed: HashSet<BufferId> = HashSet::new();
        for (k, &input) in node.inputs.iter().enumerate() {
            let from = self.at(input);
            let bytes = graph.ty(input).bytes();
            let dies = self.buffers[from.0].busy.is_some_and(|busy| busy <= position);
            let place =
                if dies && self.is_writable(from) && !claimed.contains(&from) && self.buffers[from.0].bytes == bytes {
                    from
                } else {
                    let result = Value(node.first.0 + k as u32);
                    let place = match self.wished(result, bytes, position) {
                        Some(place) if !claimed.contains(&place) => place,
                        _ => self.new_buffer(Home::Arena { from: position, to: position }, bytes),
                    };
                    copies.push(Copy { from, to: place });
                    place
                };
            claimed.insert(place);
            // While the first values are copied, nobody else gets it.
            self.hold_until(place, position);
            self.places.insert((id, k), place);
        }
        for k in 0..node.inputs.len() {
            let place = self.places[&(id, k)];
            // The condition looks at the state, and must leave it: it is what comes out in the end.
            let parameter = graph.block(condition).parameters[k];
            self.of[parameter.0 as usize] = Some(place);
            let parameter = graph.block(body).parameters[k];
            // In the body the place is free when the parameter is used no more.
            self.last_use[parameter.0 as usize] = self.last_use(parameter).max(position);
            self.of[parameter.0 as usize] = Some(place);
            let last = self.test_of(id, position).max(self.last_use(parameter));
            self.hold_until(place, last);
        }
        copies
    }

    fn carry_out(&mut self, id: NodeId, condition: Option<Value>, position: Position) -> Vec<Copy> {
        let graph = self.graph;
        let node = graph.node(id);
        let Op::While { body, .. } = node.op else { return Vec::new() };
        let mut copies = Vec::new();
        // The condition is looked at when the state is complete.
        if let Some(condition) = condition {
            let from = self.at(condition);
            let overwritten = (0..node.inputs.len()).any(|k| self.places[&(id, k)] == from);
            if overwritten {
                let bytes = self.buffers[from.0].bytes;
                let to = self.new_buffer(Home::Arena { from: position, to: position }, bytes);
                copies.push(Copy { from, to });
                self.conditions.insert(id, to);
            } else {
                self.conditions.insert(id, from);
            }
        }
        let results = graph.block(body).results[..node.inputs.len()].to_vec();
        copies.extend(self.moves(id, &results, position));
        copies
    }

    /// Nothing may be written to a loop's state before the condition has seen it.
    fn test_of(&self, node: NodeId, position: Position) -> Position {
        self.tests.get(&node).copied().unwrap_or(position)
    }

    /// Copies values to the places of a node's results, in an order in which none overwrites another's source.
    fn moves(&mut self, node: NodeId, values: &[Value], position: Position) -> Vec<Copy> {
        let pending = values.iter().enumerate();
        let pending = pending.map(|(k, &value)| Copy { from: self.at(value), to: self.places[&(node, k)] }).collect();
        let copies = self.in_order(pending, position);
        for k in 0..values.len() {
            let place = self.places[&(node, k)];
            self.extend(place, position);
        }
        copies
    }

    /// Copies that happen at the same time, one after another; no two go to one place.
    fn in_order(&mut self, mut pending: Vec<Copy>, position: Position) -> Vec<Copy> {
        pending.retain(|copy| copy.from != copy.to && self.buffers[copy.to.0].bytes > 0);
        let writers: HashMap<BufferId, usize> =
            pending.iter().enumerate().map(|(index, copy)| (copy.to, index)).collect();
        // Who reads each buffer, and how many of them are left.
        let mut readers: HashMap<BufferId, (Vec<usize>, usize)> = HashMap::new();
        for (index, copy) in pending.iter().enumerate() {
            let (list, left) = readers.entry(copy.from).or_default();
            list.push(index);
            *left += 1;
        }
        let mut ready: Vec<usize> =
            (0..pending.len()).rev().filter(|&index| !readers.contains_key(&pending[index].to)).collect();
        let (mut copies, mut done) = (Vec::with_capacity(pending.len()), vec![false; pending.len()]);
        let mut next = 0;
        loop {
            while let Some(index) = ready.pop() {
                let copy = pending[index];
                copies.push(copy);
                done[index] = true;
                if let Some((_, left)) = readers.get_mut(&copy.from) {
                    *left -= 1;
                    ready.extend(writers.get(&copy.from).filter(|_| *left == 0));
                }
            }
            // Only rings are left: one of their values steps aside.
            while done.get(next) == Some(&true) {
                next += 1;
            }
            let Some(&Copy { to: from, .. }) = pending.get(next) else { return copies };
            let bytes = self.buffers[from.0].bytes;
            let aside = self.new_buffer(Home::Arena { from: position, to: position }, bytes);
            copies.push(Copy { from, to: aside });
            let list = readers.get(&from).map_or(&[][..], |(list, _)| list);
            list.iter().filter(|&&reader| !done[reader]).for_each(|&reader| pending[reader].from = aside);
            ready.push(next);
        }
    }
}

/// Whether a program reads an input only at the element that it writes to an output, of the same storage.
fn reads_where_it_writes(program: &Program, input: cpu_vir::OperandId, output: cpu_vir::OperandId) -> bool {
    let storage = |operand: cpu_vir::OperandId| program.operands[operand.index()].storage;
    if program.reduced > 0 || !program.reductions.is_empty() || storage(input) != storage(output) {
        return false;
    }
    let mut stores = program.stores.iter().filter(|store| store.access.operand == output);
    let Some(store) = stores.next() else { return false };
    let same = |access: &cpu_vir::Access| {
        access.offset == store.access.offset
            && access
                .strides
                .iter()
                .zip(&store.access.strides)
                .zip(&program.dims)
                .all(|((a, b), size)| *size <= 1 || a == b)
    };
    program.body.iter().all(|inst| match inst {
        Inst::Load { access, guard, .. } if access.operand == input => guard.is_none() && same(access),
        Inst::Gather { access, .. } => access.operand != input,
        _ => true,
    })
}

/// Makes an input one with an output.
fn merge(program: &mut Program, input: cpu_vir::OperandId, output: cpu_vir::OperandId) {
    let target = program.stores.iter().find(|store| store.access.operand == output).map(|store| store.access.clone());
    let renamed = |operand: &mut cpu_vir::OperandId| {
        if *operand == input {
            *operand = output;
        }
        if *operand > input {
            operand.0 -= 1;
        }
    };
    for inst in &mut program.body {
        match inst {
            Inst::Load { access, .. } => {
                // Strides of dimensions of size 1 may differ, and must be alike now.
                if access.operand == input
                    && let Some(target) = &target
                {
                    access.strides.clone_from(&target.strides);
                }
                renamed(&mut access.operand);
            }
            Inst::Gather { access, .. } => renamed(&mut access.operand),
            _ => {}
        }
    }
    program.stores.iter_mut().for_each(|store| renamed(&mut store.access.operand));
    program.reductions.iter_mut().for_each(|fold| renamed(&mut fold.access.operand));
    program.operands.remove(input.index());
}
