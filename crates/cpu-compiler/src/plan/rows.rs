//! Neighbouring loops over the same rows as one item: each block of rows goes through all of them while it is in the
//! cache.
//!
//! Decides what goes together; that the result does not change is checked once more where it is made ready
//! ([`cpu_vir::exec::Rows`]).

use super::schedule::Item;
use crate::fuse::Loop;
use crate::graph::{Graph, Value};
use cpu_vir::exec::row_length;
use cpu_vir::{OperandId, Program, Role};
use hashbrown::{HashMap, HashSet};

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

/// Groups loops of a block where they hand rows on to each other.
pub(super) fn group_rows(graph: &Graph, items: &mut Vec<Item>) {
    let mut grouped: Vec<Item> = Vec::with_capacity(items.len());
    // At the end of what is done: a run of loops with constants among them.
    let mut group = Group::new(graph);
    for item in items.drain(..) {
        match item {
            Item::Loop(looped) => {
                if !group.takes(&looped) {
                    group.close(&mut grouped);
                    group.leading = looped.program.outer().len();
                }
                group.push(looped);
            }
            // Reads nothing, so it may come before all of them.
            Item::Constant(_) => grouped.push(item),
            other => {
                group.close(&mut grouped);
                grouped.push(other);
            }
        }
    }
    group.close(&mut grouped);
    *items = grouped;
}

/// Loops that go together so far.
struct Group<'g> {
    graph: &'g Graph,
    loops: Vec<Loop>,
    /// How many dimensions they have in common.
    leading: usize,
    /// How many of the loops were found to work row by row, in rows of the first `leading` dimensions.
    checked: usize,
    /// What they read and write.
    known: HashSet<Value>,
    /// What those that were checked write.
    made: HashSet<Value>,
}

impl Group<'_> {
    fn new(graph: &Graph) -> Group<'_> {
        let (known, made) = (HashSet::new(), HashSet::new());
        Group { graph, loops: Vec::new(), leading: 0, checked: 0, known, made }
    }

    /// Whether one more loop goes with them, in rows of the dimensions that it has in common with them; it is to be added
    /// then, and the group to be closed otherwise.
    fn takes(&mut self, looped: &Loop) -> bool {
        let Some(first) = self.loops.first() else { return false };
        if self.loops.len() == MOST_LOOPS || !looped.inputs.iter().any(|value| self.known.contains(value)) {
            return false;
        }
        let pairs = first.program.outer().iter().zip(looped.program.outer());
        let common = pairs.take_while(|(a, b)| a == b).count().min(self.leading);
        if first.program.dims[..common].iter().product::<usize>() < LEAST_ROWS {
            return false;
        }
        // Rows of fewer dimensions are other rows; that happens once for each dimension at most.
        if common < self.leading {
            self.checked = 0;
            self.made.clear();
        }
        let Group { graph, loops, checked, made, .. } = self;
        let fits = loops[*checked..].iter().chain([looped]).all(|looped| is_by_rows(graph, made, looped, common));
        if fits {
            self.checked = self.loops.len() + 1;
            self.leading = common;
        }
        fits
    }

    fn push(&mut self, looped: Loop) {
        self.known.extend(looped.inputs.iter().copied().chain(looped.outputs.iter().map(|store| store.value)));
        self.loops.push(looped);
    }

    /// Ends the group, and begins another.
    fn close(&mut self, items: &mut Vec<Item>) {
        let (graph, leading) = (self.graph, self.leading);
        let bytes: usize = self.known.drain().map(|value| graph.ty(value).bytes()).sum();
        self.made.clear();
        self.checked = 0;
        let loops = std::mem::take(&mut self.loops);
        let rows = loops.first().map_or(1, |looped| looped.program.dims[..leading].iter().product::<usize>().max(1));
        if loops.len() > 1 && bytes >= LEAST_BYTES && bytes / rows <= MOST_ROW_BYTES {
            items.push(Item::Rows { loops, leading });
        } else {
            items.extend(loops.into_iter().map(Item::Loop));
        }
    }
}

/// Whether a loop touches what loops before it have made, and what it makes, row by row, in rows of the first `leading`
/// dimensions; what it makes is made then.
fn is_by_rows(graph: &Graph, made: &mut HashSet<Value>, looped: &Loop, leading: usize) -> bool {
    let is_row = |operand, value: Value| touches_rows(graph, &looped.program, operand, value, leading);
    let mut reads = looped.program.with_role(Role::Input).zip(&looped.inputs);
    let fits = reads.all(|(operand, value)| !made.contains(value) || is_row(operand, *value))
        && looped.outputs.iter().all(|store| store.whole && is_row(store.operand, store.value));
    made.extend(looped.outputs.iter().map(|store| store.value));
    fits
}

/// Whether a program touches an operand row by row, and the value that it is has no more than these rows.
fn touches_rows(graph: &Graph, program: &Program, operand: OperandId, value: Value, leading: usize) -> bool {
    let rows: usize = program.dims[..leading].iter().product();
    let size = program.operands[operand.index()].storage.size();
    row_length(program, operand, leading).is_some_and(|length| length * size * rows == graph.ty(value).bytes())
}

/// For each loop of a group the inputs whose place an output may take: every loop reads them row by row, and none after
/// that one.
pub(super) fn replaceable(graph: &Graph, loops: &[Loop], leading: usize) -> Vec<Vec<Value>> {
    // Who reads a value last, and whether all do so row by row.
    let mut readers: HashMap<Value, (usize, bool)> = HashMap::new();
    for (index, looped) in loops.iter().enumerate() {
        for (operand, &value) in looped.program.with_role(Role::Input).zip(&looped.inputs) {
            let (last, by_rows) = readers.entry(value).or_insert((index, true));
            *last = index;
            *by_rows &= touches_rows(graph, &looped.program, operand, value, leading);
        }
    }
    let fits = |index: usize| {
        let inputs = loops[index].inputs.iter().copied();
        inputs.filter(|value| readers.get(value) == Some(&(index, true))).collect()
    };
    (0..loops.len()).map(fits).collect()
}
