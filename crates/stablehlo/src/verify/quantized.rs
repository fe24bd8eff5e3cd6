//! Quantized element types: their own constraints (Q1 to Q13 in the order of the specification) and the ways
//! in which ops compare them.

use super::check::{Check, require};
use crate::ir::{Element, Module, QuantizationParameters, QuantizedType, TensorType, Type};
use crate::{ElementKind, ElementType};

/// The quantized type of an element, if it is one.
pub(crate) fn quantized(m: &Module, element: Element) -> Option<&QuantizedType> {
    match element {
        Element::Quantized(ty) => match m.ty(ty) {
            Type::Quantized(q) => Some(q),
            _ => None,
        },
        _ => None,
    }
}

/// The axis of a per-axis quantized element.
pub(crate) fn axis(m: &Module, element: Element) -> Option<i64> {
    match &quantized(m, element)?.parameters {
        QuantizationParameters::PerAxis { axis, .. } => Some(*axis),
        QuantizationParameters::PerTensor { .. } => None,
    }
}

/// True if two elements are equal when scales and zero points are left out.
pub(crate) fn same_baseline(m: &Module, a: Element, b: Element) -> bool {
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (quantized(m, a), quantized(m, b)) else { return false };
    let axis = |q: &QuantizedType| match q.parameters {
        QuantizationParameters::PerAxis { axis, .. } => Some(axis),
        QuantizationParameters::PerTensor { .. } => None,
    };
    same_storage(a, b)
        && a.expressed == b.expressed
        && (a.storage_min, a.storage_max) == (b.storage_min, b.storage_max)
        && axis(a) == axis(b)
}

/// True if the stored integers are of the same type.
pub(crate) fn same_storage(a: &QuantizedType, b: &QuantizedType) -> bool {
    a.storage == b.storage && a.is_signed() == b.is_signed()
}

/// Width of the stored integer; 0 if the storage is no integer.
pub(crate) fn storage_bits(m: &Module, q: &QuantizedType) -> usize {
    match m.ty(q.storage) {
        Type::Scalar(element) if matches!(element.kind(), ElementKind::Signed | ElementKind::Unsigned) => {
            element.bits()
        }
        Type::Integer { width, .. } => *width as usize,
        _ => 0,
    }
}

/// True if an element can be promoted to another, as reductions allow for their accumulator.
pub(crate) fn promotable(m: &Module, from: Element, to: Element) -> bool {
    match (from, to) {
        (Element::Plain(a), Element::Plain(b)) => {
            let integer = |e: ElementType| matches!(e.kind(), ElementKind::Signed | ElementKind::Unsigned);
            let same_kind = a.kind() == b.kind() || (integer(a) && integer(b));
            same_kind && a.bits() <= b.bits()
        }
        _ => match (quantized(m, from), quantized(m, to)) {
            (Some(a), Some(b)) => a.expressed == b.expressed && storage_bits(m, a) <= storage_bits(m, b),
            _ => from == to,
        },
    }
}

/// Elements equal, or both per-axis and equal but for the axis (and the parameters, if `parameters_differ`).
pub(crate) fn same_up_to_axis(m: &Module, a: Element, b: Element, parameters_differ: bool) -> bool {
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (quantized(m, a), quantized(m, b)) else { return false };
    let same = same_storage(a, b)
        && a.expressed == b.expressed
        && (a.storage_min, a.storage_max) == (b.storage_min, b.storage_max);
    match (&a.parameters, &b.parameters) {
        (
            QuantizationParameters::PerAxis { scales, zero_points, .. },
            QuantizationParameters::PerAxis { scales: other_scales, zero_points: other_points, .. },
        ) => same && (parameters_differ || (scales == other_scales && zero_points == other_points)),
        _ => false,
    }
}

/// The range of a storage type as the program states its sign.
fn storage_range(bits: usize, signed: bool) -> (i128, i128) {
    if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) }
}

