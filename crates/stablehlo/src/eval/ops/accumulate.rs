//! Combining updates into chosen positions of tensors, several of which may be the same.
//!
//! Under `scatter` and `select_and_scatter`: they say which position each update goes to; updates of one position
//! are combined in order.

use super::binary::{PairVisitor, visit_pair};
use super::body::Body;
use crate::eval::error::OpError;
use crate::eval::number::{Element, Word};
use crate::eval::tensor::{Tensor, Words, with_words};

/// The elements at flat positions, as a vector.
pub(super) fn take(x: &Tensor, positions: &[usize]) -> Tensor {
    fn words<W: Word>(source: &[W], positions: &[usize]) -> Words {
        W::store(std::sync::Arc::new(positions.iter().map(|&p| source[p]).collect()))
    }
    let words = with_words!(x.words(), v => words(v, positions));
    Tensor::from_words(x.element_type(), vec![positions.len()], words)
}

/// Puts the elements of a vector at flat positions.
pub(super) fn put(x: Tensor, positions: &[usize], values: &Tensor) -> Tensor {
    fn write<W: Word>(target: &mut std::sync::Arc<Vec<W>>, positions: &[usize], values: &Words) {
        let target = std::sync::Arc::make_mut(target);
        let values: &Vec<W> = W::load(values).expect("one element type");
        positions.iter().zip(values).for_each(|(&p, &v)| target[p] = v);
    }
    let (ty, dims) = (x.element_type(), x.dims().to_vec());
    let mut words = x.into_words();
    with_words!(&mut words, v => write(v, positions, values.words()));
    Tensor::from_words(ty, dims, words)
}

/// `targets[i][positions[k]] = body(targets[..][positions[k]], updates[..][k])` for each `k` in order.
///
/// `updates` are vectors as long as `positions`. Fails when the body fails or gives other element types.
pub(super) fn accumulate(
    mut targets: Vec<Tensor>,
    positions: &[usize],
    updates: &[Tensor],
    body: &dyn Body,
) -> Result<Vec<Tensor>, OpError> {
    if positions.is_empty() {
        return Ok(targets);
    }
    if let ([target], [update]) = (targets.as_slice(), updates) {
        let same = target.element_type() == update.element_type();
        if body.is_second() && same {
            return Ok(vec![put(targets.remove(0), positions, update)]);
        }
        if let Some(op) = body.as_binary().filter(|_| same) {
            let ty = target.element_type();
            return Ok(vec![visit_pair(op, ty, InOrder { target: targets.remove(0), positions, update })?]);
        }
    }
    for round in rounds(positions, targets[0].len()) {
        let here: Vec<usize> = round.iter().map(|&k| positions[k]).collect();
        let old = targets.iter().map(|t| take(t, &here));
        let new = body.apply(old.chain(updates.iter().map(|u| take(u, &round))).collect())?;
        if new.len() != targets.len() || new.iter().zip(&targets).any(|(n, t)| n.element_type() != t.element_type()) {
            return Err(OpError::invalid("the body does not give one value of the element type of each input"));
        }
        targets = targets.into_iter().zip(&new).map(|(t, n)| put(t, &here, n)).collect();
    }
    Ok(targets)
}

/// Splits updates into rounds that name no position twice, keeping the order of those of one position.
fn rounds(positions: &[usize], len: usize) -> Vec<Vec<usize>> {
    let mut seen = vec![0u32; len];
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for (k, &position) in positions.iter().enumerate() {
        let round = seen[position] as usize;
        seen[position] += 1;
        if round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[round].push(k);
    }
    rounds
}

struct InOrder<'a> {
    target: Tensor,
    positions: &'a [usize],
    update: &'a Tensor,
}

impl PairVisitor for InOrder<'_> {
    type Output = Tensor;

    fn visit<T: Element>(mut self, f: impl Fn(T, T) -> T) -> Tensor {
        let target = self.target.as_mut_slice::<T>();
        for (&position, &update) in self.positions.iter().zip(self.update.as_slice::<T>()) {
            target[position] = f(target[position], update);
        }
        self.target
    }
}
