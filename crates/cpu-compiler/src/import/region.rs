//! What the regions of reductions, scatters and sorts say, where they say something simple.

use super::Importer;
use super::elementwise::binary_op;
use crate::error::Result;
use crate::fuse::scalar_program;
use crate::graph::{Graph, Value};
use cpu_vir::BinaryOp;
use cpu_vir::Program;
use hashbrown::HashSet;
use stablehlo::ir::attrs::{ComparisonDirection, ComparisonType};
use stablehlo::ir::{BlockRef, Module, OpCode, OpRef, ValueId};

/// For each result of a block of scalars, the operation that makes it of parameters `i` and `n + i`, in this order
/// or, where that changes nothing, the other; `None` if it is more than that. `n` is the number of results.
pub(super) fn pairwise(op: OpRef<'_>, region: usize) -> Option<Vec<(OpCode, BinaryOp)>> {
    let module = op.module();
    let block = op.region_block(region)?;
    let returned = block.terminator()?.operands();
    let n = returned.len();
    if block.args().len() != 2 * n || block.ops().count() != n + 1 {
        return None;
    }
    let operation = |index: usize| {
        let made = module.op(module.defining_op(returned[index])?);
        let binary = binary_op(made.code())?;
        let (a, b) = (block.args()[index], block.args()[n + index]);
        let fits = made.operands() == [a, b] || binary.commutes() && made.operands() == [b, a];
        (fits && is_scalar(module, block)).then_some((made.code(), binary))
    };
    (0..n).map(operation).collect()
}

fn is_scalar(module: &Module, block: BlockRef<'_>) -> bool {
    block.args().iter().all(|&value| module.value_tensor(value).is_some_and(|tensor| tensor.rank() == 0))
}

/// Whether a block of scalars returns the second of its two parameters.
pub(super) fn returns_second(op: OpRef<'_>, region: usize) -> bool {
    let block = op.region_block(region);
    block.is_some_and(|block| {
        let returned = block.terminator().map(|end| end.operands());
        matches!((block.args(), returned), ([_, second], Some([value])) if value == second)
    })
}

/// The comparison that a block of scalars makes of its two parameters in order, if that is all it does.
pub(super) fn compares(op: OpRef<'_>, region: usize) -> Option<ComparisonDirection> {
    let module = op.module();
    let block = op.region_block(region)?;
    let &[returned] = block.terminator()?.operands() else { return None };
    let made = module.op(module.defining_op(returned)?);
    let plain = made.code() == OpCode::Compare && made.compare_type().ok()? != ComparisonType::TotalOrder;
    let whole = block.ops().count() == 2 && block.args().len() == 2 && made.operands() == block.args();
    if plain && whole && is_scalar(module, block) { made.comparison_direction().ok() } else { None }
}

/// Bodies of more ops than this are no longer cheap to run for each element.
const MOST_OPS: usize = 200;

impl<'m> Importer<'m> {
    /// A region of scalars as a loop program of one dimension, and the values that it captures: the program reads the
    /// region's parameters at its point, then the captured scalars. `None` when loops cannot do what it does.
    pub(super) fn region_program(&mut self, op: OpRef<'m>, region: usize) -> Result<Option<(Program, Vec<Value>)>> {
        let module = self.module;
        let Some(block) = op.region_block(region) else { return Ok(None) };
        let simple = |id| {
            let op = module.op(id);
            op.regions().is_empty() && op.results().iter().all(|&value| is_scalar_value(module, value))
        };
        if !is_scalar(module, block) || block.ops().count() > MOST_OPS || !block.ops().all(simple) {
            return Ok(None);
        }
        let captured = captures(module, block);
        if !captured.iter().all(|&value| is_scalar_value(module, value)) {
            return Ok(None);
        }
        let outside: Vec<Value> = captured.iter().map(|&value| self.value(value)).collect::<Result<_>>()?;
        let names: Vec<ValueId> = block.args().iter().chain(&captured).copied().collect();
        let types = names.iter().map(|&name| self.ty(module.value_type(name))).collect::<Result<Vec<_>>>()?;
        // The region gets a graph of its own. Literals that it captures are known in it.
        let graph = std::mem::take(&mut self.graph);
        let literals: Vec<_> = outside.iter().map(|&value| graph.literal(value).cloned()).collect();
        let stack = std::mem::take(&mut self.stack);
        let home = std::mem::replace(&mut self.block, Graph::MAIN);
        let main = self.graph.new_block(None, &types);
        let parameters = self.graph.block(main).parameters.clone();
        self.bind(&names, &parameters);
        for (index, literal) in literals.iter().enumerate() {
            if let Some(literal) = literal {
                let ty = types[block.args().len() + index].clone();
                let value = self.graph.constant(main, &literal.bytes, true, ty);
                self.bind(&captured[index..=index], &[value]);
            }
        }
        let imported = self.import_block(block);
        let inner = std::mem::replace(&mut self.graph, graph);
        self.stack = stack;
        self.block = home;
        self.bind(&captured, &outside);
        imported?;
        let Some((program, used)) = scalar_program(&inner, block.args().len()) else { return Ok(None) };
        Ok(Some((program, used.into_iter().map(|index| outside[index]).collect())))
    }
}

fn is_scalar_value(module: &Module, value: ValueId) -> bool {
    module.value_tensor(value).is_some_and(|tensor| tensor.rank() == 0)
}

/// Values from around a block without regions that it uses, each once.
fn captures(module: &Module, block: BlockRef<'_>) -> Vec<ValueId> {
    let mut known: HashSet<ValueId> = block.args().iter().copied().collect();
    let mut found = Vec::new();
    for id in block.ops() {
        let op = module.op(id);
        found.extend(op.operands().iter().copied().filter(|&value| known.insert(value)));
        known.extend(op.results());
    }
    found
}
