//! Operations that only move elements: broadcast, transpose, slice, reverse, concatenate, pad, dynamic slices.

use std::sync::Arc;

use super::strided::View;
use crate::eval::error::OpError;
use crate::eval::number::Word;
use crate::eval::tensor::{Tensor, Words, element_count, row_major_strides, with_words};

/// The elements of a view as a tensor of the view's shape.
pub(super) fn read_view(x: &Tensor, view: &View) -> Tensor {
    fn words<W: Word>(source: &[W], view: &View) -> Words {
        W::store(Arc::new(view.read(source)))
    }
    let words = with_words!(x.words(), v => words(v, view));
    Tensor::from_words(x.element_type(), view.dims.clone(), words)
}

/// Puts `values` where the view is in the target; copies the target first only if it is shared.
pub(super) fn write_view(target: Tensor, view: &View, values: &Tensor) -> Tensor {
    fn write<W: Word>(target: &mut Arc<Vec<W>>, view: &View, values: &Words) {
        view.write(Arc::make_mut(target).as_mut_slice(), W::load(values).expect("one element type"));
    }
    let (ty, dims) = (target.element_type(), target.dims().to_vec());
    let mut words = target.into_words();
    with_words!(&mut words, v => write(v, view, values.words()));
    Tensor::from_words(ty, dims, words)
}

/// One element, by its position in row-major order, as a rank-0 tensor. Panics beyond the end.
pub(in crate::eval) fn read_element(x: &Tensor, position: usize) -> Tensor {
    read_view(x, &View { offset: position as isize, dims: Vec::new(), strides: Vec::new() })
}

/// Checks that a list of dimension numbers is within the rank and has no repetition.
pub(super) fn check_axes(what: &str, axes: &[usize], rank: usize) -> Result<(), OpError> {
    for (i, &axis) in axes.iter().enumerate() {
        if axis >= rank || axes[..i].contains(&axis) {
            return Err(OpError::invalid(format!("{what} = {axes:?} must be distinct and below the rank {rank}")));
        }
    }
    Ok(())
}

/// A rank-0 (or one-element) tensor repeated over a shape.
pub fn broadcast_scalar(x: &Tensor, dims: &[usize]) -> Tensor {
    read_view(x, &View { offset: 0, dims: dims.to_vec(), strides: vec![0; dims.len()] })
}

/// Repeats `x` over `dims`; operand dimension `i` is result dimension `broadcast_dimensions[i]`, and one of size
/// one stretches. Fails when sizes do not fit.
pub fn broadcast_in_dim(x: &Tensor, broadcast_dimensions: &[usize], dims: &[usize]) -> Result<Tensor, OpError> {
    check_axes("broadcast_dimensions", broadcast_dimensions, dims.len())?;
    let fits = |(&size, &axis): (&usize, &usize)| size == 1 || size == dims[axis];
    if broadcast_dimensions.len() != x.rank() || !x.dims().iter().zip(broadcast_dimensions).all(fits) {
        return Err(OpError::invalid(format!(
            "{} does not broadcast to {dims:?} along {broadcast_dimensions:?}",
            x.describe()
        )));
    }
    if element_count(dims).is_none() {
        return Err(OpError::invalid(format!("result shape {dims:?} does not fit in memory")));
    }
    let own = row_major_strides(x.dims());
    let mut strides = vec![0; dims.len()];
    for (i, &axis) in broadcast_dimensions.iter().enumerate() {
        strides[axis] = if x.dims()[i] == 1 { 0 } else { own[i] as isize };
    }
    Ok(read_view(x, &View { offset: 0, dims: dims.to_vec(), strides }))
}

/// The same elements in row-major order under another shape. Fails when the counts differ.
pub fn reshape(x: &Tensor, dims: &[usize]) -> Result<Tensor, OpError> {
    if element_count(dims) != Some(x.len()) {
        return Err(OpError::invalid(format!("{} does not reshape to {dims:?}", x.describe())));
    }
    Ok(x.clone().with_dims(dims))
}

