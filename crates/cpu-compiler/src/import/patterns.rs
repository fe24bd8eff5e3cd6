//! What the regions that JAX writes for sorts and extremes mean.

use cpu_kernels::{KeyOrder, SortKey};
use stablehlo::ElementKind;
use stablehlo::ir::attrs::{ComparisonDirection, ComparisonType};
use stablehlo::ir::{BlockRef, Module, OpCode, OpRef, ValueId};

/// Comparators of more keys than this are not looked into.
const MOST_KEYS: usize = 8;

struct Body<'m> {
    module: &'m Module,
    block: BlockRef<'m>,
}

impl<'m> Body<'m> {
    fn made(&self, value: ValueId) -> Option<OpRef<'m>> {
        self.module.defining_op(value).map(|id| self.module.op(id))
    }

    /// The operands of the op that makes a value, if it is of this kind.
    fn operands(&self, value: ValueId, code: OpCode) -> Option<&'m [ValueId]> {
        self.made(value).filter(|op| op.code() == code).map(|op| op.operands())
    }

    /// Whether a value is `direction(a, b)`.
    fn is_compare(&self, value: ValueId, direction: ComparisonDirection, a: ValueId, b: ValueId) -> bool {
        let made = self.made(value).filter(|op| op.code() == OpCode::Compare && op.operands() == [a, b]);
        made.is_some_and(|op| op.comparison_direction().ok() == Some(direction))
    }

    fn parameter(&self, value: ValueId) -> Option<usize> {
        self.block.args().iter().position(|argument| *argument == value)
    }

    fn is_float(&self, value: ValueId) -> bool {
        let element = self.module.value_tensor(value).and_then(|tensor| tensor.element_type());
        element.is_some_and(|element| element.kind() == ElementKind::Float)
    }

    /// Whether a value is a constant that says so of itself.
    fn is_literal(&self, value: ValueId, says: fn(f64) -> bool) -> bool {
        use stablehlo::eval::Tensor;
        use stablehlo::eval::ops::convert::convert;
        let Some(op) = self.made(value).filter(|op| op.code() == OpCode::Constant) else { return false };
        let element = op.result_tensor(0).and_then(|tensor| tensor.element_type());
        let (Some(element), Ok(dense)) = (element, op.dense("value")) else { return false };
        let number =
            Tensor::from_bytes(element, &[], dense.data()).and_then(|x| convert(&x, stablehlo::ElementType::F64));
        number.is_ok_and(|number| says(number.as_slice::<f64>()[0]))
    }

    /// The parameter that a sort key is of, and whether zeros and NaNs were made alike.
    fn key(&self, value: ValueId) -> Option<(usize, bool)> {
        if let Some(parameter) = self.parameter(value) {
            return Some((parameter, false));
        }
        // select(x != x, NaN, select(x == 0, 0, x))
        let &[unordered, nan, inner] = self.operands(value, OpCode::Select)? else { return None };
        let &[zero, same, x] = self.operands(inner, OpCode::Select)? else { return None };
        let &[tested, against] = self.operands(zero, OpCode::Compare)? else { return None };
        let fits = self.is_compare(unordered, ComparisonDirection::Ne, x, x)
            && self.is_compare(zero, ComparisonDirection::Eq, x, against)
            && tested == x
            && self.is_literal(nan, f64::is_nan)
            && self.is_literal(against, |number| number == 0.0)
            && self.is_literal(same, |number| number == 0.0 && number.is_sign_positive());
        let parameter = self.parameter(x)?;
        fits.then_some((parameter, true))
    }

    /// A comparison of the keys of two elements of one input.
    fn comparison(&self, value: ValueId) -> Option<(ComparisonDirection, SortKey)> {
        let op = self.made(value).filter(|op| op.code() == OpCode::Compare)?;
        let &[a, b] = op.operands() else { return None };
        let ((first, alike), (second, alike_too)) = (self.key(a)?, self.key(b)?);
        let direction = op.comparison_direction().ok()?;
        let operand = first / 2;
        let swapped = first % 2 == 1;
        if second / 2 != operand || first == second || alike != alike_too {
            return None;
        }
        let total = op.compare_type().ok()? == ComparisonType::TotalOrder;
        if self.is_float(self.block.args()[first]) && !total {
            return None;
        }
        let descending = match direction {
            ComparisonDirection::Lt => swapped,
            ComparisonDirection::Gt => !swapped,
            _ => false,
        };
        let order = if alike { KeyOrder::Numeric } else { KeyOrder::Total };
        Some((direction, SortKey { operand, descending, order }))
    }
}

/// The keys that a sort's comparator compares, in order; `None` when it does something else.
pub(super) fn sort_keys(op: OpRef<'_>) -> Option<Vec<SortKey>> {
    let block = op.region_block(0)?;
    let body = Body { module: op.module(), block };
    let &[mut value] = block.terminator()?.operands() else { return None };
    let mut keys = Vec::new();
    loop {
        if keys.len() == MOST_KEYS {
            return None;
        }
        // before, or (equal and the rest)
        let Some(&[before, otherwise]) = body.operands(value, OpCode::Or) else {
            let (direction, key) = body.comparison(value)?;
            keys.push(strict(direction, key)?);
            return Some(keys);
        };
        let (direction, key) = body.comparison(before)?;
        keys.push(strict(direction, key)?);
        let &[equal, rest] = body.operands(otherwise, OpCode::And)? else { return None };
        let (direction, same) = body.comparison(equal)?;
        if direction != ComparisonDirection::Eq || same.operand != key.operand || same.order != key.order {
            return None;
        }
        value = rest;
    }
}

fn strict(direction: ComparisonDirection, key: SortKey) -> Option<SortKey> {
    matches!(direction, ComparisonDirection::Lt | ComparisonDirection::Gt).then_some(key)
}

/// Whether the region of a reduction of values and indices picks the greatest (`true`) or least value, NaN before all
/// others, and of equal ones the first; `None` when it does something else.
pub(super) fn extreme(op: OpRef<'_>) -> Option<bool> {
    let block = op.region_block(0)?;
    let body = Body { module: op.module(), block };
    let (&[a, i, b, j], &[value, index]) = (block.args(), block.terminator()?.operands()) else { return None };
    let &[pick, x, y] = body.operands(value, OpCode::Select)? else { return None };
    let &[pick_index, m, n] = body.operands(index, OpCode::Select)? else { return None };
    let &[better, nan] = body.operands(pick, OpCode::Or)? else { return None };
    let &[picked, tie] = body.operands(pick_index, OpCode::Or)? else { return None };
    let &[equal, earlier] = body.operands(tie, OpCode::And)? else { return None };
    let fits = [x, y, m, n] == [a, b, i, j]
        && picked == pick
        && body.is_compare(nan, ComparisonDirection::Ne, a, a)
        && body.is_compare(equal, ComparisonDirection::Eq, a, b)
        && body.is_compare(earlier, ComparisonDirection::Lt, i, j);
    match fits {
        true if body.is_compare(better, ComparisonDirection::Gt, a, b) => Some(true),
        true if body.is_compare(better, ComparisonDirection::Lt, a, b) => Some(false),
        _ => None,
    }
}
