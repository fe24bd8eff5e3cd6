//! `compare`: element-wise comparison.

use super::binary::lexicographically_less;
use super::map::{map2, same_type};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::{Bool, ComplexElement, Element, Float, Integer, with_complex, with_float, with_integer};
use crate::eval::tensor::Tensor;
use crate::ir::attrs::{ComparisonDirection, ComparisonType};

/// Compares every pair of elements.
///
/// The comparison type only matters for floats, where `TOTALORDER` puts −NaN < −∞ < … < −0 < +0 < … < NaN; every
/// other type has one order. Complex numbers are ordered by real, then imaginary part.
pub fn compare(
    direction: ComparisonDirection,
    comparison_type: ComparisonType,
    lhs: &Tensor,
    rhs: &Tensor,
) -> Result<Tensor, OpError> {
    same_type(lhs, rhs)?;
    let ty = lhs.element_type();
    if ty == ElementType::Bool {
        return Ok(by(direction, lhs, rhs, |x: Bool| x));
    }
    with_integer!(ty, T => return Ok(integers::<T>(direction, lhs, rhs)), _ => ());
    if comparison_type == ComparisonType::TotalOrder {
        with_float!(ty, T => return Ok(by(direction, lhs, rhs, total_order_key::<T>)), _ => ());
    }
    with_float!(ty, T => return Ok(by(direction, lhs, rhs, |x: T| x.to_f64())), _ => ());
    with_complex!(ty, T => Ok(complex::<T>(direction, lhs, rhs)), _ => Err(OpError::element_type("compare", ty)))
}

/// Whether a comparison holds when lhs is less than, equal to, greater than or unordered with rhs.
fn holds(direction: ComparisonDirection) -> [bool; 4] {
    match direction {
        ComparisonDirection::Eq => [false, true, false, false],
        ComparisonDirection::Ne => [true, false, true, true],
        ComparisonDirection::Ge => [false, true, true, false],
        ComparisonDirection::Gt => [false, false, true, false],
        ComparisonDirection::Le => [true, true, false, false],
        ComparisonDirection::Lt => [true, false, false, false],
    }
}

/// Compares by a key of each element.
fn by<T: Element, K: PartialOrd>(
    direction: ComparisonDirection,
    lhs: &Tensor,
    rhs: &Tensor,
    key: impl Fn(T) -> K,
) -> Tensor {
    let holds = holds(direction);
    map2(lhs, rhs, |a, b| Bool::new(holds[key(a).partial_cmp(&key(b)).map_or(3, |order| (order as i8 + 1) as usize)]))
}

fn integers<T: Integer>(direction: ComparisonDirection, lhs: &Tensor, rhs: &Tensor) -> Tensor {
    by(direction, lhs, rhs, |x: T| x)
}

fn complex<T: ComplexElement>(direction: ComparisonDirection, lhs: &Tensor, rhs: &Tensor) -> Tensor {
    map2(lhs, rhs, |a: T, b: T| {
        let (a, b) = (a.to_complex(), b.to_complex());
        Bool::new(match direction {
            ComparisonDirection::Eq => a == b,
            ComparisonDirection::Ne => a != b,
            ComparisonDirection::Ge => a == b || lexicographically_less(b, a),
            ComparisonDirection::Gt => lexicographically_less(b, a),
            ComparisonDirection::Le => a == b || lexicographically_less(a, b),
            ComparisonDirection::Lt => lexicographically_less(a, b),
        })
    })
}

/// An integer that orders as IEEE 754's totalOrder does: the bits as sign and magnitude.
fn total_order_key<T: Float>(x: T) -> i64 {
    let bits = x.raw();
    let sign = 1u64 << (T::TYPE.bits() - 1);
    let magnitude = (bits & (sign - 1)) as i64;
    // The scale format has no sign; its top bit belongs to the exponent.
    if T::TYPE == ElementType::F8E8M0FNU {
        bits as i64
    } else if bits & sign != 0 {
        !magnitude
    } else {
        magnitude
    }
}
