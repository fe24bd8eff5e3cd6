//! Small programs, each about one thing, against the reference evaluator.

use std::sync::Arc;

use crate::support::{Numbers, differences, inputs, run_compiled};
use cpu_compiler::{Executable, NoCustomCalls, Options};
use stablehlo::eval::{Evaluator, Registry};

/// Runs the program both ways on a few inputs.
pub fn agree(text: &str) -> Executable {
    let module = Arc::new(stablehlo::read_program(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")));
    let evaluator = Evaluator::new(module.clone(), &Registry::default()).unwrap_or_else(|error| panic!("{error}"));
    let executable = Executable::compile(module.clone(), &Options { custom_calls: &NoCustomCalls, explained: true });
    let executable = executable.unwrap_or_else(|error| panic!("{error}"));
    for seed in 1..4 {
        let given = inputs(&module, &mut Numbers::new(seed));
        let expected = evaluator.run(given.clone()).unwrap_or_else(|error| panic!("{error}"));
        let found = run_compiled(&executable, given).unwrap_or_else(|error| panic!("{error}\n{}", executable.text()));
        if let Some(text) = differences(&expected, &found, None) {
            panic!("{text}\n{}", executable.text());
        }
    }
    executable
}

#[test]
fn what_follows_from_constants_is_computed_while_compiling() {
    // Of every kind: elements, movement, sums, a product, a sort; as results, and as operands inside a loop.
    let folded = agree(
        "func.func @main() -> (tensor<3x2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<4xi32>, tensor<300x300xf32>) {
          %a = stablehlo.constant dense<[[1.0, 2.5, -3.0], [4.0, 5.0, 0.1]]> : tensor<2x3xf32>
          %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
          %1 = stablehlo.exponential %0 : tensor<3x2xf32>
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
          %3 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
          %s = stablehlo.constant dense<[3, -1, 2, 7]> : tensor<4xi32>
          %4 = \"stablehlo.sort\"(%s) ({
            ^bb0(%l: tensor<i32>, %r: tensor<i32>):
              %c = stablehlo.compare LT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %c : tensor<i1>
          }) {dimension = 0 : i64} : (tensor<4xi32>) -> tensor<4xi32>
          %b = stablehlo.constant dense<2.0> : tensor<300x300xf32>
          %5 = stablehlo.log %b : tensor<300x300xf32>
          %6 = stablehlo.slice %5 [0:300, 0:300] : (tensor<300x300xf32>) -> tensor<300x300xf32>
          %7 = stablehlo.negate %6 : tensor<300x300xf32>
          return %1, %2, %3, %4, %7 : tensor<3x2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<4xi32>, tensor<300x300xf32>
        }",
    );
    assert_eq!((folded.cost().flops, folded.cost().transcendentals), (0.0, 0.0), "{}", folded.text());
    let turns = agree(
        "func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
          %a = stablehlo.constant dense<[1.0, 2.5, -3.0, 4.0, 5.0, 0.1]> : tensor<6xf32>
          %n = stablehlo.constant dense<0> : tensor<i32>
          %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<6xf32>
          cond {
            %two = stablehlo.constant dense<2> : tensor<i32>
            %three = stablehlo.add %two, %two : tensor<i32>
            %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %one = stablehlo.constant dense<1> : tensor<i32>
            %t = stablehlo.tanh %a : tensor<6xf32>
            %r = stablehlo.reverse %t, dims = [0] : tensor<6xf32>
            %s = stablehlo.add %y, %r : tensor<6xf32>
            %j = stablehlo.add %i, %one : tensor<i32>
            stablehlo.return %j, %s : tensor<i32>, tensor<6xf32>
          }
          return %0#1 : tensor<6xf32>
        }",
    );
    assert_eq!(turns.cost().transcendentals, 0.0, "{}", turns.text());
    // What is larger than 64 KiB, what depends on the process and what draws numbers is left to the run.
    let left = agree(
        "func.func @main() -> (tensor<200x100xf32>, tensor<ui32>) {
          %a = stablehlo.iota dim = 1 : tensor<200x100xf32>
          %0 = stablehlo.exponential %a : tensor<200x100xf32>
          %p = stablehlo.partition_id : tensor<ui32>
          %q = stablehlo.add %p, %p : tensor<ui32>
          return %0, %q : tensor<200x100xf32>, tensor<ui32>
        }",
    );
    assert!(left.cost().transcendentals > 0.0 && left.memory().constants < 1024, "{}", left.text());
}

