//! Compiled programs, not bound to devices.

use crate::{Layout, NamedValue, OpSharding, Result, Shape, Status};

/// Memory that one launch of a program needs on one device, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompiledMemoryStats {
    /// The program itself.
    pub generated_code_size: i64,
    /// All arguments.
    pub argument_size: i64,
    /// All results.
    pub output_size: i64,
    /// Results that reuse the storage of arguments.
    pub alias_size: i64,
    /// Intermediate values.
    pub temp_size: i64,
    /// The program, in host memory.
    pub host_generated_code_size: i64,
    /// Arguments in host memory.
    pub host_argument_size: i64,
    /// Results in host memory.
    pub host_output_size: i64,
    /// Host results that reuse the storage of host arguments.
    pub host_alias_size: i64,
    /// Intermediate values in host memory.
    pub host_temp_size: i64,
    /// Most that is in use at one time.
    pub peak_memory: i64,
    /// All of it.
    pub total_size: i64,
    /// All that is allocated for a launch, rounding included.
    pub total_allocation: i64,
    /// Allocations that outlive a launch.
    pub indefinite_allocations: i64,
    /// Most that is in use on the heap at one time, without padding.
    pub peak_unpadded_heap: i64,
}

/// A program after optimisation, for people and tools to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptimizedProgram {
    /// `mlir`, `hlo` or `hlo_with_config`.
    pub format: &'static str,
    /// The program in that format.
    pub code: Vec<u8>,
}

/// A compiled program.
pub trait PjrtExecutable: Send + Sync + 'static {
    /// The name of the module.
    fn name(&self) -> &str;

    /// The shapes of the arguments that one device passes.
    fn parameters(&self) -> &[Shape];

    /// The shapes of the results that one device gets, flattened. May be empty.
    fn outputs(&self) -> &[Shape];

    /// The indices of the arguments whose storage the program takes over, ascending. They are handed to
    /// [`crate::PjrtLoadedExecutable::execute`] without any other holder, and are gone for the caller when it
    /// succeeds.
    fn donated_parameters(&self) -> &[usize] {
        &[]
    }

    /// The memory kind of each argument; `None` is the default memory of the device for all.
    fn parameter_memory_kinds(&self) -> Option<Vec<String>> {
        None
    }

    /// The memory kind of each result; `None` is the default memory of the device for all.
    fn output_memory_kinds(&self) -> Option<Vec<String>> {
        None
    }

    /// The device layout of each argument; `None` is row-major for all.
    fn parameter_layouts(&self) -> Option<Vec<Layout>> {
        None
    }

    /// The device layout of each result; `None` is row-major for all.
    fn output_layouts(&self) -> Option<Vec<Layout>> {
        None
    }

    /// How each argument is sharded; `None` when not known.
    fn parameter_shardings(&self) -> Option<Vec<OpSharding>> {
        None
    }

    /// How each result is sharded; `None` when not known.
    fn output_shardings(&self) -> Option<Vec<OpSharding>> {
        None
    }

    /// Bytes of generated code; −1 when not known.
    fn size_of_generated_code(&self) -> i64 {
        -1
    }

    /// Properties by name, such as `flops` and `bytes accessed`. Only floats.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the backend does not analyse cost.
    fn cost_analysis(&self) -> Result<Vec<NamedValue>> {
        Err(Status::unimplemented("this backend does not analyse the cost of programs"))
    }

    /// What memory a launch needs.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the backend does not know.
    fn compiled_memory_stats(&self) -> Result<CompiledMemoryStats> {
        Err(Status::unimplemented("this backend does not analyse the memory of programs"))
    }

    /// The program as it will run.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the backend cannot show it.
    fn optimized_program(&self) -> Result<OptimizedProgram> {
        Err(Status::unimplemented("this backend does not show optimized programs"))
    }

    /// The compiled program as bytes for [`crate::PjrtClient::deserialize`]. By default the framework stores
    /// the source program and compiles it again on load.
    ///
    /// # Errors
    /// UNIMPLEMENTED asks for that default.
    fn serialize(&self) -> Result<Vec<u8>> {
        Err(Status::unimplemented("this backend does not serialize executables itself"))
    }

    /// Bytes that identify the program. By default the framework hashes source program and options.
    ///
    /// # Errors
    /// UNIMPLEMENTED asks for that default.
    fn fingerprint(&self) -> Result<Vec<u8>> {
        Err(Status::unimplemented("this backend does not compute fingerprints itself"))
    }
}
