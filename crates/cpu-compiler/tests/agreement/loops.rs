//! Loops of short turns, and loops over the same rows: what they give, how they are planned, and what memory they take.

use crate::programs::agree;
use crate::support::{Numbers, inputs};
use cpu_compiler::{Argument, Executable, Launch, NoCustomCalls, Options};
use cpu_runtime::{Block, Budget, Pool};
use stablehlo::eval::Value;
use stablehlo::ir::Module;
use std::sync::Arc;

fn compiled(text: &str) -> (Arc<Module>, Executable) {
    let module = Arc::new(stablehlo::read_program(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")));
    let executable = Executable::compile(module.clone(), &Options { custom_calls: &NoCustomCalls, explained: true });
    (module, executable.unwrap_or_else(|error| panic!("{error}")))
}

/// Runs a program on so many threads; its results and the most memory that it took.
fn run(executable: &Executable, arguments: &[Vec<u8>], threads: usize) -> (Vec<Block>, usize) {
    let (pool, budget) = (Pool::new(threads), Budget::new(1 << 33));
    let arguments = arguments.iter().map(|bytes| Argument::Borrowed(bytes)).collect();
    let results = executable.run(Launch::new(arguments, &pool, &budget)).unwrap_or_else(|error| panic!("{error}"));
    let peak = budget.usage().peak;
    (results, peak)
}

fn random_bytes(module: &Module) -> Vec<Vec<u8>> {
    let bytes = |value: Value| match value {
        Value::Tensor(tensor) => tensor.to_bytes(),
        _ => Vec::new(),
    };
    inputs(module, &mut Numbers::new(5)).into_iter().map(bytes).collect()
}

/// `turns` of a counter and an f32.
fn counting(turns: usize) -> String {
    format!(
        "func.func @main(%x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %limit = stablehlo.constant dense<{turns}> : tensor<i32>
          %factor = stablehlo.constant dense<0.999> : tensor<f32>
          %term = stablehlo.constant dense<0.1> : tensor<f32>
          %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
           cond {{
            %c = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          }} do {{
            %n = stablehlo.add %i, %one : tensor<i32>
            %s = stablehlo.multiply %y, %factor : tensor<f32>
            %t = stablehlo.add %s, %term : tensor<f32>
            stablehlo.return %n, %t : tensor<i32>, tensor<f32>
          }}
          return %r#0, %r#1 : tensor<i32>, tensor<f32>
        }}"
    )
}

#[test]
fn a_million_turns_of_a_scalar_take_no_more_memory_than_one() {
    let (_, executable) = compiled(&counting(1_000_000));
    assert!(executable.text().contains("turns of"), "{}", executable.text());
    let (results, peak) = run(&executable, &[3.0f32.to_le_bytes().to_vec()], 1);
    assert_eq!(results[0].bytes(), 1_000_000i32.to_le_bytes());
    let mut y = 3.0f32;
    (0..1_000_000).for_each(|_| y = y * 0.999 + 0.1);
    assert_eq!(results[1].bytes(), y.to_le_bytes());
    assert!(peak <= 4096, "{peak} bytes");
    assert_eq!(peak, run(&compiled(&counting(1)).1, &[3.0f32.to_le_bytes().to_vec()], 1).1);
}

#[test]
fn a_loop_of_known_length_counts_as_that_many_turns() {
    let short = |turns| compiled(&counting(turns)).1.is_short();
    assert!(short(0) && short(100) && !short(1_000_000));
    let unknown = counting(100).replace("%limit = stablehlo.constant dense<100> : tensor<i32>", "");
    let unknown = unknown.replace("@main(%x: tensor<f32>)", "@main(%x: tensor<f32>, %limit: tensor<i32>)");
    assert!(!compiled(&unknown).1.is_short());
}

/// A carry of 8 MB that gets a row in each turn, computed from the row of another array.
const ROW_BY_ROW: &str = "func.func @main(%xs: tensor<8192x256xf32>) -> tensor<8192x256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<8192> : tensor<i32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %empty = stablehlo.broadcast_in_dim %f0, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
  %r:2 = stablehlo.while(%i = %zero, %ys = %empty) : tensor<i32>, tensor<8192x256xf32>
   cond {
    %c = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %x = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 256]
      : (tensor<8192x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
    %t = stablehlo.tanh %x : tensor<1x256xf32>
    %u = stablehlo.dynamic_update_slice %ys, %t, %i, %zero
      : (tensor<8192x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<8192x256xf32>
    stablehlo.return %n, %u : tensor<i32>, tensor<8192x256xf32>
  }
  return %r#1 : tensor<8192x256xf32>
}";