#[test]
fn magnitudes_of_complex_numbers_are_summed() {
    agree(
        "func.func @main(%x: tensor<50x50xcomplex<f32>>) -> (tensor<f32>, tensor<50xf32>) {
          %0 = stablehlo.abs %x : (tensor<50x50xcomplex<f32>>) -> tensor<50x50xf32>
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0]
            : (tensor<50x50xf32>, tensor<f32>) -> tensor<50xf32>
          %2 = stablehlo.reduce(%1 init: %i) applies stablehlo.maximum across dimensions = [0]
            : (tensor<50xf32>, tensor<f32>) -> tensor<f32>
          return %2, %1 : tensor<f32>, tensor<50xf32>
        }",
    );
}

/// The decomposition is not what is computed: it is XLA's approximation, or any other.
#[test]
fn the_composite_of_the_error_function_is_one_operation() {
    for element in ["f32", "f64", "bf16"] {
        let ty = format!("tensor<300x{element}>");
        let text = format!(
            "module {{
              func.func @main(%x: {ty}) -> {ty} {{
                %0 = stablehlo.composite \"chlo.erf\" %x {{decomposition = @impl, version = 1 : i32}} : ({ty}) -> {ty}
                return %0 : {ty}
              }}
              func.func private @impl(%x: {ty}) -> {ty} {{
                %0 = stablehlo.custom_call @mhlo.erf(%x) : ({ty}) -> {ty}
                return %0 : {ty}
              }}
            }}"
        );
        let module = Arc::new(stablehlo::read_program(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")));
        let executable =
            Executable::compile(module, &Options { custom_calls: &NoCustomCalls, explained: true }).unwrap();
        assert!(executable.text().contains("= erf "), "{}", executable.text());
        agree(&text);
    }
}

/// By a formula that is good to a few units in the last place, which is less than what is compared to.
#[test]
fn the_inverse_of_the_error_function_is_arithmetic() {
    for element in ["f32", "f64", "bf16", "f16"] {
        let ty = format!("tensor<300x{element}>");
        agree(&format!(
            "func.func @main(%x: {ty}) -> ({ty}, {ty}) {{
              %0 = stablehlo.sine %x : {ty}
              %1 = chlo.erf_inv %0 : {ty} -> {ty}
              %2 = chlo.square %1 : {ty} -> {ty}
              return %1, %2 : {ty}, {ty}
            }}"
        ));
    }
}

#[test]
fn powers_of_complex_numbers() {
    agree(
        "func.func @main(%x: tensor<50x50xcomplex<f32>>) -> (tensor<complex<f32>>, tensor<f32>) {
          %0 = stablehlo.abs %x : (tensor<50x50xcomplex<f32>>) -> tensor<50x50xf32>
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %d = stablehlo.constant dense<3.9257> : tensor<f32>
          %two = stablehlo.constant dense<2.0> : tensor<f32>
          %ctwo = stablehlo.constant dense<(2.0, 0.0)> : tensor<complex<f32>>
          %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0]
            : (tensor<50x50xf32>, tensor<f32>) -> tensor<50xf32>
          %2 = stablehlo.reduce(%1 init: %i) applies stablehlo.maximum across dimensions = [0]
            : (tensor<50xf32>, tensor<f32>) -> tensor<f32>
          %3 = stablehlo.divide %2, %d : tensor<f32>
          %4 = stablehlo.log %3 : tensor<f32>
          %5 = stablehlo.log %two : tensor<f32>
          %6 = stablehlo.divide %4, %5 : tensor<f32>
          %7 = stablehlo.floor %6 : tensor<f32>
          %8 = stablehlo.maximum %z, %7 : tensor<f32>
          %9 = stablehlo.convert %8 : (tensor<f32>) -> tensor<complex<f32>>
          %10 = stablehlo.power %ctwo, %9 : tensor<complex<f32>>
          return %10, %8 : tensor<complex<f32>>, tensor<f32>
        }",
    );
}

#[test]
fn arrays_without_elements_go_through_everything() {
    agree(
        "func.func @main(%x: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<3x0xf32>, tensor<f32>, tensor<3xf32>,
            tensor<0x3xf32>, tensor<3x0xf32>, tensor<2x3xf32>) {
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
          %0 = stablehlo.add %x, %one : tensor<0x3xf32>
          %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
          %2 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<0x3xf32>, tensor<f32>) -> tensor<f32>
          %3 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
            : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
          %4 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
          %5 = stablehlo.reshape %x : (tensor<0x3xf32>) -> tensor<3x0xf32>
          %6 = stablehlo.pad %x, %z, low = [1, 0], high = [1, 0], interior = [0, 0]
            : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
          return %0, %1, %2, %3, %4, %5, %6 : tensor<0x3xf32>, tensor<3x0xf32>, tensor<f32>, tensor<3xf32>,
            tensor<0x3xf32>, tensor<3x0xf32>, tensor<2x3xf32>
        }",
    );
}

/// Numbers that orders are about: both zeros, infinities, NaN of either sign and of other bits, and ties.
const SPECIAL: &str =
    "dense<[1.0, 0x7FC00000, -0.0, 0.0, 0xFF800000, 0xFFC00001, 1.0, 0x7F800000, -3.5, -0.0, 0.0, 2.5]>
    : tensor<12xf32>";

