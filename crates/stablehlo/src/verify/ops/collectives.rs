//! Collectives: what their groups and their shapes must be.
//!
//! The number of replicas and partitions is a matter of the run, so ids are checked against each other: they
//! must be unique and run from 0 without a gap.

use super::super::check::{Check, demand, require};
use super::super::shape;
use crate::ElementType;
use crate::ir::attrs::MeshRef;
use crate::ir::{Attr, DYNAMIC, Element, ReplicaGroups, Type};

/// What is known of the groups.
struct Groups {
    /// Members of each group, −1 where absent; `None` when given as axes of a mesh.
    size: Option<i64>,
}

/// Which constraints speak of groups, and what they allow.
struct GroupIds {
    unique: &'static str,
    range: &'static str,
    /// Groups may differ in size; −1 fills the shorter ones.
    ragged: bool,
    /// Ids must run from 0 without a gap.
    complete: bool,
}

fn groups(cx: &mut Check<'_, '_>, ids: &GroupIds) -> Option<Groups> {
    let lists = match cx.op.replica_groups() {
        Ok(ReplicaGroups::Lists(lists)) => lists,
        Ok(ReplicaGroups::MeshAxes(axes)) => {
            if let MeshRef::Symbol(name) = &axes.mesh {
                let known = cx.sink.scope.is_none_or(|scope| cx.sink.symbols.contains_key(&(scope, *name)));
                require!(
                    cx,
                    "symbol",
                    known,
                    "replica_groups names the mesh @{}, which is not defined",
                    cx.m.str(*name)
                );
            }
            return Some(Groups { size: None });
        }
        Err(error) => {
            cx.fail(ids.range, format_args!("replica_groups {}", error.problem));
            return None;
        }
    };
    let before = cx.failures();
    let present: Vec<i64> = lists.iter().flatten().copied().filter(|&id| !(ids.ragged && id == -1)).collect();
    cx.unique(ids.unique, "replica_groups", &present);
    cx.at_least(ids.range, "replica_groups", &present, 0);
    if ids.complete && cx.failures() == before {
        let most = present.iter().copied().max().unwrap_or(-1);
        require!(
            cx,
            ids.range,
            most < present.len() as i64,
            "replica_groups has {} ids and among them {most}, so some are left out",
            present.len()
        );
    }
    (cx.failures() == before).then(|| Groups { size: Some(lists.first().map_or(0, |g| g.len() as i64)) })
}

/// True if each group holds all partitions of its replicas, so that the run says how large it is: with a
/// channel and without global ids.
fn spans_partitions(cx: &Check<'_, '_>) -> bool {
    let channel = cx.op.channel_handle().ok().flatten().is_some_and(|c| c.handle > 0);
    channel && !cx.op.bool_or("use_global_device_ids", false).unwrap_or(false)
}

fn global_ids(cx: &mut Check<'_, '_>, id: &'static str) {
    let global = cx.op.bool_or("use_global_device_ids", false).unwrap_or(false);
    let handle = cx.op.channel_handle().ok().flatten().map_or(0, |c| c.handle);
    require!(cx, id, !global || handle > 0, "use_global_device_ids needs a positive channel_id, found {handle}");
}

/// The element that the computation of a reduction over `operands` accumulates in.
fn accumulators(cx: &mut Check<'_, '_>, operands: usize, id: &'static str) -> Option<Vec<Element>> {
    (0..operands)
        .map(|i| {
            let element = cx.t(i)?.element;
            cx.reducer(0, &[element], id).map(|e| e[0])
        })
        .collect()
}

