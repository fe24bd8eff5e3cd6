//! Element-by-element loops, the one place where element-wise kernels touch tensors.

use crate::eval::error::OpError;
use crate::eval::number::Element;
use crate::eval::tensor::Tensor;

/// Applies `f` to every element.
pub(super) fn map<T: Element, U: Element>(x: &Tensor, f: impl Fn(T) -> U) -> Tensor {
    Tensor::from_vec(x.dims(), x.as_slice::<T>().iter().map(|&v| f(v)).collect())
}

/// Applies `f` to every pair of elements of two tensors of one shape.
pub(super) fn map2<T: Element, S: Element, U: Element>(x: &Tensor, y: &Tensor, f: impl Fn(T, S) -> U) -> Tensor {
    let pairs = x.as_slice::<T>().iter().zip(y.as_slice::<S>());
    Tensor::from_vec(x.dims(), pairs.map(|(&a, &b)| f(a, b)).collect())
}

/// Fails unless both have one shape.
pub(super) fn same_shape(x: &Tensor, y: &Tensor) -> Result<(), OpError> {
    if x.dims() != y.dims() {
        return Err(OpError::invalid(format!("shapes differ: {} and {}", x.describe(), y.describe())));
    }
    Ok(())
}

/// Fails unless both have one element type and shape.
pub(super) fn same_type(x: &Tensor, y: &Tensor) -> Result<(), OpError> {
    if x.element_type() != y.element_type() {
        return Err(OpError::invalid(format!("element types differ: {} and {}", x.describe(), y.describe())));
    }
    same_shape(x, y)
}
