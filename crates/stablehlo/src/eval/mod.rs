//! The reference evaluator: the StableHLO specification, transcribed literally.
//!
//! Owns run-time values, arithmetic and the operations. It knows nothing of devices, clients or buffers, and
//! prefers the plain formula over the fast one; it is what other engines are compared with.

mod bind;
pub mod error;
mod evaluator;
mod feeds;
mod machine;
pub mod number;
pub mod ops;
mod parallel;
mod plan;
mod process;
mod registry;
pub mod tensor;
pub mod value;

pub use error::{EvalError, EvalErrorKind, OpError};
pub use evaluator::{Evaluator, evaluate};
pub use feeds::Feeds;
pub use parallel::Grid;
pub use process::{Interrupt, Process};
pub use registry::{CustomCall, CustomCallHandler, Registry};
pub use tensor::Tensor;
pub use value::Value;
