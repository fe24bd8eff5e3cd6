//! The k largest or smallest elements of each row, with their positions.

use super::body::Body;
use super::compare::compare;
use super::creation::iota;
use super::movement::slice;
use super::sort::sort;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::tensor::Tensor;
use crate::ir::attrs::{ComparisonDirection, ComparisonType};

/// Values and `i32` positions of the `k` largest (or smallest) elements along the last dimension, in order; of equal
/// ones the first comes first. Floats are in total order. Fails when there are fewer than `k`.
pub fn top_k(x: &Tensor, k: usize, largest: bool) -> Result<[Tensor; 2], OpError> {
    let (rank, size) = (x.rank(), x.dims().last().copied().unwrap_or(0));
    if rank == 0 || k > size {
        return Err(OpError::invalid(format!("the first {k} elements of rows of {}", x.describe())));
    }
    let direction = if largest { ComparisonDirection::Gt } else { ComparisonDirection::Lt };
    let before = move |a: Vec<Tensor>| Ok(vec![compare(direction, ComparisonType::TotalOrder, &a[0], &a[1])?]);
    let comparator: &dyn Body = &before;
    let sorted = sort(&[x.clone(), iota(ElementType::I32, x.dims(), rank - 1)?], rank - 1, comparator)?;
    let mut limit = x.dims().to_vec();
    limit[rank - 1] = k;
    let first = |x: &Tensor| slice(x, &vec![0; rank], &limit, &vec![1; rank]);
    Ok([first(&sorted[0])?, first(&sorted[1])?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_of_equal_ones_first() {
        let x = Tensor::from_vec(&[2, 4], vec![1f32, 3.0, 3.0, 2.0, f32::NAN, 0.0, -0.0, 9.0]);
        let [values, indices] = top_k(&x, 2, true).unwrap();
        assert_eq!(values.as_slice::<f32>()[..2], [3.0, 3.0]);
        assert_eq!(indices.as_slice::<i32>(), [1, 2, 0, 3]);
        assert_eq!(top_k(&x, 1, false).unwrap()[1].as_slice::<i32>(), [0, 2]);
        assert!(top_k(&x, 5, true).is_err());
    }
}
