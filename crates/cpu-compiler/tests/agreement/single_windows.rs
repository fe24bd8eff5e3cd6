//! Scatters and gathers of one window, in loops, where they are part of a turn.

use crate::programs::agree;

/// A loop of twelve turns that scatters 2×1×3×1 elements of type `PE` into 2×7×3×5, at rows from −3 and columns from −5 on, given
/// as a vector of `PI`; `%r` and `%c` are the indices, `%row` and `%col` those that are used. No window lies inside in part:
/// the evaluator drops elements then, as the specification has it, and the engine the window, as XLA does.
fn program(body: &str, corrections: &str) -> String {
    format!(
        "func.func @main(%x: tensor<2x7x3x5xPE>, %u: tensor<12x2x3xPE>) -> tensor<2x7x3x5xPE> {{
          %zero = stablehlo.constant dense<0> : tensor<PI>
          %one = stablehlo.constant dense<1> : tensor<PI>
          %three = stablehlo.constant dense<3> : tensor<PI>
          %five = stablehlo.constant dense<5> : tensor<PI>
          %seven = stablehlo.constant dense<7> : tensor<PI>
          %last = stablehlo.constant dense<12> : tensor<PI>
          %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<PI>, tensor<2x7x3x5xPE>
          cond {{
            %more = stablehlo.compare LT, %i, %last : (tensor<PI>, tensor<PI>) -> tensor<i1>
            stablehlo.return %more : tensor<i1>
          }} do {{
            %r = stablehlo.subtract %i, %three : tensor<PI>
            %c = stablehlo.subtract %i, %five : tensor<PI>
            {corrections}
            %r1 = stablehlo.reshape %row : (tensor<PI>) -> tensor<1xPI>
            %c1 = stablehlo.reshape %col : (tensor<PI>) -> tensor<1xPI>
            %at = stablehlo.concatenate %r1, %c1, dim = 0 : (tensor<1xPI>, tensor<1xPI>) -> tensor<2xPI>
            %p = stablehlo.dynamic_slice %u, %i, %zero, %zero, sizes = [1, 2, 3]
              : (tensor<12x2x3xPE>, tensor<PI>, tensor<PI>, tensor<PI>) -> tensor<1x2x3xPE>
            %w = stablehlo.reshape %p : (tensor<1x2x3xPE>) -> tensor<2x3xPE>
            {body}
            %n = stablehlo.add %i, %one : tensor<PI>
            stablehlo.return %n, %s : tensor<PI>, tensor<2x7x3x5xPE>
          }}
          return %0#1 : tensor<2x7x3x5xPE>
        }}"
    )
}

const AS_THEY_ARE: &str = "%row = stablehlo.add %r, %zero : tensor<PI>
            %col = stablehlo.add %c, %zero : tensor<PI>";

/// Negative ones count from the end.
fn from_the_end() -> String {
    let one = |to: &str, from: &str, by: &str| {
        format!(
            "%{from}n = stablehlo.compare LT, %{from}, %zero : (tensor<PI>, tensor<PI>) -> tensor<i1>
            %{from}m = stablehlo.add %{from}, %{by} : tensor<PI>
            %{to} = stablehlo.select %{from}n, %{from}m, %{from} : tensor<i1>, tensor<PI>\n"
        )
    };
    one("row", "r", "seven") + &one("col", "c", "five")
}

fn scatter(combined: &str) -> String {
    format!(
        "%s = \"stablehlo.scatter\"(%a, %at, %w) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1],
              inserted_window_dims = [1, 3], scatter_dims_to_operand_dims = [1, 3]>}}> ({{
            ^bb0(%old: tensor<PE>, %new: tensor<PE>):
              {combined}
            }}) : (tensor<2x7x3x5xPE>, tensor<2xPI>, tensor<2x3xPE>) -> tensor<2x7x3x5xPE>"
    )
}

/// Nothing but one sequence of turns, in which no step is a scatter or gather of its own.
fn is_in_turns(text: &str) {
    let steps: Vec<&str> =
        text.lines().filter(|line| line.contains(": ") && line.starts_with(char::is_numeric)).collect();
    let apart = steps.iter().any(|step| step.contains("scatter") || step.contains("gather"));
    assert!(text.contains("turns of") && !apart, "{text}");
}

#[test]
fn windows_take_the_place_of_what_is_there() {
    let assign = scatter("stablehlo.return %new : tensor<PE>");
    for corrections in [AS_THEY_ARE, &from_the_end()] {
        for index in ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"] {
            for element in ["f32", "bf16", "f64", "i8", "i1", "complex<f64>", "i4"] {
                let text = program(&assign, corrections).replace("PI", index).replace("PE", element);
                is_in_turns(&agree(&text).text());
            }
        }
    }
}

#[test]
fn windows_combine_with_what_is_there() {
    for kind in ["add", "multiply", "minimum", "maximum", "and", "or", "xor"] {
        let body =
            scatter(&format!("%both = stablehlo.{kind} %old, %new : tensor<PE>\n stablehlo.return %both : tensor<PE>"));
        let is_logic = ["and", "or", "xor"].contains(&kind);
        for corrections in [AS_THEY_ARE, &from_the_end()] {
            for element in ["f32", "bf16", "f16", "f64", "i32", "ui8", "i64", "i1"] {
                if is_logic && (element.starts_with('f') || element.starts_with("bf")) {
                    continue;
                }
                let text = program(&body, corrections).replace("PI", "i32").replace("PE", element);
                is_in_turns(&agree(&text).text());
            }
        }
        if !is_logic && !kind.starts_with('m') {
            agree(&program(&body, AS_THEY_ARE).replace("PI", "i32").replace("PE", "complex<f32>"));
        }
    }
}

#[test]
fn windows_are_taken_from_where_they_fit() {
    let body = "%g = \"stablehlo.gather\"(%a, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1],
              collapsed_slice_dims = [1, 3], start_index_map = [1, 3]>, slice_sizes = array<i64: 2, 1, 3, 1>}>
              : (tensor<2x7x3x5xPE>, tensor<2xPI>) -> tensor<2x3xPE>
            %t = stablehlo.reshape %g : (tensor<2x3xPE>) -> tensor<2x1x3x1xPE>
            %s = stablehlo.dynamic_update_slice %a, %t, %zero, %i, %zero, %one
              : (tensor<2x7x3x5xPE>, tensor<2x1x3x1xPE>, tensor<PI>, tensor<PI>, tensor<PI>, tensor<PI>) -> tensor<2x7x3x5xPE>";
    for corrections in [AS_THEY_ARE, &from_the_end()] {
        for index in ["i8", "i32", "i64", "ui8", "ui64"] {
            for element in ["f32", "bf16", "i1", "complex<f32>"] {
                let text = program(body, corrections).replace("PI", index).replace("PE", element);
                is_in_turns(&agree(&text).text());
            }
        }
    }
}