/// Result dimension `i` is operand dimension `permutation[i]`.
pub fn transpose(x: &Tensor, permutation: &[usize]) -> Result<Tensor, OpError> {
    check_axes("permutation", permutation, x.rank())?;
    if permutation.len() != x.rank() {
        return Err(OpError::invalid(format!("permutation {permutation:?} for {}", x.describe())));
    }
    let dense = View::dense(x.dims());
    let view = View {
        offset: 0,
        dims: permutation.iter().map(|&axis| dense.dims[axis]).collect(),
        strides: permutation.iter().map(|&axis| dense.strides[axis]).collect(),
    };
    Ok(read_view(x, &view))
}

/// Elements from `start` to before `limit` in steps of `strides`.
pub fn slice(x: &Tensor, start: &[usize], limit: &[usize], strides: &[usize]) -> Result<Tensor, OpError> {
    let rank = x.rank();
    let ok = start.len() == rank
        && limit.len() == rank
        && strides.len() == rank
        && (0..rank).all(|i| start[i] <= limit[i] && limit[i] <= x.dims()[i] && strides[i] > 0);
    if !ok {
        return Err(OpError::invalid(format!(
            "start_indices {start:?}, limit_indices {limit:?} and strides {strides:?} do not slice {}",
            x.describe()
        )));
    }
    let dense = View::dense(x.dims());
    let view = View {
        offset: (0..rank).map(|i| start[i] as isize * dense.strides[i]).sum(),
        dims: (0..rank).map(|i| (limit[i] - start[i]).div_ceil(strides[i])).collect(),
        strides: (0..rank).map(|i| dense.strides[i] * strides[i] as isize).collect(),
    };
    Ok(read_view(x, &view))
}

/// Elements in opposite order along the given dimensions.
pub fn reverse(x: &Tensor, dimensions: &[usize]) -> Result<Tensor, OpError> {
    check_axes("dimensions", dimensions, x.rank())?;
    if x.is_empty() {
        return Ok(x.clone());
    }
    let mut view = View::dense(x.dims());
    for &axis in dimensions {
        view.offset += (view.dims[axis] as isize - 1) * view.strides[axis];
        view.strides[axis] = -view.strides[axis];
    }
    Ok(read_view(x, &view))
}

/// All inputs one after the other along a dimension; the other sizes agree.
pub fn concatenate(inputs: &[&Tensor], dimension: usize) -> Result<Tensor, OpError> {
    let first = inputs.first().ok_or_else(|| OpError::invalid("concatenate needs at least one input"))?;
    check_axes("dimension", &[dimension], first.rank())?;
    let mut dims = first.dims().to_vec();
    dims[dimension] = 0;
    for x in inputs {
        let mut others = x.dims().to_vec();
        if x.element_type() == first.element_type() && x.rank() == first.rank() {
            dims[dimension] += others[dimension];
            others[dimension] = dims[dimension];
        }
        if x.element_type() != first.element_type() || others != dims {
            return Err(OpError::invalid(format!(
                "cannot concatenate {} to {} along dimension {dimension}",
                x.describe(),
                first.describe()
            )));
        }
    }
    let inner: usize = dims[dimension + 1..].iter().product();
    let outer: usize = dims[..dimension].iter().product();
    fn words<W: Word>(_: &[W], inputs: &[&Tensor], dimension: usize, inner: usize, outer: usize) -> Words {
        let mut out: Vec<W> = Vec::with_capacity(inputs.iter().map(|x| x.len()).sum());
        for i in 0..outer {
            for x in inputs {
                let run = x.dims()[dimension] * inner;
                let source: &Vec<W> = W::load(x.words()).expect("one element type");
                out.extend_from_slice(&source[i * run..(i + 1) * run]);
            }
        }
        W::store(Arc::new(out))
    }
    let words = with_words!(first.words(), v => words(v, inputs, dimension, inner, outer));
    Ok(Tensor::from_words(first.element_type(), dims, words))
}

