//! Products: with what permutes dimensions around them left out, and by rows with the loops before and behind them.

use crate::programs::agree;

/// Two layers: rows are scaled, multiplied, go through a bias and an activation, are multiplied again and subtracted.
const LAYERS: &str = "func.func @main(%x: tensor<3000x60xf32>, %w: tensor<60x90xf32>, %b: tensor<90xf32>,
      %v: tensor<90x60xf32>) -> tensor<3000x60xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<3000x60xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<3000x60xf32>, tensor<f32>) -> tensor<3000xf32>
  %2 = stablehlo.rsqrt %1 : tensor<3000xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3000xf32>) -> tensor<3000x60xf32>
  %4 = stablehlo.multiply %x, %3 : tensor<3000x60xf32>
  %5 = stablehlo.dot_general %4, %w, contracting_dims = [1] x [0]
    : (tensor<3000x60xf32>, tensor<60x90xf32>) -> tensor<3000x90xf32>
  %6 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<90xf32>) -> tensor<3000x90xf32>
  %7 = stablehlo.add %5, %6 : tensor<3000x90xf32>
  %8 = stablehlo.tanh %7 : tensor<3000x90xf32>
  %9 = stablehlo.dot_general %8, %v, contracting_dims = [1] x [0]
    : (tensor<3000x90xf32>, tensor<90x60xf32>) -> tensor<3000x60xf32>
  %10 = stablehlo.subtract %x, %9 : tensor<3000x60xf32>
  return %10 : tensor<3000x60xf32>
}";

#[test]
fn products_take_turns_with_the_loops_around_them() {
    for program in [LAYERS, &LAYERS.replace("f32>", "f64>")] {
        let plan = agree(program).text();
        assert!(plan.contains("rows at a time of") && plan.matches("\ndot_general ").count() == 2, "{plan}");
        assert!(!plan.contains(": dot_general"), "{plan}");
    }
}

/// The gradient of the weights is a product of what the group makes, whole: it comes after.
#[test]
fn what_a_product_wants_whole_is_not_of_its_group() {
    let text = "func.func @main(%x: tensor<700x60xf32>) -> (tensor<700x700xf32>, tensor<700x60xf32>) {
      %0 = stablehlo.tanh %x : tensor<700x60xf32>
      %1 = stablehlo.sine %x : tensor<700x60xf32>
      %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [1]
        : (tensor<700x60xf32>, tensor<700x60xf32>) -> tensor<700x700xf32>
      %3 = stablehlo.tanh %2 : tensor<700x700xf32>
      %4 = stablehlo.dot_general %3, %1, contracting_dims = [1] x [0]
        : (tensor<700x700xf32>, tensor<700x60xf32>) -> tensor<700x60xf32>
      return %3, %4 : tensor<700x700xf32>, tensor<700x60xf32>
    }";
    let plan = agree(text).text();
    // The loop that makes both operands comes before; then what the second wants whole is there.
    assert!(plan.starts_with("0: loop") && plan.matches("\ndot_general ").count() == 2, "{plan}");
}

