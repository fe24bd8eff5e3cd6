//! `reduce`: combining elements along dimensions.
//!
//! The order is that of a balanced tree over neighbours (in row-major order of the reduced dimensions), with the
//! initial value combined last, from the left: body(init, tree). Neighbours are never exchanged, so the body need
//! only be associative, and errors of float sums grow with the logarithm of the length. Each step rounds to the
//! element type, as the specification's body does; XLA:CPU rounds each step too, in an order of its own.

use super::binary::{PairVisitor, visit_pair};
use super::body::Body;
use super::movement::{broadcast_scalar, check_axes, read_view, transpose};
use super::strided::View;
use crate::eval::error::OpError;
use crate::eval::number::Element;
use crate::eval::tensor::Tensor;

/// Reduces all inputs (of one shape) together along `dimensions`; `inits` are rank-0.
///
/// Fails when shapes differ, dimensions are out of range, or the body fails.
pub fn reduce(
    inputs: &[Tensor],
    inits: &[Tensor],
    dimensions: &[usize],
    body: &dyn Body,
) -> Result<Vec<Tensor>, OpError> {
    let first = inputs.first().ok_or_else(|| OpError::invalid("reduce needs at least one input"))?;
    if inits.len() != inputs.len()
        || inputs.iter().any(|x| x.dims() != first.dims())
        || inits.iter().any(|i| i.len() != 1)
    {
        return Err(OpError::invalid("reduce needs inputs of one shape and a scalar initial value for each"));
    }
    check_axes("dimensions", dimensions, first.rank())?;
    let mut reduced = dimensions.to_vec();
    reduced.sort_unstable();
    let kept: Vec<usize> = (0..first.rank()).filter(|a| !reduced.contains(a)).collect();
    let dims: Vec<usize> = kept.iter().map(|&a| first.dims()[a]).collect();
    let rows: usize = reduced.iter().map(|&a| first.dims()[a]).product();
    let columns: usize = dims.iter().product();
    let init_row = |init: &Tensor| broadcast_scalar(init, &[columns]);
    let result = if rows == 0 || columns == 0 {
        inits.iter().map(init_row).collect()
    } else {
        let permutation = [&reduced[..], &kept].concat();
        let matrices: Result<Vec<Tensor>, OpError> =
            inputs.iter().map(|x| Ok(transpose(x, &permutation)?.with_dims(&[rows * columns]))).collect();
        let tree = fold_rows(matrices?, rows, columns, body)?;
        body.apply(inits.iter().map(init_row).chain(tree).collect())?
    };
    if result.len() != inputs.len() {
        return Err(OpError::invalid(format!("the body gives {} values for {} inputs", result.len(), inputs.len())));
    }
    Ok(result.into_iter().map(|x| x.with_dims(&dims)).collect())
}

/// Combines the rows of matrices, flat in memory, to one row.
fn fold_rows(mut inputs: Vec<Tensor>, rows: usize, columns: usize, body: &dyn Body) -> Result<Vec<Tensor>, OpError> {
    if let (Some(op), [x]) = (body.as_binary(), inputs.as_slice()) {
        let ty = x.element_type();
        return Ok(vec![visit_pair(op, ty, FoldRows { x: inputs.remove(0), rows, columns })?]);
    }
    let mut rows = rows;
    while rows > 1 {
        let pairs = rows / 2;
        let every_other = |x: &Tensor, start: usize| {
            let view = View {
                offset: (start * columns) as isize,
                dims: vec![pairs, columns],
                strides: vec![2 * columns as isize, 1],
            };
            read_view(x, &view).with_dims(&[pairs * columns])
        };
        let sides = [0, 1].into_iter().flat_map(|side| inputs.iter().map(move |x| (x, side)));
        let combined = body.apply(sides.map(|(x, side)| every_other(x, side)).collect())?;
        // An odd last row waits for the next level.
        inputs = if rows % 2 == 1 {
            let last_row = |x: &Tensor| {
                let view = View { offset: ((rows - 1) * columns) as isize, dims: vec![columns], strides: vec![1] };
                read_view(x, &view)
            };
            let joined = combined.iter().zip(&inputs).map(|(c, x)| super::movement::concatenate(&[c, &last_row(x)], 0));
            joined.collect::<Result<_, _>>()?
        } else {
            combined
        };
        rows = rows.div_ceil(2);
    }
    Ok(inputs)
}

