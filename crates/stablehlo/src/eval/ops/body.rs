//! What reductions, scatters and sorts need of the function they are given.
//!
//! The operations know nothing of regions and interpreters: they hand over whole vectors of arguments, so that one
//! call serves as many elements as can be combined at once.

use super::binary::BinaryOp;
use crate::eval::error::OpError;
use crate::eval::tensor::Tensor;

/// A function of scalars, applied to vectors of arguments at a time.
pub trait Body {
    /// Applies the function to each position of the arguments, all of which have one shape `[n]`; the results too.
    fn apply(&self, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, OpError>;

    /// The operation, if the function of two arguments is one operation on them in order.
    fn as_binary(&self) -> Option<BinaryOp> {
        None
    }

    /// Whether the function of two arguments gives the second.
    fn is_second(&self) -> bool {
        false
    }
}

impl<F: Fn(Vec<Tensor>) -> Result<Vec<Tensor>, OpError>> Body for F {
    fn apply(&self, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, OpError> {
        self(arguments)
    }
}

/// One binary operation as a body.
pub struct BinaryBody(pub BinaryOp);

impl Body for BinaryBody {
    fn apply(&self, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, OpError> {
        match arguments.as_slice() {
            [a, b] => Ok(vec![super::binary::binary(self.0, a, b)?]),
            _ => Err(OpError::invalid("a binary operation takes two arguments")),
        }
    }

    fn as_binary(&self) -> Option<BinaryOp> {
        Some(self.0)
    }
}
