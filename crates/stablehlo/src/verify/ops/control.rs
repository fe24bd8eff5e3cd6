//! Control flow and the plumbing of values: `if`, `case`, `while`, tuples, tokens, calls of other programs.

use super::super::check::{Check, Inferred, demand, require};
use super::super::region::FunctionType;
use super::super::shape;
use crate::ElementType;
use crate::ir::{Attr, AttrId, Element, OpCode, Type, TypeId};
use crate::text::print_attr;

fn same_types(cx: &Check<'_, '_>, a: &[TypeId], b: &[TypeId]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| shape::compatible_types(cx.m, a, b))
}

fn texts(cx: &Check<'_, '_>, types: &[TypeId]) -> String {
    let texts: Vec<String> = types.iter().take(8).map(|&t| cx.text(t)).collect();
    format!("({}{})", texts.join(", "), if types.len() > 8 { ", ..." } else { "" })
}

fn no_inputs(cx: &mut Check<'_, '_>, index: usize, function: &FunctionType, id: &'static str) {
    require!(cx, id, function.inputs.is_empty(), "function {index} takes {} values and not 0", function.inputs.len());
}

/// `if`.
pub(crate) fn if_op(cx: &mut Check<'_, '_>) -> Option<()> {
    let (yes, no) = (cx.function(0, "C1")?, cx.function(1, "C1")?);
    no_inputs(cx, 0, &yes, "C1");
    no_inputs(cx, 1, &no, "C1");
    let same = same_types(cx, &yes.outputs, &no.outputs);
    require!(cx, "C2", same, "the branches return {} and {}", texts(cx, &yes.outputs), texts(cx, &no.outputs));
    cx.results_like(&yes.outputs, "C3");
    Some(())
}

/// `case`.
pub(crate) fn case(cx: &mut Check<'_, '_>) -> Option<()> {
    let count = cx.op.regions().len();
    demand!(cx, "C1", count > 0, "there are no branches");
    let first = cx.function(0, "C2")?;
    no_inputs(cx, 0, &first, "C2");
    for i in 1..count {
        let branch = cx.function(i, "C2")?;
        no_inputs(cx, i, &branch, "C2");
        let same = same_types(cx, &branch.outputs, &first.outputs);
        require!(
            cx,
            "C3",
            same,
            "branch {i} returns {} and branch 0 {}",
            texts(cx, &branch.outputs),
            texts(cx, &first.outputs)
        );
    }
    cx.results_like(&first.outputs, "C4");
    Some(())
}

/// `while`.
pub(crate) fn while_op(cx: &mut Check<'_, '_>) -> Option<()> {
    let types: Vec<TypeId> = cx.op.operand_types().collect();
    let (cond, body) = (cx.function(0, "C1")?, cx.function(1, "C2")?);
    let same = same_types(cx, &cond.inputs, &types);
    require!(cx, "C1", same, "cond takes {} and the operands are {}", texts(cx, &cond.inputs), texts(cx, &types));
    let bool_result =
        cond.outputs.len() == 1 && cx.scalar_element(cond.outputs[0]) == Some(Element::Plain(ElementType::Bool));
    require!(cx, "C1", bool_result, "cond returns {} and not (tensor<i1>)", texts(cx, &cond.outputs));
    let same = same_types(cx, &body.inputs, &types) && same_types(cx, &body.outputs, &types);
    require!(
        cx,
        "C2",
        same,
        "body takes {} and returns {}, and the operands are {}",
        texts(cx, &body.inputs),
        texts(cx, &body.outputs),
        texts(cx, &types)
    );
    cx.results_like(&types, "C3");
    Some(())
}

/// `optimization_barrier`.
pub(crate) fn optimization_barrier(cx: &mut Check<'_, '_>) -> Option<()> {
    let types: Vec<TypeId> = cx.op.operand_types().collect();
    cx.results_like(&types, "C1");
    Some(())
}

/// `after_all`, `create_token` and `outfeed`: one token.
pub(crate) fn token(cx: &mut Check<'_, '_>) -> Option<()> {
    cx.result_is(0, Inferred::Token, "O1");
    Some(())
}

/// Two tensors that a test expects to be alike.
pub(crate) fn expectation(cx: &mut Check<'_, '_>) -> Option<()> {
    cx.merge_tensors(cx.op.operands(), "type").map(|_| ())
}

/// A tensor that a test expects to be like a constant.
pub(crate) fn constant_expectation(cx: &mut Check<'_, '_>) -> Option<()> {
    let ty = super::creation::elements_type(cx.op.attr("value")?)?;
    let found = cx.ty(*cx.op.operands().first()?);
    let same = shape::compatible_types(cx.m, found, ty);
    require!(cx, "type", same, "the value is {} and is compared with {}", cx.text(found), cx.text(ty));
    Some(())
}