/// The same tree for one input and a known operation, in place.
struct FoldRows {
    x: Tensor,
    rows: usize,
    columns: usize,
}

impl PairVisitor for FoldRows {
    type Output = Tensor;

    fn visit<T: Element>(mut self, f: impl Fn(T, T) -> T) -> Tensor {
        let (columns, mut rows) = (self.columns, self.rows);
        let values = self.x.as_mut_slice::<T>();
        while rows > 1 {
            for pair in 0..rows / 2 {
                for column in 0..columns {
                    let left = 2 * pair * columns + column;
                    values[pair * columns + column] = f(values[left], values[left + columns]);
                }
            }
            if rows % 2 == 1 {
                values.copy_within((rows - 1) * columns..rows * columns, rows / 2 * columns);
            }
            rows = rows.div_ceil(2);
        }
        Tensor::from_vec(&[columns], values[..columns].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::super::binary::{BinaryOp, binary};
    use super::super::body::BinaryBody;
    use super::*;
    use crate::ElementType;

    fn general(op: BinaryOp) -> impl Body {
        move |arguments: Vec<Tensor>| Ok(vec![binary(op, &arguments[0], &arguments[1])?])
    }

    #[test]
    fn sums_along_each_choice_of_dimensions() {
        let x = Tensor::from_vec(&[2, 3, 2], (1..=12).collect::<Vec<i32>>());
        let sum = |dims: &[usize]| {
            let y = reduce(std::slice::from_ref(&x), &[Tensor::scalar(0)], dims, &BinaryBody(BinaryOp::Add)).unwrap();
            y[0].as_slice::<i32>().to_vec()
        };
        assert_eq!(sum(&[1]), [9, 12, 27, 30]);
        assert_eq!(sum(&[0, 2]), [18, 26, 34]);
        assert_eq!(sum(&[2, 1, 0]), [78]);
        assert_eq!(sum(&[]), (1..=12).collect::<Vec<_>>());
    }

    #[test]
    fn known_operation_and_general_body_agree_bit_for_bit() {
        for n in [1usize, 2, 3, 7, 64, 101] {
            let values: Vec<f32> = (0..n * 3).map(|i| (i as f32 * 1.618).sin() * 1e3).collect();
            let x = Tensor::from_vec(&[n, 3], values);
            for op in [BinaryOp::Add, BinaryOp::Multiply, BinaryOp::Maximum] {
                for dims in [&[0usize][..], &[1], &[0, 1]] {
                    let init = [Tensor::scalar(1f32)];
                    let fast = reduce(std::slice::from_ref(&x), &init, dims, &BinaryBody(op)).unwrap();
                    let slow = reduce(std::slice::from_ref(&x), &init, dims, &general(op)).unwrap();
                    assert_eq!(fast, slow);
                }
            }
        }
    }

    #[test]
    fn order_of_elements_is_kept() {
        // "Second argument" is associative but not commutative: it must find the last element.
        let second = |arguments: Vec<Tensor>| Ok(vec![arguments[1].clone()]);
        for n in 1..20usize {
            let x = Tensor::from_vec(&[n], (0..n as i32).collect());
            let y = reduce(&[x], &[Tensor::scalar(-1)], &[0], &second).unwrap();
            assert_eq!(y[0].as_slice::<i32>(), [n as i32 - 1]);
        }
    }

    #[test]
    fn nothing_gives_the_initial_value() {
        let x = Tensor::zeros(ElementType::F32, &[2, 0]);
        let y = reduce(&[x], &[Tensor::scalar(7f32)], &[1], &BinaryBody(BinaryOp::Add)).unwrap();
        assert_eq!(y[0].as_slice::<f32>(), [7.0, 7.0]);
        let x = Tensor::zeros(ElementType::F32, &[0, 4]);
        let y = reduce(&[x], &[Tensor::scalar(7f32)], &[1], &BinaryBody(BinaryOp::Add)).unwrap();
        assert_eq!(y[0].dims(), [0]);
    }
}
