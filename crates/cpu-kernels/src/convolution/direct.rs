//! Convolution as products of tiles: up to 6 places by two vectors of output features.
#![allow(unsafe_code, reason = "arrays are read and written by address and stride")]

use cpu_runtime::Pool;

use super::plan::Plan;
use crate::lanes::{self, Lane, Loops, Vector};
use crate::panel::{BLOCK as PLACES, ROWS, Tile, VECTORS, row_starts, width};
use crate::parallel::{Shared, ranges};
use crate::scratch;

/// The places of the output.
pub(super) struct Places<'a> {
    /// Of one image: where they begin in the padded input.
    pub(super) offsets: &'a [usize],
    pub(super) images: usize,
    /// Where the input of an image and a group begins.
    pub(super) begin: &'a (dyn Fn(usize, usize) -> usize + Sync),
}

/// Computes all of `out`, which is `[image, place, output]`; `kernel` is `[tap, input, output]`.
pub(super) fn run<T: Lane>(
    pool: &Pool,
    plan: &Plan,
    places: &Places<'_>,
    groups: usize,
    lhs: &[T],
    kernel: &[T],
    out: &mut [T],
) {
    let isa = lanes::fitting::<T>(VECTORS, plan.group_outputs);
    let width = width::<T>(isa);
    let depth: usize = plan.runs.iter().map(|run| run.depth).sum();
    let panels = plan.group_outputs.div_ceil(width);
    let reach = plan.runs.iter().map(|run| run.offset + run.depth).max().unwrap_or(0);
    assert!(depth * plan.outputs <= kernel.len() && groups * plan.group_outputs <= plan.outputs, "the kernel's size");
    assert_eq!(places.images * places.offsets.len() * plan.outputs, out.len(), "the result's size");
    scratch::with(groups * panels * width * depth, |packed: &mut [T]| {
        for (index, panel) in packed.chunks_exact_mut(width * depth).enumerate() {
            let (group, first) = (index / panels, index % panels * width);
            let columns = width.min(plan.group_outputs - first);
            for (row, to) in panel.chunks_exact_mut(width).enumerate() {
                let from = &kernel[row * plan.outputs + group * plan.group_outputs + first..][..columns];
                to[..columns].copy_from_slice(from);
                to[columns..].fill(T::NIL);
            }
        }
        let packed = &*packed;
        let count = places.offsets.len();
        let blocks = count.div_ceil(PLACES);
        let cost = (PLACES.min(count) * depth * panels * width) as u64 * 25;
        let out = Shared::new(out);
        ranges(pool, places.images * groups * blocks, cost, &|start, end| {
            for task in start..end {
                let (image, rest) = (task / (groups * blocks), task % (groups * blocks));
                let (group, block) = (rest / blocks, rest % blocks);
                let (first, last) = (block * PLACES, ((block + 1) * PLACES).min(count));
                let lhs = &lhs[(places.begin)(image, group)..];
                let offsets = &places.offsets[first..last];
                assert!(offsets.iter().all(|offset| offset + reach <= lhs.len()), "the padded input's size");
                let begin = (image * count + first) * plan.outputs + group * plan.group_outputs;
                let length = (offsets.len() - 1) * plan.outputs + plan.group_outputs;
                let tiles = Tiles {
                    to: out.within(begin, length),
                    plan,
                    lhs,
                    offsets,
                    packed: &packed[group * panels * width * depth..][..panels * width * depth],
                    depth,
                    panels,
                };
                // SAFETY: the output holds the places of the block, and every block of every group is handed out
                // once; the input holds all that the places see.
                unsafe { lanes::run(isa, tiles) }
            }
        });
    });
}

struct Tiles<'a, T> {
    to: *mut T,
    plan: &'a Plan,
    lhs: &'a [T],
    offsets: &'a [usize],
    packed: &'a [T],
    depth: usize,
    panels: usize,
}

impl<T: Lane> Loops<T> for Tiles<'_, T> {
    /// # Safety
    /// Every offset with every run is within the input, and `to` can be written for every place, `outputs` apart. The
    /// processor has what `V` needs.
    #[inline(always)]
    unsafe fn run<V: Vector<Lane = T>>(self) {
        let width = VECTORS * V::LANES;
        for panel in 0..self.panels {
            let columns = width.min(self.plan.group_outputs - panel * width);
            let mut row = 0;
            for (index, run) in self.plan.runs.iter().enumerate() {
                let rhs = self.packed[(panel * self.depth + row) * width..][..run.depth * width].as_ptr();
                row += run.depth;
                let mut first = 0;
                while first < self.offsets.len() {
                    let rows = ROWS.min(self.offsets.len() - first);
                    let lhs = row_starts(self.lhs, rows, |r| self.offsets[first + r] + run.offset);
                    let to = self.to.wrapping_add(first * self.plan.outputs + panel * width);
                    let place = Tile { lhs, rhs, to, rows, columns, stride: self.plan.outputs, adds: index > 0 };
                    // SAFETY: the caller's promises; the panel has whole vectors.
                    unsafe { place.compute::<V>(run.depth) }
                    first += ROWS;
                }
            }
        }
    }
}
