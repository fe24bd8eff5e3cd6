//! What runs a program: the compiler's plan, or the reference evaluator for what the compiler leaves out.
//!
//! That is two things. Regions that run once for each device of a mesh (`sdy.manual_computation`, from `shard_map` and
//! `pmap`, or what is between the custom calls that stood for them before): the evaluator runs their bodies side by side
//! and lets them meet for collectives. And programs with values that are no plain arrays: quantized numbers, sizes that
//! are only known when the program runs, tuples. No framework sends them to a CPU, which has no kernels for them either.
//! Evaluation is slow and right.

use crate::custom_calls::{EvaluatedCalls, RegisteredCalls};
use crate::sharding::SpreadValues;
use cpu_compiler::{Cost, Error, ErrorKind, Executable, Launch, MemoryUse, Options, Result};
use cpu_runtime::Block;
use stablehlo::eval::{Evaluator, Grid, Tensor, Value};
use stablehlo::ir::{Module, OpCode, OpId, OpRef, Type};
use std::sync::Arc;

/// A program that is ready to run.
pub(crate) enum Engine {
    /// By its plan.
    Compiled(Box<Executable>),
    /// Op by op.
    Evaluated(Evaluated),
}

/// A program for the reference evaluator.
pub(crate) struct Evaluated {
    module: Arc<Module>,
    calls: Arc<EvaluatedCalls>,
    /// How many processes run it side by side, each on whole arrays, of which custom calls take its own block.
    processes: u32,
}

