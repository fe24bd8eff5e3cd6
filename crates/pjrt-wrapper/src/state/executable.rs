//! `PJRT_Executable`: a compiled program with everything that is lent of it, computed once.

use crate::backend::Backend;
use crate::handle::HandleType;
use crate::lent::{LentArray, LentNamedValues, LentStrings};
use crate::serialized::{self, Content};
use pjrt_client_trait::{
    Code, CompileOptions, Layout, OpSharding, OptimizedProgram, PjrtClient, PjrtExecutable, Program, ProgramFormat,
    Result, Shape, Status,
};
use pjrt_sys as sys;
use std::sync::{Arc, OnceLock};

/// The executable type of a backend.
pub(crate) type ExecutableOf<B> = <<B as Backend>::Client as PjrtClient>::Executable;

/// The program an executable was compiled from.
pub(crate) struct SourceProgram {
    pub(crate) format: ProgramFormat,
    pub(crate) code: Vec<u8>,
}

/// Where an executable comes from, for what the framework derives by itself.
pub(crate) struct Origin {
    pub(crate) source: Option<SourceProgram>,
    pub(crate) options: CompileOptions,
    pub(crate) platform_name: String,
    pub(crate) platform_version: String,
    /// The memory kind of arguments and results of which the backend says nothing.
    pub(crate) default_memory_kind: String,
}

pub(crate) struct ExecutableState<B: Backend> {
    pub(crate) executable: Arc<ExecutableOf<B>>,
    pub(crate) origin: Origin,
    pub(crate) name: String,
    pub(crate) output_types: LentArray<sys::PJRT_Buffer_Type>,
    pub(crate) output_dims: LentArray<i64>,
    pub(crate) output_ranks: LentArray<usize>,
    output_memory_kinds: OnceLock<LentStrings>,
    parameter_memory_kinds: OnceLock<LentStrings>,
    output_shardings: OnceLock<Option<LentStrings>>,
    parameter_shardings: OnceLock<Option<LentStrings>>,
    fingerprint: OnceLock<Result<Vec<u8>>>,
    cost_analysis: OnceLock<Result<LentNamedValues>>,
    optimized_program: OnceLock<Result<OptimizedProgram>>,
    pub(crate) lent_layouts: crate::ext::layouts::ExecutableLayouts,
}

impl<B: Backend> HandleType for ExecutableState<B> {
    const KIND: &'static str = "PJRT_Executable";
}

impl<B: Backend> ExecutableState<B> {
    pub(crate) fn new(executable: ExecutableOf<B>, origin: Origin) -> Arc<Self> {
        Self::shared(Arc::new(executable), origin)
    }

    fn shared(executable: Arc<ExecutableOf<B>>, origin: Origin) -> Arc<Self> {
        let outputs = executable.outputs();
        Arc::new(ExecutableState {
            name: executable.name().to_owned(),
            output_types: LentArray::new(outputs.iter().map(|shape| sys::PJRT_Buffer_Type(shape.element_type as u32))),
            output_dims: LentArray::new(outputs.iter().flat_map(|shape| shape.dims.iter().copied())),
            output_ranks: LentArray::new(outputs.iter().map(Shape::rank)),
            executable,
            origin,
            output_memory_kinds: OnceLock::new(),
            parameter_memory_kinds: OnceLock::new(),
            output_shardings: OnceLock::new(),
            parameter_shardings: OnceLock::new(),
            fingerprint: OnceLock::new(),
            cost_analysis: OnceLock::new(),
            optimized_program: OnceLock::new(),
            lent_layouts: crate::ext::layouts::ExecutableLayouts::default(),
        })
    }

    /// The same program with other options, for loading it on other devices.
    pub(crate) fn with_options(&self, options: CompileOptions) -> Arc<Self> {
        let source = self.origin.source.as_ref();
        let origin = Origin {
            source: source.map(|source| SourceProgram { format: source.format, code: source.code.clone() }),
            options,
            platform_name: self.origin.platform_name.clone(),
            platform_version: self.origin.platform_version.clone(),
            default_memory_kind: self.origin.default_memory_kind.clone(),
        };
        Self::shared(self.executable.clone(), origin)
    }

    pub(crate) fn output_memory_kinds(&self) -> &LentStrings {
        self.output_memory_kinds
            .get_or_init(|| self.kinds(self.executable.output_memory_kinds(), self.executable.outputs().len()))
    }

    pub(crate) fn parameter_memory_kinds(&self) -> &LentStrings {
        self.parameter_memory_kinds
            .get_or_init(|| self.kinds(self.executable.parameter_memory_kinds(), self.executable.parameters().len()))
    }

    fn kinds(&self, kinds: Option<Vec<String>>, count: usize) -> LentStrings {
        LentStrings::new(kinds.unwrap_or_else(|| vec![self.origin.default_memory_kind.clone(); count]))
    }

