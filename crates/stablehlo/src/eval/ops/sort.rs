//! `sort`: rows ordered by a comparator, several tensors by one permutation.
//!
//! A merge sort, always stable, in which all runs of all rows merge at the same time: each element finds its place
//! in the neighbouring run by binary search, and every step of all searches is one call of the comparator.

use super::accumulate::take;
use super::body::Body;
use super::movement::transpose;
use crate::eval::error::OpError;
use crate::eval::number::Bool;
use crate::eval::tensor::Tensor;

/// Sorts along `dimension`, so that the comparator ("goes strictly before") holds for no neighbours in reverse.
///
/// The comparator takes two elements of each input in turn: a0, b0, a1, b1, … Fails when shapes differ or it fails.
pub fn sort(inputs: &[Tensor], dimension: usize, comparator: &dyn Body) -> Result<Vec<Tensor>, OpError> {
    let first = inputs.first().ok_or_else(|| OpError::invalid("sort needs at least one input"))?;
    if inputs.iter().any(|x| x.dims() != first.dims()) || dimension >= first.rank() {
        return Err(OpError::invalid("sort needs inputs of one shape that has the dimension"));
    }
    let n = first.dims()[dimension];
    if n <= 1 || first.is_empty() {
        return Ok(inputs.to_vec());
    }
    // Rows along the last dimension; exchanging two dimensions is its own inverse.
    let mut exchange: Vec<usize> = (0..first.rank()).collect();
    exchange.swap(dimension, first.rank() - 1);
    let rows: Vec<Tensor> = inputs.iter().map(|x| transpose(x, &exchange)).collect::<Result<_, _>>()?;
    let order = sorted_order(&rows, n, comparator)?;
    rows.iter().map(|x| transpose(&take(x, &order).with_dims(x.dims()), &exchange)).collect()
}

/// Flat positions in sorted order, row by row.
fn sorted_order(rows: &[Tensor], n: usize, comparator: &dyn Body) -> Result<Vec<usize>, OpError> {
    let mut order: Vec<usize> = (0..rows[0].len()).collect();
    let mut run = 1;
    while run < n {
        order = merge_runs(rows, &order, n, run, comparator)?;
        run *= 2;
    }
    Ok(order)
}

/// A search by an element of a left run for the number of elements of the right run that go before it.
struct Search {
    /// The element, as a place in the order.
    left: usize,
    /// Where the right run starts, as a place in the order.
    right: usize,
    low: usize,
    high: usize,
}

/// Merges each two neighbouring runs of `run` elements within each row of `n`.
fn merge_runs(
    rows: &[Tensor],
    order: &[usize],
    n: usize,
    run: usize,
    comparator: &dyn Body,
) -> Result<Vec<usize>, OpError> {
    let mut searches = Vec::with_capacity(order.len());
    for row in (0..order.len()).step_by(n) {
        for start in (0..n).step_by(2 * run) {
            let (middle, end) = ((start + run).min(n), (start + 2 * run).min(n));
            let search = |i| Search { left: row + i, right: row + middle, low: 0, high: end - middle };
            searches.extend((start..middle).map(search));
        }
    }
    loop {
        let open: Vec<usize> = (0..searches.len()).filter(|&k| searches[k].low < searches[k].high).collect();
        if open.is_empty() {
            break;
        }
        let middle = |s: &Search| (s.low + s.high) / 2;
        let rights: Vec<usize> = open.iter().map(|&k| order[searches[k].right + middle(&searches[k])]).collect();
        let lefts: Vec<usize> = open.iter().map(|&k| order[searches[k].left]).collect();
        let pairs = rows.iter().flat_map(|x| [take(x, &rights), take(x, &lefts)]);
        let before = comparator.apply(pairs.collect())?;
        let before = before.first().ok_or_else(|| OpError::invalid("the comparator gives no value"))?;
        if before.element_type() != crate::ElementType::Bool {
            return Err(OpError::element_type("the result of the comparator", before.element_type()));
        }
        for (&k, before) in open.iter().zip(before.as_slice::<Bool>()) {
            let search = &mut searches[k];
            let middle = middle(search);
            if before.get() { search.low = middle + 1 } else { search.high = middle }
        }
    }
    // Each left element follows `low` elements of its right run; equal elements keep left before right.
    let mut merged = Vec::with_capacity(order.len());
    let mut searches = searches.iter().peekable();
    for row in (0..order.len()).step_by(n) {
        for start in (0..n).step_by(2 * run) {
            let (middle, end) = ((start + run).min(n), (start + 2 * run).min(n));
            let mut right = middle;
            for i in start..middle {
                let search = searches.next().expect("one search for each left element");
                // A comparator that contradicts itself must not lose or repeat elements.
                let until = (middle + search.low).max(right);
                merged.extend(&order[row + right..row + until]);
                right = until;
                merged.push(order[row + i]);
            }
            merged.extend(&order[row + right..row + end]);
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::super::compare::compare;
    use super::*;
    use crate::ir::attrs::{ComparisonDirection, ComparisonType};

    fn less(ty: ComparisonType) -> impl Body {
        move |a: Vec<Tensor>| Ok(vec![compare(ComparisonDirection::Lt, ty, &a[0], &a[1])?])
    }

    #[test]
    fn rows_and_columns() {
        let x = Tensor::from_vec(&[2, 3], vec![3, 1, 2, 0, 9, -1]);
        let y = sort(std::slice::from_ref(&x), 1, &less(ComparisonType::Signed)).unwrap();
        assert_eq!(y[0].as_slice::<i32>(), [1, 2, 3, -1, 0, 9]);
        let y = sort(&[x], 0, &less(ComparisonType::Signed)).unwrap();
        assert_eq!(y[0].as_slice::<i32>(), [0, 1, -1, 3, 9, 2]);
    }

    #[test]
    fn equal_keys_keep_their_order() {
        for n in [1usize, 2, 3, 10, 33, 1000] {
            let keys: Vec<i32> = (0..n).map(|i| (i * 7919 % 5) as i32).collect();
            let x = Tensor::from_vec(&[n], keys.clone());
            let index = Tensor::from_vec(&[n], (0..n as i32).collect());
            let y = sort(&[x, index], 0, &less(ComparisonType::Signed)).unwrap();
            let mut want: Vec<i32> = (0..n as i32).collect();
            want.sort_by_key(|&i| keys[i as usize]);
            assert_eq!(y[1].as_slice::<i32>(), want);
        }
    }

    #[test]
    fn total_order_and_contradictions() {
        let x = Tensor::from_vec(&[5], vec![f32::NAN, 1.0, 0.0, -0.0, f32::NEG_INFINITY]);
        let y = sort(std::slice::from_ref(&x), 0, &less(ComparisonType::TotalOrder)).unwrap();
        let y = y[0].as_slice::<f32>();
        assert!(y[0] == f32::NEG_INFINITY && y[1].is_sign_negative() && y[2] == 0.0 && y[3] == 1.0 && y[4].is_nan());
        // Every element stays, even if everything goes before everything.
        let always = |a: Vec<Tensor>| Ok(vec![Tensor::from_vec(a[0].dims(), vec![Bool::new(true); a[0].len()])]);
        let mut y =
            sort(&[Tensor::from_vec(&[4], vec![1, 2, 3, 4])], 0, &always).unwrap()[0].as_slice::<i32>().to_vec();
        y.sort();
        assert_eq!(y, [1, 2, 3, 4]);
    }
}
