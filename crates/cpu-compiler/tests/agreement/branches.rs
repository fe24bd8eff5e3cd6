//! Branches inside of loops: the state is changed where it is, whichever branch changes it.

use crate::programs::agree;
use crate::support::Numbers;

/// A loop of nine turns over two arrays and what a choice makes of them: `first` and `second` are the branches, which see the
/// counter `%i`, the arrays `%a` and `%b` and the element `%e` of the first, and return both.
fn program(first: &str, second: &str) -> String {
    program_that_returns(first, second, "c#0, %c#1")
}

fn program_that_returns(first: &str, second: &str, returned: &str) -> String {
    format!(
        "func.func @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %nine = stablehlo.constant dense<9> : tensor<i32>
          %f = stablehlo.constant dense<0.5> : tensor<f32>
          %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
          cond {{
            %more = stablehlo.compare LT, %i, %nine : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %more : tensor<i1>
          }} do {{
            %s = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<1000xf32>, tensor<i32>) -> tensor<1xf32>
            %e = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
            %p = stablehlo.compare GT, %e, %f : (tensor<f32>, tensor<f32>) -> tensor<i1>
            %c:2 = \"stablehlo.if\"(%p) ({{
              {first}
            }}, {{
              {second}
            }}) : (tensor<i1>) -> (tensor<1000xf32>, tensor<1000xf32>)
            %n = stablehlo.add %i, %one : tensor<i32>
            stablehlo.return %n, %{returned} : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
          }}
          return %0#1, %0#2 : tensor<1000xf32>, tensor<1000xf32>
        }}"
    )
}

/// Puts an element, made from the one that was there, into an array.
fn put(to: &str, into: &str, by: &str) -> String {
    format!(
        "%{to}e = stablehlo.{by} %e, %f : tensor<f32>
              %{to}r = stablehlo.reshape %{to}e : (tensor<f32>) -> tensor<1xf32>
              %{to} = stablehlo.dynamic_update_slice %{into}, %{to}r, %i
                : (tensor<1000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000xf32>\n"
    )
}

fn map(to: &str, from: &str, with: &str) -> String {
    format!("%{to} = stablehlo.subtract %{from}, %{with} : tensor<1000xf32>\n")
}

fn give(first: &str, second: &str) -> String {
    format!("stablehlo.return %{first}, %{second} : tensor<1000xf32>, tensor<1000xf32>")
}

/// Copies of whole arrays in the turns of the loop: behind the jump out of it.
fn copies(text: &str) -> usize {
    let (_, turns) = text.split_once("leave the loop").unwrap();
    turns.lines().filter(|line| line.contains("copy ")).filter(|line| line.contains("[0..4000]")).count()
}

#[test]
fn what_branches_change_is_changed_in_place() {
    let left_alone = give("a", "b");
    let updates = [
        put("u", "a", "add") + &give("u", "b"),
        put("u", "a", "multiply") + &put("v", "b", "add") + &give("u", "v"),
        put("u", "b", "subtract") + &give("a", "u"),
        put("u", "a", "add") + &put("v", "u", "multiply") + &give("v", "b"),
        map("u", "a", "a") + &give("u", "b"),
        map("u", "a", "b") + &give("u", "b"),
        left_alone,
    ];
    for first in &updates {
        for second in &updates {
            let text = agree(&program(first, second)).text();
            assert_eq!(copies(&text), 0, "{text}");
        }
    }
}

#[test]
fn what_is_still_wanted_is_kept() {
    let others = [
        give("b", "a"),
        give("a", "a"),
        give("b", "b"),
        put("u", "a", "add") + &give("a", "u"),
        put("u", "a", "add") + &give("u", "a"),
        put("u", "a", "add") + &put("v", "a", "multiply") + &give("u", "v"),
        put("u", "b", "add") + &put("v", "a", "multiply") + &give("u", "v"),
        map("u", "a", "b") + &map("v", "b", "a") + &give("u", "v"),
        put("u", "a", "add") + &map("v", "u", "a") + &give("v", "u"),
        map("u", "x", "y") + &give("u", "x"),
        put("u", "x", "add") + &give("u", "a"),
        give("a", "b"),
    ];
    for first in &others {
        for second in &others {
            agree(&program(first, second));
        }
    }
}

#[test]
fn branches_in_branches_and_loops_in_branches_change_in_place() {
    let inner = |first: &str, second: &str| {
        format!(
            "%q = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
              %d:2 = \"stablehlo.if\"(%q) ({{
                {first}
              }}, {{
                {second}
              }}) : (tensor<i1>) -> (tensor<1000xf32>, tensor<1000xf32>)
              stablehlo.return %d#0, %d#1 : tensor<1000xf32>, tensor<1000xf32>"
        )
    };
    let looped =
        "%w:3 = stablehlo.while(%j = %zero, %g = %a, %h = %b) : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
              cond {
                %m = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
                stablehlo.return %m : tensor<i1>
              } do {
                %k = stablehlo.add %j, %one : tensor<i32>
                %l = stablehlo.dynamic_slice %h, %j, sizes = [1] : (tensor<1000xf32>, tensor<i32>) -> tensor<1xf32>
                %o = stablehlo.dynamic_update_slice %g, %l, %i
                  : (tensor<1000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000xf32>
                stablehlo.return %k, %o, %h : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
              }
              stablehlo.return %w#1, %w#2 : tensor<1000xf32>, tensor<1000xf32>";
    let one = put("u", "a", "add") + &give("u", "b");
    let two = put("u", "a", "multiply") + &put("v", "b", "add") + &give("u", "v");
    let crossed = put("u", "a", "add") + &give("b", "u");
    for (first, second, in_place) in [
        (inner(&one, &two), two.clone(), true),
        (one.clone(), inner(&two, &give("a", "b")), true),
        (inner(&one, &two), inner(&two, &one), true),
        (looped.to_owned(), one.clone(), true),
        (two.clone(), looped.to_owned(), true),
        (inner(&crossed, &one), crossed.clone(), false),
        (inner(looped, &crossed), inner(&one, looped), false),
    ] {
        let text = agree(&program(&first, &second)).text();
        assert!(!in_place || copies(&text) == 0, "{text}");
    }
}