/// `all_gather`.
pub(crate) fn all_gather(cx: &mut Check<'_, '_>) -> Option<()> {
    let groups = groups(cx, &GroupIds { unique: "C2", range: "C4", ragged: false, complete: true });
    global_ids(cx, "C5");
    let dim = cx.op.int("all_gather_dim").ok()?;
    let count = cx.op.operands().len();
    demand!(
        cx,
        "C6",
        cx.inferring() || cx.op.results().len() == count,
        "there are {} results and {count} operands",
        cx.op.results().len()
    );
    for i in 0..count {
        let operand = cx.t(i)?;
        if !cx.in_range("C1", "all_gather_dim", &[dim], operand.rank()) {
            return None;
        }
        let axis = dim as usize;
        let mut dims = operand.dims.to_vec();
        dims[axis] = DYNAMIC;
        let members = groups.as_ref().and_then(|g| g.size);
        match members.filter(|_| !spans_partitions(cx)) {
            Some(size) if size > 0 && operand.dims[axis] != DYNAMIC => {
                dims[axis] = operand.dims[axis].checked_mul(size)?;
            }
            _ if !cx.inferring() => {
                // Axes of a mesh, empty groups and partitions leave the size of a group to the run.
                let found = cx.op.result_tensor(i).and_then(|r| r.dims.get(axis)).copied().unwrap_or(DYNAMIC);
                let size = match operand.dims[axis] {
                    DYNAMIC => DYNAMIC,
                    size => size.saturating_mul(members.unwrap_or(1).max(1)),
                };
                require!(
                    cx,
                    "C6",
                    found == DYNAMIC || size == DYNAMIC || (size > 0 && found % size == 0),
                    "dimension {axis} of the result is {found}, no multiple of the operand's {size}"
                );
            }
            _ => {
                cx.given_result(i)?;
            }
        }
        cx.result_tensor(i, &dims, operand.element, "C6", "C6");
    }
    Some(())
}

/// `all_reduce`.
pub(crate) fn all_reduce(cx: &mut Check<'_, '_>) -> Option<()> {
    groups(cx, &GroupIds { unique: "C1", range: "C3", ragged: true, complete: true });
    global_ids(cx, "C4");
    let count = cx.op.operands().len();
    demand!(
        cx,
        "C6",
        cx.inferring() || cx.op.results().len() == count,
        "there are {} results and {count} operands",
        cx.op.results().len()
    );
    let elements = accumulators(cx, count, "C5")?;
    for (i, element) in elements.into_iter().enumerate() {
        cx.result_tensor(i, &cx.t(i)?.dims, element, "C6", "C7");
    }
    Some(())
}

/// `reduce_scatter`.
pub(crate) fn reduce_scatter(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let groups = groups(cx, &GroupIds { unique: "C3", range: "C5", ragged: false, complete: true });
    global_ids(cx, "C6");
    let dim = cx.op.int("scatter_dimension").ok()?;
    let inside = cx.in_range("C2", "scatter_dimension", &[dim], operand.rank());
    let element = accumulators(cx, 1, "C7")?[0];
    if !inside {
        return None;
    }
    let (axis, size) = (dim as usize, operand.dims[dim as usize]);
    let mut dims = operand.dims.to_vec();
    dims[axis] = DYNAMIC;
    let members = groups.and_then(|g| g.size);
    if let Some(members) = members.filter(|&m| m > 0 && size != DYNAMIC) {
        demand!(
            cx,
            "C1",
            size % members == 0,
            "dimension {axis} of size {size} does not divide among {members} processes"
        );
    }
    match members.filter(|_| !spans_partitions(cx)) {
        Some(members) if members > 0 && size != DYNAMIC => {
            dims[axis] = size / members;
        }
        _ if !cx.inferring() => {
            let found = cx.op.result_tensor(0).and_then(|r| r.dims.get(axis)).copied().unwrap_or(DYNAMIC);
            require!(
                cx,
                "C8",
                found == DYNAMIC || size == DYNAMIC || (found > 0 && size % found == 0),
                "dimension {axis} of the operand is {size}, no multiple of the result's {found}"
            );
        }
        _ => {
            cx.given_result(0)?;
        }
    }
    cx.result_tensor(0, &dims, element, "C8", "C9");
    Some(())
}

/// `all_to_all`.
pub(crate) fn all_to_all(cx: &mut Check<'_, '_>) -> Option<()> {
    let groups = groups(cx, &GroupIds { unique: "C5", range: "C7", ragged: false, complete: true });
    let (split, concat, parts) =
        (cx.op.int("split_dimension").ok()?, cx.op.int("concat_dimension").ok()?, cx.op.int("split_count").ok()?);
    if !cx.at_least("C4", "split_count", &[parts], 1) {
        return None;
    }
    if let Some(size) = groups.and_then(|g| g.size) {
        require!(cx, "C8", size == parts, "each group has {size} members and split_count is {parts}");
    }
    let count = cx.op.operands().len();
    demand!(
        cx,
        "C9",
        cx.inferring() || cx.op.results().len() == count,
        "there are {} results and {count} operands",
        cx.op.results().len()
    );
    for i in 0..count {
        let operand = cx.t(i)?;
        let inside = [
            cx.in_range("C1", "split_dimension", &[split], operand.rank()),
            cx.in_range("C3", "concat_dimension", &[concat], operand.rank()),
        ];
        if inside.contains(&false) {
            return None;
        }
        let mut dims = operand.dims.to_vec();
        let size = dims[split as usize];
        demand!(
            cx,
            "C2",
            size == DYNAMIC || size % parts == 0,
            "dimension {split} of size {size} does not split into {parts}"
        );
        if split != concat {
            if size != DYNAMIC {
                dims[split as usize] = size / parts;
            }
            let joined = &mut dims[concat as usize];
            if *joined != DYNAMIC {
                *joined = joined.checked_mul(parts).unwrap_or(i64::MAX);
            }
        }
        cx.result_tensor(i, &dims, operand.element, "C9", "C9");
    }
    Some(())
}

