//! Running a prepared program: a stack of frames on the heap, one for each block that is open.
//!
//! Loops, branches and calls push frames, so the machine stack does not grow with the program. Only an op that takes
//! a region as a function (a reduction, a sort) runs a machine of its own inside itself, to a fixed depth.

mod region;

use super::error::{EvalError, OpError};
use super::number::Bool;
use super::ops::movement::broadcast_scalar;
use super::plan::{Action, Block, BlockIndex, Instruction, Lift, Operand, Program, RoutineId};
use super::process::Environment;
use super::tensor::Tensor;
use super::value::Value;
use crate::ElementType;
use crate::ir::{DYNAMIC, OpRef, Type};

pub(crate) use region::RegionBody;

/// How deep function-like regions may nest in each other (a reduction whose body reduces, and so on).
const MAX_REGION_DEPTH: u32 = 32;
/// How many blocks may be open at a time; only a function that calls itself without end gets there.
const MAX_FRAMES: usize = 1 << 20;

/// What a kernel can reach beside its operands.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    pub environment: &'a Environment<'a>,
    depth: u32,
    /// If set, every scalar of the running routine is a vector of this length.
    lift: Option<usize>,
}

impl<'a> Context<'a> {
    pub fn new(program: &'a Program, environment: &'a Environment<'a>) -> Context<'a> {
        Context { program, environment, depth: 0, lift: None }
    }

    /// The context of a region's body.
    pub fn inside(&self, lift: Option<usize>) -> Result<Context<'a>, OpError> {
        if self.depth == MAX_REGION_DEPTH {
            return Err(OpError::unsupported(format!(
                "regions of reductions, sorts and the like nest more than {MAX_REGION_DEPTH} deep; flatten the program"
            )));
        }
        Ok(Context { depth: self.depth + 1, lift, ..*self })
    }
}

/// The values of one routine that runs.
struct Activation {
    routine: RoutineId,
    slots: Vec<Option<Value>>,
}

impl Activation {
    fn new(program: &Program, routine: RoutineId) -> Activation {
        Activation { routine, slots: vec![None; program.routines[routine].slots] }
    }

    fn take(&mut self, operand: Operand) -> Value {
        let slot = &mut self.slots[operand.slot as usize];
        let value = if operand.last { slot.take() } else { slot.clone() };
        value.expect("a value is defined before it is used, and freed after its last use")
    }

    fn take_all(&mut self, operands: &[Operand]) -> Vec<Value> {
        operands.iter().map(|&o| self.take(o)).collect()
    }

    fn set_all(&mut self, slots: &[u32], values: Vec<Value>) {
        for (&slot, value) in slots.iter().zip(values) {
            self.slots[slot as usize] = Some(value);
        }
    }

    fn free(&mut self, slots: &[u32]) {
        slots.iter().for_each(|&slot| self.slots[slot as usize] = None);
    }
}

/// What happens with the results of a block.
#[derive(Clone, Copy)]
enum Then {
    /// They are those of the routine.
    Return,
    /// They are those of the instruction below that opened the block.
    Deliver,
    /// They tell whether the loop below goes on.
    Decide,
    /// They are the next state of the loop below.
    Repeat,
}

/// An open block.
struct Frame {
    block: BlockIndex,
    next: usize,
    then: Then,
}

/// Runs a routine. `arguments` are its parameters, captured values included.
pub(crate) fn run(context: &Context<'_>, routine: RoutineId, arguments: Vec<Value>) -> Result<Vec<Value>, EvalError> {
    let mut machine = Machine { context: *context, activations: Vec::new(), frames: Vec::new() };
    machine.call(routine, arguments)?;
    loop {
        if let Some(results) = machine.step()? {
            return Ok(results);
        }
    }
}

struct Machine<'a> {
    context: Context<'a>,
    activations: Vec<Activation>,
    frames: Vec<Frame>,
}

impl<'a> Machine<'a> {
    fn activation(&mut self) -> &mut Activation {
        self.activations.last_mut().expect("an open frame has an activation")
    }

