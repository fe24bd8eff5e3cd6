//! From a module to a [`Program`]: one routine for each function that is called and each function-like region.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashMap;

use super::captures::captures;
use super::liveness::Liveness;
use super::{Action, Block, BlockIndex, Instruction, Lift, Operand, Program, RegionFunction, Routine, RoutineId, Slot};
use crate::eval::bind::{self, Binder, Structure};
use crate::eval::error::{EvalError, OpError};
use crate::eval::ops::binary::BinaryOp;
use crate::eval::registry::Registry;
use crate::ir::{BlockId, Module, OpId, OpRef, RegionId, SymbolTable, Type, ValueId};

/// Prepares the function `main` and everything it reaches.
pub(crate) fn build(module: Arc<Module>, registry: &Registry) -> Result<Program, EvalError> {
    let entry = module.function("main").ok_or_else(|| {
        EvalError::invalid("the program has no function `main`; evaluation starts there, so name the entry function so")
    })?;
    let mut queue = Queue::new(&module);
    let main = queue.function(entry.op().id());
    let liveness = Liveness::new(&module);
    let mut routines = Vec::new();
    while let Some(source) = queue.pending.pop_front() {
        let builder = RoutineBuilder {
            module: &module,
            liveness: &liveness,
            registry,
            queue: &mut queue,
            slots: HashMap::new(),
            blocks: Vec::new(),
            pending: VecDeque::new(),
        };
        routines.push(builder.build(source)?);
    }
    settle_liftable(&mut routines);
    Ok(Program { routines, main, module })
}

/// What a routine is made from.
enum Source {
    Function(OpId),
    Region { op: OpId, region: RegionId, captures: Vec<ValueId> },
}

/// Routines asked for, in order of their ids.
struct Queue<'m> {
    module: &'m Module,
    symbols: SymbolTable,
    functions: HashMap<OpId, RoutineId>,
    pending: VecDeque<Source>,
    count: usize,
}

impl<'m> Queue<'m> {
    fn new(module: &'m Module) -> Queue<'m> {
        let symbols = SymbolTable::new(module);
        Queue { module, symbols, functions: HashMap::new(), pending: VecDeque::new(), count: 0 }
    }

    fn push(&mut self, source: Source) -> RoutineId {
        self.pending.push_back(source);
        self.count += 1;
        self.count - 1
    }

    fn function(&mut self, op: OpId) -> RoutineId {
        if let Some(&id) = self.functions.get(&op) {
            return id;
        }
        let id = self.push(Source::Function(op));
        self.functions.insert(op, id);
        id
    }

    fn symbol(&mut self, name: &str) -> Result<RoutineId, OpError> {
        let unknown = || OpError::invalid(format!("there is no function @{name} in the module"));
        // Symbols are few and calls are bound once, so a scan by text is enough.
        let function = self.module.functions().find(|f| f.name() == name).ok_or_else(unknown)?;
        let op = match function.op().attr("sym_name") {
            Some(crate::ir::Attr::String(id)) => self.symbols.get(*id).ok_or_else(unknown)?,
            _ => return Err(unknown()),
        };
        Ok(self.function(op))
    }
}

struct RoutineBuilder<'b, 'm> {
    module: &'m Module,
    liveness: &'b Liveness,
    registry: &'b Registry,
    queue: &'b mut Queue<'m>,
    slots: HashMap<ValueId, Slot>,
    blocks: Vec<Block>,
    pending: VecDeque<(BlockIndex, BlockId)>,
}

impl<'m> RoutineBuilder<'_, 'm> {
    fn build(mut self, source: Source) -> Result<Routine, EvalError> {
        let (op, region, captured) = match source {
            Source::Function(op) => {
                let region = self.module.op(op).regions().first().copied();
                let declared = || {
                    let name = self.module.as_function(op).map_or("", |f| f.name());
                    EvalError::invalid(format!(
                        "function @{name} is only declared; link its definition into the module"
                    ))
                };
                (
                    op,
                    region.filter(|&r| self.module.region(r).first_block().is_some()).ok_or_else(declared)?,
                    Vec::new(),
                )
            }
            Source::Region { op, region, captures } => (op, region, captures),
        };
        let entry = self.block(self.module.op(op), region)?;
        debug_assert_eq!(entry, 0);
        let block_args = self.module.block(self.pending[0].1).args();
        let parameters: Vec<ValueId> = block_args.iter().chain(&captured).copied().collect();
        let captured_slots: Vec<Slot> = parameters.iter().map(|&v| self.slot(v)).collect();
        let mut liftable = parameters.iter().all(|&v| is_scalar(self.module, v));
        while let Some((index, block)) = self.pending.pop_front() {
            liftable &= self.fill(index, block)?;
        }
        self.blocks[0].arguments = captured_slots;
        let binary = self.single_binary();
        let is_second = self.blocks[0].instructions.is_empty()
            && self.blocks[0].arguments.len() == 2
            && self.blocks[0].results.iter().map(|r| r.slot).eq([self.blocks[0].arguments[1]]);
        Ok(Routine { slots: self.slots.len(), blocks: self.blocks, liftable, binary, is_second })
    }

