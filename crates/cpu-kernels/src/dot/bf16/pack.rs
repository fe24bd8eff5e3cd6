//! Operands as the units want them: the rhs in panels of pairs, the lhs in blocks of rows whose depth is filled up with zeros.
#![allow(unsafe_code, reason = "pairs are read as one number")]

use cpu_runtime::Pool;

use super::{HEIGHT, Matrix, STEP, WIDTH};
use crate::dot::blocked::pack_rows;
use crate::exchange::exchange_at;
use crate::lanes::vectorized;
use crate::parallel::{Shared, ranges};
use crate::scratch;

/// A block of [`HEIGHT`] rows of whole steps.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    elements: &'a [u16],
    /// From one row to the next, in elements.
    stride: usize,
    depth: usize,
}

impl<'a> Rows<'a> {
    /// Calls `body` with rows of a matrix: where they are if they are whole, otherwise copied.
    pub(super) fn with<R>(
        a: Matrix<'_, u16>,
        row: usize,
        rows: usize,
        column: usize,
        depth: usize,
        body: impl FnOnce(Rows<'_>) -> R,
    ) -> R {
        let source = &a.elements[row * a.row + column * a.column..];
        if a.column == 1 && rows == HEIGHT && depth.is_multiple_of(STEP) {
            return body(Rows::new(source, a.row, depth));
        }
        let deep = depth.next_multiple_of(STEP);
        scratch::with(HEIGHT * deep, |to: &mut [u16]| {
            copy(to, source, a, rows, depth, deep);
            body(Rows::new(to, deep, deep))
        })
    }

    fn new(elements: &'a [u16], stride: usize, depth: usize) -> Rows<'a> {
        assert!((HEIGHT - 1) * stride + depth <= elements.len() && depth.is_multiple_of(STEP), "whole rows");
        Rows { elements, stride, depth }
    }

    /// The address of a row, of which [`depth`](Rows::depth) elements can be read.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> *const u16 {
        self.elements.as_ptr().wrapping_add(row * self.stride)
    }

    /// From one row to the next.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// A multiple of [`STEP`].
    #[inline(always)]
    pub(super) fn depth(&self) -> usize {
        self.depth
    }
}

/// Copies rows, each contiguous, with zeros behind them and below.
fn copy(to: &mut [u16], from: &[u16], a: Matrix<'_, u16>, rows: usize, depth: usize, deep: usize) {
    pack_rows(to, deep, from, a, rows, depth);
    to[rows * deep..].fill(0);
    to.chunks_exact_mut(deep).take(rows).for_each(|to| to[depth..].fill(0));
}

/// Copies the rhs into panels: for each, rows of pairs of neighbours along the depth, the first in the low half. What is
/// beyond the last row or column is zero.
pub(super) fn pack_columns(pool: &Pool, packed: &mut [u32], b: Matrix<'_, u16>, depth: usize, columns: usize) {
    let panel = depth.next_multiple_of(STEP) / 2 * WIDTH;
    let shared = Shared::new(packed);
    ranges(pool, columns.div_ceil(WIDTH), panel as u64 * 150, &|start, end| {
        for index in start..end {
            // SAFETY: every panel is handed out once.
            let to = unsafe { shared.part(index * panel, panel) };
            let source = &b.elements[index * WIDTH * b.column..];
            vectorized(|| pack_panel(to, source, b, depth, WIDTH.min(columns - index * WIDTH)));
        }
    });
}

#[inline(always)]
fn pack_panel(to: &mut [u32], source: &[u16], b: Matrix<'_, u16>, depth: usize, columns: usize) {
    if columns < WIDTH {
        to.fill(0);
    }
    to[depth.div_ceil(2) * WIDTH..].fill(0);
    let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    let whole = depth / 2;
    if b.column == 1 {
        for (p, to) in to.chunks_exact_mut(WIDTH).take(whole).enumerate() {
            let (low, high) = (&source[2 * p * b.row..][..columns], &source[(2 * p + 1) * b.row..][..columns]);
            for (to, (low, high)) in to.iter_mut().zip(low.iter().zip(high)) {
                *to = pair(*low, *high);
            }
        }
    } else if b.row == 1 && b.column.is_multiple_of(2) && columns == WIDTH {
        assert!((WIDTH - 1) * b.column + 2 * whole <= source.len(), "the columns of a panel");
        // SAFETY: the columns have so many pairs, which are whole numbers of columns apart, and the panel so many rows.
        unsafe { exchange_at(to.as_mut_ptr(), WIDTH, source.as_ptr().cast::<u32>(), b.column / 2, whole, WIDTH) }
    } else {
        // Eight pairs at a time: what is written stays in the first cache while columns are read.
        for (block, to) in to[..whole * WIDTH].chunks_mut(8 * WIDTH).enumerate() {
            for c in 0..columns {
                let source = &source[c * b.column + block * 16 * b.row..];
                for (p, to) in to[c..].iter_mut().step_by(WIDTH).enumerate() {
                    *to = pair(source[2 * p * b.row], source[(2 * p + 1) * b.row]);
                }
            }
        }
    }
    if depth % 2 == 1 {
        for (c, to) in to[whole * WIDTH..][..columns].iter_mut().enumerate() {
            *to = pair(source[(depth - 1) * b.row + c * b.column], 0);
        }
    }
}
