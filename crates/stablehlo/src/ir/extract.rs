//! One op of a program as a program of its own.
//!
//! An engine that compiles most ops hands the others to the evaluator this way. What the op's regions take from
//! around them become further parameters; functions and meshes that it names come along.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::import::Importer;
use super::{Attr, AttrId, BlockId, LocId, Module, NamedAttr, OpCode, OpId, OpSpec, RegionId, StrId, ValueId};

impl Module {
    /// A module whose function `main` is the op: it takes the op's operands, then the values that are also returned
    /// here, which the regions of the op capture, and returns the op's results. Locations are kept as text.
    pub fn extract_op(&self, op: OpId) -> (Module, Vec<ValueId>) {
        let mut target = Module::new();
        let captured = captures(self, op);
        let mut import = Importer::new(self);
        let source = self.op(op);
        let parameters: Vec<ValueId> = source.operands().iter().chain(&captured).copied().collect();
        let inputs: Vec<_> = parameters.iter().map(|&v| import.ty(&mut target, self.value_type(v))).collect();
        let results: Vec<_> = source.result_types().map(|ty| import.ty(&mut target, ty)).collect();
        let (_, body) = target.add_function("main", &inputs, &results);
        // An operand may be there twice, and be captured as well; any of its parameters will do.
        let arguments = target.block(body).args().to_vec();
        let values = parameters.iter().copied().zip(arguments.iter().copied()).collect();
        let mut copy = Copy { source: self, target, import, values, blocks: VecDeque::new(), symbols: Vec::new() };
        let copied = copy.op(op, Some(&arguments[..source.operands().len()]));
        copy.target.append_op(body, copied);
        copy.finish_blocks();
        let outputs = copy.target.op(copied).results().to_vec();
        copy.target.append(body, OpSpec::new(OpCode::FuncReturn).operands(&outputs));
        copy.symbols();
        (copy.target, captured)
    }
}

/// Values defined outside of an op that its regions use, each once.
fn captures(module: &Module, root: OpId) -> Vec<ValueId> {
    // Defined inside, or found already.
    let mut inside: HashMap<ValueId, ()> = HashMap::new();
    let mut found = Vec::new();
    for id in module.walk(root).skip(1) {
        let op = module.op(id);
        // Arguments of a block are met before its ops are.
        if let Some(block) = op.parent_block().filter(|_| op.prev().is_none()) {
            module.block(block).args().iter().for_each(|&v| _ = inside.insert(v, ()));
        }
        for &operand in op.operands() {
            if inside.insert(operand, ()).is_none() {
                found.push(operand);
            }
        }
        op.results().iter().for_each(|&v| _ = inside.insert(v, ()));
    }
    found
}

struct Copy<'s> {
    source: &'s Module,
    target: Module,
    import: Importer<'s>,
    values: HashMap<ValueId, ValueId>,
    blocks: VecDeque<(BlockId, BlockId)>,
    /// Symbols met on the way.
    symbols: Vec<StrId>,
}

