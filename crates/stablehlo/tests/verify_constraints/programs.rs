//! Cases of control flow, communication, calls, and the other dialects.

use stablehlo::ir::Attr;
use stablehlo::ir::attrs::{ChannelHandle, OutputOperandAlias};

use super::case::{A, Case, body, op};
use super::{Cases, bad, good};

fn channel(handle: i64, channel_type: i64) -> A {
    A::Raw(Attr::ChannelHandle(ChannelHandle { handle, channel_type }))
}

fn groups(rows: &[&[i64]]) -> A {
    A::Rows(rows.iter().map(|r| r.to_vec()).collect())
}

fn with_groups(case: Case) -> Case {
    case.with("replica_groups", groups(&[&[0, 1], &[2, 3]]))
}

fn all_gather() -> Case {
    with_groups(op("all_gather", "2x3xf32", "2x6xf32")).with("all_gather_dim", A::I64(1))
}

fn all_reduce() -> Case {
    with_groups(op("all_reduce", "2x3xf32", "2x3xf32")).body("f32 f32", "f32")
}

fn reduce_scatter() -> Case {
    with_groups(op("reduce_scatter", "2x4xf32", "2x2xf32")).with("scatter_dimension", A::I64(1)).body("f32 f32", "f32")
}

fn all_to_all() -> Case {
    with_groups(op("all_to_all", "2x4xf32", "4x2xf32"))
        .with("split_dimension", A::I64(1))
        .with("concat_dimension", A::I64(0))
        .with("split_count", A::I64(2))
}

fn broadcast() -> Case {
    with_groups(op("collective_broadcast", "2x4xf32", "2x4xf32"))
}

fn collective_reduce() -> Case {
    with_groups(op("collective_reduce", "2x4xf32", "2x4xf32")).body("f32 f32", "f32")
}

fn permute(case: Case, pairs: &[&[i64]]) -> Case {
    case.with("source_target_pairs", groups(pairs))
}

fn collective_permute() -> Case {
    permute(op("collective_permute", "2xf32", "2xf32"), &[&[0, 1], &[1, 0]])
}

