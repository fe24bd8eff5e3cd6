//! Collectives: the examples of the specification, every way to group processes, loops, and processes that do not come.

use std::sync::atomic::{AtomicU64, Ordering};

use stablehlo::eval::{EvalErrorKind, Evaluator, Grid, OpError, Process, Registry, Tensor, Value};

const TWO: Grid = Grid { num_replicas: 2, num_partitions: 1 };
const TWO_BY_TWO: Grid = Grid { num_replicas: 2, num_partitions: 2 };

const SUM: &str = "({ ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64> })";

fn evaluator(text: &str) -> Evaluator {
    let mut registry = Registry::default();
    registry.register("fail", |_| Err(OpError::invalid("told to fail")));
    let module = stablehlo::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    stablehlo::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    Evaluator::new(module.into(), &registry).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn blocks_of_whole_arrays_between_partitions() {
    // As programs of the older partitioner say it: whole outside, one block each between the custom calls.
    let program = evaluator(
        r#"func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {
          %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xi64>) -> tensor<4xi64>
          %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xi64>) -> tensor<2xi64>
          %2 = stablehlo.reverse %1, dims = [0] : tensor<2xi64>
          %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2xi64>) -> tensor<2xi64>
          %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xi64>) -> tensor<4xi64>
          return %4 : tensor<4xi64>
        }"#,
    );
    let grid = Grid { num_replicas: 1, num_partitions: 2 };
    let inputs = vec![vec![tensor(&[4], &[1, 2, 3, 4])]; 2];
    let outputs = program.run_all(grid, None, inputs).unwrap();
    for output in &outputs {
        assert_eq!(output[0], tensor(&[4], &[2, 1, 4, 3]));
    }
    let alone = program.run(vec![tensor(&[4], &[1, 2, 3, 4])]).unwrap_err();
    assert_eq!(alone.kind, EvalErrorKind::Unsupported);
    assert!(alone.message.contains("run_all"), "{alone}");
}

/// `ragged_all_to_all` of rows of `shape`, with as many integers for the members of a group as said.
fn ragged(rows: &str, result: &str, integers: usize) -> Evaluator {
    evaluator(&format!(
        r#"func.func @main(%x: tensor<{rows}>, %y: tensor<{result}>, %from: tensor<{integers}xi64>,
            %count: tensor<{integers}xi64>, %to: tensor<{integers}xi64>, %back: tensor<{integers}xi64>) -> tensor<{result}> {{
          %0 = stablehlo.custom_call @ragged_all_to_all(%x, %y, %from, %count, %to, %back) {{api_version = 4 : i32,
            backend_config = {{channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}}}
            : (tensor<{rows}>, tensor<{result}>, tensor<{integers}xi64>, tensor<{integers}xi64>, tensor<{integers}xi64>,
               tensor<{integers}xi64>) -> tensor<{result}>
          return %0 : tensor<{result}>
        }}"#
    ))
}

