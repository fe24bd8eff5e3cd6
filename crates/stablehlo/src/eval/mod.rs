//! The reference evaluator: the StableHLO specification, transcribed literally.
//!
//! Owns run-time values, arithmetic and the operations. It knows nothing of devices, clients or buffers, and
//! prefers the plain formula over the fast one; it is what other engines are compared with.

pub mod error;
pub mod number;
pub mod ops;
pub mod tensor;
pub mod value;

pub use error::OpError;
pub use tensor::Tensor;
pub use value::Value;
