//! How results are spread of which the program does not say it: as the arrays that they are computed from.
//!
//! One pass over `main`, from arguments to results, along ops that keep dimensions as they are. It decides nothing about
//! values. Where it gives up, everybody gets all of a result.

use super::{indexing, reshaping, tiling};
use stablehlo::ir::attrs::{AxisRef, DimensionSharding, SdyAttr, TensorSharding};
use stablehlo::ir::{Attr, BlockRef, Function, Module, NamedAttr, OpCode, OpRef, ValueId};
use std::collections::HashMap;

/// Calls within calls are followed to this depth.
const MAX_DEPTH: usize = 32;

type Known = HashMap<ValueId, TensorSharding>;

/// The shardings of the results of `main` that follow from those of its arguments.
pub(super) fn results(module: &Module, main: Function<'_>) -> Vec<Option<TensorSharding>> {
    let arguments = (0..main.input_types().len()).map(|index| said(module, main.arg_attrs(index)).cloned());
    follow(module, main, arguments.collect(), 0, &mut Known::new())
}

/// The shardings of all values of which one is known, in `main` and in what it calls.
pub(super) fn values(module: &Module, main: Function<'_>) -> HashMap<ValueId, TensorSharding> {
    let arguments = (0..main.input_types().len()).map(|index| said(module, main.arg_attrs(index)).cloned());
    let mut all = Known::new();
    follow(module, main, arguments.collect(), 0, &mut all);
    all
}

/// The sharding among the attributes of an argument or result.
pub(super) fn said<'m>(module: &'m Module, attributes: &[NamedAttr]) -> Option<&'m TensorSharding> {
    let named = attributes.iter().find(|&&named| module.attr_name(named) == "sdy.sharding")?;
    match module.attr(named.value) {
        Attr::Sdy(attr) => match &**attr {
            SdyAttr::Sharding(sharding) => Some(sharding),
            _ => None,
        },
        _ => None,
    }
}

fn follow(
    module: &Module,
    function: Function<'_>,
    arguments: Vec<Option<TensorSharding>>,
    depth: usize,
    all: &mut Known,
) -> Vec<Option<TensorSharding>> {
    let count = function.result_types().len();
    let Some(entry) = function.entry().filter(|_| depth < MAX_DEPTH) else { return vec![None; count] };
    let mut known: Known =
        entry.args().iter().zip(arguments).filter_map(|(&value, sharding)| Some((value, sharding?))).collect();
    walk(module, entry, &mut known, depth, all);
    let returned = entry.terminator().map_or(&[][..], |op| op.operands());
    let results = returned.iter().map(|value| known.get(value).cloned()).collect();
    all.extend(known);
    results
}

fn walk(module: &Module, block: BlockRef<'_>, known: &mut Known, depth: usize, all: &mut Known) {
    for id in block.ops() {
        let op = module.op(id);
        for (&result, sharding) in op.results().iter().zip(of_op(module, op, known, depth, all)) {
            let rank = module.value_tensor(result).map(|tensor| tensor.dims.len());
            if let Some(sharding) = sharding.filter(|sharding| rank == Some(sharding.dim_shardings.len())) {
                known.insert(result, sharding);
            }
        }
    }
}

