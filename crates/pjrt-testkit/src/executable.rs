//! Compiled programs, with and without devices.

use pjrt_sys::{
    PJRT_Buffer_Type, PJRT_Client_Compile_Args, PJRT_Compile_Args, PJRT_Executable,
    PJRT_Executable_DeserializeAndLoad_Args, PJRT_Executable_OptimizedProgram_Args, PJRT_LoadOptions,
    PJRT_LoadedExecutable, PJRT_LogicalDeviceIds, PJRT_Program,
};

use crate::args::ArgsBuf;
use crate::client::Client;
use crate::device::Device;
use crate::error::Result;
use crate::named_value::NamedValue;
use crate::plugin::{Plugin, live_call, owned_handle};
use crate::topology::Topology;

/// Name of a program format; any text may be tried.
pub type ProgramFormat = str;

/// A program without devices, destroyed when dropped.
#[derive(Debug)]
pub struct Executable {
    plugin: Plugin,
    pub(crate) raw: *mut PJRT_Executable,
    /// The client, or the topology it was compiled for.
    _owner: Option<Client>,
}

owned_handle!(Executable, PJRT_Executable, PJRT_Executable_Destroy, executable);

/// A program on its devices, destroyed when dropped.
#[derive(Debug)]
pub struct LoadedExecutable {
    pub(crate) client: Client,
    pub(crate) raw: *mut PJRT_LoadedExecutable,
}

owned_handle!(LoadedExecutable, PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy, executable);

/// Planned memory of an execution, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompiledMemoryStats {
    /// Code.
    pub generated_code: i64,
    /// Arguments.
    pub arguments: i64,
    /// Outputs.
    pub outputs: i64,
    /// Arguments that outputs share.
    pub aliases: i64,
    /// Temporaries.
    pub temporaries: i64,
    /// Peak.
    pub peak: i64,
}

impl Client {
    /// Compiles a program onto devices.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn compile(&self, code: &[u8], format: &ProgramFormat, options: &[u8]) -> Result<LoadedExecutable> {
        const NAME: &str = "PJRT_Client_Compile";
        let mut program = program(self.plugin(), NAME, code, format)?;
        let fill = |args: &mut PJRT_Client_Compile_Args| {
            args.client = self.raw();
            args.program = program.as_mut_ptr();
            args.compile_options = options.as_ptr().cast();
            args.compile_options_size = options.len();
        };
        // SAFETY: program and options are borrowed for the call.
        let args = unsafe { self.plugin().call(self.plugin().api().PJRT_Client_Compile, NAME, fill)? };
        program.check(NAME);
        Ok(LoadedExecutable { client: self.clone(), raw: args.executable })
    }

    /// Compiles without loading, with this client as the hint.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn compile_for(
        &self,
        topology: &Topology,
        code: &[u8],
        format: &ProgramFormat,
        options: &[u8],
    ) -> Result<Executable> {
        topology.compile(code, format, options, Some(self))
    }

    /// Loads what [`Topology::compile`] made.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn load(&self, executable: &Executable, options: &[u8]) -> Result<LoadedExecutable> {
        let args = live_call!(
            self.plugin(),
            PJRT_Client_Load {
                client: self.raw(),
                executable: executable.raw,
                compile_options: options.as_ptr().cast(),
                compile_options_size: options.len(),
            }
        )?;
        Ok(LoadedExecutable { client: self.clone(), raw: args.loaded_executable })
    }

    /// Loads serialized bytes; `options` replace those stored in them.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn deserialize_and_load(&self, bytes: &[u8], options: Option<&[u8]>) -> Result<LoadedExecutable> {
        const NAME: &str = "PJRT_Executable_DeserializeAndLoad";
        let mut load_options = ArgsBuf::new(self.plugin().caller(), PJRT_LoadOptions::default());
        let fill = |args: &mut PJRT_Executable_DeserializeAndLoad_Args| {
            args.client = self.raw();
            args.serialized_executable = bytes.as_ptr().cast();
            args.serialized_executable_size = bytes.len();
            if let Some(options) = options {
                args.overridden_serialized_compile_options = options.as_ptr().cast();
                args.overridden_serialized_compile_options_size = options.len();
            }
            args.load_options = load_options.as_mut().map_or(std::ptr::null_mut(), ArgsBuf::as_mut_ptr);
        };
        // SAFETY: everything is borrowed for the call.
        let args = unsafe { self.plugin().call(self.plugin().api().PJRT_Executable_DeserializeAndLoad, NAME, fill)? };
        Ok(LoadedExecutable { client: self.clone(), raw: args.loaded_executable })
    }
}

