//! Ops of numerical libraries: `cholesky`, `triangular_solve`, `fft`, batch normalisation, random numbers.

use super::super::check::{Check, demand, require};
use super::super::shape::{self, same_dim};
use crate::ir::attrs::{FftType, RngAlgorithm, RngDistribution};
use crate::ir::{DYNAMIC, Element, OpCode, TensorType};
use crate::{ElementKind, ElementType};

/// `cholesky`.
pub(crate) fn cholesky(cx: &mut Check<'_, '_>) -> Option<()> {
    let a = cx.t(0)?;
    let rank = a.rank();
    demand!(cx, "C2", rank >= 2, "a has {rank} dimensions and needs 2");
    let (rows, columns) = (a.dims[rank - 2], a.dims[rank - 1]);
    require!(cx, "C3", same_dim(rows, columns), "the matrices of a are {rows} by {columns}");
    cx.result_like(0, cx.ty(cx.op.operands()[0]), "C1");
    Some(())
}

/// `triangular_solve`.
pub(crate) fn triangular_solve(cx: &mut Check<'_, '_>) -> Option<()> {
    let (a, b) = (cx.t(0)?, cx.t(1)?);
    let same = cx.same_baseline(a.element, b.element);
    require!(
        cx,
        "C1",
        same,
        "a has elements of {} and b of {}",
        cx.element_text(a.element),
        cx.element_text(b.element)
    );
    let rank = a.rank();
    demand!(
        cx,
        "C2",
        rank >= 2 && rank == b.rank(),
        "a has {rank} dimensions and b {}; both need the same, at least 2",
        b.rank()
    );
    let left = cx.op.bool("left_side").ok()?;
    let shared = b.dims[if left { rank - 2 } else { rank - 1 }];
    let (rows, columns) = (a.dims[rank - 2], a.dims[rank - 1]);
    let fits = same_dim(rows, columns)
        && same_dim(columns, shared)
        && same_dim(rows, shared)
        && shape::compatible(&a.dims[..rank - 2], &b.dims[..rank - 2]);
    require!(
        cx,
        "C3",
        fits,
        "a of shape {} does not go with b of shape {}",
        shape::text(&a.dims),
        shape::text(&b.dims)
    );
    cx.result_like(0, cx.ty(cx.op.operands()[1]), "C4");
    Some(())
}

/// `fft`.
pub(crate) fn fft(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let kind = cx.op.fft_type().ok()?;
    let lengths = cx.op.i64s("fft_length").ok()?;
    let count = lengths.len();
    demand!(cx, "C3", (1..=3).contains(&count), "fft_length has {count} entries and not 1 to 3");
    demand!(
        cx,
        "C1",
        count <= operand.rank(),
        "fft_length has {count} entries and the operand {} dimensions",
        operand.rank()
    );
    if !cx.at_least("C4", "fft_length", lengths, 0) {
        return None;
    }
    let element = operand.element_type()?;
    let result = match (kind, element) {
        (FftType::Fft | FftType::Ifft, ElementType::C64 | ElementType::C128) => Some(element),
        (FftType::Rfft, ElementType::F32) => Some(ElementType::C64),
        (FftType::Rfft, ElementType::F64) => Some(ElementType::C128),
        (FftType::Irfft, ElementType::C64) => Some(ElementType::F32),
        (FftType::Irfft, ElementType::C128) => Some(ElementType::F64),
        _ => None,
    };
    demand!(cx, "C2", result.is_some(), "{} does not take elements of {element}", kind.text());
    let leading = operand.rank() - count;
    let mut dims = operand.dims.to_vec();
    let halved = |length: i64| if length == 0 { 0 } else { length / 2 + 1 };
    match kind {
        FftType::Fft | FftType::Ifft => {}
        FftType::Rfft => {
            demand!(
                cx,
                "C4",
                shape::compatible(&operand.dims[leading..], lengths),
                "the operand ends in {} and fft_length is {lengths:?}",
                shape::text(&operand.dims[leading..])
            );
            let last = dims.last_mut()?;
            *last = if *last == DYNAMIC { DYNAMIC } else { halved(*last) };
        }
        FftType::Irfft => {
            let (&last, others) = lengths.split_last()?;
            demand!(
                cx,
                "C4",
                shape::compatible(&operand.dims[leading..operand.rank() - 1], others),
                "the operand ends in {} and fft_length is {lengths:?}",
                shape::text(&operand.dims[leading..])
            );
            let found = *dims.last()?;
            demand!(
                cx,
                "C5",
                last >= 0 && same_dim(found, halved(last)),
                "the last dimension of the operand is {found}, and a length of {last} needs {}",
                halved(last.max(0))
            );
            *dims.last_mut()? = last;
        }
    }
    cx.result_tensor(0, &dims, Element::Plain(result?), "C5", "C2");
    Some(())
}

