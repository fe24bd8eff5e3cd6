//! Binds `interpreter.run_parallel`: functions of the module side by side, one for each process of a grid.

use super::{Binder, plain, tensors};
use crate::eval::error::OpError;
use crate::eval::feeds::Feeds;
use crate::eval::machine::{self, Context};
use crate::eval::parallel::{Grid, run_processes};
use crate::eval::plan::{Kernel, RoutineId};
use crate::ir::{Attr, AttrId, OpCode};

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    if binder.op.code() != OpCode::InterpreterRunParallel {
        return Ok(None);
    }
    let op = binder.op;
    let rows = op.array_or_empty("programs")?;
    let mut programs: Vec<Vec<RoutineId>> = Vec::new();
    for &row in rows {
        let Attr::Array(row) = op.module().attr(row) else {
            return Err(OpError::invalid("`programs` must be a list, for each replica, of lists of functions"));
        };
        programs.push(functions(binder, row)?);
    }
    let num_partitions = programs.first().map_or(0, Vec::len);
    if num_partitions == 0 || programs.iter().any(|row| row.len() != num_partitions) {
        return Err(OpError::invalid("`programs` must have a function for each partition of each replica"));
    }
    let grid = Grid { num_replicas: programs.len() as u32, num_partitions: num_partitions as u32 };
    let infeed = functions(binder, op.array_or_empty("infeed")?)?;
    let programs: Vec<RoutineId> = programs.concat();
    Ok(Some(plain(move |context, operands| {
        let feeds = Feeds::default();
        for &routine in &infeed {
            let values = machine::run(&context.inside(None)?, routine, Vec::new())?;
            feeds.push_infeed(tensors(values)?);
        }
        let mut operands = operands.into_iter();
        let count = |&routine: &RoutineId| context.program.routines[routine].blocks[0].arguments.len();
        let inputs = programs.iter().map(|routine| operands.by_ref().take(count(routine)).collect()).collect();
        let environment = context.environment;
        let results = run_processes(grid, inputs, |process, rendezvous, inputs| {
            let environment = environment.of_process(process).meeting_at(rendezvous).fed_by(&feeds);
            machine::run(&Context::new(context.program, &environment), programs[process.index()], inputs)
        })?;
        Ok(results.into_iter().flatten().collect())
    })))
}

/// The functions that a list of symbols names.
fn functions(binder: &mut Binder<'_, '_>, symbols: &[AttrId]) -> Result<Vec<RoutineId>, OpError> {
    let module = binder.op.module();
    let routine = |&symbol: &AttrId| match module.attr(symbol) {
        Attr::SymbolRef { root, .. } => (binder.symbol)(module.str(*root)),
        _ => Err(OpError::invalid("functions must be given by their symbols")),
    };
    symbols.iter().map(routine).collect()
}
