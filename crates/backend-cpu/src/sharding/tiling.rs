//! The sharding of one array: from an `sdy.sharding` attribute to the block of each device.

use super::propagation;
use pjrt_wrapper::client_trait::{OpSharding, Result, Shape, Status};
use stablehlo::ir::attrs::{AxisRef, SdyAttr, SdyMesh, SdyMeshRef, TensorSharding};
use stablehlo::ir::{Attr, Function, Module, OpCode, StrId, ValueId};
use std::collections::HashMap;

/// A sharding over a known number of devices, called by their positions in the device assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiling {
    /// As frameworks read it.
    pub(crate) sharding: OpSharding,
    /// Number of blocks along each dimension of the array.
    pub(crate) grid: Vec<usize>,
    /// Which block each device has, as indices into the grid.
    pub(crate) blocks: Vec<Vec<usize>>,
}

/// A part of a mesh axis that is used as a whole: how many devices, and how far apart in the mesh they are.
struct Factor {
    size: usize,
    stride: usize,
}

impl Tiling {
    /// Every one of `devices` devices has the whole array of this rank.
    pub(crate) fn replicated(rank: usize, devices: usize) -> Tiling {
        Tiling { sharding: OpSharding::Replicated, grid: vec![1; rank], blocks: vec![vec![0; rank]; devices] }
    }

    /// The shape of the blocks of an array.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the array cannot be cut into equal blocks.
    pub(crate) fn block_shape(&self, whole: &Shape) -> Result<Shape> {
        let mut dims = whole.dims.clone();
        for (dim, &count) in dims.iter_mut().zip(&self.grid) {
            if *dim % count as i64 != 0 {
                return Err(Status::unimplemented(format!(
                    "{whole} in {:?} blocks: arguments and results are cut into equal blocks only",
                    self.grid
                )));
            }
            *dim /= count as i64;
        }
        Shape::new(whole.element_type, dims)
    }
}

/// The tiling of each argument of `main`, by its attributes; without one everybody gets all of it.
///
/// # Errors
/// INVALID_ARGUMENT for meshes and axes that are not defined, UNIMPLEMENTED for unreduced arrays.
pub(crate) fn of_arguments(
    module: &Module,
    main: Function<'_>,
    shapes: &[Shape],
    devices: usize,
) -> Result<Vec<Tiling>> {
    let of_one = |(index, shape): (usize, &Shape)| match propagation::said(module, main.arg_attrs(index)) {
        Some(sharding) => tiling(module, sharding, shape.rank(), devices),
        None => Ok(Tiling::replicated(shape.rank(), devices)),
    };
    shapes.iter().enumerate().map(of_one).collect()
}

/// The tiling of each result of `main`: by its attributes, or by what its arguments have.
///
/// # Errors
/// As for [`of_arguments`].
pub(crate) fn of_results(module: &Module, main: Function<'_>, shapes: &[Shape], devices: usize) -> Result<Vec<Tiling>> {
    let followed = propagation::results(module, main);
    let of_one = |((index, shape), followed): ((usize, &Shape), Option<TensorSharding>)| {
        let replicated = Tiling::replicated(shape.rank(), devices);
        match (propagation::said(module, main.result_attrs(index)), followed) {
            (Some(sharding), _) => tiling(module, sharding, shape.rank(), devices),
            // Nobody asked for it, so what cannot be had is left.
            (None, Some(sharding)) => {
                let tiling = tiling(module, &sharding, shape.rank(), devices).unwrap_or_else(|_| replicated.clone());
                let even = tiling.block_shape(shape).is_ok();
                Ok(if even { tiling } else { replicated })
            }
            (None, None) => Ok(replicated),
        }
    };
    shapes.iter().enumerate().zip(followed).map(of_one).collect()
}

/// How the values of a program are spread, as far as it is known.
pub(crate) struct SpreadValues {
    devices: usize,
    tilings: HashMap<ValueId, Tiling>,
}

impl SpreadValues {
    pub(crate) fn of(module: &Module, devices: usize) -> SpreadValues {
        let known = module.function("main").map(|main| propagation::values(module, main)).unwrap_or_default();
        let tiled = |(value, sharding): (ValueId, TensorSharding)| {
            let rank = module.value_tensor(value)?.dims.len();
            Some((value, tiling(module, &sharding, rank, devices).ok()?))
        };
        SpreadValues { devices, tilings: known.into_iter().filter_map(tiled).collect() }
    }

    pub(crate) fn devices(&self) -> usize {
        self.devices
    }

    pub(crate) fn tiling(&self, value: ValueId) -> Option<Tiling> {
        self.tilings.get(&value).cloned()
    }
}

