//! From a graph to an executable plan: loops and kernels in order, then a flat list of steps on memory.
//!
//! | module | turns | into |
//! | --- | --- | --- |
//! | `schedule` | the graph | what each block does, in order |
//! | `merge` | neighbouring loops | one loop |
//! | `code` | blocks | one straight list with jumps, and how long each value lives |
//! | `buffers` | values | buffers, shared where that saves copies |
//! | `arena` | buffers | places in one piece of memory |
//! | `resolve` | all of it | steps |

mod arena;
mod buffers;
mod code;
mod merge;
mod resolve;
mod schedule;

use crate::array_type::ArrayType;
use crate::dump::{Dump, picture};
use crate::error::Result;
use crate::graph::Graph;
use crate::kernel::Kernel;
use cpu_runtime::Span;
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
}

/// A program as steps. Memory is counted in regions: arguments, constants, results, then the arena.
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    pub arguments: Vec<ArgumentPlan>,
    pub constants: Vec<Arc<[u8]>>,
    pub results: Vec<usize>,
    pub arena: usize,
    /// Estimated nanoseconds of one run on one thread, loops counted as one turn.
    pub nanoseconds: u64,
    /// Whether steps may run more often than once.
    pub has_loops: bool,
    /// Whether somebody else's code runs.
    pub has_calls: bool,
    pub flops: f64,
    pub transcendentals: f64,
    pub bytes_accessed: f64,
    /// What happens, a line for each step.
    pub text: Vec<String>,
}

/// Plans a graph. `donated`: for each parameter the result whose memory it may become, or that any may.
pub(crate) fn plan(
    graph: &Graph,
    parameters: &[ArrayType],
    results: &[ArrayType],
    donated: &[Option<Donation>],
    dump: Option<&Dump>,
) -> Result<Plan> {
    let schedule = schedule::schedule(graph)?;
    if let Some(dump) = dump {
        dump.write("clusters.svg", &picture(&schedule::clusters(graph, &schedule)));
    }
    let code = code::code(graph, schedule);
    let arguments = arguments(parameters, results, donated);
    let placed = buffers::place(graph, code, &arguments, results)?;
    resolve::resolve(graph, placed, arguments, results)
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
    for (index, donation) in donated.iter().enumerate() {
        if *donation == Some(Donation::Any) {
            let fits = |&result: &usize| !taken[result] && results[result] == parameters[index];
            if let Some(result) = (0..results.len()).find(fits) {
                taken[result] = true;
                plans[index] = ArgumentPlan::Becomes(result);
            }
        }
    }
    plans
}
