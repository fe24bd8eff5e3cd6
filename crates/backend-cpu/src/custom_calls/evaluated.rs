//! Custom calls of programs that the reference evaluator runs: its registry, filled with the handlers of the process.

use super::aligned::Aligned;
use super::{CallContext, RegisteredCalls};
use crate::layout::Arrangement;
use cpu_compiler::{ArrayType, CustomCall, CustomCalls, Error, Result};
use stablehlo::eval::{self, OpError, Registry, Tensor, Value};
use stablehlo::ir::{Attr, Module, OpCode, OpId, OpRef};
use std::collections::HashMap;
use std::sync::Arc;

/// The calls of one program, bound to their handlers.
pub(crate) struct EvaluatedCalls {
    /// By target, since that is how the registry asks.
    targets: HashMap<String, Arc<HashMap<OpId, Bound>>>,
}

struct Bound {
    call: Arc<dyn CustomCall>,
    arguments: Vec<Arranged>,
    results: Vec<Arranged>,
}

/// An array as a handler sees it: its type, and how it lies in memory, if not in row-major order.
struct Arranged {
    ty: ArrayType,
    arrangement: Option<Arrangement>,
}

impl EvaluatedCalls {
    /// Binds what has a handler; the evaluator may know the rest itself.
    ///
    /// # Errors
    /// When a handler refuses a call.
    pub(crate) fn bind(module: &Module) -> Result<EvaluatedCalls> {
        let mut targets: HashMap<String, HashMap<OpId, Bound>> = HashMap::new();
        for index in 0..module.num_ops() {
            let op = module.op(OpId::from_index(index));
            if op.code() != OpCode::CustomCall {
                continue;
            }
            let (operands, outputs) = (op.operand_types(), op.result_types());
            let types = |types: &mut dyn Iterator<Item = _>| {
                types.map(|ty| ArrayType::of(module, ty)).collect::<Result<Vec<_>>>()
            };
            let (arguments, results) = (types(&mut operands.into_iter())?, types(&mut outputs.into_iter())?);
            if let Some(call) = RegisteredCalls::default().bind(op, &arguments, &results)? {
                let arguments = arranged(op, "operand_layouts", arguments)?;
                let bound = Bound { call, arguments, results: arranged(op, "result_layouts", results)? };
                targets.entry(op.string("call_target_name")?.to_owned()).or_default().insert(op.id(), bound);
            }
        }
        Ok(EvaluatedCalls { targets: targets.into_iter().map(|(target, calls)| (target, Arc::new(calls))).collect() })
    }

    /// The registry for one launch. Without a context calls can be bound and not made.
    pub(crate) fn registry(&self, context: Option<Arc<CallContext>>) -> Registry {
        let mut registry = Registry::default();
        for (target, calls) in &self.targets {
            let (calls, context) = (calls.clone(), context.clone());
            registry.register(target, move |call: eval::CustomCall<'_>| {
                let missing = || OpError::invalid("a custom call outside of a launch");
                let bound = calls.get(&call.op.id()).ok_or_else(missing)?;
                bound.run(context.as_deref().ok_or_else(missing)?, &call.operands)
            });
        }
        registry
    }
}

impl Bound {
    fn run(&self, context: &CallContext, operands: &[Value]) -> std::result::Result<Vec<Value>, OpError> {
        let arguments = self.arguments.iter().zip(operands).map(|(arranged, value)| match value {
            Value::Tensor(tensor) => Aligned::new(&arranged.to_memory(tensor.bytes())),
            _ => Aligned::new(&[]),
        });
        let arguments: Vec<Aligned> = arguments.collect();
        let arguments: Vec<&[u8]> = arguments.iter().map(Aligned::bytes).collect();
        let mut results: Vec<Aligned> =
            self.results.iter().map(|arranged| Aligned::new(&vec![0; arranged.ty.bytes()])).collect();
        let mut views: Vec<&mut [u8]> = results.iter_mut().map(Aligned::bytes_mut).collect();
        let outcome = self.call.call(Some(context), &arguments, &mut views);
        outcome.map_err(|error| OpError::invalid(error.message))?;
        let value = |(arranged, result): (&Arranged, &Aligned)| match arranged.ty.element {
            None => Ok(Value::Token),
            Some(element) => {
                let tensor = Tensor::from_bytes(element, &arranged.ty.dims, &arranged.to_row_major(result.bytes()));
                tensor.map(Value::Tensor).map_err(|error| OpError::invalid(error.to_string()))
            }
        };
        self.results.iter().zip(&results).map(value).collect()
    }
}

impl Arranged {
    fn to_memory(&self, bytes: &[u8]) -> Vec<u8> {
        self.moved(bytes, Arrangement::arrange)
    }

    fn to_row_major(&self, bytes: &[u8]) -> Vec<u8> {
        self.moved(bytes, Arrangement::to_rows)
    }

    fn moved(&self, bytes: &[u8], how: impl Fn(&Arrangement, &[u8], &mut [u8])) -> Vec<u8> {
        let mut moved = bytes.to_vec();
        if let Some(arrangement) = &self.arrangement {
            how(arrangement, bytes, &mut moved);
        }
        moved
    }
}

/// The types with the layouts that the op's attribute asks for.
fn arranged(op: OpRef<'_>, name: &str, types: Vec<ArrayType>) -> Result<Vec<Arranged>> {
    let (module, list) = (op.module(), op.array_or_empty(name)?);
    if !list.is_empty() && list.len() != types.len() {
        return Err(Error::invalid(format!("`{name}` has {} entries for {} arrays", list.len(), types.len())));
    }
    let arranged = |(index, ty): (usize, ArrayType)| {
        let malformed = || Error::invalid(format!("`{name}` must hold a permutation of the dimensions"));
        let Some(&layout) = list.get(index) else { return Ok(Arranged { ty, arrangement: None }) };
        let Attr::DenseElements(dense) = module.attr(layout) else { return Err(malformed()) };
        let dims = dense.to_i64s(module.num_elements(dense.ty()).unwrap_or(0)).ok_or_else(malformed)?;
        let dims: Vec<usize> = dims.iter().map(|&dim| dim as usize).collect();
        let mut sorted = dims.clone();
        sorted.sort_unstable();
        let rank = if ty.element.is_none() { dims.len() } else { ty.dims.len() };
        if !sorted.into_iter().eq(0..rank) {
            return Err(malformed());
        }
        let arrangement = ty.element.and_then(|_| Arrangement::new(ty.dims.clone(), &dims, ty.width()));
        Ok(Arranged { ty, arrangement })
    };
    types.into_iter().enumerate().map(arranged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stablehlo::ElementType;

    #[test]
    fn layouts_are_applied_and_undone() {
        let ty = ArrayType::new(ElementType::U8, &[2, 3]);
        let columns = Arranged { arrangement: Arrangement::new(ty.dims.clone(), &[0, 1], 1), ty };
        assert_eq!(columns.to_memory(&[1, 2, 3, 4, 5, 6]), [1, 4, 2, 5, 3, 6]);
        assert_eq!(columns.to_row_major(&[1, 4, 2, 5, 3, 6]), [1, 2, 3, 4, 5, 6]);
    }
}
