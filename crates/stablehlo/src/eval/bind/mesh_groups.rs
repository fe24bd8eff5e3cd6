//! Groups of devices given as axes of a mesh, as lists of ids.

use std::collections::BTreeMap;

use crate::eval::error::OpError;
use crate::ir::attrs::{Mesh, MeshAxis, MeshRef, ReplicaGroupMeshAxes, SdyAttr};
use crate::ir::{Attr, OpRef, StrId};

/// More devices than any grid of threads has; keeps sizes from overflowing.
const MAX_DEVICES: i64 = 1 << 20;

/// The axes and device ids of a mesh.
struct Devices {
    axes: Vec<MeshAxis>,
    /// By position in the mesh, major axis first; empty if they are the positions.
    ids: Vec<i64>,
}

/// The lists that a group of mesh axes stands for: devices of one group differ only along these axes, and are in
/// the order of the axes as named; groups are in the order of the other axes in the mesh.
pub(super) fn mesh_groups(op: OpRef<'_>, groups: &ReplicaGroupMeshAxes) -> Result<Vec<Vec<i64>>, OpError> {
    let module = op.module();
    let mesh = match &groups.mesh {
        MeshRef::Inline(mesh) => devices(op, mesh)?,
        MeshRef::Symbol(name) => named(op, *name)?,
    };
    let count = mesh
        .axes
        .iter()
        .try_fold(1i64, |n, axis| n.checked_mul(axis.size).filter(|&n| axis.size > 0 && n <= MAX_DEVICES));
    let count =
        count.ok_or_else(|| OpError::invalid("the mesh of `replica_groups` has no sensible number of devices"))?;
    if !mesh.ids.is_empty() && mesh.ids.len() as i64 != count {
        return Err(OpError::invalid(format!("a mesh of {count} devices lists {} device ids", mesh.ids.len())));
    }
    // For each axis named: the distance of neighbours along it in the mesh, and its size.
    let mut digits = Vec::new();
    for part in &groups.axes {
        let unknown = || OpError::invalid(format!("the mesh has no axis \"{}\"", module.str(part.name)));
        let at = mesh.axes.iter().position(|a| a.name == part.name).ok_or_else(unknown)?;
        let minor: i64 = mesh.axes[at + 1..].iter().map(|a| a.size).product();
        let whole = mesh.axes[at].size;
        let (before, size) = part.sub_axis.map_or((1, whole), |s| (s.pre_size, s.size));
        let factor = before.checked_mul(size).filter(|&f| before > 0 && size > 0 && whole % f == 0);
        let factor = factor.ok_or_else(|| {
            OpError::invalid(format!(
                "({before}){size} is no part of axis \"{}\" of size {whole}",
                module.str(part.name)
            ))
        })?;
        digits.push((minor * (whole / factor), size));
    }
    let members: i64 =
        digits.iter().map(|&(_, size)| size).try_fold(1, |n: i64, size| n.checked_mul(size)).unwrap_or(0);
    let overlap = || OpError::invalid("`replica_groups` names a part of a mesh axis twice");
    if members == 0 || members > count {
        return Err(overlap());
    }
    let mut lists: BTreeMap<i64, Vec<Option<i64>>> = BTreeMap::new();
    for device in 0..count {
        let (mut rest, mut seat) = (device, 0);
        for &(stride, size) in &digits {
            let digit = device / stride % size;
            rest -= digit * stride;
            seat = seat * size + digit;
        }
        let list = lists.entry(rest).or_insert_with(|| vec![None; members as usize]);
        let id = mesh.ids.get(device as usize).copied().unwrap_or(device);
        if list[seat as usize].replace(id).is_some() {
            return Err(overlap());
        }
    }
    lists.into_values().map(|list| list.into_iter().collect::<Option<Vec<i64>>>().ok_or_else(overlap)).collect()
}

fn devices(op: OpRef<'_>, mesh: &Mesh) -> Result<Devices, OpError> {
    let ids = match mesh.device_ids.map(|id| op.module().attr(id)) {
        None => Vec::new(),
        Some(Attr::DenseElements(dense)) => {
            let count = op.module().ty(dense.ty()).as_tensor().and_then(|t| t.num_elements());
            let ids = count.and_then(|n| dense.to_i64s(n));
            ids.ok_or_else(|| OpError::invalid("the device ids of a mesh must be a tensor of i64"))?
        }
        Some(_) => return Err(OpError::invalid("the device ids of a mesh must be a tensor of i64")),
    };
    Ok(Devices { axes: mesh.axes.to_vec(), ids })
}

/// The mesh with a symbol, at the top of the module.
fn named(op: OpRef<'_>, name: StrId) -> Result<Devices, OpError> {
    let module = op.module();
    let unknown =
        || OpError::invalid(format!("`replica_groups` names the mesh @{}, which is not defined", module.str(name)));
    let definition = module
        .block(module.body())
        .ops()
        .map(|id| module.op(id))
        .find(|op| matches!(op.attr("sym_name"), Some(Attr::String(found)) if *found == name))
        .ok_or_else(unknown)?;
    match definition.attr("mesh") {
        Some(Attr::Mesh(mesh)) => devices(op, mesh),
        Some(Attr::Sdy(mesh)) => match mesh.as_ref() {
            SdyAttr::Mesh(mesh) => Ok(Devices { axes: mesh.axes.to_vec(), ids: mesh.device_ids.to_vec() }),
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}