fn tiling(module: &Module, sharding: &TensorSharding, rank: usize, devices: usize) -> Result<Tiling> {
    let mesh = mesh_of(module, sharding)?;
    if mesh.axes.is_empty() {
        let whole = Tiling::replicated(rank, devices);
        return Ok(match &*mesh.device_ids {
            // Everybody has the value, the named device among them.
            [device] => Tiling { sharding: OpSharding::Maximal(*device), ..whole },
            _ => whole,
        });
    }
    if !sharding.unreduced_axes.is_empty() {
        return Err(Status::unimplemented("arguments and results that are still to be reduced over devices"));
    }
    if sharding.dim_shardings.len() != rank {
        let count = sharding.dim_shardings.len();
        return Err(Status::invalid_argument(format!("a sharding of {count} dimensions on an array of rank {rank}")));
    }
    let split = Axes::new(module, mesh, sharding)?;
    if split.devices != devices {
        let count = split.devices;
        return Err(Status::invalid_argument(format!("a mesh of {count} devices in a program for {devices}")));
    }
    let mut grid = Vec::with_capacity(rank);
    let mut factors = Vec::new();
    for dim in &sharding.dim_shardings {
        let mut count = 1;
        for axis in &dim.axes {
            let factor = split.factor(module, axis)?;
            count *= factor.size;
            factors.push(factor);
        }
        grid.push(count);
    }
    factors.extend(split.unused);
    let order = arrange(&factors);
    let device_at =
        |position: usize| if mesh.device_ids.is_empty() { position as i64 } else { mesh.device_ids[position] };
    let order: Vec<i64> = order.into_iter().map(device_at).collect();
    let copies = devices / grid.iter().product::<usize>().max(1);
    let mut blocks = vec![Vec::new(); devices];
    for (place, &device) in order.iter().enumerate() {
        let slot = usize::try_from(device).ok().and_then(|device| blocks.get_mut(device));
        let slot = slot.ok_or_else(|| Status::invalid_argument(format!("a mesh with a device {device}")))?;
        *slot = unravel(place / copies, &grid);
    }
    if grid.iter().all(|&count| count == 1) {
        return Ok(Tiling::replicated(rank, devices));
    }
    let mut extents: Vec<i64> = grid.iter().map(|&count| count as i64).collect();
    if copies > 1 {
        extents.push(copies as i64);
    }
    let sharding = OpSharding::Tiled { grid: extents, devices: order, replicate_on_last_dim: copies > 1 };
    Ok(Tiling { sharding, grid, blocks })
}

/// The mesh that a sharding is on.
pub(super) fn mesh_of<'m>(module: &'m Module, sharding: &'m TensorSharding) -> Result<&'m SdyMesh> {
    match &sharding.mesh {
        SdyMeshRef::Inline(mesh) => Ok(mesh),
        SdyMeshRef::Symbol(name) => named_mesh(module, *name),
    }
}

/// How many devices an axis of a mesh has, or a part of one.
pub(super) fn axis_size(mesh: &SdyMesh, axis: &AxisRef) -> Option<i64> {
    let whole = mesh.axes.iter().find(|known| known.name == axis.name)?.size;
    Some(axis.sub_axis.map_or(whole, |part| part.size))
}

fn named_mesh(module: &Module, name: StrId) -> Result<&SdyMesh> {
    let body = module.block(module.body());
    let found = body.ops().map(|id| module.op(id)).find(|op| {
        op.code() == OpCode::SdyMesh && matches!(op.attr("sym_name"), Some(Attr::String(symbol)) if *symbol == name)
    });
    match found.and_then(|op| op.attr("mesh")) {
        Some(Attr::Sdy(attr)) => match &**attr {
            SdyAttr::Mesh(mesh) => Ok(mesh),
            _ => Err(Status::invalid_argument("sdy.mesh without a mesh")),
        },
        _ => Err(Status::invalid_argument(format!("there is no mesh @{}", module.str(name)))),
    }
}

/// The axes of a mesh, cut where a sharding uses parts of them.
struct Axes {
    /// Name, size and stride of each axis.
    axes: Vec<(StrId, usize, usize)>,
    devices: usize,
    /// Parts that the dimensions do not use, in the order of the mesh.
    unused: Vec<Factor>,
}

