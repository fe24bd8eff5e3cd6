//! Random programs: chains of ops over random shapes and types, with loops and branches, give what the evaluator gives.
//!
//! Floats are kept near 1 so that rounding stays small; integers wrap.

use super::support::{Failure, Numbers, compile_and_run, differences, inputs, nudged};
use stablehlo::eval::{Evaluator, Registry};
use std::fmt::Write;
use std::sync::Arc;

/// Programs that are tried; each is a seed.
const PROGRAMS: u64 = 300;

struct Value {
    name: String,
    ty: &'static str,
    dims: Vec<usize>,
}

struct Writer {
    numbers: Numbers,
    text: String,
    values: Vec<Value>,
    count: usize,
}

fn tensor(ty: &str, dims: &[usize]) -> String {
    let sizes: String = dims.iter().map(|dim| format!("{dim}x")).collect();
    format!("tensor<{sizes}{ty}>")
}

fn list(numbers: impl IntoIterator<Item = usize>) -> String {
    numbers.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(", ")
}

const TYPES: [&str; 7] = ["f32", "f64", "i32", "ui8", "i1", "bf16", "complex<f32>"];

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        (self.numbers.next() * limit as f64) as usize
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    fn pick(&mut self) -> usize {
        let n = self.values.len();
        // Recent values more often, so that chains get long.
        match self.below(3) {
            0 => self.below(n),
            _ => n - 1 - self.below(n.min(3)),
        }
    }

    fn of(&self, index: usize) -> (String, &'static str, Vec<usize>) {
        let value = &self.values[index];
        (value.name.clone(), value.ty, value.dims.clone())
    }

    fn add(&mut self, ty: &'static str, dims: &[usize], op: impl FnOnce(&str) -> String) {
        let name = self.fresh();
        let line = op(&name);
        let _ = writeln!(self.text, "    {line}");
        self.values.push(Value { name, ty, dims: dims.to_vec() });
    }

    fn is_number(ty: &str) -> bool {
        ty != "i1"
    }

    fn is_float(ty: &str) -> bool {
        matches!(ty, "f32" | "f64" | "bf16")
    }

    fn step(&mut self) {
        let index = self.pick();
        let (x, ty, dims) = self.of(index);
        let t = tensor(ty, &dims);
        match self.below(18) {
            0 if Self::is_float(ty) => {
                let op = ["tanh", "sine", "logistic", "abs", "negate", "floor"][self.below(6)];
                self.add(ty, &dims, |name| format!("{name} = stablehlo.{op} {x} : {t}"));
            }
            1 | 2 => {
                let other =
                    (0..self.values.len()).rev().find(|&i| self.values[i].ty == ty && self.values[i].dims == dims);
                let y = other.map_or(x.clone(), |i| self.values[i].name.clone());
                let ops: &[&str] = match ty {
                    "i1" => &["and", "or", "xor"],
                    "complex<f32>" => &["add", "subtract"],
                    _ if Self::is_float(ty) => &["add", "subtract", "maximum", "minimum"],
                    _ => &["add", "subtract", "multiply", "maximum", "minimum", "xor", "shift_left", "divide"],
                };
                let op = ops[self.below(ops.len())];
                self.add(ty, &dims, |name| format!("{name} = stablehlo.{op} {x}, {y} : {t}"));
            }
            3 => {
                let to = TYPES[self.below(TYPES.len())];
                let r = tensor(to, &dims);
                self.add(to, &dims, |name| format!("{name} = stablehlo.convert {x} : ({t}) -> {r}"));
            }
            4 => {
                let mut order: Vec<usize> = (0..dims.len()).collect();
                for at in (1..order.len()).rev() {
                    let with = self.below(at + 1);
                    order.swap(at, with);
                }
                let to: Vec<usize> = order.iter().map(|&d| dims[d]).collect();
                let r = tensor(ty, &to);
                let order = list(order);
                self.add(ty, &to, |name| format!("{name} = stablehlo.transpose {x}, dims = [{order}] : ({t}) -> {r}"));
            }
            5 => {
                let at = self.below(dims.len() + 1);
                let size = 1 + self.below(3);
                let mut to = dims.clone();
                to.insert(at, size);
                if to.iter().product::<usize>() > 600 || to.len() > 5 {
                    return;
                }
                let kept = list((0..to.len()).filter(|&d| d != at));
                let r = tensor(ty, &to);
                self.add(ty, &to, |name| {
                    format!("{name} = stablehlo.broadcast_in_dim {x}, dims = [{kept}] : ({t}) -> {r}")
                });
            }
            6 => {
                // Join two neighbours, or split one in two.
                let mut to = dims.clone();
                match to.len() {
                    2.. if self.below(2) == 0 => {
                        let at = self.below(to.len() - 1);
                        let inner = to.remove(at + 1);
                        to[at] *= inner;
                    }
                    1.. => {
                        let at = self.below(to.len());
                        let Some(factor) = [2, 3, 1].into_iter().find(|f| to[at].is_multiple_of(*f)) else { return };
                        to[at] /= factor;
                        to.insert(at, factor);
                    }
                    _ => to.push(1),
                }
                if to.len() > 5 {
                    return;
                }
                let r = tensor(ty, &to);
                self.add(ty, &to, |name| format!("{name} = stablehlo.reshape {x} : ({t}) -> {r}"));
            }
            7 if !dims.is_empty() => {
                let bounds: Vec<(usize, usize, usize)> = dims
                    .clone()
                    .iter()
                    .map(|&size| {
                        let start = self.below(size + 1);
                        (start, start + self.below(size - start + 1), 1 + self.below(2))
                    })
                    .collect();
                let to: Vec<usize> = bounds.iter().map(|(start, end, step)| (end - start).div_ceil(*step)).collect();
                let ranges: Vec<String> = bounds.iter().map(|(s, e, k)| format!("{s}:{e}:{k}")).collect();
                let (r, ranges) = (tensor(ty, &to), ranges.join(", "));
                self.add(ty, &to, |name| format!("{name} = stablehlo.slice {x} [{ranges}] : ({t}) -> {r}"));
            }
            8 if !dims.is_empty() => {
                let d = self.below(dims.len());
                self.add(ty, &dims, |name| format!("{name} = stablehlo.reverse {x}, dims = [{d}] : {t}"));
            }
            9 if !dims.is_empty() && ty != "i1" => {
                let (low, high, gap): (Vec<i64>, Vec<i64>, Vec<usize>) =
                    dims.iter().fold((vec![], vec![], vec![]), |(mut low, mut high, mut gap), _| {
                        low.push(self.below(3) as i64 - 1);
                        high.push(self.below(3) as i64);
                        gap.push(self.below(4) / 3);
                        (low, high, gap)
                    });
                let to: Vec<i64> = (0..dims.len())
                    .map(|d| {
                        let size = dims[d] as i64;
                        size + (size - 1).max(0) * gap[d] as i64 + low[d] + high[d]
                    })
                    .collect();
                if to.iter().any(|&size| size < 0) || to.iter().product::<i64>() > 600 {
                    return;
                }
                let to: Vec<usize> = to.into_iter().map(|size| size as usize).collect();
                let scalar = tensor(ty, &[]);
                let literal = if ty.starts_with("complex") {
                    "(0.5, -1.0)"
                } else if Self::is_float(ty) {
                    "0.5"
                } else {
                    "3"
                };
                let around = self.fresh();
                let _ = writeln!(self.text, "    {around} = stablehlo.constant dense<{literal}> : {scalar}");
                let r = tensor(ty, &to);
                let joined = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                let (low, high, gap) = (joined(&low), joined(&high), list(gap));
                self.add(ty, &to, |name| {
                    format!(
                        "{name} = stablehlo.pad {x}, {around}, low = [{low}], high = [{high}], interior = [{gap}] \
                         : ({t}, {scalar}) -> {r}"
                    )
                });
            }
            10 if !dims.is_empty() => {
                let d = self.below(dims.len());
                let mut to = dims.clone();
                to[d] *= 2;
                if to.iter().product::<usize>() > 600 {
                    return;
                }
                let r = tensor(ty, &to);
                self.add(ty, &to, |name| {
                    format!("{name} = stablehlo.concatenate {x}, {x}, dim = {d} : ({t}, {t}) -> {r}")
                });
            }
            11 if !dims.is_empty() => {
                let d = self.below(dims.len());
                let mut to = dims.clone();
                to.remove(d);
                let op = match ty {
                    "i1" => ["and", "or"][self.below(2)],
                    "complex<f32>" => "add",
                    // Sums of bf16 that cancel are nothing but rounding.
                    "bf16" => ["maximum", "minimum"][self.below(2)],
                    _ => ["add", "maximum", "minimum"][self.below(3)],
                };
                let literal = match ty {
                    "i1" => "false",
                    "complex<f32>" => "(0.0, 1.0)",
                    _ if Self::is_float(ty) => "0.25",
                    _ => "1",
                };
                let scalar = tensor(ty, &[]);
                let init = self.fresh();
                let _ = writeln!(self.text, "    {init} = stablehlo.constant dense<{literal}> : {scalar}");
                let r = tensor(ty, &to);
                self.add(ty, &to, |name| {
                    format!(
                        "{name} = stablehlo.reduce({x} init: {init}) applies stablehlo.{op} across dimensions = [{d}] \
                         : ({t}, {scalar}) -> {r}"
                    )
                });
            }
            12 if Self::is_number(ty) && ty != "complex<f32>" => {
                let r = tensor("i1", &dims);
                let kind = if Self::is_float(ty) {
                    "FLOAT"
                } else if ty == "ui8" {
                    "UNSIGNED"
                } else {
                    "SIGNED"
                };
                let direction = ["LT", "GE", "EQ", "NE"][self.below(4)];
                let mask = self.fresh();
                let _ = writeln!(
                    self.text,
                    "    {mask} = stablehlo.compare {direction}, {x}, {x}, {kind} : ({t}, {t}) -> {r}"
                );
                self.add(ty, &dims, |name| format!("{name} = stablehlo.select {mask}, {x}, {x} : {r}, {t}"));
            }
            13 => {
                let turns = 1 + self.below(3);
                let op = if ty == "i1" { "xor" } else { "add" };
                let (counter, one, zero, limit) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
                let _ = writeln!(self.text, "    {zero} = stablehlo.constant dense<0> : tensor<i32>");
                let _ = writeln!(self.text, "    {one} = stablehlo.constant dense<1> : tensor<i32>");
                let _ = writeln!(self.text, "    {limit} = stablehlo.constant dense<{turns}> : tensor<i32>");
                self.add(ty, &dims, |name| {
                    format!(
                        "{counter}, {name}, {name}_other = stablehlo.while(%i = {zero}, %x = {x}, %y = {x}) \
                         : tensor<i32>, {t}, {t}
     cond {{
      %c = stablehlo.compare LT, %i, {limit}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      %n = stablehlo.add %i, {one} : tensor<i32>
      %s = stablehlo.{op} %x, {x} : {t}
      stablehlo.return %n, %y, %s : tensor<i32>, {t}, {t}
    }}"
                    )
                });
            }
            14 => {
                let choice = self.fresh();
                let which = self.below(3);
                let _ = writeln!(self.text, "    {choice} = stablehlo.constant dense<{which}> : tensor<i32>");
                let op = if matches!(ty, "i1" | "ui8") { "not" } else { "negate" };
                self.add(ty, &dims, |name| {
                    format!(
                        "{name} = \"stablehlo.case\"({choice}) ({{
      stablehlo.return {x} : {t}
    }}, {{
      {name}_in = stablehlo.{op} {x} : {t}
      stablehlo.return {name}_in : {t}
    }}) : (tensor<i32>) -> {t}"
                    )
                });
            }
            15 if !dims.is_empty() && dims.iter().all(|&size| size > 0) => {
                let starts: Vec<String> = dims.iter().map(|_| "%at".to_owned()).collect();
                let to: Vec<usize> = dims.clone().iter().map(|&size| 1 + self.below(size)).collect();
                let (r, starts, sizes) = (tensor(ty, &to), starts.join(", "), list(to.clone()));
                let types = vec!["tensor<i32>"; dims.len()].join(", ");
                let cut = self.fresh();
                let _ = writeln!(
                    self.text,
                    "    {cut} = stablehlo.dynamic_slice {x}, {starts}, sizes = [{sizes}] : ({t}, {types}) -> {r}"
                );
                self.add(ty, &dims, |name| {
                    format!("{name} = stablehlo.dynamic_update_slice {x}, {cut}, {starts} : ({t}, {r}, {types}) -> {t}")
                });
            }
            16 if !dims.is_empty() && dims.iter().all(|&size| size > 0) => self.scan(&x, ty, &dims),
            17 if matches!(ty, "f32" | "f64") => {
                let n: usize = dims.iter().product();
                if (1..=600).contains(&n) && self.below(3) == 0 {
                    self.normalized_rows(&x, ty, &dims, n);
                }
            }
            _ => {}
        }
    }

    /// A loop over the first dimension, with a row as carry and all carries as result.
    fn scan(&mut self, x: &str, ty: &'static str, dims: &[usize]) {
        let (t, rank) = (tensor(ty, dims), dims.len());
        let cut: Vec<usize> = std::iter::once(1).chain(dims[1..].iter().copied()).collect();
        let (slice, row) = (tensor(ty, &cut), tensor(ty, &dims[1..]));
        let (i, i32s) = (list_of("%i", "%zero", rank), vec!["tensor<i32>"; rank].join(", "));
        let op = if ty == "i1" { "xor" } else { "add" };
        let half = match ty {
            "i1" => "true",
            "complex<f32>" => "(0.5, -1.0)",
            _ if Self::is_float(ty) => "0.5",
            _ => "3",
        };
        let (n, sizes, limit) = (self.fresh(), list(cut.clone()), dims[0]);
        let _ = writeln!(
            self.text,
            "    {n}_0 = stablehlo.constant dense<0> : tensor<i32>
    {n}_1 = stablehlo.constant dense<1> : tensor<i32>
    {n}_n = stablehlo.constant dense<{limit}> : tensor<i32>
    {n}_c = stablehlo.constant dense<{half}> : {row}
    {n}:3 = stablehlo.while(%i = {n}_0, %c = {n}_c, %ys = {x}) : tensor<i32>, {row}, {t}
     cond {{
      %m = stablehlo.compare LT, %i, {n}_n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    }} do {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %p = stablehlo.dynamic_slice {x}, {i}, sizes = [{sizes}] : ({t}, {i32s}) -> {slice}
      %q = stablehlo.reshape %p : ({slice}) -> {row}
      %r = stablehlo.{op} %c, %q : {row}
      %s = stablehlo.reshape %r : ({row}) -> {slice}
      %u = stablehlo.dynamic_update_slice %ys, %s, {i} : ({t}, {slice}, {i32s}) -> {t}
      %o = stablehlo.add %i, {n}_1 : tensor<i32>
      stablehlo.return %o, %r, %u : tensor<i32>, {row}, {t}
    }}"
        );
        self.values.push(Value { name: format!("{n}#1"), ty, dims: dims[1..].to_vec() });
        self.values.push(Value { name: format!("{n}#2"), ty, dims: dims.to_vec() });
    }

    /// So many rows that loops over them are grouped: reductions of each, and what the rows are when divided by theirs.
    fn normalized_rows(&mut self, x: &str, ty: &'static str, dims: &[usize], n: usize) {
        let rows = 40_000 / n;
        let (t, flat, all, one) = (tensor(ty, dims), tensor(ty, &[n]), tensor(ty, &[rows, n]), tensor(ty, &[rows]));
        let scalar = tensor(ty, &[]);
        let v = self.fresh();
        let _ = writeln!(
            self.text,
            "    {v}_f = stablehlo.reshape {x} : ({t}) -> {flat}
    {v}_b = stablehlo.broadcast_in_dim {v}_f, dims = [1] : ({flat}) -> {all}
    {v}_i = stablehlo.iota dim = 0 : {all}
    {v}_j = stablehlo.add {v}_b, {v}_i : {all}
    {v}_w = stablehlo.sine {v}_j : {all}
    {v}_l = stablehlo.constant dense<-2.0> : {scalar}
    {v}_z = stablehlo.constant dense<0.0> : {scalar}
    {v}_m = stablehlo.reduce({v}_w init: {v}_l) applies stablehlo.maximum across dimensions = [1] \
             : ({all}, {scalar}) -> {one}
    {v}_n = stablehlo.broadcast_in_dim {v}_m, dims = [0] : ({one}) -> {all}
    {v}_d = stablehlo.subtract {v}_w, {v}_n : {all}
    {v}_e = stablehlo.exponential {v}_d : {all}
    {v}_s = stablehlo.reduce({v}_e init: {v}_z) applies stablehlo.add across dimensions = [1] \
             : ({all}, {scalar}) -> {one}
    {v}_t = stablehlo.broadcast_in_dim {v}_s, dims = [0] : ({one}) -> {all}"
        );
        self.values.push(Value { name: format!("{v}_s"), ty, dims: vec![rows] });
        self.add(ty, &[rows, n], |name| format!("{name} = stablehlo.divide {v}_e, {v}_t : {all}"));
    }
}