/// Edge and interior padding with one value; negative edges remove elements.
pub fn pad(x: &Tensor, value: &Tensor, low: &[i64], high: &[i64], interior: &[i64]) -> Result<Tensor, OpError> {
    let rank = x.rank();
    let invalid = || {
        OpError::invalid(format!(
            "edge_padding_low {low:?}, edge_padding_high {high:?}, interior_padding {interior:?} do not pad {}",
            x.describe()
        ))
    };
    if low.len() != rank || high.len() != rank || interior.len() != rank || interior.iter().any(|&p| p < 0) {
        return Err(invalid());
    }
    if value.element_type() != x.element_type() || value.len() != 1 {
        return Err(OpError::invalid(format!("padding value {} for operand {}", value.describe(), x.describe())));
    }
    let mut dims = Vec::with_capacity(rank);
    for i in 0..rank {
        let spread = spread_size(x.dims()[i] as i64, interior[i] + 1).ok_or_else(invalid)?;
        let size = spread.checked_add(low[i]).and_then(|s| s.checked_add(high[i])).ok_or_else(invalid)?;
        dims.push(usize::try_from(size).map_err(|_| invalid())?);
    }
    if element_count(&dims).is_none() {
        return Err(invalid());
    }
    let result = broadcast_scalar(value, &dims);
    // Operand element k lands at low + k·(interior + 1); keep those k that land inside.
    let dense = View::dense(&dims);
    let (mut start, mut limit) = (vec![0; rank], vec![0; rank]);
    let mut view = View { offset: 0, dims: vec![0; rank], strides: vec![0; rank] };
    for i in 0..rank {
        let (step, size) = (interior[i] + 1, x.dims()[i] as i64);
        let first = if low[i] < 0 { (-low[i] + step - 1) / step } else { 0 }.min(size);
        let inside = dims[i] as i64 - 1 - low[i];
        let last = if inside < 0 { 0 } else { (inside / step + 1).min(size) }.max(first);
        (start[i], limit[i]) = (first as usize, last as usize);
        view.dims[i] = (last - first) as usize;
        view.strides[i] = dense.strides[i] * step as isize;
        view.offset += (low[i] + first * step) as isize * dense.strides[i];
    }
    let kept = slice(x, &start, &limit, &vec![1; rank])?;
    Ok(if kept.is_empty() { result } else { write_view(result, &view, &kept) })
}

/// Extent of `size` elements that are `step` apart.
pub(super) fn spread_size(size: i64, step: i64) -> Option<i64> {
    if size == 0 { Some(0) } else { (size - 1).checked_mul(step)?.checked_add(1) }
}

/// Where a slice of `sizes` starts in `dims`: the indices clamped so that it lies inside.
pub(super) fn clamp_starts(starts: &[i64], dims: &[usize], sizes: &[usize]) -> Result<Vec<usize>, OpError> {
    let fits = starts.len() == dims.len() && sizes.len() == dims.len() && sizes.iter().zip(dims).all(|(s, d)| s <= d);
    if !fits {
        return Err(OpError::invalid(format!("{} start indices and slice {sizes:?} for shape {dims:?}", starts.len())));
    }
    Ok((0..dims.len()).map(|i| starts[i].clamp(0, (dims[i] - sizes[i]) as i64) as usize).collect())
}

fn window(dims: &[usize], starts: &[usize], sizes: &[usize]) -> View {
    let dense = View::dense(dims);
    let offset = starts.iter().zip(&dense.strides).map(|(&s, &stride)| s as isize * stride).sum();
    View { offset, dims: sizes.to_vec(), strides: dense.strides }
}

/// A slice of `sizes` at run-time indices, clamped to lie inside.
pub fn dynamic_slice(x: &Tensor, starts: &[i64], sizes: &[usize]) -> Result<Tensor, OpError> {
    let starts = clamp_starts(starts, x.dims(), sizes)?;
    Ok(read_view(x, &window(x.dims(), &starts, sizes)))
}

