//! Dimension numbers to matrices: batches of rows × depth times depth × columns, all by strides.
//!
//! Dimensions that walk memory as one are joined. Free or contracting dimensions that cannot be joined are copied
//! into order first; batching dimensions never need to be.

use bytemuck::Pod;
use cpu_runtime::Pool;

use super::product::{Matrix, Number, Output};
use super::{DotDimensions, OP};
use crate::layout::{check_axes, merge, row_major, unravel};
use crate::movement::Permutation;
use crate::parallel::{Shared, grain, spread};
use crate::shape::count;
use crate::{KernelError, scratch};

/// An operand as a batch of matrices: which element belongs to (batch, row, column).
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    /// One per batching dimension.
    batch: Vec<usize>,
    row: usize,
    column: usize,
    /// How to bring the elements into that order, if they have none.
    copy: Option<Permutation>,
}

/// A product as matrices.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) result_dims: Vec<usize>,
    batch_dims: Vec<usize>,
    pub(crate) rows: usize,
    pub(crate) depth: usize,
    pub(crate) columns: usize,
    lhs: Matrices,
    rhs: Matrices,
}

impl Plan {
    pub(crate) fn new(lhs: &[usize], rhs: &[usize], dims: &DotDimensions) -> Result<Plan, KernelError> {
        let lhs_paired = [dims.lhs_batching.as_slice(), &dims.lhs_contracting].concat();
        let rhs_paired = [dims.rhs_batching.as_slice(), &dims.rhs_contracting].concat();
        check_axes(OP, "lhs dimensions", &lhs_paired, lhs.len())?;
        check_axes(OP, "rhs dimensions", &rhs_paired, rhs.len())?;
        let sizes = |dims: &[usize], axes: &[usize]| axes.iter().map(|&a| dims[a]).collect::<Vec<_>>();
        if dims.lhs_batching.len() != dims.rhs_batching.len() || sizes(lhs, &lhs_paired) != sizes(rhs, &rhs_paired) {
            return Err(KernelError::invalid(OP, format!("{lhs:?} and {rhs:?} do not contract by {dims:?}")));
        }
        let free = |rank: usize, paired: &[usize]| (0..rank).filter(|a| !paired.contains(a)).collect::<Vec<_>>();
        let (lhs_free, rhs_free) = (free(lhs.len(), &lhs_paired), free(rhs.len(), &rhs_paired));
        // The order of contracting dimensions is free as long as it is that of both operands: memory order of lhs.
        let mut pairs: Vec<(usize, usize)> =
            dims.lhs_contracting.iter().copied().zip(dims.rhs_contracting.iter().copied()).collect();
        pairs.sort();
        let (lhs_deep, rhs_deep): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        let product = |sizes: Vec<usize>| count(&sizes).unwrap_or(usize::MAX);
        let batch_dims = sizes(lhs, &dims.lhs_batching);
        Ok(Plan {
            result_dims: [batch_dims.clone(), sizes(lhs, &lhs_free), sizes(rhs, &rhs_free)].concat(),
            rows: product(sizes(lhs, &lhs_free)),
            depth: product(sizes(lhs, &lhs_deep)),
            columns: product(sizes(rhs, &rhs_free)),
            lhs: matrices(lhs, &dims.lhs_batching, &lhs_free, &lhs_deep),
            rhs: matrices(rhs, &dims.rhs_batching, &rhs_deep, &rhs_free),
            batch_dims,
        })
    }

    /// Whether there is one product, not a batch of them.
    pub(super) fn is_single(&self) -> bool {
        self.batch_dims.iter().all(|&size| size == 1)
    }

    /// Whether the lhs is rows that lie one after another without gaps.
    pub(super) fn has_dense_rows(&self) -> bool {
        let Matrices { row, column, copy, .. } = &self.lhs;
        copy.is_none() && (*column == 1 || self.depth == 1) && (*row == self.depth || self.rows == 1)
    }

    /// From one row of the rhs to the next, and from one column to the next, unless it is copied first.
    pub(super) fn rhs_strides(&self) -> Option<(usize, usize)> {
        self.rhs.copy.is_none().then_some((self.rhs.row, self.rhs.column))
    }

    pub(crate) fn picoseconds(&self) -> u64 {
        let batch = count(&self.batch_dims).unwrap_or(usize::MAX) as u64;
        batch.saturating_mul(product_cost(self.rows, self.depth, self.columns))
    }

    /// Computes all of `out`.
    pub(crate) fn run<T: Number>(&self, pool: &Pool, lhs: &[T], rhs: &[T], out: &mut [T]) {
        let spreads = T::spreads(self.rows, self.depth) && self.columns > 1;
        self.run_with(pool, lhs, rhs, out, spreads, |out, at, a, b| T::product(pool, out, at, a, b, self.depth));
    }

