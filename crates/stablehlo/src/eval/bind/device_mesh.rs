//! Devices along named axes, and the blocks of a tensor that they hold.

use crate::eval::error::OpError;
use crate::eval::ops::binary::{BinaryOp, binary};
use crate::eval::ops::movement::{dynamic_update_slice, slice};
use crate::eval::tensor::Tensor;
use crate::ir::attrs::{MeshAxis, SdyAttr, SdyMesh, SdyMeshRef, TensorSharding};
use crate::ir::{Attr, Module, StrId};

/// More devices than any grid of threads has.
const MAX_DEVICES: usize = 1 << 12;

/// The devices of a mesh.
#[derive(Clone, Debug)]
pub(super) struct DeviceMesh {
    sizes: Vec<usize>,
    names: Vec<StrId>,
    /// Device ids by position, major axis first.
    ids: Vec<usize>,
}

/// The mesh that a sharding refers to; `None` if it is not defined.
pub(super) fn mesh_of<'m>(module: &'m Module, mesh: &'m SdyMeshRef) -> Option<&'m SdyMesh> {
    match mesh {
        SdyMeshRef::Inline(mesh) => Some(mesh),
        SdyMeshRef::Symbol(symbol) => module.block(module.body()).ops().map(|id| module.op(id)).find_map(|op| {
            let named = matches!(op.attr("sym_name"), Some(Attr::String(name)) if name == symbol);
            match op.attr("mesh") {
                Some(Attr::Sdy(mesh)) if named => match mesh.as_ref() {
                    SdyAttr::Mesh(mesh) => Some(mesh),
                    _ => None,
                },
                _ => None,
            }
        }),
    }
}

impl DeviceMesh {
    /// Fails on a number of devices that makes no sense, and on ids that do not number them.
    pub fn new(mesh: &SdyMesh) -> Result<DeviceMesh, OpError> {
        let axes: Vec<(StrId, usize)> =
            mesh.axes.iter().map(|&MeshAxis { name, size }| (name, usize::try_from(size).unwrap_or(0))).collect();
        let count = axes.iter().try_fold(1usize, |n, &(_, size)| n.checked_mul(size));
        let count = count
            .filter(|n| (1..=MAX_DEVICES).contains(n))
            .ok_or_else(|| OpError::invalid("the mesh has no sensible number of devices"))?;
        let ids: Vec<usize> = match mesh.device_ids.is_empty() {
            true => (0..count).collect(),
            false => mesh.device_ids.iter().map(|&id| usize::try_from(id).unwrap_or(usize::MAX)).collect(),
        };
        if ids.len() != count || (0..count).any(|id| !ids.contains(&id)) {
            return Err(OpError::invalid(format!("the ids of {count} devices must be 0 to {}", count - 1)));
        }
        let (names, sizes) = axes.into_iter().unzip();
        Ok(DeviceMesh { sizes, names, ids })
    }

    /// Number of devices.
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// The axis with a name.
    pub fn axis(&self, name: StrId) -> Option<usize> {
        self.names.iter().position(|&n| n == name)
    }

    /// Where a device is along each axis.
    pub fn coordinates(&self, device: usize) -> Vec<usize> {
        let mut rest = self.ids.iter().position(|&id| id == device).unwrap_or(0);
        let mut coordinates = vec![0; self.sizes.len()];
        for (axis, &size) in self.sizes.iter().enumerate().rev() {
            coordinates[axis] = rest % size;
            rest /= size;
        }
        coordinates
    }
}

/// Which block of a tensor a device holds.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// For each dimension the axes that split it, major first.
    dims: Vec<Vec<usize>>,
    /// Axes along which devices hold terms that are still to be combined, and how.
    unreduced: Vec<usize>,
    reduction: BinaryOp,
}

