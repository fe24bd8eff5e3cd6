//! Products whose lhs is dense rows, some rows at a time, so that what makes the rows before and what reads them after can take
//! turns with them: the rhs is packed once for all.

use cpu_vir::Storage;
use cpu_vir::exec::{RowFunction, RowWork, STEP_ROWS, Spread};
use std::sync::Arc;

use super::blocked::with_panels;
use super::plan::Plan;
use super::product::{Matrix, few_rows};
use crate::by_rows::{ByRows, Tasks};
use crate::lanes::Lane;
use crate::parallel::Shared;
use crate::view::{numbers, numbers_mut};

/// An rhs of more bytes does not stay in the second-level cache while all blocks of rows pass.
const MOST_BYTES: usize = 1 << 20;

impl Plan {
    /// The product by rows, if it can be computed so and need not be cut otherwise. All numbers are of this type.
    pub(super) fn by_rows(&self, storage: Storage) -> Option<ByRows> {
        let one = self.result_dims.iter().all(|&size| size > 0) && self.depth > 0 && self.is_single();
        let rhs_bytes = self.depth.saturating_mul(self.columns).saturating_mul(storage.size());
        if !one || !self.has_dense_rows() || self.columns < 2 || self.rows <= few_rows() || rhs_bytes > MOST_BYTES {
            return None;
        }
        let (row, column) = self.rhs_strides()?;
        let product = RowProduct { depth: self.depth, columns: self.columns, row, column };
        let work: Arc<dyn RowWork> = match storage {
            Storage::F32 => Arc::new(Of::<f32>(product, std::marker::PhantomData)),
            Storage::F64 => Arc::new(Of::<f64>(product, std::marker::PhantomData)),
            _ => return None,
        };
        let size = storage.size();
        let (from, to) = ((0, self.depth * size), self.columns * size);
        Some(ByRows { work, rows: self.rows, least: STEP_ROWS, from, whole: 1, to })
    }
}

/// Sizes, and how the rhs lies.
#[derive(Clone, Copy)]
struct RowProduct {
    depth: usize,
    columns: usize,
    row: usize,
    column: usize,
}

/// A product of one type of numbers.
struct Of<T>(RowProduct, std::marker::PhantomData<fn() -> T>);

impl<T: Lane> RowWork for Of<T> {
    fn with_whole(&self, pool: &dyn Spread, whole: &[u8], body: &mut dyn FnMut(&RowFunction<'_>)) {
        let RowProduct { depth, columns, row, column } = self.0;
        let rhs = Matrix::new(numbers::<T>(whole), 0, row, column);
        with_panels(&Tasks(pool), rhs, depth, columns, |panels| {
            body(&|from, to| {
                let (from, to) = (numbers::<T>(from), numbers_mut::<T>(to));
                let lhs = Matrix::new(from, 0, depth, 1);
                panels.rows(&Shared::new(to), lhs, from.len() / depth);
            });
        });
    }
}
