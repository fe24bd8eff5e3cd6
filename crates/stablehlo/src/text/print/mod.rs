//! The printer: from a module to text.
//!
//! Works off lists of what is left to write; neither regions nor types nor attributes need stack.

mod attrs;
mod dense;
mod locs;
mod names;
mod ops;
mod pieces;
mod sdy;
mod structure;
mod writer;

use crate::ir::Module;

/// How to write ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As short as MLIR writes them: `stablehlo.add %0, %1 : tensor<2xf32>`.
    #[default]
    Pretty,
    /// All alike: `"stablehlo.add"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`.
    Generic,
}

/// What to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// The form of ops.
    pub form: Form,
    /// Whether source locations are written.
    pub locations: bool,
}

/// The program as text, which [`parse`](super::parse) and MLIR itself read back.
pub fn print(module: &Module, options: &PrintOptions) -> String {
    let mut printer = writer::Printer::new(module, *options);
    printer.program();
    printer.out
}

/// One attribute as text.
pub fn print_attr(module: &Module, attr: crate::ir::AttrId) -> String {
    let mut printer = writer::Printer::bare(module);
    printer.attr(attr);
    printer.out
}
