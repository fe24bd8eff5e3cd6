//! Control flow: functions, loops, branches. Opens blocks and closes them.

use super::Importer;
use crate::error::{Error, Result};
use crate::graph::{BlockId, Graph, Op, Value};
use stablehlo::ir::{Attr, BlockRef, Module, OpCode, OpId, OpRef, ValueId};

/// A block of the module that is being imported.
pub(super) struct Frame {
    next: Option<OpId>,
    /// Where nodes go again when it is done.
    back: BlockId,
    purpose: Purpose,
}

/// What happens with the values that the block returns.
enum Purpose {
    /// They are the results of the program.
    Main,
    /// They are the results of the op whose block this is.
    Inline {
        op: OpId,
    },
    Condition {
        op: OpId,
        carried: Vec<usize>,
        condition: BlockId,
    },
    Body {
        op: OpId,
        carried: Vec<usize>,
        condition: BlockId,
        body: BlockId,
    },
    /// The condition again, on what the body has made.
    Again {
        op: OpId,
        carried: Vec<usize>,
        condition: BlockId,
        body: BlockId,
        results: Vec<Value>,
    },
    Branch {
        op: OpId,
        done: Vec<BlockId>,
    },
}

impl<'m> Importer<'m> {
    /// Imports the whole program.
    pub(super) fn main(&mut self) -> Result<()> {
        let module = self.module;
        let main = module.function("main").ok_or_else(|| Error::invalid("the program has no function `main`"))?;
        let entry = main.entry().ok_or_else(|| Error::invalid("the function `main` has no body"))?;
        let types = main.input_types().iter().map(|&ty| self.ty(ty)).collect::<Result<Vec<_>>>()?;
        let block = self.graph.new_block(None, &types);
        let parameters = self.graph.block(block).parameters.clone();
        self.bind(entry.args(), &parameters);
        self.inlined.push(main.op().id());
        self.import_block(entry)
    }

    /// Imports a block and all that it opens; what it returns are the results of the graph.
    pub(super) fn import_block(&mut self, block: BlockRef<'m>) -> Result<()> {
        let module = self.module;
        self.stack.push(Frame { next: block.first_op(), back: Graph::MAIN, purpose: Purpose::Main });
        while let Some(frame) = self.stack.last_mut() {
            let Some(id) = frame.next else {
                return Err(Error::invalid("a block ends without a terminator"));
            };
            let op = module.op(id);
            if op.code().is_terminator() {
                let results = self.operands(op)?;
                if let Some(frame) = self.stack.pop() {
                    self.block = frame.back;
                    self.close(frame.purpose, &results)?;
                }
                continue;
            }
            frame.next = op.next();
            self.op(op).map_err(|error| if error.message.contains(op.name()) { error } else { error.at(op) })?;
        }
        Ok(())
    }

    fn enter(&mut self, op: OpRef<'m>, region: usize, block: BlockId, purpose: Purpose) -> Result<()> {
        let source = op.region_block(region).ok_or_else(|| Error::invalid("a region has no block").at(op))?;
        let back = std::mem::replace(&mut self.block, block);
        self.stack.push(Frame { next: source.first_op(), back, purpose });
        Ok(())
    }