/// JAX's comparator of two floats: zeros are equal, and every NaN is the same and comes last.
const NUMERIC: &str = "%zero = stablehlo.constant dense<0.0> : tensor<f32>
      %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %a0 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %a1 = stablehlo.select %a0, %zero, %a : tensor<i1>, tensor<f32>
      %a2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %a3 = stablehlo.select %a2, %nan, %a1 : tensor<i1>, tensor<f32>
      %b0 = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %b1 = stablehlo.select %b0, %zero, %b : tensor<i1>, tensor<f32>
      %b2 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %b3 = stablehlo.select %b2, %nan, %b1 : tensor<i1>, tensor<f32>";

#[test]
fn sorts_order_zeros_infinities_and_nan_as_their_comparator_does() {
    for (direction, numeric) in [("LT", true), ("GT", true), ("LT", false), ("GT", false)] {
        let (body, a, b) = if numeric { (NUMERIC, "%a3", "%b3") } else { ("", "%a", "%b") };
        agree(&format!(
            "func.func @main(%order: tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>) {{
              %x = stablehlo.constant {SPECIAL}
              %s, %i = \"stablehlo.sort\"(%x, %order) <{{dimension = 0 : i64, is_stable = true}}> ({{
              ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
                {body}
                %r = stablehlo.compare {direction}, {a}, {b}, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
                stablehlo.return %r : tensor<i1>
              }}) : (tensor<12xf32>, tensor<12xi32>) -> (tensor<12xf32>, tensor<12xi32>)
              %bits = stablehlo.bitcast_convert %s : (tensor<12xf32>) -> tensor<12xi32>
              return %bits, %i : tensor<12xi32>, tensor<12xi32>
            }}"
        ));
    }
}

#[test]
fn sorts_by_two_keys_of_which_one_descends() {
    agree(
        "func.func @main(%x: tensor<5x40xi32>, %y: tensor<5x40xi8>, %z: tensor<5x40xf32>)
            -> (tensor<5x40xi32>, tensor<5x40xi8>, tensor<5x40xf32>) {
          %s:3 = \"stablehlo.sort\"(%x, %y, %z) <{dimension = 1 : i64, is_stable = true}> ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i8>, %d: tensor<i8>, %e: tensor<f32>, %f: tensor<f32>):
            %0 = stablehlo.compare GT, %c, %d, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
            %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %2 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %3 = stablehlo.and %2, %0 : tensor<i1>
            %4 = stablehlo.or %1, %3 : tensor<i1>
            stablehlo.return %4 : tensor<i1>
          }) : (tensor<5x40xi32>, tensor<5x40xi8>, tensor<5x40xf32>)
            -> (tensor<5x40xi32>, tensor<5x40xi8>, tensor<5x40xf32>)
          return %s#0, %s#1, %s#2 : tensor<5x40xi32>, tensor<5x40xi8>, tensor<5x40xf32>
        }",
    );
}

#[test]
fn extremes_are_the_first_of_equals_and_nan_before_all() {
    for (direction, worst) in [("GT", "0xFF800000"), ("LT", "0x7F800000")] {
        agree(&format!(
            "func.func @main(%y: tensor<12xf32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {{
              %x = stablehlo.constant {SPECIAL}
              %i = stablehlo.iota dim = 0 : tensor<12xi32>
              %worst = stablehlo.constant dense<{worst}> : tensor<f32>
              %zero = stablehlo.constant dense<0> : tensor<i32>
              %r:2 = stablehlo.reduce(%x init: %worst), (%i init: %zero) across dimensions = [0]
                : (tensor<12xf32>, tensor<12xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
              reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {{
                {body}
              }}
              %s:2 = stablehlo.reduce(%y init: %worst), (%i init: %zero) across dimensions = [0]
                : (tensor<12xf32>, tensor<12xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
              reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {{
                {body}
              }}
              %bits = stablehlo.bitcast_convert %r#0 : (tensor<f32>) -> tensor<i32>
              return %bits, %r#1, %s#1 : tensor<i32>, tensor<i32>, tensor<i32>
            }}",
            body = format!(
                "%0 = stablehlo.compare {direction}, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
                %1 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
                %2 = stablehlo.or %0, %1 : tensor<i1>
                %3 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
                %4 = stablehlo.compare LT, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                %5 = stablehlo.and %3, %4 : tensor<i1>
                %6 = stablehlo.or %2, %5 : tensor<i1>
                %7 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>
                %8 = stablehlo.select %6, %c, %d : tensor<i1>, tensor<i32>
                stablehlo.return %7, %8 : tensor<f32>, tensor<i32>"
            )
        ));
    }
}

