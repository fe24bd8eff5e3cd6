//! `cholesky` and `triangular_solve` on stacks of matrices.

mod cholesky;
mod field;
mod triangular;

pub use cholesky::Cholesky;
pub use triangular::{TriangularSolve, TriangularSystem};