/// A branch of random steps, with branches in it as long as `depth` lasts; `count` numbers what it defines.
fn branch(numbers: &mut Numbers, visible: &[String], count: &mut usize, depth: usize) -> String {
    let (mut text, mut visible) = (String::new(), visible.to_vec());
    let mut below = |limit: usize| (numbers.next() * limit as f64) as usize;
    let steps: Vec<[usize; 3]> = (0..below(5)).map(|_| [below(6), below(1 << 16), below(1 << 16)]).collect();
    let (first, second) = (below(1 << 16), below(1 << 16));
    for [kind, one, other] in steps {
        *count += 1;
        let (name, one, other) = (format!("n{count}"), &visible[one % visible.len()], &visible[other % visible.len()]);
        match kind {
            0..=2 => text += &put(&name, one, ["add", "subtract", "multiply"][kind]),
            3 | 4 => text += &map(&name, one, other),
            _ if depth == 0 => continue,
            _ => {
                let (x, y) = (branch(numbers, &visible, count, depth - 1), branch(numbers, &visible, count, depth - 1));
                let result = "(tensor<1000xf32>, tensor<1000xf32>)";
                text += &format!(
                    "%{name}:2 = \"stablehlo.if\"(%p) ({{\n{x}\n}}, {{\n{y}\n}}) : (tensor<i1>) -> {result}\n"
                );
                visible.push(format!("{name}#0"));
                visible.push(format!("{name}#1"));
                continue;
            }
        }
        visible.push(name);
    }
    text + &give(&visible[first % visible.len()], &visible[second % visible.len()])
}

#[test]
fn what_a_branch_returns_is_there_before_it() {
    // Also when what comes after the branch could be computed together with it.
    for (first, second) in [("m", "x"), ("y", "m"), ("m", "m")] {
        for after in ["c, %m", "m, %c", "c, %x"] {
            agree(&format!(
                "func.func @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>, %p: tensor<i1>) -> (tensor<1000xf32>, tensor<1000xf32>) {{
                  %m = stablehlo.subtract %x, %y : tensor<1000xf32>
                  %c = \"stablehlo.if\"(%p) ({{
                    stablehlo.return %{first} : tensor<1000xf32>
                  }}, {{
                    stablehlo.return %{second} : tensor<1000xf32>
                  }}) : (tensor<i1>) -> tensor<1000xf32>
                  %d = stablehlo.subtract %{after} : tensor<1000xf32>
                  return %d, %m : tensor<1000xf32>, tensor<1000xf32>
                }}"
            ));
        }
    }
}

#[test]
fn random_branches_agree() {
    let visible = ["a", "b", "a", "b", "x", "y"].map(str::to_owned);
    let returned = ["c#0, %c#1", "c#0, %c#1", "c#1, %c#0", "a, %c#0", "c#1, %b", "c#0, %c#0", "b, %c#1"];
    for seed in 0..300 {
        let (mut numbers, mut count) = (Numbers::new(seed), 0);
        let (first, second) =
            (branch(&mut numbers, &visible, &mut count, 2), branch(&mut numbers, &visible, &mut count, 2));
        agree(&program_that_returns(&first, &second, returned[seed as usize % returned.len()]));
    }
}
