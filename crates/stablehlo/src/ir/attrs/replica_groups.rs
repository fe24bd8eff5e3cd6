//! `#stablehlo.replica_group_mesh_axes` and what it is made of: groups of devices as axes of a mesh.
//!
//! The axis types serve sdy's attributes too.

use crate::ir::{AttrId, StrId};

/// A part of an axis that was split into factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubAxisInfo {
    /// Product of the factors before it.
    pub pre_size: i64,
    /// Its own size.
    pub size: i64,
}

/// A whole mesh axis or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AxisRef {
    /// The axis.
    pub name: StrId,
    /// The part, if not the whole.
    pub sub_axis: Option<SubAxisInfo>,
}

/// A named axis of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeshAxis {
    /// Name.
    pub name: StrId,
    /// Number of devices along it.
    pub size: i64,
}

/// `#stablehlo.mesh`: devices arranged along named axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mesh {
    /// The axes, major first.
    pub axes: Box<[MeshAxis]>,
    /// A dense tensor of device ids, if not in order.
    pub device_ids: Option<AttrId>,
}

/// A mesh by name or in place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MeshRef {
    /// The symbol of a mesh op.
    Symbol(StrId),
    /// Spelled out.
    Inline(Mesh),
}

/// Groups of devices that differ only along the given axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplicaGroupMeshAxes {
    /// The mesh.
    pub mesh: MeshRef,
    /// The axes that run inside a group.
    pub axes: Box<[AxisRef]>,
}
