//! `convolution` and `dynamic_conv`.

use super::super::check::{Check, demand, require};
use super::super::quantized;
use super::super::shape::{dilated, narrow, positions, same_dim};
use super::dot::{QuantizedIds, precision, product_elements};
use super::window::padding;
use crate::ir::DYNAMIC;

const QUANTIZED: QuantizedIds = QuantizedIds {
    plain: "C27",
    which: "C28",
    storage: "C31",
    expressed: "C32",
    granularity: "C33",
    weight_only: "C34",
};

/// `convolution`.
pub(crate) fn convolution(cx: &mut Check<'_, '_>) -> Option<()> {
    let spatial = spatial_rank(cx)?;
    let padding = padding(cx, "C4", spatial);
    check(cx, spatial, padding)
}

/// `dynamic_conv`, whose padding is an operand.
pub(crate) fn dynamic_conv(cx: &mut Check<'_, '_>) -> Option<()> {
    let spatial = spatial_rank(cx)?;
    let shape = &cx.t(2)?.dims;
    require!(
        cx,
        "C4",
        same_dim(shape[0], spatial as i64) && same_dim(shape[1], 2),
        "padding has shape {} and not {spatial}x2",
        super::super::shape::text(shape)
    );
    let constants = super::constant_ints(cx, 2).filter(|c| c.len() == 2 * spatial);
    let padding = constants.map(|c| c.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect());
    check(cx, spatial, padding)
}

fn spatial_rank(cx: &mut Check<'_, '_>) -> Option<usize> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    demand!(cx, "C1", lhs.rank() == rhs.rank(), "lhs has {} dimensions and rhs {}", lhs.rank(), rhs.rank());
    demand!(cx, "C1", lhs.rank() >= 2, "{} dimensions are too few for batch and feature", lhs.rank());
    Some(lhs.rank() - 2)
}

/// Batch, feature and spatial dimension numbers of one array.
fn check_dimensions(
    cx: &mut Check<'_, '_>,
    ids: (&'static str, &'static str),
    name: &str,
    pair: [i64; 2],
    spatial: &[i64],
    rank: usize,
) {
    cx.length(ids.0, &format!("{name}_spatial_dimensions"), spatial.len(), rank - 2);
    let all = [&pair[..], spatial].concat();
    let name = format!("{name}_dimensions");
    cx.unique(ids.1, &name, &all);
    cx.in_range(ids.1, &name, &all, rank);
}