/// The first, then one less than so many of the others.
fn list_of(first: &str, others: &str, count: usize) -> String {
    std::iter::once(first).chain(std::iter::repeat_n(others, count - 1)).collect::<Vec<_>>().join(", ")
}

fn program(seed: u64) -> String {
    let mut w = Writer { numbers: Numbers::new(seed), text: String::new(), values: Vec::new(), count: 0 };
    for _ in 0..8 {
        w.numbers.next();
    }
    let mut parameters = vec!["%at: tensor<i32>".to_owned()];
    for index in 0..3 {
        let rank = w.below(4);
        let dims: Vec<usize> = (0..rank).map(|_| [1, 2, 3, 4, 6, 0][w.below(11) / 2]).collect();
        let ty = TYPES[w.below(TYPES.len())];
        parameters.push(format!("%p{index}: {}", tensor(ty, &dims)));
        w.values.push(Value { name: format!("%p{index}"), ty, dims });
    }
    for _ in 0..26 {
        w.step();
    }
    let results: Vec<&Value> = w.values.iter().rev().take(4).collect();
    let types: Vec<String> = results.iter().map(|value| tensor(value.ty, &value.dims)).collect();
    let names: Vec<&str> = results.iter().map(|value| value.name.as_str()).collect();
    format!(
        "func.func @main({}) -> ({}) {{\n{}    return {} : {}\n}}\n",
        parameters.join(", "),
        types.join(", "),
        w.text,
        names.join(", "),
        types.join(", ")
    )
}

