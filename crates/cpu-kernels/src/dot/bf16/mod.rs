//! Products of bfloat16 in the processor's own instructions, where it has them: tiles of 16 × 16 sums (AMX), or pairs of
//! numbers multiplied and added to `f32` (AVX-512 BF16).
//!
//! Both multiply two neighbours along the depth at once, so both take the rhs as panels of such pairs ([`pack`]) and the lhs by
//! rows. Sums are `f32`, numbers below the smallest normal one count as zero, as with the engine's other loops. The order of
//! the sums is that of the unit, and depends on neither threads nor addresses.
#![allow(unsafe_code, reason = "matrices are read and written by address and stride")]

mod pack;
mod pairs;
mod tiles;

use cpu_runtime::Pool;
use cpu_vir::exec::{ISA_VARIABLE, Isa};
use std::sync::LazyLock;

use super::product::{Matrix, Output, check, panels_of_a_task, target};
use crate::element::Element;
use crate::parallel::{Shared, ranges};
use crate::scratch;
use pack::{Rows, pack_columns};

/// Columns of a panel: two tiles, two vectors of `f32`.
const WIDTH: usize = 32;
/// Rows of the lhs that meet a panel together: two tiles.
const HEIGHT: usize = 32;
/// What the depth is filled up to with zeros: a tile's row.
const STEP: usize = 32;
/// Depth after which sums go to memory: a block of the lhs, 32 KiB, stays in the first cache.
const DEPTH: usize = 512;
/// Up to so many operations other loops are quicker than packing for these.
const SMALL: usize = 16 * 16 * 16;

/// What multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// AMX.
    Tiles,
    /// AVX-512 BF16.
    Pairs,
}

impl Unit {
    /// The best unit that this processor has, the system grants, and `RUST_CPU_ISA` allows: `avx512` leaves out AMX.
    ///
    /// Pairs are taken where they are multiplied as quickly as single numbers, on AMD's processors. Intel's multiply
    /// pairs at less than half the pace (116 billion operations a second instead of 199), so that `f32` is quicker.
    pub(crate) fn detect() -> Option<Unit> {
        static BEST: LazyLock<Option<Unit>> = LazyLock::new(|| {
            let limited = std::env::var_os(ISA_VARIABLE).is_some_and(|limit| !limit.is_empty());
            if !limited && Unit::Tiles.is_supported() {
                return Some(Unit::Tiles);
            }
            (Unit::Pairs.is_supported() && pairs::is_quick()).then_some(Unit::Pairs)
        });
        *BEST
    }

    /// Does this processor have it, and may this process use it?
    pub(crate) fn is_supported(self) -> bool {
        if Isa::detect() < Isa::Avx512 {
            return false;
        }
        match self {
            Unit::Tiles => pairs::is_supported() && tiles::is_supported(),
            Unit::Pairs => pairs::is_supported(),
        }
    }

    /// Whether a product is worth it.
    pub(crate) fn takes(self, rows: usize, depth: usize, columns: usize) -> bool {
        let large = rows.saturating_mul(columns).saturating_mul(depth) > SMALL;
        large
            && match self {
                Unit::Tiles => true,
                Unit::Pairs => columns > 4,
            }
    }
}

/// Sums of a block of rows and a panel, `WIDTH` apart: what a unit writes, or adds to.
type Sums = [f32; HEIGHT * WIDTH];

/// Writes `a · b` to the part of the output; nobody else may have that part. `depth` and the part are not empty, and the
/// unit is supported.
pub(super) fn product<E: Element<Number = f32>>(
    unit: Unit,
    pool: &Pool,
    out: &Shared<'_, E::Raw>,
    at: Output,
    a: Matrix<'_, u16>,
    b: Matrix<'_, u16>,
    depth: usize,
) {
    check(at, a, b, depth);
    target(out, at);
    let panels = at.columns.div_ceil(WIDTH);
    let deep = depth.next_multiple_of(STEP);
    scratch::with(panels * WIDTH * deep / 2, |packed: &mut [u32]| {
        pack_columns(pool, packed, b, depth, at.columns);
        let packed = &*packed;
        let blocks = at.rows.div_ceil(HEIGHT);
        let chunk = panels_of_a_task(panels, blocks, 4);
        let chunks = panels.div_ceil(chunk);
        let cost = (HEIGHT * deep) as u64 * (chunk * WIDTH) as u64;
        ranges(pool, blocks * chunks, cost, &|start, end| {
            let _configured = (unit == Unit::Tiles).then(tiles::Configured::new);
            scratch::with(chunk * HEIGHT * WIDTH, |sums: &mut [f32]| {
                let (sums, _) = sums.as_chunks_mut::<{ HEIGHT * WIDTH }>();
                for task in start..end {
                    let (block, index) = (task / chunks, task % chunks);
                    let (row, first) = (block * HEIGHT, index * chunk);
                    let count = chunk.min(panels - first);
                    let sums = &mut sums[..count];
                    let rows = HEIGHT.min(at.rows - row);
                    for k in (0..deep).step_by(DEPTH) {
                        let run = DEPTH.min(deep - k);
                        Rows::with(a, row, rows, k, run.min(depth - k), |lhs| {
                            for (panel, sums) in sums.iter_mut().enumerate() {
                                let start = (first + panel) * WIDTH * deep / 2 + k * WIDTH / 2;
                                let rhs = &packed[start..start + run * WIDTH / 2];
                                // SAFETY: the unit is supported, and for tiles configured on this thread.
                                unsafe {
                                    match unit {
                                        Unit::Tiles => tiles::multiply(sums, lhs, rhs, k > 0),
                                        Unit::Pairs => pairs::multiply(sums, lhs, rhs, k > 0),
                                    }
                                }
                            }
                        });
                    }
                    for (panel, sums) in sums.iter().enumerate() {
                        let column = (first + panel) * WIDTH;
                        let columns = WIDTH.min(at.columns - column);
                        for (r, sums) in sums.chunks_exact(WIDTH).take(rows).enumerate() {
                            // SAFETY: within the part, and every block and chunk of it is handed out once.
                            let to = unsafe { out.part(at.start + (row + r) * at.stride + column, columns) };
                            to.iter_mut().zip(sums).for_each(|(to, sum)| *to = E::write(*sum));
                        }
                    }
                }
            });
        });
    });
}

#[cfg(test)]
mod tests;
