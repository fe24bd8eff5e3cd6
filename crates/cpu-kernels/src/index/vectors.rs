//! The index vectors in an array of indices.

use std::ops::Range;

use bytemuck::Pod;
use cpu_vir::Storage;

use super::single::SingleIndex;
use crate::lanes::vectorized;
use crate::layout::{advance, check_axes, merge, row_major, unravel};
use crate::shape::count;
use crate::view::numbers;
use crate::{KernelError, Shape};

/// An integer as an index.
trait Index: Pod {
    /// Whether every index is an i32.
    const NARROW: bool;
    /// What it points to, after `by` was added to a negative one in its own type.
    fn wide(self, by: i64) -> i64;
}

macro_rules! signed_indices {
    ($($T:ident)*) => {$(
        impl Index for $T {
            const NARROW: bool = size_of::<$T>() <= 4;
            #[inline(always)]
            fn wide(self, by: i64) -> i64 {
                i64::from(if self < 0 { self.wrapping_add(by as $T) } else { self })
            }
        }
    )*};
}
signed_indices! { i8 i16 i32 i64 }

macro_rules! unsigned_indices {
    ($($T:ident)*) => {$(
        impl Index for $T {
            const NARROW: bool = size_of::<$T>() <= 2;
            #[inline(always)]
            fn wide(self, _by: i64) -> i64 {
                // Beyond the greatest i64 is as far outside as that.
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }
    )*};
}
unsigned_indices! { u8 u16 u32 u64 }

macro_rules! with_indices {
    ($storage:expr, $T:ident => $body:expr) => {{
        macro_rules! arm {
            ($index:ident) => {{
                type $T = $index;
                $body
            }};
        }
        match $storage {
            Storage::I2 | Storage::I4 | Storage::I8 => arm!(i8),
            Storage::I16 => arm!(i16),
            Storage::I32 => arm!(i32),
            Storage::I64 => arm!(i64),
            Storage::U16 => arm!(u16),
            Storage::U32 => arm!(u32),
            Storage::U64 => arm!(u64),
            _ => arm!(u8),
        }
    }};
}

/// Where the index vectors are, and which axis of the operand each component and each paired batch dimension is for.
pub(super) struct IndexVectors {
    storage: Storage,
    /// Sizes of the batch dimensions: those other than the one of the components, in order.
    pub(super) batch_dims: Vec<usize>,
    batch_strides: Vec<usize>,
    component_stride: usize,
    /// The axis of the operand of each component.
    axes: Vec<usize>,
    /// Axes of the operand that a batch dimension indexes itself.
    batching: Vec<(usize, usize)>,
    /// From one vector to the next, if that is the same everywhere.
    step: Option<usize>,
    /// What is added to a negative index, for each component.
    wraps: Vec<i64>,
}

/// What becomes of an index that is too small or too great.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    /// It is moved to the nearest one.
    Clamp,
    /// Its vector has the offset [`OUTSIDE`].
    Drop,
}

/// The offset of a vector that is dropped.
pub(super) const OUTSIDE: usize = usize::MAX;

/// The stride by which a walk over all dimensions is one over their product, if there is one.
fn single_step(dims: &[usize], strides: &[usize]) -> Option<usize> {
    let strides: Vec<isize> = strides.iter().map(|&s| s as isize).collect();
    let (dims, [steps]) = merge(dims, [&strides]);
    match dims.len() {
        0 => Some(0),
        1 => Some(steps[0] as usize),
        _ => None,
    }
}

/// Offsets of batch indices by strides, for a range of batch positions.
pub(super) struct BatchOffsets {
    dims: Vec<usize>,
    strides: Vec<usize>,
    /// From one position to the next, if that is the same everywhere.
    pub(super) step: Option<usize>,
}

impl BatchOffsets {
    pub(super) fn new(dims: &[usize], strides: Vec<usize>) -> BatchOffsets {
        BatchOffsets { step: single_step(dims, &strides), dims: dims.to_vec(), strides }
    }

    pub(super) fn write(&self, range: Range<usize>, out: &mut [usize]) {
        if let Some(step) = self.step {
            out.iter_mut().zip(range).for_each(|(to, b)| *to = b * step);
            return;
        }
        let mut batch = unravel(range.start, &self.dims);
        for (to, _) in out.iter_mut().zip(range) {
            *to = batch.iter().zip(&self.strides).map(|(i, stride)| i * stride).sum();
            advance(&mut batch, &self.dims);
        }
    }
}

