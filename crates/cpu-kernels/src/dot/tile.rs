//! Products by tiles of up to 6 rows and two vectors of columns, whose sums stay in registers.
//!
//! For few rows and few operations: both operands are read where they are, but an rhs that does not lie in rows is packed
//! in blocks.
#![allow(unsafe_code, reason = "matrices are read and written by address and stride")]
#![allow(clippy::needless_range_loop, reason = "what iterators are made of is not always inlined into wide code")]

use super::blocked::pack_turned;
use super::product::{Matrix, Output, check, target};
use crate::lanes::{self, Lane, Loops, Vector};
use crate::panel::{VECTORS, put};
use crate::parallel::Shared;
use crate::scratch;

/// Rows of a tile.
const ROWS: usize = 6;
/// Depth of a packed block: a panel of it, 16 KiB, stays in the first cache.
const DEPTH: usize = 256;
/// Columns of a packed block, which stays in the second cache.
const COLUMNS: usize = 256;

/// Writes `a · b` to the part of the output.
pub(super) fn product<T: Lane>(out: &Shared<'_, T>, at: Output, a: Matrix<'_, T>, b: Matrix<'_, T>, depth: usize) {
    check(at, a, b, depth);
    let to = target(out, at);
    // Whole panels of up to 64 columns more than a block has.
    let packed = at.columns.min(COLUMNS).next_multiple_of(64) * depth.min(DEPTH);
    scratch::with(packed, |packed: &mut [T]| {
        let blocks = Blocks { to, at, a, b, depth, packed };
        // SAFETY: the operands were checked to hold all that the sizes and strides reach, the output to hold the
        // part, which is the caller's alone.
        unsafe { lanes::run(lanes::fitting::<T>(VECTORS, at.columns), blocks) }
    });
}

/// A product, and memory to pack the rhs in.
struct Blocks<'a, T> {
    to: *mut T,
    at: Output,
    a: Matrix<'a, T>,
    b: Matrix<'a, T>,
    depth: usize,
    packed: &'a mut [T],
}

impl<T: Lane> Loops<T> for Blocks<'_, T> {
    /// # Safety
    /// `a` holds `at.rows` × `depth` elements by its strides, `b` `depth` × `at.columns`, and `to` may be written for
    /// `at.rows` rows of `at.columns` elements, `at.stride` apart. The processor has what `V` needs.
    #[inline(always)]
    unsafe fn run<V: Vector<Lane = T>>(self) {
        let Blocks { to, at, a, b, depth, packed } = self;
        let width = VECTORS * V::LANES;
        let in_place = b.column == 1;
        // Groups of about as many rows each.
        let group = at.rows.div_ceil(at.rows.div_ceil(ROWS));
        let columns_step = (COLUMNS / width).max(1) * width;
        for k in (0..depth).step_by(DEPTH) {
            let deep = DEPTH.min(depth - k);
            for j in (0..at.columns).step_by(columns_step) {
                let across = columns_step.min(at.columns - j);
                let whole = across / width * width;
                let corner = k * b.row + j * b.column;
                // What is copied: everything, or the columns that fill no tile.
                let copied_from = if in_place { whole } else { 0 };
                let panels = (across - copied_from).div_ceil(width);
                let packed = &mut packed[..panels * width * deep];
                pack(packed, &b.elements[corner + copied_from * b.column..], b, deep, across - copied_from, width);
                for c in (0..across).step_by(width) {
                    let (rhs, rhs_step) = if c < copied_from {
                        (b.elements[corner + c..].as_ptr(), b.row)
                    } else {
                        (packed[(c - copied_from) * deep..].as_ptr(), width)
                    };
                    for i in (0..at.rows).step_by(group) {
                        let down = group.min(at.rows - i);
                        let tile = Tile {
                            depth: deep,
                            lhs: a.elements[i * a.row + k * a.column..].as_ptr(),
                            lhs_row: a.row,
                            lhs_step: a.column,
                            rhs,
                            rhs_step,
                            to: to.wrapping_add(i * at.stride + j + c),
                            stride: at.stride,
                            columns: width.min(across - c),
                            adds: k > 0,
                        };
                        // SAFETY: rows and columns of the tile are within those of the operands and the part; the
                        // rhs has whole vectors, being packed or within `whole`.
                        unsafe {
                            match down {
                                1 => tile.compute::<V, 1>(),
                                2 => tile.compute::<V, 2>(),
                                3 => tile.compute::<V, 3>(),
                                4 => tile.compute::<V, 4>(),
                                5 => tile.compute::<V, 5>(),
                                _ => tile.compute::<V, ROWS>(),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Copies `deep` × `across` elements into panels of `width` columns; the last one is filled up with its neighbours'
/// values, which are not used.
#[inline(always)]
fn pack<T: Lane>(packed: &mut [T], source: &[T], b: Matrix<'_, T>, deep: usize, across: usize, width: usize) {
    for (panel, to) in packed.chunks_exact_mut(width * deep).enumerate() {
        let columns = width.min(across - panel * width);
        let source = &source[panel * width * b.column..];
        if b.column == 1 {
            for (p, to) in to.chunks_exact_mut(width).enumerate() {
                let from = &source[p * b.row..p * b.row + columns];
                if columns == width {
                    to.copy_from_slice(from);
                } else {
                    to[..columns].copy_from_slice(from);
                    to[columns..].fill(from[0]);
                }
            }
        } else {
            pack_turned(to, source, b, columns, width);
        }
    }
}

/// Where one tile is.
struct Tile<T> {
    depth: usize,
    lhs: *const T,
    lhs_row: usize,
    lhs_step: usize,
    rhs: *const T,
    rhs_step: usize,
    to: *mut T,
    stride: usize,
    columns: usize,
    /// Whether sums are added to what is there.
    adds: bool,
}

impl<T: Lane> Tile<T> {
    /// # Safety
    /// By the strides, lhs has `R` × `depth` elements, rhs `depth` rows of `VECTORS` vectors, and the output `R` rows
    /// of `columns`, at most the vectors. The processor has what `V` needs.
    #[inline(always)]
    unsafe fn compute<V: Vector<Lane = T>, const R: usize>(&self) {
        // SAFETY: the caller's promises, for every access.
        unsafe {
            let mut sums = [[V::splat(T::NIL); VECTORS]; R];
            for k in 0..self.depth {
                let row = self.rhs.add(k * self.rhs_step);
                let (first, second) = (V::load(row), V::load(row.add(V::LANES)));
                let lhs = self.lhs.add(k * self.lhs_step);
                for r in 0..R {
                    let factor = V::splat(*lhs.add(r * self.lhs_row));
                    sums[r][0] = sums[r][0].add_product(factor, first);
                    sums[r][1] = sums[r][1].add_product(factor, second);
                }
            }
            for r in 0..R {
                put(&sums[r], self.to.add(r * self.stride), self.columns, self.adds);
            }
        }
    }
}
