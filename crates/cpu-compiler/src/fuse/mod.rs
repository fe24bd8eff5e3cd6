//! From graph values to loops: which values are computed together, and the loop programs that do it.
//!
//! Knows the graph and `cpu_vir` programs; it must know nothing of buffers and of running.

mod cluster;
mod emit;
mod gather;
mod index_map;
pub(crate) mod lanes;
mod scalars;

pub(crate) use cluster::{Chooser, LARGE_MOVE, Loop, Store, transposes_far};
pub(crate) use emit::source;
pub(crate) use scalars::scalar_program;
