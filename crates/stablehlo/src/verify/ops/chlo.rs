//! Ops of chlo and of StableHLO that broadcast by themselves or are written as text: `chlo.broadcast_*`,
//! `einsum`, `torch_index_select`.

use super::super::check::{Check, demand, require};
use super::super::shape;
use crate::ir::{Attr, DYNAMIC, Element, OpCode, i32_list};
use crate::{ElementKind, ElementType};

/// The size of a dimension of two that are broadcast together.
fn broadcast_dim(a: i64, b: i64) -> Option<i64> {
    match (a, b) {
        (1, size) | (size, 1) => Some(size),
        (DYNAMIC, size) | (size, DYNAMIC) => Some(size),
        _ => (a == b).then_some(a),
    }
}

/// Shapes aligned at their last dimensions and broadcast.
fn broadcast_shape(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let rank = a.len().max(b.len());
    let at = |dims: &[i64], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
    (0..rank).map(|i| broadcast_dim(at(a, i), at(b, i))).collect()
}

/// `chlo.broadcast_*` of two operands.
pub(crate) fn broadcast_binary(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    let same = cx.same_baseline(lhs.element, rhs.element);
    require!(
        cx,
        "element type",
        same,
        "lhs has elements of {} and rhs of {}",
        cx.element_text(lhs.element),
        cx.element_text(rhs.element)
    );
    let element = match cx.op.code() {
        OpCode::ChloBroadcastCompare => Element::Plain(ElementType::Bool),
        OpCode::ChloBroadcastComplex if lhs.element_type() == Some(ElementType::F64) => {
            Element::Plain(ElementType::C128)
        }
        OpCode::ChloBroadcastComplex => Element::Plain(ElementType::C64),
        _ => lhs.element,
    };
    let explicit = cx.op.i64s_opt("broadcast_dimensions").ok()?;
    let dims = match explicit {
        Some(dims) => {
            let (small, large) = if lhs.rank() <= rhs.rank() { (lhs, rhs) } else { (rhs, lhs) };
            cx.length("shape", "broadcast_dimensions", dims.len(), small.rank());
            if !cx.in_range("shape", "broadcast_dimensions", dims, large.rank()) || dims.len() != small.rank() {
                return None;
            }
            require!(
                cx,
                "shape",
                dims.windows(2).all(|w| w[0] < w[1]),
                "broadcast_dimensions = {dims:?} does not ascend"
            );
            let mut spread = vec![1; large.rank()];
            dims.iter().zip(&small.dims).for_each(|(&d, &size)| spread[d as usize] = size);
            broadcast_shape(&spread, &large.dims)
        }
        None => broadcast_shape(&lhs.dims, &rhs.dims),
    };
    demand!(cx, "shape", dims.is_some(), "{} and {} do not broadcast", shape::text(&lhs.dims), shape::text(&rhs.dims));
    cx.result_tensor(0, &dims?, element, "shape", "element type");
    Some(())
}

/// `chlo.broadcast_select`.
pub(crate) fn broadcast_select(cx: &mut Check<'_, '_>) -> Option<()> {
    let (pred, on_true, on_false) = (cx.t(0)?, cx.t(1)?, cx.t(2)?);
    let same = cx.same_baseline(on_true.element, on_false.element);
    require!(cx, "element type", same, "the choices have different element types");
    let dims = broadcast_shape(&on_true.dims, &on_false.dims).and_then(|dims| broadcast_shape(&dims, &pred.dims));
    demand!(cx, "shape", dims.is_some(), "pred, on_true and on_false do not broadcast");
    cx.result_tensor(0, &dims?, on_true.element, "shape", "element type");
    Some(())
}

/// Ops of several versions whose result only the program states: classes are checked, and that the result
/// has the element of the first operand.
pub(crate) fn stated(cx: &mut Check<'_, '_>) -> Option<()> {
    let result = cx.given_result(0)?;
    if let Some(operand) = cx.t(0) {
        let same = cx.same_baseline(operand.element, result.element);
        require!(cx, "element type", same, "operand and result have different element types");
    }
    Some(())
}

