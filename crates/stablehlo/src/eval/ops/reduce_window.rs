//! `reduce_window` and `select_and_scatter`: pooling and its gradient, and running sums.
//!
//! Windows combine from the left, starting with the initial value, and pass over padding. A window that is a whole
//! axis with padding on one side is a running reduction; if it is longer than XLA:CPU takes one by one, it is computed
//! in logarithmic depth, by combining neighbours at growing distances, in the order of the elements.

use super::accumulate::{accumulate, put, take};
use super::axes::advance;
use super::binary::{PairVisitor, visit_pair};
use super::body::Body;
use super::movement::broadcast_scalar;
use super::strided::View;
use super::window::{WindowDimension, visible_pairs};
use crate::eval::error::OpError;
use crate::eval::number::{Bool, Element};
use crate::eval::tensor::{Tensor, element_count};

/// Reduces all inputs (of one shape) together over each window; `inits` are rank-0.
///
/// Fails when shapes differ, ranks disagree, or the body fails.
pub fn reduce_window(
    inputs: &[Tensor],
    inits: &[Tensor],
    windows: &[WindowDimension],
    body: &dyn Body,
) -> Result<Vec<Tensor>, OpError> {
    let first = inputs.first().ok_or_else(|| OpError::invalid("reduce_window needs at least one input"))?;
    let dims = first.dims();
    if inits.len() != inputs.len() || inputs.iter().any(|x| x.dims() != dims) || inits.iter().any(|i| i.len() != 1) {
        return Err(OpError::invalid("reduce_window needs inputs of one shape and a scalar initial value for each"));
    }
    let output_dims = output_dims(windows, dims)?;
    let size: usize = output_dims.iter().product();
    let mut sums: Vec<Tensor> = inits.iter().map(|init| broadcast_scalar(init, &[size])).collect();
    if size == 0 || first.is_empty() {
        return Ok(sums.into_iter().map(|x| x.with_dims(&output_dims)).collect());
    }
    if let Some((axis, forward)) = running_axis(windows, dims) {
        let scanned = running(inputs, axis, forward, body)?;
        let results = body.apply(sums.into_iter().chain(scanned).collect())?;
        return Ok(results.into_iter().map(|x| x.with_dims(&output_dims)).collect());
    }
    let window_sizes: Vec<usize> = windows.iter().map(|w| w.size).collect();
    let mut within = vec![0usize; windows.len()];
    let mut more = !window_sizes.contains(&0);
    while more {
        let (outputs, seen) = visible_pairs(windows, &within, dims, &output_dims);
        if let (Some(op), [x]) = (body.as_binary(), inputs) {
            let fold = FoldPairs { sums: sums.remove(0), x, outputs: &outputs, seen: &seen };
            sums = vec![visit_pair(op, x.element_type(), fold)?];
        } else if !outputs.is_empty() {
            let old = sums.iter().map(|s| take(s, &outputs));
            let new = body.apply(old.chain(inputs.iter().map(|x| take(x, &seen))).collect())?;
            sums = sums.into_iter().zip(&new).map(|(s, n)| put(s, &outputs, n)).collect();
        }
        more = advance(&mut within, &window_sizes);
    }
    Ok(sums.into_iter().map(|x| x.with_dims(&output_dims)).collect())
}

fn output_dims(windows: &[WindowDimension], dims: &[usize]) -> Result<Vec<usize>, OpError> {
    if windows.len() != dims.len() {
        return Err(OpError::invalid(format!("a window of {} dimensions over shape {dims:?}", windows.len())));
    }
    let output: Vec<usize> = windows.iter().zip(dims).map(|(w, &d)| w.output_size(d)).collect::<Result<_, _>>()?;
    if element_count(&output).is_none() {
        return Err(OpError::invalid(format!("result shape {output:?} does not fit in memory")));
    }
    Ok(output)
}

/// The known operation for one input: the same steps in a typed loop.
struct FoldPairs<'a> {
    sums: Tensor,
    x: &'a Tensor,
    outputs: &'a [usize],
    seen: &'a [usize],
}

impl PairVisitor for FoldPairs<'_> {
    type Output = Tensor;

    fn visit<T: Element>(mut self, f: impl Fn(T, T) -> T) -> Tensor {
        let (sums, x) = (self.sums.as_mut_slice::<T>(), self.x.as_slice::<T>());
        for (&output, &input) in self.outputs.iter().zip(self.seen) {
            sums[output] = f(sums[output], x[input]);
        }
        self.sums
    }
}

/// Running reductions up to this length combine one by one, as in XLA:CPU, to the same last place.
const ONE_BY_ONE: usize = 16;