/// `tuple`.
pub(crate) fn tuple(cx: &mut Check<'_, '_>) -> Option<()> {
    let types = cx.op.operand_types().collect();
    cx.result_is(0, Inferred::Tuple(types), "C1");
    Some(())
}

/// `get_tuple_element`.
pub(crate) fn get_tuple_element(cx: &mut Check<'_, '_>) -> Option<()> {
    let index = cx.op.int("index").ok()?;
    let Type::Tuple(types) = cx.m.ty(cx.ty(*cx.op.operands().first()?)) else { return None };
    if !cx.in_range("C1", "index", &[index], types.len()) {
        return None;
    }
    cx.result_like(0, types[index as usize], "C2");
    Some(())
}

/// `[a-zA-Z][a-zA-Z0-9_]*` followed by one or more of `.` and `[a-zA-Z0-9_$]+`.
fn is_namespaced(name: &str) -> bool {
    let mut parts = name.split('.');
    let head = parts.next().unwrap_or("");
    let head_ok = head.starts_with(|c: char| c.is_ascii_alphabetic())
        && head.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let mut rest = parts.peekable();
    head_ok
        && rest.peek().is_some()
        && rest.all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$'))
}

/// `composite`.
pub(crate) fn composite(cx: &mut Check<'_, '_>) -> Option<()> {
    let name = cx.op.string("name").ok()?;
    require!(cx, "C1", is_namespaced(name), "the name {name:?} is not of the form namespace.name");
    let symbol = cx.op.symbol("decomposition").ok()?;
    callee(cx, symbol, ["C2", "C3", "C4"])
}

