//! Neighbouring loops over the same rows as one item, products of matrices and gathers of rows among them, and a scatter at
//! their end: each block of rows goes through all of them while it is in the cache.
//!
//! Decides what goes together; that the result does not change is checked once more where it is made ready
//! ([`cpu_vir::exec::Rows`]).

use super::schedule::Item;
use crate::fuse::{Loop, source};
use crate::graph::{Graph, NodeId, Op, Value};
use crate::kernel::Kernel;
use cpu_kernels::{ByRows, UpdatesByRows};
use cpu_vir::exec::{STEP_ROWS, row_length};
use cpu_vir::{OperandId, Program, Role, cost};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// Loops over fewer rows than this stay apart: there would be few blocks.
const LEAST_ROWS: usize = 16;

/// Rows of more bytes, all arrays together, are not in the cache when they are wanted again.
const MOST_ROW_BYTES: usize = 256 << 10;

/// Loops that touch fewer bytes in all are in the cache anyway.
const LEAST_BYTES: usize = 128 << 10;

/// A group has no more loops than this: every operand of a group is compared with every other when it is made ready, so
/// that a long chain as one group would take time that grows with the square of its length. After so many loops there
/// is little left to gain.
const MOST_LOOPS: usize = 32;

/// Bytes of the rows of a block that a product is among, at the most: with the operand that it wants whole they stay in the
/// second-level cache.
const MOST_STEP_BYTES: usize = 1 << 20;

/// What a scatter's updates are made by takes no more of its time than this part: the scatter is done on one thread, and they
/// with it.
const SCATTER_PART: u64 = 4;

/// Products of smaller matrices find them in the second-level cache anyway, and are computed as well by themselves.
const LEAST_STEP_BYTES: usize = 1 << 20;

/// One of what goes together.
pub(super) enum Member {
    Loop(Loop),
    Step(Step),
    /// The last.
    Change(Change),
}

/// A scatter that takes its indices and updates row by row.
pub(super) struct Change {
    pub node: NodeId,
    pub kernel: Arc<dyn Kernel>,
    /// What is read row by row, by the values whose bytes they are.
    pub from: Vec<Value>,
    /// What is changed, likewise.
    pub target: Value,
    pub output: Value,
    pub by_rows: UpdatesByRows,
}

/// A product that makes a row of each row of its lhs, or a gather that does of each of its index vectors.
pub(super) struct Step {
    pub node: NodeId,
    pub kernel: Arc<dyn Kernel>,
    /// What is read row by row, by the value whose bytes it is.
    pub from: Value,
    /// What is wanted whole, likewise.
    pub whole: Value,
    pub output: Value,
    pub by_rows: ByRows,
}

impl Member {
    /// How many rows it has, if it is no loop.
    fn step_rows(&self) -> Option<usize> {
        match self {
            Member::Loop(_) => None,
            Member::Step(step) => Some(step.by_rows.rows),
            Member::Change(change) => Some(change.by_rows.rows),
        }
    }

    /// How many rows at a time are worth it.
    fn least(&self) -> usize {
        match self {
            Member::Step(step) => step.by_rows.least,
            Member::Loop(_) | Member::Change(_) => 1,
        }
    }

    /// What is read, but for what is wanted whole or changed.
    fn read_in_parts(&self) -> impl Iterator<Item = Value> + '_ {
        let inputs = match self {
            Member::Loop(looped) => &looped.inputs[..],
            Member::Step(step) => std::slice::from_ref(&step.from),
            Member::Change(change) => &change.from[..],
        };
        inputs.iter().copied()
    }

    /// What is read.
    pub fn inputs(&self) -> impl Iterator<Item = Value> + '_ {
        let whole = match self {
            Member::Loop(_) => None,
            Member::Step(step) => Some(step.whole),
            Member::Change(change) => Some(change.target),
        };
        self.read_in_parts().chain(whole)
    }

    /// What is written.
    pub fn outputs(&self) -> impl Iterator<Item = Value> + '_ {
        let (stores, output) = match self {
            Member::Loop(looped) => (&looped.outputs[..], None),
            Member::Step(step) => (&[][..], Some(step.output)),
            Member::Change(change) => (&[][..], Some(change.output)),
        };
        stores.iter().map(|store| store.value).chain(output)
    }
}

