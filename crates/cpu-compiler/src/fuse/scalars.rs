//! Functions of scalars as loop programs of one dimension, for kernels that apply them to many elements.

use super::emit::Emitter;
use super::index_map::IndexMap;
use super::lanes::{Lane, storage};
use crate::graph::{Graph, Op, Value};
use cpu_vir::{Access, Inst, OperandId, Program};
use hashbrown::HashSet;

/// The graph's main block as a program: it reads the first `arguments` parameters at its point, then those of the
/// others that are used, whose positions among the others are returned too, and writes the results at its point.
/// `None` when the block does more than element-wise work.
pub(crate) fn scalar_program(graph: &Graph, arguments: usize) -> Option<(Program, Vec<usize>)> {
    let block = graph.block(Graph::MAIN);
    let elementwise = |op: &Op| match op {
        Op::Parameter | Op::Map(_) | Op::Broadcast(_) | Op::View | Op::Transpose(_) | Op::Slice { .. } => true,
        Op::Constant(literal) => literal.splat,
        _ => false,
    };
    if !block.nodes.iter().all(|&id| elementwise(&graph.node(id).op)) {
        return None;
    }
    let inner = block.nodes.iter().filter(|&&id| !matches!(graph.node(id).op, Op::Parameter));
    let members: HashSet<Value> = inner.flat_map(|&id| graph.results(id)).collect();
    let mut emitter = Emitter::new(graph, &members, &[1], 0);
    let at_point = IndexMap { dims: Vec::new(), bounds: None };
    for &parameter in &block.parameters[..arguments] {
        emitter.declare(parameter)?;
    }
    let mut outputs: Vec<(Lane, Value)> = Vec::with_capacity(block.results.len());
    for &result in &block.results {
        outputs.push((emitter.emit(result, &at_point).ok()?, result));
    }
    for (lane, result) in outputs {
        let operand = emitter.builder.output(storage(graph.ty(result).element?));
        let access = Access { operand, offset: 0, strides: vec![1] };
        match lane {
            Lane::One(value) => emitter.builder.store(access, value),
            Lane::Two(value) => emitter.builder.store_complex(access, value),
        }
    }
    let inputs = emitter.inputs.clone();
    let mut program = emitter.builder.finish().ok()?;
    // Arguments are read at the point; they were taken for scalars so far.
    let first: Vec<OperandId> = inputs[..arguments].iter().map(|(_, _, operand)| *operand).collect();
    for inst in &mut program.body {
        if let Inst::Load { access, .. } = inst
            && first.contains(&access.operand)
        {
            access.strides = vec![1];
        }
    }
    let position = |value: &Value| block.parameters[arguments..].iter().position(|parameter| parameter == value);
    let used = inputs[arguments..].iter().map(|(value, _, _)| position(value)).collect::<Option<Vec<_>>>()?;
    Some((program, used))
}
