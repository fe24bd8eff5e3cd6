//! Moving elements without changing them: transposition, concatenation, padding, reversal.

mod concatenate;
mod pad;
mod permutation;
mod transpose;

pub use concatenate::Concatenate;
pub use pad::{Pad, PadDimension};
pub(crate) use permutation::Permutation;
pub use transpose::{Reverse, Transpose};