#[test]
fn transpositions_around_products_are_left_out() {
    // An operand that is transposed, and a result.
    let text =
        "func.func @main(%x: tensor<80x70xf32>, %y: tensor<70x90xf32>) -> (tensor<90x80xf32>, tensor<80x80xf32>) {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<80x70xf32>, tensor<70x90xf32>) -> tensor<80x90xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<80x90xf32>) -> tensor<90x80xf32>
      %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<80x70xf32>) -> tensor<70x80xf32>
      %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0]
        : (tensor<80x70xf32>, tensor<70x80xf32>) -> tensor<80x80xf32>
      return %1, %3 : tensor<90x80xf32>, tensor<80x80xf32>
    }";
    let plan = agree(text).text();
    assert!(!plan.contains("transpose"), "{plan}");
    // The product itself is wanted too, so it is transposed.
    let both = text.replace("return %1, %3 : tensor<90x80xf32>", "return %0, %3 : tensor<80x90xf32>");
    let both = both.replace("-> (tensor<90x80xf32>", "-> (tensor<80x90xf32>");
    agree(&both);
    // With batches, of which the order stays.
    let batches = "func.func @main(%x: tensor<3x40x20xf32>, %y: tensor<3x50x20xf32>) -> (tensor<3x50x40xf32>, tensor<40x3x50xf32>) {
      %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2]
        : (tensor<3x40x20xf32>, tensor<3x50x20xf32>) -> tensor<3x40x50xf32>
      %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x40x50xf32>) -> tensor<3x50x40xf32>
      %2 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2]
        : (tensor<3x40x20xf32>, tensor<3x50x20xf32>) -> tensor<3x40x50xf32>
      %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<3x40x50xf32>) -> tensor<40x3x50xf32>
      return %1, %3 : tensor<3x50x40xf32>, tensor<40x3x50xf32>
    }";
    agree(batches);
}

#[test]
fn bfloat16_that_was_widened_for_a_product_is_multiplied_as_it_was() {
    let text = "func.func @main(%x: tensor<40x50xbf16>, %y: tensor<60x50xbf16>) -> tensor<40x60xf32> {
      %0 = stablehlo.convert %x : (tensor<40x50xbf16>) -> tensor<40x50xf32>
      %1 = stablehlo.convert %y : (tensor<60x50xbf16>) -> tensor<60x50xf32>
      %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<60x50xf32>) -> tensor<50x60xf32>
      %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0]
        : (tensor<40x50xf32>, tensor<50x60xf32>) -> tensor<40x60xf32>
      return %3 : tensor<40x60xf32>
    }";
    let plan = agree(text).text();
    assert!(!plan.contains("convert"), "{plan}");
}

#[test]
fn what_is_repeated_or_counts_is_not_transposed() {
    let text = "func.func @main(%x: tensor<96xf32>, %m: tensor<128x96xf32>) -> (tensor<96x128xf32>, tensor<96x128xf32>, tensor<4x96x128xf32>) {
      %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<96xf32>) -> tensor<128x96xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<128x96xf32>) -> tensor<96x128xf32>
      %2 = stablehlo.iota dim = 0 : tensor<128x96xf32>
      %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<128x96xf32>) -> tensor<96x128xf32>
      %4 = stablehlo.add %1, %3 : tensor<96x128xf32>
      %5 = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<128x96xf32>) -> tensor<128x96x4xf32>
      %6 = stablehlo.transpose %5, dims = [2, 1, 0] : (tensor<128x96x4xf32>) -> tensor<4x96x128xf32>
      return %4, %1, %6 : tensor<96x128xf32>, tensor<96x128xf32>, tensor<4x96x128xf32>
    }";
    // The last has dimensions in another order, and is.
    assert_eq!(agree(text).text().matches("transpose (").count(), 1);
}

/// A sum of transposed products, as the gradient of weights that are used twice, and large arrays that are transposed
/// among other things: all as kernels of their own.
#[test]
fn large_transpositions_are_no_part_of_loops() {
    let text =
        "func.func @main(%x: tensor<128x96xf32>, %y: tensor<96x128xf32>) -> (tensor<128x96xf32>, tensor<96xf32>) {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.exponential %y : tensor<96x128xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<96x128xf32>) -> tensor<128x96xf32>
      %2 = stablehlo.add %x, %1 : tensor<128x96xf32>
      %3 = stablehlo.transpose %y, dims = [1, 0] : (tensor<96x128xf32>) -> tensor<128x96xf32>
      %4 = stablehlo.multiply %2, %3 : tensor<128x96xf32>
      %5 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<128x96xf32>, tensor<f32>) -> tensor<96xf32>
      return %4, %5 : tensor<128x96xf32>, tensor<96xf32>
    }";
    let plan = agree(text).text();
    assert_eq!(plan.matches("transpose (").count(), 2, "{plan}");
}
