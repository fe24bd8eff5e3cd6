//! The graph: what a program computes, after calls are inlined and before it is decided how.
//!
//! Nodes stand in blocks, in an order that respects uses and effects. A block may use values of the blocks around it.
//! Equal pure nodes are one node, and simplifications that change no bit have been made while building.

mod build;
mod map_op;
mod simplify;

pub(crate) use map_op::MapOp;

use crate::array_type::ArrayType;
use crate::kernel::Kernel;
use cpu_vir::ReduceKind;
use hashbrown::HashMap;
use std::sync::Arc;

/// A value: one result of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Value(pub u32);

/// Position in [`Graph::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(pub u32);

/// Position in [`Graph::blocks`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct BlockId(pub u32);

/// The elements of a constant: all of them, or one that all are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Literal {
    pub bytes: Arc<[u8]>,
    pub splat: bool,
}

/// What a node computes.
#[derive(Clone)]
pub(crate) enum Op {
    /// A parameter of its block.
    Parameter,
    Constant(Literal),
    /// The index along a dimension.
    Iota(usize),
    /// Element by element, on operands of the result's shape.
    Map(MapOp),
    /// Which dimension of the result each dimension of the operand becomes; operand sizes equal the result's.
    Broadcast(Vec<usize>),
    /// The same bytes under another type.
    View,
    Transpose(Vec<usize>),
    Slice {
        start: Vec<usize>,
        stride: Vec<usize>,
    },
    Reverse(Vec<usize>),
    /// Operands: the array, the value around it.
    Pad {
        low: Vec<i64>,
        interior: Vec<usize>,
    },
    Concatenate(usize),
    /// Combines over dimensions, and once with an element of these bytes.
    Reduce {
        dims: Vec<usize>,
        kind: ReduceKind,
        init: Vec<u8>,
    },
    /// Anything that runs on whole arrays.
    Kernel(Arc<dyn Kernel>),
    /// Operands are the first state, results the last. If `rotated`, the condition is for the first state only, and
    /// the last result of the body says whether there is another turn.
    While {
        condition: BlockId,
        body: BlockId,
        rotated: bool,
    },
    /// Operand 0 chooses the block: a boolean (block 0 when true) or a clamped index.
    Case(Vec<BlockId>),
}

impl Op {
    /// The blocks that belong to it.
    pub fn blocks(&self) -> Vec<BlockId> {
        match self {
            Op::While { condition, body, .. } => vec![*condition, *body],
            Op::Case(branches) => branches.clone(),
            _ => Vec::new(),
        }
    }
}

/// One computation.
pub(crate) struct Node {
    pub op: Op,
    pub inputs: Vec<Value>,
    /// The first of its results, which follow each other.
    pub first: Value,
    pub results: u32,
    pub block: BlockId,
    /// Whether it must run even if nobody uses its results, and in order with others of its kind.
    pub effect: bool,
}

/// A straight line of nodes.
#[derive(Default)]
pub(crate) struct Block {
    pub parent: Option<BlockId>,
    pub parameters: Vec<Value>,
    pub nodes: Vec<NodeId>,
    pub results: Vec<Value>,
}

struct ValueInfo {
    node: NodeId,
    ty: Arc<ArrayType>,
}

/// A whole program.
#[derive(Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    pub blocks: Vec<Block>,
    values: Vec<ValueInfo>,
    known: HashMap<build::Key, Value>,
}

impl Graph {
    /// The block that a run starts with.
    pub const MAIN: BlockId = BlockId(0);

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// The node that a value is a result of.
    pub fn definition(&self, value: Value) -> NodeId {
        self.values[value.0 as usize].node
    }

    /// The op of the node that a value is a result of.
    pub fn op(&self, value: Value) -> &Op {
        &self.node(self.definition(value)).op
    }

    /// The operands of the node that a value is a result of.
    pub fn inputs(&self, value: Value) -> &[Value] {
        &self.node(self.definition(value)).inputs
    }

    /// The operands of a value that this element-wise operation makes; `None` for other values.
    pub fn mapped(&self, value: Value, wanted: MapOp) -> Option<&[Value]> {
        matches!(self.op(value), Op::Map(op) if *op == wanted).then(|| self.inputs(value))
    }

    pub fn ty(&self, value: Value) -> &Arc<ArrayType> {
        &self.values[value.0 as usize].ty
    }

    pub fn results(&self, id: NodeId) -> impl ExactSizeIterator<Item = Value> + use<> {
        let node = self.node(id);
        (node.first.0..node.first.0 + node.results).map(Value)
    }

    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// The elements of a constant value.
    pub fn literal(&self, value: Value) -> Option<&Literal> {
        match self.op(value) {
            Op::Constant(literal) => Some(literal),
            _ => None,
        }
    }

    /// Whether `outer` is `inner` or around it.
    pub fn encloses(&self, outer: BlockId, inner: BlockId) -> bool {
        let mut block = Some(inner);
        while let Some(id) = block {
            if id <= outer {
                return id == outer;
            }
            block = self.block(id).parent;
        }
        false
    }
}
