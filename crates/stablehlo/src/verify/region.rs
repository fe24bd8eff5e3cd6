//! The functions that ops take as regions: their types, and the rules for reducers.

use super::check::{Check, demand, require};
use super::quantized;
use crate::ir::{Element, TypeId};

/// What a region takes and returns.
pub(crate) struct FunctionType {
    pub(crate) inputs: Vec<TypeId>,
    pub(crate) outputs: Vec<TypeId>,
}

impl Check<'_, '_> {
    /// The type of the function in region `index`; a region that does not end in a terminator breaks `id`.
    pub(crate) fn function(&mut self, index: usize, id: &'static str) -> Option<FunctionType> {
        let block = self.op.region_block(index);
        demand!(self, id, block.is_some(), "function {index} is missing");
        let block = block?;
        let terminator = block.terminator();
        demand!(self, id, terminator.is_some(), "function {index} does not end in a return");
        Some(FunctionType { inputs: block.arg_types().collect(), outputs: terminator?.operand_types().collect() })
    }

    /// The element of a type that must be a 0-dimensional tensor.
    pub(crate) fn scalar_element(&self, ty: TypeId) -> Option<Element> {
        self.m.ty(ty).as_tensor().filter(|t| t.rank() == 0).map(|t| t.element)
    }

    /// Checks that region `index` reduces: two lists of scalars to one, each promotable from an input.
    /// Returns the elements that it accumulates in.
    pub(crate) fn reducer(&mut self, index: usize, inputs: &[Element], id: &'static str) -> Option<Vec<Element>> {
        let function = self.function(index, id)?;
        let n = inputs.len();
        demand!(
            self,
            id,
            function.inputs.len() == 2 * n,
            "the function takes {} values and not {}",
            function.inputs.len(),
            2 * n
        );
        demand!(
            self,
            id,
            function.outputs.len() == n,
            "the function returns {} values and not {n}",
            function.outputs.len()
        );
        let mut elements = Vec::with_capacity(n);
        for (i, &input) in inputs.iter().enumerate() {
            let output = self.scalar_element(function.outputs[i]);
            demand!(
                self,
                id,
                output.is_some(),
                "the function returns {} and no scalar",
                self.text(function.outputs[i])
            );
            let output = output?;
            for arg in [function.inputs[i], function.inputs[n + i]] {
                let same = self.scalar_element(arg).is_some_and(|e| self.same_baseline(e, output));
                demand!(
                    self,
                    id,
                    same,
                    "the function takes {} where it returns {}",
                    self.text(arg),
                    self.text(function.outputs[i])
                );
            }
            let promotable = quantized::promotable(self.m, input, output);
            require!(
                self,
                id,
                promotable,
                "elements of {} are not promotable to {}",
                self.element_text(input),
                self.element_text(output)
            );
            elements.push(output);
        }
        Some(elements)
    }
}
