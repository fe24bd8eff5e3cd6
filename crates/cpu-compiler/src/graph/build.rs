//! Adding nodes: equal pure ones are found instead of made.

use super::{Block, BlockId, Graph, Literal, MapOp, Node, NodeId, Op, Value, ValueInfo};
use crate::array_type::ArrayType;
use cpu_vir::ReduceKind;
use std::sync::Arc;

/// What makes two nodes equal. Kernels and control flow are never.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Key {
    op: KeyOp,
    inputs: Vec<Value>,
    ty: Arc<ArrayType>,
}

#[derive(PartialEq, Eq, Hash)]
enum KeyOp {
    Constant(Literal),
    Iota(usize),
    Map(MapOp),
    Broadcast(Vec<usize>),
    View,
    Transpose(Vec<usize>),
    Slice(Vec<usize>, Vec<usize>),
    Reverse(Vec<usize>),
    Pad(Vec<i64>, Vec<usize>),
    Concatenate(usize),
    Reduce(Vec<usize>, ReduceKind, Vec<u8>),
}

impl Op {
    fn key(&self) -> Option<KeyOp> {
        Some(match self {
            Op::Constant(literal) => KeyOp::Constant(literal.clone()),
            Op::Iota(dim) => KeyOp::Iota(*dim),
            Op::Map(op) => KeyOp::Map(*op),
            Op::Broadcast(dims) => KeyOp::Broadcast(dims.clone()),
            Op::View => KeyOp::View,
            Op::Transpose(order) => KeyOp::Transpose(order.clone()),
            Op::Slice { start, stride } => KeyOp::Slice(start.clone(), stride.clone()),
            Op::Reverse(dims) => KeyOp::Reverse(dims.clone()),
            Op::Pad { low, interior } => KeyOp::Pad(low.clone(), interior.clone()),
            Op::Concatenate(dim) => KeyOp::Concatenate(*dim),
            Op::Reduce { dims, kind, init } => KeyOp::Reduce(dims.clone(), *kind, init.clone()),
            _ => return None,
        })
    }
}

impl Graph {
    /// A new block with parameters of these types.
    pub fn new_block(&mut self, parent: Option<BlockId>, parameters: &[Arc<ArrayType>]) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block { parent, ..Block::default() });
        for ty in parameters {
            let node = self.push(id, Op::Parameter, Vec::new(), std::slice::from_ref(ty), false);
            let first = self.node(node).first;
            self.blocks[id.0 as usize].parameters.push(first);
        }
        id
    }

    /// Adds a node as it is.
    pub fn push(
        &mut self,
        block: BlockId,
        op: Op,
        inputs: Vec<Value>,
        results: &[Arc<ArrayType>],
        effect: bool,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let first = Value(self.values.len() as u32);
        self.values.extend(results.iter().map(|ty| ValueInfo { node: id, ty: ty.clone() }));
        self.nodes.push(Node { op, inputs, first, results: results.len() as u32, block, effect });
        self.blocks[block.0 as usize].nodes.push(id);
        id
    }

    /// A pure node of one result: an equal one that is visible from the block, or a new one.
    pub fn pure(&mut self, block: BlockId, op: Op, inputs: Vec<Value>, ty: Arc<ArrayType>) -> Value {
        // Where there are no elements there is nothing to compute.
        if ty.is_empty() && ty.element.is_some() && !matches!(op, Op::Constant(_)) {
            return self.constant(block, &[], false, ty);
        }
        let Some(key) = op.key() else {
            let node = self.push(block, op, inputs, &[ty], false);
            return self.node(node).first;
        };
        let key = Key { op: key, inputs, ty };
        if let Some(&known) = self.known.get(&key)
            && self.encloses(self.node(self.definition(known)).block, block)
        {
            return known;
        }
        let node = self.push(block, op, key.inputs.clone(), std::slice::from_ref(&key.ty), false);
        let value = self.node(node).first;
        self.known.insert(key, value);
        value
    }

    /// A constant.
    pub fn constant(&mut self, block: BlockId, bytes: &[u8], splat: bool, ty: Arc<ArrayType>) -> Value {
        self.pure(block, Op::Constant(Literal { bytes: Arc::from(bytes), splat }), Vec::new(), ty)
    }

    /// Makes a constant of a node of one result, whose elements somebody has computed.
    pub fn replace_by_constant(&mut self, value: Value, literal: Literal) {
        let node = &mut self.nodes[self.values[value.0 as usize].node.0 as usize];
        node.op = Op::Constant(literal);
        node.inputs = Vec::new();
    }
}
