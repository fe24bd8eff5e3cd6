//! Programs in, executables out: compile, load, deserialize.

use crate::api::client;
use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::serialized::{self, Content};
use crate::state::client::ClientState;
use crate::state::executable::{self, ExecutableState, Origin, SourceProgram};
use crate::state::loaded::LoadedState;
use crate::state::topology::TopologyState;
use pjrt_client_trait::{CompileOptions, PjrtClient, PjrtTopologyDescription, Program, ProgramFormat, Result};
use pjrt_sys as sys;
use std::ffi::c_char;
use std::sync::Arc;

fn options(c: Caller<'_>, bytes: *const c_char, size: usize) -> Result<CompileOptions> {
    CompileOptions::from_proto(c.bytes(bytes, size, "compile_options")?)
}

/// The program. Its format is looked at first: an unknown one may come without code.
fn program<'call>(c: Caller<'call>, program: *const sys::PJRT_Program) -> Result<(ProgramFormat, &'call [u8])> {
    let program = c.structure(program)?;
    let format = ProgramFormat::from_name(c.text(program.format, program.format_size, "the program format")?)?;
    Ok((format, c.bytes(program.code, program.code_size, "the program")?))
}

/// Loads, and hands the loaded executable out.
fn load<B: Backend>(
    client: &Arc<ClientState<B>>,
    executable: Arc<ExecutableState<B>>,
) -> Result<*mut sys::PJRT_LoadedExecutable> {
    Ok(handle::insert(LoadedState::new(client, executable)?))
}

/// `PJRT_Client_Compile`. Bad options win over a bad format, as in XLA.
pub(crate) fn compile_and_load<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Client_Compile_Args) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let options = options(c, args.compile_options, args.compile_options_size)?;
    let (format, code) = program(c, args.program)?;
    args.executable = load(&client, executable::compile(&client, Program::new(format, code), options)?)?;
    Ok(())
}

/// `PJRT_Compile`: with the client if there is one, else for the topology alone.
pub(crate) fn compile<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Compile_Args) -> Result<()> {
    let topology = handle::get::<TopologyState<B>, _>(args.topology)?;
    let options = options(c, args.compile_options, args.compile_options_size)?;
    let (format, code) = program(c, args.program)?;
    let executable = if args.client.is_null() {
        let executable = topology.with_topology(|topology| topology.compile(&Program::new(format, code), &options))?;
        executable::check(&executable, &options, B::NAME)?;
        let kinds = topology.with_topology(|topology| {
            Ok(topology.device_descriptions().iter().find_map(|device| device.memory_kinds.first().cloned()))
        })?;
        let origin = Origin {
            source: Some(SourceProgram { format, code: code.to_vec() }),
            options,
            platform_name: topology.platform_name.clone(),
            platform_version: topology.platform_version.clone(),
            default_memory_kind: kinds.map(|(kind, _)| kind).unwrap_or_default(),
        };
        ExecutableState::<B>::new(executable, origin)
    } else {
        executable::compile(&*client::get::<B>(args.client)?, Program::new(format, code), options)?
    };
    args.executable = handle::insert(executable);
    Ok(())
}

/// `PJRT_Client_Load`. The source executable stays the caller's.
pub(crate) fn client_load<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Client_Load_Args) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let executable = handle::get::<ExecutableState<B>, _>(args.executable)?;
    let executable = if args.compile_options_size == 0 {
        executable
    } else {
        executable.with_options(options(c, args.compile_options, args.compile_options_size)?)
    };
    args.loaded_executable = load(&client, executable)?;
    Ok(())
}

/// `PJRT_Executable_DeserializeAndLoad`. Options that are given replace the stored ones.
///
/// In place of an executable it takes a program in MLIR as well, with its options before it (`serialized::program`), and
/// compiles it. jaxlib hands bytes on as they are here, and to `PJRT_Client_Compile` only what it has put through passes of
/// its own, which take longer than the compilers of many backends. What the backend refuses is compiled as jaxlib makes it
/// (`Program::unlowered`).
pub(crate) fn deserialize_and_load<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_Executable_DeserializeAndLoad_Args,
) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let bytes = c.bytes(args.serialized_executable, args.serialized_executable_size, "the serialized executable")?;
    let overridden = match args.overridden_serialized_compile_options_size {
        0 => None,
        size => Some(options(c, args.overridden_serialized_compile_options, size)?),
    };
    let or_stored = |stored: &[u8]| overridden.map_or_else(|| CompileOptions::from_proto(stored), Ok);
    if let Some(program) = serialized::program(bytes) {
        let (stored, code) = program?;
        let program = Program { unlowered: true, ..Program::new(ProgramFormat::Mlir, code) };
        args.loaded_executable = load(&client, executable::compile(&client, program, or_stored(stored)?)?)?;
        return Ok(());
    }
    let stored = serialized::read(bytes, &client.platform_name, &client.platform_version)?;
    let options = or_stored(&stored.options)?;
    let executable = match stored.content {
        Content::Source { format, code } => executable::compile(&client, Program::new(format, &code), options)?,
        Content::Backend(bytes) => {
            let executable = client.client.deserialize(&bytes, &options)?;
            executable::check(&executable, &options, B::NAME)?;
            ExecutableState::new(executable, executable::origin(&client, None, options))
        }
    };
    args.loaded_executable = load(&client, executable)?;
    Ok(())
}