/// Groups loops and steps of a block where they hand rows on to each other.
pub(super) fn group_rows(graph: &Graph, items: &mut Vec<Item>) {
    let mut grouped: Vec<Item> = Vec::with_capacity(items.len());
    // At the end of what is done: a run of loops with constants among them.
    let mut group = Group::new(graph);
    for item in items.drain(..) {
        let member = match item {
            Item::Kernel(id) => {
                if let Some(step) = step(graph, id) {
                    Member::Step(step)
                } else {
                    match change(graph, id).map(Member::Change) {
                        // What it changes is done at the end.
                        Some(member) if group.takes(&member) => {
                            group.push(member);
                            group.close(&mut grouped);
                        }
                        _ => {
                            group.close(&mut grouped);
                            grouped.push(item);
                        }
                    }
                    continue;
                }
            }
            // Reads nothing, so it may come before all of them.
            Item::Constant(_) => {
                grouped.push(item);
                continue;
            }
            // The same, unless the group writes another part of what it writes.
            Item::Loop(looped)
                if looped.inputs.is_empty()
                    && looped.outputs.iter().all(|store| store.whole)
                    && !group.members.is_empty() =>
            {
                grouped.push(Item::Loop(looped));
                continue;
            }
            Item::Loop(looped) => Member::Loop(looped),
            other => {
                group.close(&mut grouped);
                grouped.push(other);
                continue;
            }
        };
        if !group.takes(&member) {
            group.close(&mut grouped);
            group.begin(&member);
        }
        group.push(member);
    }
    group.close(&mut grouped);
    *items = grouped;
}

/// A kernel as a step by rows, if it is one and its rows are worth blocks.
fn step(graph: &Graph, node: NodeId) -> Option<Step> {
    let Op::Kernel(kernel) = &graph.node(node).op else { return None };
    let by_rows = kernel.by_rows()?;
    let input = |index: usize| source(graph, graph.node(node).inputs[index]);
    let (from, whole) = (input(by_rows.from.0), input(by_rows.whole));
    let row = by_rows.from.1.max(by_rows.to);
    // One row at a time is worth it for what does not look at the whole operand again for each block.
    let fits = by_rows.least == 1 && by_rows.rows >= LEAST_ROWS
        || by_rows.least > 1
            && (by_rows.from.1 + by_rows.to) * by_rows.least <= MOST_STEP_BYTES
            && row * by_rows.rows >= LEAST_STEP_BYTES
            && by_rows.rows >= 2 * by_rows.least;
    let output = graph.node(node).first;
    (fits && from != whole).then(|| Step { node, kernel: kernel.clone(), from, whole, output, by_rows })
}

/// A kernel as a change by rows, if it is one.
fn change(graph: &Graph, id: NodeId) -> Option<Change> {
    let node = graph.node(id);
    let Op::Kernel(kernel) = &node.op else { return None };
    let by_rows = kernel.updates_by_rows()?;
    let from: Vec<Value> = by_rows.from.iter().map(|(index, _)| source(graph, node.inputs[*index])).collect();
    let target = source(graph, node.inputs[0]);
    (!from.contains(&target)).then(|| Change {
        node: id,
        kernel: kernel.clone(),
        from,
        target,
        output: node.first,
        by_rows,
    })
}

/// Loops and steps that go together so far.
struct Group<'g> {
    graph: &'g Graph,
    members: Vec<Member>,
    /// The first dimensions of the loops; `None` while there are steps only.
    dims: Option<Vec<usize>>,
    /// How many dimensions they have in common.
    leading: usize,
    /// How many of the members were found to work row by row, in rows of the first `leading` dimensions.
    checked: usize,
    /// What they read and write, other than what steps want whole.
    known: HashSet<Value>,
    /// How many bytes that is.
    bytes: usize,
    /// What those that were checked write.
    made: HashSet<Value>,
}