#[test]
fn rows_go_where_each_process_says() {
    let grid = Grid { num_replicas: 1, num_partitions: 2 };
    let program = ragged("3xi64", "4xi64", 2);
    let lists = |x: &[i64], lists: [&[i64]; 4]| {
        let mut inputs = vec![tensor(&[3], x), tensor(&[4], &[0; 4])];
        inputs.extend(lists.map(|list| tensor(&[2], list)));
        inputs
    };
    let first = lists(&[1, 2, 2], [&[0, 1], &[1, 2], &[0, 0], &[1, 1]]);
    let second = lists(&[3, 4, 0], [&[0, 1], &[1, 1], &[1, 2], &[2, 1]]);
    let results = program.run_all(grid, None, vec![first.clone(), second.clone()]).unwrap();
    assert_eq!(results, [[tensor(&[4], &[1, 3, 0, 0])], [tensor(&[4], &[2, 2, 4, 0])]]);
    // Two parts for each member, rows of two numbers, and what nobody writes stays.
    let program = ragged("2x2xi64", "3x2xi64", 4);
    let member = |x: i64, lists: [&[i64]; 4]| {
        let mut inputs = vec![tensor(&[2, 2], &[x, x + 1, x + 2, x + 3]), tensor(&[3, 2], &[-1; 6])];
        inputs.extend(lists.map(|list| tensor(&[4], list)));
        inputs
    };
    let results = program.run_all(
        grid,
        None,
        vec![
            member(10, [&[0, 0, 0, 1], &[0, 0, 1, 1], &[0, 0, 2, 0], &[0, 0, 0, 1]]),
            member(20, [&[0, 1, 0, 0], &[0, 1, 0, 0], &[0, 1, 0, 0], &[1, 1, 0, 0]]),
        ],
    );
    assert_eq!(
        results.unwrap(),
        [[tensor(&[3, 2], &[-1, -1, 22, 23, -1, -1])], [tensor(&[3, 2], &[12, 13, -1, -1, 10, 11])]]
    );
    // What does not fit is an error, not a guess.
    let program = ragged("3xi64", "4xi64", 2);
    for (list, numbers, text) in [
        (2, [3, 1], "1 rows from 3 on are not inside tensor<3xi64>"),
        (2, [-1, 1], "1 rows from -1 on are not inside"),
        (4, [4, 0], "1 rows from 4 on are not inside tensor<4xi64>"),
        (5, [1, 2], "member 1 sends 1 rows to member 0, which receives 2"),
    ] {
        let mut wrong = first.clone();
        wrong[list] = tensor(&[2], &numbers);
        let error = program.run_all(grid, None, vec![wrong, second.clone()]).unwrap_err();
        assert!(error.message.contains(text), "{error}");
    }
}

#[test]
fn groups_of_rows_that_claim_any_size_are_refused() {
    let text = r#"func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
        %0 = stablehlo.custom_call @ragged_all_to_all(%x, %x, %x, %x, %x, %x) {api_version = 4 : i32,
          backend_config = {channel_id = 1 : i64, replica_groups = dense<0> : tensor<4294967296x2xi64>}}
          : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
        return %0 : tensor<2xi64>
      }"#;
    let module = stablehlo::read_program(text.as_bytes()).unwrap();
    let error =
        Evaluator::new(module.into(), &Registry::default()).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("must have `replica_groups`, a matrix of i64"), "{error}");
}

/// A program of one op on one operand.
fn single(op: &str, attrs: &str, region: &str, operand: &str, result: &str) -> String {
    format!(
        "func.func @main(%x: tensor<{operand}>) -> tensor<{result}> {{
           %y = \"stablehlo.{op}\"(%x) {region} {{ {attrs} }} : (tensor<{operand}>) -> tensor<{result}>
           return %y : tensor<{result}>
         }}"
    )
}

fn groups(rows: &[&[i64]]) -> String {
    format!("replica_groups = dense<{rows:?}> : tensor<{}x{}xi64>", rows.len(), rows[0].len())
}

fn channel(handle: i64) -> String {
    format!("channel_handle = #stablehlo.channel_handle<handle = {handle}, type = 0>")
}

fn tensor(dims: &[usize], values: &[i64]) -> Value {
    Tensor::from_vec(dims, values.to_vec()).into()
}

fn values(value: &Value) -> Vec<i64> {
    value.as_tensor().unwrap().to_i64s().unwrap()
}

/// Runs a program with one input and one result on all processes of a grid.
fn run(text: &str, grid: Grid, dims: &[usize], inputs: &[&[i64]]) -> Vec<Vec<i64>> {
    let inputs = inputs.iter().map(|x| vec![tensor(dims, x)]).collect();
    let outputs = evaluator(text).run_all(grid, None, inputs).unwrap_or_else(|error| panic!("{error}\n{text}"));
    outputs.iter().map(|results| values(&results[0])).collect()
}

fn failure(text: &str, grid: Grid, inputs: Vec<Vec<Value>>) -> String {
    evaluator(text).run_all(grid, None, inputs).unwrap_err().message
}

