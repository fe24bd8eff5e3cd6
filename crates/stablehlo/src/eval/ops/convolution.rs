//! `convolution`: sums of products over windows, with every dilation, grouping and padding.

use super::axes::{advance, axes};
use super::dot::{Accumulator, Domain, domain};
use super::movement::{reverse, transpose};
use super::window::WindowDimension;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::Complex;
use crate::eval::tensor::{Tensor, element_count};
use crate::ir::attrs::ConvDimensionNumbers;

/// The parameters of a convolution, beside its operands.
#[derive(Clone, Debug)]
pub struct Convolution {
    /// Which dimension is what.
    pub numbers: ConvDimensionNumbers,
    /// One for each spatial dimension; the base dilation is `lhs_dilation`, the window dilation `rhs_dilation`.
    pub windows: Vec<WindowDimension>,
    /// Spatial dimensions in which the kernel is turned round.
    pub window_reversal: Vec<bool>,
    /// Groups of input and output features.
    pub feature_group_count: usize,
    /// Groups of the batch.
    pub batch_group_count: usize,
    /// The element type of the result.
    pub result_type: ElementType,
}

/// The convolution of `lhs` with the kernel `rhs`. Arithmetic is that of `dot_general`.
pub fn convolution(lhs: &Tensor, rhs: &Tensor, parameters: &Convolution) -> Result<Tensor, OpError> {
    match domain(lhs.element_type(), rhs.element_type(), parameters.result_type) {
        Domain::Integer => convolve::<u64>(lhs, rhs, parameters),
        Domain::Float => convolve::<f64>(lhs, rhs, parameters),
        Domain::Complex => convolve::<Complex>(lhs, rhs, parameters),
    }
}

fn convolve<A: Accumulator>(lhs: &Tensor, rhs: &Tensor, p: &Convolution) -> Result<Tensor, OpError> {
    let n = &p.numbers;
    let order = |batch: i64, spatial: &[i64], feature: i64, rank: usize| {
        let list: Vec<i64> = std::iter::once(batch).chain(spatial.iter().copied()).chain([feature]).collect();
        axes("dimension_numbers", &list, rank)
    };
    // Operands as [batch, spatial…, feature] and [spatial…, input feature, output feature].
    let lhs_order = order(n.input_batch_dimension, &n.input_spatial_dimensions, n.input_feature_dimension, lhs.rank())?;
    let mut rhs_order = order(
        n.kernel_input_feature_dimension,
        &n.kernel_spatial_dimensions,
        n.kernel_output_feature_dimension,
        rhs.rank(),
    )?;
    let output_order =
        order(n.output_batch_dimension, &n.output_spatial_dimensions, n.output_feature_dimension, lhs.rank())?;
    let spatial = p.windows.len();
    rhs_order[..=spatial].rotate_left(1);
    let mut rhs = transpose(rhs, &rhs_order)?;
    let reversed: Vec<usize> = (0..spatial).filter(|&d| p.window_reversal.get(d) == Some(&true)).collect();
    rhs = reverse(&rhs, &reversed)?;
    let lhs = transpose(lhs, &lhs_order)?;

    let (batches, features) = (lhs.dims()[0], lhs.dims()[spatial + 1]);
    let (input_dims, kernel_dims) = (&lhs.dims()[1..=spatial], &rhs.dims()[..spatial]);
    let (group_inputs, outputs) = (rhs.dims()[spatial], rhs.dims()[spatial + 1]);
    let (feature_groups, batch_groups) = (p.feature_group_count, p.batch_group_count);
    let consistent = feature_groups >= 1
        && batch_groups >= 1
        && (feature_groups == 1 || batch_groups == 1)
        && group_inputs * feature_groups == features
        && outputs.is_multiple_of(feature_groups * batch_groups)
        && batches.is_multiple_of(batch_groups)
        && p.windows.iter().map(|w| w.size).eq(kernel_dims.iter().copied());
    if !consistent {
        return Err(OpError::invalid(format!(
            "feature_group_count {feature_groups}, batch_group_count {batch_groups} and the dimension numbers do not fit \
             {batches} batches of {features} features and a kernel of {group_inputs} inputs and {outputs} outputs"
        )));
    }
    let output_dims: Vec<usize> =
        p.windows.iter().zip(input_dims).map(|(w, &d)| w.output_size(d)).collect::<Result<_, _>>()?;
    let group_batches = batches / batch_groups;
    let result_dims = [&[group_batches], &output_dims[..], &[outputs]].concat();
    if element_count(&result_dims).is_none() {
        return Err(OpError::invalid(format!("result shape {result_dims:?} does not fit in memory")));
    }

    let (x, kernel) = (A::load(&lhs)?, A::load(&rhs)?);
    let mut sums = vec![A::ZERO; result_dims.iter().product()];
    let (places, input_size) = (output_dims.iter().product::<usize>(), input_dims.iter().product::<usize>());
    let groups = feature_groups * batch_groups;
    let group_outputs = outputs / groups;
    let taps = visible_taps(&p.windows, input_dims, kernel_dims, &output_dims);
    for batch in 0..group_batches {
        for group in 0..groups {
            // Either the features or the batch are split into groups; outputs are split with them.
            let (x_batch, x_feature) =
                if batch_groups > 1 { (group * group_batches + batch, 0) } else { (batch, group * group_inputs) };
            for (place, taps) in taps.iter().enumerate() {
                let out = (batch * places + place) * outputs + group * group_outputs;
                let sums = &mut sums[out..out + group_outputs];
                for &(input, tap) in taps {
                    let from = (x_batch * input_size + input) * features + x_feature;
                    for (i, &value) in x[from..from + group_inputs].iter().enumerate() {
                        let weights = (tap * group_inputs + i) * outputs + group * group_outputs;
                        for (sum, &weight) in sums.iter_mut().zip(&kernel[weights..weights + group_outputs]) {
                            *sum = sum.add_product(value, weight);
                        }
                    }
                }
            }
        }
    }
    let result = A::store(&sums, p.result_type, &result_dims)?;
    let mut inverse = vec![0; output_order.len()];
    output_order.iter().enumerate().for_each(|(i, &d)| inverse[d] = i);
    transpose(&result, &inverse)
}

