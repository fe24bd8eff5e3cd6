//! `scatter`.

use super::super::check::{Check, demand, require};
use super::super::shape::{self, same_dim};
use crate::ir::DYNAMIC;

/// `scatter`.
pub(crate) fn scatter(cx: &mut Check<'_, '_>) -> Option<()> {
    let count = cx.op.operands().len() / 2;
    demand!(cx, "C5", count > 0, "there are no inputs");
    let tensors: Vec<_> = (0..cx.op.operands().len()).map(|i| cx.t(i)).collect::<Option<_>>()?;
    let (inputs, indices, updates) = (&tensors[..count], tensors[count], &tensors[count + 1..]);
    let n = cx.op.scatter_dimension_numbers().ok()?;
    let (input, update) = (inputs[0], updates[0]);
    let rank = input.rank();
    let before = cx.failures();
    for i in 1..count {
        require!(cx, "C1", shape::compatible(&inputs[i].dims, &input.dims), "input {i} has another shape than input 0");
        require!(
            cx,
            "C3",
            shape::compatible(&updates[i].dims, &update.dims),
            "update {i} has another shape than update 0"
        );
    }
    for i in 0..count {
        let same = cx.same_baseline(inputs[i].element, updates[i].element);
        require!(
            cx,
            "C6",
            same,
            "input {i} has elements of {} and update {i} of {}",
            cx.element_text(inputs[i].element),
            cx.element_text(updates[i].element)
        );
    }
    let described = n.update_window_dims.len() + n.inserted_window_dims.len() + n.input_batching_dims.len();
    require!(
        cx,
        "C2",
        described == rank,
        "update_window_dims, inserted_window_dims and input_batching_dims have {described} entries together, the inputs {rank} dimensions"
    );
    cx.unique("C7", "update_window_dims", &n.update_window_dims);
    cx.sorted("C7", "update_window_dims", &n.update_window_dims);
    cx.in_range("C8", "update_window_dims", &n.update_window_dims, update.rank());
    let joined = [&n.inserted_window_dims[..], &n.input_batching_dims].concat();
    cx.unique("C9", "inserted_window_dims + input_batching_dims", &joined);
    cx.sorted("C10", "inserted_window_dims", &n.inserted_window_dims);
    cx.in_range("C11", "inserted_window_dims", &n.inserted_window_dims, rank);
    cx.sorted("C12", "input_batching_dims", &n.input_batching_dims);
    cx.in_range("C13", "input_batching_dims", &n.input_batching_dims, rank);
    cx.unique("C14", "scatter_indices_batching_dims", &n.scatter_indices_batching_dims);
    cx.in_range("C15", "scatter_indices_batching_dims", &n.scatter_indices_batching_dims, indices.rank());
    let vector = n.index_vector_dim;
    require!(
        cx,
        "C16",
        !n.scatter_indices_batching_dims.contains(&vector),
        "scatter_indices_batching_dims has index_vector_dim = {vector}"
    );
    cx.length(
        "C17",
        "scatter_indices_batching_dims",
        n.scatter_indices_batching_dims.len(),
        n.input_batching_dims.len(),
    );
    let mapped = [&n.scatter_dims_to_operand_dims[..], &n.input_batching_dims].concat();
    cx.unique("C20", "scatter_dims_to_operand_dims + input_batching_dims", &mapped);
    cx.in_range("C21", "scatter_dims_to_operand_dims", &n.scatter_dims_to_operand_dims, rank);
    demand!(
        cx,
        "C22",
        vector >= 0 && vector <= indices.rank() as i64,
        "index_vector_dim = {vector} is not in [0, {}]",
        indices.rank()
    );
    let components = indices.dims.get(vector as usize).copied().unwrap_or(1);
    require!(
        cx,
        "C19",
        same_dim(components, n.scatter_dims_to_operand_dims.len() as i64),
        "scatter_dims_to_operand_dims has {} entries and each index {components} components",
        n.scatter_dims_to_operand_dims.len()
    );
    if cx.failures() != before {
        return None;
    }
    for (&d, &i) in n.input_batching_dims.iter().zip(&n.scatter_indices_batching_dims) {
        let (a, b) = (input.dims[d as usize], indices.dims[i as usize]);
        require!(
            cx,
            "C18",
            same_dim(a, b),
            "dimension {d} of the inputs has size {a} and dimension {i} of the indices {b}"
        );
    }
    check_update_shape(cx, &input.dims, &indices.dims, &update.dims, &joined);
    let elements: Vec<_> = inputs.iter().map(|t| t.element).collect();
    let accumulators = cx.reducer(0, &elements, "C23")?;
    demand!(
        cx,
        "C24",
        cx.inferring() || cx.op.results().len() == count,
        "there are {} results and {count} inputs",
        cx.op.results().len()
    );
    for (i, (input, element)) in inputs.iter().zip(accumulators).enumerate() {
        cx.result_tensor(i, &input.dims, element, "C24", "C25");
    }
    Some(())
}

fn check_update_shape(
    cx: &mut Check<'_, '_>,
    input: &[i64],
    indices: &[i64],
    update: &[i64],
    absent: &[i64],
) -> Option<()> {
    let n = cx.op.scatter_dimension_numbers().ok()?;
    let scatter: Vec<i64> =
        indices.iter().enumerate().filter(|&(d, _)| d as i64 != n.index_vector_dim).map(|(_, &size)| size).collect();
    demand!(
        cx,
        "C4",
        update.len() == scatter.len() + n.update_window_dims.len(),
        "the updates have {} dimensions and not {}",
        update.len(),
        scatter.len() + n.update_window_dims.len()
    );
    let windows: Vec<i64> = (0..input.len()).filter(|&d| !absent.contains(&(d as i64))).map(|d| input[d]).collect();
    let (mut scatter, mut windows) = (scatter.into_iter(), windows.into_iter());
    for (d, &size) in update.iter().enumerate() {
        if n.update_window_dims.binary_search(&(d as i64)).is_ok() {
            let most = windows.next()?;
            require!(
                cx,
                "C4",
                size == DYNAMIC || most == DYNAMIC || size <= most,
                "dimension {d} of the updates has size {size}, more than the {most} of the inputs"
            );
        } else {
            let expected = scatter.next()?;
            require!(
                cx,
                "C4",
                same_dim(size, expected),
                "dimension {d} of the updates has size {size} and scatter_indices {expected}"
            );
        }
    }
    Some(())
}
