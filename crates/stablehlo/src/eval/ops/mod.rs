//! The operations of StableHLO as functions of tensors, one family a file.
//!
//! They know tensors and plain parameters; regions reach them as a [`body::Body`].

mod accumulate;
pub(super) mod axes;
pub mod batch_norm;
pub mod binary;
pub mod body;
pub mod collective;
pub mod compare;
pub mod convert;
pub mod convolution;
pub mod creation;
pub mod dot;
pub mod einsum;
pub mod fft;
pub mod gather;
pub mod householder;
pub mod index_select;
pub mod linear;
mod map;
pub mod movement;
pub mod quantize;
pub mod ragged;
pub mod ragged_dot;
pub mod reduce;
pub mod reduce_window;
pub mod rng;
pub mod scatter;
pub mod select;
pub mod sort;
pub mod special;
mod strided;
pub mod top_k;
pub mod unary;
pub mod window;