/// The least and the greatest positive value of the expressed type.
fn expressed_range(m: &Module, q: &QuantizedType) -> (f64, f64) {
    let power = |n: i32| 2f64.powi(n);
    match m.ty(q.expressed) {
        Type::Scalar(ElementType::F16) => (power(-24), 65504.0),
        Type::Scalar(ElementType::BF16) => (power(-133), (2.0 - power(-7)) * power(127)),
        Type::Scalar(ElementType::F32) => (power(-149), f64::from(f32::MAX)),
        _ => (0.0, f64::MAX),
    }
}

impl Check<'_, '_> {
    /// The constraints of a quantized element of a tensor type.
    pub(crate) fn check_quantized(&mut self, tensor: &TensorType) {
        let Some(q) = quantized(self.m, tensor.element) else { return };
        let bits = storage_bits(self.m, q);
        if bits == 0 || bits > 64 {
            let storage = self.text(q.storage);
            return self.fail("Q1", format_args!("the storage type {storage} is no integer of at most 64 bits"));
        }
        let (least, greatest) = storage_range(bits, q.is_signed());
        let (min, max) = (i128::from(q.storage_min), i128::from(q.storage_max));
        require!(
            self,
            "Q3",
            least <= min && min < max && max <= greatest,
            "the storage range {min}:{max} is empty or exceeds that of the storage type, {least}:{greatest}"
        );
        let expressed_float = matches!(self.m.ty(q.expressed), Type::Scalar(e) if e.kind() == ElementKind::Float);
        require!(self, "Q4", expressed_float, "the expressed type {} is no float", self.text(q.expressed));
        let one;
        let (scales, zero_points): (&[u64], &[i64]) = match &q.parameters {
            QuantizationParameters::PerTensor { scale, zero_point } => {
                one = ([*scale], [*zero_point]);
                (&one.0, &one.1)
            }
            QuantizationParameters::PerAxis { axis, scales, zero_points } => {
                require!(
                    self,
                    "Q9",
                    scales.len() == zero_points.len(),
                    "there are {} scales and {} zero points",
                    scales.len(),
                    zero_points.len()
                );
                require!(self, "Q11", *axis >= 0, "the quantization dimension {axis} is negative");
                let rank = tensor.rank();
                require!(
                    self,
                    "Q12",
                    *axis < rank as i64,
                    "the quantization dimension {axis} is not less than the rank {rank}"
                );
                if let Some(&dim) = usize::try_from(*axis).ok().and_then(|axis| tensor.dims.get(axis)) {
                    require!(
                        self,
                        "Q13",
                        super::shape::same_dim(dim, scales.len() as i64),
                        "dimension {axis} has {dim} slices and the type {} scales",
                        scales.len()
                    );
                }
                (scales, zero_points)
            }
        };
        if let Some(scale) = scales.iter().map(|&s| f64::from_bits(s)).find(|s| s.is_finite() && *s <= 0.0) {
            self.fail("Q5", format_args!("the scale {scale} is not positive"));
        }
        if let Some(scale) = scales.iter().map(|&s| f64::from_bits(s)).find(|s| !s.is_finite()) {
            self.fail("Q6", format_args!("the scale {scale} is not finite"));
        }
        let (tiny, huge) = expressed_range(self.m, q);
        if let Some(scale) =
            scales.iter().map(|&s| f64::from_bits(s)).find(|s| *s > 0.0 && s.is_finite() && (*s < tiny || *s > huge))
        {
            self.fail(
                "Q4",
                format_args!("the scale {scale} is not in the range of the expressed type, {tiny:e} to {huge:e}"),
            );
        }
        if let Some(point) = zero_points.iter().find(|&&p| i128::from(p) < min || i128::from(p) > max) {
            self.fail("Q7", format_args!("the zero point {point} is outside of the storage range {min}:{max}"));
        }
    }
}
