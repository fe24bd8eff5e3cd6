//! Fused loops of the CPU engine: a vector IR for loop nests, and the portable executor that runs it.
//!
//! A [`Program`] is an iteration space, the memory that its points read and write through strides, and a straight-line
//! body over typed vector values. There is no machine code here: [`exec`] runs a program over tiles that fit the
//! cache, with one precompiled loop per instruction. A native code generator takes the same programs and passes the
//! same tests (`vir_tests!`, behind the feature `suite`).
//!
//! ```
//! use cpu_vir::{BinaryOp, Builder, Kernel, Storage};
//!
//! let mut builder = Builder::new(&[2, 3], 0);
//! let (column, matrix, sum) =
//!     (builder.input(Storage::I32), builder.input(Storage::I32), builder.output(Storage::I32));
//! // The column is broadcast along the rows: its stride there is 0.
//! let a = builder.load(cpu_vir::Access { operand: column, offset: 0, strides: vec![1, 0] });
//! let b = builder.load(builder.dense(matrix));
//! let c = builder.binary(BinaryOp::Add, a, b);
//! builder.store(builder.dense(sum), c);
//! let program = builder.finish()?;
//!
//! let bytes = |numbers: &[i32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
//! let (column, matrix, mut sum) = (bytes(&[10, 20]), bytes(&[1, 2, 3, 4, 5, 6]), vec![0; 24]);
//! let kernel = Kernel::prepare(&program)?;
//! kernel.run(&[&column, &matrix], &mut [&mut sum], 0..kernel.points())?;
//! assert_eq!(sum, bytes(&[11, 12, 13, 24, 25, 26]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

pub mod builder;
pub mod complex;
mod complex_functions;
pub mod cost;
mod display;
pub mod element;
pub mod exec;
pub mod expand;
mod math;
pub mod op;
pub mod program;
pub mod scalar;
pub mod small_float;
mod threefry;
pub mod verify;

pub use builder::{Builder, row_major};
pub use complex::Complex;
pub use element::{Storage, Type};
pub use exec::{Kernel, RunError};
pub use op::{BinaryOp, Direction, ReduceKind, UnaryOp};
pub use program::{Access, GatherIndex, Guard, Inst, Operand, OperandId, Part, Program, Reduction, Role, Store, Value};
pub use scalar::Scalar;
pub use threefry::threefry;
pub use verify::{Invalid, verify};

#[cfg(any(test, feature = "suite"))]
pub mod suite;
