//! `select` and `clamp`: choosing between elements without changing them.

use super::binary::{BinaryOp, binary};
use super::map::same_type;
use super::movement::broadcast_scalar;
use crate::eval::error::OpError;
use crate::eval::number::{Bool, Word};
use crate::eval::tensor::{Tensor, with_words};

/// Elements of `on_true` where `pred` is true, of `on_false` elsewhere. `pred` has their shape or rank 0.
pub fn select(pred: &Tensor, on_true: &Tensor, on_false: &Tensor) -> Result<Tensor, OpError> {
    same_type(on_true, on_false)?;
    if pred.element_type() != crate::ElementType::Bool {
        return Err(OpError::element_type("select's predicate", pred.element_type()));
    }
    let choices = pred.as_slice::<Bool>();
    if pred.rank() == 0 {
        return Ok(if choices[0].get() { on_true } else { on_false }.clone());
    }
    if pred.dims() != on_true.dims() {
        return Err(OpError::invalid(format!(
            "predicate {} for operands {}; it needs their shape or rank 0",
            pred.describe(),
            on_true.describe()
        )));
    }
    let words =
        with_words!(on_true.words(), yes => choose(choices, yes, Word::load(on_false.words()).expect("one type")));
    Ok(Tensor::from_words(on_true.element_type(), on_true.dims().to_vec(), words))
}

fn choose<W: Word>(choices: &[Bool], yes: &[W], no: &Vec<W>) -> crate::eval::tensor::Words {
    let chosen = choices.iter().zip(yes.iter().zip(no)).map(|(c, (y, n))| if c.get() { *y } else { *n });
    W::store(std::sync::Arc::new(chosen.collect()))
}

/// minimum(maximum(operand, min), max); each bound has the operand's shape or rank 0.
pub fn clamp(min: &Tensor, operand: &Tensor, max: &Tensor) -> Result<Tensor, OpError> {
    let bound = |bound: &Tensor| {
        if bound.rank() == 0 { broadcast_scalar(bound, operand.dims()) } else { bound.clone() }
    };
    binary(BinaryOp::Minimum, &binary(BinaryOp::Maximum, operand, &bound(min))?, &bound(max))
}