/// The operands without the dynamic root, which `id` describes.
fn data_operands(cx: &mut Check<'_, '_>, id: &'static str, least: &'static str) -> Option<usize> {
    let count = cx.op.operands().len();
    if !cx.op.bool_or("has_dynamic_root", false).ok()? {
        demand!(cx, least, count >= 1, "there are no operands");
        return Some(count);
    }
    demand!(cx, id, count >= 2, "a dynamic root needs at least two operands, found {count}");
    let root = cx.t(count - 1)?;
    let fits = root.element == Element::Plain(ElementType::I32) && shape::compatible(&root.dims, &[count as i64 - 1]);
    require!(
        cx,
        id,
        fits,
        "the roots must be tensor<{}xi32>, found {}",
        count - 1,
        cx.text(cx.ty(cx.op.operands()[count - 1]))
    );
    Some(count - 1)
}

/// `collective_broadcast`.
pub(crate) fn collective_broadcast(cx: &mut Check<'_, '_>) -> Option<()> {
    groups(cx, &GroupIds { unique: "C1", range: "C2", ragged: false, complete: false });
    let data = data_operands(cx, "C4", "C3")?;
    demand!(
        cx,
        "C5",
        cx.inferring() || cx.op.results().len() == data,
        "there are {} results and {data} operands to send",
        cx.op.results().len()
    );
    let id = if data == cx.op.operands().len() { "C3" } else { "C4" };
    for i in 0..data {
        cx.result_like(i, cx.ty(cx.op.operands()[i]), id);
    }
    Some(())
}

/// `collective_reduce`.
pub(crate) fn collective_reduce(cx: &mut Check<'_, '_>) -> Option<()> {
    groups(cx, &GroupIds { unique: "C1", range: "C2", ragged: true, complete: false });
    global_ids(cx, "channel");
    let data = data_operands(cx, "C3", "C3")?;
    demand!(
        cx,
        "C3",
        cx.inferring() || cx.op.results().len() == data,
        "there are {} results and {data} operands to reduce",
        cx.op.results().len()
    );
    let elements = accumulators(cx, data, "C4")?;
    for (i, element) in elements.into_iter().enumerate() {
        cx.result_tensor(i, &cx.t(i)?.dims, element, "C3", "C4");
    }
    Some(())
}

/// `source_target_pairs`: C1 to C4 of the ops that have them.
pub(super) fn pairs(cx: &mut Check<'_, '_>) -> Option<()> {
    cx.op.attr("source_target_pairs")?;
    let rows = match cx.op.i64_rows("source_target_pairs") {
        Ok(rows) => rows?,
        Err(error) => {
            cx.fail("C1", format_args!("source_target_pairs {}", error.problem));
            return None;
        }
    };
    demand!(cx, "C1", rows.iter().all(|row| row.len() == 2), "source_target_pairs does not have two columns");
    for (column, id, name) in [(0, "C2", "sources"), (1, "C3", "targets")] {
        let ids: Vec<i64> = rows.iter().map(|row| row[column]).collect();
        cx.unique(id, name, &ids);
        cx.at_least("C4", name, &ids, 0);
    }
    Some(())
}

/// `collective_permute`.
pub(crate) fn collective_permute(cx: &mut Check<'_, '_>) -> Option<()> {
    pairs(cx);
    cx.result_like(0, cx.ty(cx.op.operands()[0]), "C5");
    Some(())
}

/// `cross-replica-sum`, a legacy form.
pub(crate) fn cross_replica_sum(cx: &mut Check<'_, '_>) -> Option<()> {
    cx.result_like(0, cx.ty(cx.op.operands()[0]), "type");
    Some(())
}