impl Axes {
    fn new(module: &Module, mesh: &SdyMesh, sharding: &TensorSharding) -> Result<Axes> {
        let mut axes = Vec::with_capacity(mesh.axes.len());
        let mut stride = 1;
        for axis in mesh.axes.iter().rev() {
            let size = usize::try_from(axis.size).ok().filter(|&size| size > 0);
            let size = size.ok_or_else(|| Status::invalid_argument("a mesh axis without devices"))?;
            axes.push((axis.name, size, stride));
            stride *= size;
        }
        axes.reverse();
        let mut split = Axes { axes, devices: stride, unused: Vec::new() };
        let used: Vec<&AxisRef> = sharding.dim_shardings.iter().flat_map(|dim| &dim.axes).collect();
        for index in 0..split.axes.len() {
            let (name, size, stride) = split.axes[index];
            let mut parts: Vec<(usize, usize)> = Vec::new();
            for axis in used.iter().filter(|axis| axis.name == name) {
                parts.push(split.part(module, axis)?);
            }
            parts.sort_unstable();
            let mut before = 1;
            let unused = &mut split.unused;
            for (pre, part) in parts.into_iter().chain([(size, 1)]) {
                if pre < before || pre % before != 0 {
                    let name = module.str(name);
                    return Err(Status::invalid_argument(format!("mesh axis {name:?} is used twice in a sharding")));
                }
                if pre > before {
                    unused.push(Factor { size: pre / before, stride: stride * (size / pre) });
                }
                before = pre * part;
            }
        }
        Ok(split)
    }

    fn find(&self, module: &Module, name: StrId) -> Result<(usize, usize)> {
        let found = self.axes.iter().find(|(known, ..)| *known == name).map(|&(_, size, stride)| (size, stride));
        found.ok_or_else(|| Status::invalid_argument(format!("a mesh without the axis {:?}", module.str(name))))
    }

    /// Which part of its axis a reference means: the product of the parts before it, and its size.
    fn part(&self, module: &Module, axis: &AxisRef) -> Result<(usize, usize)> {
        let (size, _) = self.find(module, axis.name)?;
        let Some(part) = axis.sub_axis else { return Ok((1, size)) };
        let (pre, part) = (part.pre_size as usize, part.size as usize);
        if pre > 0 && part > 0 && size % pre == 0 && (size / pre) % part == 0 {
            return Ok((pre, part));
        }
        Err(Status::invalid_argument(format!("a part ({pre}){part} of a mesh axis of {size} devices")))
    }

    fn factor(&self, module: &Module, axis: &AxisRef) -> Result<Factor> {
        let ((size, stride), (pre, part)) = (self.find(module, axis.name)?, self.part(module, axis)?);
        Ok(Factor { size: part, stride: stride * (size / (pre * part)) })
    }
}

/// The positions in the mesh, in row-major order of the factors.
fn arrange(factors: &[Factor]) -> Vec<usize> {
    let mut order = vec![0];
    for factor in factors {
        let steps = |&start: &usize| (0..factor.size).map(move |step| start + step * factor.stride);
        order = order.iter().flat_map(steps).collect();
    }
    order
}