impl Group<'_> {
    fn new(graph: &Graph) -> Group<'_> {
        let (known, made) = (HashSet::new(), HashSet::new());
        Group { graph, members: Vec::new(), dims: None, leading: 0, checked: 0, known, bytes: 0, made }
    }

    /// How many rows the steps have, which all have as many.
    fn step_rows(&self) -> Option<usize> {
        self.members.iter().find_map(Member::step_rows)
    }

    /// How many rows at a time are worth it for all steps.
    fn least(&self) -> usize {
        self.members.iter().map(Member::least).max().unwrap_or(1)
    }

    /// How many dimensions the group has in common with one more member.
    fn common(&self, member: &Member) -> Option<usize> {
        // The most dimensions that make so many rows.
        let prefix = |dims: &[usize], most: usize, rows: usize| {
            (0..=most.min(dims.len())).rev().find(|&count| dims[..count].iter().product::<usize>() == rows)
        };
        match (member, &self.dims) {
            (Member::Loop(looped), Some(dims)) => {
                let pairs = dims.iter().zip(looped.program.outer());
                let common = pairs.take_while(|(a, b)| a == b).count().min(self.leading);
                match self.step_rows() {
                    Some(rows) => prefix(dims, common, rows),
                    None => Some(common),
                }
            }
            (Member::Loop(looped), None) => {
                let dims = looped.program.outer();
                prefix(dims, dims.len(), self.step_rows()?)
            }
            (Member::Step(step), Some(dims)) => prefix(dims, self.leading, step.by_rows.rows),
            (Member::Step(step), None) => (self.step_rows()? == step.by_rows.rows).then_some(0),
            (Member::Change(change), Some(dims)) => prefix(dims, self.leading, change.by_rows.rows),
            (Member::Change(_), None) => None,
        }
    }

    /// Whether one more member goes with them, in rows of the dimensions that it has in common with them; it is to be added
    /// then, and the group to be closed otherwise.
    fn takes(&mut self, member: &Member) -> bool {
        let reads_known = member.read_in_parts().any(|value| self.known.contains(&value));
        if self.members.is_empty() || self.members.len() == MOST_LOOPS || !reads_known || !self.leaves_room(member) {
            return false;
        }
        if let Member::Change(change) = member
            && !self.leads_to(change)
        {
            return false;
        }
        let Some(common) = self.common(member) else { return false };
        // Steps have more rows than that.
        if self.dims.as_ref().is_some_and(|dims| dims[..common].iter().product::<usize>() < LEAST_ROWS) {
            return false;
        }
        // Rows of fewer dimensions are other rows; that happens once for each dimension at most.
        if common != self.leading {
            self.checked = 0;
            self.made.clear();
        }
        let Group { graph, members, checked, made, .. } = self;
        let fits = members[*checked..].iter().chain([member]).all(|member| is_by_rows(graph, made, member, common));
        if fits {
            self.checked = self.members.len() + 1;
            self.leading = common;
        }
        fits
    }

    /// Whether nobody touches what is changed, and little is done for that.
    fn leads_to(&self, change: &Change) -> bool {
        let touched = |member: &Member| member.inputs().chain(member.outputs()).any(|value| value == change.target);
        let picoseconds = self.members.iter().map(|member| match member {
            Member::Loop(looped) => {
                let points: usize = looped.program.dims.iter().product();
                cost::picoseconds_per_point(&looped.program).saturating_mul(points as u64)
            }
            Member::Step(step) => step.kernel.nanoseconds().saturating_mul(1000),
            Member::Change(_) => u64::MAX,
        });
        let most = change.kernel.nanoseconds().saturating_mul(1000) / SCATTER_PART;
        !self.members.iter().any(touched) && picoseconds.fold(0, u64::saturating_add) <= most
    }

    /// Whether the rows of a block with a product among them stay in the cache with one more member.
    fn leaves_room(&self, member: &Member) -> bool {
        if self.least().max(member.least()) == 1 {
            return true;
        }
        let Some(rows) = self.step_rows().or(member.step_rows()) else { return true };
        let added = member.read_in_parts().chain(member.outputs());
        let added = added.filter(|value| !self.known.contains(value)).map(|value| self.graph.ty(value).bytes());
        self.bytes + added.sum::<usize>() <= rows.saturating_mul(MOST_STEP_BYTES / STEP_ROWS)
    }

    /// What a group has in common that has this member first.
    fn begin(&mut self, member: &Member) {
        if let Member::Loop(looped) = member {
            self.leading = looped.program.outer().len();
        }
    }

    fn push(&mut self, member: Member) {
        if let Member::Loop(looped) = &member {
            self.dims.get_or_insert_with(|| looped.program.outer().to_vec());
        }
        let made = member.outputs().filter(|_| !matches!(member, Member::Change(_)));
        for value in member.read_in_parts().chain(made) {
            if self.known.insert(value) {
                self.bytes += self.graph.ty(value).bytes();
            }
        }
        self.members.push(member);
    }

    /// Ends the group, and begins another.
    fn close(&mut self, items: &mut Vec<Item>) {
        let leading = self.leading;
        let bytes = std::mem::take(&mut self.bytes);
        self.known.clear();
        self.made.clear();
        self.checked = 0;
        self.leading = 0;
        let dims = self.dims.take();
        let members = std::mem::take(&mut self.members);
        let rows = dims.as_ref().map_or(1, |dims| dims[..leading].iter().product::<usize>().max(1));
        if members.len() > 1 && dims.is_some() && bytes >= LEAST_BYTES && bytes / rows <= MOST_ROW_BYTES {
            items.push(Item::Rows { members, leading });
        } else {
            items.extend(members.into_iter().map(|member| match member {
                Member::Loop(looped) => Item::Loop(looped),
                Member::Step(step) => Item::Kernel(step.node),
                Member::Change(change) => Item::Kernel(change.node),
            }));
        }
    }
}

