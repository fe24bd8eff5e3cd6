//! Windows along one axis, of an operation whose identity is known.
#![allow(unsafe_code, reason = "tasks write to different rows of one output")]

use bytemuck::Pod;
use cpu_runtime::Pool;

use super::{WindowDimension, running};
use crate::lanes::vectorized;
use crate::parallel::{Shared, ranges};

/// One axis of an array seen as `[outer, size, inner]`, and the windows along it.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) window: WindowDimension,
    pub(super) outer: usize,
    pub(super) size: usize,
    pub(super) windows: usize,
    pub(super) inner: usize,
}

impl Axis {
    /// Whether each window is all elements up to its own (`Some(true)`) or from its own on (`Some(false)`).
    pub(super) fn running(&self) -> Option<bool> {
        let w = &self.window;
        let plain = w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1 && w.size == self.size;
        let rest = self.size as i64 - 1;
        if !plain || self.size < 4 {
            None
        } else if w.padding == (rest, 0) {
            Some(true)
        } else if w.padding == (0, rest) {
            Some(false)
        } else {
            None
        }
    }

    /// Reduces all windows of `from` into `to`; what no element is seen by is `identity`.
    pub(super) fn reduce<T: Pod + Send + Sync>(
        &self,
        pool: &Pool,
        from: &[T],
        to: &mut [T],
        identity: T,
        combine: impl Fn(T, T) -> T + Copy + Send + Sync,
    ) {
        if to.is_empty() {
            return;
        }
        if let Some(forward) = self.running() {
            return running::reduce(pool, self, forward, from, to, combine);
        }
        let inner = self.inner;
        let rows = to.len() / inner;
        let cost = (self.window.size * inner) as u64 * 300 + 5_000;
        let out = Shared::new(to);
        if inner == 1 {
            // Lanes are neighbouring windows.
            return ranges(pool, self.outer, cost * self.windows as u64, &|start, end| {
                for o in start..end {
                    // SAFETY: every row is handed out once.
                    let to = unsafe { out.part(o * self.windows, self.windows) };
                    vectorized(|| self.line(&from[o * self.size..(o + 1) * self.size], to, identity, combine));
                }
            });
        }
        ranges(pool, rows, cost, &|start, end| {
            for row in start..end {
                let (o, w) = (row / self.windows, row % self.windows);
                // SAFETY: every row is handed out once.
                let to = unsafe { out.part(row * inner, inner) };
                let mut first = true;
                for k in 0..self.window.size {
                    let Some(i) = self.window.input_index(w, k, self.size) else { continue };
                    let from = &from[(o * self.size + i) * inner..][..inner];
                    if first {
                        to.copy_from_slice(from);
                        first = false;
                    } else {
                        vectorized(|| to.iter_mut().zip(from).for_each(|(sum, x)| *sum = combine(*sum, *x)));
                    }
                }
                if first {
                    to.fill(identity);
                }
            }
        });
    }

    /// The windows of one contiguous line.
    #[inline(always)]
    fn line<T: Copy>(&self, from: &[T], to: &mut [T], identity: T, combine: impl Fn(T, T) -> T + Copy) {
        to.fill(identity);
        let w = &self.window;
        for k in 0..w.size {
            let at = |window: usize| w.input_index(window, k, self.size);
            if w.base_dilation == 1 {
                // The windows that see an element are neighbours.
                let shift = k as i64 * w.window_dilation as i64 - w.padding.0;
                let stride = w.stride as i64;
                let first = (-shift).max(0).div_ceil_by(stride).min(self.windows as i64);
                let last = (self.size as i64 - shift).max(0).div_ceil_by(stride).clamp(first, self.windows as i64);
                if first == last {
                    continue;
                }
                let from = &from[(first * stride + shift) as usize..];
                let to = &mut to[first as usize..last as usize];
                if w.stride == 1 {
                    to.iter_mut().zip(from).for_each(|(sum, x)| *sum = combine(*sum, *x));
                } else {
                    to.iter_mut().zip(from.iter().step_by(w.stride)).for_each(|(sum, x)| *sum = combine(*sum, *x));
                }
            } else {
                for (window, sum) in to.iter_mut().enumerate() {
                    if let Some(i) = at(window) {
                        *sum = combine(*sum, from[i]);
                    }
                }
            }
        }
    }
}

trait DivCeil {
    fn div_ceil_by(self, by: i64) -> i64;
}

impl DivCeil for i64 {
    /// Rounded up; of numbers that are not negative.
    fn div_ceil_by(self, by: i64) -> i64 {
        self / by + i64::from(self % by != 0)
    }
}
