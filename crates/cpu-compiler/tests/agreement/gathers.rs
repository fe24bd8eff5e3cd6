//! Gathers in loops: what is in front of their indices and operands, and what comes after them.

use crate::programs::agree;

/// The numbers of a gather, after its operands.
fn gather(numbers: &str, sizes: &str, types: &str) -> String {
    format!("<{{dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = array<i64: {sizes}>}}> : {types}")
}

#[test]
fn chains_around_a_gather_are_one_loop_with_it() {
    for index in ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"] {
        for element in ["f32", "bf16", "f64", "i32", "i1", "complex<f32>"] {
            let types = "(tensor<40xPE>, tensor<3x50x1xPI>) -> tensor<3x50xPE>";
            let take = gather("collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2", "1", types);
            // Indices from −21 to 63 where there is a sign, and far beyond everything where there is none.
            let text = format!(
                "func.func @main(%x: tensor<40xPE>, %y: tensor<40xPE>, %i: tensor<3x50x1xPI>, %z: tensor<3x50xPE>) -> tensor<3x50xPE> {{
                  %by = stablehlo.constant dense<12> : tensor<3x50x1xPI>
                  %from = stablehlo.constant dense<21> : tensor<3x50x1xPI>
                  %0 = stablehlo.multiply %i, %by : tensor<3x50x1xPI>
                  %1 = stablehlo.subtract %0, %from : tensor<3x50x1xPI>
                  %2 = stablehlo.add %x, %y : tensor<40xPE>
                  %3 = \"stablehlo.gather\"(%2, %1) {take}
                  %4 = stablehlo.multiply %3, %z : tensor<3x50xPE>
                  return %4 : tensor<3x50xPE>
                }}"
            );
            let executable = agree(&text.replace("PI", index).replace("PE", element));
            // The operand has fewer elements than are taken, so it is computed once.
            let text = executable.text();
            assert!(!text.contains(": gather") && text.matches("loop [").count() == 4, "{index} {element}: {text}");
        }
    }
}

#[test]
fn what_is_in_front_of_an_operand_is_done_for_what_is_taken() {
    let numbers = "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1";
    let types = "(tensor<600xf32>, tensor<33x1xi32>) -> tensor<33xf32>";
    for made in [
        "stablehlo.exponential %x : tensor<600xf32>",
        "stablehlo.reverse %x, dims = [0] : tensor<600xf32>",
        "stablehlo.slice %w [3:1203:2] : (tensor<1300xf32>) -> tensor<600xf32>",
        "stablehlo.convert %k : (tensor<600xi32>) -> tensor<600xf32>",
        "stablehlo.iota dim = 0 : tensor<600xf32>",
        "stablehlo.reshape %c : (tensor<600x1x1xf32>) -> tensor<600xf32>",
    ] {
        let text = format!(
            "func.func @main(%x: tensor<600xf32>, %w: tensor<1300xf32>, %k: tensor<600xi32>, %c: tensor<600x1x1xf32>,
                             %i: tensor<33x1xi32>) -> tensor<33xf32> {{
              %by = stablehlo.constant dense<91> : tensor<33x1xi32>
              %1 = stablehlo.multiply %i, %by : tensor<33x1xi32>
              %a = {made}
              %b = stablehlo.multiply %a, %a : tensor<600xf32>
              %2 = \"stablehlo.gather\"(%b, %1) {}
              return %2 : tensor<33xf32>
            }}",
            gather(numbers, "1", types)
        );
        let executable = agree(&text);
        let text = executable.text();
        assert!(!text.contains(": gather") && text.matches(": loop").count() == 1, "{made}: {text}");
    }
}

