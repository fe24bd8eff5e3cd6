//! Ops of sdy: types pass through them, meshes that shardings name exist, axes are those of the mesh.

use super::super::check::{Check, demand, require};
use super::super::shape;
use crate::ir::attrs::{AxisRef, MeshAxis, SdyAttr, SdyMesh, SdyMeshRef, TensorSharding};
use crate::ir::{Attr, OpCode, OpId, TypeId};

/// One value in, the same out.
pub(crate) fn pass(cx: &mut Check<'_, '_>) -> Option<()> {
    let ty = cx.ty(*cx.op.operands().first()?);
    shardings(cx, &[ty]);
    cx.result_like(0, ty, "type");
    Some(())
}

/// `sdy.constant`.
pub(crate) fn constant(cx: &mut Check<'_, '_>) -> Option<()> {
    super::creation::constant(cx)
}

/// `sdy.mesh`.
pub(crate) fn mesh(cx: &mut Check<'_, '_>) -> Option<()> {
    let Some(Attr::Sdy(attr)) = cx.op.attr("mesh") else { return None };
    let SdyAttr::Mesh(mesh) = &**attr else {
        cx.fail("I2", format_args!("the attribute `mesh` is no mesh"));
        return None;
    };
    check_mesh(cx, mesh);
    Some(())
}

fn check_mesh(cx: &mut Check<'_, '_>, mesh: &SdyMesh) {
    let mut devices = Some(1i64);
    for (i, axis) in mesh.axes.iter().enumerate() {
        require!(cx, "mesh", axis.size > 0, "axis {:?} has size {}", cx.m.str(axis.name), axis.size);
        let duplicate = mesh.axes[..i].iter().any(|a| a.name == axis.name);
        require!(cx, "mesh", !duplicate, "axis {:?} appears twice", cx.m.str(axis.name));
        devices = devices.and_then(|n| n.checked_mul(axis.size));
    }
    let Some(devices) = devices else {
        return cx.fail("mesh", format_args!("the mesh has more than 2^63 devices"));
    };
    if mesh.axes.is_empty() {
        require!(
            cx,
            "mesh",
            mesh.device_ids.len() <= 1,
            "a mesh without axes has {} device ids",
            mesh.device_ids.len()
        );
        return;
    }
    if !mesh.device_ids.is_empty() {
        require!(
            cx,
            "mesh",
            mesh.device_ids.len() as i64 == devices,
            "{} device ids for {devices} devices",
            mesh.device_ids.len()
        );
        let mut ids = mesh.device_ids.to_vec();
        ids.sort_unstable();
        let all = ids.iter().enumerate().all(|(i, &id)| i as i64 == id);
        require!(cx, "mesh", all, "the device ids are no permutation of 0 to {}", ids.len() - 1);
    }
}

/// A sharding goes with the type of what it is about.
fn check_sharding(cx: &mut Check<'_, '_>, sharding: &TensorSharding, ty: Option<TypeId>) -> Option<()> {
    // Found first, so that the borrow of the attribute is that of the module.
    let mesh_ref: &SdyMeshRef = &sharding.mesh;
    let mesh = match mesh_ref {
        SdyMeshRef::Inline(mesh) => Some(mesh.axes.to_vec()),
        SdyMeshRef::Symbol(name) => resolve_symbol(cx, *name),
    };
    if mesh.is_none() {
        if let SdyMeshRef::Symbol(name) = mesh_ref {
            cx.fail("symbol", format_args!("a sharding names the mesh @{}, which is not defined", cx.m.str(*name)));
        }
        return None;
    }
    let axes: Vec<MeshAxis> = mesh?;
    let rank = match ty.map(|ty| cx.m.ty(ty)) {
        Some(crate::ir::Type::Tensor(tensor)) => Some(tensor.rank()),
        Some(_) => Some(0),
        None => None,
    };
    if let Some(rank) = rank {
        let count = sharding.dim_shardings.len();
        require!(cx, "sharding", count == rank, "a sharding of {count} dimensions for a value of {rank}");
    }
    let used = sharding
        .dim_shardings
        .iter()
        .flat_map(|d| d.axes.iter())
        .chain(&sharding.replicated_axes)
        .chain(&sharding.unreduced_axes);
    let used: Vec<AxisRef> = used.copied().collect();
    for (i, axis) in used.iter().enumerate() {
        let size = axes.iter().find(|a| a.name == axis.name).map(|a| a.size);
        demand!(cx, "sharding", size.is_some(), "the mesh has no axis {:?}", cx.m.str(axis.name));
        if let Some(sub) = axis.sub_axis {
            let fits = sub.pre_size >= 1
                && sub.size > 1
                && sub.pre_size.checked_mul(sub.size).is_some_and(|part| size.is_some_and(|size| size % part == 0));
            require!(
                cx,
                "sharding",
                fits,
                "({}){} is no part of the axis {:?}",
                sub.pre_size,
                sub.size,
                cx.m.str(axis.name)
            );
        }
        let overlaps = used[..i].iter().any(|other| other.name == axis.name && overlap(other, axis));
        require!(cx, "sharding", !overlaps, "the axis {:?} is used twice", cx.m.str(axis.name));
    }
    Some(())
}

