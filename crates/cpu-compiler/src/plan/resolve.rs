//! The list of entries as steps on spans of memory.

use super::areas::Areas;
use super::buffers::{BufferId, Copy, Home, Placed};
use super::code::Entry;
use super::rows::{Change, Member};
use super::trips::trips;
use super::{ArgumentPlan, Plan, Step, arena};
use crate::array_type::ArrayType;
use crate::error::{Error, Result};
use crate::fuse::{Loop, source};
use crate::graph::{Graph, NodeId, Op, Value};
use cpu_runtime::Span;
use cpu_vir::exec::{Place, RowChange, RowItem, RowLoop, RowStep, Rows};
use cpu_vir::{Inst, Kernel, Program, UnaryOp, cost};
use hashbrown::HashMap;
use stablehlo::ElementType;
use std::sync::Arc;

/// Work of less than this is not cut for several threads, in picoseconds.
const PART: u64 = 10_000_000;

/// Steps of no more points are part of a sequence when they are in a loop.
const SHORT: usize = 512;

/// Where operands are.
type Spans = Box<[Span]>;

struct Resolver<'g> {
    graph: &'g Graph,
    placed_of: Vec<Option<BufferId>>,
    conditions: HashMap<NodeId, BufferId>,
    spans: Vec<Span>,
    /// For each buffer, whether one entry of the list makes and uses it.
    passing: Vec<bool>,
    kernels: HashMap<Program, Arc<Kernel>>,
    /// Loops that are open: what the run had cost when each began.
    open: Vec<u64>,
    plan: Plan,
}

/// Makes the plan.
pub(super) fn resolve(
    graph: &Graph,
    placed: Placed,
    arguments: Vec<ArgumentPlan>,
    results: &[ArrayType],
    explained: bool,
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
        text: explained.then(Vec::new),
    };
    let spans = spans.collect();
    let mut resolver = Resolver {
        graph,
        placed_of: placed.of,
        passing: placed
            .buffers
            .iter()
            .map(|buffer| matches!(buffer.home, Home::Arena { from, to } if from == to))
            .collect(),
        conditions: placed.conditions,
        spans,
        kernels: HashMap::new(),
        open: Vec::new(),
        plan,
    };
    // Jumps name positions of the list until all steps are there.
    let mut starts = Vec::with_capacity(placed.list.len() + 1);
    for (entry, copies) in placed.list {
        starts.push(resolver.plan.steps.len());
        resolver.entry(entry, &copies)?;
    }
    starts.push(resolver.plan.steps.len());
    for step in &mut resolver.plan.steps {
        step.targets_mut().iter_mut().for_each(|target| *target = starts[*target]);
    }
    Ok(resolver.plan)
}

