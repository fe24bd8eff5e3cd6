//! How often loops turn, where the program says it: a counter from one constant to another.

use crate::graph::{BlockId, Graph, MapOp, NodeId, Op, Value};
use cpu_vir::{BinaryOp, Direction};
use stablehlo::ElementType;

/// The number of turns of a loop, if a counter with constant bounds and step ends it.
pub(super) fn trips(graph: &Graph, node: NodeId) -> Option<u64> {
    let Op::While { condition, body, .. } = graph.node(node).op else { return None };
    let test = *graph.block(condition).results.first()?;
    let Op::Map(MapOp::Compare { direction, .. }) = *graph.op(test) else { return None };
    let &[left, right] = graph.inputs(test) else { return None };
    let (counter, limit, direction) = match (parameter(graph, condition, left), integer(graph, right)) {
        (Some(counter), Some(limit)) => (counter, limit, direction),
        _ => (parameter(graph, condition, right)?, integer(graph, left)?, mirrored(direction)),
    };
    let first = integer(graph, *graph.node(node).inputs.get(counter)?)?;
    let next = *graph.block(body).results.get(counter)?;
    let &[a, b] = graph.mapped(next, MapOp::Binary(BinaryOp::Add))? else { return None };
    let step = match (parameter(graph, body, a), parameter(graph, body, b)) {
        (Some(index), _) if index == counter => integer(graph, b)?,
        (_, Some(index)) if index == counter => integer(graph, a)?,
        _ => return None,
    };
    let (distance, step) = match direction {
        Direction::Lt => (limit - first, step),
        Direction::Le => (limit - first + 1, step),
        Direction::Gt => (first - limit, -step),
        Direction::Ge => (first - limit + 1, -step),
        Direction::Eq | Direction::Ne => return None,
    };
    // A counter that goes the other way wraps around first.
    let turns = if distance <= 0 {
        0
    } else if step > 0 {
        (distance + step - 1) / step
    } else {
        return None;
    };
    u64::try_from(turns).ok()
}

/// Which parameter of a block a value is.
fn parameter(graph: &Graph, block: BlockId, value: Value) -> Option<usize> {
    graph.block(block).parameters.iter().position(|&parameter| parameter == value)
}

/// A constant of a single integer; wide enough for sums of them.
fn integer(graph: &Graph, value: Value) -> Option<i128> {
    let literal = graph.literal(value)?;
    match (graph.ty(value).element?, &*literal.bytes) {
        (ElementType::I32, &[a, b, c, d]) => Some(i32::from_le_bytes([a, b, c, d]).into()),
        (ElementType::I64, bytes) => Some(i64::from_le_bytes(bytes.try_into().ok()?).into()),
        _ => None,
    }
}

/// The comparison with its sides exchanged.
fn mirrored(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Le => Direction::Ge,
        Direction::Gt => Direction::Lt,
        Direction::Ge => Direction::Le,
        same => same,
    }
}
