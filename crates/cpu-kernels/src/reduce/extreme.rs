//! The greatest or least element along an axis, and its place: JAX's argmax and argmin.
#![allow(unsafe_code, reason = "tasks write to different points of two outputs")]

use cpu_runtime::Pool;
use cpu_vir::Storage;

use crate::element::{Element, Number, with_element};
use crate::lanes::vectorized;
use crate::parallel::{Shared, ranges};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape};

const OP: &str = "argmax or argmin";

/// Points whose best elements stay in the first cache when the axis is not the last.
const LANES: usize = 256;

/// Input: an array. Outputs: the greatest (or least) element along an axis and its index; of equal ones the first, and
/// before all others the first that is not a number.
pub struct ArgExtreme {
    input: Shape,
    results: [Shape; 2],
    greatest: bool,
    outer: usize,
    size: usize,
    inner: usize,
}

impl ArgExtreme {
    /// `index` is i32, i64, u32 or u64.
    ///
    /// # Errors
    /// When the axis is out of range or empty, the indices are of another type, or the elements are complex.
    pub fn prepare(input: &Shape, axis: usize, index: Storage, greatest: bool) -> Result<ArgExtreme, KernelError> {
        input.check(OP)?;
        if axis >= input.rank() || input.dims[axis] == 0 {
            return Err(KernelError::invalid(OP, format!("axis {axis} of {input} has no elements")));
        }
        let is_index = matches!(index, Storage::I32 | Storage::I64 | Storage::U32 | Storage::U64);
        if !is_index || input.storage.is_complex() || u32::try_from(input.dims[axis]).is_err() {
            let problem = format!("{index} indices of {input}; use a general reduction");
            return Err(KernelError::unsupported(OP, problem));
        }
        let mut dims = input.dims.clone();
        let size = dims.remove(axis);
        Ok(ArgExtreme {
            outer: dims[..axis].iter().product(),
            inner: dims[axis..].iter().product(),
            results: [Shape::new(input.storage, &dims), Shape::new(index, &dims)],
            input: input.clone(),
            greatest,
            size,
        })
    }

    /// Shapes of the results: values and indices.
    pub fn results(&self) -> &[Shape; 2] {
        &self.results
    }

    fn compute<E: Element, const GREATEST: bool>(&self, pool: &Pool, input: &[u8], outputs: &mut [&mut [u8]]) {
        let input = numbers::<E::Raw>(input);
        let [values, indices] = outputs else { unreachable!("checked: two outputs") };
        let values = Shared::new(numbers_mut::<E::Raw>(values));
        let wide = self.results[1].storage.size() == 8;
        let indices = Shared::new(indices);
        let put = |point: usize, index: usize| {
            let bytes = (index as u64).to_le_bytes();
            let size = if wide { 8 } else { 4 };
            // SAFETY: every point is handed out once.
            unsafe { indices.part(point * size, size) }.copy_from_slice(&bytes[..size]);
        };
        let (size, inner) = (self.size, self.inner);
        if inner == 1 {
            return ranges(pool, self.outer, size as u64 * 150 + 5_000, &|start, end| {
                for point in start..end {
                    let row = &input[point * size..][..size];
                    let index = vectorized(|| find::<E, GREATEST>(row));
                    // SAFETY: every point is handed out once.
                    let value = unsafe { values.part(point, 1) };
                    value[0] = row[index];
                    put(point, index);
                }
            });
        }
        let strips = inner.div_ceil(LANES);
        let cost = (size * inner.min(LANES)) as u64 * 400;
        ranges(pool, self.outer * strips, cost, &|start, end| {
            for task in start..end {
                let (o, lane) = (task / strips, task % strips * LANES);
                let lanes = LANES.min(inner - lane);
                let row = |i: usize| &input[(o * size + i) * inner + lane..][..lanes];
                let mut places = [0u32; LANES];
                let mut best = [E::read(row(0)[0]); LANES];
                best.iter_mut().zip(row(0)).for_each(|(best, x)| *best = E::read(*x));
                for i in 1..size {
                    // Sizes beyond u32 are refused.
                    vectorized(|| keep_best::<E, GREATEST>(row(i), i as u32, &mut best, &mut places));
                }
                for (l, &place) in places[..lanes].iter().enumerate() {
                    let point = o * inner + lane + l;
                    // SAFETY: every point is handed out once.
                    let value = unsafe { values.part(point, 1) };
                    value[0] = row(place as usize)[l];
                    put(point, place as usize);
                }
            }
        });
    }
}

/// Lanes of elements against the best so far.
#[inline(always)]
fn keep_best<E: Element, const GREATEST: bool>(
    row: &[E::Raw],
    index: u32,
    best: &mut [E::Number; LANES],
    places: &mut [u32; LANES],
) {
    for ((best, place), x) in best.iter_mut().zip(places).zip(row) {
        let x = E::read(*x);
        let wins = beats::<E::Number, GREATEST>(x, *best);
        *best = if wins { x } else { *best };
        *place = if wins { index } else { *place };
    }
}

/// Whether a later element takes the place of the best so far.
#[inline(always)]
#[allow(clippy::eq_op, reason = "what is not a number differs from itself")]
fn beats<N: Number, const GREATEST: bool>(x: N, best: N) -> bool {
    let better = if GREATEST { x.is_above(best) } else { best.is_above(x) };
    (better | (x != x)) & (best == best)
}

/// The index of the extreme of a row.
#[allow(clippy::eq_op, reason = "what is not a number differs from itself")]
#[inline(always)]
fn find<E: Element, const GREATEST: bool>(row: &[E::Raw]) -> usize {
    const WIDTH: usize = 32;
    // The extreme first, in lanes; then the first place that has it.
    let mut best = [E::read(row[0]); WIDTH];
    let mut chunks = row.chunks_exact(WIDTH);
    for chunk in &mut chunks {
        for (best, x) in best.iter_mut().zip(chunk) {
            let x = E::read(*x);
            *best = if beats::<E::Number, GREATEST>(x, *best) { x } else { *best };
        }
    }
    let rest = chunks.remainder().iter().map(|x| E::read(*x));
    let extreme =
        best.into_iter().chain(rest).reduce(|best, x| if beats::<E::Number, GREATEST>(x, best) { x } else { best });
    let extreme = extreme.expect("lanes");
    let place = row.iter().position(|x| {
        let x = E::read(*x);
        x == extreme || x != x && extreme != extreme
    });
    place.unwrap_or(0)
}

impl OpKernel for ArgExtreme {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let [values, indices] = &self.results;
        with_operands((&[&self.input], inputs), (&[values, indices], outputs), |inputs, outputs| {
            macro_rules! compute {
                ($E:ty) => {
                    match self.greatest {
                        true => self.compute::<$E, true>(pool, inputs[0], outputs),
                        false => self.compute::<$E, false>(pool, inputs[0], outputs),
                    }
                };
            }
            with_element!(self.input.storage, E => compute!(E));
            Ok(())
        })
    }
}
