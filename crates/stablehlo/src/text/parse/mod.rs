//! The parser: from text to a module.
//!
//! A hand-written descent over the tokens. Types, attributes and locations may nest only so deep; regions lie on
//! an explicit stack and may nest as deep as memory allows.

mod attrs;
mod cursor;
mod dense;
mod locs;
mod ops;
mod pieces;
mod scope;
mod sdy_attrs;
mod stablehlo_attrs;
mod structure;
mod type_syntax;

use super::ParseError;
use crate::ir::Module;

pub(crate) use structure::is_commutative;

/// Reads a program in text form.
///
/// Both the pretty and the generic form are read, and mixtures of them. Ops without a location of their own get
/// the place in the text as one.
///
/// # Errors
/// The first thing that is no program, with its place. An op, attribute or type that is not known is refused
/// by name.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    parse_named(text, "program")
}

/// The same, with the name of the file for locations and errors.
///
/// # Errors
/// As [`parse`].
pub fn parse_named(text: &str, file: &str) -> Result<Module, ParseError> {
    cursor::Parser::new(text, file).program()
}