    /// Computes all of `out` by products of parts of matrices. `spreads` tells that a product cuts itself into tasks.
    pub(crate) fn run_with<T: Pod + Send + Sync, O: Pod + Send + Sync>(
        &self,
        pool: &Pool,
        lhs: &[T],
        rhs: &[T],
        out: &mut [O],
        spreads: bool,
        product: impl Fn(&Shared<'_, O>, Output, Matrix<'_, T>, Matrix<'_, T>) + Sync,
    ) {
        if out.is_empty() {
            return;
        }
        if self.depth == 0 {
            out.fill(O::zeroed());
            return;
        }
        reordered(pool, &self.lhs, lhs, |lhs| {
            reordered(pool, &self.rhs, rhs, |rhs| self.products(pool, lhs, rhs, out, spreads, &product));
        });
    }

    fn products<T: Pod + Send + Sync, O: Pod + Send + Sync>(
        &self,
        pool: &Pool,
        lhs: &[T],
        rhs: &[T],
        out: &mut [O],
        spreads: bool,
        compute: &(impl Fn(&Shared<'_, O>, Output, Matrix<'_, T>, Matrix<'_, T>) + Sync),
    ) {
        let (rows, depth, columns) = (self.rows, self.depth, self.columns);
        let each = rows * columns;
        let batches = out.len() / each;
        let out = Shared::new(out);
        let product = |batch: usize, rows: (usize, usize), columns: (usize, usize)| {
            let index = unravel(batch, &self.batch_dims);
            let start = |m: &Matrices| index.iter().zip(&m.batch).map(|(i, s)| i * s).sum::<usize>();
            let a = Matrix::new(lhs, start(&self.lhs) + rows.0 * self.lhs.row, self.lhs.row, self.lhs.column);
            let b = Matrix::new(rhs, start(&self.rhs) + columns.0 * self.rhs.column, self.rhs.row, self.rhs.column);
            let target = Output {
                start: batch * each + rows.0 * self.columns + columns.0,
                stride: self.columns,
                rows: rows.1,
                columns: columns.1,
            };
            compute(&out, target, a, b);
        };
        let cost = product_cost(rows, depth, columns);
        if batches > 1 && cost < 100_000_000 {
            let grain = grain(batches, cost);
            spread(pool, batches.div_ceil(grain), cost.saturating_mul(batches as u64), &|task| {
                for batch in task * grain..((task + 1) * grain).min(batches) {
                    product(batch, (0, rows), (0, columns));
                }
            });
            return;
        }
        // Products with vectors and few rows are cut here, as those that do not cut themselves.
        let (row_grain, column_grain) = if spreads { (rows, columns) } else { tiles(rows, depth, columns) };
        let (down, across) = (rows.div_ceil(row_grain), columns.div_ceil(column_grain));
        if spreads {
            return (0..batches).for_each(|batch| product(batch, (0, rows), (0, columns)));
        }
        spread(pool, batches * down * across, cost.saturating_mul(batches as u64), &|task| {
            let (batch, tile) = (task / (down * across), task % (down * across));
            let (row, column) = (tile / across * row_grain, tile % across * column_grain);
            product(batch, (row, row_grain.min(rows - row)), (column, column_grain.min(columns - column)));
        });
    }
}

/// Picoseconds of one product: 80 billion operations a second, or 8 billion bytes when there is little to compute.
fn product_cost(rows: usize, depth: usize, columns: usize) -> u64 {
    let size = |a: usize, b: usize| (a as u64).saturating_mul(b as u64);
    let memory = size(rows, depth).saturating_add(size(depth, columns)).saturating_add(size(rows, columns));
    size(rows, depth).saturating_mul(columns as u64).saturating_mul(25).saturating_add(memory.saturating_mul(200))
}

/// How many rows and columns of the result one task computes: there are tasks enough for many threads, and each is
/// worth its packing, which is the least for tiles that are about square.
fn tiles(rows: usize, depth: usize, columns: usize) -> (usize, usize) {
    let total = product_cost(rows, depth, columns);
    let wanted = (total / 100_000_000).clamp(1, 8).max((total / 3_000_000_000).min(256)) as usize;
    let cut = |size: usize, parts: usize| size.div_ceil(parts).next_multiple_of(16).min(size);
    let tile = |down: usize| (cut(rows, down), cut(columns, wanted.div_ceil(down)));
    (1..=wanted).map(tile).min_by_key(|(rows, columns)| rows + columns).unwrap_or((rows, columns))
}

/// An operand as matrices of `rows` × `columns`, each several dimensions.
fn matrices(dims: &[usize], batch: &[usize], rows: &[usize], columns: &[usize]) -> Matrices {
    let strides = row_major(dims);
    let single = |axes: &[usize]| -> Option<usize> {
        let sizes: Vec<usize> = axes.iter().map(|&a| dims[a]).collect();
        let steps: Vec<isize> = axes.iter().map(|&a| strides[a] as isize).collect();
        let (sizes, [steps]) = merge(&sizes, [&steps]);
        match sizes.len() {
            0 => Some(1),
            1 => Some(steps[0] as usize),
            _ => None,
        }
    };
    if let (Some(row), Some(column)) = (single(rows), single(columns)) {
        return Matrices { batch: batch.iter().map(|&a| strides[a]).collect(), row, column, copy: None };
    }
    // The side with the last dimension stays innermost, so that the copy reads long runs.
    let last = dims.len() - 1;
    let order = if rows.contains(&last) { [batch, columns, rows].concat() } else { [batch, rows, columns].concat() };
    let ordered: Vec<usize> = order.iter().map(|&a| dims[a]).collect();
    let steps = row_major(&ordered);
    let step =
        |axes: &[usize]| axes.last().map_or(1, |a| steps[order.iter().position(|o| o == a).expect("a permutation")]);
    Matrices {
        batch: steps[..batch.len()].to_vec(),
        row: step(rows),
        column: step(columns),
        copy: Some(Permutation::new(&ordered, &order.iter().map(|&a| strides[a] as isize).collect::<Vec<_>>(), 0)),
    }
}

fn reordered<T: Pod + Send + Sync, R>(
    pool: &Pool,
    matrices: &Matrices,
    source: &[T],
    body: impl FnOnce(&[T]) -> R,
) -> R {
    match &matrices.copy {
        None => body(source),
        Some(permutation) => scratch::with(source.len(), |copy: &mut [T]| {
            permutation.run(pool, source, copy);
            body(copy)
        }),
    }
}