impl IndexVectors {
    /// `axes` has the operand's axis of each component, `batching` pairs of an axis and a dimension of the indices.
    pub(super) fn new(
        op: &'static str,
        indices: &Shape,
        index_vector_dim: usize,
        axes: &[usize],
        batching: (&[usize], &[usize]),
    ) -> Result<IndexVectors, KernelError> {
        indices.check(op)?;
        let rank = indices.rank();
        check_axes(op, "dimensions of the indices", batching.1, rank)?;
        // One beyond the last dimension means vectors of one component.
        let components = indices.dims.get(index_vector_dim).copied().unwrap_or(1);
        let fits = index_vector_dim <= rank
            && components == axes.len()
            && batching.0.len() == batching.1.len()
            && !batching.1.contains(&index_vector_dim)
            && indices.storage.compute().is_integer();
        if !fits {
            let problem = format!(
                "indices {indices} with index_vector_dim {index_vector_dim} do not fit dimensions {axes:?} and {batching:?}"
            );
            return Err(KernelError::invalid(op, problem));
        }
        let strides = row_major(&indices.dims);
        let batch: Vec<usize> = (0..rank).filter(|&a| a != index_vector_dim).collect();
        let position = |dim: usize| dim - usize::from(dim > index_vector_dim);
        let batch_dims: Vec<usize> = batch.iter().map(|&a| indices.dims[a]).collect();
        let batch_strides: Vec<usize> = batch.iter().map(|&a| strides[a]).collect();
        Ok(IndexVectors {
            storage: indices.storage,
            step: single_step(&batch_dims, &batch_strides).filter(|_| batching.0.is_empty()),
            batch_dims,
            batch_strides,
            component_stride: strides.get(index_vector_dim).copied().unwrap_or(1),
            axes: axes.to_vec(),
            wraps: vec![0; axes.len()],
            batching: batching.0.iter().zip(batching.1).map(|(&axis, &dim)| (axis, position(dim))).collect(),
        })
    }

    /// Adds `by[i]` to the i-th component of each vector where it is negative, in the type of the indices.
    ///
    /// # Errors
    /// When there are not as many numbers as components, or the indices are of a type that wraps below a byte.
    pub(super) fn wrap(&mut self, op: &'static str, by: &[i64]) -> Result<(), KernelError> {
        if by.len() != self.axes.len() || self.storage.narrow_bits().is_some() {
            return Err(KernelError::invalid(op, format!("indices of {} that wrap by {by:?}", self.storage.name())));
        }
        self.wraps = by.to_vec();
        Ok(())
    }

    /// Bytes of a vector, where they lie one after the other and nothing else is there.
    pub(super) fn row_bytes(&self) -> Option<usize> {
        let components = self.axes.len();
        let dense = self.step == Some(components) && (components <= 1 || self.component_stride == 1);
        (dense && components > 0).then(|| components * self.storage.size())
    }

    /// The indices of the only vector, for arrays of elements of so many bytes; `None` if there are others, or dimensions
    /// that are paired with those of the operand.
    pub(super) fn single(&self, axes: &[(usize, i64)], width: usize) -> Option<Vec<SingleIndex>> {
        let index = |(component, (&axis, &wrap)): (usize, (&usize, &i64))| SingleIndex {
            start: component * self.component_stride * self.storage.size(),
            ty: self.storage.compute(),
            wrap,
            most: axes[axis].1 as usize,
            stride: axes[axis].0 * width,
        };
        let is_alone = self.len() == 1 && self.batching.is_empty();
        is_alone.then(|| self.axes.iter().zip(&self.wraps).enumerate().map(index).collect())
    }

    /// Number of index vectors.
    pub(super) fn len(&self) -> usize {
        count(&self.batch_dims).unwrap_or(usize::MAX)
    }

    /// Writes where each vector of the range points: the sum of its indices by the strides of their axes, which have
    /// a stride and a greatest valid index each.
    pub(super) fn offsets(
        &self,
        indices: &[u8],
        range: Range<usize>,
        axes: &[(usize, i64)],
        bounds: Bounds,
        out: &mut [usize],
    ) {
        with_indices!(self.storage, T => {
            let indices = numbers::<T>(indices);
            match self.step {
                Some(step) => self.line(indices, range, step, axes, bounds, out),
                None => {
                    let mut k = 0;
                    self.walk(indices, range, axes.len(), &mut |start| {
                        out[k] = start.iter().zip(axes).fold(0, |at, (i, axis)| add(at, *i, *axis, bounds));
                        k += 1;
                    });
                }
            }
        })
    }