impl Resolver<'_> {
    fn is_passing(&self, value: Value) -> bool {
        self.placed_of[source(self.graph, value).0 as usize].is_some_and(|id| self.passing[id.0])
    }

    fn span(&self, value: Value) -> Result<Span> {
        let id = self.placed_of[source(self.graph, value).0 as usize];
        id.map(|id| self.spans[id.0]).ok_or_else(|| Error::internal("a value is used that has no place"))
    }

    /// Adds a step, and what is said about it if somebody wants to read that.
    fn push(&mut self, step: Step, text: impl FnOnce(&Step) -> String) {
        if let Some(texts) = &mut self.plan.text {
            texts.push(text(&step));
        }
        self.plan.steps.push(step);
    }

    fn copies(&mut self, copies: &[Copy]) {
        for copy in copies {
            let (from, to) = (self.spans[copy.from.0], self.spans[copy.to.0]);
            if to.length > 0 {
                self.costs(to.length as u64 / 8);
                self.plan.bytes_accessed += 2.0 * to.length as f64;
                self.push(Step::Copy { from, to }, |_| format!("copy {from} to {to}"));
            }
        }
    }

    fn entry(&mut self, entry: Entry, copies: &[Copy]) -> Result<()> {
        let graph = self.graph;
        match entry {
            Entry::Head => self.open.push(self.plan.nanoseconds),
            Entry::Constant(_) | Entry::BranchStart { .. } | Entry::End(_) | Entry::Join(_) => {}
            Entry::Return | Entry::CarryIn(_) => self.copies(copies),
            Entry::Loop(looped) => self.looped(looped)?,
            Entry::Rows { members, leading } => {
                self.copies(copies);
                self.rows(members, leading)?;
            }
            Entry::Kernel(id) => {
                self.copies(copies);
                self.kernel(id)?;
            }
            Entry::Direct { kernel, inputs, output } => {
                let reads = inputs.iter().map(|&input| self.span(input)).collect::<Result<Spans>>()?;
                let writes: Spans = Box::new([self.span(output)?]);
                self.costs(kernel.nanoseconds());
                self.plan.bytes_accessed += bytes(&reads) + bytes(&writes);
                self.push(Step::Kernel { kernel, reads, writes }, kernel_text);
            }
            Entry::Test { condition, end, .. } => {
                let condition = self.span(condition)?;
                self.push(Step::Unless { condition, target: end }, |_| format!("leave the loop unless {condition}"));
            }
            Entry::CarryOut { node, target, .. } => {
                self.copies(copies);
                let begun = self.open.pop().unwrap_or(self.plan.nanoseconds);
                match trips(graph, node) {
                    Some(turns) => {
                        let turn = self.plan.nanoseconds - begun;
                        self.plan.nanoseconds = begun.saturating_add(turn.saturating_mul(turns));
                    }
                    None => self.plan.has_loops = true,
                }
                match self.conditions.get(&node) {
                    Some(id) => {
                        let condition = self.spans[id.0];
                        self.push(Step::If { condition, target }, |_| format!("next turn if {condition}"));
                    }
                    None => self.push(Step::Jump(target), |_| "next turn".to_owned()),
                }
            }
            Entry::Switch { choice, starts, .. } => {
                let boolean = graph.ty(choice).element == Some(ElementType::Bool);
                let choice = self.span(choice)?;
                let count = starts.len();
                let text = |_: &Step| format!("choose one of {count} by {choice}");
                self.push(Step::Switch { choice, boolean, targets: starts.into() }, text);
            }
            Entry::BranchEnd { end, .. } => {
                self.copies(copies);
                self.push(Step::Jump(end), |_| "end of branch".to_owned());
            }
        }
        Ok(())
    }

    /// Where a loop's inputs and outputs are.
    fn operands(&self, looped: &Loop) -> Result<(Spans, Spans)> {
        let Loop { program, inputs, outputs } = looped;
        let reads = inputs.iter().map(|&value| self.span(value)).collect::<Result<Spans>>()?;
        let writes = program.with_role(cpu_vir::Role::Output).map(|operand| {
            let store = outputs.iter().find(|store| store.operand == operand);
            let store = store.ok_or_else(|| Error::internal("a loop writes what nobody asked for"))?;
            self.span(store.value)
        });
        let writes = writes.collect::<Result<Spans>>()?;
        Ok((reads, writes))
    }

    /// Counts what a loop costs; its picoseconds.
    fn loop_costs(&mut self, program: &Program, reads: &[Span], writes: &[Span]) -> u64 {
        let points: usize = program.dims.iter().product();
        let picoseconds = cost::picoseconds_per_point(program).saturating_mul(points as u64);
        // Among the steps of a short turn nothing is looked up.
        let short = !self.open.is_empty() && points <= SHORT;
        let begin = if short { 5 * program.body.len() as u64 } else { 200 };
        self.costs(begin + picoseconds / 1000);
        let per_point = |wanted: fn(&Inst) -> bool| program.body.iter().filter(|inst| wanted(inst)).count();
        self.plan.flops += (points * (per_point(is_arithmetic) + program.reductions.len())) as f64;
        self.plan.transcendentals += (points * per_point(is_transcendental)) as f64;
        self.plan.bytes_accessed += bytes(reads) + bytes(writes);
        picoseconds
    }

    fn costs(&mut self, nanoseconds: u64) {
        self.plan.nanoseconds = self.plan.nanoseconds.saturating_add(nanoseconds);
    }

    fn looped(&mut self, looped: Loop) -> Result<()> {
        let (reads, writes) = self.operands(&looped)?;
        let program = looped.program;
        let parts = parts(self.loop_costs(&program, &reads, &writes));
        let text = self.plan.text.is_some().then(|| loop_text(&program, &reads, &writes));
        let kernel = match self.kernels.get(&program) {
            Some(kernel) => kernel.clone(),
            None => {
                let kernel = Kernel::prepare(&program).map_err(|error| Error::internal(format!("a loop: {error}")))?;
                let kernel = Arc::new(kernel);
                self.kernels.insert(program, kernel.clone());
                kernel
            }
        };
        self.push(Step::Loop { kernel, reads, writes, parts }, |_| text.unwrap_or_default());
        Ok(())
    }

    /// A kernel by itself.
    fn kernel(&mut self, id: NodeId) -> Result<()> {
        let node = self.graph.node(id);
        let Op::Kernel(kernel) = &node.op else { return Err(Error::internal("a kernel entry without one")) };
        let updated = |index: usize| kernel.updates().iter().any(|(operand, _)| *operand == index);
        let empty = Span { region: 0, start: 0, length: 0 };
        let reads = node.inputs.iter().enumerate().map(|(index, &input)| match updated(index) {
            true => Ok(empty),
            false => self.span(input),
        });
        let reads = reads.collect::<Result<Spans>>()?;
        let writes = self.graph.results(id).map(|value| self.span(value)).collect::<Result<Spans>>()?;
        self.kernel_costs(&**kernel, node.effect, &reads, &writes);
        self.push(Step::Kernel { kernel: kernel.clone(), reads, writes }, kernel_text);
        Ok(())
    }

    /// Counts what a kernel costs.
    fn kernel_costs(&mut self, kernel: &dyn crate::kernel::Kernel, effect: bool, reads: &[Span], writes: &[Span]) {
        self.costs(kernel.nanoseconds());
        self.plan.flops += kernel.flops();
        self.plan.has_calls |= effect || kernel.is_foreign();
        self.plan.bytes_accessed += bytes(reads) + bytes(writes);
    }

    /// Loops and steps that run together, row by row; one after another where their memory does not permit that.
    fn rows(&mut self, members: Vec<Member>, leading: usize) -> Result<()> {
        let operands = members.iter().map(|member| match member {
            Member::Loop(looped) => self.operands(looped),
            Member::Step(step) => {
                let reads: Spans = Box::new([self.span(step.from)?, self.span(step.whole)?]);
                Ok((reads, Box::new([self.span(step.output)?]) as Spans))
            }
            Member::Change(change) => {
                let reads = change.from.iter().map(|&value| self.span(value)).collect::<Result<Spans>>()?;
                Ok((reads, Box::new([self.span(change.output)?]) as Spans))
            }
        });
        let operands = operands.collect::<Result<Vec<_>>>()?;
        let mut areas = Areas::default();
        for (reads, writes) in &operands {
            reads.iter().for_each(|span| areas.add(span, false));
            writes.iter().for_each(|span| areas.add(span, true));
        }
        let places = |spans: &[Span]| spans.iter().map(|span| areas.place(span)).collect();
        let items = members.iter().zip(&operands).map(|(member, (reads, writes))| match member {
            Member::Loop(looped) => {
                RowItem::Loop(RowLoop { program: &looped.program, inputs: places(reads), outputs: places(writes) })
            }
            Member::Change(Change { by_rows, .. }) => {
                let from = reads.iter().zip(&by_rows.from).map(|(span, (_, row))| (areas.place(span), *row)).collect();
                let target = (areas.place(&writes[0]), writes[0].length);
                RowItem::Change(RowChange { work: by_rows.work.clone(), rows: by_rows.rows, from, target })
            }
            Member::Step(super::rows::Step { by_rows, .. }) => RowItem::Step(RowStep {
                work: by_rows.work.clone(),
                rows: by_rows.rows,
                least: by_rows.least,
                from: (areas.place(&reads[0]), by_rows.from.1),
                whole: (areas.place(&reads[1]), reads[1].length),
                to: (areas.place(&writes[0]), by_rows.to),
            }),
        });
        let items = items.collect();
        // What is in buffers that live no longer than the group.
        let mut passing = Vec::new();
        for member in &members {
            for value in member.outputs().filter(|&value| self.is_passing(value)) {
                passing.push(areas.place(&self.span(value)?));
            }
        }
        passing.sort_unstable_by_key(|place: &Place| (place.area, place.start));
        passing.dedup();
        let Ok(rows) = Rows::prepare(&areas.list(), items, leading, &passing) else {
            return members.into_iter().try_for_each(|member| match member {
                Member::Loop(looped) => self.looped(looped),
                Member::Step(step) => self.kernel(step.node),
                Member::Change(change) => self.kernel(change.node),
            });
        };
        let mut text = None;
        if self.plan.text.is_some() {
            let lines = members.iter().zip(&operands).map(|(member, (reads, writes))| match member {
                Member::Loop(looped) => format!("\n{}", loop_text(&looped.program, reads, writes).trim_end()),
                Member::Step(super::rows::Step { kernel, .. }) | Member::Change(Change { kernel, .. }) => {
                    format!("\n{} {} -> {}", kernel.name(), list(reads), list(writes))
                }
            });
            text = Some(format!("{} rows at a time of{}", rows.block(), lines.collect::<String>()));
        }
        let mut picoseconds = 0u64;
        for (member, (reads, writes)) in members.iter().zip(&operands) {
            let own = match member {
                Member::Loop(looped) => self.loop_costs(&looped.program, reads, writes),
                Member::Step(super::rows::Step { kernel, .. }) | Member::Change(Change { kernel, .. }) => {
                    self.kernel_costs(&**kernel, false, reads, writes);
                    kernel.nanoseconds().saturating_mul(1000)
                }
            };
            picoseconds = picoseconds.saturating_add(own);
        }
        let (reads, writes) = areas.finish();
        self.push(Step::Rows { rows, reads, writes, parts: parts(picoseconds) }, |_| text.unwrap_or_default());
        Ok(())
    }
}

fn kernel_text(step: &Step) -> String {
    let Step::Kernel { kernel, reads, writes } = step else { return String::new() };
    format!("{} {} -> {}", kernel.name(), list(reads), list(writes))
}

fn loop_text(program: &Program, reads: &[Span], writes: &[Span]) -> String {
    format!("loop {:?} {} -> {}\n{program}", program.dims, list(reads), list(writes))
}

/// How many pieces work is worth cutting into.
fn parts(picoseconds: u64) -> usize {
    usize::try_from(picoseconds / PART).unwrap_or(usize::MAX).max(1)
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
