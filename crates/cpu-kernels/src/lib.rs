//! Kernels of the CPU engine: what StableHLO has that is no fused loop.
//!
//! A kernel is prepared from static shapes and attributes and then run as often and on as many threads as wanted, over
//! dense row-major arrays of little-endian bytes, as [`cpu_vir::Storage`] describes their elements. This crate knows no
//! programs, no devices and nothing of PJRT; regions reach it as recognised operations or as [`cpu_vir::Program`]s.
//!
//! **Invariant:** results do not depend on the number of threads: work is cut by the size of the data.
//!
//! ```
//! use cpu_kernels::{DotDimensions, DotGeneral, OpKernel, Shape};
//! use cpu_runtime::Pool;
//! use cpu_vir::Storage;
//!
//! let matrix = Shape::new(Storage::I32, &[2, 2]);
//! let dims = DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![0], ..Default::default() };
//! let dot = DotGeneral::prepare(&matrix, &matrix, &dims, Storage::I32)?;
//! let bytes = |numbers: &[i32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
//! let (a, b, mut c) = (bytes(&[1, 2, 3, 4]), bytes(&[0, 1, 1, 0]), vec![0; 16]);
//! dot.run(&Pool::new(2), &[&a, &b], &mut [&mut c])?;
//! assert_eq!(c, bytes(&[2, 1, 4, 3]));
//! # Ok::<(), cpu_kernels::KernelError>(())
//! ```
#![deny(unsafe_code)]

mod body;
mod by_rows;
mod convert;
mod convolution;
mod dot;
mod element;
mod error;
mod exchange;
mod fft;
mod index;
mod lanes;
mod layout;
mod linear;
mod movement;
mod panel;
mod parallel;
mod random_bits;
mod reduce;
mod scratch;
mod shape;
mod sort;
mod view;
mod window;

pub use by_rows::{ByRows, UpdatesByRows};
pub use convolution::{Convolution, ConvolutionDimensions, ConvolutionWindow};
pub use dot::{DotDimensions, DotGeneral};
pub use error::KernelError;
pub use fft::{Fft, FftKind};
pub use index::{
    Gather, GatherDimensions, OutOfBounds, Scatter, ScatterBody, ScatterDimensions, SingleBlock, SingleIndex,
};
pub use linear::{Cholesky, TriangularSolve, TriangularSystem};
pub use movement::{Concatenate, Pad, PadDimension, Reverse, Transpose};
pub use random_bits::{RandomAlgorithm, RngBitGenerator};
pub use reduce::{ArgExtreme, Reduce};
pub use shape::Shape;
pub use sort::{KeyOrder, Sort, SortBody, SortKey, TopK};
pub use window::{ReduceWindow, Select, SelectAndScatter, WindowBody, WindowDimension};

use cpu_runtime::Pool;

/// One operation with everything but its data decided.
pub trait OpKernel: Send + Sync {
    /// Computes the outputs from the inputs. Every byte of every output is written, whatever was in it.
    ///
    /// # Errors
    /// When the number of operands or a length is not what the kernel was prepared for. Nothing is written then.
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError>;

    /// How it works row by row, if it does and that is no slower.
    fn by_rows(&self) -> Option<ByRows> {
        None
    }
}