#[test]
fn rows_columns_and_pairs_of_indices_are_taken_from_what_is_computed() {
    // Rows of a sum that is repeated along them and transposed, by indices that are put together; long and short rows.
    for (rows, columns) in [(7, 5), (40, 700), (300, 33)] {
        let (n, m) = (rows, columns);
        let row = gather(
            "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
            &format!("1, {m}"),
            &format!("(tensor<{n}x{m}xf32>, tensor<4x1xi32>) -> tensor<4x{m}xf32>"),
        );
        let pair = gather(
            "collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 1",
            "1, 1",
            &format!("(tensor<{n}x{m}xf32>, tensor<6x2xi32>) -> tensor<6xf32>"),
        );
        let window = gather(
            "offset_dims = [0, 2], start_index_map = [0, 1], index_vector_dim = 0",
            "2, 3",
            &format!("(tensor<{n}x{m}xf32>, tensor<2x5xi32>) -> tensor<2x5x3xf32>"),
        );
        let paired = gather(
            "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], \
             start_index_map = [1], index_vector_dim = 1",
            "1, 1",
            &format!("(tensor<{n}x{m}xf32>, tensor<{n}x1xi32>) -> tensor<{n}xf32>"),
        );
        agree(&format!(
            "func.func @main(%x: tensor<{m}x{n}xf32>, %v: tensor<{n}xf32>, %i: tensor<4xi32>, %p: tensor<6x1xi32>, %q: tensor<6x1xi32>,
                             %w: tensor<2x5xi32>, %k: tensor<{n}x1xi32>)
                -> (tensor<4x{m}xf32>, tensor<6xf32>, tensor<2x5x3xf32>, tensor<{n}xf32>, tensor<f32>) {{
              %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<{m}x{n}xf32>) -> tensor<{n}x{m}xf32>
              %b = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<{n}xf32>) -> tensor<{n}x{m}xf32>
              %a1 = stablehlo.subtract %t, %b : tensor<{n}x{m}xf32>
              %a2 = stablehlo.multiply %t, %b : tensor<{n}x{m}xf32>
              %a3 = stablehlo.maximum %t, %b : tensor<{n}x{m}xf32>
              %a4 = stablehlo.add %t, %b : tensor<{n}x{m}xf32>
              %three = stablehlo.constant dense<3> : tensor<4xi32>
              %j = stablehlo.multiply %i, %three : tensor<4xi32>
              %j1 = stablehlo.reshape %j : (tensor<4xi32>) -> tensor<4x1xi32>
              %0 = \"stablehlo.gather\"(%a1, %j1) {row}
              %pq = stablehlo.concatenate %p, %q, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
              %1 = \"stablehlo.gather\"(%a2, %pq) {pair}
              %2 = \"stablehlo.gather\"(%a3, %w) {window}
              %k2 = stablehlo.multiply %k, %k : tensor<{n}x1xi32>
              %3 = \"stablehlo.gather\"(%a4, %k2) {paired}
              %z = stablehlo.constant dense<0.0> : tensor<f32>
              %e = stablehlo.log_plus_one %3 : tensor<{n}xf32>
              %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<{n}xf32>, tensor<f32>) -> tensor<f32>
              return %0, %1, %2, %3, %4 : tensor<4x{m}xf32>, tensor<6xf32>, tensor<2x5x3xf32>, tensor<{n}xf32>, tensor<f32>
            }}"
        ));
    }
}

#[test]
fn gathers_take_from_gathers_and_what_is_taken_is_padded() {
    let row = gather(
        "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
        "1, 6",
        "(tensor<30x6xf32>, tensor<9x1xi32>) -> tensor<9x6xf32>",
    );
    let column = gather(
        "offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1",
        "9, 1",
        "(tensor<9x6xf32>, tensor<4x1xi32>) -> tensor<9x4xf32>",
    );
    agree(&format!(
        "func.func @main(%x: tensor<30x6xf32>, %i: tensor<9x1xi32>, %k: tensor<4x1xi32>, %z: tensor<f32>) -> tensor<11x4xf32> {{
          %0 = stablehlo.negate %x : tensor<30x6xf32>
          %1 = \"stablehlo.gather\"(%0, %i) {row}
          %2 = stablehlo.abs %1 : tensor<9x6xf32>
          %3 = \"stablehlo.gather\"(%2, %k) {column}
          %4 = stablehlo.pad %3, %z, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<9x4xf32>, tensor<f32>) -> tensor<11x4xf32>
          return %4 : tensor<11x4xf32>
        }}"
    ));
}

