//! Custom calls: the handler that a program names, bound to one call of it.
//!
//! Handlers are those that were registered for the platform in the typed FFI. Their code is not ours: it may wait for
//! other programs of this client, so the turn of the device is given up first, and it sees the floating-point mode that
//! the thread had before the program.

mod aligned;
mod attributes;
mod evaluated;
mod packing;
mod partitioned;
mod registration;

pub(crate) use evaluated::EvaluatedCalls;
pub(crate) use registration::register;

use crate::sharding::SpreadValues;
use crate::{PLATFORM, queue};
use cpu_compiler::{ArrayType, CustomCall, CustomCalls, Error, Result};
use cpu_runtime::FlushDenormals;
use pjrt_wrapper::client_trait::{ElementType, Status};
use stablehlo::ir::OpRef;
use std::any::Any;
use std::sync::{Arc, OnceLock};
use xla_ffi::{BufferSpec, CallSite, Registry, RunContext};

/// The version of the calling convention that is typed.
const TYPED: i64 = 4;

/// How Python callbacks were called before there were typed ones.
const UNTYPED_CALLBACK: &str = "xla_python_cpu_callback";

/// The handlers of the process, for a program.
#[derive(Default)]
pub(crate) struct RegisteredCalls<'a> {
    /// How values are spread, when the program runs once for several devices.
    pub(crate) spread: Option<&'a SpreadValues>,
}

impl CustomCalls for RegisteredCalls<'_> {
    fn bind(
        &self,
        op: OpRef<'_>,
        arguments: &[ArrayType],
        results: &[ArrayType],
    ) -> Result<Option<Arc<dyn CustomCall>>> {
        let target = op.string("call_target_name")?;
        if target == UNTYPED_CALLBACK {
            return Err(Error::unsupported(
                "a Python callback of jaxlib before 0.6, which is an untyped custom call; use jaxlib 0.6 or newer",
            ));
        }
        let Ok(handler) = Registry::process().handler(target, PLATFORM) else { return Ok(None) };
        let version = op.int_or("api_version", 1)?;
        // Older writers of programs mark typed calls by the attribute alone.
        if version != TYPED && op.attr(attributes::TYPED_CONFIG).is_none() {
            return Err(Error::unsupported(format!(
                "custom call {target:?} asks for api_version {version}; handlers of this backend speak the typed interface, \
                 api_version {TYPED}"
            )));
        }
        let attrs = attributes::of(op)?;
        let specs = |types: &[ArrayType]| types.iter().map(spec).collect::<Result<Vec<_>>>();
        if let Some(spread) = self.spread.filter(|_| target == partitioned::TARGET) {
            let tilings = op.operands().iter().map(|&value| spread.tiling(value)).collect();
            let (whole, blocks) = partitioned::blocks(arguments, tilings, spread.devices())?;
            let site = CallSite::instantiate(handler, blocks, specs(results)?, attrs, &RunContext::default());
            let call = BoundCall(site.map_err(error)?);
            let call = partitioned::PartitionedCall { call, arguments: whole, devices: spread.devices() };
            return Ok(Some(Arc::new(call)));
        }
        let (arguments, results) = (specs(arguments)?, specs(results)?);
        let site = CallSite::instantiate(handler, arguments, results, attrs, &RunContext::default());
        Ok(Some(Arc::new(BoundCall(site.map_err(error)?))))
    }
}

/// What a launch has for its custom calls.
pub(crate) struct CallContext {
    /// What handlers may ask.
    pub(crate) run: RunContext,
    /// What the first handler that failed said, with its code, for which errors of the compiler have no room.
    pub(crate) failure: Arc<OnceLock<Status>>,
}

impl CallContext {
    pub(crate) fn new(run: RunContext) -> CallContext {
        CallContext { run, failure: Arc::default() }
    }

    /// The same context for an engine that needs one of its own.
    pub(crate) fn share(&self) -> CallContext {
        CallContext { run: self.run.clone(), failure: self.failure.clone() }
    }
}

struct BoundCall(Arc<CallSite>);

impl CustomCall for BoundCall {
    fn call(
        &self,
        context: Option<&(dyn Any + Send + Sync)>,
        arguments: &[&[u8]],
        results: &mut [&mut [u8]],
    ) -> Result<()> {
        let context = context.and_then(|context| context.downcast_ref::<CallContext>());
        let context = context.ok_or_else(|| Error::internal("a launch without the context of custom calls"))?;
        let call = |arguments: &[&[u8]], results: &mut [&mut [u8]]| {
            queue::outside(|| FlushDenormals::suspended(|| self.0.execute(arguments, results, &context.run)))
        };
        packing::around(&self.0, arguments, results, call).map_err(|status| {
            _ = context.failure.set(status.clone());
            error(status)
        })
    }
}

fn spec(ty: &ArrayType) -> Result<BufferSpec> {
    let element = match ty.element {
        None => return Ok(BufferSpec::new(ElementType::Token, [])),
        Some(element) => ElementType::from_mlir_text(element.text()),
    };
    let element = element.ok_or_else(|| Error::unsupported(format!("custom calls on arrays of {:?}", ty.element)))?;
    Ok(BufferSpec::new(element, ty.dims.iter().map(|&dim| dim as i64).collect::<Vec<_>>()))
}

/// What a handler said.
fn error(status: Status) -> Error {
    Error::custom_call(status.message)
}
