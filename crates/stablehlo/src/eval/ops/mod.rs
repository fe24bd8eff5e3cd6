//! The operations of StableHLO as functions of tensors, one family a file.
//!
//! They know tensors and plain parameters; regions reach them as a [`body::Body`].

mod axes;
pub mod binary;
pub mod body;
pub mod compare;
pub mod convert;
pub mod creation;
pub mod dot;
pub mod gather;
mod map;
pub mod movement;
pub mod reduce;
pub mod select;
mod strided;
pub mod unary;