/// The three batch normalisations.
pub(crate) fn batch_norm(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let feature = cx.op.int("feature_index").ok()?;
    if !cx.in_range("C1", "feature_index", &[feature], operand.rank()) {
        return None;
    }
    let size = operand.dims[feature as usize];
    for i in 1..cx.op.operands().len() {
        let other = cx.t(i)?;
        let same = cx.same_baseline(operand.element, other.element);
        require!(
            cx,
            "C2",
            same,
            "operand {i} has elements of {} and operand 0 of {}",
            cx.element_text(other.element),
            cx.element_text(operand.element)
        );
    }
    let code = cx.op.code();
    if code == OpCode::BatchNormGrad {
        return batch_norm_grad(cx, operand, size);
    }
    let ids: &[&'static str] = &["C3", "C4", "C5", "C6"];
    let features = cx.op.operands().len() - 1;
    for (i, &id) in ids.iter().enumerate().take(features) {
        let vector = cx.t(i + 1)?.dims[0];
        require!(
            cx,
            id,
            same_dim(vector, size),
            "operand {} has {vector} entries, and there are {size} features",
            i + 1
        );
    }
    let ty = cx.ty(cx.op.operands()[0]);
    if !cx.inferring() {
        for (i, result) in cx.op.results().iter().enumerate() {
            let found = cx.m.value_tensor(*result)?;
            let same = cx.same_baseline(found.element, operand.element);
            require!(
                cx,
                "C2",
                same,
                "result {i} has elements of {} and operand 0 of {}",
                cx.element_text(found.element),
                cx.element_text(operand.element)
            );
        }
    }
    cx.result_like(0, ty, "C7");
    if code == OpCode::BatchNormTraining {
        cx.result_tensor(1, &[size], operand.element, "C5", "C2");
        cx.result_tensor(2, &[size], operand.element, "C6", "C2");
    }
    Some(())
}

fn batch_norm_grad(cx: &mut Check<'_, '_>, operand: &TensorType, size: i64) -> Option<()> {
    let (scale, grad) = (cx.t(1)?, cx.t(4)?);
    require!(cx, "C3", shape::compatible(&grad.dims, &operand.dims), "grad_output has another shape than operand");
    let same = (2..4).all(|i| cx.t(i).is_some_and(|t| shape::compatible(&t.dims, &scale.dims)));
    require!(cx, "C4", same, "scale, mean and variance have different shapes");
    require!(
        cx,
        "C5",
        same_dim(scale.dims[0], size),
        "scale has {} entries, and there are {size} features",
        scale.dims[0]
    );
    cx.result_tensor(0, &operand.dims, operand.element, "C3", "C2");
    cx.result_tensor(1, &scale.dims, operand.element, "C4", "C2");
    cx.result_tensor(2, &scale.dims, operand.element, "C4", "C2");
    Some(())
}

/// `rng`.
pub(crate) fn rng(cx: &mut Check<'_, '_>) -> Option<()> {
    let (a, b, shape_operand) = (cx.t(0)?, cx.t(1)?, cx.t(2)?);
    demand!(
        cx,
        "C1",
        a.element == b.element,
        "a is {} and b {}",
        cx.element_text(a.element),
        cx.element_text(b.element)
    );
    let normal = cx.op.rng_distribution().ok()? == RngDistribution::Normal;
    let float = a.element_type().is_some_and(|e| e.kind() == ElementKind::Float);
    require!(cx, "C2", !normal || float, "a normal distribution of {}", cx.element_text(a.element));
    let dims = match super::constant_ints(cx, 2) {
        Some(dims) if dims.iter().all(|&d| d >= 0) => dims,
        Some(dims) => {
            cx.fail("C3", format_args!("shape = {dims:?} has a negative size"));
            return None;
        }
        None => vec![DYNAMIC; usize::try_from(shape_operand.dims[0]).ok().filter(|&n| n <= 1 << 16)?],
    };
    cx.result_tensor(0, &dims, a.element, "C3", "C1");
    Some(())
}

/// `rng_bit_generator`.
pub(crate) fn rng_bit_generator(cx: &mut Check<'_, '_>) -> Option<()> {
    let state = cx.t(0)?;
    let algorithm = cx.op.rng_algorithm().ok()?;
    // The specification counts words of 64 bits; other widths carry the same number of bits.
    let bits = state.element_type().map_or(64, ElementType::bits) as i64;
    if state.dims[0] != DYNAMIC {
        let words = state.dims[0].saturating_mul(bits);
        let fits = match algorithm {
            RngAlgorithm::Default => true,
            RngAlgorithm::ThreeFry => words == 128,
            RngAlgorithm::Philox => words == 128 || words == 192,
        };
        require!(cx, "C2", fits, "{} does not take a state of {} x {bits} bits", algorithm.text(), state.dims[0]);
    }
    if cx.inferring() {
        cx.given_result(1)?;
    }
    cx.result_like(0, cx.ty(cx.op.operands()[0]), "C1");
    Some(())
}
