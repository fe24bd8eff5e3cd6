//! Times of convolutions: `cargo run --release -p cpu-kernels --example convolution`.

mod timing;

use cpu_kernels::{Convolution, ConvolutionDimensions, ConvolutionWindow, Shape, WindowDimension};
use cpu_vir::Storage;

/// A square layer over square images, in the order batch, space, feature or batch, feature, space.
struct Layer {
    batch: usize,
    size: usize,
    inputs: usize,
    outputs: usize,
    kernel: usize,
    stride: usize,
    groups: usize,
}

fn layer(layer: &Layer, features_last: bool) {
    let Layer { batch, size, inputs, outputs, kernel, stride, groups } = *layer;
    let padding = (kernel as i64 - 1) / 2;
    let window = WindowDimension { size: kernel, stride, padding: (padding, padding), ..WindowDimension::TRIVIAL };
    let (feature, space) = if features_last { (3, vec![1, 2]) } else { (1, vec![2, 3]) };
    let dimensions = ConvolutionDimensions {
        input_batch: 0,
        input_feature: feature,
        input_spatial: space.clone(),
        kernel_spatial: vec![0, 1],
        kernel_input_feature: 2,
        kernel_output_feature: 3,
        output_batch: 0,
        output_feature: feature,
        output_spatial: space,
    };
    let image = if features_last { [batch, size, size, inputs] } else { [batch, inputs, size, size] };
    let lhs = Shape::new(Storage::F32, &image);
    let rhs = Shape::new(Storage::F32, &[kernel, kernel, inputs / groups, outputs]);
    let window = ConvolutionWindow {
        dimensions: vec![window; 2],
        reversal: vec![false; 2],
        feature_group_count: groups,
        batch_group_count: 1,
    };
    let convolution = Convolution::prepare(&lhs, &rhs, &dimensions, &window, Storage::F32).expect("a layer");
    let places = convolution.result().elements() / outputs;
    let operations = 2.0 * (places * kernel * kernel * inputs / groups * outputs) as f64;
    let order = if features_last { "NHWC" } else { "NCHW" };
    let name =
        format!("{order} {kernel}x{kernel}/{stride} {batch}x{size}x{size}x{inputs} to {outputs}, {groups} groups");
    let operands = [timing::floats(lhs.elements()), timing::floats(rhs.elements())];
    timing::report(&name, &convolution, &operands, &[convolution.result().bytes()], operations, "GF/s");
}

fn main() {
    let layers = [
        Layer { batch: 1, size: 224, inputs: 3, outputs: 64, kernel: 7, stride: 2, groups: 1 },
        Layer { batch: 1, size: 56, inputs: 64, outputs: 64, kernel: 3, stride: 1, groups: 1 },
        Layer { batch: 1, size: 28, inputs: 128, outputs: 128, kernel: 3, stride: 1, groups: 1 },
        Layer { batch: 1, size: 14, inputs: 256, outputs: 256, kernel: 3, stride: 1, groups: 1 },
        Layer { batch: 8, size: 28, inputs: 128, outputs: 128, kernel: 3, stride: 1, groups: 1 },
        Layer { batch: 1, size: 56, inputs: 256, outputs: 64, kernel: 1, stride: 1, groups: 1 },
        Layer { batch: 32, size: 28, inputs: 1, outputs: 32, kernel: 3, stride: 1, groups: 1 },
        Layer { batch: 1, size: 56, inputs: 144, outputs: 144, kernel: 3, stride: 1, groups: 144 },
    ];
    for features_last in [true, false] {
        layers.iter().for_each(|each| layer(each, features_last));
    }
}