impl Blocks {
    /// What a sharding says about the given axes; other axes do not split anything here.
    pub fn new(mesh: &DeviceMesh, sharding: &TensorSharding, axes: &[usize]) -> Result<Blocks, OpError> {
        let known = |name: StrId| mesh.axis(name).filter(|axis| axes.contains(axis));
        let whole = |part: &crate::ir::attrs::AxisRef| match (known(part.name), part.sub_axis) {
            (Some(_), Some(_)) => Err(OpError::unsupported("a part of a manual axis; name the whole axis")),
            (axis, _) => Ok(axis),
        };
        let list = |parts: &[crate::ir::attrs::AxisRef]| -> Result<Vec<usize>, OpError> {
            Ok(parts.iter().map(whole).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        };
        Ok(Blocks {
            dims: sharding.dim_shardings.iter().map(|dim| list(&dim.axes)).collect::<Result<_, _>>()?,
            unreduced: list(&sharding.unreduced_axes)?,
            reduction: match sharding.reduction {
                1 => BinaryOp::Maximum,
                2 => BinaryOp::Minimum,
                _ => BinaryOp::Add,
            },
        })
    }

    /// For each dimension which block it is and of how many.
    fn place(&self, mesh: &DeviceMesh, coordinates: &[usize], rank: usize) -> Result<Vec<(usize, usize)>, OpError> {
        if self.dims.len() != rank {
            return Err(OpError::invalid(format!("a sharding of {} dimensions for {rank}", self.dims.len())));
        }
        let digits = |axes: &Vec<usize>| {
            axes.iter().fold((0, 1), |(at, count), &axis| {
                (at * mesh.sizes[axis] + coordinates[axis], count * mesh.sizes[axis])
            })
        };
        Ok(self.dims.iter().map(digits).collect())
    }

    /// The block of a device, cut out of the whole tensor.
    pub fn cut(&self, mesh: &DeviceMesh, coordinates: &[usize], whole: &Tensor) -> Result<Tensor, OpError> {
        // A sum is on the first device, the others add nothing; a maximum is the same on all.
        if self.reduction == BinaryOp::Add && self.unreduced.iter().any(|&axis| coordinates[axis] != 0) {
            let zero = Tensor::zeros(whole.element_type(), whole.dims());
            return Blocks { unreduced: Vec::new(), ..self.clone() }.cut(mesh, coordinates, &zero);
        }
        let place = self.place(mesh, coordinates, whole.rank())?;
        let (mut start, mut limit) = (Vec::new(), Vec::new());
        for (&size, &(at, count)) in whole.dims().iter().zip(&place) {
            if !size.is_multiple_of(count) {
                return Err(OpError::invalid(format!("{} does not split into {count} blocks", whole.describe())));
            }
            start.push(size / count * at);
            limit.push(size / count * (at + 1));
        }
        slice(whole, &start, &limit, &vec![1; whole.rank()])
    }

    /// The whole tensor, from the blocks of devices with these coordinates.
    pub fn join(&self, mesh: &DeviceMesh, blocks: &[(Vec<usize>, &Tensor)]) -> Result<Tensor, OpError> {
        let (first, block) = blocks.first().ok_or_else(|| OpError::invalid("no device gave a block"))?;
        let place = self.place(mesh, first, block.rank())?;
        let dims: Vec<usize> = block.dims().iter().zip(&place).map(|(&size, &(_, count))| size * count).collect();
        let mut whole = Tensor::zeros(block.element_type(), &dims);
        let mut seen: Vec<(Vec<i64>, Tensor)> = Vec::new();
        for (coordinates, block) in blocks {
            let place = self.place(mesh, coordinates, block.rank())?;
            let start: Vec<i64> = place.iter().zip(block.dims()).map(|(&(at, _), &size)| (at * size) as i64).collect();
            match seen.iter_mut().find(|(other, _)| *other == start) {
                None => seen.push((start, (*block).clone())),
                // Of devices that hold the same block the first one counts, unless they hold terms of it.
                Some((_, sum)) if self.is_new_term(coordinates, blocks) => *sum = binary(self.reduction, sum, block)?,
                Some(_) => {}
            }
        }
        for (start, block) in seen {
            whole = dynamic_update_slice(whole, &block, &start)?;
        }
        Ok(whole)
    }

    /// Whether a device is the first with its coordinates along the unreduced axes and those that split.
    fn is_new_term(&self, coordinates: &[usize], blocks: &[(Vec<usize>, &Tensor)]) -> bool {
        if self.unreduced.is_empty() {
            return false;
        }
        let key = |coordinates: &[usize]| -> Vec<usize> {
            self.dims.iter().flatten().chain(&self.unreduced).map(|&axis| coordinates[axis]).collect()
        };
        let first = blocks.iter().find(|(other, _)| key(other) == key(coordinates));
        first.is_some_and(|(other, _)| other == coordinates)
    }
}
