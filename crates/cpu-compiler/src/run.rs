//! Running a plan: one loop over its steps, on the caller's thread.

use crate::error::{Error, ErrorKind, Result};
use crate::executable::{Argument, Launch};
use crate::kernel::Env;
use crate::plan::{ArgumentPlan, Plan, Step};
use cpu_runtime::{Block, Pool, Span, Views};

/// The pool as loops want it.
struct Spread<'a>(&'a Pool);

impl cpu_vir::exec::Spread for Spread<'_> {
    fn spread(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.run(tasks, task);
    }
}

/// Runs a plan once.
pub(crate) fn run(plan: &Plan, launch: Launch<'_>) -> Result<Vec<Block>> {
    let Launch { arguments, pool, budget, process, context, cancelled } = launch;
    let mut results: Vec<Option<Block>> = plan.results.iter().map(|_| None).collect();
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut donated: Vec<Block> = Vec::new();
    let mut places: Vec<Place> = Vec::with_capacity(arguments.len());
    for (argument, fate) in arguments.into_iter().zip(&plan.arguments) {
        match (argument, fate) {
            (Argument::Donated(block), ArgumentPlan::Becomes(result)) => {
                results[*result] = Some(block);
                places.push(Place::Gone);
            }
            (Argument::Borrowed(bytes), ArgumentPlan::Becomes(result)) => {
                let mut block = budget.allocate(bytes.len())?;
                block.bytes_mut().copy_from_slice(bytes);
                results[*result] = Some(block);
                places.push(Place::Gone);
            }
            (Argument::Borrowed(bytes), ArgumentPlan::Read) => {
                kept.push(bytes);
                places.push(Place::Kept(kept.len() - 1));
            }
            (Argument::Donated(block), ArgumentPlan::Read) => {
                donated.push(block);
                places.push(Place::Donated(donated.len() - 1));
            }
        }
    }
    let mut outputs = Vec::with_capacity(results.len());
    for (result, &bytes) in results.into_iter().zip(&plan.results) {
        outputs.push(match result {
            Some(block) => block,
            None => budget.allocate(bytes)?,
        });
    }
    let mut arena = budget.allocate(plan.arena)?;
    {
        let mut views = Views::new();
        for place in &places {
            views.add(match place {
                Place::Kept(index) => kept[*index],
                Place::Donated(index) => donated[*index].bytes(),
                Place::Gone => &[],
            });
        }
        plan.constants.iter().for_each(|bytes| views.add(bytes));
        outputs.iter_mut().for_each(|block| views.add_mut(block.bytes_mut()));
        views.add_mut(arena.bytes_mut());
        let env = Env { pool, process, context, cancelled };
        steps(plan, &mut views, &env)?;
    }
    Ok(outputs)
}

/// Where an argument is.
enum Place {
    Kept(usize),
    Donated(usize),
    /// In the memory of a result.
    Gone,
}

fn steps(plan: &Plan, views: &mut Views<'_>, env: &Env<'_>) -> Result<()> {
    let threads = env.pool.threads();
    let mut at = 0;
    while let Some(step) = plan.steps.get(at) {
        at += 1;
        match step {
            Step::Loop { kernel, reads, writes, parts } => {
                let parts = if threads == 1 { 1 } else { (*parts).min(4 * threads) };
                let done = views.with(reads, writes, |inputs, outputs| match parts {
                    0 | 1 => kernel.run(inputs, outputs, 0..kernel.points()),
                    _ => kernel.run_on(&Spread(env.pool), parts, inputs, outputs),
                });
                done.map_err(|error| Error::internal(error.to_string()))?;
            }
            Step::Kernel { kernel, reads, writes } => {
                views.with(reads, writes, |inputs, outputs| kernel.run(env, inputs, outputs))?;
                check(env)?;
            }
            Step::Rows { rows, reads, writes, parts } => {
                let parts = if threads == 1 { 1 } else { (*parts).min(4 * threads) };
                let done =
                    views.with(reads, writes, |inputs, outputs| rows.run_on(&Spread(env.pool), parts, inputs, outputs));
                done.map_err(|error| Error::internal(error.to_string()))?;
            }
            Step::Turns { sequence, reads, writes } => {
                let done = views
                    .with(reads, writes, |inputs, outputs| sequence.run(inputs, outputs, &mut || !is_cancelled(env)));
                if !done.map_err(|error| Error::internal(error.to_string()))? {
                    return Err(cancelled());
                }
            }
            Step::Copy { from, to } => {
                views.with(&[*from], &[*to], |inputs, outputs| outputs[0].copy_from_slice(inputs[0]));
            }
            Step::Unless { condition, target } => {
                if read(views, condition)[0] == 0 {
                    at = *target;
                }
            }
            Step::If { condition, target } => {
                if read(views, condition)[0] != 0 {
                    check(env)?;
                    at = *target;
                }
            }
            Step::Jump(target) => {
                if *target < at {
                    check(env)?;
                }
                at = *target;
            }
            Step::Switch { choice, boolean, targets } => {
                let bytes = read(views, choice);
                let last = targets.len() - 1;
                let index = match boolean {
                    true => usize::from(bytes[0] == 0),
                    // What is out of range is the last branch.
                    false => {
                        usize::try_from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).unwrap_or(last)
                    }
                };
                at = targets[index.min(last)];
            }
        }
    }
    Ok(())
}

/// The first bytes of a scalar.
fn read(views: &mut Views<'_>, span: &Span) -> [u8; 8] {
    views.with(&[*span], &[], |inputs, _| {
        let mut bytes = [0; 8];
        let length = inputs[0].len().min(8);
        bytes[..length].copy_from_slice(&inputs[0][..length]);
        bytes
    })
}

fn check(env: &Env<'_>) -> Result<()> {
    if is_cancelled(env) { Err(cancelled()) } else { Ok(()) }
}

fn is_cancelled(env: &Env<'_>) -> bool {
    env.cancelled.is_some_and(|cancelled| cancelled())
}

fn cancelled() -> Error {
    Error { kind: ErrorKind::Cancelled, message: "the run was cancelled".to_owned() }
}
