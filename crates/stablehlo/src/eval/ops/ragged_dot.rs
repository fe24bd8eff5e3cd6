//! `chlo.ragged_dot`: matrix products in which one dimension of lhs is cut into groups of given sizes.

use super::axes::{advance, axes, axis};
use super::dot::{DotDimensions, dot_general};
use super::movement::{concatenate, slice};
use super::select::select;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::Bool;
use crate::eval::tensor::Tensor;
use crate::ir::attrs::RaggedDotDimensionNumbers;

/// The product, in one of three ways after the kind of the ragged dimension of lhs:
///
/// - free: each row meets the rhs of its group, and rows of no group are zero;
/// - contracted: one product for each group, along a new first dimension;
/// - batched: the plain product.
///
/// `group_sizes` are of shape `[…, groups]`, with the sizes of the batching and like dimensions outside the ragged
/// one, or `[groups]` for all of them. Fails when shapes and dimension numbers do not fit.
pub fn ragged_dot(
    lhs: &Tensor,
    rhs: &Tensor,
    group_sizes: &Tensor,
    numbers: &RaggedDotDimensionNumbers,
    result_type: ElementType,
) -> Result<Tensor, OpError> {
    let dims = DotDimensions {
        lhs_batching: axes("lhs_batching_dimensions", &numbers.lhs_batching_dimensions, lhs.rank())?,
        rhs_batching: axes("rhs_batching_dimensions", &numbers.rhs_batching_dimensions, rhs.rank())?,
        lhs_contracting: axes("lhs_contracting_dimensions", &numbers.lhs_contracting_dimensions, lhs.rank())?,
        rhs_contracting: axes("rhs_contracting_dimensions", &numbers.rhs_contracting_dimensions, rhs.rank())?,
    };
    let ragged = match *numbers.lhs_ragged_dimensions {
        [ragged] => axis("lhs_ragged_dimensions", ragged, lhs.rank())?,
        _ => return Err(OpError::invalid("`lhs_ragged_dimensions` must name one dimension")),
    };
    let group_dimension = match *numbers.rhs_group_dimensions {
        [] => None,
        [dimension] => Some(axis("rhs_group_dimensions", dimension, rhs.rank())?),
        _ => return Err(OpError::invalid("`rhs_group_dimensions` must name one dimension at most")),
    };
    if dims.lhs_batching.contains(&ragged) {
        return dot_general(lhs, rhs, &dims, result_type);
    }
    let contracted = dims.lhs_contracting.contains(&ragged);
    // Dimensions of lhs outside the ragged one that may have group sizes of their own.
    let before: Vec<usize> = (0..ragged)
        .filter(|d| !dims.lhs_batching.contains(d) && dims.lhs_contracting.contains(d) == contracted)
        .collect();
    let prefix = [&dims.lhs_batching[..], &before].concat();
    let groups = Groups::new(group_sizes, &prefix.iter().map(|&d| lhs.dims()[d]).collect::<Vec<_>>())?;
    match (contracted, group_dimension) {
        (true, None) => {
            // Where the dimensions of the groups are in rhs.
            let in_rhs = |d: usize| {
                let paired = dims.lhs_batching.iter().zip(&dims.rhs_batching);
                let mut paired = paired.chain(dims.lhs_contracting.iter().zip(&dims.rhs_contracting));
                paired
                    .find(|&(&l, _)| l == d)
                    .map(|(_, &r)| r)
                    .ok_or_else(|| OpError::invalid("lhs and rhs do not pair"))
            };
            let rhs_prefix = prefix.iter().map(|&d| in_rhs(d)).collect::<Result<Vec<_>, _>>()?;
            let rhs_ragged = in_rhs(ragged)?;
            let part = |group: usize| {
                // What is of another group is zero on both sides, so that no NaN gets across.
                let lhs = masked(lhs, &groups.mask(lhs.dims(), &prefix, ragged, group))?;
                let rhs = masked(rhs, &groups.mask(rhs.dims(), &rhs_prefix, rhs_ragged, group))?;
                let product = dot_general(&lhs, &rhs, &dims, result_type)?;
                let with_group = [&[1], product.dims()].concat();
                Ok(product.with_dims(&with_group))
            };
            let parts = (0..groups.count).map(part).collect::<Result<Vec<Tensor>, OpError>>()?;
            match parts.is_empty() {
                true => Err(OpError::unsupported("a product of no groups at all")),
                false => concatenate(&parts.iter().collect::<Vec<_>>(), 0),
            }
        }
        (false, Some(dimension)) => {
            if rhs.dims()[dimension] != groups.count {
                return Err(OpError::invalid(format!(
                    "rhs has {} groups and `group_sizes` {}",
                    rhs.dims()[dimension],
                    groups.count
                )));
            }
            let without = |d: &usize| if *d > dimension { d - 1 } else { *d };
            let dims = DotDimensions {
                rhs_batching: dims.rhs_batching.iter().map(without).collect(),
                rhs_contracting: dims.rhs_contracting.iter().map(without).collect(),
                ..dims
            };
            // Dimensions of lhs in the order of the result.
            let free = (0..lhs.rank()).filter(|d| !dims.lhs_batching.contains(d) && !dims.lhs_contracting.contains(d));
            let order: Vec<usize> = dims.lhs_batching.iter().copied().chain(free).collect();
            let in_result = |d: usize| order.iter().position(|&o| o == d).expect("batching and free dimensions stay");
            let prefix: Vec<usize> = prefix.iter().map(|&d| in_result(d)).collect();
            let product = |group: usize| {
                let (mut start, mut limit) = (vec![0; rhs.rank()], rhs.dims().to_vec());
                (start[dimension], limit[dimension]) = (group, group + 1);
                let part = slice(rhs, &start, &limit, &vec![1; rhs.rank()])?;
                let mut part_dims = part.dims().to_vec();
                part_dims.remove(dimension);
                dot_general(lhs, &part.with_dims(&part_dims), &dims, result_type)
            };
            let mut result: Option<Tensor> = None;
            for group in 0..groups.count {
                let product = product(group)?;
                let mask = groups.mask(product.dims(), &prefix, in_result(ragged), group);
                let rest = result.take().unwrap_or_else(|| Tensor::zeros(result_type, product.dims()));
                result = Some(select(&mask, &product, &rest)?);
            }
            result.ok_or_else(|| OpError::unsupported("a product of no groups at all"))
        }
        (true, Some(_)) => Err(OpError::invalid("rhs has no groups of its own where they are contracted")),
        (false, None) => Err(OpError::invalid("`rhs_group_dimensions` must name the dimension of the groups")),
    }
}