fn communication() -> Cases {
    let global = |case: Case| case.with("use_global_device_ids", A::Flag(true));
    let dynamic = |case: Case| case.takes("2x4xf32 1xi32").with("has_dynamic_root", A::Flag(true));
    let mut cases = vec![
        good(all_gather()),
        good(global(all_gather()).with("channel_handle", channel(1, 0))),
        // With a channel and replica groups, each group also holds all partitions.
        good(all_gather().with("channel_handle", channel(1, 0)).gives("2x12xf32")),
        bad("C6", all_gather().with("channel_handle", channel(1, 0)).gives("2x9xf32")),
        good(reduce_scatter().with("channel_handle", channel(1, 0)).gives("2x1xf32")),
        bad("C1", all_gather().with("all_gather_dim", A::I64(2))),
        bad("C2", all_gather().with("replica_groups", groups(&[&[0, 1], &[1, 2]]))),
        bad("C4", all_gather().with("replica_groups", groups(&[&[0, 1], &[2, 5]]))),
        bad("C4", all_gather().with("replica_groups", groups(&[&[0, 1], &[2, -1]]))),
        bad("C5", global(all_gather())),
        bad("C6", all_gather().gives("2x9xf32")),
        bad("C6", all_gather().gives("2x6xf64")),
        good(all_reduce()),
        good(all_reduce().with("replica_groups", groups(&[&[0, 1], &[2, -1]]))),
        bad("C1", all_reduce().with("replica_groups", groups(&[&[0, 0]]))),
        bad("C3", all_reduce().with("replica_groups", groups(&[&[0, 3]]))),
        bad("C4", global(all_reduce()).with("channel_handle", channel(0, 0))),
        bad("C5", all_reduce().bodies(&[body("f32", "f32")])),
        bad("C6", all_reduce().gives("2x4xf32")),
        bad("C7", all_reduce().gives("2x3xf64")),
        good(reduce_scatter()),
        bad("C1", reduce_scatter().takes("2x5xf32")),
        bad("C2", reduce_scatter().with("scatter_dimension", A::I64(2))),
        bad("C3", reduce_scatter().with("replica_groups", groups(&[&[0, 0]]))),
        bad("C5", reduce_scatter().with("replica_groups", groups(&[&[0, -2]]))),
        bad("C6", global(reduce_scatter())),
        bad("C7", reduce_scatter().bodies(&[body("f32 f32", "i1")])),
        bad("C8", reduce_scatter().gives("2x4xf32")),
        bad("C9", reduce_scatter().gives("2x2xf64")),
        good(all_to_all()),
        bad("C1", all_to_all().with("split_dimension", A::I64(2))),
        bad("C2", all_to_all().takes("2x5xf32")),
        bad("C3", all_to_all().with("concat_dimension", A::I64(-1))),
        bad("C4", all_to_all().with("split_count", A::I64(0))),
        bad("C5", all_to_all().with("replica_groups", groups(&[&[0, 0]]))),
        bad("C7", all_to_all().with("replica_groups", groups(&[&[0, 7]]))),
        bad("C8", all_to_all().with("replica_groups", groups(&[&[0, 1, 2]]))),
        bad("C9", all_to_all().gives("2x4xf32")),
        good(broadcast()),
        good(dynamic(broadcast())),
        bad("C1", broadcast().with("replica_groups", groups(&[&[0, 0]]))),
        bad("C2", broadcast().with("replica_groups", groups(&[&[-1, 0]]))),
        bad("C3", broadcast().gives("2x5xf32")),
        bad("C3", broadcast().takes("").gives("")),
        bad("C4", dynamic(broadcast()).takes("2x4xf32 2xi32")),
        bad("C4", dynamic(broadcast()).takes("1xi32")),
        bad("C5", dynamic(broadcast()).gives("2x4xf32 1xi32")),
        good(collective_reduce()),
        good(dynamic(collective_reduce())),
        bad("C1", collective_reduce().with("replica_groups", groups(&[&[0, 0]]))),
        bad("C2", collective_reduce().with("replica_groups", groups(&[&[-3, 0]]))),
        bad("C3", collective_reduce().gives("2x5xf32")),
        bad("C3", dynamic(collective_reduce()).takes("2x4xf32 2xi32")),
        bad("C4", collective_reduce().bodies(&[body("f32 f32", "i8")])),
        good(collective_permute()),
        bad("C5", collective_permute().gives("3xf32")),
    ];
    let send = op("send", "2xf32 token", "token").with("channel_handle", channel(1, 1));
    let recv = op("recv", "token", "2xf32 token").with("channel_handle", channel(1, 1));
    for case in [collective_permute(), send.clone(), recv.clone()] {
        cases.extend([
            good(permute(case.clone(), &[&[0, 1], &[1, 2]])),
            bad("C1", permute(case.clone(), &[&[0, 1, 2]])),
            bad("C2", permute(case.clone(), &[&[0, 1], &[0, 2]])),
            bad("C3", permute(case.clone(), &[&[0, 1], &[2, 1]])),
            bad("C4", permute(case.clone(), &[&[0, -1]])),
        ]);
    }
    cases.extend([
        bad("C5", send.clone().with("channel_handle", channel(1, 2))),
        bad("C5", send.with("is_host_transfer", A::Flag(true))),
        bad("C5", recv.clone().with("channel_handle", channel(1, 3))),
        bad("O1", recv.gives("2xf32")),
        good(op("infeed", "token", "2xf32 token")),
        bad("C1", op("infeed", "token", "")),
        bad("C2", op("infeed", "token", "token token")),
        bad("C3", op("infeed", "token", "2xf32")),
        good(op("outfeed", "2xf32 token", "token")),
        bad("O1", op("outfeed", "2xf32 token", "2xf32")),
        good(op("replica_id", "", "ui32")),
        bad("O1", op("replica_id", "", "i32")),
        good(op("partition_id", "", "ui32")),
        good(op("after_all", "token token", "token")),
        good(op("create_token", "", "token")),
    ]);
    cases.extend(asynchronous());
    cases
}

fn asynchronous() -> Cases {
    let slice = || op("slice", "", "").ints("start_indices", &[0]).ints("limit_indices", &[2]).ints("strides", &[1]);
    let start = |inner: Case| {
        let mut case = op("async_start", "4xf32", "future<2xf32>").body("4xf32", "2xf32");
        case.inner = Some(Box::new(inner));
        case
    };
    let two = || {
        let mut case = start(slice());
        case.inner = None;
        case.bodies = vec![body("4xf32", "")];
        case
    };
    vec![
        good(start(slice())),
        bad("C1", two()),
        bad("C2", start(op("custom_call", "", "").with("call_target_name", A::Text("f")))),
        bad("C3", start(slice()).takes("5xf32")),
        bad("C4", start(slice()).gives("future<3xf32>")),
        good(op("async_done", "future<2xf32>", "2xf32")),
        bad("C1", op("async_done", "future<2xf32>", "3xf32")),
    ]
}

