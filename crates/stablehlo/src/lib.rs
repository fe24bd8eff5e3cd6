//! StableHLO programs in pure Rust: bytecode, text, IR, verifier, reference evaluator.
//!
//! Knows nothing of PJRT, of any backend or of any accelerator.
//!
//! ```
//! use stablehlo::eval::{Evaluator, Registry, Tensor};
//! use stablehlo::text::{PrintOptions, print};
//!
//! // Text or bytecode, whichever it is.
//! let program = b"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.tanh %x : tensor<2xf32>
//!   %1 = stablehlo.add %0, %x : tensor<2xf32>
//!   return %1 : tensor<2xf32>
//! }";
//! let module = stablehlo::read_program(program)?;
//! stablehlo::verify::verify(&module)?;
//!
//! // A walk over the ops, with their types and source locations.
//! for op in module.walk(module.root()).map(|op| module.op(op)) {
//!     println!("{} -> {} at {}", op.name(), module.value_types_text(op.results()), op.loc_text());
//! }
//!
//! // A portable artifact, which reads back as the same program.
//! let artifact = stablehlo::bytecode::write(&module, stablehlo::CURRENT_VERSION)?;
//! let again = stablehlo::read_program(&artifact)?;
//! assert_eq!(print(&module, &PrintOptions::default()), print(&again, &PrintOptions::default()));
//!
//! let evaluator = Evaluator::new(module.into(), &Registry::default())?;
//! let outputs = evaluator.run(vec![Tensor::from_vec(&[2], vec![0f32, 20.0]).into()])?;
//! assert_eq!(outputs[0].as_tensor()?.as_slice::<f32>(), [0.0, 21.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