fn masked(x: &Tensor, mask: &Tensor) -> Result<Tensor, OpError> {
    select(mask, x, &Tensor::zeros(x.element_type(), x.dims()))
}

/// Where the groups lie.
struct Groups {
    /// Ends of the groups, for each index of the dimensions outside the ragged one.
    ends: Vec<i64>,
    /// Sizes of those dimensions; none if all share the groups.
    prefix: Vec<usize>,
    count: usize,
}

impl Groups {
    fn new(sizes: &Tensor, prefix: &[usize]) -> Result<Groups, OpError> {
        let Some((&count, own)) = sizes.dims().split_last() else {
            return Err(OpError::invalid("`group_sizes` must have a dimension"));
        };
        if !own.is_empty() && own != prefix {
            return Err(OpError::invalid(format!(
                "`group_sizes` is {}, and the dimensions outside the groups are {prefix:?}",
                sizes.describe()
            )));
        }
        let mut ends = sizes.to_i64s()?;
        for row in ends.chunks_mut(count.max(1)) {
            let mut end = 0i64;
            for size in row {
                end = end.saturating_add(*size);
                *size = end;
            }
        }
        Ok(Groups { ends, prefix: own.to_vec(), count })
    }

    /// Which elements of a tensor of shape `dims` are of the group, where `prefix` and `ragged` say which of its
    /// dimensions are which.
    fn mask(&self, dims: &[usize], prefix: &[usize], ragged: usize, group: usize) -> Tensor {
        let count = dims.iter().product();
        let mut index = vec![0; dims.len()];
        let mut flags = Vec::with_capacity(count);
        for _ in 0..count {
            let row = self.prefix.iter().zip(prefix).fold(0, |row, (&size, &d)| row * size + index[d]);
            let end = |group: usize| self.ends[row * self.count + group];
            let start = if group == 0 { 0 } else { end(group - 1) };
            flags.push(Bool::new((start..end(group)).contains(&(index[ragged] as i64))));
            advance(&mut index, dims);
        }
        Tensor::from_vec(dims, flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(lists: [&[i64]; 6]) -> RaggedDotDimensionNumbers {
        let [lhs_b, rhs_b, lhs_c, rhs_c, ragged, group] = lists.map(Box::from);
        RaggedDotDimensionNumbers {
            lhs_batching_dimensions: lhs_b,
            rhs_batching_dimensions: rhs_b,
            lhs_contracting_dimensions: lhs_c,
            rhs_contracting_dimensions: rhs_c,
            lhs_ragged_dimensions: ragged,
            rhs_group_dimensions: group,
        }
    }

    #[test]
    fn rows_meet_the_rhs_of_their_group() {
        let lhs = Tensor::from_vec(&[4, 1], vec![1f32, 2.0, 3.0, 4.0]);
        // The NaN is of a group that no row is in.
        let rhs = Tensor::from_vec(&[3, 1, 1], vec![10f32, f32::NAN, 100.0]);
        let sizes = Tensor::from_vec(&[3], vec![1i64, 0, 2]);
        let y = ragged_dot(&lhs, &rhs, &sizes, &numbers([&[], &[], &[1], &[1], &[0], &[0]]), ElementType::F32).unwrap();
        assert_eq!(y.as_slice::<f32>(), [10.0, 200.0, 300.0, 0.0]);
    }

    #[test]
    fn contracted_groups_give_a_product_each() {
        let lhs = Tensor::from_vec(&[1, 4], vec![1i32, 2, 3, 4]);
        let rhs = Tensor::from_vec(&[4, 1], vec![1i32, 10, 100, 1000]);
        let sizes = Tensor::from_vec(&[2], vec![3i64, 1]);
        let y = ragged_dot(&lhs, &rhs, &sizes, &numbers([&[], &[], &[1], &[0], &[1], &[]]), ElementType::I32).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>()), (&[2, 1, 1][..], &[321, 4000][..]));
    }

    #[test]
    fn batches_have_groups_of_their_own() {
        let lhs = Tensor::from_vec(&[2, 2, 1], vec![1i32, 2, 3, 4]);
        let rhs = Tensor::from_vec(&[2, 2, 1, 1], vec![1i32, 1, 10, 10]);
        let sizes = Tensor::from_vec(&[2, 2], vec![1i64, 1, 0, 2]);
        let y =
            ragged_dot(&lhs, &rhs, &sizes, &numbers([&[0], &[1], &[2], &[2], &[1], &[0]]), ElementType::I32).unwrap();
        assert_eq!(y.as_slice::<i32>(), [1, 20, 30, 40]);
    }
}
