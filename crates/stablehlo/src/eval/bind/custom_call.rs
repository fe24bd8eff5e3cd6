//! Binds custom calls: those of the embedder, annotations, and the few targets that JAX leaves in portable programs.

use super::collective::{COMPLETE, Collective};
use super::shard_shape::{full_to_shard, shard_to_full};
use super::{Binder, exactly, identity, of_tensors, plain, tensors};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::machine::RegionBody;
use crate::eval::ops::axes::axis;
use crate::eval::ops::householder::{householder_product, qr};
use crate::eval::ops::movement::slice;
use crate::eval::ops::ragged::receive_rows;
use crate::eval::ops::sort::sort;
use crate::eval::ops::special::{apply, function};
use crate::eval::ops::top_k::top_k;
use crate::eval::parallel::{Groups, Strategy};
use crate::eval::plan::{Kernel, Lift, RegionFunction};
use crate::eval::registry::CustomCall;
use crate::eval::value::Value;
use crate::ir::attrs::DenseElements;
use crate::ir::{Attr, Module, OpCode};

/// Custom calls that say something about their operand and leave it as it is.
const ANNOTATIONS: &[&str] =
    &["Sharding", "annotate_device_placement", "LayoutConstraint", "xla.sdy.FuncResultSharding"];

pub(super) fn custom_call(binder: &mut Binder<'_, '_>) -> Result<Kernel, OpError> {
    let target = binder.op.string("call_target_name")?;
    if let Some(handler) = binder.registry.get(target) {
        let id = binder.op.id();
        return Ok(plain(move |context, operands| handler(CustomCall { op: context.program.module.op(id), operands })));
    }
    if ANNOTATIONS.contains(&target) {
        return Ok(identity());
    }
    // Functions of chlo that older versions of jaxlib leave under the name they have in mhlo.
    if let Some(function) =
        target.strip_prefix("mhlo.").and_then(|name| OpCode::from_name(&format!("chlo.{name}"))).and_then(function)
    {
        return Ok(of_tensors(Lift::Elementwise, move |x| {
            let [x] = exactly(x)?;
            apply(function, &x)
        }));
    }
    match target {
        // Keeps its operands alive, and has no results.
        "dce_sink" => Ok(plain(|_, _| Ok(Vec::new()))),
        "mhlo.topk" => {
            let k = integer(binder, "mhlo.attributes", "k")?;
            let k = usize::try_from(k).map_err(|_| OpError::invalid(format!("k = {k} must not be negative")))?;
            let largest = !matches!(entry(binder, "mhlo.attributes", "largest"), Some(Attr::Bool(false)));
            Ok(plain(move |_, operands| {
                let [x] = exactly(tensors(operands)?)?;
                let [values, indices] = top_k(&x, k, largest)?;
                Ok(vec![values.into(), indices.into()])
            }))
        }
        "SPMDFullToShardShape" => full_to_shard(binder),
        "SPMDShardToFullShape" => shard_to_full(binder),
        "ragged_all_to_all" => ragged_all_to_all(binder),
        "ApproxTopK" => approx_top_k(binder),
        "Qr" => Ok(plain(|_, operands| {
            let [a] = exactly(tensors(operands)?)?;
            Ok(qr(&a)?.map(Value::from).to_vec())
        })),
        "ProductOfElementaryHouseholderReflectors" => Ok(of_tensors(Lift::Never, |x| {
            let [packed, taus] = exactly(x)?;
            householder_product(&packed, &taus)
        })),
        _ => Err(OpError::unsupported(format!(
            "custom call target \"{target}\" is not registered; register a handler for it before preparing the program"
        ))),
    }
}

/// The exact answer, which is the best approximation: sorted by the comparator, cut to the size of the result.
fn approx_top_k(binder: &mut Binder<'_, '_>) -> Result<Kernel, OpError> {
    let op = binder.op;
    let rank = binder.operand_rank(0)?;
    let dimension = axis("reduction_dim", integer(binder, "mhlo.backend_config", "reduction_dim")?, rank)?;
    let dims = binder.result_dims(0)?;
    let comparator = match *op.array_or_empty("called_computations")? {
        [id] => match op.module().attr(id) {
            Attr::SymbolRef { root, .. } => (binder.symbol)(op.module().str(*root))?,
            _ => return Err(OpError::invalid("attribute `called_computations` must name the comparator")),
        },
        _ => return Err(OpError::invalid("attribute `called_computations` must name one comparator")),
    };
    let comparator = RegionFunction { routine: comparator, captures: 0..0 };
    let n = op.results().len();
    Ok(plain(move |context, operands| {
        let body = RegionBody::new(context, &comparator, &operands);
        let inputs = tensors(operands.into_iter().take(n).collect())?;
        let sorted = sort(&inputs, dimension, &body)?;
        let (start, strides) = (vec![0; dims.len()], vec![1; dims.len()]);
        sorted.iter().map(|x| Ok(slice(x, &start, &dims, &strides)?.into())).collect()
    }))
}

/// The exchange of rows that JAX has, in groups as `all_to_all` has them.
fn ragged_all_to_all(binder: &Binder<'_, '_>) -> Result<Kernel, OpError> {
    const CONFIG: &str = "backend_config";
    let channel = entry(binder, CONFIG, "channel_id").is_some() && integer(binder, CONFIG, "channel_id")? > 0;
    let strategy = if channel { Strategy::CrossPartition } else { Strategy::CrossReplica };
    let lists = match entry(binder, CONFIG, "replica_groups") {
        Some(Attr::DenseElements(dense)) => rows(binder.op.module(), dense),
        _ => None,
    };
    let lists = lists
        .ok_or_else(|| OpError::invalid("attribute `backend_config` must have `replica_groups`, a matrix of i64"))?;
    let collective = Collective::of_groups(binder.op, Groups { lists, strategy, rules: COMPLETE });
    Ok(plain(move |context, operands| {
        let all = collective.exchange(context, operands)?.required()?;
        Ok(vec![receive_rows(&all.parts, all.seat)?.into()])
    }))
}

/// The rows of a matrix of 64-bit integers.
fn rows(module: &Module, dense: &DenseElements) -> Option<Vec<Vec<i64>>> {
    let ty = module.ty(dense.ty()).as_tensor()?;
    match (&*ty.dims, ty.element_type()) {
        (&[count, width], Some(ElementType::I64)) if width > 0 => {
            // A splat can claim any shape; a program with this many entries is not one.
            let entries = count.checked_mul(width).filter(|entries| *entries <= 1 << 20)?;
            let values = dense.to_i64s(usize::try_from(entries).ok()?)?;
            Some(values.chunks_exact(width as usize).map(<[i64]>::to_vec).collect())
        }
        _ => None,
    }
}

/// An entry of a dictionary attribute.
fn entry<'m>(binder: &Binder<'_, 'm>, dictionary: &str, name: &str) -> Option<&'m Attr> {
    match binder.op.attr(dictionary)? {
        Attr::Dict(entries) => binder.op.module().dict_get(entries, name),
        _ => None,
    }
}

fn integer(binder: &Binder<'_, '_>, dictionary: &str, name: &str) -> Result<i64, OpError> {
    match entry(binder, dictionary, name) {
        Some(Attr::Integer { value, .. }) => Ok(*value),
        _ => Err(OpError::invalid(format!("attribute `{dictionary}` must have an integer `{name}`"))),
    }
}