/// For each output place the pairs (input place, kernel place) that meet there, all flat.
fn visible_taps(
    windows: &[WindowDimension],
    input_dims: &[usize],
    kernel_dims: &[usize],
    output_dims: &[usize],
) -> Vec<Vec<(usize, usize)>> {
    let mut taps = Vec::with_capacity(output_dims.iter().product());
    let mut place = vec![0usize; output_dims.len()];
    let mut more = !output_dims.contains(&0);
    while more {
        let mut pairs = vec![(0usize, 0usize)];
        for (d, window) in windows.iter().enumerate() {
            let seen: Vec<(usize, usize)> = (0..kernel_dims[d])
                .filter_map(|k| Some((window.input_index(place[d], k, input_dims[d])?, k)))
                .collect();
            let extend = |&(input, tap): &(usize, usize)| {
                let (input, tap) = (input * input_dims[d], tap * kernel_dims[d]);
                seen.iter().map(move |&(i, k)| (input + i, tap + k)).collect::<Vec<_>>()
            };
            pairs = pairs.iter().flat_map(extend).collect();
        }
        taps.push(pairs);
        more = advance(&mut place, output_dims);
    }
    taps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nhwc(windows: Vec<WindowDimension>) -> Convolution {
        Convolution {
            numbers: ConvDimensionNumbers {
                input_batch_dimension: 0,
                input_feature_dimension: 3,
                input_spatial_dimensions: [1, 2].into(),
                kernel_input_feature_dimension: 2,
                kernel_output_feature_dimension: 3,
                kernel_spatial_dimensions: [0, 1].into(),
                output_batch_dimension: 0,
                output_feature_dimension: 3,
                output_spatial_dimensions: [1, 2].into(),
            },
            window_reversal: vec![false; windows.len()],
            windows,
            feature_group_count: 1,
            batch_group_count: 1,
            result_type: ElementType::I64,
        }
    }

    fn window(size: i64, stride: i64, padding: i64) -> WindowDimension {
        WindowDimension::new(size, stride, (padding, padding), 1, 1).unwrap()
    }

    #[test]
    fn the_example_of_the_specification() {
        let x: Vec<i64> = vec![1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17];
        let lhs = Tensor::from_vec(&[1, 4, 4, 1], x);
        let rhs = Tensor::from_vec(&[3, 3, 1, 1], vec![1i64; 9]);
        let y = convolution(&lhs, &rhs, &nhwc(vec![window(3, 4, 0), window(3, 4, 0)])).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i64>()), (&[1, 1, 1, 1][..], &[57][..]));
        let mut p = nhwc(vec![
            WindowDimension::new(3, 4, (0, 0), 2, 1).unwrap(),
            WindowDimension::new(3, 4, (0, 0), 2, 1).unwrap(),
        ]);
        p.window_reversal = vec![true, true];
        let y = convolution(&lhs, &rhs, &p).unwrap();
        assert_eq!(y.as_slice::<i64>(), [10, 26, 46, 62]);
    }

    #[test]
    fn groups_of_features_and_of_batches() {
        let lhs = Tensor::from_vec(&[1, 1, 1, 4], vec![1i64, 2, 3, 4]);
        let rhs = Tensor::from_vec(&[1, 1, 2, 2], vec![1i64, 10, 1, 10]);
        let mut p = nhwc(vec![window(1, 1, 0), window(1, 1, 0)]);
        p.feature_group_count = 2;
        // Output 0 sees features 0 and 1, output 1 features 2 and 3.
        assert_eq!(convolution(&lhs, &rhs, &p).unwrap().as_slice::<i64>(), [3, 70]);
        let lhs = Tensor::from_vec(&[4, 1, 1, 1], vec![1i64, 2, 3, 4]);
        let rhs = Tensor::from_vec(&[1, 1, 1, 2], vec![1i64, 10]);
        p.feature_group_count = 1;
        p.batch_group_count = 2;
        let y = convolution(&lhs, &rhs, &p).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i64>()), (&[2, 1, 1, 2][..], &[1, 30, 2, 40][..]));
    }
}