    /// Opens the blocks of an op that is control flow; false if it is none.
    pub(super) fn open(&mut self, op: OpRef<'m>) -> Result<bool> {
        match op.code() {
            OpCode::FuncCall => self.open_call(op, op.symbol("callee")?)?,
            OpCode::Composite => match self.elementary(op, op.string("name")?)? {
                Some(result) => self.bind(op.results(), &[result]),
                None => self.open_call(op, op.symbol("decomposition")?)?,
            },
            OpCode::SdyNamedComputation | OpCode::SdyManualComputation => {
                let arguments = op.region_block(0).map_or(&[][..], |block| block.args());
                let devices = self.devices();
                if op.code() == OpCode::SdyManualComputation && devices > 1 {
                    return Err(Error::unsupported(format!(
                        "a manual computation over {devices} devices; run the program on one device"
                    )));
                }
                let same = op.operand_types().eq(arguments.iter().map(|&value| self.module.value_type(value)));
                if !same {
                    return Err(Error::unsupported(
                        "a manual computation over several devices: its blocks have other shapes than its arrays; \
                         run the program on one device",
                    ));
                }
                let operands = self.operands(op)?;
                self.bind(arguments, &operands);
                self.enter(op, 0, self.block, Purpose::Inline { op: op.id() })?;
            }
            OpCode::While => match self.threefry(op)? {
                Some(results) => {
                    op.results().iter().zip(results).for_each(|(name, value)| self.values[name.index()] = value);
                }
                None => self.open_while(op)?,
            },
            OpCode::If | OpCode::Case => {
                let block = self.graph.new_block(Some(self.block), &[]);
                self.enter(op, 0, block, Purpose::Branch { op: op.id(), done: vec![block] })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Replicas times partitions that the program is for.
    fn devices(&self) -> i64 {
        let root = self.module.op(self.module.root());
        let count = |name: &str| match root.attr(name) {
            Some(Attr::Integer { value, .. }) => *value,
            _ => 1,
        };
        count("mhlo.num_replicas").saturating_mul(count("mhlo.num_partitions"))
    }

    fn open_call(&mut self, op: OpRef<'m>, name: &str) -> Result<()> {
        let module = self.module;
        let callee = module.find_str(name).and_then(|name| self.symbols.get(name));
        let function = callee.and_then(|id| module.as_function(id));
        let entry = function.and_then(|function| function.entry());
        let (Some(callee), Some(entry)) = (callee, entry) else {
            return Err(Error::invalid(format!("there is no function @{name} with a body in the module")).at(op));
        };
        if self.inlined.contains(&callee) {
            return Err(Error::invalid(format!("function @{name} calls itself; StableHLO has no recursion")).at(op));
        }
        self.inlined.push(callee);
        let operands = self.operands(op)?;
        self.bind(entry.args(), &operands);
        let purpose = Purpose::Inline { op: op.id() };
        self.stack.push(Frame { next: entry.first_op(), back: self.block, purpose });
        Ok(())
    }

    fn open_while(&mut self, op: OpRef<'m>) -> Result<()> {
        let module = self.module;
        let missing = || Error::invalid("a loop without condition or body").at(op);
        let (condition, body) = (op.region_block(0).ok_or_else(missing)?, op.region_block(1).ok_or_else(missing)?);
        let returned = body.terminator().ok_or_else(missing)?.operands();
        let operands = self.operands(op)?;
        // What the body hands on as it is needs no place in the state.
        let unchanged = |index: usize| returned[index] == body.args()[index];
        let (kept, carried): (Vec<usize>, Vec<usize>) = (0..operands.len()).partition(|&index| unchanged(index));
        for index in kept {
            let value = Some(operands[index]);
            for name in [condition.args()[index], body.args()[index], op.results()[index]] {
                self.values[name.index()] = value;
            }
        }
        let types = carried.iter().map(|&index| self.ty(module.value_type(op.operands()[index])));
        let types = types.collect::<Result<Vec<_>>>()?;
        let block = self.graph.new_block(Some(self.block), &types);
        self.bind_parameters(condition.args(), &carried, block);
        self.enter(op, 0, block, Purpose::Condition { op: op.id(), carried, condition: block })
    }

    fn bind_parameters(&mut self, names: &[ValueId], carried: &[usize], block: BlockId) {
        let parameters = self.graph.block(block).parameters.clone();
        let names: Vec<ValueId> = carried.iter().map(|&index| names[index]).collect();
        self.bind(&names, &parameters);
    }

    fn close(&mut self, purpose: Purpose, results: &[Value]) -> Result<()> {
        let module = self.module;
        match purpose {
            Purpose::Main => self.graph.blocks[0].results = results.to_vec(),
            Purpose::Inline { op } => {
                if module.op(op).regions().is_empty() {
                    self.inlined.pop();
                }
                self.bind(module.op(op).results(), results);
            }
            Purpose::Condition { op, carried, condition } => {
                self.graph.blocks[condition.0 as usize].results = results.to_vec();
                let op = module.op(op);
                let parameters = self.graph.block(condition).parameters.clone();
                let types: Vec<_> = parameters.iter().map(|&value| self.graph.ty(value).clone()).collect();
                let body = self.graph.new_block(Some(self.block), &types);
                let names = op.region_block(1).map_or(&[][..], |block| block.args());
                self.bind_parameters(names, &carried, body);
                self.enter(op, 1, body, Purpose::Body { op: op.id(), carried, condition, body })?;
            }
            Purpose::Body { op: id, carried, condition, body } => {
                let op = module.op(id);
                let results: Vec<Value> = carried.iter().map(|&index| results[index]).collect();
                let Some(test) = op.region_block(0).filter(|block| is_plain(module, *block)) else {
                    return self.loop_node(op, &carried, condition, body, results, false);
                };
                let names: Vec<ValueId> = carried.iter().map(|&index| test.args()[index]).collect();
                self.bind(&names, &results);
                self.enter(op, 0, body, Purpose::Again { op: id, carried, condition, body, results })?;
            }
            Purpose::Again { op, carried, condition, body, results: mut state } => {
                state.push(results[0]);
                self.loop_node(module.op(op), &carried, condition, body, state, true)?;
            }
            Purpose::Branch { op, mut done } => {
                if let Some(&last) = done.last() {
                    self.graph.blocks[last.0 as usize].results = results.to_vec();
                }
                let op = module.op(op);
                if done.len() < op.regions().len() {
                    let block = self.graph.new_block(Some(self.block), &[]);
                    let region = done.len();
                    done.push(block);
                    return self.enter(op, region, block, Purpose::Branch { op: op.id(), done });
                }
                let choice = self.value(op.operands()[0])?;
                let types = self.result_types(op)?;
                let effect = done.iter().any(|&block| self.has_effect(block));
                let node = self.graph.push(self.block, Op::Case(done), vec![choice], &types, effect);
                let values: Vec<Value> = self.graph.results(node).collect();
                self.bind(op.results(), &values);
            }
        }
        Ok(())
    }

    fn loop_node(
        &mut self,
        op: OpRef<'m>,
        carried: &[usize],
        condition: BlockId,
        body: BlockId,
        results: Vec<Value>,
        rotated: bool,
    ) -> Result<()> {
        self.graph.blocks[body.0 as usize].results = results;
        let inputs: Vec<Value> =
            carried.iter().map(|&index| self.value(op.operands()[index])).collect::<Result<_>>()?;
        let types: Vec<_> = inputs.iter().map(|&value| self.graph.ty(value).clone()).collect();
        let effect = self.has_effect(condition) || self.has_effect(body);
        let node = self.graph.push(self.block, Op::While { condition, body, rotated }, inputs, &types, effect);
        let names: Vec<ValueId> = carried.iter().map(|&index| op.results()[index]).collect();
        let values: Vec<Value> = self.graph.results(node).collect();
        self.bind(&names, &values);
        Ok(())
    }

    fn has_effect(&self, block: BlockId) -> bool {
        self.graph.block(block).nodes.iter().any(|&node| self.graph.node(node).effect)
    }
}

/// Conditions of more ops than this are not repeated.
const MOST_REPEATED: usize = 40;

/// Whether a condition is short and without blocks of its own, so that it may stand in the body once more.
fn is_plain(module: &Module, block: BlockRef<'_>) -> bool {
    let plain = |id: OpId| {
        let op = module.op(id);
        op.regions().is_empty() && !matches!(op.code(), OpCode::FuncCall | OpCode::Composite | OpCode::CustomCall)
    };
    block.ops().count() <= MOST_REPEATED && block.ops().all(plain)
}
