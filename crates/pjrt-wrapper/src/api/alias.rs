//! Alias buffers: a placeholder now, the real buffer later.

use crate::api::buffer_copy::of_client;
use crate::api::client;
use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle::{self, HandleType};
use crate::state::buffer::{BufferState, Source};
use crate::state::deferred::{Deferred, Fulfil};
use pjrt_client_trait::{Layout, MemoryId, PjrtClient, Result, Shape, Status};
use pjrt_sys as sys;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What is behind a `PJRT_FulfillAliasBufferCallback`. Used once.
struct AliasState<B: Backend> {
    shape: Shape,
    layout: Layout,
    memory: MemoryId,
    placeholder: Weak<BufferState<B>>,
    fulfil: Mutex<Option<Fulfil<B>>>,
}

impl<B: Backend> HandleType for AliasState<B> {
    const KIND: &'static str = "PJRT_FulfillAliasBufferCallback";
}

impl<B: Backend> AliasState<B> {
    /// Checks that a buffer is what the placeholder was said to be: its metadata are read already.
    fn check(&self, buffer: &Arc<BufferState<B>>) -> Result<()> {
        if self.placeholder.upgrade().is_some_and(|own| Arc::ptr_eq(&own, buffer)) {
            return Err(Status::invalid_argument("an alias buffer cannot be fulfilled by itself"));
        }
        let place = |memory| buffer.client.memory(memory).map(|memory| memory.object().facts.to_string.clone());
        if (&buffer.shape, &buffer.layout, buffer.memory) != (&self.shape, &self.layout, self.memory) {
            return Err(Status::invalid_argument(format!(
                "a {}{} in memory {} cannot fulfil an alias of a {}{} in memory {}",
                buffer.shape,
                buffer.layout,
                place(buffer.memory)?,
                self.shape,
                self.layout,
                place(self.memory)?
            )));
        }
        Ok(())
    }
}

/// `PJRT_Client_CreateAliasBuffer`.
pub(crate) fn create<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Client_CreateAliasBuffer_Args) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let shape = c.shape(args.shape_element_type, args.shape_dims, args.shape_num_dims)?;
    let layout = c.layout(args.shape_layout, shape.rank())?.unwrap_or_else(|| client.client.default_layout(&shape));
    let memory = client.placement(std::ptr::null(), args.memory)?;
    let (fulfil, deferred) = Deferred::<B>::new();
    let source = Source::Deferred(deferred);
    let buffer = BufferState::placeholder(&client, shape.clone(), layout.clone(), memory, source);
    let placeholder = Arc::downgrade(&buffer);
    let alias = AliasState { shape, layout, memory, placeholder, fulfil: Mutex::new(Some(fulfil)) };
    args.alias_buffer = handle::insert(buffer);
    args.fulfill_alias_buffer_cb = handle::insert(Arc::new(alias));
    Ok(())
}

/// `PJRT_Client_FulfillAliasBuffer`. The handle is consumed by the call, even when it fails.
pub(crate) fn fulfil<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Client_FulfillAliasBuffer_Args) -> Result<()> {
    let alias = handle::remove::<AliasState<B>, _>(args.fulfill_alias_buffer_cb)?;
    let fulfil = alias.fulfil.lock().unwrap_or_else(PoisonError::into_inner).take();
    let fulfil = fulfil.ok_or_else(|| Status::invalid_argument("this alias buffer was fulfilled before"))?;
    let outcome = (|| {
        if let Some(status) = c.status(args.status_code, args.error_message, args.error_message_size)? {
            return Ok(Source::Failed(status));
        }
        let buffer = handle::get::<BufferState<B>, _>(args.buffer)?;
        of_client(args.client, &buffer)?;
        alias.check(&buffer)?;
        buffer.source()
    })();
    match outcome {
        Ok(source) => {
            source.when_exists(move |outcome| fulfil.complete(outcome));
            Ok(())
        }
        Err(status) => {
            fulfil.complete(Err(status.clone()));
            Err(status)
        }
    }
}