fn resolve_symbol(cx: &Check<'_, '_>, name: crate::ir::StrId) -> Option<Vec<MeshAxis>> {
    let op: OpId = *cx.sink.symbols.get(&(cx.sink.scope?, name))?;
    match cx.m.op(op).attr("mesh")? {
        Attr::Sdy(attr) => match &**attr {
            SdyAttr::Mesh(mesh) => Some(mesh.axes.to_vec()),
            _ => None,
        },
        _ => None,
    }
}

/// Two references to one axis have devices in common along it.
fn overlap(a: &AxisRef, b: &AxisRef) -> bool {
    match (a.sub_axis, b.sub_axis) {
        (Some(a), Some(b)) => {
            a.pre_size < b.pre_size.saturating_mul(b.size) && b.pre_size < a.pre_size.saturating_mul(a.size)
        }
        _ => true,
    }
}

/// The shardings that an op states, with the types they are about.
fn shardings(cx: &mut Check<'_, '_>, types: &[TypeId]) {
    for name in ["sharding", "out_sharding"] {
        let Some(Attr::Sdy(attr)) = cx.op.attr(name) else { continue };
        match &**attr {
            SdyAttr::Sharding(sharding) => {
                check_sharding(cx, sharding, types.first().copied());
            }
            _ => cx.fail("sharding", format_args!("the attribute `{name}` is no sharding")),
        }
    }
}

/// `sdy.manual_computation` and `sdy.named_computation`.
pub(crate) fn computation(cx: &mut Check<'_, '_>) -> Option<()> {
    let operands: Vec<TypeId> = cx.op.operand_types().collect();
    let results: Vec<TypeId> = cx.op.result_types().collect();
    for (name, types) in [("in_shardings", &operands), ("out_shardings", &results)] {
        let Some(Attr::Sdy(attr)) = cx.op.attr(name) else { continue };
        let SdyAttr::ShardingPerValue(list) = &**attr else {
            cx.fail("sharding", format_args!("the attribute `{name}` is no list of shardings"));
            continue;
        };
        let checked = !cx.inferring() || name == "in_shardings";
        require!(
            cx,
            "sharding",
            !checked || list.len() == types.len(),
            "{name} has {} entries and not {}",
            list.len(),
            types.len()
        );
        for (sharding, &ty) in list.iter().zip(types) {
            check_sharding(cx, sharding, Some(ty));
        }
    }
    let function = cx.function(0, "terminator")?;
    demand!(
        cx,
        "operands",
        function.inputs.len() == operands.len(),
        "the body takes {} values and not {}",
        function.inputs.len(),
        operands.len()
    );
    if cx.op.code() == OpCode::SdyNamedComputation {
        let same = function.inputs.iter().zip(&operands).all(|(&a, &b)| shape::compatible_types(cx.m, a, b));
        require!(cx, "operands", same, "the body takes other types than the operands have");
        cx.results_like(&function.outputs, "results");
        return Some(());
    }
    // Inside, arrays have their local shapes: the same rank and element.
    demand!(cx, "results", !cx.inferring(), "the global shapes of the results do not follow from the inputs");
    demand!(
        cx,
        "results",
        function.outputs.len() == results.len(),
        "the body returns {} values and not {}",
        function.outputs.len(),
        results.len()
    );
    let pairs = function.inputs.iter().zip(&operands).chain(function.outputs.iter().zip(&results));
    let same = pairs.clone().all(|(&a, &b)| match (cx.m.ty(a).as_tensor(), cx.m.ty(b).as_tensor()) {
        (Some(a), Some(b)) => a.rank() == b.rank() && cx.same_baseline(a.element, b.element),
        (None, None) => a == b,
        _ => false,
    });
    require!(cx, "type", same, "a local value differs in rank or element from the global one");
    Some(())
}