impl Topology {
    /// Compiles ahead of time.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn compile(
        &self,
        code: &[u8],
        format: &ProgramFormat,
        options: &[u8],
        client: Option<&Client>,
    ) -> Result<Executable> {
        const NAME: &str = "PJRT_Compile";
        let mut program = program(self.plugin(), NAME, code, format)?;
        let fill = |args: &mut PJRT_Compile_Args| {
            args.topology = self.raw();
            args.program = program.as_mut_ptr();
            args.compile_options = options.as_ptr().cast();
            args.compile_options_size = options.len();
            args.client = client.map_or(std::ptr::null_mut(), Client::raw);
        };
        // SAFETY: everything is borrowed for the call.
        let args = unsafe { self.plugin().call(self.plugin().api().PJRT_Compile, NAME, fill)? };
        program.check(NAME);
        Ok(Executable { plugin: self.plugin().clone(), raw: args.executable, _owner: client.cloned() })
    }
}

fn program(plugin: &Plugin, name: &'static str, code: &[u8], format: &ProgramFormat) -> Result<ArgsBuf<PJRT_Program>> {
    plugin.arguments(name, |program: &mut PJRT_Program| {
        program.code = code.as_ptr().cast_mut().cast();
        program.code_size = code.len();
        program.format = format.as_ptr().cast();
        program.format_size = format.len();
    })
}