/// The axis of a long running reduction, and whether it runs forward.
fn running_axis(windows: &[WindowDimension], dims: &[usize]) -> Option<(usize, bool)> {
    let plain = |w: &WindowDimension| w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1;
    let mut axes = (0..dims.len()).filter(|&d| windows[d].size != 1 || windows[d].padding != (0, 0));
    let axis = axes.next()?;
    let whole = dims[axis] as i64 - 1;
    let forward = windows[axis].padding == (whole, 0);
    let backward = windows[axis].padding == (0, whole);
    let running = dims[axis] > ONE_BY_ONE
        && axes.next().is_none()
        && windows.iter().all(plain)
        && windows[axis].size == dims[axis]
        && (forward || backward);
    running.then_some((axis, forward))
}

/// Running combination of all elements up to each one (from each one on, if not forward), as flat vectors.
fn running(inputs: &[Tensor], axis: usize, forward: bool, body: &dyn Body) -> Result<Vec<Tensor>, OpError> {
    let dims = inputs[0].dims();
    let (n, inner): (usize, usize) = (dims[axis], dims[axis + 1..].iter().product());
    let outer: usize = dims[..axis].iter().product();
    let mut sums: Vec<Tensor> = inputs.iter().map(|x| x.clone().with_dims(&[x.len()])).collect();
    let mut distance = 1;
    while distance < n {
        // Pairs (earlier, later) at this distance; after this step each sum covers twice as many elements.
        let part = |start: usize| {
            let strides = vec![(n * inner) as isize, inner as isize, 1];
            View { offset: (start * inner) as isize, dims: vec![outer, n - distance, inner], strides }.positions()
        };
        let (earlier, later) = (part(0), part(distance));
        let pairs = sums.iter().map(|s| take(s, &earlier)).chain(sums.iter().map(|s| take(s, &later)));
        let combined = body.apply(pairs.collect())?;
        let target = if forward { &later } else { &earlier };
        sums = sums.into_iter().zip(&combined).map(|(s, c)| put(s, target, c)).collect();
        distance *= 2;
    }
    Ok(sums)
}

/// Adds each element of `source` to the element of the operand's shape that its window of `operand` selects.
///
/// Of two elements the first stays selected if `select` says so, in row-major order; results start as `init`.
pub fn select_and_scatter(
    operand: &Tensor,
    source: &Tensor,
    init: &Tensor,
    windows: &[WindowDimension],
    select: &dyn Body,
    scatter: &dyn Body,
) -> Result<Tensor, OpError> {
    let output_dims = output_dims(windows, operand.dims())?;
    if output_dims != source.dims() || init.len() != 1 {
        return Err(OpError::invalid(format!(
            "windows {windows:?} over {} need a source of shape {output_dims:?}, found {}",
            operand.describe(),
            source.describe()
        )));
    }
    let result = broadcast_scalar(init, operand.dims());
    if source.is_empty() || operand.is_empty() {
        return Ok(result);
    }
    let mut selected: Vec<Option<usize>> = vec![None; source.len()];
    let window_sizes: Vec<usize> = windows.iter().map(|w| w.size).collect();
    let mut within = vec![0usize; windows.len()];
    let mut more = !window_sizes.contains(&0);
    while more {
        let (outputs, seen) = visible_pairs(windows, &within, operand.dims(), &output_dims);
        let (mut contested, mut holders, mut rivals) = (Vec::new(), Vec::new(), Vec::new());
        for (&output, &rival) in outputs.iter().zip(&seen) {
            match selected[output] {
                None => selected[output] = Some(rival),
                Some(holder) => {
                    contested.push(output);
                    holders.push(holder);
                    rivals.push(rival);
                }
            }
        }
        if !contested.is_empty() {
            let stays = select.apply(vec![take(operand, &holders), take(operand, &rivals)])?;
            let stays = stays.first().ok_or_else(|| OpError::invalid("select gives no value"))?;
            if stays.element_type() != crate::ElementType::Bool {
                return Err(OpError::element_type("the result of select", stays.element_type()));
            }
            for ((&output, &rival), stays) in contested.iter().zip(&rivals).zip(stays.as_slice::<Bool>()) {
                if !stays.get() {
                    selected[output] = Some(rival);
                }
            }
        }
        more = advance(&mut within, &window_sizes);
    }
    // Windows that see nothing but padding select nothing.
    let chosen: Vec<(usize, usize)> = selected.iter().enumerate().filter_map(|(k, p)| Some((k, (*p)?))).collect();
    let sources: Vec<usize> = chosen.iter().map(|c| c.0).collect();
    let positions: Vec<usize> = chosen.iter().map(|c| c.1).collect();
    let mut results = accumulate(vec![result], &positions, &[take(source, &sources)], scatter)?;
    Ok(results.remove(0))
}

#[cfg(test)]
mod tests {
    use super::super::binary::{BinaryOp, binary};
    use super::super::body::BinaryBody;
    use super::super::compare::compare;
    use super::*;
    use crate::ir::attrs::{ComparisonDirection, ComparisonType};

    fn window(size: i64, stride: i64, padding: (i64, i64), base: i64, dilation: i64) -> WindowDimension {
        WindowDimension::new(size, stride, padding, base, dilation).unwrap()
    }

