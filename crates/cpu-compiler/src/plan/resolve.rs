//! The list of entries as steps on spans of memory.

use super::buffers::{BufferId, Copy, Home, Placed};
use super::code::Entry;
use super::{ArgumentPlan, Plan, Step, arena};
use crate::array_type::ArrayType;
use crate::error::{Error, Result};
use crate::fuse::{Loop, source};
use crate::graph::{Graph, NodeId, Op, Value};
use cpu_runtime::Span;
use cpu_vir::{Inst, Kernel, Program, UnaryOp, cost};
use hashbrown::HashMap;
use stablehlo::ElementType;
use std::sync::Arc;

/// Work of less than this is not cut for several threads, in picoseconds.
const PART: u64 = 10_000_000;

struct Resolver<'g> {
    graph: &'g Graph,
    placed_of: Vec<Option<BufferId>>,
    conditions: HashMap<NodeId, BufferId>,
    spans: Vec<Span>,
    kernels: HashMap<Program, Arc<Kernel>>,
    plan: Plan,
}

/// Makes the plan.
pub(super) fn resolve(
    graph: &Graph,
    placed: Placed,
    arguments: Vec<ArgumentPlan>,
    results: &[ArrayType],
) -> Result<Plan> {
    let (offsets, arena) = arena::pack(&placed.buffers);
    let (constants, results) = (placed.constants, results.iter().map(ArrayType::bytes).collect::<Vec<_>>());
    let first = (arguments.len(), arguments.len() + constants.len(), arguments.len() + constants.len() + results.len());
    let spans = placed.buffers.iter().zip(&offsets).map(|(buffer, &offset)| {
        let (region, start) = match buffer.home {
            Home::Argument(index) => (index, 0),
            Home::Constant(index) => (first.0 + index, 0),
            Home::Result(index) => (first.1 + index, 0),
            Home::Arena { .. } => (first.2, offset),
        };
        Span { region: region as u32, start, length: buffer.bytes }
    });
    let plan = Plan {
        steps: Vec::new(),
        arguments,
        constants,
        results,
        arena,
        nanoseconds: 0,
        has_loops: false,
        has_calls: false,
        flops: 0.0,
        transcendentals: 0.0,
        bytes_accessed: 0.0,
        text: Vec::new(),
    };
    let spans = spans.collect();
    let mut resolver =
        Resolver { graph, placed_of: placed.of, conditions: placed.conditions, spans, kernels: HashMap::new(), plan };
    // Jumps name positions of the list until all steps are there.
    let mut starts = Vec::with_capacity(placed.list.len() + 1);
    for (entry, copies) in placed.list {
        starts.push(resolver.plan.steps.len());
        resolver.entry(entry, &copies)?;
    }
    starts.push(resolver.plan.steps.len());
    for step in &mut resolver.plan.steps {
        match step {
            Step::Unless { target, .. } | Step::If { target, .. } | Step::Jump(target) => *target = starts[*target],
            Step::Switch { targets, .. } => targets.iter_mut().for_each(|target| *target = starts[*target]),
            _ => {}
        }
    }
    Ok(resolver.plan)
}

