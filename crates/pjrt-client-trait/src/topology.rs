//! Topologies: the devices of a job as facts, with or without a client.

use crate::{
    CompileOptions, Layout, NamedValue, PjrtDeviceDescription, PjrtExecutable, Program, Result, Shape, Status,
};

/// The devices of a job, described. What ahead-of-time compilation targets.
pub trait PjrtTopologyDescription: Send + Sync + 'static {
    /// What compiling for this topology gives.
    type Executable: PjrtExecutable;

    /// As [`crate::PjrtClient::platform_name`].
    fn platform_name(&self) -> &str;

    /// As [`crate::PjrtClient::platform_version`].
    fn platform_version(&self) -> &str;

    /// All devices, in a fixed order.
    fn device_descriptions(&self) -> &[PjrtDeviceDescription];

    /// Facts about the topology as a whole.
    fn attributes(&self) -> &[NamedValue] {
        &[]
    }

    /// The layout the backend gives an array when nobody asks for one.
    fn default_layout(&self, shape: &Shape) -> Layout {
        Layout::row_major(shape.rank())
    }

    /// Compiles a program for this topology, without a client.
    ///
    /// # Errors
    /// UNIMPLEMENTED unless the backend compiles ahead of time.
    fn compile(&self, program: &Program<'_>, options: &CompileOptions) -> Result<Self::Executable> {
        _ = (program, options);
        Err(Status::unimplemented("this backend compiles only with a client; give PJRT_Compile one"))
    }

    /// The topology as bytes for the backend's topology reader.
    ///
    /// # Errors
    /// UNIMPLEMENTED unless the backend serializes topologies.
    fn serialize(&self) -> Result<Vec<u8>> {
        Err(Status::unimplemented(
            "this backend does not serialize topologies; create the topology anew by name and options",
        ))
    }
}

/// What compiles a program without a client.
type Compiler<E> = fn(&Program<'_>, &CompileOptions) -> Result<E>;

/// A topology that is nothing but its facts, and optionally a compiler that needs no more than those.
pub struct StaticTopology<E> {
    platform_name: String,
    platform_version: String,
    devices: Vec<PjrtDeviceDescription>,
    attributes: Vec<NamedValue>,
    compiler: Option<Compiler<E>>,
    serialized: Option<Vec<u8>>,
}

impl<E> StaticTopology<E> {
    /// A topology of these devices, without attributes.
    pub fn new(platform_name: &str, platform_version: &str, devices: Vec<PjrtDeviceDescription>) -> Self {
        StaticTopology {
            platform_name: platform_name.to_owned(),
            platform_version: platform_version.to_owned(),
            devices,
            attributes: Vec::new(),
            compiler: None,
            serialized: None,
        }
    }

    /// The same topology, able to compile ahead of time.
    #[must_use]
    pub fn with_compiler(mut self, compiler: Compiler<E>) -> Self {
        self.compiler = Some(compiler);
        self
    }

    /// The same topology, with the bytes from which the backend's topology reader makes it anew.
    #[must_use]
    pub fn with_serialized(mut self, bytes: Vec<u8>) -> Self {
        self.serialized = Some(bytes);
        self
    }

    /// The same topology with attributes.
    #[must_use]
    pub fn with_attributes(mut self, attributes: Vec<NamedValue>) -> Self {
        self.attributes = attributes;
        self
    }
}

impl<E: PjrtExecutable> PjrtTopologyDescription for StaticTopology<E> {
    type Executable = E;

    fn platform_name(&self) -> &str {
        &self.platform_name
    }

    fn platform_version(&self) -> &str {
        &self.platform_version
    }

    fn device_descriptions(&self) -> &[PjrtDeviceDescription] {
        &self.devices
    }

    fn attributes(&self) -> &[NamedValue] {
        &self.attributes
    }

    fn compile(&self, program: &Program<'_>, options: &CompileOptions) -> Result<E> {
        let missing = || Status::unimplemented("this backend compiles only with a client; give PJRT_Compile one");
        self.compiler.ok_or_else(missing)?(program, options)
    }

    fn serialize(&self) -> Result<Vec<u8>> {
        let missing = || {
            Status::unimplemented(
                "this backend does not serialize topologies; create the topology anew by name and options",
            )
        };
        self.serialized.clone().ok_or_else(missing)
    }
}