impl Copy<'_> {
    /// Copies an op, detached; its blocks are filled by [`Copy::finish_blocks`].
    fn op(&mut self, id: OpId, operands: Option<&[ValueId]>) -> OpId {
        let op = self.source.op(id);
        let operands: Vec<ValueId> = match operands {
            Some(operands) => operands.to_vec(),
            None => op.operands().iter().map(|value| self.values[value]).collect(),
        };
        let attrs: Vec<NamedAttr> = op
            .inherent_attrs()
            .iter()
            .chain(op.discardable_attrs())
            .map(|attr| {
                self.find_symbols(attr.value);
                NamedAttr {
                    name: self.import.str(&mut self.target, attr.name),
                    value: self.import.attr(&mut self.target, attr.value),
                }
            })
            .collect();
        let results: Vec<_> = op.result_types().map(|ty| self.import.ty(&mut self.target, ty)).collect();
        let regions: Vec<RegionId> = op.regions().iter().map(|&region| self.region(region)).collect();
        let loc = self.location(op.loc());
        let spec = match op.code() {
            OpCode::Unknown => OpSpec::unknown(self.target.intern_str(op.name())),
            code => OpSpec::new(code),
        };
        let spec = spec.loc(loc).operands(&operands).results(&results).attrs(&attrs).regions(&regions);
        let copied = self.target.new_op(spec);
        for (from, to) in op.results().iter().zip(self.target.op(copied).results().to_vec()) {
            self.values.insert(*from, to);
        }
        copied
    }

    fn location(&mut self, loc: LocId) -> LocId {
        let text = self.source.loc_text(loc);
        let name = self.target.intern_str(&text);
        self.target.add_loc(super::Loc::Name { name, child: LocId::UNKNOWN })
    }

    fn region(&mut self, id: RegionId) -> RegionId {
        let region = self.target.new_region();
        for from in self.source.region(id).blocks() {
            let types: Vec<_> =
                self.source.block(from).arg_types().map(|ty| self.import.ty(&mut self.target, ty)).collect();
            let to = self.target.new_block(region, &types);
            let arguments = self.target.block(to).args().to_vec();
            for (&old, new) in self.source.block(from).args().iter().zip(arguments) {
                self.values.insert(old, new);
            }
            self.blocks.push_back((from, to));
        }
        region
    }

    fn finish_blocks(&mut self) {
        // Blocks in the order in which they were met: what one captures from another is copied before it.
        while let Some((from, to)) = self.blocks.pop_front() {
            for id in self.source.block(from).ops() {
                let copied = self.op(id, None);
                self.target.append_op(to, copied);
            }
        }
    }

    fn find_symbols(&mut self, attr: AttrId) {
        let mut left = vec![attr];
        while let Some(attr) = left.pop() {
            match self.source.attr(attr) {
                Attr::SymbolRef { root, .. } => self.symbols.push(*root),
                Attr::Array(items) => left.extend_from_slice(items),
                Attr::Dict(entries) => left.extend(entries.iter().map(|entry| entry.value)),
                _ => {}
            }
        }
    }

    /// Brings along the module's ops with the names that were met, and those that they name.
    fn symbols(&mut self) {
        let mut done: Vec<StrId> = Vec::new();
        let table = super::SymbolTable::new(self.source);
        // Meshes are named from within attributes of many forms, and are few.
        let body = self.source.block(self.source.body());
        for op in body.ops().filter(|&op| self.source.op(op).code() == OpCode::SdyMesh) {
            let copied = self.op(op, None);
            let target = self.target.body();
            self.target.append_op(target, copied);
        }
        while let Some(name) = self.symbols.pop() {
            if done.contains(&name) {
                continue;
            }
            done.push(name);
            let Some(op) = table.get(name).filter(|&op| self.source.op(op).code() == OpCode::FuncFunc) else {
                continue;
            };
            let copied = self.op(op, None);
            let target = self.target.body();
            self.target.append_op(target, copied);
            self.finish_blocks();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::{Evaluator, Registry, Tensor};
    use crate::ir::OpCode;

    #[test]
    fn an_op_with_a_region_that_captures_runs_by_itself() {
        let text = r#"func.func @main(%x: tensor<3xi32>, %k: tensor<i32>) -> tensor<i32> {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %r = "stablehlo.reduce"(%x, %zero) ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %m = stablehlo.maximum %b, %k : tensor<i32>
            %s = stablehlo.maximum %a, %m : tensor<i32>
            stablehlo.return %s : tensor<i32>
          }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
          return %r : tensor<i32>
        }"#;
        let module = crate::read_program(text.as_bytes()).unwrap();
        let reduce = module.walk(module.root()).find(|&op| module.op(op).code() == OpCode::Reduce).unwrap();
        let (alone, captured) = module.extract_op(reduce);
        assert_eq!(captured, [module.function("main").unwrap().entry().unwrap().args()[1]]);
        crate::verify::verify(&alone).unwrap();
        let inputs =
            vec![Tensor::from_vec(&[3], vec![1, 2, 3]).into(), Tensor::scalar(0).into(), Tensor::scalar(10).into()];
        let results = Evaluator::new(alone.into(), &Registry::default()).unwrap().run(inputs).unwrap();
        assert_eq!(results[0].as_tensor().unwrap().as_slice::<i32>(), [10]);
    }
}
