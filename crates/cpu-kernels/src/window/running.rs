//! Running reductions: sums, products and extremes of all elements up to each one, in linear time.
//!
//! Lines are cut into blocks of a fixed length. Blocks are reduced side by side, since one after the other each step
//! would wait for the last; and errors of float sums grow with the length of a block and the number of blocks, not with
//! that of all elements.
#![allow(unsafe_code, reason = "tasks write to different lines of one output")]

use bytemuck::Pod;
use cpu_runtime::Pool;

use super::axis::Axis;
use crate::lanes::vectorized;
use crate::parallel::{Shared, ranges};

/// Elements of a block.
const BLOCK: usize = 128;
/// Blocks that are reduced side by side.
const SIDE_BY_SIDE: usize = 8;
/// Lanes that stay in the first cache when the axis is not the last.
const LANES: usize = 512;

/// Writes the running reductions along the axis, from its start or from its end.
pub(super) fn reduce<T: Pod + Send + Sync>(
    pool: &Pool,
    axis: &Axis,
    forward: bool,
    from: &[T],
    to: &mut [T],
    combine: impl Fn(T, T) -> T + Copy + Send + Sync,
) {
    let (size, inner) = (axis.size, axis.inner);
    let outer = to.len() / (size * inner);
    let out = Shared::new(to);
    if inner == 1 {
        return ranges(pool, outer, size as u64 * 700, &|start, end| {
            for line in start..end {
                // SAFETY: every line is handed out once.
                let to = unsafe { out.part(line * size, size) };
                let from = &from[line * size..][..size];
                vectorized(|| if forward { ahead(from, to, combine) } else { back(from, to, combine) });
            }
        });
    }
    let strips = inner.div_ceil(LANES);
    ranges(pool, outer * strips, (size * LANES.min(inner)) as u64 * 300, &|start, end| {
        for task in start..end {
            let (o, lane) = (task / strips, task % strips * LANES);
            let lanes = LANES.min(inner - lane);
            let (mut base, mut sums) = ([from[0]; LANES], [from[0]; LANES]);
            for step in 0..size {
                let i = if forward { step } else { size - 1 - step };
                let at = (o * size + i) * inner + lane;
                let from = &from[at..at + lanes];
                // SAFETY: every strip is handed out once, and this is a row of it.
                let to = unsafe { out.part(at, lanes) };
                let starts = step % BLOCK == 0;
                for ((sum, x), (base, to)) in sums.iter_mut().zip(from).zip(base.iter_mut().zip(to)) {
                    if starts && step > 0 {
                        *base = if step == BLOCK { *sum } else { combine(*base, *sum) };
                    }
                    *sum = if starts { *x } else { combine(*sum, *x) };
                    *to = if step < BLOCK { *sum } else { combine(*base, *sum) };
                }
            }
        }
    });
}

/// One line from its start.
#[inline(always)]
fn ahead<T: Copy>(from: &[T], to: &mut [T], combine: impl Fn(T, T) -> T + Copy) {
    let mut base: Option<T> = None;
    let group = BLOCK * SIDE_BY_SIDE;
    let whole = from.len() / group * group;
    for (from, to) in from[..whole].chunks_exact(group).zip(to[..whole].chunks_exact_mut(group)) {
        let mut sums: [T; SIDE_BY_SIDE] = std::array::from_fn(|b| from[b * BLOCK]);
        (0..SIDE_BY_SIDE).for_each(|b| to[b * BLOCK] = sums[b]);
        for i in 1..BLOCK {
            for (b, sum) in sums.iter_mut().enumerate() {
                *sum = combine(*sum, from[b * BLOCK + i]);
                to[b * BLOCK + i] = *sum;
            }
        }
        for (block, sum) in to.chunks_exact_mut(BLOCK).zip(sums) {
            base = Some(add_base(block, base, sum, combine));
        }
    }
    for (from, to) in from[whole..].chunks(BLOCK).zip(to[whole..].chunks_mut(BLOCK)) {
        let mut sum = from[0];
        to[0] = sum;
        for (x, to) in from[1..].iter().zip(&mut to[1..]) {
            sum = combine(sum, *x);
            *to = sum;
        }
        base = Some(add_base(to, base, sum, combine));
    }
}

/// Adds what was before a block to its elements, and gives what is before the next.
#[inline(always)]
fn add_base<T: Copy>(block: &mut [T], base: Option<T>, sum: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    match base {
        None => sum,
        Some(base) => {
            block.iter_mut().for_each(|to| *to = combine(base, *to));
            combine(base, sum)
        }
    }
}

/// One line from its end.
#[inline(always)]
fn back<T: Copy>(from: &[T], to: &mut [T], combine: impl Fn(T, T) -> T + Copy) {
    let mut base: Option<T> = None;
    for (from, to) in from.rchunks(BLOCK).zip(to.rchunks_mut(BLOCK)) {
        let last = from.len() - 1;
        let mut sum = from[last];
        to[last] = sum;
        for (x, to) in from[..last].iter().zip(&mut to[..last]).rev() {
            sum = combine(*x, sum);
            *to = sum;
        }
        if let Some(base) = base {
            to.iter_mut().for_each(|to| *to = combine(*to, base));
            sum = combine(sum, base);
        }
        base = Some(sum);
    }
}
