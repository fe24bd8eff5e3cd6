//! From a verified StableHLO module to a graph: calls are inlined, regions become blocks, and each op becomes a node
//! that says what it computes. What has no node of its own becomes a reference kernel.
//!
//! Works off a stack of open blocks, so that nesting needs no machine stack.

mod calls;
mod chlo;
mod control;
mod convolution;
mod dot;
mod elementwise;
mod indices;
mod kernels;
mod library;
mod movement;
mod patterns;
mod reduction;
mod region;
mod scatter;
mod symbols;
mod threefry;

use crate::array_type::ArrayType;
use crate::custom_call::CustomCalls;
use crate::error::{Error, Result};
use crate::graph::{BlockId, Graph, Op, Value};
use crate::kernel::{Kernel, Reference};
pub use chlo::foreign_op;
use control::Frame;
use hashbrown::HashMap;
pub(crate) use kernels::shape;
use stablehlo::ir::{Module, OpCode, OpId, OpRef, SymbolTable, TypeId, ValueId};
use std::sync::Arc;

/// The function `main` of a module as a graph. The module must have been verified.
pub(crate) fn import(module: &Module, custom_calls: &dyn CustomCalls) -> Result<Graph> {
    let mut importer = Importer {
        module,
        custom_calls,
        symbols: SymbolTable::new(module),
        graph: Graph::default(),
        values: vec![None; module.num_values()],
        types: HashMap::new(),
        block: Graph::MAIN,
        products: HashMap::new(),
        stack: Vec::new(),
        users: None,
        inlined: Vec::new(),
    };
    importer.main()?;
    Ok(importer.graph)
}

pub(crate) struct Importer<'m> {
    module: &'m Module,
    custom_calls: &'m dyn CustomCalls,
    symbols: SymbolTable,
    graph: Graph,
    /// What each value of the module is in the graph, as far as it was met.
    values: Vec<Option<Value>>,
    types: HashMap<TypeId, Arc<ArrayType>>,
    /// Where nodes are added.
    block: BlockId,
    /// Products, which transpositions of their results look for.
    products: HashMap<Value, dot::Product>,
    stack: Vec<Frame>,
    /// Who uses each value of the module, once somebody has asked.
    users: Option<HashMap<ValueId, Vec<OpId>>>,
    /// Functions whose inlining is under way.
    inlined: Vec<OpId>,
}

impl<'m> Importer<'m> {
    fn ty(&mut self, id: TypeId) -> Result<Arc<ArrayType>> {
        if let Some(known) = self.types.get(&id) {
            return Ok(known.clone());
        }
        let ty = Arc::new(ArrayType::of(self.module, id)?);
        self.types.insert(id, ty.clone());
        Ok(ty)
    }

    fn result_type(&mut self, op: OpRef<'m>, index: usize) -> Result<Arc<ArrayType>> {
        self.ty(self.module.value_type(op.results()[index]))
    }

    fn result_types(&mut self, op: OpRef<'m>) -> Result<Vec<Arc<ArrayType>>> {
        op.result_types().map(|ty| self.ty(ty)).collect()
    }

    fn value(&self, id: ValueId) -> Result<Value> {
        self.values[id.index()].ok_or_else(|| Error::internal("a value is used before it is defined"))
    }

    fn users(&mut self) -> &HashMap<ValueId, Vec<OpId>> {
        let module = self.module;
        self.users.get_or_insert_with(|| {
            let mut users: HashMap<ValueId, Vec<OpId>> = HashMap::new();
            for id in module.walk(module.root()) {
                module.op(id).operands().iter().for_each(|&value| users.entry(value).or_default().push(id));
            }
            users
        })
    }

    fn operands(&self, op: OpRef<'_>) -> Result<Vec<Value>> {
        op.operands().iter().map(|&value| self.value(value)).collect()
    }

    fn bind(&mut self, names: &[ValueId], values: &[Value]) {
        for (name, &value) in names.iter().zip(values) {
            self.values[name.index()] = Some(value);
        }
    }

    /// Adds a pure node of one result.
    fn pure(&mut self, op: Op, inputs: Vec<Value>, ty: Arc<ArrayType>) -> Value {
        self.graph.pure(self.block, op, inputs, ty)
    }

    /// Adds a kernel node; returns its results.
    fn kernel(
        &mut self,
        kernel: Arc<dyn Kernel>,
        inputs: Vec<Value>,
        results: &[Arc<ArrayType>],
        effect: bool,
    ) -> Vec<Value> {
        let node = self.graph.push(self.block, Op::Kernel(kernel), inputs, results, effect);
        self.graph.results(node).collect()
    }

    /// A scalar repeated to a shape.
    fn spread(&mut self, scalar: Value, dims: &[usize]) -> Value {
        let ty = Arc::new(ArrayType { element: self.graph.ty(scalar).element, dims: dims.to_vec() });
        self.graph.broadcast(self.block, scalar, Vec::new(), ty)
    }

    /// One op that is no terminator. It may open blocks, which are worked off before the next op.
    fn op(&mut self, op: OpRef<'m>) -> Result<()> {
        if matches!(op.code(), OpCode::FuncFunc | OpCode::SdyMesh | OpCode::SdyShardingGroup) {
            return Ok(());
        }
        if self.open(op)? {
            return Ok(());
        }
        let families = [
            Self::elementwise,
            Self::movement,
            Self::reduction,
            Self::dot,
            Self::kernels,
            Self::library,
            Self::chlo,
            Self::call,
        ];
        for family in families {
            if let Some(results) = family(self, op)? {
                self.bind(op.results(), &results);
                return Ok(());
            }
        }
        let results = self.reference(op)?;
        self.bind(op.results(), &results);
        Ok(())
    }

    /// The op as the evaluator does it.
    fn reference(&mut self, op: OpRef<'m>) -> Result<Vec<Value>> {
        let (reference, takes) = Reference::new(self.module, op.id())?;
        let inputs = takes.iter().map(|&value| self.value(value)).collect::<Result<Vec<_>>>()?;
        let results = self.result_types(op)?;
        let effect = matches!(op.code(), OpCode::Rng | OpCode::Send | OpCode::Recv | OpCode::Infeed | OpCode::Outfeed)
            || matches!(op.code(), OpCode::CustomCall);
        Ok(self.kernel(Arc::new(reference), inputs, &results, effect))
    }
}