/// `chlo.dynamic_reshape`.
pub(crate) fn dynamic_reshape(cx: &mut Check<'_, '_>) -> Option<()> {
    let rank = cx.t(1)?.dims[0];
    stated(cx)?;
    let result = cx.given_result(0)?;
    require!(
        cx,
        "shape",
        shape::same_dim(rank, result.rank() as i64),
        "output_shape has {rank} entries and the result {} dimensions",
        result.rank()
    );
    Some(())
}

/// `chlo.minimum_broadcast_shapes`: as many results as operands.
pub(crate) fn minimum_broadcast_shapes(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operands, results) = (cx.op.operands().len(), cx.op.results().len());
    require!(cx, "results", operands == results && operands > 0, "there are {operands} operands and {results} results");
    Some(())
}

/// `chlo.ragged_dot`: the dimension numbers fit, and the result has the shape that follows.
pub(crate) fn ragged_dot(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs, groups) = (cx.t(0)?, cx.t(1)?, cx.t(2)?);
    let kinds = |e: Option<ElementType>| e.map(ElementType::kind);
    let comparable = kinds(lhs.element_type()) == kinds(rhs.element_type())
        || [lhs, rhs].iter().all(|t| kinds(t.element_type()).is_some_and(|k| k != ElementKind::Complex));
    require!(cx, "element type", comparable, "lhs and rhs have elements that do not multiply");
    let Some(Attr::RaggedDotDimensionNumbers(n)) = cx.op.attr("ragged_dot_dimension_numbers") else {
        cx.fail("dimension numbers", format_args!("`ragged_dot_dimension_numbers` are none"));
        return None;
    };
    let lists = [
        ("lhs", lhs, [&n.lhs_batching_dimensions, &n.lhs_contracting_dimensions]),
        ("rhs", rhs, [&n.rhs_batching_dimensions, &n.rhs_contracting_dimensions]),
    ];
    for (name, tensor, [batching, contracting]) in lists {
        let all = [&batching[..], contracting].concat();
        let fits = all.iter().all(|d| (0..tensor.rank() as i64).contains(d)) && shape::first_duplicate(&all).is_none();
        demand!(
            cx,
            "dimension numbers",
            fits,
            "dimensions {all:?} of {name}, which has {}, are out of range or named twice",
            tensor.rank()
        );
    }
    let pairs = [
        (&n.lhs_batching_dimensions, &n.rhs_batching_dimensions),
        (&n.lhs_contracting_dimensions, &n.rhs_contracting_dimensions),
    ];
    for (left, right) in pairs {
        let fits = left.len() == right.len()
            && left.iter().zip(right).all(|(&l, &r)| shape::same_dim(lhs.dims[l as usize], rhs.dims[r as usize]));
        demand!(cx, "dimension numbers", fits, "dimensions {left:?} of lhs do not pair with {right:?} of rhs");
    }
    let one_ragged = n.lhs_ragged_dimensions.len() == 1
        && n.lhs_ragged_dimensions.iter().all(|d| (0..lhs.rank() as i64).contains(d));
    demand!(cx, "dimension numbers", one_ragged, "lhs has ragged dimensions {:?} and not one", n.lhs_ragged_dimensions);
    let ragged = n.lhs_ragged_dimensions[0];
    let (batched, contracted) =
        (n.lhs_batching_dimensions.contains(&ragged), n.lhs_contracting_dimensions.contains(&ragged));
    demand!(cx, "group_sizes", groups.rank() > 0, "there are no group sizes");
    let count = groups.dims[groups.rank() - 1];
    // Groups of their own for each index of the dimensions outside the ragged one, if not shared by all.
    let position = n.lhs_batching_dimensions.iter().position(|&d| d == ragged);
    let mut outside = match position {
        Some(position) => n.lhs_batching_dimensions[..position].to_vec(),
        None => n.lhs_batching_dimensions.to_vec(),
    };
    if position.is_none() {
        outside.extend((0..ragged).filter(|d| {
            !n.lhs_batching_dimensions.contains(d) && n.lhs_contracting_dimensions.contains(d) == contracted
        }));
    }
    let outside: Vec<i64> = outside.iter().map(|&d| lhs.dims[d as usize]).collect();
    let own = &groups.dims[..groups.rank() - 1];
    require!(
        cx,
        "group_sizes",
        own.is_empty() || shape::compatible(own, &outside),
        "group_sizes has shape {} where the dimensions outside the groups are {}",
        shape::text(&groups.dims),
        shape::text(&outside)
    );
    let group = &n.rhs_group_dimensions;
    let wanted = usize::from(!batched && !contracted);
    let group_fits = group.len() == wanted
        && group.iter().all(|d| {
            (0..rhs.rank() as i64).contains(d)
                && !n.rhs_batching_dimensions.contains(d)
                && !n.rhs_contracting_dimensions.contains(d)
                && shape::same_dim(rhs.dims[*d as usize], count)
        });
    demand!(
        cx,
        "dimension numbers",
        group_fits,
        "rhs has group dimensions {group:?}, and {wanted} with {count} groups follow from the ragged dimension"
    );
    let mut dims = Vec::new();
    dims.extend(contracted.then_some(count));
    dims.extend(n.lhs_batching_dimensions.iter().map(|&d| lhs.dims[d as usize]));
    let free = |d: &i64, lists: [&[i64]; 3]| lists.iter().all(|list| !list.contains(d));
    let (batching, contracting) = (&n.lhs_batching_dimensions, &n.lhs_contracting_dimensions);
    dims.extend((0..lhs.rank() as i64).filter(|d| free(d, [batching, contracting, &[]])).map(|d| lhs.dims[d as usize]));
    let (batching, contracting) = (&n.rhs_batching_dimensions, &n.rhs_contracting_dimensions);
    dims.extend(
        (0..rhs.rank() as i64).filter(|d| free(d, [batching, contracting, group])).map(|d| rhs.dims[d as usize]),
    );
    if cx.inferring() {
        cx.result_tensor(0, &dims, lhs.element, "shape", "element type");
        return Some(());
    }
    cx.result_shape(0, &dims, "shape");
    Some(())
}