/// `x` with a slice at run-time indices (clamped to lie inside) replaced. Writes in place if `x` is not shared.
pub fn dynamic_update_slice(x: Tensor, update: &Tensor, starts: &[i64]) -> Result<Tensor, OpError> {
    if update.element_type() != x.element_type() || update.rank() != x.rank() {
        return Err(OpError::invalid(format!("update {} for operand {}", update.describe(), x.describe())));
    }
    let starts = clamp_starts(starts, x.dims(), update.dims())?;
    let view = window(x.dims(), &starts, update.dims());
    Ok(write_view(x, &view, update))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iota(dims: &[usize]) -> Tensor {
        Tensor::from_vec(dims, (0..dims.iter().product::<usize>() as i32).collect())
    }

    fn values(x: &Tensor) -> Vec<i32> {
        x.as_slice::<i32>().to_vec()
    }

    #[test]
    fn broadcasting() {
        let x = Tensor::from_vec(&[1, 3], vec![1, 2, 3]);
        let y = broadcast_in_dim(&x, &[2, 1], &[2, 3, 2]).unwrap();
        assert_eq!(values(&y), [1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3]);
        assert!(broadcast_in_dim(&x, &[0, 1], &[2, 2]).is_err());
        assert_eq!(broadcast_in_dim(&x, &[0, 1], &[0, 3]).unwrap().len(), 0);
    }

    #[test]
    fn transposing_and_slicing() {
        let x = iota(&[2, 3]);
        assert_eq!(values(&transpose(&x, &[1, 0]).unwrap()), [0, 3, 1, 4, 2, 5]);
        assert_eq!(values(&slice(&iota(&[3, 4]), &[1, 0], &[3, 4], &[1, 3]).unwrap()), [4, 7, 8, 11]);
        assert!(slice(&x, &[0, 0], &[2, 4], &[1, 1]).is_err());
        assert_eq!(values(&reverse(&x, &[1]).unwrap()), [2, 1, 0, 5, 4, 3]);
    }

    #[test]
    fn concatenating() {
        let (a, b) = (iota(&[2, 1]), iota(&[2, 2]));
        assert_eq!(values(&concatenate(&[&a, &b], 1).unwrap()), [0, 0, 1, 1, 2, 3]);
        assert!(concatenate(&[&a, &b], 0).is_err());
    }

    #[test]
    fn padding() {
        // The example of the specification.
        let x = Tensor::from_vec(&[2, 3], vec![1, 2, 3, 4, 5, 6]);
        let y = pad(&x, &Tensor::scalar(0), &[0, 1], &[2, 1], &[1, 2]).unwrap();
        assert_eq!(y.dims(), [5, 9]);
        let rows: Vec<_> = values(&y).chunks(9).map(<[i32]>::to_vec).collect();
        assert_eq!(rows[0], [0, 1, 0, 0, 2, 0, 0, 3, 0]);
        assert_eq!(rows[1], [0; 9]);
        assert_eq!(rows[2], [0, 4, 0, 0, 5, 0, 0, 6, 0]);
        // Negative edges remove what the interior put there, too.
        let y = pad(&iota(&[4]), &Tensor::scalar(9), &[-1], &[-3], &[1]).unwrap();
        assert_eq!(values(&y), [9, 1, 9]);
        let y = pad(&iota(&[2]), &Tensor::scalar(9), &[-3], &[5], &[0]).unwrap();
        assert_eq!(values(&y), [9; 4]);
        assert_eq!(values(&pad(&iota(&[0]), &Tensor::scalar(9), &[2], &[1], &[3]).unwrap()), [9; 3]);
    }

    #[test]
    fn dynamic_slices_stay_inside() {
        let x = iota(&[4, 4]);
        assert_eq!(values(&dynamic_slice(&x, &[-7, 3], &[2, 3]).unwrap()), [1, 2, 3, 5, 6, 7]);
        let y = dynamic_update_slice(x.clone(), &Tensor::from_vec(&[1, 2], vec![-1, -2]), &[9, 1]).unwrap();
        assert_eq!(values(&y)[12..], [12, -1, -2, 15]);
        assert_eq!(values(&x)[13], 13);
    }
}
