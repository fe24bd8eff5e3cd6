//! `gather` and `dynamic_gather`.

use super::super::check::{Check, demand, require};
use super::super::shape::{self, same_dim};
use crate::ir::DYNAMIC;

/// The numbers of the constraints that both forms have.
struct Ids {
    collapsed_unique: &'static str,
    collapsed_sorted: &'static str,
    collapsed_range: &'static str,
    collapsed_small: &'static str,
    map_unique: &'static str,
    map_range: &'static str,
    sizes_count: &'static str,
    sizes_range: &'static str,
    shape: &'static str,
    element: &'static str,
}

const GATHER: Ids = Ids {
    collapsed_unique: "C6",
    collapsed_sorted: "C7",
    collapsed_range: "C8",
    collapsed_small: "C9",
    map_unique: "C18",
    map_range: "C19",
    sizes_count: "C20",
    sizes_range: "C21",
    shape: "C22",
    element: "C23",
};

const DYNAMIC_GATHER: Ids = Ids {
    collapsed_unique: "C6",
    collapsed_sorted: "C6",
    collapsed_range: "C7",
    collapsed_small: "C8",
    map_unique: "C9",
    map_range: "C10",
    sizes_count: "C11",
    sizes_range: "C12",
    shape: "C13",
    element: "C14",
};

/// `gather`.
pub(crate) fn gather(cx: &mut Check<'_, '_>) -> Option<()> {
    let sizes = cx.op.i64s("slice_sizes").ok()?;
    check(cx, Some(sizes), sizes.len() as i64, &GATHER)
}

/// `dynamic_gather`, whose slice sizes are an operand.
pub(crate) fn dynamic_gather(cx: &mut Check<'_, '_>) -> Option<()> {
    let count = cx.t(2)?.dims[0];
    let sizes = super::constant_ints(cx, 2);
    check(cx, sizes.as_deref(), count, &DYNAMIC_GATHER)
}

fn check(cx: &mut Check<'_, '_>, sizes: Option<&[i64]>, size_count: i64, ids: &Ids) -> Option<()> {
    let (operand, indices) = (cx.t(0)?, cx.t(1)?);
    let n = cx.op.gather_dimension_numbers().ok()?;
    let rank = operand.rank();
    let before = cx.failures();
    let described = n.offset_dims.len() + n.collapsed_slice_dims.len() + n.operand_batching_dims.len();
    require!(
        cx,
        "C1",
        described == rank,
        "offset_dims, collapsed_slice_dims and operand_batching_dims have {described} entries together, the operand {rank} dimensions"
    );
    let vector = n.index_vector_dim;
    demand!(
        cx,
        "C2",
        vector >= 0 && vector <= indices.rank() as i64,
        "index_vector_dim = {vector} is not in [0, {}]",
        indices.rank()
    );
    let components = indices.dims.get(vector as usize).copied().unwrap_or(1);
    require!(
        cx,
        "C3",
        same_dim(components, n.start_index_map.len() as i64),
        "start_index_map has {} entries and each index {components} components",
        n.start_index_map.len()
    );
    cx.unique("C4", "offset_dims", &n.offset_dims);
    cx.sorted("C4", "offset_dims", &n.offset_dims);
    let batch_rank = indices.rank() - usize::from((vector as usize) < indices.rank());
    let result_rank = batch_rank + n.offset_dims.len();
    cx.in_range("C5", "offset_dims", &n.offset_dims, result_rank);
    let joined = [&n.collapsed_slice_dims[..], &n.operand_batching_dims].concat();
    cx.unique(ids.collapsed_unique, "collapsed_slice_dims + operand_batching_dims", &joined);
    cx.sorted(ids.collapsed_sorted, "collapsed_slice_dims", &n.collapsed_slice_dims);
    cx.in_range(ids.collapsed_range, "collapsed_slice_dims", &n.collapsed_slice_dims, rank);
    cx.sorted("C10", "operand_batching_dims", &n.operand_batching_dims);
    cx.in_range("C11", "operand_batching_dims", &n.operand_batching_dims, rank);
    cx.unique("C13", "start_indices_batching_dims", &n.start_indices_batching_dims);
    cx.in_range("C14", "start_indices_batching_dims", &n.start_indices_batching_dims, indices.rank());
    require!(
        cx,
        "C15",
        !n.start_indices_batching_dims.contains(&vector),
        "start_indices_batching_dims has index_vector_dim = {vector}"
    );
    cx.length("C16", "start_indices_batching_dims", n.start_indices_batching_dims.len(), n.operand_batching_dims.len());
    let mapped = [&n.start_index_map[..], &n.operand_batching_dims].concat();
    cx.unique(ids.map_unique, "start_index_map + operand_batching_dims", &mapped);
    cx.in_range(ids.map_range, "start_index_map", &n.start_index_map, rank);
    require!(
        cx,
        ids.sizes_count,
        same_dim(size_count, rank as i64),
        "slice_sizes has {size_count} entries and the operand {rank} dimensions"
    );
    if cx.failures() != before {
        return None;
    }
    for (&d, &i) in n.operand_batching_dims.iter().zip(&n.start_indices_batching_dims) {
        let (a, b) = (operand.dims[d as usize], indices.dims[i as usize]);
        require!(
            cx,
            "C17",
            same_dim(a, b),
            "dimension {d} of the operand has size {a} and dimension {i} of start_indices {b}"
        );
    }
    if let Some(sizes) = sizes {
        demand!(cx, ids.sizes_count, sizes.len() == rank, "slice_sizes has {} entries and not {rank}", sizes.len());
        for (d, (&slice, &size)) in sizes.iter().zip(&operand.dims).enumerate() {
            require!(
                cx,
                ids.sizes_range,
                slice >= 0 && (size == DYNAMIC || slice <= size),
                "slice_sizes[{d}] = {slice} is not in [0, {}]",
                shape::text(&[size])
            );
        }
        for (id, name, dims) in [
            (ids.collapsed_small, "collapsed_slice_dims", &n.collapsed_slice_dims),
            ("C12", "operand_batching_dims", &n.operand_batching_dims),
        ] {
            if let Some(&d) = dims.iter().find(|&&d| sizes[d as usize] > 1) {
                cx.fail(
                    id,
                    format_args!("slice_sizes[{d}] = {} is more than 1, but {name} has {d}", sizes[d as usize]),
                );
            }
        }
    }
    let kept: Vec<i64> =
        (0..rank).filter(|&d| !joined.contains(&(d as i64))).map(|d| sizes.map_or(DYNAMIC, |sizes| sizes[d])).collect();
    let mut batch = indices.dims.iter().enumerate().filter(|&(d, _)| d != vector as usize).map(|(_, &size)| size);
    let mut kept = kept.into_iter();
    let dims: Vec<i64> = (0..result_rank)
        .filter_map(|d| if n.offset_dims.binary_search(&(d as i64)).is_ok() { kept.next() } else { batch.next() })
        .collect();
    cx.result_tensor(0, &dims, operand.element, ids.shape, ids.element);
    Some(())
}