/// Whether a member touches what others before it have made, and what it makes, row by row, in rows of the first `leading`
/// dimensions; what it makes is made then.
fn is_by_rows(graph: &Graph, made: &mut HashSet<Value>, member: &Member, leading: usize) -> bool {
    let looped = match member {
        Member::Loop(looped) => looped,
        // Its rows are those of the group; what it wants whole must be there before.
        Member::Step(step) => {
            made.insert(step.output);
            return !made.contains(&step.whole);
        }
        // The same, and nobody comes after it.
        Member::Change(change) => return !made.contains(&change.target),
    };
    let is_row = |operand, value: Value| touches_rows(graph, &looped.program, operand, value, leading);
    let mut reads = looped.program.with_role(Role::Input).zip(&looped.inputs);
    let fits = reads.all(|(operand, value)| !made.contains(value) || is_row(operand, *value))
        && looped.outputs.iter().all(|store| store.whole && is_row(store.operand, store.value));
    made.extend(member.outputs());
    fits
}

/// Whether a program touches an operand row by row, and the value that it is has no more than these rows.
fn touches_rows(graph: &Graph, program: &Program, operand: OperandId, value: Value, leading: usize) -> bool {
    let rows: usize = program.dims[..leading].iter().product();
    let size = program.operands[operand.index()].storage.size();
    row_length(program, operand, leading).is_some_and(|length| length * size * rows == graph.ty(value).bytes())
}

/// For each member of a group the inputs whose place an output may take: every member reads them row by row, and none after
/// that one. A step writes beside what it reads.
pub(super) fn replaceable(graph: &Graph, members: &[Member], leading: usize) -> Vec<Vec<Value>> {
    // Who reads a value last, and whether all do so row by row.
    let mut readers: HashMap<Value, (usize, bool)> = HashMap::new();
    let mut read = |value: Value, index: usize, is_row: bool| {
        let (last, by_rows) = readers.entry(value).or_insert((index, true));
        *last = index;
        *by_rows &= is_row;
    };
    for (index, member) in members.iter().enumerate() {
        match member {
            Member::Loop(looped) => {
                for (operand, &value) in looped.program.with_role(Role::Input).zip(&looped.inputs) {
                    read(value, index, touches_rows(graph, &looped.program, operand, value, leading));
                }
            }
            Member::Step(step) => {
                read(step.from, index, true);
                read(step.whole, index, false);
            }
            Member::Change(change) => {
                change.from.iter().for_each(|&value| read(value, index, true));
                read(change.target, index, false);
            }
        }
    }
    let fits = |(index, member): (usize, &Member)| match member {
        Member::Loop(looped) => {
            let inputs = looped.inputs.iter().copied();
            inputs.filter(|value| readers.get(value) == Some(&(index, true))).collect()
        }
        Member::Step(_) | Member::Change(_) => Vec::new(),
    };
    members.iter().enumerate().map(fits).collect()
}