#[test]
fn all_gather() {
    let gather = |attrs: &str, result| {
        single("all_gather", &format!("all_gather_dim = 1 : i64, {attrs}"), "", "2x2xi64", result)
    };
    let text = gather(&groups(&[&[0, 1]]), "2x4xi64");
    let all = vec![1, 2, 5, 6, 3, 4, 7, 8];
    assert_eq!(run(&text, TWO, &[2, 2], &[&[1, 2, 3, 4], &[5, 6, 7, 8]]), [all.clone(), all]);
    // Partitions outside, replicas inside.
    let text = gather(&format!("{}, {}", groups(&[&[1, 0]]), channel(1)), "2x8xi64");
    let inputs: [&[i64]; 4] = [&[0, 0, 0, 0], &[1, 1, 1, 1], &[10, 10, 10, 10], &[11, 11, 11, 11]];
    let row = [10, 10, 0, 0, 11, 11, 1, 1];
    assert_eq!(run(&text, TWO_BY_TWO, &[2, 2], &inputs), vec![[row, row].concat(); 4]);
}

#[test]
fn all_reduce_with_every_strategy() {
    let inputs: [&[i64]; 4] = [&[1], &[10], &[100], &[1000]];
    let reduce = |attrs: String| run(&single("all_reduce", &attrs, SUM, "1xi64", "1xi64"), TWO_BY_TWO, &[1], &inputs);
    assert_eq!(reduce(groups(&[&[0, 1]])), [[101], [1010], [101], [1010]]);
    assert_eq!(reduce(groups(&[&[0], &[1]])), [[1], [10], [100], [1000]]);
    assert_eq!(reduce(format!("{}, {}", groups(&[&[0], &[1]]), channel(1))), [[11], [11], [1100], [1100]]);
    assert_eq!(reduce(format!("{}, {}", groups(&[&[0, 1]]), channel(1))), [[1111]; 4]);
    let global = format!("{}, use_global_device_ids, ", channel(1));
    assert_eq!(reduce(format!("{global}{}", groups(&[&[0, 3], &[1, 2]]))), [[1001], [110], [110], [1001]]);
    assert_eq!(reduce(format!("{global}{}", groups(&[&[0, 2, 3], &[1, -1, -1]]))), [[1101], [10], [1101], [1101]]);
    assert_eq!(reduce(format!("{global}replica_groups = dense<> : tensor<0x0xi64>")), [[1111]; 4]);
}

#[test]
fn groups_along_the_axes_of_a_mesh() {
    let inputs: [&[i64]; 4] = [&[1], &[10], &[100], &[1000]];
    let mesh = "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, \
                #stablehlo.mesh_axis<name = \"y\", size = 2>]>";
    let reduce = |mesh: &str, axes: &str| {
        let attrs = format!(
            "{}, use_global_device_ids, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [{axes}]>",
            channel(1)
        );
        run(&single("all_reduce", &attrs, SUM, "1xi64", "1xi64"), TWO_BY_TWO, &[1], &inputs)
    };
    let axis = |text: &str| format!("#stablehlo.axis_ref<name = {text}>");
    assert_eq!(reduce(mesh, &axis("\"x\"")), [[101], [1010], [101], [1010]]);
    assert_eq!(reduce(mesh, &axis("\"y\"")), [[11], [11], [1100], [1100]]);
    assert_eq!(reduce(mesh, &format!("{}, {}", axis("\"y\""), axis("\"x\""))), [[1111]; 4]);
    let line = "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"z\", size = 4>]>";
    assert_eq!(reduce(line, &axis("\"z\", sub_axis_info = (1)2")), [[101], [1010], [101], [1010]]);
    assert_eq!(reduce(line, &axis("\"z\", sub_axis_info = (2)2")), [[11], [11], [1100], [1100]]);
    // The order within a group is that of the axes as named.
    let attrs = format!(
        "all_gather_dim = 0 : i64, {}, use_global_device_ids, replica_groups = \
         #stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [{}, {}]>",
        channel(1),
        axis("\"y\""),
        axis("\"x\"")
    );
    let gathered = run(&single("all_gather", &attrs, "", "1xi64", "4xi64"), TWO_BY_TWO, &[1], &inputs);
    assert_eq!(gathered, [[1, 100, 10, 1000]; 4]);
}

