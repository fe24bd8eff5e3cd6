//! How arrays are spread over the devices of a program: what its attributes say, and moving the blocks.
//!
//! A program over several devices is written for whole arrays. All devices share the machine's memory, so it runs once:
//! arguments are put together from the blocks of the devices, results are cut into blocks again.

mod blocks;
mod indexing;
mod propagation;
mod reshaping;
mod tiling;

pub(crate) use blocks::{cut, put_together};
pub(crate) use tiling::{SpreadValues, Tiling, of_arguments, of_results};