impl Executable {
    pub(crate) fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    /// Name of the module.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn name(&self) -> Result<String> {
        let args = live_call!(self.plugin(), PJRT_Executable_Name { executable: self.raw })?;
        // SAFETY: a string with the lifetime of the executable.
        Ok(unsafe { crate::plugin::text(args.executable_name, args.executable_name_size) })
    }

    /// Number of replicas.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn num_replicas(&self) -> Result<usize> {
        Ok(live_call!(self.plugin(), PJRT_Executable_NumReplicas { executable: self.raw })?.num_replicas)
    }

    /// Number of partitions.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn num_partitions(&self) -> Result<usize> {
        Ok(live_call!(self.plugin(), PJRT_Executable_NumPartitions { executable: self.raw })?.num_partitions)
    }

    /// Number of flattened outputs of one device.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn num_outputs(&self) -> Result<usize> {
        Ok(live_call!(self.plugin(), PJRT_Executable_NumOutputs { executable: self.raw })?.num_outputs)
    }

    /// Size of the code in bytes, 0 or -1 when unknown.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn size_of_generated_code(&self) -> Result<i64> {
        let args = live_call!(self.plugin(), PJRT_Executable_SizeOfGeneratedCodeInBytes { executable: self.raw })?;
        Ok(args.size_in_bytes)
    }

    /// Element types of the outputs.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn output_element_types(&self) -> Result<Vec<PJRT_Buffer_Type>> {
        let args = live_call!(self.plugin(), PJRT_Executable_OutputElementTypes { executable: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the executable.
        Ok(unsafe { crate::plugin::copied(args.output_types.cast_const(), args.num_output_types) })
    }

    /// Dimensions of the outputs.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn output_dimensions(&self) -> Result<Vec<Vec<i64>>> {
        let args = live_call!(self.plugin(), PJRT_Executable_OutputDimensions { executable: self.raw })?;
        // SAFETY: arrays with the lifetime of the executable: a rank per output, and all dimensions.
        let (ranks, all) = unsafe {
            let ranks = crate::plugin::copied(args.dim_sizes, args.num_outputs);
            let all = crate::plugin::copied(args.dims, ranks.iter().sum());
            (ranks, all)
        };
        let mut rest = all.as_slice();
        Ok(ranks
            .iter()
            .map(|rank| {
                let (dims, after) = rest.split_at(*rank);
                rest = after;
                dims.to_vec()
            })
            .collect())
    }

    /// Memory kinds of the outputs.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn output_memory_kinds(&self) -> Result<Vec<String>> {
        let args = live_call!(self.plugin(), PJRT_Executable_OutputMemoryKinds { executable: self.raw })?;
        // SAFETY: arrays of this length with the lifetime of the executable.
        Ok(unsafe { strings(args.memory_kinds, args.memory_kind_sizes, args.num_outputs) })
    }

    /// Memory kinds of the parameters.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn parameter_memory_kinds(&self) -> Result<Vec<String>> {
        let args = live_call!(self.plugin(), PJRT_Executable_ParameterMemoryKinds { executable: self.raw })?;
        // SAFETY: arrays of this length with the lifetime of the executable.
        Ok(unsafe { strings(args.memory_kinds, args.memory_kind_sizes, args.num_parameters) })
    }

    /// Bytes that identify the program.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn fingerprint(&self) -> Result<Vec<u8>> {
        let args = live_call!(self.plugin(), PJRT_Executable_Fingerprint { executable: self.raw })?;
        // SAFETY: bytes with the lifetime of the executable.
        Ok(unsafe { crate::plugin::bytes(args.executable_fingerprint, args.executable_fingerprint_size) })
    }

    /// Estimated costs.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn cost_analysis(&self) -> Result<Vec<NamedValue>> {
        let args = live_call!(self.plugin(), PJRT_Executable_GetCostAnalysis { executable: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the executable.
        Ok(unsafe { NamedValue::read_array(args.properties, args.num_properties) })
    }

    /// Planned memory.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn compiled_memory_stats(&self) -> Result<CompiledMemoryStats> {
        let args = live_call!(self.plugin(), PJRT_Executable_GetCompiledMemoryStats { executable: self.raw })?;
        Ok(CompiledMemoryStats {
            generated_code: args.generated_code_size_in_bytes,
            arguments: args.argument_size_in_bytes,
            outputs: args.output_size_in_bytes,
            aliases: args.alias_size_in_bytes,
            temporaries: args.temp_size_in_bytes,
            peak: args.peak_memory_in_bytes,
        })
    }

    /// The program after compilation: its format and bytes. The size is asked first, as frameworks do.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn optimized_program(&self) -> Result<(String, Vec<u8>)> {
        const NAME: &str = "PJRT_Executable_OptimizedProgram";
        let mut program = self.plugin().arguments(NAME, |_: &mut PJRT_Program| {})?;
        let place = program.as_mut_ptr();
        let fill = |args: &mut PJRT_Executable_OptimizedProgram_Args| {
            args.executable = self.raw;
            args.program = place;
        };
        // SAFETY: the program is alive; its code is null, which asks for the size.
        unsafe { self.plugin().call(self.plugin().api().PJRT_Executable_OptimizedProgram, NAME, fill)? };
        program.check(NAME);
        let mut bytes = vec![0_u8; program.value().code_size];
        // SAFETY: the place is that of the struct, which nobody else uses.
        unsafe { (*program.as_mut_ptr()).code = bytes.as_mut_ptr().cast() };
        // SAFETY: the code has as many bytes as the plugin asked for.
        unsafe { self.plugin().call(self.plugin().api().PJRT_Executable_OptimizedProgram, NAME, fill)? };
        program.check(NAME);
        let value = program.value();
        // SAFETY: the format is a string with static lifetime.
        Ok((unsafe { crate::plugin::text(value.format, value.format_size) }, bytes))
    }

    /// Serialized form.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the deleter is null.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        let args = live_call!(self.plugin(), PJRT_Executable_Serialize { executable: self.raw })?;
        // SAFETY: the bytes live until the deleter is called, once, with their holder.
        unsafe {
            let bytes = crate::plugin::bytes(args.serialized_bytes, args.serialized_bytes_size);
            args.serialized_executable_deleter.expect("the deleter is never null")(args.serialized_executable);
            Ok(bytes)
        }
    }

    /// Serialized compile options.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the deleter is null.
    pub fn compile_options(&self) -> Result<Vec<u8>> {
        let args = live_call!(self.plugin(), PJRT_Executable_GetCompileOptions { executable: self.raw })?;
        // SAFETY: the bytes live until the deleter is called, once, with their holder.
        unsafe {
            let bytes = crate::plugin::bytes(args.serialized_bytes, args.serialized_bytes_size);
            args.serialized_compile_options_deleter.expect("the deleter is never null")(
                args.serialized_compile_options,
            );
            Ok(bytes)
        }
    }
}

