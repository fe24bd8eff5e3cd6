//! From an op with attributes to a kernel: reads what the op says once, so that running it only computes.
//!
//! One file per family, as in `ops`; a new op is a new arm in one of the families.

mod chlo;
mod collective;
mod contraction;
mod custom_call;
mod device_mesh;
mod dynamic;
mod elementwise;
mod interpreter;
mod manual;
mod mesh_groups;
mod quantized;
mod reduction;
mod shape;
mod shard_shape;
mod system;
mod transfer;

use super::error::OpError;
use super::machine::Context;
use super::plan::{Kernel, Lift, RegionFunction, RoutineId};
use super::registry::Registry;
use super::tensor::Tensor;
use super::value::Value;
use crate::ElementType;
use crate::ir::{DYNAMIC, Dialect, Element, Module, OpCode, OpRef, TensorType, Type};

/// How an op takes part in the flow of control.
pub(crate) enum Structure<'m> {
    /// It computes results from operands.
    Kernel,
    /// Condition and body.
    While,
    /// One of several blocks.
    Branch,
    /// Its only region, on its operands.
    Inline,
    /// The function with this symbol, on its operands.
    Call(&'m str),
}

/// What an op is bound with.
pub(crate) struct Binder<'b, 'm> {
    pub op: OpRef<'m>,
    /// Whether quantized elements are the numbers they stand for, and not the stored integers.
    pub expressed: bool,
    /// Its regions as functions.
    pub regions: Vec<RegionFunction>,
    pub registry: &'b Registry,
    /// The routine of a function by its symbol.
    pub symbol: &'b mut dyn FnMut(&str) -> Result<RoutineId, OpError>,
}

/// Whether the op only declares something and does nothing where it stands.
pub(crate) fn is_declaration(code: OpCode) -> bool {
    matches!(code, OpCode::FuncFunc | OpCode::SdyMesh | OpCode::SdyShardingGroup)
}

/// How the op takes part in the flow of control.
pub(crate) fn structure(op: OpRef<'_>) -> Result<Structure<'_>, OpError> {
    Ok(match op.code() {
        OpCode::While => Structure::While,
        OpCode::If | OpCode::Case => Structure::Branch,
        OpCode::FuncCall => Structure::Call(op.symbol("callee")?),
        OpCode::Composite => Structure::Call(op.symbol("decomposition")?),
        OpCode::SdyManualComputation if manual::is_on_one_device(op)? => Structure::Inline,
        OpCode::SdyNamedComputation => Structure::Inline,
        _ => Structure::Kernel,
    })
}

/// The kernel of an op.
pub(crate) fn kernel(mut binder: Binder<'_, '_>) -> Result<Kernel, OpError> {
    binder.expressed = quantized::is_arithmetic(binder.op);
    let families = [
        elementwise::bind,
        shape::bind,
        dynamic::bind,
        contraction::bind,
        reduction::bind,
        collective::bind,
        chlo::bind,
        system::bind,
        transfer::bind,
        manual::bind,
        interpreter::bind,
    ];
    for family in families {
        if let Some(kernel) = family(&mut binder)? {
            return if binder.expressed { quantized::around(binder.op, kernel) } else { Ok(kernel) };
        }
    }
    let op = binder.op;
    Err(OpError::unsupported(match op.code().dialect() {
        Dialect::Unknown => {
            "the op is of a dialect that is not part of StableHLO; lower it before sending the program".into()
        }
        _ => format!("the evaluator does not implement {}; rewrite it with other StableHLO ops", op.name()),
    }))
}

/// The element type in which elements are stored.
pub(crate) fn storage_type(module: &Module, element: Element) -> Option<ElementType> {
    match element {
        Element::Plain(element) => Some(element),
        Element::Index => Some(ElementType::I64),
        Element::Quantized(ty) => match module.ty(ty) {
            Type::Quantized(quantized) => quantized::storage_type(module, quantized),
            _ => None,
        },
        Element::Other(_) => None,
    }
}

impl<'m> Binder<'_, 'm> {
    fn tensor_type(&self, index: usize) -> Result<&'m TensorType, OpError> {
        self.op.result_tensor(index).ok_or_else(|| OpError::invalid(format!("result {index} must be a ranked tensor")))
    }

    /// The element type of a result as the kernel is to give it.
    fn result_element(&self, index: usize) -> Result<ElementType, OpError> {
        let (module, element) = (self.op.module(), self.tensor_type(index)?.element);
        let expressed = quantized::expressed_type(module, element).filter(|_| self.expressed);
        expressed.or_else(|| storage_type(module, element)).ok_or_else(|| {
            OpError::unsupported(format!("elements of result {index}; use one of the plain element types"))
        })
    }

    /// The sizes of a result, all of which must be static.
    fn result_dims(&self, index: usize) -> Result<Vec<usize>, OpError> {
        let size = |&d: &i64| usize::try_from(d).ok().filter(|_| d != DYNAMIC);
        let dims: Option<Vec<usize>> = self.tensor_type(index)?.dims.iter().map(size).collect();
        dims.ok_or_else(|| {
            OpError::unsupported(format!("result {index} has a dynamic size; refine the shapes of the program first"))
        })
    }

    fn operand_rank(&self, index: usize) -> Result<usize, OpError> {
        let missing = || OpError::invalid(format!("operand {index} must be a ranked tensor"));
        Ok(self.op.operand_tensor(index).ok_or_else(missing)?.rank())
    }
}

/// A kernel that works on whole tensors only.
fn plain<F>(run: F) -> Kernel
where
    F: Fn(&Context<'_>, Vec<Value>) -> Result<Vec<Value>, OpError> + Send + Sync + 'static,
{
    Kernel { run: Box::new(run), lift: Lift::Never, binary: None }
}

/// A kernel of tensors that gives one tensor.
fn of_tensors<F>(lift: Lift, run: F) -> Kernel
where
    F: Fn(Vec<Tensor>) -> Result<Tensor, OpError> + Send + Sync + 'static,
{
    let run = move |_: &Context<'_>, operands: Vec<Value>| Ok(vec![run(tensors(operands)?)?.into()]);
    Kernel { run: Box::new(run), lift, binary: None }
}

/// A kernel that hands on its operands.
fn identity() -> Kernel {
    Kernel { run: Box::new(|_, operands| Ok(operands)), lift: Lift::Identity, binary: None }
}

/// All operands as tensors.
fn tensors(operands: Vec<Value>) -> Result<Vec<Tensor>, OpError> {
    operands.into_iter().map(Value::into_tensor).collect()
}

/// Exactly `N` operands.
fn exactly<const N: usize>(operands: Vec<Tensor>) -> Result<[Tensor; N], OpError> {
    let count = operands.len();
    operands.try_into().map_err(|_| OpError::invalid(format!("takes {N} operands, found {count}")))
}
