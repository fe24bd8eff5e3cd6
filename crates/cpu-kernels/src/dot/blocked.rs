//! Products of large matrices: the rhs is packed into panels once, the lhs block by block.
#![allow(unsafe_code, reason = "matrices are read and written by address and stride")]

use cpu_runtime::Pool;
use cpu_vir::exec::Isa;

use super::product::{Matrix, Output, check, panels_of_a_task, target};
use crate::exchange::exchange;
use crate::lanes::{self, Lane, Loops, Vector};
use crate::panel::{BLOCK, DEPTH, ROWS, Tile, VECTORS, row_starts, width};
use crate::parallel::{Runs, Shared, ranges};
use crate::scratch;

/// Panels that are packed together, so that whole cache lines of the source are read.
const TOGETHER: usize = 8;

/// Rows that begin so many bytes apart, or a multiple, want the same few lines of a first-level cache of 32 KiB in eight ways,
/// of which a panel has four.
const CROWDED: usize = 2048;

/// Writes `a · b` to the part of the output; nobody else may have that part. `depth` and the part are not empty.
pub(super) fn product<T: Lane>(
    pool: &Pool,
    out: &Shared<'_, T>,
    at: Output,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    depth: usize,
) {
    check(at, a, b, depth);
    with_panels(pool, b, depth, at.columns, |panels| {
        let blocks = at.rows.div_ceil(BLOCK);
        let chunk = panels_of_a_task(panels.count, blocks, TOGETHER);
        let chunks = panels.count.div_ceil(chunk);
        let cost = (BLOCK.min(at.rows) * depth) as u64 * (chunk * panels.width) as u64 * 20;
        ranges(pool, blocks * chunks, cost, &|start, end| {
            for task in start..end {
                let (block, index) = (task / chunks, task % chunks);
                let row = block * BLOCK;
                let part = Output { start: at.start + row * at.stride, rows: BLOCK.min(at.rows - row), ..at };
                let a = Matrix { elements: &a.elements[row * a.row..], ..a };
                // Every block and chunk is handed out once.
                panels.block(out, part, a, (index * chunk, ((index + 1) * chunk).min(panels.count)));
            }
        });
    });
}

/// The rhs of a product, packed.
pub(super) struct Panels<'a, T> {
    packed: &'a [T],
    isa: Isa,
    /// Columns of a panel.
    width: usize,
    /// How many panels there are.
    count: usize,
    depth: usize,
    columns: usize,
}

/// Packs an rhs and calls `body` with it. Neither side is empty.
pub(super) fn with_panels<T: Lane, R>(
    pool: &impl Runs,
    b: Matrix<'_, T>,
    depth: usize,
    columns: usize,
    body: impl FnOnce(Panels<'_, T>) -> R,
) -> R {
    let isa = lanes::fitting::<T>(VECTORS, columns);
    let width = width::<T>(isa);
    let count = columns.div_ceil(width);
    scratch::with(count * width * depth, |packed: &mut [T]| {
        pack(pool, packed, b, depth, columns, width);
        body(Panels { packed, isa, width, count, depth, columns })
    })
}

impl<T: Lane> Panels<'_, T> {
    /// Writes the products of so many rows to as many dense rows of the output; nobody else may have them.
    pub(super) fn rows(&self, out: &Shared<'_, T>, a: Matrix<'_, T>, rows: usize) {
        for row in (0..rows).step_by(BLOCK) {
            let count = BLOCK.min(rows - row);
            let at = Output { start: row * self.columns, stride: self.columns, rows: count, columns: self.columns };
            self.block(out, at, Matrix { elements: &a.elements[row * a.row..], ..a }, (0, self.count));
        }
    }

    /// Writes the products of up to [`BLOCK`] rows and some of the panels. `at` is the part of the output that all panels
    /// have; nobody else may have what these have of it.
    fn block(&self, out: &Shared<'_, T>, at: Output, a: Matrix<'_, T>, (first, last): (usize, usize)) {
        let Panels { packed, isa, width, count, depth, columns } = *self;
        let to = Output { start: at.start + first * width, columns: columns.min(last * width) - first * width, ..at };
        scratch::with(BLOCK * DEPTH, |lhs: &mut [T]| {
            for k in (0..depth).step_by(DEPTH) {
                let deep = DEPTH.min(depth - k);
                let source = &a.elements[k * a.column..];
                // Rows that lie one after another are read where they are, unless they crowd in the cache.
                let (lhs, lhs_stride) = if a.column == 1 && !(a.row * size_of::<T>()).is_multiple_of(CROWDED) {
                    (source, a.row)
                } else {
                    pack_rows(lhs, deep, source, a, at.rows, deep);
                    (&*lhs, deep)
                };
                let begin = k * count * width;
                let part = Part {
                    to: target(out, to),
                    lhs,
                    lhs_stride,
                    packed: &packed[begin + first * deep * width..begin + last * deep * width],
                    deep,
                    rows: at.rows,
                    columns: to.columns,
                    stride: at.stride,
                    adds: k > 0,
                };
                // SAFETY: the output holds the part, which is the caller's alone.
                unsafe { lanes::run(isa, part) }
            }
        });
    }
}