#[test]
fn reductions_take_any_region_and_convert_first() {
    // Not associative, so that the order shows: a − b from first to last.
    let difference = SUM.replace("stablehlo.add", "stablehlo.subtract");
    let four = Grid { num_replicas: 1, num_partitions: 4 };
    let attrs = format!("{}, {}, use_global_device_ids", groups(&[&[2, 0, 1, 3]]), channel(1));
    let text = single("all_reduce", &attrs, &difference, "1xi64", "1xi64");
    assert_eq!(run(&text, four, &[1], &[&[1], &[2], &[30], &[4]]), [[23]; 4]);
    // A body with control flow runs element by element.
    let branches = "({ ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %most = \"stablehlo.if\"(%less) ({ stablehlo.return %b : tensor<i64> }, { stablehlo.return %a : tensor<i64> })
          : (tensor<i1>) -> tensor<i64>
        stablehlo.return %most : tensor<i64> })";
    let text = single("all_reduce", &groups(&[&[0, 1]]), branches, "3xi64", "3xi64");
    assert_eq!(run(&text, TWO, &[3], &[&[1, 5, 3], &[4, 2, 6]]), [[4, 5, 6]; 2]);
    let text = single("all_reduce", &groups(&[&[0, 1]]), branches, "0xi64", "0xi64");
    assert_eq!(run(&text, TWO, &[0], &[&[], &[]]), [[]; 2] as [[i64; 0]; 2]);
    // 200 + 100 does not fit eight bits.
    let text = single("all_reduce", &groups(&[&[0, 1]]), SUM, "1xi8", "1xi64");
    let inputs = [100i8, 100].map(|x| vec![Tensor::from_vec(&[1], vec![x]).into()]);
    let outputs = evaluator(&text).run_all(TWO, None, inputs.to_vec()).unwrap();
    assert_eq!(values(&outputs[1][0]), [200]);
}

#[test]
fn reduce_scatter() {
    let attrs = format!("scatter_dimension = 1 : i64, {}", groups(&[&[0, 1]]));
    let text = single("reduce_scatter", &attrs, SUM, "2x4xi64", "2x2xi64");
    let inputs: [&[i64]; 2] = [&[1, 2, 3, 4, 5, 6, 7, 8], &[9, 10, 11, 12, 13, 14, 15, 16]];
    assert_eq!(run(&text, TWO, &[2, 4], &inputs), [[10, 12, 18, 20], [14, 16, 22, 24]]);
}

#[test]
fn all_to_all() {
    let attrs =
        format!("split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, {}", groups(&[&[0, 1]]));
    let text = single("all_to_all", &attrs, "", "2x4xi64", "4x2xi64");
    let inputs: [&[i64]; 2] = [&[1, 2, 3, 4, 5, 6, 7, 8], &[9, 10, 11, 12, 13, 14, 15, 16]];
    let expected = [[1, 2, 5, 6, 9, 10, 13, 14], [3, 4, 7, 8, 11, 12, 15, 16]];
    assert_eq!(run(&text, TWO, &[2, 4], &inputs), expected);
    // With a channel it goes along partitions.
    let text = single("all_to_all", &format!("{attrs}, {}", channel(1)), "", "2x4xi64", "4x2xi64");
    let twice = [inputs[0], inputs[1], inputs[1], inputs[0]];
    let outputs = run(&text, TWO_BY_TWO, &[2, 4], &twice);
    assert_eq!(outputs[..2], expected);
    assert_eq!(outputs[2], [9, 10, 13, 14, 1, 2, 5, 6]);
}

