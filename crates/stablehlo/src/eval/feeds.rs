//! What a program reads from the host while it runs, and what it gives to the host: `infeed` and `outfeed`.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::OpError;
use super::tensor::Tensor;

/// The queues to and from the host, which all processes of a run share.
///
/// ```
/// use stablehlo::eval::{Evaluator, Feeds, Grid, Registry, Tensor};
///
/// let program = r#"func.func @main(%token: !stablehlo.token) -> tensor<2xf32> {
///   %x, %next = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
///   %last = "stablehlo.outfeed"(%x, %next) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
///   return %x : tensor<2xf32>
/// }"#;
/// let evaluator = Evaluator::new(stablehlo::text::parse(program)?.into(), &Registry::default())?;
/// let feeds = Feeds::default();
/// feeds.push_infeed(vec![Tensor::from_vec(&[2], vec![1f32, 2.0])]);
/// let grid = Grid { num_replicas: 1, num_partitions: 1 };
/// evaluator.run_fed(grid, None, &feeds, vec![vec![stablehlo::eval::Value::Token]])?;
/// assert_eq!(feeds.take_outfeed()[0][0].as_slice::<f32>(), [1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Feeds {
    infeed: Mutex<VecDeque<Vec<Tensor>>>,
    outfeed: Mutex<Vec<Vec<Tensor>>>,
}

/// Every change of a queue is complete before anything can panic.
fn lock<T>(queue: &Mutex<T>) -> MutexGuard<'_, T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Feeds {
    /// Adds what one more `infeed` gives: a tensor for each of its results.
    pub fn push_infeed(&self, values: Vec<Tensor>) {
        lock(&self.infeed).push_back(values);
    }

    /// What the `outfeed`s so far were given, in order.
    pub fn take_outfeed(&self) -> Vec<Vec<Tensor>> {
        std::mem::take(&mut *lock(&self.outfeed))
    }

    pub(super) fn next_infeed(&self, count: usize) -> Result<Vec<Tensor>, OpError> {
        let values = lock(&self.infeed).pop_front();
        let values = values.ok_or_else(|| OpError::invalid("the infeed is empty; push more before the run"))?;
        if values.len() != count {
            return Err(OpError::invalid(format!("the infeed has {} tensors where {count} are read", values.len())));
        }
        Ok(values)
    }

    pub(super) fn push_outfeed(&self, values: Vec<Tensor>) {
        lock(&self.outfeed).push(values);
    }
}