fn check(cx: &mut Check<'_, '_>, spatial: usize, padding: Option<Vec<(i64, i64)>>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    let rank = spatial + 2;
    let n = cx.op.conv_dimension_numbers().ok()?;
    let before = cx.failures();
    let strides = cx.i64s_or("window_strides", spatial, 1)?;
    cx.length("C2", "window_strides", strides.len(), spatial);
    cx.at_least("C3", "window_strides", &strides, 1);
    let lhs_dilation = cx.i64s_or("lhs_dilation", spatial, 1)?;
    cx.length("C5", "lhs_dilation", lhs_dilation.len(), spatial);
    cx.at_least("C6", "lhs_dilation", &lhs_dilation, 1);
    let rhs_dilation = cx.i64s_or("rhs_dilation", spatial, 1)?;
    cx.length("C7", "rhs_dilation", rhs_dilation.len(), spatial);
    cx.at_least("C8", "rhs_dilation", &rhs_dilation, 1);
    if let Some(reversal) = cx.op.bools_opt("window_reversal").ok()? {
        cx.length("C9", "window_reversal", reversal.len(), spatial);
    }
    check_dimensions(
        cx,
        ("C12", "C13"),
        "input",
        [n.input_batch_dimension, n.input_feature_dimension],
        &n.input_spatial_dimensions,
        rank,
    );
    check_dimensions(
        cx,
        ("C17", "C18"),
        "kernel",
        [n.kernel_input_feature_dimension, n.kernel_output_feature_dimension],
        &n.kernel_spatial_dimensions,
        rank,
    );
    check_dimensions(
        cx,
        ("C19", "C20"),
        "output",
        [n.output_batch_dimension, n.output_feature_dimension],
        &n.output_spatial_dimensions,
        rank,
    );
    let (features, batches) = (cx.op.int("feature_group_count").ok()?, cx.op.int("batch_group_count").ok()?);
    cx.at_least("C21", "feature_group_count", &[features], 1);
    cx.at_least("C22", "batch_group_count", &[batches], 1);
    require!(
        cx,
        "C23",
        features <= 1 || batches <= 1,
        "feature_group_count = {features} and batch_group_count = {batches} are both more than 1"
    );
    precision(cx, "C24");
    product_elements(cx, lhs, rhs, &QUANTIZED);
    if let Some(axis) = quantized::axis(cx.m, rhs.element) {
        require!(
            cx,
            "C29",
            axis == n.kernel_output_feature_dimension,
            "rhs is quantized along {axis}, which is not kernel_output_feature_dimension"
        );
    }
    if let Some(axis) = cx.op.result_tensor(0).and_then(|r| quantized::axis(cx.m, r.element)) {
        require!(
            cx,
            "C30",
            axis == n.output_feature_dimension,
            "the result is quantized along {axis}, which is not output_feature_dimension"
        );
    }
    if cx.failures() != before {
        return None;
    }
    let lhs_dim = |d: i64| lhs.dims[d as usize];
    let rhs_dim = |d: i64| rhs.dims[d as usize];
    let divides = |size: i64, by: i64| size == DYNAMIC || size % by == 0;
    let batch = lhs_dim(n.input_batch_dimension);
    require!(
        cx,
        "C10",
        divides(batch, batches),
        "the batch of {batch} is no multiple of batch_group_count = {batches}"
    );
    let input = lhs_dim(n.input_feature_dimension);
    require!(
        cx,
        "C11",
        divides(input, features),
        "{input} input features are no multiple of feature_group_count = {features}"
    );
    let kernel_input = rhs_dim(n.kernel_input_feature_dimension);
    require!(
        cx,
        "C14",
        input == DYNAMIC || same_dim(kernel_input, input / features),
        "the kernel has {kernel_input} input features, and each of {features} groups {}",
        input / features
    );
    let output = rhs_dim(n.kernel_output_feature_dimension);
    require!(
        cx,
        "C15",
        divides(output, batches),
        "{output} output features are no multiple of batch_group_count = {batches}"
    );
    require!(
        cx,
        "C16",
        divides(output, features),
        "{output} output features are no multiple of feature_group_count = {features}"
    );
    let mut dims = vec![DYNAMIC; rank];
    dims[n.output_batch_dimension as usize] = if batch == DYNAMIC { DYNAMIC } else { batch / batches };
    dims[n.output_feature_dimension as usize] = output;
    for i in 0..spatial {
        let (l, r) = (lhs_dim(n.input_spatial_dimensions[i]), rhs_dim(n.kernel_spatial_dimensions[i]));
        let Some(padding) = &padding else { continue };
        if l == DYNAMIC || r == DYNAMIC {
            continue;
        }
        let extent = dilated(l, lhs_dilation[i]) + i128::from(padding[i].0) + i128::from(padding[i].1);
        let count = positions(extent, dilated(r, rhs_dilation[i]), strides[i]);
        dims[n.output_spatial_dimensions[i] as usize] = narrow(count).unwrap_or(i64::MAX);
    }
    if cx.inferring() {
        cx.result_tensor(0, &dims, lhs.element, "C25", "C27");
        return Some(());
    }
    let result = cx.given_result(0)?;
    demand!(cx, "C26", result.rank() == rank, "the result has {} dimensions and not {rank}", result.rank());
    cx.result_shape(0, &dims, "C25");
    Some(())
}