/// `einsum` and `unary_einsum`: the labels give the sizes.
pub(crate) fn einsum(cx: &mut Check<'_, '_>) -> Option<()> {
    let config = cx.op.string("einsum_config").ok()?;
    let sides = config.split_once("->");
    demand!(cx, "einsum_config", sides.is_some(), "einsum_config = {config:?} has no `->`");
    let (inputs, output) = sides?;
    let labels: Vec<&str> = inputs.split(',').map(str::trim).collect();
    demand!(
        cx,
        "einsum_config",
        labels.len() == cx.op.operands().len(),
        "einsum_config = {config:?} describes {} operands",
        labels.len()
    );
    let mut sizes: Vec<(char, i64)> = Vec::new();
    for (i, labels) in labels.iter().enumerate() {
        let tensor = cx.t(i)?;
        demand!(
            cx,
            "einsum_config",
            labels.chars().count() == tensor.rank(),
            "{labels:?} does not label the {} dimensions of operand {i}",
            tensor.rank()
        );
        for (label, &size) in labels.chars().zip(&tensor.dims) {
            match sizes.iter().find(|(l, _)| *l == label) {
                Some(&(_, other)) => {
                    require!(
                        cx,
                        "einsum_config",
                        shape::same_dim(other, size),
                        "{label:?} labels sizes {other} and {size}"
                    );
                }
                None => sizes.push((label, size)),
            }
        }
    }
    let mut dims = Vec::new();
    for label in output.trim().chars() {
        let size = sizes.iter().find(|(l, _)| *l == label);
        demand!(cx, "einsum_config", size.is_some(), "{label:?} labels the result but no operand");
        dims.push(size?.1);
    }
    let element = cx.t(0)?.element;
    if cx.inferring() {
        cx.result_tensor(0, &dims, element, "shape", "element type");
        return Some(());
    }
    // Sums may be kept in a wider type of the same kind.
    cx.result_shape(0, &dims, "shape");
    let result = cx.given_result(0)?;
    let fits = super::dot::same_kind(element, result.element) || cx.same_baseline(element, result.element);
    require!(
        cx,
        "element type",
        fits,
        "operand 0 has elements of {} and the result of {}",
        cx.element_text(element),
        cx.element_text(result.element)
    );
    Some(())
}

