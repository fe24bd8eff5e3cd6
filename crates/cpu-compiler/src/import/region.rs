//! What the regions of reductions, scatters and sorts say, where they say something simple.

use super::elementwise::binary_op;
use cpu_vir::BinaryOp;
use stablehlo::ir::{BlockRef, Module, OpCode, OpRef};

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
        let commutes = matches!(
            binary,
            BinaryOp::Add
                | BinaryOp::Mul
                | BinaryOp::Min
                | BinaryOp::Max
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
        );
        let fits = made.operands() == [a, b] || commutes && made.operands() == [b, a];
        (fits && is_scalar(module, block)).then_some((made.code(), binary))
    };
    (0..n).map(operation).collect()
}

fn is_scalar(module: &Module, block: BlockRef<'_>) -> bool {
    block.args().iter().all(|&value| module.value_tensor(value).is_some_and(|tensor| tensor.rank() == 0))
}