fn control() -> Cases {
    let case = || op("case", "i32", "2xf32").body("", "2xf32").body("", "2xf32");
    let cond = || op("if", "i1", "2xf32").body("", "2xf32").body("", "2xf32");
    let repeat = || op("while", "i32 2xf32", "i32 2xf32").body("i32 2xf32", "i1").body("i32 2xf32", "i32 2xf32");
    vec![
        good(case()),
        bad("C1", case().bodies(&[])),
        bad("C2", case().bodies(&[body("", "2xf32"), body("f32", "2xf32")])),
        bad("C3", case().bodies(&[body("", "2xf32"), body("", "3xf32")])),
        bad("C4", case().gives("2xf64")),
        bad("C4", case().gives("2xf32 2xf32")),
        good(cond()),
        bad("C1", cond().bodies(&[body("f32", "2xf32"), body("", "2xf32")])),
        bad("C2", cond().bodies(&[body("", "2xf32"), body("", "2xf64")])),
        bad("C3", cond().gives("3xf32")),
        bad("I1", cond().takes("2xi1")),
        good(repeat()),
        bad("C1", repeat().bodies(&[body("i32 2xf32", "i32"), body("i32 2xf32", "i32 2xf32")])),
        bad("C1", repeat().bodies(&[body("i32", "i1"), body("i32 2xf32", "i32 2xf32")])),
        bad("C2", repeat().bodies(&[body("i32 2xf32", "i1"), body("i32 2xf32", "i32 3xf32")])),
        bad("C3", repeat().gives("i32 3xf32")),
        bad("terminator", cond().bodies(&[body("", "2xf32").unfinished(), body("", "2xf32")])),
        good(op("optimization_barrier", "2xf32 token", "2xf32 token")),
        bad("C1", op("optimization_barrier", "2xf32", "3xf32")),
        good(op("tuple", "2xf32 i1", "tuple<2xf32;i1>")),
        bad("C1", op("tuple", "2xf32 i1", "tuple<2xf32;i8>")),
        good(op("get_tuple_element", "tuple<2xf32;i1>", "i1").with("index", A::I32(1))),
        bad("C1", op("get_tuple_element", "tuple<2xf32;i1>", "i1").with("index", A::I32(2))),
        bad("C2", op("get_tuple_element", "tuple<2xf32;i1>", "i1").with("index", A::I32(0))),
    ]
}

fn calls() -> Cases {
    let composite =
        || op("composite", "f32", "f32").with("name", A::Text("my.op")).with("decomposition", A::Symbol("callee"));
    let call = || op("call", "f32", "f32").with("callee", A::Symbol("callee"));
    let custom = || op("custom_call", "2x3xf32", "2x3xf32 tuple<f32;i8>").with("call_target_name", A::Text("f"));
    let alias = |operand: i64, path: &[i64]| {
        A::List(vec![A::Raw(Attr::OutputOperandAlias(Box::new(OutputOperandAlias {
            output_tuple_indices: path.into(),
            operand_index: operand,
            operand_tuple_indices: [].into(),
        })))])
    };
    vec![
        good(composite()),
        bad("C1", composite().with("name", A::Text("op"))),
        bad("C1", composite().with("name", A::Text("9.op"))),
        bad("C2", composite().with("decomposition", A::Symbol("nobody"))),
        bad("C3", composite().takes("2xf32")),
        bad("C4", composite().gives("f64")),
        good(call()),
        bad("symbol", call().with("callee", A::Symbol("nobody"))),
        bad("operands", call().takes("f32 f32")),
        bad("results", call().gives("2xf32")),
        good(custom()),
        good(custom().with("called_computations", A::List(vec![A::Symbol("callee")]))),
        bad("symbol", custom().with("called_computations", A::List(vec![A::Symbol("nobody")]))),
        good(custom().with("output_operand_aliases", alias(0, &[0]))),
        bad("I7", custom().with("output_operand_aliases", alias(0, &[1, 0]))),
        bad("I7", custom().with("output_operand_aliases", alias(3, &[0]))),
        bad("layout", custom().with("operand_layouts", A::List(vec![A::Zeros("2xindex")]))),
        good(op("trace", "", "").with("tag", A::Text("t"))),
    ]
}

fn others() -> Cases {
    let broadcast = |l: &str, r: &str, out: &str| op("broadcast_add", &format!("{l} {r}"), out);
    vec![
        good(op("erf", "2xf32", "2xf32")),
        bad("C1", op("erf", "2xf32", "3xf32")),
        good(op("is_inf", "2xf32", "2xi1")),
        good(broadcast("2x3xf32", "3xf32", "2x3xf32")),
        good(broadcast("2x1xf32", "1x3xf32", "2x3xf32")),
        bad("shape", broadcast("2x3xf32", "2xf32", "2x3xf32")),
        good(broadcast("2x3xf32", "2xf32", "2x3xf32").ints("broadcast_dimensions", &[0])),
        good(op("top_k", "2x5xf32", "2x3xf32 2x3xi32").with("k", A::I64(3))),
        bad("shape", op("top_k", "2x5xf32", "2x6xf32 2x6xi32").with("k", A::I64(6))),
        good(op("broadcast_select", "i1 2x1xf32 3xf32", "2x3xf32")),
        good(op("broadcast", "3xf32", "2x3xf32").ints("broadcast_sizes", &[2])),
        bad("shape", op("broadcast", "3xf32", "3x2xf32").ints("broadcast_sizes", &[2])),
        good(op("torch_index_select", "5x3xf32 2xi32", "2x3xf32").with("dim", A::I64(0)).with("batch_dims", A::I64(0))),
        good(op("set_dimension_size", "5x3xf32 i32", "5x?xf32").with("dimension", A::I64(1))),
        good(op("real_dynamic_slice", "5xf32 1xi32 1xi32 1xi32", "?xf32")),
        bad("shape", op("real_dynamic_slice", "5xf32 2xi32 1xi32 1xi32", "?xf32")),
        good(op("cross-replica-sum", "2xf32", "2xf32").with("replica_groups", A::Rows(vec![vec![0, 1]]))),
    ]
}

pub fn cases() -> Cases {
    [communication(), control(), calls(), others()].concat()
}
