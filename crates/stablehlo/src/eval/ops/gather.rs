//! `gather`: slices of an operand at run-time indices.

use std::sync::Arc;

use super::axes::{advance, axes, axis, sizes};
use super::strided::View;
use crate::eval::error::OpError;
use crate::eval::number::Word;
use crate::eval::tensor::{Tensor, Words, element_count, row_major_strides, with_words};
use crate::ir::attrs::GatherDimensionNumbers;

/// Walks the index vectors of a `start_indices` or `scatter_indices` tensor.
///
/// The batch dimensions are those other than `index_vector_dim`, in order.
pub(super) struct IndexVectors {
    values: Vec<i64>,
    /// Sizes and strides of the batch dimensions.
    pub batch_dims: Vec<usize>,
    batch_strides: Vec<usize>,
    /// Number of components and their stride.
    pub components: usize,
    component_stride: usize,
    index_vector_dim: usize,
}

impl IndexVectors {
    /// Fails when `index_vector_dim` is beyond the rank or the indices are no integers.
    pub fn new(indices: &Tensor, index_vector_dim: i64) -> Result<IndexVectors, OpError> {
        let rank = indices.rank();
        // One beyond the last dimension means index vectors of one component.
        let index_vector_dim = axis("index_vector_dim", index_vector_dim, rank + 1)?;
        let strides = row_major_strides(indices.dims());
        let batch: Vec<usize> = (0..rank).filter(|&a| a != index_vector_dim).collect();
        Ok(IndexVectors {
            values: indices.to_i64s()?,
            batch_dims: batch.iter().map(|&a| indices.dims()[a]).collect(),
            batch_strides: batch.iter().map(|&a| strides[a]).collect(),
            components: indices.dims().get(index_vector_dim).copied().unwrap_or(1),
            component_stride: strides.get(index_vector_dim).copied().unwrap_or(1),
            index_vector_dim,
        })
    }

    /// Which component of a batch index is that of an indices dimension.
    pub fn batch_position(&self, indices_dim: usize) -> usize {
        if indices_dim > self.index_vector_dim { indices_dim - 1 } else { indices_dim }
    }

    /// A component of the vector at a batch index.
    pub fn component(&self, batch: &[usize], component: usize) -> i64 {
        let base: usize = batch.iter().zip(&self.batch_strides).map(|(i, s)| i * s).sum();
        self.values[base + component * self.component_stride]
    }
}

