//! StableHLO programs in pure Rust: bytecode, IR, reference evaluator.
//!
//! Knows nothing of PJRT, of any backend or of any accelerator.
#![forbid(unsafe_code)]

pub mod element_type;
pub mod eval;
pub mod ir;

pub use element_type::{ElementKind, ElementType};
