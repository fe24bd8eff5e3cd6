//! Binds the custom calls between whole arrays and the blocks of one device that old partitioned programs have:
//! `SPMDFullToShardShape` and `SPMDShardToFullShape`.

use super::{Binder, exactly, plain, tensors};
use crate::eval::error::OpError;
use crate::eval::ops::movement::{dynamic_update_slice, slice};
use crate::eval::parallel::Site;
use crate::eval::plan::Kernel;
use crate::eval::tensor::Tensor;
use crate::ir::{OpRef, ValueDef};

/// How a tensor is cut, in the text form of XLA: `{replicated}`, `{devices=[2,4]<=[8]}`,
/// `{devices=[2,1,4]0,4,1,5,2,6,3,7 last_tile_dim_replicate}`.
#[derive(Debug, PartialEq)]
struct Tiles {
    /// Blocks along each dimension.
    counts: Vec<usize>,
    /// For each device its block, numbered in row-major order.
    block_of: Vec<usize>,
}

/// The kernel that takes the block of this process out of the whole.
pub(super) fn full_to_shard(binder: &Binder<'_, '_>) -> Result<Kernel, OpError> {
    let rank = binder.operand_rank(0)?;
    let tiles = sharding_of_operand(binder.op).map(|text| tiles(text, rank)).transpose()?;
    let tiles =
        tiles.ok_or_else(|| OpError::invalid("the operand has no custom call \"Sharding\" that says its blocks"))?;
    Ok(plain(move |context, operands| {
        let [whole] = exactly(tensors(operands)?)?;
        let Some(tiles) = &tiles else { return Ok(vec![whole.into()]) };
        let device =
            device(context.environment.process.partition_id, context.environment.process.num_partitions, tiles)?;
        let (start, sizes) = tiles.place(device, whole.dims())?;
        let limit: Vec<usize> = start.iter().zip(&sizes).map(|(s, n)| s + n).collect();
        Ok(vec![slice(&whole, &start, &limit, &vec![1; start.len()])?.into()])
    }))
}

/// The kernel that puts the whole together from the blocks of all processes.
pub(super) fn shard_to_full(binder: &Binder<'_, '_>) -> Result<Kernel, OpError> {
    let dims = binder.result_dims(0)?;
    let tiles = tiles(binder.op.string("mhlo.sharding")?, dims.len())?;
    let site = Site::new(binder.op);
    Ok(plain(move |context, operands| {
        let [block] = exactly(tensors(operands)?)?;
        let Some(tiles) = &tiles else { return Ok(vec![block.into()]) };
        let count = context.environment.process.num_partitions;
        device(context.environment.process.partition_id, count, tiles)?;
        let mut whole = Tensor::zeros(block.element_type(), &dims);
        let members: Vec<usize> = (0..count as usize).collect();
        let all = context.environment.exchange(&site, &members, vec![block])?;
        for (device, parts) in all.iter().enumerate() {
            let (start, _) = tiles.place(device, &dims)?;
            let start: Vec<i64> = start.iter().map(|&s| s as i64).collect();
            whole = dynamic_update_slice(whole, &parts[0], &start)?;
        }
        Ok(vec![whole.into()])
    }))
}

/// The number of this process's device, if there is a process for each device.
fn device(partition: u32, partitions: u32, tiles: &Tiles) -> Result<usize, OpError> {
    if partitions as usize != tiles.block_of.len() {
        return Err(OpError::unsupported(format!(
            "blocks of {} devices among {partitions} partitions; run the program with `Evaluator::run_all` as one \
             partition for each device",
            tiles.block_of.len()
        )));
    }
    Ok(partition as usize)
}

/// The sharding that the custom call which made the operand states.
fn sharding_of_operand(op: OpRef<'_>) -> Option<&str> {
    let module = op.module();
    let ValueDef::Result { op: maker, .. } = module.value_def(*op.operands().first()?) else { return None };
    module.op(maker).string("mhlo.sharding").ok()
}

impl Tiles {
    /// Where the block of a device begins in a tensor, and its sizes.
    fn place(&self, device: usize, dims: &[usize]) -> Result<(Vec<usize>, Vec<usize>), OpError> {
        let mut rest = self.block_of[device];
        let (mut start, mut sizes) = (vec![0; dims.len()], vec![0; dims.len()]);
        for d in (0..dims.len()).rev() {
            if !dims[d].is_multiple_of(self.counts[d]) {
                return Err(OpError::unsupported(format!(
                    "{} blocks of a dimension of size {}",
                    self.counts[d], dims[d]
                )));
            }
            sizes[d] = dims[d] / self.counts[d];
            start[d] = rest % self.counts[d] * sizes[d];
            rest /= self.counts[d];
        }
        Ok((start, sizes))
    }
}