#[test]
fn collective_broadcast() {
    let four = Grid { num_replicas: 4, num_partitions: 1 };
    let text = single("collective_broadcast", &groups(&[&[2, 1]]), "", "2xi64", "2xi64");
    let inputs: [&[i64]; 4] = [&[1, 2], &[3, 4], &[5, 6], &[7, 8]];
    assert_eq!(run(&text, four, &[2], &inputs), [[0, 0], [5, 6], [5, 6], [0, 0]]);
    let attrs = format!("{}, {}", groups(&[&[1, 0]]), channel(1));
    let text = single("collective_broadcast", &attrs, "", "2xi64", "2xi64");
    assert_eq!(run(&text, TWO_BY_TWO, &[2], &inputs), [[3, 4], [3, 4], [7, 8], [7, 8]]);
}

#[test]
fn collectives_with_a_root_that_the_program_computes() {
    let program = |op: &str, region: &str| {
        format!(
            "func.func @main(%x: tensor<2xi64>, %root: tensor<1xi32>) -> tensor<2xi64> {{
               %y = \"stablehlo.{op}\"(%x, %root) {region} {{ has_dynamic_root = true, {} }}
                 : (tensor<2xi64>, tensor<1xi32>) -> tensor<2xi64>
               return %y : tensor<2xi64>
             }}",
            groups(&[&[1, 0]])
        )
    };
    let inputs = |roots: [i32; 2]| -> Vec<Vec<Value>> {
        let root = |i: usize| Tensor::from_vec(&[1], vec![roots[i]]).into();
        vec![vec![tensor(&[2], &[1, 2]), root(0)], vec![tensor(&[2], &[30, 40]), root(1)]]
    };
    let run = |text: &str, root| evaluator(text).run_all(TWO, None, inputs([root; 2]));
    let broadcast = program("collective_broadcast", "");
    for (root, expected) in [(0, [30, 40]), (1, [1, 2])] {
        let outputs = run(&broadcast, root).unwrap();
        assert_eq!(outputs.iter().map(|o| values(&o[0])).collect::<Vec<_>>(), [expected; 2]);
    }
    assert!(run(&broadcast, 2).unwrap_err().message.contains("roots [2]"));
    let error = failure(&broadcast, TWO, inputs([0, 1]));
    assert!(error.contains("different roots"), "{error}");
    let reduce = program("collective_reduce", SUM);
    let outputs = run(&reduce, 1).unwrap();
    assert_eq!(outputs.iter().map(|o| values(&o[0])).collect::<Vec<_>>(), [[31, 42], [0, 0]]);
}

#[test]
fn collective_reduce() {
    let four = Grid { num_replicas: 4, num_partitions: 1 };
    let text = single("collective_reduce", &groups(&[&[3, 1, 0]]), SUM, "1xi64", "1xi64");
    assert_eq!(run(&text, four, &[1], &[&[1], &[3], &[5], &[7]]), [[0], [0], [0], [11]]);
}

#[test]
fn collective_permute() {
    let three = Grid { num_replicas: 3, num_partitions: 1 };
    let text = single(
        "collective_permute",
        "source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>",
        "",
        "2xi64",
        "2xi64",
    );
    assert_eq!(run(&text, three, &[2], &[&[1, 2], &[3, 4], &[5, 6]]), [[0, 0], [1, 2], [3, 4]]);
    let attrs = format!("source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, {}", channel(1));
    let text = single("collective_permute", &attrs, "", "1xi64", "1xi64");
    assert_eq!(run(&text, TWO_BY_TWO, &[1], &[&[1], &[2], &[3], &[4]]), [[2], [1], [4], [3]]);
}

#[test]
fn asynchronous_collectives_with_several_results() {
    let text = format!(
        "func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {{
           %future = \"stablehlo.async_start\"(%x, %x) ({{
             ^bb0(%p: tensor<1xi64>, %q: tensor<1xi64>):
               %r:2 = \"stablehlo.all_reduce\"(%p, %q) {SUM} {{ {} }}
                 : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>)
               stablehlo.return %r#0, %r#1 : tensor<1xi64>, tensor<1xi64>
           }}) : (tensor<1xi64>, tensor<1xi64>) -> !stablehlo.future<tensor<1xi64>, tensor<1xi64>>
           %d:2 = \"stablehlo.async_done\"(%future)
             : (!stablehlo.future<tensor<1xi64>, tensor<1xi64>>) -> (tensor<1xi64>, tensor<1xi64>)
           %y = stablehlo.add %d#0, %d#1 : tensor<1xi64>
           return %y : tensor<1xi64>
         }}",
        groups(&[&[0, 1]])
    );
    assert_eq!(run(&text, TWO, &[1], &[&[1], &[20]]), [[42]; 2]);
}

