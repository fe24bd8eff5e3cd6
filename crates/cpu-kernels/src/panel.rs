//! The heart of products and convolutions: up to six rows of one array by a packed panel of columns, whose sums stay in
//! registers.
#![allow(unsafe_code, reason = "arrays are read and written by address and stride")]
#![allow(clippy::needless_range_loop, reason = "what iterators are made of is not always inlined into wide code")]

use cpu_vir::exec::Isa;

use crate::lanes::{Lane, Vector, lanes};

/// Rows of a tile.
pub(crate) const ROWS: usize = 6;
/// Vectors of columns of a tile: twelve sums and what they need fill sixteen registers.
pub(crate) const VECTORS: usize = 2;
/// Depth after which sums go to memory: a panel of it, 16 KiB, stays in the first cache.
pub(crate) const DEPTH: usize = 256;
/// Rows that use a panel while it is there: whole tiles, whose elements stay in the second cache.
pub(crate) const BLOCK: usize = 16 * ROWS;

/// Columns of a panel.
pub(crate) fn width<T: Lane>(isa: Isa) -> usize {
    VECTORS * lanes::<T>(isa)
}

/// Where each row of a tile begins; rows beyond the last repeat it, and are not written.
#[inline(always)]
pub(crate) fn row_starts<T>(lhs: &[T], rows: usize, offset: impl Fn(usize) -> usize) -> [*const T; ROWS] {
    let mut starts = [lhs.as_ptr(); ROWS];
    for r in 0..ROWS {
        starts[r] = starts[r].wrapping_add(offset(if r < rows { r } else { rows - 1 }));
    }
    starts
}

/// Where one tile is.
pub(crate) struct Tile<T> {
    /// The elements of each row, from [`row_starts`].
    pub(crate) lhs: [*const T; ROWS],
    /// The panel: rows of whole vectors.
    pub(crate) rhs: *const T,
    pub(crate) to: *mut T,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// From one row of the output to the next.
    pub(crate) stride: usize,
    /// Whether sums are added to what is there.
    pub(crate) adds: bool,
}

impl<T: Lane> Tile<T> {
    /// # Safety
    /// Every row of the lhs has `depth` elements, the panel as many rows of whole vectors, and the output `rows` rows of
    /// `columns`. The processor has what `V` needs.
    #[inline(always)]
    pub(crate) unsafe fn compute<V: Vector<Lane = T>>(&self, depth: usize) {
        // SAFETY: the caller's promises.
        unsafe {
            let mut sums = [[V::splat(T::NIL); VECTORS]; ROWS];
            for k in 0..depth {
                let row = self.rhs.add(k * VECTORS * V::LANES);
                let (first, second) = (V::load(row), V::load(row.add(V::LANES)));
                for r in 0..ROWS {
                    let factor = V::splat(*self.lhs[r].add(k));
                    sums[r][0] = sums[r][0].add_product(factor, first);
                    sums[r][1] = sums[r][1].add_product(factor, second);
                }
            }
            for r in 0..ROWS {
                if r < self.rows {
                    put(&sums[r], self.to.add(r * self.stride), self.columns, self.adds);
                }
            }
        }
    }
}

/// Writes the first `columns` sums of a row, or adds them to what is there.
///
/// # Safety
/// `to` is valid for so many numbers, at most those of the vectors. The processor has what `V` needs.
#[inline(always)]
pub(crate) unsafe fn put<V: Vector<Lane: Lane>>(sums: &[V; VECTORS], to: *mut V::Lane, columns: usize, adds: bool) {
    // SAFETY: the caller's promises; what is beyond the columns goes to an array that has room for it.
    unsafe {
        if columns == VECTORS * V::LANES {
            for v in 0..VECTORS {
                let to = to.add(v * V::LANES);
                let sum = if adds { V::load(to).add(sums[v]) } else { sums[v] };
                sum.store(to);
            }
        } else {
            // 64 lanes of one byte are the most there are.
            let mut row = [V::Lane::NIL; 64];
            std::ptr::copy_nonoverlapping(to, row.as_mut_ptr(), columns);
            for v in 0..VECTORS {
                let at = row.as_mut_ptr().add(v * V::LANES);
                let sum = if adds { V::load(at).add(sums[v]) } else { sums[v] };
                sum.store(at);
            }
            std::ptr::copy_nonoverlapping(row.as_ptr(), to, columns);
        }
    }
}
