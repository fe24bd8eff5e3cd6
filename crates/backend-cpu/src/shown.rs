//! A program as it is shown to frameworks, which translate it to HLO: without what is never computed, since nobody uses
//! it; and what they cannot translate as what stands for it there: ops of CHLO as calls of their names, regions for each device as
//! calls at whose place the shapes change.

use stablehlo::ir::{Dialect, Module, OpCode, OpId, OpSpec, TypeId, ValueId};
use std::collections::HashMap;

/// The text of a program.
pub(crate) fn text(module: &Module) -> String {
    let mut module = module.clone();
    call_chlo(&mut module);
    drop_unused(&mut module);
    let regions: Vec<OpId> =
        module.walk(module.root()).filter(|&op| module.op(op).code() == OpCode::SdyManualComputation).collect();
    let mut instead = HashMap::new();
    // Outer ones first, so that inner ones stand outside by their turn.
    for op in regions {
        open(&mut module, op, &mut instead);
    }
    module.replace_values(|value| instead.get(&value).copied().unwrap_or(value));
    stablehlo::text::print(&module, &stablehlo::text::PrintOptions::default())
}

/// Puts StableHLO's ops in the place of those of CHLO that are the same, and calls in the place of all others without regions.
fn call_chlo(module: &mut Module) {
    let is_chlo = |op: &OpId| {
        let op = module.op(*op);
        op.code().dialect() == Dialect::Chlo && op.regions().is_empty() && op.code() != OpCode::ChloConstant
    };
    let ops: Vec<OpId> = module.walk(module.root()).filter(is_chlo).collect();
    let mut instead = HashMap::new();
    for id in ops {
        let op = module.op(id);
        let (operands, types, results) =
            (op.operands().to_vec(), op.result_types().collect::<Vec<_>>(), op.results().to_vec());
        let name = op.name().to_owned();
        let new = match op.code() {
            OpCode::ChloTan => module.new_op(OpSpec::new(OpCode::Tan).operands(&operands).results(&types)),
            OpCode::ChloSquare => {
                let twice = [operands[0], operands[0]];
                module.new_op(OpSpec::new(OpCode::Multiply).operands(&twice).results(&types))
            }
            _ => {
                let target = [module.named("call_target_name", |module| module.string_attr(&name))];
                module.new_op(OpSpec::new(OpCode::CustomCall).operands(&operands).results(&types).attrs(&target))
            }
        };
        module.insert_before(id, new);
        instead.extend(results.into_iter().zip(module.op(new).results().to_vec()));
        module.detach_op(id);
    }
    module.replace_values(|value| instead.get(&value).copied().unwrap_or(value));
}

/// Drops ops that nobody uses, and then those that only these used. What has regions or effects, or speaks to other
/// devices, stays.
fn drop_unused(module: &mut Module) {
    let mut uses = module.use_counts();
    let ops: Vec<OpId> = module.walk(module.root()).collect();
    for id in ops.into_iter().rev() {
        let op = module.op(id);
        if op.code().dialect() != Dialect::Stablehlo || op.results().is_empty() || !op.regions().is_empty() {
            continue;
        }
        let has_effect = match op.code() {
            OpCode::CustomCall => op.bool_or("has_side_effect", false).unwrap_or(true),
            OpCode::Infeed | OpCode::Outfeed | OpCode::Send | OpCode::Recv | OpCode::Rng => true,
            _ => op.attr("replica_groups").is_some() || op.attr("source_target_pairs").is_some(),
        };
        if !has_effect && op.results().iter().all(|value| uses[value.index()] == 0) {
            op.operands().iter().for_each(|value| uses[value.index()] -= 1);
            module.detach_op(id);
        }
    }
}

/// Puts the ops of a region in the place of the op that has it. What is to be used `instead` of its values goes there.
fn open(module: &mut Module, manual: OpId, instead: &mut HashMap<ValueId, ValueId>) {
    let op = module.op(manual);
    let Some(body) = op.region_block(0) else { return };
    let (operands, results, arguments) = (op.operands().to_vec(), op.results().to_vec(), body.args().to_vec());
    let ops: Vec<OpId> = body.ops().collect();
    let returned = body.terminator().map(|end| (end.id(), end.operands().to_vec()));
    for (operand, argument) in operands.into_iter().zip(arguments) {
        let ty = module.value_type(argument);
        instead.insert(argument, call(module, manual, "SPMDFullToShardShape", "{manual}", operand, ty));
    }
    for op in ops.into_iter().filter(|&op| returned.as_ref().is_none_or(|(end, _)| *end != op)) {
        module.detach_op(op);
        module.insert_before(manual, op);
    }
    let returned = returned.map_or_else(Vec::new, |(_, values)| values);
    for (result, value) in results.into_iter().zip(returned) {
        let ty = module.value_type(result);
        instead.insert(result, call(module, manual, "SPMDShardToFullShape", "{replicated}", value, ty));
    }
    module.detach_op(manual);
}

