//! What the CPU engine runs on: one thread pool, aligned memory with a budget, the floating-point mode.
//!
//! Knows no program, no kernel and nothing of PJRT. Unsafe code is confined to `memory` (allocation), `views` (disjoint pieces of it), `pool` (a
//! borrowed task on other threads) and `denormals` (a control register).
//!
//! ```
//! use cpu_runtime::{Budget, Pool};
//! use std::sync::atomic::{AtomicUsize, Ordering};
//!
//! let pool = Pool::new(2);
//! let sum = AtomicUsize::new(0);
//! pool.run(10, &|task| _ = sum.fetch_add(task, Ordering::Relaxed));
//! assert_eq!(sum.into_inner(), 45);
//!
//! let budget = Budget::new(1 << 20);
//! let mut block = budget.allocate(1000)?;
//! block.bytes_mut().fill(7);
//! assert_eq!(budget.usage().bytes_in_use, 1000);
//! # Ok::<(), cpu_runtime::OutOfMemory>(())
//! ```

mod block_cache;
mod budget;
mod denormals;
mod memory;
mod pool;
mod views;

pub use budget::{Budget, OutOfMemory, Usage};
pub use denormals::FlushDenormals;
pub use memory::{ALIGNMENT, Block};
pub use pool::{Pool, STACK_SIZE};
pub use views::{Span, Views};
