//! Custom calls: annotations, those of the embedder, and those that the reference evaluator knows.

use super::Importer;
use crate::array_type::ArrayType;
use crate::error::{Error, Result};
use crate::fuse::lanes;
use crate::graph::{MapOp, Value};
use crate::kernel::Call;
use cpu_vir::UnaryOp;
use stablehlo::ir::{Attr, OpCode, OpRef};
use std::sync::Arc;

/// Custom calls that say something about their operand and leave it as it is.
const ANNOTATIONS: &[&str] = &[
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "LayoutConstraint",
    "xla.sdy.FuncResultSharding",
];

impl<'m> Importer<'m> {
    /// The result of an elementary function that StableHLO has no op for, but a custom call or a composite of this name;
    /// `None` when loops do not have it. They compute it to the last places; a decomposition is an approximation.
    pub(super) fn elementary(&mut self, op: OpRef<'m>, name: &str) -> Result<Option<Value>> {
        let map = match name {
            "mhlo.erf" | "chlo.erf" => MapOp::Unary(UnaryOp::Erf),
            _ => return Ok(None),
        };
        let inputs = self.operands(op)?;
        let ty = self.result_type(op, 0)?;
        let fits = inputs.len() == 1 && *self.graph.ty(inputs[0]) == ty && lanes::can_map(map, &[&ty], &ty);
        Ok(fits.then(|| self.graph.map(self.block, map, inputs, ty)))
    }

    /// The results of a custom call; `None` when the op is none, or one that the evaluator may know.
    pub(super) fn call(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        if op.code() != OpCode::CustomCall {
            return Ok(None);
        }
        let target = op.string("call_target_name")?;
        if ANNOTATIONS.contains(&target) && op.operand_types().eq(op.result_types()) {
            return Ok(Some(self.operands(op)?));
        }
        if let Some(result) = self.elementary(op, target)? {
            return Ok(Some(vec![result]));
        }
        let inputs = self.operands(op)?;
        let argument_types: Vec<ArrayType> = inputs.iter().map(|&input| (**self.graph.ty(input)).clone()).collect();
        let results = self.result_types(op)?;
        let result_types: Vec<ArrayType> = results.iter().map(|ty| (**ty).clone()).collect();
        let Some(call) = self.custom_calls.bind(op, &argument_types, &result_types)? else { return Ok(None) };
        let argument_layouts = layouts(op, "operand_layouts", inputs.len())?;
        let result_layouts = layouts(op, "result_layouts", results.len())?;
        // The handler sees bytes in the order that its layouts say.
        let inputs = inputs
            .into_iter()
            .zip(argument_layouts)
            .map(|(input, layout)| match layout {
                Some(layout) => {
                    let order: Vec<usize> = layout.into_iter().rev().collect();
                    let ty = permuted(self.graph.ty(input), &order);
                    self.graph.transpose(self.block, input, order, ty)
                }
                None => input,
            })
            .collect();
        let physical: Vec<Arc<ArrayType>> = results
            .iter()
            .zip(&result_layouts)
            .map(|(ty, layout)| match layout {
                Some(layout) => permuted(ty, &layout.iter().rev().copied().collect::<Vec<_>>()),
                None => ty.clone(),
            })
            .collect();
        let effect = op.bool_or("has_side_effect", false)?;
        let kernel = Call { target: target.to_owned(), call, aliases: aliases(op)? };
        let outputs = self.kernel(Arc::new(kernel), inputs, &physical, effect);
        let logical = outputs.into_iter().zip(result_layouts).zip(results).map(|((output, layout), ty)| match layout {
            Some(layout) => {
                // Dimension `order[i]` of the result is dimension `i` in memory.
                let order: Vec<usize> = layout.into_iter().rev().collect();
                let mut inverse = vec![0; order.len()];
                order.iter().enumerate().for_each(|(at, &dim)| inverse[dim] = at);
                self.graph.transpose(self.block, output, inverse, ty)
            }
            None => output,
        });
        Ok(Some(logical.collect()))
    }
}

fn permuted(ty: &ArrayType, order: &[usize]) -> Arc<ArrayType> {
    Arc::new(ArrayType { element: ty.element, dims: order.iter().map(|&dim| ty.dims[dim]).collect() })
}

/// The layouts of a call's arrays, minor dimension first; `None` for row-major ones.
fn layouts(op: OpRef<'_>, name: &str, count: usize) -> Result<Vec<Option<Vec<usize>>>> {
    let module = op.module();
    let list = op.array_or_empty(name)?;
    if list.is_empty() {
        return Ok(vec![None; count]);
    }
    if list.len() != count {
        return Err(Error::invalid(format!("`{name}` has {} entries for {count} arrays", list.len())));
    }
    let layout = |&id: &stablehlo::ir::AttrId| {
        let Attr::DenseElements(dense) = module.attr(id) else {
            return Err(Error::invalid(format!("`{name}` must hold dense index arrays")));
        };
        let length = module.num_elements(dense.ty()).unwrap_or(0);
        let dims = dense.to_i64s(length).ok_or_else(|| Error::invalid(format!("`{name}` must hold index arrays")))?;
        let layout: Vec<usize> = dims.iter().map(|&dim| dim as usize).collect();
        Ok((!layout.iter().rev().is_sorted()).then_some(layout))
    };
    list.iter().map(layout).collect()
}

/// Pairs of operand and result that share their memory.
fn aliases(op: OpRef<'_>) -> Result<Vec<(usize, usize)>> {
    let module = op.module();
    let mut pairs = Vec::new();
    for &id in op.array_or_empty("output_operand_aliases")? {
        if let Attr::OutputOperandAlias(alias) = module.attr(id) {
            let result = alias.output_tuple_indices.first().copied().unwrap_or(0);
            pairs.push((alias.operand_index as usize, result as usize));
        }
    }
    Ok(pairs)
}
