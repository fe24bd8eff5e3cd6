//! From a graph to an executable plan: loops and kernels in order, then a flat list of steps on memory.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `schedule` | the graph | what each block does, in order |
//! | `merge` | neighbouring loops | one loop |
//! | `rows` | loops over the same rows | one item |
//! | `code` | blocks | one straight list with jumps, and how long each value lives |
//! | `buffers` | values | buffers, shared where that saves copies |
//! | `arena` | buffers | places in one piece of memory |
//! | `resolve` | all of it | steps |
//! | `trips` | loops | how often they turn, where that is known |
//! | `turns` | the steps of short loops | one step |

mod areas;
mod arena;
mod buffers;
mod code;
mod merge;
mod resolve;
mod rows;
mod schedule;
mod trips;
mod turns;

use crate::array_type::ArrayType;
use crate::dump::{Dump, picture};
use crate::error::Result;
use crate::graph::Graph;
use crate::kernel::Kernel;
use cpu_runtime::Span;
use hashbrown::HashMap;
use std::sync::Arc;

/// What happens with one argument of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentPlan {
    /// It is read where it is.
    Read,
    /// It is the first content of a result's memory, moved there if it was donated and copied otherwise.
    Becomes(usize),
}

/// One step. Targets are positions in [`Plan::steps`].
pub(crate) enum Step {
    Loop {
        kernel: Arc<cpu_vir::Kernel>,
        reads: Box<[Span]>,
        writes: Box<[Span]>,
        parts: usize,
    },
    Kernel {
        kernel: Arc<dyn Kernel>,
        reads: Box<[Span]>,
        writes: Box<[Span]>,
    },
    Copy {
        from: Span,
        to: Span,
    },
    /// Goes on at the target when a boolean is false.
    Unless {
        condition: Span,
        target: usize,
    },
    /// Goes on at the target when a boolean is true.
    If {
        condition: Span,
        target: usize,
    },
    Jump(usize),
    /// Goes on at the target that a boolean (first if true) or a clamped index chooses.
    Switch {
        choice: Span,
        boolean: bool,
        targets: Box<[usize]>,
    },
    /// Loops over the same rows, block by block. Areas are whole pieces of regions, as below.
    Rows {
        rows: cpu_vir::exec::Rows,
        reads: Box<[Span]>,
        writes: Box<[Span]>,
        parts: usize,
    },
    /// All turns of a loop of short steps.
    Turns {
        sequence: cpu_vir::exec::Sequence,
        reads: Box<[Span]>,
        writes: Box<[Span]>,
    },
}

impl Step {
    /// The positions that it may go on at, to be changed.
    fn targets_mut(&mut self) -> &mut [usize] {
        match self {
            Step::Unless { target, .. } | Step::If { target, .. } | Step::Jump(target) => std::slice::from_mut(target),
            Step::Switch { targets, .. } => targets,
            Step::Loop { .. } | Step::Kernel { .. } | Step::Copy { .. } | Step::Rows { .. } | Step::Turns { .. } => {
                &mut []
            }
        }
    }

    /// The positions that it may go on at.
    fn targets(&self) -> &[usize] {
        match self {
            Step::Unless { target, .. } | Step::If { target, .. } | Step::Jump(target) => std::slice::from_ref(target),
            Step::Switch { targets, .. } => targets,
            Step::Loop { .. } | Step::Kernel { .. } | Step::Copy { .. } | Step::Rows { .. } | Step::Turns { .. } => &[],
        }
    }
}

/// A program as steps. Memory is counted in regions: arguments, constants, results, then the arena.
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    pub arguments: Vec<ArgumentPlan>,
    pub constants: Vec<Arc<[u8]>>,
    pub results: Vec<usize>,
    pub arena: usize,
    /// Estimated nanoseconds of one run on one thread, loops of unknown length counted as one turn.
    pub nanoseconds: u64,
    /// Whether there are loops of unknown length.
    pub has_loops: bool,
    /// Whether somebody else's code runs.
    pub has_calls: bool,
    pub flops: f64,
    pub transcendentals: f64,
    pub bytes_accessed: f64,
    /// What happens, a paragraph for each step, if somebody wants to read it: it takes longer than many a plan.
    pub text: Option<Vec<String>>,
}

/// Plans a graph. `donated`: for each parameter the result whose memory it may become, or that any may.
pub(crate) fn plan(
    graph: &Graph,
    parameters: &[ArrayType],
    results: &[ArrayType],
    donated: &[Option<Donation>],
    dump: Option<&Dump>,
    explained: bool,
) -> Result<Plan> {
    let schedule = schedule::schedule(graph)?;
    if let Some(dump) = dump {
        dump.write("clusters.svg", &picture(&schedule::clusters(graph, &schedule)));
    }
    let code = code::code(graph, schedule);
    let arguments = arguments(parameters, results, donated);
    let placed = buffers::place(graph, code, &arguments, results)?;
    let mut plan = resolve::resolve(graph, placed, arguments, results, explained || dump.is_some())?;
    turns::write_down(&mut plan);
    Ok(plan)
}

/// A parameter that the caller may give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Donation {
    /// To this result.
    To(usize),
    /// To any result that it fits.
    Any,
}

fn arguments(parameters: &[ArrayType], results: &[ArrayType], donated: &[Option<Donation>]) -> Vec<ArgumentPlan> {
    let mut taken = vec![false; results.len()];
    let mut plans = vec![ArgumentPlan::Read; parameters.len()];
    for (index, donation) in donated.iter().enumerate() {
        if let Some(Donation::To(result)) = *donation
            && results.get(result).is_some_and(|ty| ty.bytes() == parameters[index].bytes())
            && !std::mem::replace(&mut taken[result], true)
        {
            plans[index] = ArgumentPlan::Becomes(result);
        }
    }
    // The first that fits comes last.
    let mut free: HashMap<&ArrayType, Vec<usize>> = HashMap::new();
    for (result, ty) in results.iter().enumerate().rev().filter(|(result, _)| !taken[*result]) {
        free.entry(ty).or_default().push(result);
    }
    for (index, donation) in donated.iter().enumerate() {
        if *donation == Some(Donation::Any)
            && let Some(result) = free.get_mut(&parameters[index]).and_then(Vec::pop)
        {
            plans[index] = ArgumentPlan::Becomes(result);
        }
    }
    plans
}
