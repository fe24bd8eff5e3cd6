//! A program prepared for execution: ops bound to kernels, values to slots, and the place where each value dies.
//!
//! Owns the prepared form and nothing that happens while it runs. Preparation walks the program without recursion;
//! an op that the evaluator cannot do is an error here, before anything runs.

mod build;
mod captures;
mod liveness;

use std::sync::Arc;

use super::error::OpError;
use super::machine::Context;
use super::ops::binary::BinaryOp;
use super::value::Value;
use crate::ir::{Module, OpId};

pub(crate) use build::build;

/// Position of a value in the environment of its routine.
pub(crate) type Slot = u32;
/// Position in [`Program::routines`].
pub(crate) type RoutineId = usize;
/// Position in [`Routine::blocks`].
pub(crate) type BlockIndex = usize;

/// A whole program.
pub(crate) struct Program {
    pub module: Arc<Module>,
    /// Functions, and the regions that ops take as functions.
    pub routines: Vec<Routine>,
    pub main: RoutineId,
}

/// Something with an environment of its own: a function, or a region that an op takes as a function, whose
/// parameters are then its own followed by the values it captures.
pub(crate) struct Routine {
    pub slots: usize,
    /// Block 0 is where it starts; its arguments are the parameters.
    pub blocks: Vec<Block>,
    /// Whether it works element by element on vectors in place of its scalars.
    pub liftable: bool,
    /// The operation, if all it does is one binary operation on its two parameters.
    pub binary: Option<BinaryOp>,
    /// Whether it returns its second of two parameters.
    pub is_second: bool,
}

/// A straight line of instructions.
#[derive(Default)]
pub(crate) struct Block {
    pub arguments: Vec<Slot>,
    /// Arguments that nothing uses.
    pub dead_arguments: Vec<Slot>,
    pub instructions: Vec<Instruction>,
    /// What the terminator hands on.
    pub results: Vec<Operand>,
}

/// A use of a value.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub slot: Slot,
    /// Whether this is the last use, so that the value can be moved out.
    pub last: bool,
}

/// One op.
pub(crate) struct Instruction {
    pub op: OpId,
    /// Operands of the op, then the values its function-like regions capture.
    pub operands: Vec<Operand>,
    pub results: Vec<Slot>,
    /// Values that die after this instruction without being moved into it.
    pub dead_after: Vec<Slot>,
    pub action: Action,
}

/// What an instruction does.
pub(crate) enum Action {
    /// Computes results from operands.
    Kernel(Kernel),
    /// Runs `condition` and `body` on the loop state.
    While { condition: BlockIndex, body: BlockIndex },
    /// Runs the block chosen by operand 0, a boolean (first block if true) or a clamped index.
    Branch(Vec<BlockIndex>),
    /// Runs a block on the operands.
    Inline(BlockIndex),
    /// Runs a routine on the operands.
    Call(RoutineId),
}

/// The function of a kernel: operands and captured values in, results out.
pub(crate) type KernelFn = Box<dyn Fn(&Context<'_>, Vec<Value>) -> Result<Vec<Value>, OpError> + Send + Sync>;

/// An op's computation.
pub(crate) struct Kernel {
    pub run: KernelFn,
    pub lift: Lift,
    /// The operation, if that is all it does.
    pub binary: Option<BinaryOp>,
}

/// How a kernel on scalars extends to vectors in their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lift {
    /// It does not.
    Never,
    /// It is element-wise: the same kernel does it.
    Elementwise,
    /// Its results depend on no operand: repeat them.
    Constant,
    /// It returns its operands.
    Identity,
}

/// A region that an op takes as a function: the routine, and which of the instruction's operands it captures.
#[derive(Clone, Debug)]
pub(crate) struct RegionFunction {
    pub routine: RoutineId,
    pub captures: std::ops::Range<usize>,
}
