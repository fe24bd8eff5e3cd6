//! Functions beyond the specification that programs name directly: the error function.

use super::map::map;
use crate::eval::error::OpError;
use crate::eval::number::{Float, with_float};
use crate::eval::tensor::Tensor;

/// The error function of every element. Fails for other than floats.
pub fn erf(x: &Tensor) -> Result<Tensor, OpError> {
    with_float!(x.element_type(),
        T => Ok(map(x, |v: T| T::from_f64(libm::erf(v.to_f64())))),
        _ => Err(OpError::element_type("erf", x.element_type())))
}