/// Reads a sharding; `None` if every device has the whole.
fn tiles(text: &str, rank: usize) -> Result<Option<Tiles>, OpError> {
    let unknown = || OpError::unsupported(format!("sharding {text:?}"));
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or_else(unknown)?.trim();
    if inner == "replicated" {
        return Ok(None);
    }
    let numbers = |list: &str| -> Result<Vec<usize>, OpError> {
        list.split(',').map(|n| n.trim().parse().map_err(|_| unknown())).collect()
    };
    let (counts, rest) = inner.strip_prefix("devices=[").and_then(|t| t.split_once(']')).ok_or_else(unknown)?;
    let counts = numbers(counts)?;
    let (devices, flags) = rest.split_once(' ').unwrap_or((rest, ""));
    let replicated_last = match flags.trim() {
        "" => false,
        "last_tile_dim_replicate" => true,
        _ => return Err(unknown()),
    };
    // Device ids in the order of the tiles.
    let ids = match devices.strip_prefix("<=[") {
        None => numbers(devices)?,
        Some(iota) => {
            let (shape, transposed) = iota.split_once(']').ok_or_else(unknown)?;
            let shape = numbers(shape)?;
            let order = match transposed.strip_prefix("T(").and_then(|t| t.strip_suffix(')')) {
                Some(order) => numbers(order)?,
                None if transposed.is_empty() => (0..shape.len()).collect(),
                None => return Err(unknown()),
            };
            transposed_iota(&shape, &order).ok_or_else(unknown)?
        }
    };
    let tile_count: usize = counts.iter().product();
    let replicas = if replicated_last { counts.last().copied().unwrap_or(1) } else { 1 };
    let own = &counts[..counts.len() - usize::from(replicated_last)];
    let numbered = ids.len() == tile_count && (0..ids.len()).all(|id| ids.contains(&id));
    if own.len() != rank || !numbered || counts.contains(&0) {
        return Err(unknown());
    }
    let mut block_of = vec![0; ids.len()];
    ids.iter().enumerate().for_each(|(tile, &id)| block_of[id] = tile / replicas);
    Ok(Some(Tiles { counts: own.to_vec(), block_of }))
}

/// 0, 1, 2 … in a shape, read out in the order of transposed dimensions.
fn transposed_iota(shape: &[usize], order: &[usize]) -> Option<Vec<usize>> {
    let count = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).filter(|&n| n <= 1 << 20)?;
    if order.len() != shape.len() || (0..shape.len()).any(|d| !order.contains(&d)) {
        return None;
    }
    let strides = crate::eval::tensor::row_major_strides(shape);
    let dims: Vec<usize> = order.iter().map(|&d| shape[d]).collect();
    let mut index = vec![0; dims.len()];
    let mut ids = Vec::with_capacity(count);
    for _ in 0..count {
        ids.push(index.iter().zip(order).map(|(i, &d)| i * strides[d]).sum());
        crate::eval::ops::axes::advance(&mut index, &dims);
    }
    Some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shardings_are_read() {
        assert_eq!(tiles("{replicated}", 2).unwrap(), None);
        let t = tiles("{devices=[2,2]<=[4]}", 2).unwrap().unwrap();
        assert_eq!((t.counts.as_slice(), t.block_of.as_slice()), (&[2, 2][..], &[0, 1, 2, 3][..]));
        let t = tiles("{devices=[2,2]<=[2,2]T(1,0)}", 2).unwrap().unwrap();
        assert_eq!(t.block_of, [0, 2, 1, 3]);
        let t = tiles("{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}", 2).unwrap().unwrap();
        assert_eq!((t.counts.as_slice(), t.block_of.as_slice()), (&[2, 1][..], &[0, 1, 0, 1][..]));
        assert_eq!(t.place(1, &[4, 3]).unwrap(), (vec![2, 0], vec![2, 3]));
        for wrong in ["{manual}", "{devices=[2]<=[4]}", "{devices=[2,2]<=[4]} x", "{devices=[2,2]0,1,2,9}"] {
            assert!(tiles(wrong, 2).is_err(), "{wrong}");
        }
    }
}