/// For each index vector, the slice of `slice_sizes` that starts there (clamped to lie inside the operand).
///
/// Result dimensions are the batch dimensions of the indices and, at `offset_dims`, those of the slices that are
/// neither collapsed nor batching. Fails when the dimension numbers contradict each other or the shapes.
pub fn gather(
    operand: &Tensor,
    start_indices: &Tensor,
    numbers: &GatherDimensionNumbers,
    slice_sizes: &[i64],
) -> Result<Tensor, OpError> {
    let rank = operand.rank();
    let indices = IndexVectors::new(start_indices, numbers.index_vector_dim)?;
    let slice_sizes = sizes("slice_sizes", slice_sizes)?;
    let collapsed = axes("collapsed_slice_dims", &numbers.collapsed_slice_dims, rank)?;
    let batching = axes("operand_batching_dims", &numbers.operand_batching_dims, rank)?;
    let indices_batching =
        axes("start_indices_batching_dims", &numbers.start_indices_batching_dims, start_indices.rank())?;
    let start_index_map = axes("start_index_map", &numbers.start_index_map, rank)?;
    let kept: Vec<usize> = (0..rank).filter(|a| !collapsed.contains(a) && !batching.contains(a)).collect();
    let result_rank = indices.batch_dims.len() + kept.len();
    let offset_dims = axes("offset_dims", &numbers.offset_dims, result_rank)?;
    let consistent = slice_sizes.len() == rank
        && (0..rank).all(|a| slice_sizes[a] <= operand.dims()[a])
        && collapsed.iter().chain(&batching).all(|&a| slice_sizes[a] <= 1)
        && offset_dims.len() == kept.len()
        && start_index_map.len() == indices.components
        && batching.len() == indices_batching.len();
    if !consistent {
        return Err(OpError::invalid(format!(
            "slice_sizes {slice_sizes:?} and {numbers:?} do not fit operand {} and indices {}",
            operand.describe(),
            start_indices.describe()
        )));
    }
    // Result dimensions: slices at offset_dims, batch dimensions at the others, each in order.
    let batch_at: Vec<usize> = (0..result_rank).filter(|d| !offset_dims.contains(d)).collect();
    let mut dims = vec![0; result_rank];
    batch_at.iter().zip(&indices.batch_dims).for_each(|(&d, &size)| dims[d] = size);
    offset_dims.iter().zip(&kept).for_each(|(&d, &a)| dims[d] = slice_sizes[a]);
    if element_count(&dims).is_none() {
        return Err(OpError::invalid(format!("result shape {dims:?} does not fit in memory")));
    }
    let result_strides = row_major_strides(&dims);
    let operand_strides = row_major_strides(operand.dims());
    let within_slice =
        |strides: Vec<isize>| View { offset: 0, dims: kept.iter().map(|&a| slice_sizes[a]).collect(), strides };
    let from = within_slice(kept.iter().map(|&a| operand_strides[a] as isize).collect()).positions();
    let to = within_slice(offset_dims.iter().map(|&d| result_strides[d] as isize).collect()).positions();
    // Pairs of first elements, operand and result, for each index vector.
    let mut starts = Vec::with_capacity(indices.batch_dims.iter().product());
    let mut batch = vec![0usize; indices.batch_dims.len()];
    let mut more = !dims.contains(&0);
    while more {
        let mut start = 0;
        for (component, &a) in start_index_map.iter().enumerate() {
            let limit = (operand.dims()[a] - slice_sizes[a]) as i64;
            start += indices.component(&batch, component).clamp(0, limit) as usize * operand_strides[a];
        }
        for (&a, &d) in batching.iter().zip(&indices_batching) {
            start += batch[indices.batch_position(d)] * operand_strides[a];
        }
        let target: usize = batch_at.iter().zip(&batch).map(|(&d, i)| i * result_strides[d]).sum();
        starts.push((start, target));
        more = advance(&mut batch, &indices.batch_dims);
    }
    fn copy<W: Word>(source: &[W], len: usize, starts: &[(usize, usize)], from: &[usize], to: &[usize]) -> Words {
        let mut out = vec![W::zeroed(); len];
        for &(start, target) in starts {
            for (f, t) in from.iter().zip(to) {
                out[target + t] = source[start + f];
            }
        }
        W::store(Arc::new(out))
    }
    let len = dims.iter().product();
    let words = with_words!(operand.words(), v => copy(v, len, &starts, &from, &to));
    Ok(Tensor::from_words(operand.element_type(), dims, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(offset: &[i64], collapsed: &[i64], map: &[i64], vector_dim: i64) -> GatherDimensionNumbers {
        GatherDimensionNumbers {
            offset_dims: offset.into(),
            collapsed_slice_dims: collapsed.into(),
            operand_batching_dims: [].into(),
            start_indices_batching_dims: [].into(),
            start_index_map: map.into(),
            index_vector_dim: vector_dim,
        }
    }

    #[test]
    fn rows_by_number_are_clamped() {
        let x = Tensor::from_vec(&[3, 2], vec![1, 2, 3, 4, 5, 6]);
        let i = Tensor::from_vec(&[3], vec![2, -1, 7]);
        let y = gather(&x, &i, &numbers(&[1], &[0], &[0], 1), &[1, 2]).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>()), (&[3, 2][..], &[5, 6, 1, 2, 5, 6][..]));
    }

    #[test]
    fn slices_with_batch_dimensions_last() {
        // x[i:i+2, j] for (i, j) in rows, the slice before the batch.
        let x = Tensor::from_vec(&[3, 3], (0..9).collect::<Vec<i32>>());
        let i = Tensor::from_vec(&[2, 2], vec![0i64, 1, 5, 2]);
        let y = gather(&x, &i, &numbers(&[0], &[1], &[0, 1], 1), &[2, 1]).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>()), (&[2, 2][..], &[1, 5, 4, 8][..]));
    }

    #[test]
    fn batching_dimensions_pair_up() {
        let x = Tensor::from_vec(&[2, 3], (0..6).collect::<Vec<i32>>());
        let i = Tensor::from_vec(&[2, 1], vec![2u8, 1]);
        let n = GatherDimensionNumbers {
            offset_dims: [].into(),
            collapsed_slice_dims: [1].into(),
            operand_batching_dims: [0].into(),
            start_indices_batching_dims: [0].into(),
            start_index_map: [1].into(),
            index_vector_dim: 1,
        };
        assert_eq!(gather(&x, &i, &n, &[1, 1]).unwrap().as_slice::<i32>(), [2, 4]);
    }

    #[test]
    fn nothing_from_nothing() {
        let x = Tensor::zeros(crate::ElementType::F32, &[3, 0]);
        let i = Tensor::from_vec(&[2], vec![0, 1]);
        assert_eq!(gather(&x, &i, &numbers(&[1], &[0], &[0], 1), &[1, 0]).unwrap().dims(), [2, 0]);
        assert!(gather(&x, &i, &numbers(&[1], &[0], &[0], 1), &[4, 0]).is_err());
    }
}
