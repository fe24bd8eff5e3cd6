//! Reductions that are no loop program: several operands with any body, and the place of an extreme.

mod extreme;
mod program;

pub use extreme::ArgExtreme;
pub use program::Reduce;