    fn slot(&mut self, value: ValueId) -> Slot {
        let next = self.slots.len() as Slot;
        *self.slots.entry(value).or_insert(next)
    }

    /// Reserves the place of a region's only block.
    fn block(&mut self, op: OpRef<'m>, region: RegionId) -> Result<BlockIndex, EvalError> {
        let mut blocks = self.module.region(region).blocks();
        match (blocks.next(), blocks.next()) {
            (Some(block), None) => {
                self.blocks.push(Block::default());
                self.pending.push_back((self.blocks.len() - 1, block));
                Ok(self.blocks.len() - 1)
            }
            _ => Err(EvalError::at(op, OpError::invalid("each region must have exactly one block"))),
        }
    }

    /// Fills in a block; returns whether everything in it is liftable.
    fn fill(&mut self, index: BlockIndex, id: BlockId) -> Result<bool, EvalError> {
        let block = self.module.block(id);
        let arguments: Vec<Slot> = block.args().iter().map(|&v| self.slot(v)).collect();
        let dead_arguments = block
            .args()
            .iter()
            .zip(&arguments)
            .filter(|(v, _)| self.liveness.is_unused(**v))
            .map(|(_, &s)| s)
            .collect();
        let mut liftable = block.args().iter().all(|&v| is_scalar(self.module, v));
        let (mut instructions, mut results) = (Vec::new(), Vec::new());
        for id in block.ops() {
            let op = self.module.op(id);
            if op.code().is_terminator() {
                results = self.operands(op, op.operands(), false)?;
                break;
            }
            if bind::is_declaration(op.code()) {
                continue;
            }
            let instruction = self.instruction(op)?;
            liftable &= match &instruction.action {
                Action::Kernel(kernel) => {
                    kernel.lift != Lift::Never && op.results().iter().all(|&v| is_scalar(self.module, v))
                }
                Action::Call(_) => op.results().iter().all(|&v| is_scalar(self.module, v)),
                _ => false,
            };
            instructions.push(instruction);
        }
        self.blocks[index] = Block { arguments, dead_arguments, instructions, results };
        Ok(liftable)
    }