/// `torch_index_select`.
pub(crate) fn torch_index_select(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operand, index) = (cx.t(0)?, cx.t(1)?);
    let integer = index.element_type().is_some_and(|e| matches!(e.kind(), ElementKind::Signed | ElementKind::Unsigned));
    require!(cx, "element type", integer, "index has elements of {}", cx.element_text(index.element));
    let (dim, batch) = (cx.op.int("dim").ok()?, cx.op.int("batch_dims").ok()?);
    let (rank, index_rank) = (operand.rank() as i64, index.rank() as i64);
    let dim = if dim < 0 { dim.saturating_add(rank) } else { dim };
    let batch = if batch < 0 { batch.saturating_add(index_rank) } else { batch };
    demand!(
        cx,
        "shape",
        0 <= dim && dim < rank && 0 <= batch && batch <= index_rank && batch <= dim,
        "dim = {dim} and batch_dims = {batch} do not fit operands with {rank} and {index_rank} dimensions"
    );
    let (dim, batch) = (dim as usize, batch as usize);
    let dims = [&operand.dims[..dim], &index.dims[batch..], &operand.dims[dim + 1..]].concat();
    cx.result_tensor(0, &dims, operand.element, "shape", "element type");
    Some(())
}

/// `chlo.scan`: slices and carries are what the body takes, and what it gives with the scanned dimension put back.
pub(crate) fn scan(cx: &mut Check<'_, '_>) -> Option<()> {
    let op = cx.op;
    let segments = |name: &str| match op.attr(name) {
        Some(Attr::DenseArray { element: ElementType::I32, data }) => {
            let sizes: Option<Vec<usize>> = i32_list(data).iter().map(|&n| usize::try_from(n).ok()).collect();
            sizes.filter(|sizes| sizes.len() == 2)
        }
        _ => None,
    };
    let (operands, results) = (segments("operandSegmentSizes"), segments("resultSegmentSizes"));
    demand!(cx, "segments", operands.is_some() && results.is_some(), "the sizes of its lists are not said");
    let (operands, results) = (operands?, results?);
    let (inputs, outputs) = (operands[0], results[0]);
    demand!(
        cx,
        "segments",
        operands.iter().sum::<usize>() == op.operands().len()
            && results.iter().sum::<usize>() == op.results().len()
            && operands[1] == results[1]
            && inputs + outputs > 0,
        "lists of {operands:?} operands and {results:?} results do not fit"
    );
    let dimension = op.int("dimension").ok()?;
    let mut size = op.int_or("scan_dim_size", DYNAMIC).ok()?;
    let function = cx.function(0, "body")?;
    demand!(
        cx,
        "body",
        function.inputs.len() == op.operands().len() && function.outputs.len() == op.results().len(),
        "the body takes {} values and gives {}",
        function.inputs.len(),
        function.outputs.len()
    );
    for i in 0..inputs {
        let dims = &cx.t(i)?.dims;
        demand!(
            cx,
            "dimension",
            (0..dims.len() as i64).contains(&dimension),
            "dimension = {dimension} of an input with {} dimensions",
            dims.len()
        );
        let own = dims[dimension as usize];
        require!(cx, "dimension", shape::same_dim(size, own), "input {i} has {own} slices and not {size}");
        size = if size == DYNAMIC { own } else { size };
    }
    for i in 0..op.operands().len() {
        let (tensor, argument) = (cx.t(i)?, cx.m.ty(function.inputs[i]).as_tensor()?);
        let mut dims = tensor.dims.to_vec();
        if i < inputs {
            dims.remove(dimension as usize);
        }
        let fits = shape::compatible(&dims, &argument.dims) && cx.same_baseline(tensor.element, argument.element);
        require!(cx, "body", fits, "argument {i} of the body is {}", cx.text(function.inputs[i]));
    }
    for i in 0..op.results().len() {
        let given = cx.m.ty(function.outputs[i]).as_tensor()?;
        let mut dims = given.dims.to_vec();
        if i < outputs {
            demand!(
                cx,
                "dimension",
                (0..=dims.len() as i64).contains(&dimension),
                "dimension = {dimension} of output {i} with {} dimensions",
                dims.len() + 1
            );
            dims.insert(dimension as usize, size);
        }
        cx.result_tensor(i, &dims, given.element, "shape", "element type");
    }
    Some(())
}