    /// The indices of one vector, for each axis of the operand; 0 where nothing indexes it.
    pub(super) fn start(&self, indices: &[u8], vector: usize, rank: usize) -> Vec<i64> {
        let mut found = Vec::new();
        with_indices!(self.storage, T => {
            self.walk(numbers::<T>(indices), vector..vector + 1, rank, &mut |start| found = start.to_vec());
        });
        found
    }

    fn line<T: Index>(
        &self,
        indices: &[T],
        range: Range<usize>,
        step: usize,
        axes: &[(usize, i64)],
        bounds: Bounds,
        out: &mut [usize],
    ) {
        let out = &mut out[..range.len()];
        // An axis that nothing indexes starts at 0, which may be outside when the window is larger than it.
        if bounds == Bounds::Drop && axes.iter().any(|(_, last)| *last < 0) {
            return out.fill(OUTSIDE);
        }
        // Where every place is an i32, vectors of those do.
        let reach = axes.iter().map(|(stride, last)| last.unsigned_abs().saturating_mul(*stride as u64));
        let narrow = T::NARROW && reach.fold(0, u64::saturating_add) < 1 << 31;
        for (component, (&axis, &wrap)) in self.axes.iter().zip(&self.wraps).enumerate() {
            let (stride, last) = axes[axis];
            let indices = &indices[range.start * step + component * self.component_stride..];
            // In the first component there is no old place.
            match (component == 0, narrow) {
                (true, true) => each(indices, step, out, |_, index| {
                    add_narrow(0, index.wide(wrap) as i32, (stride as i32, last as i32), bounds)
                }),
                (false, true) => each(indices, step, out, |place, index| {
                    add_narrow(place, index.wide(wrap) as i32, (stride as i32, last as i32), bounds)
                }),
                // Neither a product nor a sum.
                (true, false) if stride == 1 => {
                    each(indices, step, out, |_, index| add(0, index.wide(wrap), (1, last), bounds));
                }
                (true, false) => each(indices, step, out, |_, index| add(0, index.wide(wrap), (stride, last), bounds)),
                (false, false) => {
                    each(indices, step, out, |place, index| add(place, index.wide(wrap), (stride, last), bounds));
                }
            }
        }
        if self.axes.is_empty() {
            out.fill(0);
        }
    }

    fn walk<T: Index>(&self, indices: &[T], range: Range<usize>, rank: usize, visit: &mut dyn FnMut(&[i64])) {
        let mut batch = unravel(range.start, &self.batch_dims);
        let mut start = vec![0i64; rank];
        for _ in range {
            let base: usize = batch.iter().zip(&self.batch_strides).map(|(i, s)| i * s).sum();
            for (component, (&axis, &wrap)) in self.axes.iter().zip(&self.wraps).enumerate() {
                start[axis] = indices[base + component * self.component_stride].wide(wrap);
            }
            for &(axis, dim) in &self.batching {
                start[axis] = batch[dim] as i64;
            }
            visit(&start);
            advance(&mut batch, &self.batch_dims);
        }
    }
}

/// Gives every place a new value, from its old one and its index; those are `step` apart.
#[inline(always)]
fn each<T: Index>(indices: &[T], step: usize, places: &mut [usize], place: impl Fn(usize, T) -> usize) {
    if step == 1 {
        let indices = &indices[..places.len()];
        vectorized(|| places.iter_mut().zip(indices).for_each(|(to, &index)| *to = place(*to, index)));
    } else {
        places.iter_mut().enumerate().for_each(|(k, to)| *to = place(*to, indices[k * step]));
    }
}

/// An offset with one more index added. It does not overflow, being below the number of elements of the operand; that
/// it is not checked lets the compiler make vectors.
#[inline(always)]
fn add(offset: usize, index: i64, (stride, last): (usize, i64), bounds: Bounds) -> usize {
    let inside = index >= 0 && index <= last;
    let clamped = index.min(last).max(0) as usize;
    let place = offset.wrapping_add(clamped.wrapping_mul(stride));
    if bounds == Bounds::Drop && (!inside || offset == OUTSIDE) { OUTSIDE } else { place }
}

/// The same where indices and places are 32 bits wide, but for [`OUTSIDE`].
#[inline(always)]
fn add_narrow(offset: usize, index: i32, (stride, last): (i32, i32), bounds: Bounds) -> usize {
    let clamped = index.min(last).max(0);
    let place = offset.wrapping_add(clamped.wrapping_mul(stride) as u32 as usize);
    if bounds == Bounds::Drop && (clamped != index || offset == OUTSIDE) { OUTSIDE } else { place }
}