/// A call that changes a value to the shape of one device, or back.
fn call(module: &mut Module, before: OpId, target: &str, sharding: &str, value: ValueId, ty: TypeId) -> ValueId {
    let attributes = [
        module.named("call_target_name", |module| module.string_attr(target)),
        module.named("mhlo.sharding", |module| module.string_attr(sharding)),
    ];
    let spec = OpSpec::new(OpCode::CustomCall).operands(std::slice::from_ref(&value));
    let call = module.new_op(spec.results(std::slice::from_ref(&ty)).attrs(&attributes));
    module.insert_before(before, call);
    module.op(call).results()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_uses_is_not_shown_unless_it_has_effects() {
        let program = r#"func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
            %0 = stablehlo.add %a, %a : tensor<4xf32>
            %1 = stablehlo.multiply %0, %a : tensor<4xf32>
            %2 = stablehlo.negate %a : tensor<4xf32>
            stablehlo.custom_call @sink(%2) {has_side_effect = true} : (tensor<4xf32>) -> ()
            %3 = stablehlo.custom_call @seen(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<f32>
            %4 = stablehlo.custom_call @unseen(%a) : (tensor<4xf32>) -> tensor<f32>
            return %a : tensor<4xf32>
          }"#;
        let shown = text(&stablehlo::read_program(program.as_bytes()).unwrap());
        for (word, is_shown) in
            [("add", false), ("multiply", false), ("negate", true), ("@sink", true), ("@seen", true)]
        {
            assert_eq!(shown.contains(word), is_shown, "{word} in {shown}");
        }
        assert!(!shown.contains("unseen"), "{shown}");
    }

    #[test]
    fn ops_of_chlo_are_calls() {
        let program = r#"func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>) {
            %0 = chlo.square %a : tensor<4xf32> -> tensor<4xf32>
            %1 = chlo.erf_inv %0 : tensor<4xf32> -> tensor<4xf32>
            %2, %3 = chlo.top_k(%1, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
            return %1, %3 : tensor<4xf32>, tensor<2xi32>
          }"#;
        let shown = text(&stablehlo::read_program(program.as_bytes()).unwrap());
        let read = stablehlo::read_program(shown.as_bytes()).expect("what is shown is a program");
        let main = read.function("main").and_then(|main| main.entry()).expect("main");
        let ops: Vec<OpCode> = main.ops().map(|op| read.op(op).code()).collect();
        use OpCode::{CustomCall, FuncReturn, Multiply};
        assert_eq!(ops, [Multiply, CustomCall, CustomCall, FuncReturn], "{shown}");
        assert!(shown.contains("@chlo.erf_inv(%0)") && shown.contains("@chlo.top_k(%1)"), "{shown}");
    }

    #[test]
    fn regions_for_each_device_are_opened() {
        let program = r#"module {
          sdy.mesh @mesh = <["d"=2, "e"=2]>
          func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
            %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"d"}, {}]>] out_shardings=[<@mesh, [{"d"}, {}]>] manual_axes={"d"} (%b: tensor<2x4xf32>) {
              %1 = stablehlo.add %b, %b : tensor<2x4xf32>
              %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{}, {"e"}]>] out_shardings=[<@mesh, [{}, {"e"}]>] manual_axes={"e"} (%c: tensor<2x2xf32>) {
                sdy.return %c : tensor<2x2xf32>
              } : (tensor<2x4xf32>) -> tensor<2x4xf32>
              sdy.return %2 : tensor<2x4xf32>
            } : (tensor<4x4xf32>) -> tensor<4x4xf32>
            return %0 : tensor<4x4xf32>
          }
        }"#;
        let module = stablehlo::read_program(program.as_bytes()).expect("a program");
        let shown = text(&module);
        let read = stablehlo::read_program(shown.as_bytes()).expect("what is shown is a program");
        let main = read.function("main").and_then(|main| main.entry()).expect("main");
        let ops: Vec<OpCode> = main.ops().map(|op| read.op(op).code()).collect();
        use OpCode::{Add, CustomCall, FuncReturn};
        assert_eq!(ops, [CustomCall, Add, CustomCall, CustomCall, CustomCall, FuncReturn], "{shown}");
        assert!(
            shown.contains(
                r#"@SPMDFullToShardShape(%1) {mhlo.sharding = "{manual}"} : (tensor<2x4xf32>) -> tensor<2x2xf32>"#
            ),
            "{shown}"
        );
    }
}