#[test]
fn rows_are_taken_and_scattered_block_by_block() {
    let take = gather(
        "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
        "1, 24",
        "(tensor<50x24xPE>, tensor<3000x1xi32>) -> tensor<3000x24xPE>",
    );
    let put = "<{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], \
               scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
                 ^bb0(%p: tensor<PE>, %q: tensor<PE>):
                   %s = stablehlo.OP %p, %q : tensor<PE>
                   stablehlo.return %s : tensor<PE>
               }) : (tensor<60x24xPE>, tensor<3000x1xi32>, tensor<3000x24xPE>) -> tensor<60x24xPE>";
    for (element, operation) in [("f32", "add"), ("f64", "multiply"), ("i32", "add"), ("bf16", "maximum")] {
        // Indices from −16 to 60 for 50 and 60 rows.
        let text = format!(
            "func.func @main(%t: tensor<50x24xPE>, %i: tensor<3000x1xi32>, %w: tensor<3000x24xPE>, %a: tensor<60x24xPE>)
                -> (tensor<60x24xPE>, tensor<60x24xPE>, tensor<3000x24xPE>) {{
              %by = stablehlo.constant dense<11> : tensor<3000x1xi32>
              %from = stablehlo.constant dense<16> : tensor<3000x1xi32>
              %0 = stablehlo.multiply %i, %by : tensor<3000x1xi32>
              %1 = stablehlo.subtract %0, %from : tensor<3000x1xi32>
              %2 = \"stablehlo.gather\"(%t, %1) {take}
              %3 = stablehlo.multiply %2, %w : tensor<3000x24xPE>
              %4 = \"stablehlo.scatter\"(%a, %1, %3) {put}
              %5 = stablehlo.add %3, %3 : tensor<3000x24xPE>
              %6 = \"stablehlo.scatter\"(%a, %1, %5) {put}
              %7 = stablehlo.negate %5 : tensor<3000x24xPE>
              return %4, %6, %7 : tensor<60x24xPE>, tensor<60x24xPE>, tensor<3000x24xPE>
            }}"
        );
        let executable = agree(&text.replace("OP", operation).replace("PE", element));
        let text = executable.text();
        let together = |name: &str| text.contains(&format!("\n{name} ("));
        assert!(together("gather") && together("scatter"), "{element}: {text}");
    }
}

#[test]
fn a_scatter_leaves_its_operand_to_others_that_read_it() {
    // The loop before reads what is scattered into, and so does the one after.
    agree(
        "func.func @main(%a: tensor<2000x16xf32>, %i: tensor<2000x1xi32>, %w: tensor<2000x16xf32>)
            -> (tensor<2000x16xf32>, tensor<2000x16xf32>) {
          %0 = stablehlo.add %a, %w : tensor<2000x16xf32>
          %1 = stablehlo.multiply %0, %w : tensor<2000x16xf32>
          %2 = \"stablehlo.scatter\"(%0, %i, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
              inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
            ^bb0(%p: tensor<f32>, %q: tensor<f32>):
              %s = stablehlo.add %p, %q : tensor<f32>
              stablehlo.return %s : tensor<f32>
          }) : (tensor<2000x16xf32>, tensor<2000x1xi32>, tensor<2000x16xf32>) -> tensor<2000x16xf32>
          %3 = stablehlo.subtract %0, %2 : tensor<2000x16xf32>
          return %2, %3 : tensor<2000x16xf32>, tensor<2000x16xf32>
        }",
    );
}

#[test]
fn a_scatter_into_zeros_is_made_where_its_result_is() {
    let executable = agree(
        "func.func @main(%i: tensor<40x1xi32>, %w: tensor<40x8xf32>) -> tensor<900x8xf32> {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<900x8xf32>
          %1 = \"stablehlo.scatter\"(%0, %i, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
              inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
            ^bb0(%p: tensor<f32>, %q: tensor<f32>):
              %s = stablehlo.add %p, %q : tensor<f32>
              stablehlo.return %s : tensor<f32>
          }) : (tensor<900x8xf32>, tensor<40x1xi32>, tensor<40x8xf32>) -> tensor<900x8xf32>
          return %1 : tensor<900x8xf32>
        }",
    );
    assert!(!executable.text().contains("copy"), "{}", executable.text());
}

#[test]
fn a_long_chain_of_gathers_takes_no_long_time() {
    let take = gather(
        "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
        "1, 8",
        "(tensor<9x8xf32>, tensor<9x1xi32>) -> tensor<9x8xf32>",
    );
    let turn = |n: usize| format!("%{} = \"stablehlo.gather\"(%{n}, %i) {take}\n", n + 1);
    let turns: String = (0..3000).map(turn).collect();
    agree(&format!(
        "func.func @main(%x: tensor<9x8xf32>, %i: tensor<9x1xi32>) -> tensor<9x8xf32> {{
          %0 = stablehlo.negate %x : tensor<9x8xf32>
          {turns}
          return %3000 : tensor<9x8xf32>
        }}"
    ));
}
