//! StableHLO programs in pure Rust: bytecode, text, IR, verifier, reference evaluator.
//!
//! Knows nothing of PJRT, of any backend or of any accelerator.
#![forbid(unsafe_code)]

pub mod bytecode;
pub mod element_type;
pub mod eval;
pub mod ir;
mod program;
pub mod text;
pub mod verify;
mod vhlo;

pub use bytecode::ReadError;
pub use element_type::{ElementKind, ElementType};
pub use program::{read_program, read_program_named};
pub use vhlo::{CURRENT_VERSION, MINIMUM_VERSION, Version};
