//! Folding: what follows from constants alone is computed once, while compiling, by the engine itself, so that no bit
//! can differ from what a run would have given.
//!
//! Indices (`iota`) and repetitions cost nothing inside of loops and are left there.

use crate::array_type::ArrayType;
use crate::error::Result;
use crate::executable::Launch;
use crate::graph::{Graph, Literal, NodeId, Op, Value};
use crate::plan::plan;
use crate::run::run;
use cpu_runtime::{Budget, FlushDenormals, Pool};
use hashbrown::HashMap;
use std::sync::Arc;

/// Nothing larger is folded, in bytes.
const LARGEST: usize = 64 << 10;
/// Nothing larger that is computed from indices, in bytes: loops compute it as fast as they read it.
const LARGEST_OF_INDICES: usize = 1 << 10;
/// Elements that all foldable nodes of a program may compute together.
const MOST_ELEMENTS: usize = 1 << 20;
/// A kernel that takes longer is not run while compiling, in nanoseconds.
const LONGEST: u64 = 100_000;

/// What is known of a value while compiling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// All elements are one, which is computed as a scalar.
    Splat,
    /// Every element.
    Whole { indices: bool },
}

/// Replaces nodes that follow from constants by constants.
///
/// # Errors
/// If the plan of the foldable part fails, which is an error of the program as well.
pub(crate) fn fold(graph: &mut Graph) -> Result<()> {
    let known = known(graph);
    let wanted = wanted(graph, &known);
    if wanted.is_empty() {
        return Ok(());
    }
    let (part, types) = part(graph, &known, &wanted);
    let plan = plan(&part, &[], &types, &[], None, false)?;
    let (pool, budget) = (Pool::new(1), Budget::new(usize::MAX));
    let mode = FlushDenormals::on_this_thread();
    let results = run(&plan, Launch::new(Vec::new(), &pool, &budget))?;
    drop(mode);
    for (&value, block) in wanted.iter().zip(&results) {
        let (bytes, width) = (block.bytes(), graph.ty(value).width());
        let splat = bytes.chunks_exact(width).all(|element| *element == bytes[..width]);
        let bytes = Arc::from(if splat { &bytes[..width] } else { bytes });
        graph.replace_by_constant(value, Literal { bytes, splat });
    }
    Ok(())
}

/// What is known of each value, by its number.
fn known(graph: &Graph) -> Vec<Option<Known>> {
    let mut known = vec![None; graph.num_values()];
    let mut budget = MOST_ELEMENTS;
    // Operands are made before what uses them.
    for node in &graph.nodes {
        let foldable = match &node.op {
            Op::Parameter | Op::While { .. } | Op::Case(_) => false,
            Op::Kernel(kernel) => kernel.is_function() && kernel.nanoseconds() <= LONGEST,
            _ => true,
        };
        if !foldable || node.effect || node.results != 1 {
            continue;
        }
        let ty = graph.ty(node.first);
        let inputs: Option<Vec<Known>> = node.inputs.iter().map(|input| known[input.0 as usize]).collect();
        let Some(inputs) = inputs else { continue };
        let splat = inputs.iter().all(|&input| input == Known::Splat);
        let indices = matches!(node.op, Op::Iota(_)) || inputs.contains(&Known::Whole { indices: true });
        let what = match &node.op {
            Op::Constant(literal) if literal.splat => Known::Splat,
            Op::Constant(_) => Known::Whole { indices: false },
            Op::Map(_) | Op::Broadcast(_) | Op::Transpose(_) | Op::Slice { .. } | Op::Reverse(_) if splat => {
                Known::Splat
            }
            _ => Known::Whole { indices },
        };
        let limit = if indices { LARGEST_OF_INDICES } else { LARGEST };
        let (fits, elements) = match what {
            Known::Splat => (true, 1),
            Known::Whole { .. } => (ty.bytes() <= limit, ty.len()),
        };
        // Constants and indices themselves are free, and no reason to stop.
        let free = matches!(node.op, Op::Constant(_) | Op::Iota(_));
        if free || (fits && (1..=budget).contains(&elements)) {
            budget -= if free { 0 } else { elements };
            known[node.first.0 as usize] = Some(what);
        }
    }
    known
}

/// The values to fold: known, not free anyway, and used by what is not known.
fn wanted(graph: &Graph, known: &[Option<Known>]) -> Vec<Value> {
    let mut wanted = Vec::new();
    let mut seen = vec![false; known.len()];
    let mut want = |value: Value| {
        let mut value = value;
        loop {
            if known[value.0 as usize].is_none() || std::mem::replace(&mut seen[value.0 as usize], true) {
                return;
            }
            match graph.op(value) {
                Op::Constant(_) | Op::Iota(_) => return,
                Op::Broadcast(_) => value = graph.inputs(value)[0],
                _ => return wanted.push(value),
            }
        }
    };
    for node in graph.nodes.iter().filter(|node| node.results != 1 || known[node.first.0 as usize].is_none()) {
        node.inputs.iter().for_each(|&input| want(input));
    }
    for block in &graph.blocks {
        block.results.iter().for_each(|&result| want(result));
    }
    wanted
}

/// The program that computes the wanted values, and their types. What is one element everywhere is a scalar there.
fn part(graph: &Graph, known: &[Option<Known>], wanted: &[Value]) -> (Graph, Vec<ArrayType>) {
    let mut needed = vec![false; graph.nodes.len()];
    let mut stack: Vec<NodeId> = wanted.iter().map(|&value| graph.definition(value)).collect();
    while let Some(id) = stack.pop() {
        if !std::mem::replace(&mut needed[id.0 as usize], true) {
            stack.extend(graph.node(id).inputs.iter().map(|&input| graph.definition(input)));
        }
    }
    let mut part = Graph::default();
    let main = part.new_block(None, &[]);
    let mut values: HashMap<Value, Value> = HashMap::new();
    for node in graph.nodes.iter().zip(&needed).filter_map(|(node, &needed)| needed.then_some(node)) {
        let ty = graph.ty(node.first).clone();
        let is_splat = |value: Value| known[value.0 as usize] == Some(Known::Splat);
        let inputs = node.inputs.iter().map(|input| values[input]);
        let value = match &node.op {
            Op::Constant(_) | Op::Map(_) if is_splat(node.first) => {
                let scalar = Arc::new(ArrayType { element: ty.element, dims: Vec::new() });
                part.pure(main, node.op.clone(), inputs.collect(), scalar)
            }
            // One element everywhere stays that, however it is moved.
            _ if is_splat(node.first) => values[&node.inputs[0]],
            _ => {
                let inputs = node.inputs.iter().map(|input| match is_splat(*input) {
                    true => part.broadcast(main, values[input], Vec::new(), graph.ty(*input).clone()),
                    false => values[input],
                });
                let inputs = inputs.collect();
                part.pure(main, node.op.clone(), inputs, ty)
            }
        };
        values.insert(node.first, value);
    }
    let results: Vec<Value> = wanted.iter().map(|value| values[value]).collect();
    let types = results.iter().map(|&value| ArrayType::clone(part.ty(value))).collect();
    part.blocks[main.0 as usize].results = results;
    (part, types)
}