/// `async_start`.
pub(crate) fn async_start(cx: &mut Check<'_, '_>) -> Option<()> {
    use crate::ir::OpCode;
    let block = cx.op.region_block(0)?;
    let ops: Vec<_> = block.ops().take(3).collect();
    demand!(cx, "C1", ops.len() == 2 && block.terminator().is_some(), "the body is not one op and a return");
    let inner = cx.m.op(ops[0]);
    let allowed = matches!(
        inner.code(),
        OpCode::AllReduce
            | OpCode::AllGather
            | OpCode::AllToAll
            | OpCode::CollectivePermute
            | OpCode::ReduceScatter
            | OpCode::CollectiveBroadcast
            | OpCode::CollectiveReduce
            | OpCode::Slice
            | OpCode::DynamicSlice
            | OpCode::DynamicUpdateSlice
    );
    require!(cx, "C2", allowed, "the body holds {}, which is neither collective nor a slice", inner.name());
    let same_args = block.arg_types().eq(cx.op.operand_types()) && inner.operand_types().eq(cx.op.operand_types());
    require!(cx, "C3", same_args, "the operands are not those of the op in the body");
    let delivered = inner.result_types().collect();
    cx.result_is(0, super::super::check::Inferred::Future(delivered), "C4");
    Some(())
}

/// `async_done`.
pub(crate) fn async_done(cx: &mut Check<'_, '_>) -> Option<()> {
    let Type::Future(types) = cx.m.ty(cx.ty(*cx.op.operands().first()?)) else { return None };
    cx.results_like(types, "C1");
    Some(())
}

/// `infeed`.
pub(crate) fn infeed(cx: &mut Check<'_, '_>) -> Option<()> {
    if cx.inferring() {
        cx.given_result(0)?;
    }
    let Some((&last, data)) = cx.op.results().split_last() else {
        cx.fail("C1", format_args!("there are no results"));
        return None;
    };
    token_last(cx, last, data, "C2", "C3");
    if let Some(Attr::Array(layouts)) = cx.op.attr("layout") {
        require!(
            cx,
            "layout",
            layouts.len() == data.len(),
            "there are {} layouts and {} tensors",
            layouts.len(),
            data.len()
        );
        let integers = |id| matches!(cx.m.attr(id), Attr::Array(items) if items.iter().all(|&i| matches!(cx.m.attr(i), Attr::Integer { .. })));
        let fits = layouts.iter().all(|&layout| integers(layout));
        require!(cx, "layout", fits, "a layout is no list of integers");
    }
    Some(())
}

fn token_last(
    cx: &mut Check<'_, '_>,
    last: crate::ir::ValueId,
    data: &[crate::ir::ValueId],
    tensors: &'static str,
    token: &'static str,
) {
    for &value in data {
        let fits = cx.m.value_tensor(value).is_some();
        require!(cx, tensors, fits, "a result is {} and no tensor", cx.text(cx.ty(value)));
    }
    let fits = matches!(cx.m.ty(cx.ty(last)), Type::Token);
    require!(cx, token, fits, "the last result is {} and no token", cx.text(cx.ty(last)));
}

/// `send` and `recv`: channel types 1 device to device, 2 device to host, 3 host to device.
fn channel(cx: &mut Check<'_, '_>, host: i64) {
    let transfer = cx.op.bool_or("is_host_transfer", false).unwrap_or(false);
    let found = cx.op.channel_handle().ok().flatten().map_or(0, |c| c.channel_type);
    let expected = if transfer { host } else { 1 };
    require!(
        cx,
        "C5",
        found == expected,
        "channel_type is {found}, and is_host_transfer = {transfer} needs {expected}"
    );
}

/// `send`.
pub(crate) fn send(cx: &mut Check<'_, '_>) -> Option<()> {
    channel(cx, 2);
    pairs(cx);
    let token = *cx.op.operands().last()?;
    cx.result_like(0, cx.ty(token), "O1");
    Some(())
}

/// `recv`.
pub(crate) fn recv(cx: &mut Check<'_, '_>) -> Option<()> {
    if cx.inferring() {
        cx.given_result(0)?;
    }
    channel(cx, 3);
    pairs(cx);
    let Some((&last, data)) = cx.op.results().split_last() else {
        cx.fail("O1", format_args!("there are no results"));
        return None;
    };
    token_last(cx, last, data, "O1", "O1");
    Some(())
}
