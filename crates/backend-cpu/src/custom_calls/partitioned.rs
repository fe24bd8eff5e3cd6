//! Callbacks that are called once for each device, with the device's block of the arrays, in programs that run once for
//! all devices.

use super::aligned::Aligned;
use super::{BoundCall, spec};
use crate::sharding::{Tiling, cut};
use cpu_compiler::{ArrayType, CustomCall, Error, Result};
use pjrt_wrapper::client_trait::Shape;
use std::any::Any;
use xla_ffi::BufferSpec;

/// The target of such callbacks.
pub(super) const TARGET: &str = "xla_ffi_partitioned_python_cpu_callback";

/// Shapes of whole arrays, and their blocks.
type Spread = Vec<(Shape, Tiling)>;

/// A callback, and how its arrays are spread.
pub(super) struct PartitionedCall {
    pub(super) call: BoundCall,
    pub(super) arguments: Spread,
    pub(super) devices: usize,
}

/// How the arguments are spread and what a device passes; whole arrays where nothing is known.
pub(super) fn blocks(
    types: &[ArrayType],
    tilings: Vec<Option<Tiling>>,
    devices: usize,
) -> Result<(Spread, Vec<BufferSpec>)> {
    let (mut arguments, mut specs) = (Vec::with_capacity(types.len()), Vec::with_capacity(types.len()));
    for (ty, tiling) in types.iter().zip(tilings) {
        let whole = spec(ty)?;
        let shape = Shape { element_type: whole.element_type, dims: whole.dims };
        let tiling = tiling.filter(|tiling| tiling.block_shape(&shape).is_ok());
        let tiling = tiling.unwrap_or_else(|| Tiling::replicated(shape.rank(), devices));
        let block = tiling.block_shape(&shape).map_err(super::error)?;
        specs.push(BufferSpec::new(block.element_type, block.dims));
        arguments.push((shape, tiling));
    }
    Ok((arguments, specs))
}

impl CustomCall for PartitionedCall {
    fn call(
        &self,
        context: Option<&(dyn Any + Send + Sync)>,
        arguments: &[&[u8]],
        results: &mut [&mut [u8]],
    ) -> Result<()> {
        if results.iter().any(|result| !result.is_empty()) {
            return Err(Error::unsupported("a callback for each device has no results"));
        }
        for device in 0..self.devices {
            let blocks = arguments.iter().zip(&self.arguments).map(|(whole, (shape, tiling))| {
                let mut block = Aligned::new(&vec![0; whole.len() / tiling.grid.iter().product::<usize>()]);
                cut(whole, shape, tiling, &tiling.blocks[device], block.bytes_mut());
                block
            });
            let blocks: Vec<Aligned> = blocks.collect();
            self.call.call(context, &blocks.iter().map(Aligned::bytes).collect::<Vec<_>>(), results)?;
        }
        Ok(())
    }
}
