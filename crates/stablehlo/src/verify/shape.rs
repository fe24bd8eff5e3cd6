//! Arithmetic and comparison of shapes, in which any dimension may be unknown.
//!
//! Two shapes are compatible if they can be the same shape when the program runs.

use crate::ir::{DYNAMIC, Module, Type, TypeId};

/// True if two sizes can be the same.
#[inline]
pub(crate) fn same_dim(a: i64, b: i64) -> bool {
    a == b || a == DYNAMIC || b == DYNAMIC
}

/// True if two shapes can be the same.
#[inline]
pub(crate) fn compatible(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same_dim(a, b))
}

/// True if two types can be the same: equal but for unknown sizes, bounds, scales and zero points.
/// Nested types are compared with a list instead of recursion and a bound on the work.
pub(crate) fn compatible_types(m: &Module, a: TypeId, b: TypeId) -> bool {
    let mut left = vec![(a, b)];
    let mut work = 0;
    while let Some((a, b)) = left.pop() {
        if a == b {
            continue;
        }
        work += 1;
        // Types shared in a tuple of tuples can spell out exponentially; nothing real comes near this.
        if work > 100_000 {
            return false;
        }
        match (m.ty(a), m.ty(b)) {
            (Type::Tensor(a), Type::Tensor(b)) => {
                let bounds = |t: &crate::ir::TensorType| match m.attr(t.encoding?) {
                    crate::ir::Attr::TypeExtensions(e) => Some(&*e.bounds),
                    _ => None,
                };
                if !compatible(&a.dims, &b.dims)
                    || !super::quantized::same_baseline(m, a.element, b.element)
                    || !within_bounds(&a.dims, bounds(b))
                    || !within_bounds(&b.dims, bounds(a))
                {
                    return false;
                }
            }
            (Type::Tuple(a), Type::Tuple(b)) | (Type::Future(a), Type::Future(b)) if a.len() == b.len() => {
                left.extend(a.iter().copied().zip(b.iter().copied()));
            }
            (Type::MemRef { dims: a, element: x, .. }, Type::MemRef { dims: b, element: y, .. }) => {
                if !compatible(a, b) || x != y {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// True if no known size exceeds its bound.
pub(crate) fn within_bounds(dims: &[i64], bounds: Option<&[i64]>) -> bool {
    let Some(bounds) = bounds else { return true };
    dims.iter().zip(bounds).all(|(&d, &b)| d == DYNAMIC || b == DYNAMIC || d <= b)
}

/// Makes a shape more precise with what another compatible shape knows.
pub(crate) fn refine(dims: &mut [i64], bounds: &mut Option<Vec<i64>>, other: &[i64], other_bounds: Option<&[i64]>) {
    if let Some(theirs) = other_bounds
        && theirs.len() == dims.len()
    {
        let ours = bounds.get_or_insert_with(|| vec![DYNAMIC; dims.len()]);
        for (our, &their) in ours.iter_mut().zip(theirs) {
            *our = match (*our, their) {
                (DYNAMIC, b) | (b, DYNAMIC) => b,
                (a, b) => a.min(b),
            };
        }
    }
    for (dim, &other) in dims.iter_mut().zip(other) {
        if *dim == DYNAMIC {
            *dim = other;
        }
    }
}

/// `2x?x3`; `[]` without dimensions.
pub(crate) fn text(dims: &[i64]) -> String {
    if dims.is_empty() {
        return "[]".to_owned();
    }
    let sizes = dims.iter().map(|&d| if d == DYNAMIC { "?".to_owned() } else { d.to_string() });
    sizes.collect::<Vec<_>>().join("x")
}

/// The first number that appears a second time.
pub(crate) fn first_duplicate(values: &[i64]) -> Option<i64> {
    if values.len() <= 16 {
        return values.iter().enumerate().find(|(i, v)| values[..*i].contains(v)).map(|(_, &v)| v);
    }
    let mut seen = hashbrown::HashSet::with_capacity(values.len());
    values.iter().find(|&&v| !seen.insert(v)).copied()
}

/// A size that was computed wide, if it fits.
pub(crate) fn narrow(size: i128) -> Option<i64> {
    i64::try_from(size).ok().filter(|&s| s >= 0)
}

/// `(size - 1) * step + 1`, or 0 for nothing: the extent of something spread out.
pub(crate) fn dilated(size: i64, step: i64) -> i128 {
    if size == 0 { 0 } else { (i128::from(size) - 1) * i128::from(step) + 1 }
}

/// Number of positions of a window of extent `window` at steps of `stride` in an extent.
pub(crate) fn positions(extent: i128, window: i128, stride: i64) -> i128 {
    if extent <= 0 || window > extent || stride <= 0 { 0 } else { (extent - window) / i128::from(stride) + 1 }
}