    fn block(&self, index: BlockIndex) -> &'a Block {
        let routine = self.activations.last().expect("an open frame has an activation").routine;
        &self.context.program.routines[routine].blocks[index]
    }

    fn op(&self, instruction: &Instruction) -> OpRef<'a> {
        self.context.program.module.op(instruction.op)
    }

    fn call(&mut self, routine: RoutineId, arguments: Vec<Value>) -> Result<(), EvalError> {
        self.activations.push(Activation::new(self.context.program, routine));
        let block = self.block(0);
        self.activation().set_all(&block.arguments, arguments);
        self.open(0, Then::Return)
    }

    fn open(&mut self, index: BlockIndex, then: Then) -> Result<(), EvalError> {
        if self.frames.len() >= MAX_FRAMES {
            return Err(EvalError::invalid("calls nest without end: a function of the program calls itself"));
        }
        let block = self.block(index);
        self.activation().free(&block.dead_arguments);
        self.frames.push(Frame { block: index, next: 0, then });
        Ok(())
    }

    /// Does the next thing of the innermost block; gives the results once the first routine returns.
    fn step(&mut self) -> Result<Option<Vec<Value>>, EvalError> {
        let frame = self.frames.last_mut().expect("runs until the first routine returns");
        let (index, next) = (frame.block, frame.next);
        let block = self.block(index);
        match block.instructions.get(next) {
            Some(instruction) => {
                let fail = |error| EvalError::at(self.context.program.module.op(instruction.op), error);
                if self.context.environment.is_cancelled() {
                    return Err(fail(OpError::Cancelled));
                }
                self.execute(instruction)?;
                Ok(None)
            }
            None => self.close(block),
        }
    }

    fn execute(&mut self, instruction: &'a Instruction) -> Result<(), EvalError> {
        let mut operands = self.activation().take_all(&instruction.operands);
        match &instruction.action {
            Action::Kernel(kernel) => {
                let lifted = self.context.lift.map(|n| (kernel.lift, n));
                let results = match lifted {
                    Some((Lift::Identity, _)) => Ok(operands),
                    Some((Lift::Constant, n)) => (kernel.run)(&self.context, operands).and_then(|values| {
                        let repeat = |v: Value| Ok(broadcast_scalar(&v.into_tensor()?, &[n]).into());
                        values.into_iter().map(repeat).collect()
                    }),
                    _ => (kernel.run)(&self.context, operands),
                };
                let op = self.op(instruction);
                let results = results.map_err(|error| EvalError::at(op, error))?;
                if lifted.is_none() {
                    check_types(op, &results).map_err(|error| EvalError::at(op, error))?;
                }
                self.finish(instruction, results);
                Ok(())
            }
            Action::While { condition, .. } => self.decide(instruction, *condition, operands),
            Action::Branch(blocks) => {
                let op = self.op(instruction);
                let chosen = choose(&operands.remove(0), blocks.len()).map_err(|error| EvalError::at(op, error))?;
                self.open(blocks[chosen], Then::Deliver)
            }
            Action::Inline(block) => {
                let arguments = &self.block(*block).arguments;
                self.activation().set_all(arguments, operands);
                self.open(*block, Then::Deliver)
            }
            Action::Call(routine) => self.call(*routine, operands),
        }
    }

    /// Puts the loop state where the body finds it, and opens the condition on it.
    fn decide(
        &mut self,
        instruction: &'a Instruction,
        condition: BlockIndex,
        state: Vec<Value>,
    ) -> Result<(), EvalError> {
        let Action::While { body, .. } = instruction.action else { unreachable!("only loops decide") };
        // A loop may have no op inside that would ask.
        if self.context.environment.is_cancelled() {
            return Err(EvalError::at(self.op(instruction), OpError::Cancelled));
        }
        let (body, condition_block) = (self.block(body), self.block(condition));
        self.activation().set_all(&condition_block.arguments, state.clone());
        self.activation().set_all(&body.arguments, state);
        self.open(condition, Then::Decide)
    }

    /// The innermost block has run to its end.
    fn close(&mut self, block: &'a Block) -> Result<Option<Vec<Value>>, EvalError> {
        let results = self.activation().take_all(&block.results);
        let then = self.frames.pop().expect("a block is open").then;
        if let Then::Return = then {
            self.activations.pop();
            if self.activations.is_empty() {
                return Ok(Some(results));
            }
        }
        let below = self.frames.last().expect("an instruction opened the block");
        let instruction = &self.block(below.block).instructions[below.next];
        match (then, &instruction.action) {
            (Then::Decide, Action::While { body, .. }) => {
                let op = self.op(instruction);
                let goes_on =
                    results.first().map_or(Ok(0), |p| choose(p, 2)).map_err(|error| EvalError::at(op, error))?;
                // `choose` numbers branches, true first.
                if goes_on == 0 {
                    self.open(*body, Then::Repeat)?;
                } else {
                    let slots = &self.block(*body).arguments;
                    let activation = self.activation();
                    let state = slots.iter().map(|&s| activation.slots[s as usize].take());
                    let state = state.map(|v| v.expect("the loop state is set before the condition runs")).collect();
                    self.finish(instruction, state);
                }
            }
            (Then::Repeat, Action::While { condition, .. }) => self.decide(instruction, *condition, results)?,
            _ => self.finish(instruction, results),
        }
        Ok(None)
    }

    /// Stores an instruction's results and goes on after it.
    fn finish(&mut self, instruction: &Instruction, results: Vec<Value>) {
        let activation = self.activation();
        activation.set_all(&instruction.results, results);
        activation.free(&instruction.dead_after);
        self.frames.last_mut().expect("a block is open").next += 1;
    }
}

