//! `convolution`.

use cpu_kernels::{Convolution, ConvolutionDimensions, ConvolutionWindow, WindowDimension};
use cpu_vir::Storage;
use stablehlo::eval::ops::convolution;
use stablehlo::ir::attrs::ConvDimensionNumbers;

use crate::random::{Random, element_type};
use crate::run::{assert_close, assert_same, epsilon, run, shape};
use crate::window::reference;

fn check(
    random: &mut Random,
    types: [Storage; 3],
    lhs: &[usize],
    rhs: &[usize],
    d: &ConvolutionDimensions,
    w: &ConvolutionWindow,
) {
    let (x, k) = (random.tensor(types[0], lhs, false), random.tensor(types[1], rhs, false));
    let what = (types, lhs.to_vec(), rhs.to_vec(), d, w);
    let kernel = Convolution::prepare(&shape(&x), &shape(&k), d, w, types[2]).unwrap();
    let list = |axes: &[usize]| axes.iter().map(|&a| a as i64).collect();
    let parameters = convolution::Convolution {
        numbers: ConvDimensionNumbers {
            input_batch_dimension: d.input_batch as i64,
            input_feature_dimension: d.input_feature as i64,
            input_spatial_dimensions: list(&d.input_spatial),
            kernel_input_feature_dimension: d.kernel_input_feature as i64,
            kernel_output_feature_dimension: d.kernel_output_feature as i64,
            kernel_spatial_dimensions: list(&d.kernel_spatial),
            output_batch_dimension: d.output_batch as i64,
            output_feature_dimension: d.output_feature as i64,
            output_spatial_dimensions: list(&d.output_spatial),
        },
        windows: w.dimensions.iter().map(reference).collect(),
        window_reversal: w.reversal.clone(),
        feature_group_count: w.feature_group_count,
        batch_group_count: w.batch_group_count,
        result_type: element_type(types[2]),
    };
    let want = convolution::convolution(&x, &k, &parameters).unwrap();
    let got = &run(&kernel, &[&x, &k], &[kernel.result().clone()])[0];
    if types[0].compute().is_float() {
        let terms: usize = rhs.iter().product();
        let wide = if epsilon(types[2]) < 1e-10 { 1e-15 } else { 1e-6 };
        let small = if types[2].is_small_float() { epsilon(types[2]) } else { 0.0 };
        assert_close(got, &want, small + wide * 8.0 * (1.0 + terms as f64), &what);
    } else {
        assert_same(got, &want, &what);
    }
}

#[test]
fn random_convolutions() {
    let mut random = Random(50);
    for round in 0..2000 {
        let spatial = *random.pick(&[0, 1, 1, 2, 2, 2, 3]);
        let rank = spatial + 2;
        let (feature_groups, batch_groups) = *random.pick(&[(1, 1), (1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (1, 3)]);
        let large = round % 10 == 0;
        let group_inputs = if random.below(4) == 0 { 1 } else { random.size(if large { 40 } else { 6 }) };
        let group_outputs = if random.below(3) == 0 { 1 } else { random.size(if large { 40 } else { 6 }) };
        let (features, outputs) = (group_inputs * feature_groups, group_outputs * feature_groups * batch_groups);
        let batches = random.size(4) * batch_groups;
        let dimensions: Vec<WindowDimension> = (0..spatial)
            .map(|_| WindowDimension {
                size: 1 + random.below(3),
                stride: 1 + random.below(4) / 2,
                padding: (random.below(5) as i64 - 1, random.below(5) as i64 - 1),
                base_dilation: 1 + random.below(5) / 4,
                window_dilation: 1 + random.below(4) / 3,
            })
            .collect();
        let [a, b, c] = [(); 3].map(|()| random.permutation(rank));
        // Mostly the usual orders.
        let usual: Vec<usize> = (0..rank).collect();
        let (a, b, c) = if random.below(2) == 0 { (usual.clone(), usual.clone(), usual) } else { (a, b, c) };
        let d = ConvolutionDimensions {
            input_batch: a[0],
            input_spatial: a[1..=spatial].to_vec(),
            input_feature: a[spatial + 1],
            kernel_spatial: b[..spatial].to_vec(),
            kernel_input_feature: b[spatial],
            kernel_output_feature: b[spatial + 1],
            output_batch: c[0],
            output_spatial: c[1..=spatial].to_vec(),
            output_feature: c[spatial + 1],
        };
        let (mut lhs, mut rhs) = (vec![0; rank], vec![0; rank]);
        (lhs[d.input_batch], lhs[d.input_feature]) = (batches, features);
        d.input_spatial.iter().for_each(|&axis| lhs[axis] = random.size(9));
        (rhs[d.kernel_input_feature], rhs[d.kernel_output_feature]) = (group_inputs, outputs);
        d.kernel_spatial.iter().zip(&dimensions).for_each(|(&axis, w)| rhs[axis] = w.size);
        let w = ConvolutionWindow {
            reversal: (0..spatial).map(|_| random.below(4) == 0).collect(),
            dimensions,
            feature_group_count: feature_groups,
            batch_group_count: batch_groups,
        };
        let types = match random.below(10) {
            0..=4 => [Storage::F32; 3],
            5 => [Storage::BF16, Storage::BF16, Storage::F32],
            6 => [Storage::I8, Storage::I8, Storage::I32],
            7 => [*random.pick(&[Storage::F64, Storage::I32, Storage::I64, Storage::U8]); 3],
            8 => [*random.pick(&[Storage::Complex64, Storage::Complex128]); 3],
            _ => [*random.pick(&[Storage::BF16, Storage::F16, Storage::F8E5M2, Storage::Bool]); 3],
        };
        check(&mut random, types, &lhs, &rhs, &d, &w);
    }
}

/// Features before space, and kernels of one place: products of matrices, image by image.
#[test]
fn one_place_over_features_first() {
    let mut random = Random(51);
    for (storage, [n, c, h, w, o]) in [
        (Storage::F32, [2, 3, 4, 5, 6]),
        (Storage::F32, [1, 64, 9, 11, 40]),
        (Storage::I32, [3, 1, 2, 2, 1]),
        (Storage::BF16, [2, 5, 1, 7, 2]),
        (Storage::Complex64, [2, 5, 3, 7, 2]),
    ] {
        for kernel_order in [[0, 1], [1, 0]] {
            let d = ConvolutionDimensions {
                input_batch: 0,
                input_feature: 1,
                input_spatial: vec![2, 3],
                kernel_output_feature: kernel_order[0],
                kernel_input_feature: kernel_order[1],
                kernel_spatial: vec![2, 3],
                output_batch: 0,
                output_feature: 1,
                output_spatial: vec![2, 3],
            };
            let window = ConvolutionWindow {
                dimensions: vec![WindowDimension::TRIVIAL; 2],
                reversal: vec![false, true],
                feature_group_count: 1,
                batch_group_count: 1,
            };
            let mut kernel = [1; 4];
            (kernel[kernel_order[0]], kernel[kernel_order[1]]) = (o, c);
            check(&mut random, [storage; 3], &[n, c, h, w], &kernel, &d, &window);
        }
    }
}
