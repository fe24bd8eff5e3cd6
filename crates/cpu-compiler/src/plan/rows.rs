//! Neighbouring loops over the same rows as one item: each block of rows goes through all of them while it is in the
//! cache.
//!
//! Decides what goes together; that the result does not change is checked once more where it is made ready
//! ([`cpu_vir::exec::Rows`]).

use super::schedule::Item;
use crate::fuse::Loop;
use crate::graph::{Graph, Value};
use cpu_vir::Role;
use cpu_vir::exec::row_length;
use hashbrown::HashMap;

/// Loops over fewer rows than this stay apart: there would be few blocks.
const LEAST_ROWS: usize = 16;

/// Rows of more bytes, all arrays together, are not in the cache when they are wanted again.
const MOST_ROW_BYTES: usize = 256 << 10;

/// Loops that touch fewer bytes in all are in the cache anyway.
const LEAST_BYTES: usize = 128 << 10;

/// Groups loops of a block where they hand rows on to each other.
pub(super) fn group_rows(graph: &Graph, items: &mut Vec<Item>) {
    let mut grouped: Vec<Item> = Vec::with_capacity(items.len());
    // The group at the end of what is done: a run of loops with constants among them.
    let mut group: Vec<Loop> = Vec::new();
    let mut leading = 0;
    for item in items.drain(..) {
        match item {
            Item::Loop(looped) => {
                let common = group.first().map_or(looped.program.outer().len(), |first| common(first, &looped));
                let common = common.min(if group.len() > 1 { leading } else { usize::MAX });
                let fits = is_related(&group, &looped) && are_rows(graph, &group, &looped, common);
                if fits || group.is_empty() {
                    leading = common;
                } else {
                    close(graph, &mut grouped, &mut group, leading);
                    leading = looped.program.outer().len();
                }
                group.push(looped);
            }
            // Reads nothing, so it may come before all of them.
            Item::Constant(_) => grouped.push(item),
            other => {
                close(graph, &mut grouped, &mut group, leading);
                grouped.push(other);
            }
        }
    }
    close(graph, &mut grouped, &mut group, leading);
    *items = grouped;
}

/// Ends a group.
fn close(graph: &Graph, items: &mut Vec<Item>, group: &mut Vec<Loop>, leading: usize) {
    let loops = std::mem::take(group);
    let values =
        loops.iter().flat_map(|looped| looped.inputs.iter().copied().chain(looped.outputs.iter().map(|s| s.value)));
    let bytes: HashMap<Value, usize> = values.map(|value| (value, graph.ty(value).bytes())).collect();
    let bytes = bytes.values().sum::<usize>();
    let rows = loops.first().map_or(1, |looped| looped.program.dims[..leading].iter().product::<usize>().max(1));
    if loops.len() > 1 && bytes >= LEAST_BYTES && bytes / rows <= MOST_ROW_BYTES {
        items.push(Item::Rows { loops, leading });
    } else {
        items.extend(loops.into_iter().map(Item::Loop));
    }
}

/// How many dimensions two loops have in common.
fn common(first: &Loop, second: &Loop) -> usize {
    let pairs = first.program.outer().iter().zip(second.program.outer());
    pairs.take_while(|(a, b)| a == b).count()
}

/// Whether a loop has to do with those before it.
fn is_related(group: &[Loop], looped: &Loop) -> bool {
    let known = |value: &Value| {
        group.iter().any(|other| other.inputs.contains(value) || other.outputs.iter().any(|s| s.value == *value))
    };
    looped.inputs.iter().any(known)
}

/// Whether loops with one more touch what any of them writes row by row, in rows of the first `leading` dimensions.
fn are_rows(graph: &Graph, group: &[Loop], one_more: &Loop, leading: usize) -> bool {
    let rows: usize = one_more.program.dims[..leading].iter().product();
    if rows < LEAST_ROWS {
        return false;
    }
    let mut made: Vec<Value> = Vec::new();
    for looped in group.iter().chain([one_more]) {
        let is_row = |operand, value: &Value| {
            let elements = row_length(&looped.program, operand, leading);
            let size = looped.program.operands[operand.index()].storage.size();
            elements.is_some_and(|elements| elements * size * rows == graph.ty(*value).bytes())
        };
        let reads = looped.program.with_role(Role::Input).zip(&looped.inputs);
        let mut handed_on = reads.filter(|(_, value)| made.contains(value));
        if !handed_on.all(|(operand, value)| is_row(operand, value)) {
            return false;
        }
        if !looped.outputs.iter().all(|store| store.whole && is_row(store.operand, &store.value)) {
            return false;
        }
        made.extend(looped.outputs.iter().map(|store| store.value));
    }
    true
}

/// For each input of one of the loops, whether an output may come in its place: every loop reads it row by row, and none
/// after that one.
pub(super) fn replaceable(graph: &Graph, loops: &[Loop], index: usize, leading: usize) -> Vec<Value> {
    let rows: usize = loops[index].program.dims[..leading].iter().product();
    let fits = |value: &&Value| {
        loops.iter().enumerate().all(|(other, looped)| {
            let reads = looped.program.with_role(Role::Input).zip(&looped.inputs).filter(|(_, input)| input == value);
            reads.into_iter().all(|(operand, _)| {
                let size = looped.program.operands[operand.index()].storage.size();
                let row = row_length(&looped.program, operand, leading);
                other <= index && row.is_some_and(|row| row * size * rows == graph.ty(**value).bytes())
            })
        })
    };
    loops[index].inputs.iter().filter(fits).copied().collect()
}
