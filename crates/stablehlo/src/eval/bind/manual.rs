//! Binds `sdy.manual_computation`: a body that runs once for each device of a mesh, on the device's blocks.
//!
//! Outside of it arrays are whole. If the program runs as one process, the devices run side by side for the time of
//! the body; if it already runs as one partition for each device, each takes its part and they exchange the results.

use super::device_mesh::{Blocks, DeviceMesh, mesh_of};
use super::{Binder, plain};
use crate::eval::error::{EvalError, OpError};
use crate::eval::machine::{Context, RegionBody};
use crate::eval::parallel::{Grid, Site, run_processes};
use crate::eval::plan::{Kernel, RegionFunction};
use crate::eval::tensor::Tensor;
use crate::eval::value::Value;
use crate::ir::attrs::{SdyAttr, TensorSharding};
use crate::ir::{Attr, OpCode, OpRef, StrId};

/// Whether all manual axes together have one device, so that the body is all there is to do.
pub(super) fn is_on_one_device(op: OpRef<'_>) -> Result<bool, OpError> {
    let axes = manual_axes(op)?;
    Ok(match mesh(op, axes)? {
        None => true,
        Some(mesh) => mesh.count() == 1,
    })
}

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    if binder.op.code() != OpCode::SdyManualComputation {
        return Ok(None);
    }
    let op = binder.op;
    let [body] = binder.regions.as_slice() else { return Err(OpError::invalid("takes one region")) };
    let names = manual_axes(op)?;
    let mesh = mesh(op, names)?.ok_or_else(|| OpError::invalid("the mesh of the manual axes is not defined"))?;
    let axes: Vec<usize> = names.iter().filter_map(|&name| mesh.axis(name)).collect();
    let blocks = |name: &str, count: usize| {
        let shardings = shardings(op, name)?;
        if shardings.len() != count {
            return Err(OpError::invalid(format!("`{name}` has {} shardings for {count} values", shardings.len())));
        }
        shardings.iter().map(|sharding| Blocks::new(&mesh, sharding, &axes)).collect::<Result<Vec<_>, _>>()
    };
    let manual = Manual {
        site: Site::new(op),
        inputs: blocks("in_shardings", op.operands().len())?,
        outputs: blocks("out_shardings", op.results().len())?,
        body: body.clone(),
        mesh,
        axes,
    };
    let id = op.id();
    Ok(Some(plain(move |context, operands| {
        let grid = context.environment.process.grid();
        let count = manual.mesh.count();
        if grid.num_processes() == 1 && count > 1 {
            let environment = context.environment;
            let grid = Grid { num_replicas: 1, num_partitions: count as u32 };
            let results = run_processes(grid, vec![operands; count], |process, rendezvous, operands| {
                let environment = environment.inside_mesh(process, rendezvous);
                manual.run(&Context::new(context.program, &environment), operands).map_err(|error| match error {
                    OpError::Inside(error) => *error,
                    error => EvalError::at(context.program.module.op(id), error),
                })
            })?;
            // All have the whole results.
            return results.into_iter().next().ok_or_else(|| OpError::invalid("the mesh has no device"));
        }
        if grid.num_partitions as usize != count || grid.num_replicas != 1 {
            return Err(OpError::unsupported(format!(
                "a mesh of {count} devices among {} replicas and {} partitions; run one partition for each device, or \
                 a single process",
                grid.num_replicas, grid.num_partitions
            )));
        }
        manual.run(context, operands)
    })))
}

fn manual_axes(op: OpRef<'_>) -> Result<&[StrId], OpError> {
    match op.required("manual_axes")? {
        Attr::Sdy(axes) => match axes.as_ref() {
            SdyAttr::ManualAxes(axes) => Ok(axes),
            _ => Err(OpError::invalid("attribute `manual_axes` must be manual axes")),
        },
        _ => Err(OpError::invalid("attribute `manual_axes` must be manual axes")),
    }
}

fn shardings<'m>(op: OpRef<'m>, name: &str) -> Result<&'m [TensorSharding], OpError> {
    match op.required(name)? {
        Attr::Sdy(shardings) => match shardings.as_ref() {
            SdyAttr::ShardingPerValue(shardings) => Ok(shardings),
            _ => Err(OpError::invalid(format!("attribute `{name}` must be shardings"))),
        },
        _ => Err(OpError::invalid(format!("attribute `{name}` must be shardings"))),
    }
}

/// The mesh of the shardings that has all manual axes; `None` if there is no manual axis and no such mesh.
fn mesh(op: OpRef<'_>, axes: &[StrId]) -> Result<Option<DeviceMesh>, OpError> {
    for sharding in shardings(op, "in_shardings")?.iter().chain(shardings(op, "out_shardings")?) {
        let Some(mesh) = mesh_of(op.module(), &sharding.mesh) else { continue };
        if axes.iter().all(|name| mesh.axes.iter().any(|axis| axis.name == *name)) && !mesh.axes.is_empty() {
            return DeviceMesh::new(mesh).map(Some);
        }
    }
    match axes {
        [] => Ok(None),
        _ => Err(OpError::invalid("no sharding has a mesh with the manual axes")),
    }
}

struct Manual {
    site: Site,
    mesh: DeviceMesh,
    axes: Vec<usize>,
    inputs: Vec<Blocks>,
    outputs: Vec<Blocks>,
    body: RegionFunction,
}

impl Manual {
    /// What one device does: its blocks in, the body, and the whole results from the blocks of all.
    fn run(&self, context: &Context<'_>, operands: Vec<Value>) -> Result<Vec<Value>, OpError> {
        let me = context.environment.process.partition_id as usize;
        let here = self.mesh.coordinates(me);
        let body = RegionBody::new(context, &self.body, &operands);
        let local = |(value, blocks): (Value, &Blocks)| match value {
            Value::Tensor(whole) => Ok(blocks.cut(&self.mesh, &here, &whole)?.into()),
            other => Ok(other),
        };
        let arguments = operands.into_iter().zip(&self.inputs).map(local).collect::<Result<Vec<Value>, OpError>>()?;
        let results = body.call(arguments)?;
        // The devices that differ from this one along manual axes alone.
        let same_elsewhere = |device: &usize| {
            let there = self.mesh.coordinates(*device);
            (0..here.len()).all(|axis| self.axes.contains(&axis) || here[axis] == there[axis])
        };
        let members: Vec<usize> = (0..self.mesh.count()).filter(same_elsewhere).collect();
        let own: Vec<Tensor> = results
            .iter()
            .filter_map(|value| if let Value::Tensor(x) = value { Some(x.clone()) } else { None })
            .collect();
        let all = context.environment.exchange(&self.site, &members, own)?;
        let mut column = 0;
        let whole = |(value, blocks): (Value, &Blocks)| match value {
            Value::Tensor(_) => {
                let parts = members.iter().zip(all.iter());
                let parts: Vec<(Vec<usize>, &Tensor)> =
                    parts.map(|(&device, x)| (self.mesh.coordinates(device), &x[column])).collect();
                column += 1;
                Ok(blocks.join(&self.mesh, &parts)?.into())
            }
            other => Ok(other),
        };
        results.into_iter().zip(&self.outputs).map(whole).collect()
    }
}
