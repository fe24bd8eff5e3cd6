//! Shapes of operands: element type and dimension sizes.

use std::fmt;

use cpu_vir::Storage;

use crate::KernelError;

/// The type of a dense row-major array.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Shape {
    /// What its elements are.
    pub storage: Storage,
    /// Sizes of the dimensions, outermost first.
    pub dims: Vec<usize>,
}

impl Shape {
    /// A shape.
    pub fn new(storage: Storage, dims: &[usize]) -> Shape {
        Shape { storage, dims: dims.to_vec() }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Number of elements. Shapes that kernels were prepared for fit in memory; others may wrap here.
    pub fn elements(&self) -> usize {
        count(&self.dims).unwrap_or(usize::MAX)
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.elements().saturating_mul(self.storage.size())
    }

    /// Fails when the shape does not fit in memory.
    pub(crate) fn check(&self, op: &'static str) -> Result<(), KernelError> {
        match count(&self.dims) {
            Some(_) => Ok(()),
            None => Err(KernelError::invalid(op, format!("{self} does not fit in memory"))),
        }
    }
}

/// Number of elements; `None` when so many do not fit in memory.
pub(crate) fn count(dims: &[usize]) -> Option<usize> {
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= isize::MAX as usize / 16)
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("tensor<")?;
        for dim in &self.dims {
            write!(out, "{dim}x")?;
        }
        write!(out, "{}>", self.storage)
    }
}