/// A function is called with the operands and gives the results.
fn callee(cx: &mut Check<'_, '_>, symbol: &str, ids: [&'static str; 3]) -> Option<()> {
    let function = cx
        .sink
        .scope
        .zip(cx.m.find_str(symbol))
        .and_then(|key| cx.sink.symbols.get(&key).copied())
        .and_then(|op| cx.m.as_function(op));
    demand!(cx, ids[0], function.is_some(), "@{symbol} is no function of the module");
    let function = function?;
    let operands: Vec<TypeId> = cx.op.operand_types().collect();
    let (inputs, outputs) = (function.input_types(), function.result_types());
    let same = same_types(cx, &operands, inputs);
    require!(cx, ids[1], same, "@{symbol} takes {} and is given {}", texts(cx, inputs), texts(cx, &operands));
    cx.results_like(outputs, ids[2]);
    Some(())
}

/// `func.call`.
pub(crate) fn call(cx: &mut Check<'_, '_>) -> Option<()> {
    let Ok(symbol) = cx.op.symbol("callee") else {
        cx.fail("symbol", format_args!("the attribute `callee` is no flat symbol reference"));
        return None;
    };
    callee(cx, symbol, ["symbol", "operands", "results"])
}

/// `custom_call`: the symbols it names and the layouts and aliases it states.
pub(crate) fn custom_call(cx: &mut Check<'_, '_>) -> Option<()> {
    if cx.inferring() {
        cx.given_result(0)?;
    }
    for &computation in cx.op.array_or_empty("called_computations").ok()? {
        let Attr::SymbolRef { root, .. } = cx.m.attr(computation) else { continue };
        let known = cx.sink.scope.is_some_and(|scope| cx.sink.symbols.contains_key(&(scope, *root)));
        require!(cx, "symbol", known, "called_computations names @{}, which is not defined", cx.m.str(*root));
    }
    // 4 is the typed interface, whose configuration is a dictionary; the others take text.
    let typed = cx.op.int_or("api_version", 1).ok()? == 4;
    match cx.op.attr("backend_config") {
        Some(Attr::Dict(_)) => {
            require!(cx, "I4", typed, "backend_config is a dictionary, which only api_version 4 takes")
        }
        Some(_) => require!(cx, "I4", !typed, "backend_config must be a dictionary for api_version 4"),
        None => {}
    }
    let has = |name: &str| cx.op.attr(name).is_some();
    let (operand_layouts, result_layouts) = (has("operand_layouts"), has("result_layouts"));
    // An empty list need not be stated.
    let (no_operands, no_results) = (cx.op.operands().is_empty(), cx.op.results().is_empty());
    let both = (operand_layouts || no_operands) == (result_layouts || no_results);
    let only_one = !both && (operand_layouts || result_layouts);
    require!(cx, "layout", !only_one, "layouts are stated only for operands or only for results");
    if !only_one && (operand_layouts || result_layouts) {
        let count = cx.op.operands().len();
        let layouts = cx.op.array_or_empty("operand_layouts").map_or(0, <[_]>::len);
        require!(cx, "layout", layouts == count, "there are {layouts} operand layouts and {count} operands");
        // One result that is a tuple has a layout for each of its elements.
        let results: Vec<TypeId> = match cx.op.results() {
            [one] => match cx.m.ty(cx.ty(*one)) {
                Type::Tuple(types) => types.to_vec(),
                _ => vec![cx.ty(*one)],
            },
            many => many.iter().map(|&v| cx.ty(v)).collect(),
        };
        let layouts = cx.op.array_or_empty("result_layouts").map_or(0, <[_]>::len);
        require!(
            cx,
            "layout",
            layouts == results.len(),
            "there are {layouts} result layouts and {} results",
            results.len()
        );
        let operands: Vec<TypeId> = cx.op.operand_types().collect();
        layouts_fit(cx, "operand_layouts", &operands);
        layouts_fit(cx, "result_layouts", &results);
    }
    for &alias in cx.op.array_or_empty("output_operand_aliases").ok()? {
        check_alias(cx, alias);
    }
    Some(())
}

/// Each layout is a permutation of the dimensions of its tensor; what is no tensor has none.
fn layouts_fit(cx: &mut Check<'_, '_>, name: &str, types: &[TypeId]) {
    let Ok(layouts) = cx.op.array_or_empty(name) else { return };
    for (i, (&layout, &ty)) in layouts.iter().zip(types).enumerate() {
        let Attr::DenseElements(dense) = cx.m.attr(layout) else {
            cx.fail("layout", format_args!("{name}[{i}] is no tensor of dimension numbers"));
            continue;
        };
        let rank = cx.m.ty(ty).as_tensor().map_or(0, crate::ir::TensorType::rank);
        let count = cx.m.num_elements(dense.ty()).filter(|&n| n == rank);
        let numbers = count.and_then(|n| dense.to_i64s(n));
        let fits = numbers
            .is_some_and(|n| n.iter().all(|&d| d >= 0 && d < rank as i64) && shape::first_duplicate(&n).is_none());
        require!(
            cx,
            "layout",
            fits || rank == 0 && dense.data().is_empty(),
            "{name}[{i}] does not order the {rank} dimensions of {}",
            cx.text(ty)
        );
    }
}

fn check_alias(cx: &mut Check<'_, '_>, alias: crate::ir::AttrId) {
    let Attr::OutputOperandAlias(alias) = cx.m.attr(alias) else {
        cx.fail("I7", format_args!("output_operand_aliases holds something else than an alias"));
        return;
    };
    let operand = usize::try_from(alias.operand_index).ok().and_then(|i| cx.op.operands().get(i));
    let results = cx.op.results();
    let descend = |mut ty: TypeId, path: &[i64]| {
        for &step in path {
            let Type::Tuple(types) = cx.m.ty(ty) else { return None };
            ty = *usize::try_from(step).ok().and_then(|i| types.get(i))?;
        }
        Some(ty)
    };
    let from = operand.and_then(|&v| descend(cx.ty(v), &alias.operand_tuple_indices));
    // Of several results, or of one tuple, the path begins with the index.
    let to = match results {
        [one] => descend(cx.ty(*one), &alias.output_tuple_indices),
        many => alias.output_tuple_indices.split_first().and_then(|(&first, rest)| {
            let value = usize::try_from(first).ok().and_then(|i| many.get(i))?;
            descend(cx.ty(*value), rest)
        }),
    };
    let (Some(from), Some(to)) = (from, to) else {
        cx.fail("I7", format_args!("an alias of operand {} leads nowhere", alias.operand_index));
        return;
    };
    let same = shape::compatible_types(cx.m, from, to);
    require!(cx, "I7", same, "an alias joins {} and {}", cx.text(from), cx.text(to));
}

/// `func.return`, `stablehlo.return`, `sdy.return`: what they end; see `structure.rs` for where they stand.
pub(crate) fn func_return(cx: &mut Check<'_, '_>) -> Option<()> {
    let function = cx.op.parent_op().and_then(|op| cx.m.as_function(op));
    demand!(cx, "terminator", function.is_some(), "stands outside of a function");
    let function = function?;
    let types: Vec<TypeId> = cx.op.operand_types().collect();
    let expected = function.result_types();
    let same = same_types(cx, &types, expected);
    require!(
        cx,
        "results",
        same,
        "returns {} from @{}, which declares {}",
        texts(cx, &types),
        function.name(),
        texts(cx, expected)
    );
    Some(())
}

/// `func.func`.
pub(crate) fn func(cx: &mut Check<'_, '_>) -> Option<()> {
    let function = cx.m.as_function(cx.op.id())?;
    let named = matches!(cx.op.attr("sym_name"), Some(Attr::String(_)));
    require!(cx, "symbol", named, "the function has no name");
    let typed =
        matches!(cx.op.attr("function_type"), Some(Attr::Type(ty)) if matches!(cx.m.ty(*ty), Type::Function { .. }));
    demand!(cx, "type", typed, "the attribute `function_type` is no function type");
    demand!(cx, "regions", cx.op.regions().len() == 1, "a function has one region, found {}", cx.op.regions().len());
    for (name, count) in [("arg_attrs", function.input_types().len()), ("res_attrs", function.result_types().len())] {
        match cx.op.attr(name) {
            None => {}
            Some(Attr::Array(items)) => {
                require!(
                    cx,
                    "attribute",
                    items.is_empty() || items.len() == count,
                    "{name} has {} entries and not {count}",
                    items.len()
                );
            }
            Some(other) => cx.fail("attribute", format_args!("{name} must be an array, found {}", other.kind())),
        }
    }
    if let Some(entry) = function.entry() {
        let args: Vec<TypeId> = entry.arg_types().collect();
        let same = args == function.input_types();
        require!(
            cx,
            "operands",
            same,
            "the body takes {} and the type says {}",
            texts(cx, &args),
            texts(cx, function.input_types())
        );
    } else {
        let private = function.visibility() == "private";
        require!(cx, "regions", private, "the function has no body and is not private");
    }
    require!(
        cx,
        "results",
        cx.op.results().is_empty() && cx.op.operands().is_empty(),
        "a function has neither operands nor results"
    );
    Some(())
}

/// `builtin.module`.
pub(crate) fn module(cx: &mut Check<'_, '_>) -> Option<()> {
    demand!(
        cx,
        "regions",
        cx.op.regions().len() == 1 && cx.op.region_block(0).is_some(),
        "a module has one region with one block"
    );
    Some(())
}

/// Casts that some versions leave between dialects.
pub(crate) fn cast(cx: &mut Check<'_, '_>) -> Option<()> {
    require!(
        cx,
        "results",
        cx.op.code() == OpCode::BuiltinUnrealizedConversionCast && !cx.op.results().is_empty(),
        "a cast has results"
    );
    Some(())
}

/// `interpreter.run_parallel`: a function for each process, whose inputs and results are those of the op.
pub(crate) fn run_parallel(cx: &mut Check<'_, '_>) -> Option<()> {
    let (op, m) = (cx.op, cx.m);
    let function = |id: AttrId| match m.attr(id) {
        Attr::SymbolRef { root, .. } => m.functions().find(|f| f.name() == m.str(*root)),
        _ => None,
    };
    let rows = op.array_or_empty("programs").ok()?;
    let rows: Option<Vec<&[AttrId]>> = rows
        .iter()
        .map(|&row| match m.attr(row) {
            Attr::Array(row) => Some(&row[..]),
            _ => None,
        })
        .collect();
    let partitions = rows.as_ref().and_then(|rows| rows.first()).map_or(0, |row| row.len());
    demand!(
        cx,
        "programs",
        partitions > 0 && rows.as_ref().is_some_and(|rows| rows.iter().all(|row| row.len() == partitions)),
        "programs must have a list of functions, equally long, for each replica"
    );
    let (mut inputs, mut results) = (Vec::new(), Vec::new());
    for &id in rows?.into_iter().flatten() {
        let program = function(id);
        demand!(cx, "programs", program.is_some(), "there is no function {}", print_attr(m, id));
        inputs.extend_from_slice(program?.input_types());
        results.extend_from_slice(program?.result_types());
    }
    let given: Vec<TypeId> = op.operand_types().collect();
    let same = same_types(cx, &given, &inputs);
    require!(cx, "inputs", same, "the programs take {} and the operands are {}", texts(cx, &inputs), texts(cx, &given));
    let given: Vec<TypeId> = op.result_types().collect();
    let same = same_types(cx, &given, &results);
    require!(
        cx,
        "results",
        same,
        "the programs give {} and the results are {}",
        texts(cx, &results),
        texts(cx, &given)
    );
    let infeed = op.array_or_empty("infeed").ok()?;
    require!(cx, "infeed", op.attr("infeed").is_none() || !infeed.is_empty(), "infeed names no function");
    for &id in infeed {
        let types = function(id).map(|f| f.result_types());
        let fits = types.is_some_and(|types| matches!(types, [ty] if m.ty(*ty).as_tensor().is_some()));
        require!(cx, "infeed", fits, "{} is no function that gives one tensor", print_attr(m, id));
    }
    Some(())
}
