//! Compiled programs: what the compiler made of one, and what the framework asks about it.

use crate::device::MEMORY_KINDS;
use crate::engine::Engine;
use crate::sharding::Tiling;
use crate::signature::Signature;
use crate::{shown, xla_options};
use cpu_compiler::{Error, ErrorKind};
use pjrt_wrapper::client_trait::{
    Code, CompileOptions, CompiledMemoryStats, Layout, NamedValue, OpSharding, OptimizedProgram, PjrtExecutable,
    Program, Result, Shape, Status,
};
use stablehlo::ir::Module;
use std::sync::Arc;

/// A program that the machine can run.
pub(crate) struct CpuExecutable {
    pub(crate) signature: Signature,
    pub(crate) engine: Engine,
    /// The program as it was read, to be shown.
    module: Arc<Module>,
}

impl CpuExecutable {
    pub(crate) fn compile(program: &Program<'_>, options: &CompileOptions) -> Result<Self> {
        xla_options::check(options)?;
        let devices = options.num_partitions;
        if options.num_replicas != 1 {
            return Err(Status::unimplemented(format!(
                "a program for {} replicas: this backend runs programs over several devices as partitions of whole \
                 arrays (jit and shard_map over a mesh)",
                options.num_replicas
            )));
        }
        if devices > 1 && !options.use_spmd_partitioning {
            return Err(Status::invalid_argument(format!(
                "a program for {devices} partitions without SPMD partitioning"
            )));
        }
        if options.use_auto_spmd_partitioning {
            return Err(Status::unimplemented("shardings that the backend chooses by itself (AUTO)"));
        }
        let module =
            stablehlo::read_program(program.mlir()?).map_err(|error| Status::invalid_argument(error.to_string()))?;
        if program.unlowered
            && let Some(op) = cpu_compiler::foreign_op(&module)
        {
            return Err(Status::unimplemented(format!("{} as it is; jaxlib's passes take it apart", op.name())));
        }
        let signature = Signature::of(&module, devices)?;
        let module = Arc::new(module);
        let engine = Engine::new(&module, devices).map_err(status)?;
        Ok(CpuExecutable { signature, engine, module })
    }
}

/// An error of the compiler in PJRT's terms.
pub(crate) fn status(error: Error) -> Status {
    let code = match error.kind {
        ErrorKind::Invalid => Code::InvalidArgument,
        ErrorKind::Unsupported => Code::Unimplemented,
        ErrorKind::OutOfMemory => Code::ResourceExhausted,
        ErrorKind::Cancelled => Code::Cancelled,
        ErrorKind::CustomCall | ErrorKind::Internal => Code::Internal,
    };
    let hint = if error.kind == ErrorKind::OutOfMemory { crate::client::MEMORY_HINT } else { "" };
    Status::new(code, format!("{}{hint}", error.message))
}

fn kinds(indices: &[usize]) -> Option<Vec<String>> {
    Some(indices.iter().map(|&index| MEMORY_KINDS[index].0.to_owned()).collect())
}

/// The layouts, unless all are row-major.
fn layouts(layouts: &[Option<Layout>], shapes: &[Shape]) -> Option<Vec<Layout>> {
    let layout =
        |(layout, shape): (&Option<Layout>, &Shape)| layout.clone().unwrap_or_else(|| Layout::row_major(shape.rank()));
    let any = layouts.iter().any(Option::is_some);
    any.then(|| layouts.iter().zip(shapes).map(layout).collect())
}

fn shardings(values: &[(Shape, Tiling)]) -> Vec<OpSharding> {
    values.iter().map(|(_, tiling)| tiling.sharding.clone()).collect()
}

impl PjrtExecutable for CpuExecutable {
    fn name(&self) -> &str {
        &self.signature.name
    }

    fn parameters(&self) -> &[Shape] {
        &self.signature.parameters
    }

    fn outputs(&self) -> &[Shape] {
        &self.signature.outputs
    }

    fn donated_parameters(&self) -> &[usize] {
        &self.signature.donated
    }

    fn parameter_memory_kinds(&self) -> Option<Vec<String>> {
        kinds(&self.signature.parameter_kinds)
    }

    fn output_memory_kinds(&self) -> Option<Vec<String>> {
        kinds(&self.signature.output_kinds)
    }

    fn parameter_layouts(&self) -> Option<Vec<Layout>> {
        layouts(&self.signature.parameter_layouts, self.parameters())
    }

    fn output_layouts(&self) -> Option<Vec<Layout>> {
        layouts(&self.signature.output_layouts, self.outputs())
    }

    fn parameter_shardings(&self) -> Option<Vec<OpSharding>> {
        self.signature.spread.as_ref().map(|spread| shardings(&spread.parameters))
    }

    fn output_shardings(&self) -> Option<Vec<OpSharding>> {
        self.signature.spread.as_ref().map(|spread| shardings(&spread.outputs))
    }

    fn cost_analysis(&self) -> Result<Vec<NamedValue>> {
        let unknown = || Status::unimplemented("the cost of a program with regions that run once for each device");
        let cost = self.engine.cost().ok_or_else(unknown)?;
        Ok(vec![
            NamedValue::new("flops", cost.flops as f32),
            NamedValue::new("transcendentals", cost.transcendentals as f32),
            NamedValue::new("bytes accessed", cost.bytes_accessed as f32),
        ])
    }

    fn compiled_memory_stats(&self) -> Result<CompiledMemoryStats> {
        let bytes = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let total = |shapes: &[Shape]| shapes.iter().map(|shape| bytes(shape.byte_size())).sum::<i64>();
        let memory = self.engine.memory();
        let (argument_size, output_size) = (total(self.parameters()), total(self.outputs()));
        let (alias_size, temp_size) = (bytes(memory.aliased), bytes(memory.temporaries));
        let total_size = argument_size + output_size - alias_size + temp_size;
        Ok(CompiledMemoryStats {
            argument_size,
            output_size,
            alias_size,
            temp_size,
            peak_memory: total_size,
            total_size,
            total_allocation: total_size,
            indefinite_allocations: bytes(memory.constants),
            peak_unpadded_heap: total_size,
            ..CompiledMemoryStats::default()
        })
    }

    fn optimized_program(&self) -> Result<OptimizedProgram> {
        // Frameworks parse it, so it is the program and not the plan.
        Ok(OptimizedProgram { format: "mlir", code: shown::text(&self.module).into_bytes() })
    }
}