fn unravel(mut place: usize, grid: &[usize]) -> Vec<usize> {
    let mut index = vec![0; grid.len()];
    for (index, &count) in index.iter_mut().zip(grid).rev() {
        *index = place % count;
        place /= count;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use pjrt_wrapper::client_trait::ElementType;

    /// The tiling of an 8 x 8 argument on a mesh of x = 4 and y = 2.
    fn of(sharding: &str) -> Result<Tiling> {
        let text = format!(
            "module {{ sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>
               sdy.mesh @backwards = <[\"x\"=2], device_ids=[1, 0]>
               sdy.mesh @one = <[], device_ids=[3]>
               func.func @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<{sharding}>}}) {{ return }} }}"
        );
        let module = stablehlo::read_program(text.as_bytes()).expect("a program");
        let main = module.function("main").expect("main");
        let devices = if sharding.starts_with("@backwards") { 2 } else { 8 };
        let shape = Shape::new(ElementType::F32, [8, 8]).unwrap();
        of_arguments(&module, main, &[shape], devices).map(|mut tilings| tilings.remove(0))
    }

    /// The grids of the results of a program for eight devices.
    fn grids(text: &str, shapes: &[&[i64]]) -> Vec<Vec<usize>> {
        let module = stablehlo::read_program(text.as_bytes()).expect("a program");
        let shapes: Vec<Shape> = shapes.iter().map(|&dims| Shape::new(ElementType::F32, dims).unwrap()).collect();
        let tilings = of_results(&module, module.function("main").expect("main"), &shapes, 8).unwrap();
        tilings.into_iter().map(|tiling| tiling.grid).collect()
    }

    #[test]
    fn results_follow_arguments() {
        let text = r#"module {
          sdy.mesh @mesh = <["x"=4, "y"=2]>
          func.func private @double(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
            %0 = stablehlo.add %a, %a : tensor<8x8xf32>
            return %0 : tensor<8x8xf32>
          }
          func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
              %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %c: tensor<f32>)
              -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x1x8xf32>, tensor<8x8xf32>, tensor<2x32xf32>, tensor<8x2xf32>) {
            %0 = func.call @double(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
            %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
            %2 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
            %3 = stablehlo.reshape %b : (tensor<8x8xf32>) -> tensor<8x1x8xf32>
            %4 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
            %5 = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<2x32xf32>
            %6 = stablehlo.slice %a [0:8, 2:4] : (tensor<8x8xf32>) -> tensor<8x2xf32>
            return %0, %1, %2, %3, %4, %5, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x1x8xf32>, tensor<8x8xf32>, tensor<2x32xf32>, tensor<8x2xf32>
          }
        }"#;
        let shapes = [&[8, 8][..], &[8, 8], &[8], &[8, 1, 8], &[8, 8], &[2, 32], &[8, 2]];
        assert_eq!(grids(text, &shapes), [&[4, 1][..], &[4, 2], &[4], &[1, 1, 2], &[1, 4], &[1, 1], &[4, 1]]);
    }

    #[test]
    fn results_of_gathers_and_scatters_follow_whole_dimensions_and_indices() {
        let text = r#"module {
          sdy.mesh @mesh = <["x"=4, "y"=2]>
          func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
              %i: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
              -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
            %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
            %1 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 8, 1>}> : (tensor<8x8xf32>, tensor<4x1xi32>) -> tensor<8x4xf32>
            %2 = "stablehlo.scatter"(%a, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
            ^bb0(%old: tensor<f32>, %new: tensor<f32>):
              stablehlo.return %new : tensor<f32>
            }) : (tensor<8x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<8x8xf32>
            %3 = stablehlo.reverse %a, dims = [0] : tensor<8x8xf32>
            return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>
          }
        }"#;
        assert_eq!(grids(text, &[&[4, 8], &[8, 4], &[8, 8], &[8, 8]]), [[4, 2], [4, 1], [4, 2], [4, 2]]);
    }

    fn tiled(grid: &[i64], devices: &[i64], replicate_on_last_dim: bool) -> OpSharding {
        OpSharding::Tiled { grid: grid.to_vec(), devices: devices.to_vec(), replicate_on_last_dim }
    }

    #[test]
    fn tiles_are_those_that_frameworks_expect() {
        let x = of("@mesh, [{\"x\"}, {}]").unwrap();
        assert_eq!(x.sharding, tiled(&[4, 1, 2], &[0, 1, 2, 3, 4, 5, 6, 7], true));
        assert_eq!((x.blocks[5].clone(), x.grid.clone()), (vec![2, 0], vec![4, 1]));
        let yx = of("@mesh, [{\"y\"}, {\"x\"}]").unwrap();
        assert_eq!(yx.sharding, tiled(&[2, 4], &[0, 2, 4, 6, 1, 3, 5, 7], false));
        assert_eq!(yx.blocks[3], [1, 1]);
        assert_eq!(of("@mesh, [{\"x\", \"y\"}, {}]").unwrap().blocks[7], [7, 0]);
        assert_eq!(of("@backwards, [{\"x\"}, {}]").unwrap().blocks, [[1, 0], [0, 0]]);
    }

    #[test]
    fn parts_of_axes_are_cut_out() {
        let major = of("@mesh, [{\"x\":(1)2}, {}]").unwrap();
        assert_eq!(major.sharding, tiled(&[2, 1, 4], &[0, 1, 2, 3, 4, 5, 6, 7], true));
        let minor = of("@mesh, [{\"x\":(2)2}, {}]").unwrap();
        assert_eq!(minor.sharding, tiled(&[2, 1, 4], &[0, 1, 4, 5, 2, 3, 6, 7], true));
    }

    #[test]
    fn whole_arrays_are_replicated_or_on_one_device() {
        assert_eq!(of("@mesh, [{}, {?}]").unwrap(), Tiling::replicated(2, 8));
        assert_eq!(of("@one, []").unwrap().sharding, OpSharding::Maximal(3));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for sharding in ["@none, [{}, {}]", "@mesh, [{\"z\"}, {}]", "@mesh, [{}]", "@mesh, [{\"x\"}, {\"x\"}]"] {
            assert!(of(sharding).is_err(), "{sharding}");
        }
        let rows = of("@mesh, [{\"x\"}, {}]").unwrap();
        assert!(rows.block_shape(&Shape::new(ElementType::F32, [6, 8]).unwrap()).is_err());
        assert_eq!(rows.block_shape(&Shape::new(ElementType::F32, [8, 8]).unwrap()).unwrap().dims, [2, 8]);
    }
}
