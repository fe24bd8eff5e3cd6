//! Neighbouring loops over the same rows as one item, and products of matrices among them: each block of rows goes through
//! all of them while it is in the cache.
//!
//! Decides what goes together; that the result does not change is checked once more where it is made ready
//! ([`cpu_vir::exec::Rows`]).

use super::schedule::Item;
use crate::fuse::{Loop, source};
use crate::graph::{Graph, NodeId, Op, Value};
use crate::kernel::Kernel;
use cpu_kernels::ByRows;
use cpu_vir::exec::{STEP_ROWS, row_length};
use cpu_vir::{OperandId, Program, Role};
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

/// Products of smaller matrices find them in the second-level cache anyway, and are computed as well by themselves.
const LEAST_STEP_BYTES: usize = 1 << 20;

/// One of what goes together.
pub(super) enum Member {
    Loop(Loop),
    Product(Product),
}

/// A product that makes a row of each row of its lhs.
pub(super) struct Product {
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
    /// What is read, but for what is wanted whole.
    fn read_in_parts(&self) -> impl Iterator<Item = Value> + '_ {
        let inputs = match self {
            Member::Loop(looped) => &looped.inputs[..],
            Member::Product(product) => std::slice::from_ref(&product.from),
        };
        inputs.iter().copied()
    }

    /// What is read.
    pub fn inputs(&self) -> impl Iterator<Item = Value> + '_ {
        let whole = match self {
            Member::Loop(_) => None,
            Member::Product(product) => Some(product.whole),
        };
        self.read_in_parts().chain(whole)
    }

    /// What is written.
    pub fn outputs(&self) -> impl Iterator<Item = Value> + '_ {
        let (stores, product) = match self {
            Member::Loop(looped) => (&looped.outputs[..], None),
            Member::Product(product) => (&[][..], Some(product.output)),
        };
        stores.iter().map(|store| store.value).chain(product)
    }
}

/// Groups loops and products of a block where they hand rows on to each other.
pub(super) fn group_rows(graph: &Graph, items: &mut Vec<Item>) {
    let mut grouped: Vec<Item> = Vec::with_capacity(items.len());
    // At the end of what is done: a run of loops with constants among them.
    let mut group = Group::new(graph);
    for item in items.drain(..) {
        let member = match item {
            Item::Loop(looped) => Member::Loop(looped),
            Item::Kernel(id) => match product(graph, id) {
                Some(product) => Member::Product(product),
                None => {
                    group.close(&mut grouped);
                    grouped.push(item);
                    continue;
                }
            },
            // Reads nothing, so it may come before all of them.
            Item::Constant(_) => {
                grouped.push(item);
                continue;
            }
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

/// A kernel as a product by rows, if it is one and its rows are worth blocks.
fn product(graph: &Graph, node: NodeId) -> Option<Product> {
    let Op::Kernel(kernel) = &graph.node(node).op else { return None };
    let by_rows = kernel.by_rows()?;
    let input = |index: usize| source(graph, graph.node(node).inputs[index]);
    let (from, whole) = (input(by_rows.from.0), input(by_rows.whole));
    let fits = (by_rows.from.1 + by_rows.to) * STEP_ROWS <= MOST_STEP_BYTES
        && by_rows.from.1.max(by_rows.to) * by_rows.rows >= LEAST_STEP_BYTES
        && from != whole;
    let output = graph.node(node).first;
    (fits && by_rows.rows >= 2 * STEP_ROWS).then(|| Product {
        node,
        kernel: kernel.clone(),
        from,
        whole,
        output,
        by_rows,
    })
}

/// Loops and products that go together so far.
struct Group<'g> {
    graph: &'g Graph,
    members: Vec<Member>,
    /// The first dimensions of the loops; `None` while there are products only.
    dims: Option<Vec<usize>>,
    /// How many dimensions they have in common.
    leading: usize,
    /// How many of the members were found to work row by row, in rows of the first `leading` dimensions.
    checked: usize,
    /// What they read and write, other than what products want whole.
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

    /// How many rows the products have, which all have as many.
    fn product_rows(&self) -> Option<usize> {
        self.members.iter().find_map(|member| match member {
            Member::Product(product) => Some(product.by_rows.rows),
            Member::Loop(_) => None,
        })
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
                match self.product_rows() {
                    Some(rows) => prefix(dims, common, rows),
                    None => Some(common),
                }
            }
            (Member::Loop(looped), None) => {
                let dims = looped.program.outer();
                prefix(dims, dims.len(), self.product_rows()?)
            }
            (Member::Product(product), Some(dims)) => prefix(dims, self.leading, product.by_rows.rows),
            (Member::Product(product), None) => (self.product_rows()? == product.by_rows.rows).then_some(0),
        }
    }

    /// Whether one more member goes with them, in rows of the dimensions that it has in common with them; it is to be added
    /// then, and the group to be closed otherwise.
    fn takes(&mut self, member: &Member) -> bool {
        let reads_known = member.read_in_parts().any(|value| self.known.contains(&value));
        if self.members.is_empty() || self.members.len() == MOST_LOOPS || !reads_known || !self.leaves_room(member) {
            return false;
        }
        let Some(common) = self.common(member) else { return false };
        // Products have more rows than that.
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

    /// Whether the rows of a block with a product among them stay in the cache with one more member.
    fn leaves_room(&self, member: &Member) -> bool {
        let rows = self.product_rows().or(match member {
            Member::Product(product) => Some(product.by_rows.rows),
            Member::Loop(_) => None,
        });
        let Some(rows) = rows else { return true };
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
        for value in member.read_in_parts().chain(member.outputs()) {
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
                Member::Product(product) => Item::Kernel(product.node),
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
        Member::Product(product) => {
            made.insert(product.output);
            return !made.contains(&product.whole);
        }
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
/// that one. A product writes beside what it reads.
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
            Member::Product(product) => {
                read(product.from, index, true);
                read(product.whole, index, false);
            }
        }
    }
    let fits = |(index, member): (usize, &Member)| match member {
        Member::Loop(looped) => {
            let inputs = looped.inputs.iter().copied();
            inputs.filter(|value| readers.get(value) == Some(&(index, true))).collect()
        }
        Member::Product(_) => Vec::new(),
    };
    members.iter().enumerate().map(fits).collect()
}
