//! `PJRT_Executable_*`: getters on a compiled program. What they lend lives as long as the executable.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::lent::{delete_lent_bytes, lend_bytes};
use crate::state::executable::ExecutableState;
use pjrt_client_trait::{PjrtExecutable, Result, Status};
use pjrt_sys as sys;
use std::sync::Arc;

fn get<B: Backend>(executable: *const sys::PJRT_Executable) -> Result<Arc<ExecutableState<B>>> {
    handle::get(executable)
}

/// `PJRT_Executable_Destroy`.
pub(crate) fn destroy<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Executable_Destroy_Args) -> Result<()> {
    handle::destroy::<ExecutableState<B>, _>(args.executable).map(drop)
}

/// `PJRT_Executable_Name`.
pub(crate) fn name<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Executable_Name_Args) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    args.executable_name = executable.name.as_ptr().cast();
    args.executable_name_size = executable.name.len();
    Ok(())
}

/// `PJRT_Executable_NumReplicas`.
pub(crate) fn num_replicas<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Executable_NumReplicas_Args) -> Result<()> {
    args.num_replicas = get::<B>(args.executable)?.origin.options.num_replicas;
    Ok(())
}

/// `PJRT_Executable_NumPartitions`.
pub(crate) fn num_partitions<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_NumPartitions_Args,
) -> Result<()> {
    args.num_partitions = get::<B>(args.executable)?.origin.options.num_partitions;
    Ok(())
}

/// `PJRT_Executable_NumOutputs`. Called before every launch.
pub(crate) fn num_outputs<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Executable_NumOutputs_Args) -> Result<()> {
    args.num_outputs = get::<B>(args.executable)?.num_outputs();
    Ok(())
}

/// `PJRT_Executable_SizeOfGeneratedCodeInBytes`.
pub(crate) fn size_of_generated_code<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
) -> Result<()> {
    args.size_in_bytes = get::<B>(args.executable)?.executable.size_of_generated_code();
    Ok(())
}

/// `PJRT_Executable_OutputElementTypes`.
pub(crate) fn output_element_types<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_OutputElementTypes_Args,
) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    args.output_types = executable.output_types.as_ptr().cast_mut();
    args.num_output_types = executable.output_types.len();
    Ok(())
}

/// `PJRT_Executable_OutputDimensions`.
pub(crate) fn output_dimensions<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_OutputDimensions_Args,
) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    args.num_outputs = executable.num_outputs();
    args.dims = executable.output_dims.as_ptr();
    args.dim_sizes = executable.output_ranks.as_ptr();
    Ok(())
}

/// `PJRT_Executable_OutputMemoryKinds`.
pub(crate) fn output_memory_kinds<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_OutputMemoryKinds_Args,
) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    let kinds = executable.output_memory_kinds();
    args.num_outputs = kinds.sizes.len();
    args.memory_kinds = kinds.pointers.as_ptr();
    args.memory_kind_sizes = kinds.sizes.as_ptr();
    Ok(())
}

/// `PJRT_Executable_ParameterMemoryKinds`.
pub(crate) fn parameter_memory_kinds<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_ParameterMemoryKinds_Args,
) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    let kinds = executable.parameter_memory_kinds();
    args.num_parameters = kinds.sizes.len();
    args.memory_kinds = kinds.pointers.as_ptr();
    args.memory_kind_sizes = kinds.sizes.as_ptr();
    Ok(())
}

/// `PJRT_Executable_Fingerprint`.
pub(crate) fn fingerprint<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Executable_Fingerprint_Args) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    let fingerprint = executable.fingerprint()?;
    args.executable_fingerprint = fingerprint.as_ptr().cast();
    args.executable_fingerprint_size = fingerprint.len();
    Ok(())
}

/// `PJRT_Executable_GetCostAnalysis`.
pub(crate) fn cost_analysis<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_GetCostAnalysis_Args,
) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    let cost = executable.cost_analysis()?;
    args.num_properties = cost.raw.len();
    args.properties = cost.raw.as_ptr();
    Ok(())
}

/// `PJRT_Executable_GetCompiledMemoryStats`.
pub(crate) fn compiled_memory_stats<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_GetCompiledMemoryStats_Args,
) -> Result<()> {
    let stats = get::<B>(args.executable)?.executable.compiled_memory_stats()?;
    args.generated_code_size_in_bytes = stats.generated_code_size;
    args.argument_size_in_bytes = stats.argument_size;
    args.output_size_in_bytes = stats.output_size;
    args.alias_size_in_bytes = stats.alias_size;
    args.temp_size_in_bytes = stats.temp_size;
    args.host_generated_code_size_in_bytes = stats.host_generated_code_size;
    args.host_argument_size_in_bytes = stats.host_argument_size;
    args.host_output_size_in_bytes = stats.host_output_size;
    args.host_alias_size_in_bytes = stats.host_alias_size;
    args.host_temp_size_in_bytes = stats.host_temp_size;
    args.peak_memory_in_bytes = stats.peak_memory;
    args.total_size_in_bytes = stats.total_size;
    args.total_allocation_bytes = stats.total_allocation;
    args.indefinite_allocations = stats.indefinite_allocations;
    args.peak_unpadded_heap_bytes = stats.peak_unpadded_heap;
    Ok(())
}

/// `PJRT_Executable_OptimizedProgram`: with a null `code` the size and format, with room the program itself.
pub(crate) fn optimized_program<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_Executable_OptimizedProgram_Args,
) -> Result<()> {
    let executable = get::<B>(args.executable)?;
    let mut wanted = c.structure(args.program)?;
    let program = executable.optimized_program()?;
    if program.code.len() > i32::MAX as usize {
        return Err(Status::resource_exhausted(format!(
            "the optimized program has {} bytes; the interface carries 2 GiB at most",
            program.code.len()
        )));
    }
    if wanted.code.is_null() {
        wanted.code_size = program.code.len();
        wanted.format = program.format.as_ptr().cast();
        wanted.format_size = program.format.len();
        // SAFETY: the caller's struct is at least as long as the first release, which has all these fields.
        unsafe { args.program.write_unaligned(wanted) };
        return Ok(());
    }
    if wanted.code_size < program.code.len() {
        return Err(Status::invalid_argument(format!(
            "the optimized program has {} bytes, but there is room for {}",
            program.code.len(),
            wanted.code_size
        )));
    }
    // SAFETY: the caller says that there is room for `code_size` bytes, which has just been found to be enough.
    unsafe { std::ptr::copy_nonoverlapping(program.code.as_ptr(), wanted.code.cast::<u8>(), program.code.len()) };
    Ok(())
}

/// `PJRT_Executable_Serialize`.
pub(crate) fn serialize<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Executable_Serialize_Args) -> Result<()> {
    let bytes = lend_bytes(get::<B>(args.executable)?.serialize()?);
    args.serialized_bytes = bytes.data;
    args.serialized_bytes_size = bytes.size;
    args.serialized_executable = bytes.holder.cast();
    args.serialized_executable_deleter = Some(delete_lent_bytes);
    Ok(())
}

/// `PJRT_Executable_GetCompileOptions`.
pub(crate) fn compile_options<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Executable_GetCompileOptions_Args,
) -> Result<()> {
    let bytes = lend_bytes(get::<B>(args.executable)?.origin.options.to_proto().to_vec());
    args.serialized_bytes = bytes.data;
    args.serialized_bytes_size = bytes.size;
    args.serialized_compile_options = bytes.holder.cast();
    args.serialized_compile_options_deleter = Some(delete_lent_bytes);
    Ok(())
}