fn problem(text: &str) -> Option<String> {
    let module = match stablehlo::read_program(text.as_bytes()) {
        Ok(module) => Arc::new(module),
        Err(error) => return Some(format!("the program does not parse: {error}")),
    };
    let evaluator = match Evaluator::new(module.clone(), &Registry::default()) {
        Ok(evaluator) => evaluator,
        Err(error) => return Some(error.to_string()),
    };
    let given = inputs(&module, &mut Numbers::new(7));
    let expected = match evaluator.run(given.clone()) {
        Ok(expected) => expected,
        Err(error) => return Some(error.to_string()),
    };
    let found = match compile_and_run(&module, &given) {
        Ok(found) => found,
        Err(Failure::Unsupported(what) | Failure::Wrong(what)) => return Some(what),
    };
    let first = differences(&expected, &found, None)?;
    // Steps such as floor and comparisons turn a rounding into a whole number.
    let nudged: Vec<_> = (1..6).filter_map(|seed| evaluator.run(nudged(&given, seed)).ok()).collect();
    nudged.iter().all(|other| differences(&expected, &found, Some(other)).is_some()).then_some(first)
}

#[test]
fn random_programs_give_what_the_evaluator_gives() {
    let problems: Vec<String> = (0..PROGRAMS)
        .filter_map(|seed| {
            let text = program(seed);
            problem(&text).map(|problem| format!("seed {seed}: {problem}\n{text}"))
        })
        .collect();
    assert!(problems.is_empty(), "{} of {PROGRAMS} programs differ; the first: {}", problems.len(), problems[0]);
}
