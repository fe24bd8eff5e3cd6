//! Programs as text: MLIR's pretty and generic form of StableHLO, builtin, func, chlo, sdy and check.
//!
//! Knows syntax only. Whether a program makes sense is the verifier's business.
//!
//! ```
//! let text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
//!   %y = stablehlo.add %x, %x : tensor<2xf32>
//!   return %y : tensor<2xf32>
//! }";
//! let module = stablehlo::text::parse(text).unwrap();
//! assert_eq!(module.function("main").unwrap().input_types().len(), 1);
//! let error = stablehlo::text::parse("func.func @f() { stablehlo.frobnicate }").unwrap_err();
//! assert_eq!((error.line(), error.column()), (1, 18));
//! ```

mod error;
mod float;
mod format;
mod lexer;
mod parse;
mod print;

pub use error::ParseError;
pub use parse::{parse, parse_named};
pub use print::{Form, PrintOptions, print, print_attr};