impl Engine {
    /// Makes a program for `devices` devices ready.
    pub(crate) fn new(module: &Arc<Module>, devices: usize) -> Result<Engine> {
        let mut ops = (0..module.num_ops()).map(|index| module.op(OpId::from_index(index)));
        if devices > 1 && ops.clone().any(takes_own_block) {
            return Evaluated::new(module, devices as u32).map(Engine::Evaluated);
        }
        if devices > 1 && ops.any(|op| op.code() == OpCode::SdyManualComputation) {
            return Evaluated::new(module, 1).map(Engine::Evaluated);
        }
        let spread = (devices > 1).then(|| SpreadValues::of(module, devices));
        let options = Options { custom_calls: &RegisteredCalls { spread: spread.as_ref() }, explained: false };
        match Executable::compile(module.clone(), &options) {
            Ok(executable) => Ok(Engine::Compiled(Box::new(executable))),
            Err(error) if error.kind == ErrorKind::Unsupported && !has_plain_arrays_only(module) => {
                Evaluated::new(module, 1).map(Engine::Evaluated).map_err(|_| error)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether a run is so short that handing it to another thread costs more than it.
    pub(crate) fn is_short(&self) -> bool {
        matches!(self, Engine::Compiled(executable) if executable.is_short())
    }

    /// What a run costs; nothing is known of evaluated programs.
    pub(crate) fn cost(&self) -> Option<Cost> {
        match self {
            Engine::Compiled(executable) => Some(executable.cost()),
            Engine::Evaluated(_) => None,
        }
    }

    /// What memory a run takes beside arguments and results, as far as it is known.
    pub(crate) fn memory(&self) -> MemoryUse {
        match self {
            Engine::Compiled(executable) => executable.memory(),
            Engine::Evaluated(_) => MemoryUse::default(),
        }
    }

    /// Runs the program; one block for each result.
    pub(crate) fn run(&self, launch: Launch<'_>) -> Result<Vec<Block>> {
        match self {
            Engine::Compiled(executable) => executable.run(launch),
            Engine::Evaluated(evaluated) => evaluated.run(&launch),
        }
    }
}

/// Whether an op is where the work of one device begins or ends, as programs said it before `sdy.manual_computation`.
fn takes_own_block(op: OpRef<'_>) -> bool {
    op.code() == OpCode::CustomCall
        && matches!(op.string("call_target_name"), Ok("SPMDFullToShardShape" | "SPMDShardToFullShape"))
}

/// Whether all values are arrays, of plain numbers and known sizes, or tokens.
fn has_plain_arrays_only(module: &Module) -> bool {
    let is_plain = |ty| match module.ty(ty) {
        Type::Tensor(tensor) => tensor.element_type().is_some() && tensor.num_elements().is_some(),
        Type::Token => true,
        _ => false,
    };
    (0..module.num_ops()).all(|index| module.op(OpId::from_index(index)).result_types().all(is_plain))
}

impl Evaluated {
    fn new(module: &Arc<Module>, processes: u32) -> Result<Evaluated> {
        let calls = Arc::new(EvaluatedCalls::bind(module)?);
        let evaluated = Evaluated { module: module.clone(), calls, processes };
        // What the evaluator does not support is an error now and not at the first launch.
        evaluated.evaluator(None)?;
        Ok(evaluated)
    }

    fn evaluator(&self, context: Option<Arc<crate::custom_calls::CallContext>>) -> Result<Evaluator> {
        Ok(Evaluator::new(self.module.clone(), &self.calls.registry(context))?)
    }

    fn run(&self, launch: &Launch<'_>) -> Result<Vec<Block>> {
        let context = launch.context.and_then(|context| context.downcast_ref::<crate::custom_calls::CallContext>());
        let evaluator = self.evaluator(context.map(|context| Arc::new(context.share())))?;
        let main = self.module.function("main").ok_or_else(|| Error::invalid("the program has no function main"))?;
        let mut inputs = Vec::with_capacity(launch.arguments.len());
        for (argument, &ty) in launch.arguments.iter().zip(main.input_types()) {
            let ty = cpu_compiler::ArrayType::of(&self.module, ty)?;
            inputs.push(match ty.element {
                None => Value::Token,
                Some(element) => Tensor::from_bytes(element, &ty.dims, argument.bytes())
                    .map(Value::from)
                    .map_err(|error| Error::invalid(error.to_string()))?,
            });
        }
        let results = match self.processes {
            1 => evaluator.run_as(launch.process, launch.cancelled, inputs)?,
            // All end with the same whole arrays.
            processes => {
                let grid = Grid { num_replicas: 1, num_partitions: processes };
                evaluator.run_all(grid, launch.cancelled, vec![inputs; processes as usize])?.swap_remove(0)
            }
        };
        let store = |value: Value| {
            let bytes = match &value {
                Value::Tensor(tensor) => tensor.bytes(),
                _ => &[],
            };
            let mut block = launch.budget.allocate(bytes.len())?;
            block.bytes_mut().copy_from_slice(bytes);
            Ok(block)
        };
        results.into_iter().map(store).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu_compiler::Argument;
    use cpu_runtime::{Budget, Pool};

    fn engine(text: &str) -> Result<Engine> {
        Engine::new(&Arc::new(stablehlo::read_program(text.as_bytes()).unwrap()), 1)
    }

    #[test]
    fn values_that_are_no_plain_arrays_are_evaluated() {
        let quantized = "!quant.uniform<i8:f32, 5.0e-01:1>";
        let programs = [
            format!(
                "%q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x{quantized}>
                 %y = stablehlo.uniform_dequantize %q : (tensor<3x{quantized}>) -> tensor<3xf32>"
            ),
            "%t = stablehlo.tuple %x, %x : tuple<tensor<3xf32>, tensor<3xf32>>
             %y = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<3xf32>>) -> tensor<3xf32>"
                .to_owned(),
            "%n = stablehlo.constant dense<3> : tensor<1xi32>
             %d = stablehlo.dynamic_reshape %x, %n : (tensor<3xf32>, tensor<1xi32>) -> tensor<?xf32>
             %y = stablehlo.dynamic_reshape %d, %n : (tensor<?xf32>, tensor<1xi32>) -> tensor<3xf32>"
                .to_owned(),
        ];
        let x: Vec<u8> = [1.5f32, -2.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        for program in programs {
            let text = format!(
                "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{ {program} return %y : tensor<3xf32> }}"
            );
            let engine = engine(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(matches!(engine, Engine::Evaluated(_)) && !engine.is_short());
            let (pool, budget) = (Pool::new(1), Budget::new(1 << 20));
            let results = engine.run(Launch::new(vec![Argument::Borrowed(&x)], &pool, &budget)).unwrap();
            assert_eq!(results[0].bytes(), x, "{text}");
        }
    }

    #[test]
    fn what_is_between_calls_for_shards_runs_once_for_each_device() {
        let text = r#"func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
            %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xi32>) -> tensor<4xi32>
            %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xi32>) -> tensor<2xi32>
            %2 = stablehlo.partition_id : tensor<ui32>
            %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
            %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<2xi32>
            %5 = stablehlo.add %1, %4 : tensor<2xi32>
            %6 = stablehlo.custom_call @Sharding(%5) {mhlo.sharding = "{manual}"} : (tensor<2xi32>) -> tensor<2xi32>
            %7 = stablehlo.custom_call @SPMDShardToFullShape(%6) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xi32>) -> tensor<4xi32>
            return %7 : tensor<4xi32>
        }"#;
        let module = Arc::new(stablehlo::read_program(text.as_bytes()).unwrap());
        let engine = Engine::new(&module, 2).unwrap_or_else(|error| panic!("{error}"));
        let x: Vec<u8> = [10i32, 20, 30, 40].iter().flat_map(|x| x.to_le_bytes()).collect();
        let (pool, budget) = (Pool::new(1), Budget::new(1 << 20));
        let results = engine.run(Launch::new(vec![Argument::Borrowed(&x)], &pool, &budget)).unwrap();
        let expected: Vec<u8> = [10i32, 20, 31, 41].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(results[0].bytes(), expected);
    }

    #[test]
    fn what_neither_knows_is_refused_as_by_the_compiler() {
        let call =
            "%y = stablehlo.custom_call @nobody(%q) : (tensor<3x!quant.uniform<i8:f32, 5.0e-01>>) -> tensor<3xf32>";
        let text = format!(
            "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
             %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 5.0e-01>>
             {call} return %y : tensor<3xf32> }}"
        );
        let error = engine(&text).err().unwrap();
        assert_eq!(error.kind, ErrorKind::Unsupported);
        assert!(error.message.contains("quant"), "{error}");
    }
}