/// The branch that a predicate (0 if true, else 1) or an index (clamped to the last branch) chooses.
fn choose(selector: &Value, branches: usize) -> Result<usize, OpError> {
    let selector = selector.as_tensor()?;
    if selector.len() != 1 || branches == 0 {
        return Err(OpError::invalid(format!("{} does not choose among {branches} branches", selector.describe())));
    }
    if selector.element_type() == ElementType::Bool {
        return Ok(if selector.as_slice::<Bool>()[0].get() { 0 } else { 1 }.min(branches - 1));
    }
    let index = selector.scalar_i64()?;
    Ok(usize::try_from(index).unwrap_or(branches - 1).min(branches - 1))
}

/// Checks that results have the types that the program states; a kernel that gives others would go unnoticed.
fn check_types(op: OpRef<'_>, results: &[Value]) -> Result<(), OpError> {
    if results.len() != op.results().len() {
        return Err(OpError::invalid(format!("gives {} results instead of {}", results.len(), op.results().len())));
    }
    for (value, ty) in results.iter().zip(op.result_types()) {
        check_type(op.module(), value, ty)?;
    }
    Ok(())
}

/// Checks that a value has a type; dynamic dimensions have any size.
pub(crate) fn check_type(module: &crate::ir::Module, value: &Value, ty: crate::ir::TypeId) -> Result<(), OpError> {
    let fits = match (value, module.ty(ty)) {
        (Value::Tensor(tensor), Type::Tensor(expected)) => has_type(module, tensor, expected),
        (Value::Token, Type::Token) => true,
        (Value::Tuple(values), Type::Tuple(types)) => {
            values.len() == types.len() && values.iter().zip(types).all(|(v, &t)| check_type(module, v, t).is_ok())
        }
        // What an asynchronous op will deliver is there already.
        (_, Type::Future(_)) => true,
        _ => false,
    };
    if fits {
        Ok(())
    } else {
        Err(OpError::invalid(format!("{} instead of {}", value.describe(), module.type_text(ty))))
    }
}

fn has_type(module: &crate::ir::Module, tensor: &Tensor, expected: &crate::ir::TensorType) -> bool {
    super::bind::storage_type(module, expected.element) == Some(tensor.element_type())
        && tensor.rank() == expected.rank()
        && tensor.dims().iter().zip(&expected.dims).all(|(&d, &e)| e == DYNAMIC || e == d as i64)
}