/// Each process adds up what all have, `n` times over; `n` is an input of its own for each.
fn looping() -> String {
    format!(
        "func.func @main(%n: tensor<i64>, %x: tensor<i64>) -> tensor<i64> {{
           %zero = stablehlo.constant dense<0> : tensor<i64>
           %one = stablehlo.constant dense<1> : tensor<i64>
           %r:2 = \"stablehlo.while\"(%zero, %x) ({{
             ^bb0(%i: tensor<i64>, %v: tensor<i64>):
               %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
               stablehlo.return %c : tensor<i1>
           }}, {{
             ^bb0(%i: tensor<i64>, %v: tensor<i64>):
               %s = \"stablehlo.all_reduce\"(%v) {SUM} {{ {} }} : (tensor<i64>) -> tensor<i64>
               %mine = stablehlo.subtract %s, %v : tensor<i64>
               %next = stablehlo.add %i, %one : tensor<i64>
               stablehlo.return %next, %mine : tensor<i64>, tensor<i64>
           }}) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
           return %r#1 : tensor<i64>
         }}",
        groups(&[&[0, 1]])
    )
}

#[test]
fn many_meetings_in_a_loop() {
    // Sum minus own is the other's value: an odd number of rounds exchanges the two.
    let inputs = |n| vec![vec![tensor(&[], &[n]), tensor(&[], &[3])], vec![tensor(&[], &[n]), tensor(&[], &[8])]];
    let evaluator = evaluator(&looping());
    for (n, expected) in [(0, [3, 8]), (2001, [8, 3])] {
        let outputs = evaluator.run_all(TWO, None, inputs(n)).unwrap();
        assert_eq!([values(&outputs[0][0])[0], values(&outputs[1][0])[0]], expected);
    }
}

#[test]
fn a_process_that_ends_early_makes_the_others_fail() {
    let inputs = vec![vec![tensor(&[], &[7]), tensor(&[], &[1])], vec![tensor(&[], &[5]), tensor(&[], &[1])]];
    let error = failure(&looping(), TWO, inputs);
    assert!(error.starts_with("process (0, 0): stablehlo.all_reduce : (tensor<i64>)"), "{error}");
    assert!(error.contains("waits for (1, 0), of which (1, 0) ended without getting here"), "{error}");
}

/// Replica 0 does one thing, the others another.
fn divided(first: &str, others: &str) -> String {
    format!(
        "func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {{
           %id = stablehlo.replica_id : tensor<ui32>
           %zero = stablehlo.constant dense<0> : tensor<ui32>
           %is_first = stablehlo.compare EQ, %id, %zero, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
           %r = \"stablehlo.if\"(%is_first) ({{ {first} stablehlo.return %y : tensor<1xi64> }},
             {{ {others} stablehlo.return %y : tensor<1xi64> }}) : (tensor<i1>) -> tensor<1xi64>
           return %r : tensor<1xi64>
         }}"
    )
}

fn reduce(result: &str, operand: &str) -> String {
    let attrs = groups(&[&[0, 1, 2]]);
    format!("%{result} = \"stablehlo.all_reduce\"(%{operand}) {SUM} {{ {attrs} }} : (tensor<1xi64>) -> tensor<1xi64>\n")
}

const THREE: Grid = Grid { num_replicas: 3, num_partitions: 1 };

