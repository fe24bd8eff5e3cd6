//! Running all processes of a grid, each on a thread of its own.

use std::thread;

use super::grid::Grid;
use super::rendezvous::Rendezvous;
use crate::eval::error::EvalError;
use crate::eval::evaluator::Evaluator;
use crate::eval::feeds::Feeds;
use crate::eval::process::{Environment, Interrupt, Process};
use crate::eval::value::Value;

/// The stack of each thread, in bytes. Handlers of custom calls run on it, some of which keep megabytes there.
const STACK_SIZE: usize = 32 << 20;

/// Tells the others that a process has ended, however it ends.
struct Presence<'a> {
    rendezvous: &'a Rendezvous,
    index: usize,
    success: bool,
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        self.rendezvous.end(self.index, self.success);
    }
}

/// Calls `run` for each process of a grid, side by side, with its inputs and the place where they meet.
///
/// When processes fail, all are stopped and the error is that of the first to fail.
pub(crate) fn run_processes(
    grid: Grid,
    inputs: Vec<Vec<Value>>,
    run: impl Fn(Process, &Rendezvous, Vec<Value>) -> Result<Vec<Value>, EvalError> + Sync,
) -> Result<Vec<Vec<Value>>, EvalError> {
    let count = grid.num_processes();
    if count == 0 || inputs.len() != count {
        return Err(EvalError::invalid(format!(
            "{} lists of inputs for {} replicas and {} partitions; give one for each process",
            inputs.len(),
            grid.num_replicas,
            grid.num_partitions
        )));
    }
    let rendezvous = &Rendezvous::new(grid);
    let run = |index: usize, process: Process, inputs: Vec<Value>| {
        let mut presence = Presence { rendezvous, index, success: false };
        let result = run(process, rendezvous, inputs);
        presence.success = result.is_ok();
        result
    };
    let results: Vec<Result<Vec<Value>, EvalError>> = thread::scope(|scope| {
        let mut threads = Vec::with_capacity(count);
        for (index, (process, inputs)) in grid.processes().zip(inputs).enumerate() {
            let thread = thread::Builder::new().name(format!("process {}", grid.name(index))).stack_size(STACK_SIZE);
            let run = &run;
            let started = thread.spawn_scoped(scope, move || run(index, process, inputs));
            if started.is_err() {
                // Those that run already must not wait for it.
                rendezvous.end(index, false);
            }
            threads.push(started);
        }
        let finish = |(index, thread): (usize, std::io::Result<thread::ScopedJoinHandle<'_, _>>)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(EvalError::invalid(format!("no thread for process {}: {error}", grid.name(index)))),
        };
        threads.into_iter().enumerate().map(finish).collect()
    });
    if let Some(first) = rendezvous.first_failure()
        && let Err(error) = &results[first]
        && count > 1
    {
        let message = format!("process {}: {}", grid.name(first), error.message);
        return Err(EvalError { message, ..error.clone() });
    }
    results.into_iter().collect()
}

impl Evaluator {
    /// Runs the program as all processes of a grid side by side, so that collectives between them work.
    ///
    /// `inputs` and results have an entry for each process, in the order of [`Grid`]. When processes fail, or one ends
    /// while others wait for it, all are stopped and the error is that of the first to fail; nothing waits for ever.
    ///
    /// ```
    /// use stablehlo::eval::{Evaluator, Grid, Registry, Tensor};
    ///
    /// let program = r#"func.func @main(%x: tensor<1xi64>) -> tensor<2xi64> {
    ///   %all = "stablehlo.all_gather"(%x) {
    ///     all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>
    ///   } : (tensor<1xi64>) -> tensor<2xi64>
    ///   return %all : tensor<2xi64>
    /// }"#;
    /// let evaluator = Evaluator::new(stablehlo::text::parse(program)?.into(), &Registry::default())?;
    /// let inputs = [10i64, 20].map(|x| vec![Tensor::from_vec(&[1], vec![x]).into()]);
    /// let outputs = evaluator.run_all(Grid { num_replicas: 2, num_partitions: 1 }, None, inputs.to_vec())?;
    /// assert_eq!(outputs[0][0].as_tensor()?.as_slice::<i64>(), [20, 10]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_all(
        &self,
        grid: Grid,
        interrupt: Option<Interrupt<'_>>,
        inputs: Vec<Vec<Value>>,
    ) -> Result<Vec<Vec<Value>>, EvalError> {
        run_processes(grid, inputs, |process, rendezvous, inputs| {
            self.run_in(Environment::new(process, interrupt, self.draws()).meeting_at(rendezvous), inputs)
        })
    }

    /// The same with an infeed to read from and an outfeed to write to.
    pub fn run_fed(
        &self,
        grid: Grid,
        interrupt: Option<Interrupt<'_>>,
        feeds: &Feeds,
        inputs: Vec<Vec<Value>>,
    ) -> Result<Vec<Vec<Value>>, EvalError> {
        run_processes(grid, inputs, |process, rendezvous, inputs| {
            let environment = Environment::new(process, interrupt, self.draws());
            self.run_in(environment.meeting_at(rendezvous).fed_by(feeds), inputs)
        })
    }
}