    fn instruction(&mut self, op: OpRef<'m>) -> Result<Instruction, EvalError> {
        let fail = |error| EvalError::at(op, error);
        let mut uses = op.operands().to_vec();
        let action = match bind::structure(op).map_err(fail)? {
            Structure::While => match *op.regions() {
                [condition, body] => {
                    Action::While { condition: self.block(op, condition)?, body: self.block(op, body)? }
                }
                _ => return Err(fail(OpError::invalid("needs two regions"))),
            },
            Structure::Branch => {
                let blocks = op.regions().iter().map(|&r| self.block(op, r));
                Action::Branch(blocks.collect::<Result<_, _>>()?)
            }
            Structure::Inline => match *op.regions() {
                [region] => Action::Inline(self.block(op, region)?),
                _ => return Err(fail(OpError::invalid("needs one region"))),
            },
            Structure::Call(symbol) => Action::Call(self.queue.symbol(symbol).map_err(fail)?),
            Structure::Kernel => {
                let mut regions = Vec::new();
                for &region in op.regions() {
                    let captured = captures(self.module, region);
                    let range = uses.len()..uses.len() + captured.len();
                    uses.extend(&captured);
                    let routine = self.queue.push(Source::Region { op: op.id(), region, captures: captured });
                    regions.push(RegionFunction { routine, captures: range });
                }
                let queue = &mut *self.queue;
                let binder = Binder {
                    op,
                    expressed: false,
                    regions,
                    registry: self.registry,
                    symbol: &mut |name| queue.symbol(name),
                };
                Action::Kernel(bind::kernel(binder).map_err(fail)?)
            }
        };
        let structural = !matches!(action, Action::Kernel(_));
        let operands = self.operands(op, &uses, structural)?;
        let results: Vec<Slot> = op.results().iter().map(|&v| self.slot(v)).collect();
        let unused = op.results().iter().filter(|&&v| self.liveness.is_unused(v));
        let mut dead_after: Vec<Slot> = unused.map(|v| self.slots[v]).collect();
        if structural {
            dead_after.extend(self.liveness.dying_inside(op.id()).iter().filter_map(|v| self.slots.get(v)));
        }
        Ok(Instruction { op: op.id(), operands, results, dead_after, action })
    }

    fn operands(&mut self, op: OpRef<'m>, uses: &[ValueId], structural: bool) -> Result<Vec<Operand>, EvalError> {
        let operand = |(i, &value): (usize, &ValueId)| {
            let slot = self.slots.get(&value).copied().ok_or_else(|| {
                EvalError::at(op, OpError::invalid("uses a value that is not defined before it, or not visible here"))
            })?;
            // Blocks inside a structural op share the environment, so what they use stays until after the op.
            let needed_inside = structural && self.liveness.is_used_inside(op.id(), value);
            let last = self.liveness.is_last_user(op.id(), value) && !uses[i + 1..].contains(&value) && !needed_inside;
            Ok(Operand { slot, last })
        };
        uses.iter().enumerate().map(operand).collect()
    }

    fn single_binary(&self) -> Option<BinaryOp> {
        let [block] = self.blocks.as_slice() else { return None };
        let ([a, b], [instruction], [result]) =
            (block.arguments.as_slice(), block.instructions.as_slice(), block.results.as_slice())
        else {
            return None;
        };
        let Action::Kernel(kernel) = &instruction.action else { return None };
        let op = kernel.binary?;
        let used: Vec<Slot> = instruction.operands.iter().map(|o| o.slot).collect();
        let in_order = used == [*a, *b] || (used == [*b, *a] && op.is_commutative());
        (in_order && a != b && instruction.results == [result.slot]).then_some(op)
    }
}

fn is_scalar(module: &Module, value: ValueId) -> bool {
    matches!(module.ty(module.value_type(value)), Type::Tensor(tensor) if tensor.rank() == 0)
}

/// A routine that calls another is liftable only if that one is.
fn settle_liftable(routines: &mut [Routine]) {
    loop {
        let blocked = (0..routines.len()).find(|&i| {
            let instructions = routines[i].blocks.iter().flat_map(|b| &b.instructions);
            let mut calls = instructions.filter_map(|x| if let Action::Call(r) = x.action { Some(r) } else { None });
            routines[i].liftable && calls.any(|r| r == i || !routines[r].liftable)
        });
        match blocked {
            Some(i) => routines[i].liftable = false,
            None => return,
        }
    }
}