#[test]
fn processes_that_wait_for_each_other_are_told_so() {
    let swap =
        "%y = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}
        : (tensor<1xi64>) -> tensor<1xi64>\n";
    let error = failure(&divided(&reduce("y", "x"), swap), THREE, vec![vec![tensor(&[1], &[1])]; 3]);
    assert!(error.contains("of which") || error.contains("in turn"), "{error}");
    // Two that wait crosswise, with no process that ends.
    let error = failure(&divided(&reduce("y", "x"), &reduce("y", "x")), THREE, vec![vec![tensor(&[1], &[1])]; 3]);
    assert!(error.contains("which wait for it in turn: process ("), "{error}");
    assert!(error.contains("in stablehlo.all_reduce at "), "{error}");
}

#[test]
fn a_process_that_fails_is_the_one_reported() {
    let call = "%y = stablehlo.custom_call @fail(%x) : (tensor<1xi64>) -> tensor<1xi64>\n";
    let error = failure(&divided(call, &reduce("y", "x")), THREE, vec![vec![tensor(&[1], &[1])]; 3]);
    assert!(error.starts_with("process (0, 0): stablehlo.custom_call"), "{error}");
    assert!(error.contains("told to fail"), "{error}");
    // Nor does it wait for a process that loops without end and meets nobody.
    let forever = "%y = \"stablehlo.while\"(%x) ({ ^bb0(%v: tensor<1xi64>):
        %c = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %c : tensor<i1> }, { ^bb0(%v: tensor<1xi64>):
        %w = stablehlo.add %v, %v : tensor<1xi64>
        stablehlo.return %w : tensor<1xi64> }) : (tensor<1xi64>) -> tensor<1xi64>\n";
    let error = failure(&divided(call, forever), THREE, vec![vec![tensor(&[1], &[1])]; 3]);
    assert!(error.contains("told to fail"), "{error}");
}

#[test]
fn the_embedder_can_stop_processes_that_wait() {
    let forever = "%t = stablehlo.constant dense<true> : tensor<i1>
        %y = \"stablehlo.while\"(%x) ({ ^bb0(%v: tensor<1xi64>): stablehlo.return %t : tensor<i1> },
        { ^bb0(%v: tensor<1xi64>): stablehlo.return %v : tensor<1xi64> }) : (tensor<1xi64>) -> tensor<1xi64>\n";
    let asked = AtomicU64::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 1_000;
    let evaluator = evaluator(&divided(forever, &reduce("y", "x")));
    let error = evaluator.run_all(THREE, Some(&stop), vec![vec![tensor(&[1], &[1])]; 3]).unwrap_err();
    assert_eq!(error.kind, EvalErrorKind::Cancelled);
}

#[test]
fn one_process_needs_no_other() {
    let text = single("all_reduce", &groups(&[&[0]]), SUM, "1xi64", "1xi64");
    assert_eq!(values(&evaluator(&text).run(vec![tensor(&[1], &[5])]).unwrap()[0]), [5]);
    let text = single("all_reduce", &groups(&[&[0, 1]]), SUM, "1xi64", "1xi64");
    let error = evaluator(&text).run(vec![tensor(&[1], &[5])]).unwrap_err();
    assert!(error.message.contains("names id 1, and the program runs on 1 replicas"), "{error}");
    let process = Process { num_replicas: 2, ..Process::default() };
    let error = evaluator(&text).run_as(process, None, vec![tensor(&[1], &[5])]).unwrap_err();
    assert!(error.message.contains("run all of them side by side with `Evaluator::run_all`"), "{error}");
    assert_eq!(error.kind, EvalErrorKind::Unsupported);
}

#[test]
fn inputs_must_fit_the_grid() {
    let text = single("all_reduce", &groups(&[&[0, 1]]), SUM, "1xi64", "1xi64");
    assert!(failure(&text, TWO, vec![vec![tensor(&[1], &[5])]]).contains("1 lists of inputs for 2 replicas"));
    let error = failure(&text, TWO, vec![vec![tensor(&[1], &[5])], vec![tensor(&[2], &[5, 5])]]);
    assert!(error.starts_with("process (1, 0): input 0 of main is tensor<2xi64>"), "{error}");
}
