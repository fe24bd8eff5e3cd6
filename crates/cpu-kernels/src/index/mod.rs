//! `gather` and `scatter`: slices of arrays at run-time indices.
//!
//! [`vectors`] reads the indices, whatever integers they are, in 64 bits.

mod gather;
mod scatter;
mod single;
mod vectors;

pub use gather::{Gather, GatherDimensions};
pub use scatter::{OutOfBounds, Scatter, ScatterBody, ScatterDimensions};
pub use single::{SingleBlock, SingleIndex};