#[test]
fn a_large_carry_that_gets_a_row_in_each_turn_is_not_copied() {
    let (module, executable) = compiled(ROW_BY_ROW);
    let text = executable.text();
    let turns = text.split("turns of").nth(1).unwrap_or_else(|| panic!("no turns in\n{text}"));
    assert!(turns.contains("dynamic_update_slice") && !turns.contains("copy"), "{text}");
    // The result and no second array like it.
    let (results, peak) = run(&executable, &random_bytes(&module), 1);
    let bytes = results[0].bytes().len();
    assert!(peak < bytes + (64 << 10), "{peak} bytes for a result of {bytes}");
    agree(&ROW_BY_ROW.replace("8192", "32"));
}

#[test]
fn turns_with_branches_and_loops_inside_are_one_step() {
    // The number of steps to 1 by halving and by 3x + 1, summed over small numbers: a loop and a branch in a loop.
    let text = "func.func @main(%x: tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %limit = stablehlo.constant dense<30> : tensor<i32>
      %r:3 = stablehlo.while(%i = %one, %sum = %zero, %v = %x) : tensor<i32>, tensor<i32>, tensor<4xi32>
       cond {
        %c = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %w:2 = stablehlo.while(%n = %i, %count = %sum) : tensor<i32>, tensor<i32>
         cond {
          %c = stablehlo.compare GT, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %low = stablehlo.remainder %n, %two : tensor<i32>
          %m = \"stablehlo.case\"(%low) ({
            %half = stablehlo.divide %n, %two : tensor<i32>
            stablehlo.return %half : tensor<i32>
          }, {
            %a = stablehlo.multiply %n, %three : tensor<i32>
            %b = stablehlo.add %a, %one : tensor<i32>
            stablehlo.return %b : tensor<i32>
          }) : (tensor<i32>) -> tensor<i32>
          %next = stablehlo.add %count, %one : tensor<i32>
          stablehlo.return %m, %next : tensor<i32>, tensor<i32>
        }
        %j = stablehlo.add %i, %one : tensor<i32>
        %s = stablehlo.broadcast_in_dim %w#1, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %u = stablehlo.xor %v, %s : tensor<4xi32>
        %q = stablehlo.reverse %u, dims = [0] : tensor<4xi32>
        stablehlo.return %j, %w#1, %q : tensor<i32>, tensor<i32>, tensor<4xi32>
      }
      return %r#1, %r#2 : tensor<i32>, tensor<4xi32>
    }";
    agree(text);
    let (_, executable) = compiled(text);
    let text = executable.text();
    assert_eq!(text.matches("turns of").count(), 1, "{text}");
}

/// A softmax of rows, and a layer norm of what comes out.
const NORMS: &str =
    "func.func @main(%x: tensor<200x700xf32>, %g: tensor<700xf32>) -> (tensor<200x700xf32>, tensor<200xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<700.0> : tensor<200xf32>
  %most = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<200x700xf32>, tensor<f32>) -> tensor<200xf32>
  %m = stablehlo.broadcast_in_dim %most, dims = [0] : (tensor<200xf32>) -> tensor<200x700xf32>
  %d = stablehlo.subtract %x, %m : tensor<200x700xf32>
  %e = stablehlo.exponential %d : tensor<200x700xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<200x700xf32>, tensor<f32>) -> tensor<200xf32>
  %s = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<200xf32>) -> tensor<200x700xf32>
  %p = stablehlo.divide %e, %s : tensor<200x700xf32>
  %w = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<700xf32>) -> tensor<200x700xf32>
  %q = stablehlo.multiply %p, %w : tensor<200x700xf32>
  %total = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<200x700xf32>, tensor<f32>) -> tensor<200xf32>
  %mean = stablehlo.divide %total, %count : tensor<200xf32>
  %c = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<200xf32>) -> tensor<200x700xf32>
  %o = stablehlo.subtract %q, %c : tensor<200x700xf32>
  return %o, %mean : tensor<200x700xf32>, tensor<200xf32>
}";

#[test]
fn reductions_and_what_uses_them_go_block_by_block_on_any_number_of_threads() {
    agree(NORMS);
    let (module, executable) = compiled(NORMS);
    let text = executable.text();
    assert!(text.contains("rows at a time of"), "{text}");
    let arguments = random_bytes(&module);
    let (alone, _) = run(&executable, &arguments, 1);
    let (together, _) = run(&executable, &arguments, 4);
    for (index, (a, b)) in alone.iter().zip(&together).enumerate() {
        assert!(a.bytes() == b.bytes(), "result {index} depends on threads");
    }
}