/// A block of packed rows, some panels, and where their products go.
struct Part<'a, T> {
    to: *mut T,
    lhs: &'a [T],
    /// From one row of the lhs to the next.
    lhs_stride: usize,
    packed: &'a [T],
    deep: usize,
    rows: usize,
    columns: usize,
    stride: usize,
    adds: bool,
}

impl<T: Lane> Loops<T> for Part<'_, T> {
    /// # Safety
    /// `to` can be written for `rows` rows of `columns`, `stride` apart. The processor has what `V` needs.
    #[inline(always)]
    unsafe fn run<V: Vector<Lane = T>>(self) {
        let width = VECTORS * V::LANES;
        assert!((self.rows - 1) * self.lhs_stride + self.deep <= self.lhs.len(), "the rows of the lhs");
        for (index, panel) in self.packed.chunks_exact(self.deep * width).enumerate() {
            let column = index * width;
            let mut first = 0;
            while first < self.rows {
                let rows = ROWS.min(self.rows - first);
                let lhs = row_starts(self.lhs, rows, |r| (first + r) * self.lhs_stride);
                let tile = Tile {
                    lhs,
                    rhs: panel.as_ptr(),
                    to: self.to.wrapping_add(first * self.stride + column),
                    rows,
                    columns: width.min(self.columns - column),
                    stride: self.stride,
                    adds: self.adds,
                };
                // SAFETY: rows and panel have `deep` elements and rows; the output is the caller's promise.
                unsafe { tile.compute::<V>(self.deep) }
                first += ROWS;
            }
        }
    }
}

/// Copies `deep` elements of each row, so that they are contiguous, `stride` from row to row.
pub(super) fn pack_rows<T: Lane>(to: &mut [T], stride: usize, from: &[T], a: Matrix<'_, T>, rows: usize, deep: usize) {
    if a.column == 1 {
        let rows = to.chunks_exact_mut(stride).take(rows).enumerate();
        return rows.for_each(|(r, to)| to[..deep].copy_from_slice(&from[r * a.row..][..deep]));
    }
    if a.row == 1 {
        return exchange(to, stride, from, a.column, rows, deep);
    }
    // Eight columns at a time: the lines that are written stay in the first cache.
    for k in (0..deep).step_by(8) {
        let columns = 8.min(deep - k);
        for r in 0..rows {
            let to = &mut to[r * stride + k..][..columns];
            let from = &from[r * a.row + k * a.column..];
            to.iter_mut().zip(from.iter().step_by(a.column)).for_each(|(to, from)| *to = *from);
        }
    }
}

/// Copies columns that do not lie in rows into a panel; the last one is repeated to its width.
pub(super) fn pack_turned<T: Lane>(to: &mut [T], source: &[T], b: Matrix<'_, T>, columns: usize, width: usize) {
    if b.row == 1 && columns == width {
        return exchange(to, width, source, b.column, to.len() / width, width);
    }
    // Eight rows at a time: what is written stays in the first cache while columns are read.
    for (block, to) in to.chunks_mut(8 * width).enumerate() {
        for c in 0..width {
            let source = &source[c.min(columns - 1) * b.column + block * 8 * b.row..];
            to[c..].iter_mut().step_by(width).zip(source.iter().step_by(b.row)).for_each(|(to, from)| *to = *from);
        }
    }
}

/// Copies the rhs into panels: for each run of the depth, for each panel, rows of whole vectors. Columns beyond the last
/// repeat it, and are not used.
fn pack<T: Lane>(pool: &impl Runs, packed: &mut [T], b: Matrix<'_, T>, depth: usize, columns: usize, width: usize) {
    let panels = columns.div_ceil(width);
    let groups = panels.div_ceil(TOGETHER);
    let runs = depth.div_ceil(DEPTH);
    let shared = Shared::new(packed);
    let cost = (TOGETHER * width * DEPTH.min(depth)) as u64 * 300;
    ranges(pool, runs * groups, cost, &|start, end| {
        for task in start..end {
            let (k, group) = (task / groups * DEPTH, task % groups * TOGETHER);
            let deep = DEPTH.min(depth - k);
            let count = TOGETHER.min(panels - group);
            // SAFETY: every group of panels of every run is handed out once.
            let to = unsafe { shared.part(k * panels * width + group * deep * width, count * deep * width) };
            let across = (count * width).min(columns - group * width);
            let source = &b.elements[k * b.row + group * width * b.column..];
            if b.column == 1 {
                for p in 0..deep {
                    let row = &source[p * b.row..][..across];
                    for (panel, from) in row.chunks(width).enumerate() {
                        let to = &mut to[(panel * deep + p) * width..][..width];
                        to[..from.len()].copy_from_slice(from);
                        to[from.len()..].fill(from[0]);
                    }
                }
            } else {
                for (panel, to) in to.chunks_exact_mut(deep * width).enumerate() {
                    let first = panel * width;
                    pack_turned(to, &source[first * b.column..], b, width.min(across - first), width);
                }
            }
        }
    });
}