impl Resolver<'_> {
    fn span(&self, value: Value) -> Result<Span> {
        let id = self.placed_of[source(self.graph, value).0 as usize];
        id.map(|id| self.spans[id.0]).ok_or_else(|| Error::internal("a value is used that has no place"))
    }

    fn push(&mut self, step: Step, text: String) {
        self.plan.steps.push(step);
        self.plan.text.push(text);
    }

    fn copies(&mut self, copies: &[Copy]) {
        for copy in copies {
            let (from, to) = (self.spans[copy.from.0], self.spans[copy.to.0]);
            if to.length > 0 {
                self.plan.nanoseconds += to.length as u64 / 8;
                self.plan.bytes_accessed += 2.0 * to.length as f64;
                self.push(Step::Copy { from, to }, format!("copy {from} to {to}"));
            }
        }
    }

    fn entry(&mut self, entry: Entry, copies: &[Copy]) -> Result<()> {
        let graph = self.graph;
        match entry {
            Entry::Constant(_) | Entry::Head | Entry::BranchStart { .. } | Entry::End(_) | Entry::Join(_) => {}
            Entry::Return | Entry::CarryIn(_) => self.copies(copies),
            Entry::Loop(looped) => self.looped(looped)?,
            Entry::Kernel(id) => {
                self.copies(copies);
                let node = graph.node(id);
                let Op::Kernel(kernel) = &node.op else { return Err(Error::internal("a kernel entry without one")) };
                let updated = |index: usize| kernel.updates().iter().any(|(operand, _)| *operand == index);
                let empty = Span { region: 0, start: 0, length: 0 };
                let reads = node.inputs.iter().enumerate().map(|(index, &input)| match updated(index) {
                    true => Ok(empty),
                    false => self.span(input),
                });
                let reads = reads.collect::<Result<Box<[Span]>>>()?;
                let writes = graph.results(id).map(|value| self.span(value)).collect::<Result<Box<[Span]>>>()?;
                self.plan.nanoseconds += kernel.nanoseconds();
                self.plan.flops += kernel.flops();
                self.plan.has_calls |= node.effect || kernel.is_foreign();
                self.plan.bytes_accessed += bytes(&reads) + bytes(&writes);
                let text = format!("{} {} -> {}", kernel.name(), list(&reads), list(&writes));
                self.push(Step::Kernel { kernel: kernel.clone(), reads, writes }, text);
            }
            Entry::Direct { kernel, inputs, output } => {
                let reads = inputs.iter().map(|&input| self.span(input)).collect::<Result<Box<[Span]>>>()?;
                let writes: Box<[Span]> = Box::new([self.span(output)?]);
                self.plan.nanoseconds += kernel.nanoseconds();
                self.plan.bytes_accessed += bytes(&reads) + bytes(&writes);
                let text = format!("{} {} -> {}", kernel.name(), list(&reads), list(&writes));
                self.push(Step::Kernel { kernel, reads, writes }, text);
            }
            Entry::Test { condition, end, .. } => {
                let condition = self.span(condition)?;
                self.push(Step::Unless { condition, target: end }, format!("leave the loop unless {condition}"));
            }
            Entry::CarryOut { node, target, .. } => {
                self.copies(copies);
                self.plan.has_loops = true;
                match self.conditions.get(&node) {
                    Some(id) => {
                        let condition = self.spans[id.0];
                        self.push(Step::If { condition, target }, format!("next turn if {condition}"));
                    }
                    None => self.push(Step::Jump(target), "next turn".to_owned()),
                }
            }
            Entry::Switch { choice, starts, .. } => {
                let boolean = graph.ty(choice).element == Some(ElementType::Bool);
                let choice = self.span(choice)?;
                let text = format!("choose one of {} by {choice}", starts.len());
                self.push(Step::Switch { choice, boolean, targets: starts.into() }, text);
            }
            Entry::BranchEnd { end, .. } => {
                self.copies(copies);
                self.push(Step::Jump(end), "end of branch".to_owned());
            }
        }
        Ok(())
    }

    fn looped(&mut self, looped: Loop) -> Result<()> {
        let Loop { program, inputs, outputs } = looped;
        let reads = inputs.iter().map(|&value| self.span(value)).collect::<Result<Box<[Span]>>>()?;
        let mut writes = Vec::new();
        for operand in program.with_role(cpu_vir::Role::Output) {
            let store = outputs.iter().find(|store| store.operand == operand);
            let store = store.ok_or_else(|| Error::internal("a loop writes what nobody asked for"))?;
            writes.push(self.span(store.value)?);
        }
        let points: usize = program.dims.iter().product();
        let picoseconds = cost::picoseconds_per_point(&program).saturating_mul(points as u64);
        let parts = usize::try_from(picoseconds / PART).unwrap_or(usize::MAX).max(1);
        self.plan.nanoseconds += 200 + picoseconds / 1000;
        let per_point = |wanted: fn(&Inst) -> bool| program.body.iter().filter(|inst| wanted(inst)).count();
        self.plan.flops += (points * (per_point(is_arithmetic) + program.reductions.len())) as f64;
        self.plan.transcendentals += (points * per_point(is_transcendental)) as f64;
        self.plan.bytes_accessed += bytes(&reads) + bytes(&writes);
        let text = format!("loop {:?} {} -> {}\n{program}", program.dims, list(&reads), list(&writes));
        let kernel = match self.kernels.get(&program) {
            Some(kernel) => kernel.clone(),
            None => {
                let kernel = Kernel::prepare(&program).map_err(|error| Error::internal(format!("a loop: {error}")))?;
                let kernel = Arc::new(kernel);
                self.kernels.insert(program, kernel.clone());
                kernel
            }
        };
        self.push(Step::Loop { kernel, reads, writes: writes.into(), parts }, text);
        Ok(())
    }
}

fn is_arithmetic(inst: &Inst) -> bool {
    matches!(inst, Inst::Binary { .. } | Inst::Fma { .. })
        || matches!(inst, Inst::Unary { op: UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign, .. })
}

fn is_transcendental(inst: &Inst) -> bool {
    let Inst::Unary { op, .. } = inst else { return false };
    matches!(
        op,
        UnaryOp::Sqrt
            | UnaryOp::Rsqrt
            | UnaryOp::Cbrt
            | UnaryOp::Exp
            | UnaryOp::Exp2
            | UnaryOp::Expm1
            | UnaryOp::Log
            | UnaryOp::Log1p
            | UnaryOp::Sin
            | UnaryOp::Cos
            | UnaryOp::Tan
            | UnaryOp::Tanh
            | UnaryOp::Logistic
            | UnaryOp::Erf
    )
}

fn bytes(spans: &[Span]) -> f64 {
    spans.iter().map(|span| span.length as f64).sum()
}

fn list(spans: &[Span]) -> String {
    let texts: Vec<String> = spans.iter().map(Span::to_string).collect();
    format!("({})", texts.join(", "))
}