impl LoadedExecutable {
    pub(crate) fn plugin(&self) -> &Plugin {
        self.client.plugin()
    }

    /// The client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The program without its devices; a new handle each time.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn executable(&self) -> Result<Executable> {
        let args = live_call!(self.plugin(), PJRT_LoadedExecutable_GetExecutable { loaded_executable: self.raw })?;
        Ok(Executable { plugin: self.plugin().clone(), raw: args.executable, _owner: Some(self.client.clone()) })
    }

    /// Devices of this process, in the order of execution.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn addressable_devices(&self) -> Result<Vec<Device>> {
        let args = live_call!(self.plugin(), PJRT_LoadedExecutable_AddressableDevices { executable: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the executable.
        let raw = unsafe { crate::plugin::copied(args.addressable_devices, args.num_addressable_devices) };
        Ok(self.client.wrap_devices(&raw))
    }

    /// Replica and partition of each of those devices.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn addressable_device_logical_ids(&self) -> Result<Vec<(i32, i32)>> {
        let args =
            live_call!(self.plugin(), PJRT_LoadedExecutable_AddressableDeviceLogicalIds { executable: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the executable.
        let ids: Vec<PJRT_LogicalDeviceIds> = unsafe {
            crate::plugin::copied(
                args.addressable_device_logical_ids.cast_const(),
                args.num_addressable_device_logical_ids,
            )
        };
        Ok(ids.iter().map(|ids| (ids.replica, ids.partition)).collect())
    }

    /// Serialized device assignment.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the deleter is null.
    pub fn device_assignment(&self) -> Result<Vec<u8>> {
        let args = live_call!(self.plugin(), PJRT_LoadedExecutable_GetDeviceAssignment { executable: self.raw })?;
        // SAFETY: the bytes live until the deleter is called, once, with their holder.
        unsafe {
            let bytes = crate::plugin::bytes(args.serialized_bytes, args.serialized_bytes_size);
            args.serialized_device_assignment_deleter.expect("the deleter is never null")(
                args.serialized_device_assignment,
            );
            Ok(bytes)
        }
    }

    /// Drops the device resources.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn delete(&self) -> Result<()> {
        live_call!(self.plugin(), PJRT_LoadedExecutable_Delete { executable: self.raw }).map(|_| ())
    }

    /// Whether it was deleted.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn is_deleted(&self) -> Result<bool> {
        Ok(live_call!(self.plugin(), PJRT_LoadedExecutable_IsDeleted { executable: self.raw })?.is_deleted)
    }
}

/// Copies an array of length-delimited strings.
unsafe fn strings(data: *const *const std::ffi::c_char, sizes: *const usize, len: usize) -> Vec<String> {
    // SAFETY: by the contract of the calls that return such arrays.
    unsafe {
        let data = crate::plugin::copied(data, len);
        let sizes = crate::plugin::copied(sizes, len);
        data.iter().zip(sizes).map(|(data, size)| crate::plugin::text(*data, size)).collect()
    }
}