#[test]
fn what_crosses_rows_is_not_grouped_with_them() {
    // Columns, other orders and shifted rows of what was just made. Extremes, because sums round.
    agree(
        "func.func @main(%x: tensor<300x300xf32>) -> (tensor<300x300xf32>, tensor<300xf32>, tensor<300x300xf32>) {
          %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %rows = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
            : (tensor<300x300xf32>, tensor<f32>) -> tensor<300xf32>
          %b = stablehlo.broadcast_in_dim %rows, dims = [1] : (tensor<300xf32>) -> tensor<300x300xf32>
          %d = stablehlo.subtract %x, %b : tensor<300x300xf32>
          %e = stablehlo.tanh %d : tensor<300x300xf32>
          %t = stablehlo.transpose %e, dims = [1, 0] : (tensor<300x300xf32>) -> tensor<300x300xf32>
          %f = stablehlo.add %e, %t : tensor<300x300xf32>
          %columns = stablehlo.reduce(%f init: %low) applies stablehlo.maximum across dimensions = [0]
            : (tensor<300x300xf32>, tensor<f32>) -> tensor<300xf32>
          %r = stablehlo.reverse %f, dims = [0] : tensor<300x300xf32>
          %s = stablehlo.multiply %r, %e : tensor<300x300xf32>
          return %s, %columns, %f : tensor<300x300xf32>, tensor<300xf32>, tensor<300x300xf32>
        }",
    );
}

/// How many loops there are in each step of a plan that these words begin.
fn loops_together(text: &str, title: &str) -> Vec<usize> {
    let step = |line: &str| line.split_once(": ").is_some_and(|(number, _)| number.parse::<usize>().is_ok());
    let mut counts = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if step(line) {
            inside = line.contains(title);
            counts.extend(inside.then_some(0));
        } else if inside && line.starts_with("loop ") && line.contains(" -> ") {
            *counts.last_mut().unwrap() += 1;
        }
    }
    counts
}

/// `length` times the greatest of each row subtracted from the row.
fn chain(length: usize, rows: usize, columns: usize) -> String {
    let (whole, row) = (format!("tensor<{rows}x{columns}xf32>"), format!("tensor<{rows}xf32>"));
    let mut text = format!("func.func @main(%x0: {whole}) -> {whole} {{\n");
    text += "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n";
    for (index, next) in (0..length).map(|index| (index, index + 1)) {
        text += &format!(
            "  %m{index} = stablehlo.reduce(%x{index} init: %low) applies stablehlo.maximum across dimensions = [1]
                 : ({whole}, tensor<f32>) -> {row}
               %b{index} = stablehlo.broadcast_in_dim %m{index}, dims = [0] : ({row}) -> {whole}
               %d{index} = stablehlo.subtract %x{index}, %b{index} : {whole}
               %x{next} = stablehlo.cosine %d{index} : {whole}\n"
        );
    }
    text + &format!("  return %x{length} : {whole}\n}}")
}

/// Checks a program's results, and that steps that these words begin have `most` loops and no more.
#[track_caller]
fn agree_in_groups(text: &str, title: &str, most: usize) {
    let groups = loops_together(&compiled(text).1.text(), title);
    assert!(groups.len() > 1 && groups.iter().all(|&loops| loops <= most), "{groups:?}");
    assert!(groups.contains(&most), "{groups:?}");
    agree(text);
}

#[test]
fn a_long_chain_of_loops_over_rows_runs_in_groups_of_bounded_size() {
    agree_in_groups(&chain(40, 64, 512), "rows at a time of", 32);
}

#[test]
fn many_short_steps_become_steps_of_bounded_size() {
    agree_in_groups(&chain(200, 4, 4), "together", 128);
}

#[test]
fn states_that_change_places_all_at_once_are_copied_in_an_order_that_loses_none() {
    // Pairs, a ring of three, a shift, two that become the same, one that stays, and one that is computed.
    let order = [1, 0, 3, 2, 5, 6, 4, 8, 9, 10, 7, 7, 12, 0, 14];
    let count = order.len();
    let names = |prefix: &str| (0..count).map(|k| format!("%{prefix}{k}")).collect::<Vec<_>>();
    let types = vec!["tensor<5xf32>"; count].join(", ");
    let parameters: Vec<String> = names("a").iter().map(|name| format!("{name}: tensor<5xf32>")).collect();
    let states: Vec<String> = names("q").iter().zip(names("a")).map(|(q, a)| format!("{q} = {a}")).collect();
    let mut next: Vec<String> = order.iter().map(|k| format!("%q{k}")).collect();
    *next.last_mut().unwrap() = "%s".to_owned();
    let results: Vec<String> = (1..=count).map(|k| format!("%w#{k}")).collect();
    for turns in [0, 1, 2, 7] {
        agree(&format!(
            "func.func @main({}) -> ({types}) {{
              %zero = stablehlo.constant dense<0> : tensor<i32>
              %one = stablehlo.constant dense<1> : tensor<i32>
              %limit = stablehlo.constant dense<{turns}> : tensor<i32>
              %w:{} = stablehlo.while(%i = %zero, {}) : tensor<i32>, {types}
               cond {{
                %c = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                stablehlo.return %c : tensor<i1>
              }} do {{
                %n = stablehlo.add %i, %one : tensor<i32>
                %s = stablehlo.add %q13, %q14 : tensor<5xf32>
                stablehlo.return %n, {} : tensor<i32>, {types}
              }}
              return {} : {types}
            }}",
            parameters.join(", "),
            count + 1,
            states.join(", "),
            next.join(", "),
            results.join(", ")
        ));
    }
}
