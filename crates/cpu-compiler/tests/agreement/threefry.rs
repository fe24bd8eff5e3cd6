//! Threefry as JAX writes it for CPUs, and what is nearly that.

use std::sync::Arc;

use crate::programs::agree;
use cpu_compiler::{Executable, NoCustomCalls, Options};

/// The loop, on a counter and a key of these dimensions; `change` says what is replaced by what in its text.
fn program(dims: &str, key_dims: &str, change: &[(&str, &str)]) -> String {
    let (array, key) = (format!("tensor<{dims}ui32>"), format!("tensor<{key_dims}ui32>"));
    let spread = |name: &str, of: &str, ty: &str| {
        format!("%{name} = stablehlo.broadcast_in_dim %{of}, dims = [] : ({ty}) -> {array}\n")
    };
    let key_array = |name: &str, of: &str| match key_dims.is_empty() {
        true => spread(name, of, &key),
        false => format!("%{name} = stablehlo.broadcast_in_dim %{of}, dims = [0] : ({key}) -> {array}\n"),
    };
    let mut rounds = String::new();
    let (mut x, mut y) = ("x".to_owned(), "y".to_owned());
    for round in 0..4 {
        rounds += &format!(
            "%s{round} = stablehlo.slice %rot [{round}:{next}] : (tensor<4xui32>) -> tensor<1xui32>
             %r{round} = stablehlo.reshape %s{round} : (tensor<1xui32>) -> tensor<ui32>
             %back{round} = stablehlo.subtract %width, %r{round} : tensor<ui32>
             {} {}
             %x{round} = stablehlo.add %{x}, %{y} : {array}
             %up{round} = stablehlo.shift_left %{y}, %by{round} : {array}
             %down{round} = stablehlo.shift_right_logical %{y}, %rest{round} : {array}
             %turned{round} = stablehlo.or %up{round}, %down{round} : {array}
             %y{round} = stablehlo.xor %x{round}, %turned{round} : {array}\n",
            spread(&format!("by{round}"), &format!("r{round}"), "tensor<ui32>"),
            spread(&format!("rest{round}"), &format!("back{round}"), "tensor<ui32>"),
            next = round + 1,
        );
        (x, y) = (format!("x{round}"), format!("y{round}"));
    }
    let (first, second) = (key_array("first", "k0"), key_array("second", "k1"));
    let (added, more) = (key_array("added", "ka"), key_array("more", "kb"));
    let state = format!("tensor<i32>, {array}, {array}, {key}, {key}, {key}, tensor<4xui32>, tensor<4xui32>");
    let text = format!(
        "func.func @main(%k0: {key}, %k1: {key}, %c0: {array}, %c1: {array}) -> ({array}, {array}, {key}) {{
          %even = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
          %odd = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
          %both = stablehlo.xor %k0, %k1 : {key}
          %parity = stablehlo.constant dense<466688986> : {key}
          %k2 = stablehlo.xor %both, %parity : {key}
          {first} {second}
          %xs = stablehlo.add %c0, %first : {array}
          %ys = stablehlo.add %c1, %second : {array}
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %0:8 = stablehlo.while(%i = %zero, %x = %xs, %y = %ys, %ka = %k1, %kb = %k2, %kc = %k0, %rot = %even, %other = %odd) : {state}
          cond {{
            %turns = stablehlo.constant dense<5> : tensor<i32>
            %more = stablehlo.compare LT, %i, %turns, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %more : tensor<i1>
          }} do {{
            %one = stablehlo.constant dense<1> : tensor<i32>
            %width = stablehlo.constant dense<32> : tensor<ui32>
            {rounds} {added} {more}
            %xk = stablehlo.add %x3, %added : {array}
            %yk = stablehlo.add %y3, %more : {array}
            %next = stablehlo.add %i, %one : tensor<i32>
            %number = stablehlo.convert %next : (tensor<i32>) -> tensor<ui32>
            {}
            %yn = stablehlo.add %yk, %numbers : {array}
            stablehlo.return %next, %xk, %yn, %kb, %kc, %ka, %other, %rot : {state}
          }}
          return %0#1, %0#2, %0#3 : {array}, {array}, {key}
        }}",
        spread("numbers", "number", "tensor<ui32>"),
    );
    change.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn is_recognised(text: &str) -> bool {
    let module = Arc::new(stablehlo::read_program(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")));
    let executable = Executable::compile(module, &Options { custom_calls: &NoCustomCalls, explained: true });
    executable.unwrap_or_else(|error| panic!("{error}")).text().contains("threefry")
}

#[test]
fn the_loop_is_one_operation() {
    for (dims, key_dims) in [("1000x", ""), ("7x130x", ""), ("", ""), ("0x", ""), ("1x", ""), ("33x", "33x")] {
        let text = program(dims, key_dims, &[]);
        assert!(is_recognised(&text) || dims == "0x", "{dims}");
        agree(&text);
    }
}

#[test]
fn other_ways_to_write_it_are_recognised() {
    let swapped =
        [("stablehlo.add %x, %y", "stablehlo.add %y, %x"), ("stablehlo.or %up1, %down1", "stablehlo.or %down1, %up1")];
    let third = [("stablehlo.xor %both, %parity", "stablehlo.xor %parity, %both")];
    for change in [&swapped[..], &third] {
        let text = program("100x", "", change);
        assert!(is_recognised(&text), "{change:?}");
        agree(&text);
    }
    // The key was not added before the loop by name, but it was.
    let text = program("100x", "", &[("stablehlo.add %c0, %first", "stablehlo.subtract %c0, %first")]);
    assert!(is_recognised(&text));
    agree(&text);
}

#[test]
fn what_is_nearly_that_is_not() {
    for change in [
        ("13, 15, 26, 6", "13, 15, 26, 7"),
        ("dense<5>", "dense<4>"),
        ("dense<466688986>", "dense<466688987>"),
        ("stablehlo.xor %x1", "stablehlo.add %x1"),
        ("%kb, %kc, %ka, %other", "%kc, %kb, %ka, %other"),
    ] {
        let text = program("100x", "", &[change]);
        assert!(!is_recognised(&text), "{change:?}");
        agree(&text);
    }
}