#[test]
fn the_first_of_a_sort_are_what_is_cut_from_it() {
    for (direction, k) in [("GT", 3), ("GT", 12), ("LT", 3)] {
        agree(&format!(
            "func.func @main(%y: tensor<4x12xf32>) -> (tensor<4x{k}xi32>, tensor<4x{k}xf32>, tensor<{k}xi32>) {{
              %i = stablehlo.iota dim = 1 : tensor<4x12xi32>
              %s, %p = \"stablehlo.sort\"(%y, %i) <{{dimension = 1 : i64, is_stable = true}}> ({{
              ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
                %r = stablehlo.compare {direction}, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
                stablehlo.return %r : tensor<i1>
              }}) : (tensor<4x12xf32>, tensor<4x12xi32>) -> (tensor<4x12xf32>, tensor<4x12xi32>)
              %v = stablehlo.slice %s [0:4, 0:{k}] : (tensor<4x12xf32>) -> tensor<4x{k}xf32>
              %q = stablehlo.slice %p [0:4, 0:{k}] : (tensor<4x12xi32>) -> tensor<4x{k}xi32>
              %x = stablehlo.constant {SPECIAL}
              %j = stablehlo.iota dim = 0 : tensor<12xi32>
              %t, %o = \"stablehlo.sort\"(%x, %j) <{{dimension = 0 : i64, is_stable = true}}> ({{
              ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
                %r = stablehlo.compare {direction}, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
                stablehlo.return %r : tensor<i1>
              }}) : (tensor<12xf32>, tensor<12xi32>) -> (tensor<12xf32>, tensor<12xi32>)
              %u = stablehlo.slice %o [0:{k}] : (tensor<12xi32>) -> tensor<{k}xi32>
              return %q, %v, %u : tensor<4x{k}xi32>, tensor<4x{k}xf32>, tensor<{k}xi32>
            }}"
        ));
    }
}

/// Every pair of parts among zeros, infinities, NaN and numbers of all sizes, and each of them by each other; and among
/// numbers of one size, whose results can be told apart.
#[test]
fn functions_of_complex_numbers_at_their_edges_and_elsewhere() {
    for (part, tiny, edges) in
        [("f32", "1.0e-30", true), ("f64", "1.0e-200", true), ("f32", "", false), ("f64", "", false)]
    {
        let (infinity, nan) =
            if part == "f32" { ("0x7F800000", "0x7FC00000") } else { ("0x7FF0000000000000", "0x7FF8000000000000") };
        let minus = if part == "f32" { "0xFF800000" } else { "0xFFF0000000000000" };
        let numbers = match edges {
            true => format!("0.0, -0.0, 1.0, -1.0, 0.75, -3.5, {tiny}, -{tiny}, 1.0e30, {infinity}, {minus}, {nan}"),
            false => "0.3, -0.4, 1.0, -1.25, 0.75, -1.5, 0.6, -0.9, 0.5, 1.1, 0.99, -1.01".to_owned(),
        };
        let (row, square) = (format!("tensor<12x{part}>"), format!("tensor<12x12x{part}>"));
        let (z, pairs) = (format!("tensor<12x12xcomplex<{part}>>"), format!("tensor<144x144xcomplex<{part}>>"));
        let column = format!("tensor<144xcomplex<{part}>>");
        let executable = agree(&format!(
            "func.func @main(%p: {row}) -> ({z}, {z}, {z}, {z}, {z}, {pairs}) {{
              %c = stablehlo.constant dense<[{numbers}]> : {row}
              %x = stablehlo.broadcast_in_dim %c, dims = [0] : ({row}) -> {square}
              %y = stablehlo.broadcast_in_dim %c, dims = [1] : ({row}) -> {square}
              %q = stablehlo.broadcast_in_dim %p, dims = [0] : ({row}) -> {square}
              %o = stablehlo.subtract %q, %q : {square}
              %w = stablehlo.add %y, %o : {square}
              %z = stablehlo.complex %x, %w : {z}
              %0 = stablehlo.exponential %z : {z}
              %1 = stablehlo.log %z : {z}
              %2 = stablehlo.sqrt %z : {z}
              %3 = stablehlo.rsqrt %z : {z}
              %4 = stablehlo.sign %z : {z}
              %f = stablehlo.reshape %z : ({z}) -> {column}
              %a = stablehlo.broadcast_in_dim %f, dims = [0] : ({column}) -> {pairs}
              %b = stablehlo.broadcast_in_dim %f, dims = [1] : ({column}) -> {pairs}
              %5 = stablehlo.divide %a, %b : {pairs}
              return %0, %1, %2, %3, %4, %5 : {z}, {z}, {z}, {z}, {z}, {pairs}
            }}"
        ));
        let plan = executable.text();
        assert!(["exponential", "log (", "sqrt (", "sign (", "divide ("].iter().all(|op| !plan.contains(op)), "{plan}");
    }
}