    fn sum(x: &Tensor, windows: &[WindowDimension]) -> Tensor {
        let init = Tensor::from_vec(&[], vec![0i32]);
        let fast =
            reduce_window(std::slice::from_ref(x), std::slice::from_ref(&init), windows, &BinaryBody(BinaryOp::Add));
        let general = |a: Vec<Tensor>| Ok(vec![binary(BinaryOp::Add, &a[0], &a[1])?]);
        let slow = reduce_window(std::slice::from_ref(x), &[init], windows, &general);
        assert_eq!(fast, slow);
        fast.unwrap().remove(0)
    }

    #[test]
    fn the_example_of_the_specification() {
        let x = Tensor::from_vec(&[3, 2], vec![1, 2, 3, 4, 5, 6]);
        let y = sum(&x, &[window(2, 4, (2, 1), 2, 3), window(1, 1, (0, 0), 1, 1)]);
        assert_eq!((y.dims(), y.as_slice::<i32>()), (&[2, 2][..], &[0, 0, 3, 4][..]));
    }

    #[test]
    fn running_sums_in_both_directions() {
        let x = Tensor::from_vec(&[2, 5, 1], (1..=10).collect::<Vec<i32>>());
        let one = window(1, 1, (0, 0), 1, 1);
        let y = sum(&x, &[one, window(5, 1, (4, 0), 1, 1), one]);
        assert_eq!(y.as_slice::<i32>(), [1, 3, 6, 10, 15, 6, 13, 21, 30, 40]);
        let y = sum(&x, &[one, window(5, 1, (0, 4), 1, 1), one]);
        assert_eq!(y.as_slice::<i32>(), [15, 14, 12, 9, 5, 40, 34, 27, 19, 10]);
    }

    #[test]
    fn long_running_sums_in_both_directions() {
        let n = 40;
        let x = Tensor::from_vec(&[n], (1..=n as i32).collect::<Vec<i32>>());
        let y = sum(&x, &[window(n as i64, 1, (n as i64 - 1, 0), 1, 1)]);
        assert!(y.as_slice::<i32>().iter().zip(1..).all(|(&sum, i): (&i32, i32)| sum == i * (i + 1) / 2));
        let y = sum(&x, &[window(n as i64, 1, (0, n as i64 - 1), 1, 1)]);
        assert!(y.as_slice::<i32>().iter().zip(0..).all(|(&sum, i): (&i32, i32)| sum == 820 - i * (i + 1) / 2));
    }

    #[test]
    fn short_running_sums_round_one_by_one() {
        // From the left 1 + 2^-24 + 2^-24 stays 1; the two small ones first would make a difference.
        let small = 2f32.powi(-24);
        let x = Tensor::from_vec(&[3], vec![1.0, small, small]);
        let init = [Tensor::scalar(0f32)];
        let y = reduce_window(&[x], &init, &[window(3, 1, (2, 0), 1, 1)], &BinaryBody(BinaryOp::Add)).unwrap();
        assert_eq!(y[0].as_slice::<f32>(), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_long_running_sum_is_quick() {
        let n = 100_000;
        let x = Tensor::from_vec(&[n], vec![1i32; n]);
        let y = sum(&x, &[window(n as i64, 1, (n as i64 - 1, 0), 1, 1)]);
        assert_eq!(y.as_slice::<i32>()[n - 1], n as i32);
    }

    #[test]
    fn windows_of_nothing() {
        let x = Tensor::zeros(crate::ElementType::I32, &[0]);
        assert_eq!(sum(&x, &[window(2, 1, (1, 1), 1, 1)]).as_slice::<i32>(), [0]);
        let x = Tensor::from_vec(&[2], vec![1, 2]);
        assert_eq!(sum(&x, &[window(3, 1, (0, 0), 1, 1)]).dims(), [0]);
        assert_eq!(sum(&x, &[window(1, 1, (-1, 0), 1, 1)]).as_slice::<i32>(), [2]);
    }

    #[test]
    fn gradient_of_pooling() {
        // The example of the specification.
        let operand = Tensor::from_vec(&[4, 2], vec![1, 5, 2, 5, 3, 6, 4, 4]);
        let source = Tensor::from_vec(&[2, 2], vec![5, 6, 7, 8]);
        let windows = [window(3, 2, (0, 1), 1, 1), window(1, 1, (0, 0), 1, 1)];
        let ge = |a: Vec<Tensor>| Ok(vec![compare(ComparisonDirection::Ge, ComparisonType::Signed, &a[0], &a[1])?]);
        let y = select_and_scatter(&operand, &source, &Tensor::scalar(0), &windows, &ge, &BinaryBody(BinaryOp::Add));
        assert_eq!(y.unwrap().as_slice::<i32>(), [0, 0, 0, 0, 5, 14, 7, 0]);
    }
}