    pub(crate) fn output_shardings(&self) -> Option<&LentStrings> {
        self.output_shardings.get_or_init(|| self.executable.output_shardings().map(lent_protos)).as_ref()
    }

    pub(crate) fn parameter_shardings(&self) -> Option<&LentStrings> {
        self.parameter_shardings.get_or_init(|| self.executable.parameter_shardings().map(lent_protos)).as_ref()
    }

    /// Layouts of results or parameters, row-major where the backend says nothing.
    pub(crate) fn layouts_or_row_major(layouts: Option<Vec<Layout>>, shapes: &[Shape]) -> Vec<Layout> {
        layouts.unwrap_or_else(|| shapes.iter().map(|shape| Layout::row_major(shape.rank())).collect())
    }

    /// Bytes that identify program, options and platform; the backend's own if it has some.
    pub(crate) fn fingerprint(&self) -> Result<&[u8]> {
        let fingerprint = self.fingerprint.get_or_init(|| match self.executable.fingerprint() {
            Err(status) if status.code == Code::Unimplemented => match &self.origin.source {
                Some(source) => Ok(serialized::fingerprint(&[
                    self.origin.platform_name.as_bytes(),
                    self.origin.platform_version.as_bytes(),
                    self.origin.options.to_proto(),
                    &source.code,
                ])),
                None => Err(status),
            },
            outcome => outcome,
        });
        fingerprint.as_deref().map_err(Clone::clone)
    }

    pub(crate) fn cost_analysis(&self) -> Result<&LentNamedValues> {
        let cost = self.cost_analysis.get_or_init(|| self.executable.cost_analysis().map(LentNamedValues::new));
        cost.as_ref().map_err(Clone::clone)
    }

    /// The program as it will run, if the backend shows it.
    pub(crate) fn optimized_program(&self) -> Result<&OptimizedProgram> {
        let program = self.optimized_program.get_or_init(|| self.executable.optimized_program());
        program.as_ref().map_err(Clone::clone)
    }

    /// The executable as bytes: the backend's own form, or else the source program.
    pub(crate) fn serialize(&self) -> Result<Vec<u8>> {
        let content = match self.executable.serialize() {
            Ok(bytes) => Content::Backend(bytes),
            Err(status) if status.code == Code::Unimplemented => match &self.origin.source {
                Some(source) => Content::Source { format: source.format, code: source.code.clone() },
                None => return Err(status),
            },
            Err(status) => return Err(status),
        };
        Ok(serialized::write(&serialized::Executable {
            platform_name: self.origin.platform_name.clone(),
            platform_version: self.origin.platform_version.clone(),
            options: self.origin.options.to_proto().to_vec(),
            content,
        }))
    }

    /// The number of results of one device.
    pub(crate) fn num_outputs(&self) -> usize {
        self.output_types.len()
    }
}

fn lent_protos(shardings: Vec<OpSharding>) -> LentStrings {
    LentStrings::new(shardings.iter().map(OpSharding::to_proto))
}

/// Compiles with the client; what PJRT_Client_Compile and the loading of source programs share.
pub(crate) fn compile<B: Backend>(
    client: &crate::state::client::ClientState<B>,
    program: Program<'_>,
    options: CompileOptions,
) -> Result<Arc<ExecutableState<B>>> {
    let executable = client.client.compile(&program, &options)?;
    check(&executable, &options, B::NAME)?;
    let source = Some(SourceProgram { format: program.format, code: program.code.to_vec() });
    Ok(ExecutableState::new(executable, origin(client, source, options)))
}

/// The origin of an executable of this client.
pub(crate) fn origin<B: Backend>(
    client: &crate::state::client::ClientState<B>,
    source: Option<SourceProgram>,
    options: CompileOptions,
) -> Origin {
    let kind = client.device_states().iter().find_map(|device| device.memory_ids.first());
    let kind = kind.and_then(|&memory| client.memory(memory).ok()).map(|memory| memory.object().facts.kind.clone());
    Origin {
        source,
        options,
        platform_name: client.platform_name.clone(),
        platform_version: client.platform_version.clone(),
        default_memory_kind: kind.unwrap_or_default(),
    }
}

/// Checks what the wrapper relies on when it launches.
pub(crate) fn check<E: PjrtExecutable>(executable: &E, options: &CompileOptions, backend: &str) -> Result<()> {
    let parameters = executable.parameters().len();
    let donated = executable.donated_parameters();
    let ascending = donated.windows(2).all(|pair| pair[0] < pair[1]);
    if !ascending || donated.last().is_some_and(|&last| last >= parameters) {
        return Err(Status::internal(format!(
            "backend {backend}: donated parameters {donated:?} of {} are not ascending indices below {parameters}",
            executable.name()
        )));
    }
    if options.num_partitions > 1 && options.use_auto_spmd_partitioning {
        return Err(Status::unimplemented("automatic choice of shardings (AUTO); give in_shardings and out_shardings"));
    }
    Ok(())
}