/// One for each result of an op.
fn of_op(module: &Module, op: OpRef<'_>, known: &Known, depth: usize, all: &mut Known) -> Vec<Option<TensorSharding>> {
    if let Some(Attr::Sdy(attr)) = op.attr("sdy.sharding")
        && let SdyAttr::ShardingPerValue(shardings) = &**attr
    {
        return shardings.iter().cloned().map(Some).collect();
    }
    let operand = |index: usize| op.operands().get(index).and_then(|value| known.get(value));
    let one = |sharding: Option<TensorSharding>| vec![sharding];
    match op.code() {
        OpCode::SdyShardingConstraint => match op.attr("sharding") {
            Some(Attr::Sdy(attr)) => match &**attr {
                SdyAttr::Sharding(sharding) => one(Some(sharding.clone())),
                _ => one(None),
            },
            _ => one(None),
        },
        OpCode::SdyManualComputation => match op.attr("out_shardings") {
            Some(Attr::Sdy(attr)) => match &**attr {
                SdyAttr::ShardingPerValue(shardings) => shardings.iter().cloned().map(Some).collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        OpCode::FuncCall => {
            let callee = op.symbol("callee").ok().and_then(|name| module.function(name));
            let arguments = op.operands().iter().map(|value| known.get(value).cloned()).collect();
            callee.map_or_else(Vec::new, |callee| follow(module, callee, arguments, depth + 1, all))
        }
        OpCode::While | OpCode::OptimizationBarrier => {
            op.operands().iter().map(|value| known.get(value).cloned()).collect()
        }
        OpCode::Transpose => one(operand(0).and_then(|sharding| {
            let order = op.i64s("permutation").ok()?;
            dims_from(sharding, order.iter().map(|&dim| Some(dim as usize)))
        })),
        OpCode::Reduce => {
            let Ok(reduced) = op.i64s("dimensions") else { return Vec::new() };
            let kept = |sharding: &TensorSharding| {
                let dims = (0..sharding.dim_shardings.len()).filter(|&dim| !reduced.contains(&(dim as i64)));
                dims_from(sharding, dims.map(Some))
            };
            (0..op.results().len()).map(|index| operand(index).and_then(kept)).collect()
        }
        OpCode::BroadcastInDim => one(operand(0).and_then(|sharding| {
            let (places, result) = (op.i64s("broadcast_dimensions").ok()?, op.result_tensor(0)?);
            let source = |dim: usize| places.iter().position(|&place| place as usize == dim);
            dims_from(sharding, (0..result.dims.len()).map(source))
        })),
        OpCode::Slice
        | OpCode::DynamicSlice
        | OpCode::Pad
        | OpCode::DynamicUpdateSlice
        | OpCode::Concatenate
        | OpCode::Reverse
        | OpCode::ReduceWindow
        | OpCode::Sort => {
            (0..op.results().len()).map(|index| operand(index).and_then(|sharding| whole_dims(op, sharding))).collect()
        }
        OpCode::Reshape => one(operand(0).and_then(|sharding| {
            let mesh = tiling::mesh_of(module, sharding).ok()?;
            reshaping::reshaped(op, sharding, |axis| tiling::axis_size(mesh, axis))
        })),
        OpCode::Gather => one(indexing::gathered(op, operand(0), operand(1))),
        OpCode::Scatter => (0..op.results().len()).map(|index| operand(index).and_then(indexing::scattered)).collect(),
        OpCode::DotGeneral => one(product(op, operand(0), operand(1))),
        code if keeps_dims(code) => one(element_wise(module, op, known)),
        _ => Vec::new(),
    }
}

/// Ops whose results have the dimensions of their operands, element by element; scalars may be among the operands.
fn keeps_dims(code: OpCode) -> bool {
    use OpCode::*;
    matches!(
        code,
        Abs | Add
            | And
            | Atan2
            | BitcastConvert
            | Cbrt
            | Ceil
            | Clamp
            | Compare
            | Complex
            | Convert
            | Cosine
            | CountLeadingZeros
            | Divide
            | Exponential
            | ExponentialMinusOne
            | Floor
            | Imag
            | IsFinite
            | Log
            | LogPlusOne
            | Logistic
            | Maximum
            | Minimum
            | Multiply
            | Negate
            | Not
            | Or
            | Popcnt
            | Power
            | Real
            | ReducePrecision
            | Remainder
            | RoundNearestAfz
            | RoundNearestEven
            | Rsqrt
            | Select
            | ShiftLeft
            | ShiftRightArithmetic
            | ShiftRightLogical
            | Sign
            | Sine
            | Sqrt
            | Subtract
            | Tan
            | Tanh
            | Xor
    )
}

/// The sharding of the operand that is cut most, of those that have the result's dimensions.
fn element_wise(module: &Module, op: OpRef<'_>, known: &Known) -> Option<TensorSharding> {
    let dims = &op.result_tensor(0)?.dims;
    let fits = |value: &&ValueId| module.value_tensor(**value).is_some_and(|tensor| tensor.dims == *dims);
    let candidates = op.operands().iter().filter(fits).filter_map(|value| known.get(value));
    let cuts = |sharding: &TensorSharding| sharding.dim_shardings.iter().map(|dim| dim.axes.len()).sum::<usize>();
    // Of several that are cut as much, the first.
    candidates.rev().max_by_key(|sharding| cuts(sharding)).cloned()
}

/// The same axes on other dimensions: for each dimension of the result, the one that it comes from.
pub(super) fn dims_from(
    sharding: &TensorSharding,
    sources: impl Iterator<Item = Option<usize>>,
) -> Option<TensorSharding> {
    let axes = |source: Option<usize>| match source {
        Some(dim) => sharding.dim_shardings.get(dim).cloned(),
        None => Some(open(&[])),
    };
    Some(with_dims(sharding, sources.map(axes).collect::<Option<_>>()?))
}

pub(super) fn with_dims(like: &TensorSharding, dim_shardings: Vec<DimensionSharding>) -> TensorSharding {
    TensorSharding { dim_shardings: dim_shardings.into(), replicated_axes: Box::default(), ..like.clone() }
}

pub(super) fn open(axes: &[AxisRef]) -> DimensionSharding {
    DimensionSharding { axes: axes.into(), is_closed: false, priority: None }
}

/// Dimensions along which an op takes all there is keep their axes; along others it needs neighbours.
fn whole_dims(op: OpRef<'_>, sharding: &TensorSharding) -> Option<TensorSharding> {
    let (from, to) = (&op.operand_tensor(0)?.dims, &op.result_tensor(0)?.dims);
    let along = match op.code() {
        OpCode::Concatenate | OpCode::Sort => usize::try_from(op.int("dimension").ok()?).ok(),
        _ => None,
    };
    let part = (op.code() == OpCode::DynamicUpdateSlice).then(|| op.operand_tensor(1)).flatten();
    let whole = |dim: &usize| {
        from[*dim] == to[*dim] && along != Some(*dim) && part.is_none_or(|part| part.dims[*dim] == to[*dim])
    };
    dims_from(sharding, (0..to.len()).map(|dim| Some(dim).filter(whole)))
}

/// Batch dimensions, then those of the left side, then those of the right side; an axis is used once.
fn product(op: OpRef<'_>, left: Option<&TensorSharding>, right: Option<&TensorSharding>) -> Option<TensorSharding> {
    let numbers = op.dot_dimension_numbers().ok()?;
    let like = left.or(right)?;
    if right.is_some_and(|right| right.mesh != like.mesh) {
        return None;
    }
    let axes = |sharding: Option<&TensorSharding>, dim: usize| {
        sharding.and_then(|sharding| sharding.dim_shardings.get(dim)).map_or_else(Vec::new, |dim| dim.axes.to_vec())
    };
    let free = |rank: usize, batch: &[i64], contracted: &[i64]| {
        let bound = |dim: usize| batch.contains(&(dim as i64)) || contracted.contains(&(dim as i64));
        (0..rank).filter(|&dim| !bound(dim)).collect::<Vec<usize>>()
    };
    let (left_batch, right_batch) = (&numbers.lhs_batching_dimensions, &numbers.rhs_batching_dimensions);
    let mut dims: Vec<Vec<AxisRef>> = Vec::new();
    for (&l, &r) in left_batch.iter().zip(right_batch) {
        let (l, r) = (axes(left, l as usize), axes(right, r as usize));
        dims.push(if l.len() >= r.len() { l } else { r });
    }
    let left_free = free(op.operand_tensor(0)?.dims.len(), left_batch, &numbers.lhs_contracting_dimensions);
    dims.extend(left_free.into_iter().map(|dim| axes(left, dim)));
    let right_free = free(op.operand_tensor(1)?.dims.len(), right_batch, &numbers.rhs_contracting_dimensions);
    dims.extend(right_free.into_iter().map(|dim| axes(right, dim)));
    Some(once_each(like, dims.iter().map(|axes| open(axes)).collect()))
}

/// An axis cuts one dimension: of several that it could cut, the first.
pub(super) fn once_each(like: &TensorSharding, mut dims: Vec<DimensionSharding>) -> TensorSharding {
    let mut used = Vec::new();
    for dim in &mut dims {
        let fresh = dim.axes.iter().position(|axis| used.contains(&axis.name)).unwrap_or(dim.axes.len());
        used.extend(dim.axes[..fresh].iter().map(|axis| axis.name));
        *dim = open(&dim.axes[..fresh]);
    }
    with_dims(like, dims)
}
