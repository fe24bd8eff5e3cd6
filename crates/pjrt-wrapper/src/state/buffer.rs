//! `PJRT_Buffer`: live, donated or deleted.
//!
//! Metadata are kept here, apart from the backend's buffer, so they stay readable in every state. The storage
//! is held by `Arc`s: one of a live buffer, one of its external references, one of each user in flight. So a
//! deletion never waits, and a donated buffer that somebody still reads cannot be unwrapped by the backend.

use crate::backend::Backend;
use crate::call::catch_panic;
use crate::handle::HandleType;
use crate::lent::LentArray;
use crate::state::client::ClientState;
use crate::state::deferred::{BufferOf, Deferred};
use pjrt_client_trait::{Event, Layout, MemoryId, PjrtBuffer, Result, Shape, Status};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Where the contents of a live buffer come from.
pub(crate) enum Source<B: Backend> {
    Direct(Arc<BufferOf<B>>),
    Deferred(Deferred<B>),
    Failed(Status),
}

impl<B: Backend> Clone for Source<B> {
    fn clone(&self) -> Self {
        match self {
            Source::Direct(buffer) => Source::Direct(buffer.clone()),
            Source::Deferred(deferred) => Source::Deferred(deferred.clone()),
            Source::Failed(status) => Source::Failed(status.clone()),
        }
    }
}

impl<B: Backend> Source<B> {
    /// The backend's buffer if it exists by now; `None` if it has to be waited for.
    pub(crate) fn now(&self) -> Result<Option<Arc<BufferOf<B>>>> {
        match self {
            Source::Direct(buffer) => Ok(Some(buffer.clone())),
            Source::Failed(status) => Err(status.clone()),
            Source::Deferred(deferred) => match deferred.event().outcome() {
                None => Ok(None),
                Some(outcome) => outcome.and_then(|()| deferred.buffer()).map(Some),
            },
        }
    }

    /// Succeeds when the backend's buffer exists.
    pub(crate) fn exists(&self) -> Event {
        match self {
            Source::Direct(_) => Event::ready(),
            Source::Deferred(deferred) => deferred.event().clone(),
            Source::Failed(status) => Event::failed(status.clone()),
        }
    }

    /// Calls `action` with the backend's buffer when it exists: now, if it does. Its contents may be pending.
    pub(crate) fn when_exists(&self, action: impl FnOnce(Result<Arc<BufferOf<B>>>) + Send + 'static) {
        match self {
            Source::Direct(buffer) => action(Ok(buffer.clone())),
            Source::Failed(status) => action(Err(status.clone())),
            Source::Deferred(deferred) => {
                let later = deferred.clone();
                deferred.event().on_ready(move |outcome| action(outcome.and_then(|()| later.buffer())));
            }
        }
    }

    /// Calls `action` with the backend's buffer when its contents are ready: now, if they are. `action` runs on
    /// whatever thread completes them, so it must not panic.
    pub(crate) fn when_ready(&self, action: impl FnOnce(Result<Arc<BufferOf<B>>>) + Send + 'static) {
        self.when_exists(move |outcome| match outcome {
            Err(status) => action(Err(status)),
            Ok(buffer) => match catch_panic("ready_event", || Ok(buffer.ready_event())) {
                Err(status) => action(Err(status)),
                Ok(ready) => ready.on_ready(move |outcome| action(outcome.map(|()| buffer))),
            },
        });
    }

    /// Ready when the contents are.
    pub(crate) fn ready_event(&self) -> Event {
        match self {
            Source::Direct(buffer) => {
                // Frameworks abort when they get no event, so a panic is the outcome of one.
                catch_panic("PJRT_Buffer_ReadyEvent", || Ok(buffer.ready_event())).unwrap_or_else(Event::failed)
            }
            Source::Failed(status) => Event::failed(status.clone()),
            Source::Deferred(_) => {
                let (promise, event) = Event::pending();
                self.when_ready(move |outcome| promise.complete(outcome.map(drop)));
                event
            }
        }
    }
}

enum Content<B: Backend> {
    Live(Source<B>),
    Gone(&'static str),
}

/// Storage held by callers that were given its address.
struct External<B: Backend> {
    count: usize,
    hold: Option<Source<B>>,
}

/// A layout as it is lent: `minor_to_major`, all tile extents, ranks of the tiles.
pub(crate) struct LentLayout {
    pub(crate) minor_to_major: LentArray<i64>,
    pub(crate) tile_dims: LentArray<i64>,
    pub(crate) tile_ranks: LentArray<usize>,
}

pub(crate) struct BufferState<B: Backend> {
    pub(crate) client: Arc<ClientState<B>>,
    pub(crate) shape: Shape,
    pub(crate) layout: Layout,
    pub(crate) memory: MemoryId,
    content: Mutex<Content<B>>,
    /// Why the data cannot be had although the buffer is live.
    broken: OnceLock<Status>,
    external: Mutex<External<B>>,
    lent_layout: OnceLock<LentLayout>,
    pub(crate) dynamic_dimensions: LentArray<usize>,
    logical_dimensions: OnceLock<Vec<i64>>,
}

impl<B: Backend> HandleType for BufferState<B> {
    const KIND: &'static str = "PJRT_Buffer";
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: Backend> BufferState<B> {
    /// A buffer of the backend.
    ///
    /// # Errors
    /// INTERNAL when the backend says that it lives in a memory that does not exist.
    pub(crate) fn direct(client: &Arc<ClientState<B>>, buffer: Arc<BufferOf<B>>) -> Result<Arc<Self>> {
        client.memory(buffer.memory_space())?;
        let (shape, layout, memory) = (buffer.shape().clone(), buffer.layout(), buffer.memory_space());
        let dynamic = buffer.dynamic_dimensions();
        Ok(Arc::new(Self::with_source(client, shape, layout, memory, dynamic, Source::Direct(buffer))))
    }

    /// A buffer that the backend does not have yet, or never will.
    pub(crate) fn placeholder(
        client: &Arc<ClientState<B>>,
        shape: Shape,
        layout: Layout,
        memory: MemoryId,
        source: Source<B>,
    ) -> Arc<Self> {
        Arc::new(Self::with_source(client, shape, layout, memory, Vec::new(), source))
    }

    fn with_source(
        client: &Arc<ClientState<B>>,
        shape: Shape,
        layout: Layout,
        memory: MemoryId,
        dynamic: Vec<usize>,
        source: Source<B>,
    ) -> Self {
        BufferState {
            client: client.clone(),
            shape,
            layout,
            memory,
            content: Mutex::new(Content::Live(source)),
            broken: OnceLock::new(),
            external: Mutex::new(External { count: 0, hold: None }),
            lent_layout: OnceLock::new(),
            dynamic_dimensions: LentArray::new(dynamic),
            logical_dimensions: OnceLock::new(),
        }
    }

    /// The contents of a live buffer.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it was donated or deleted; the error of [`Self::break_with`].
    pub(crate) fn source(&self) -> Result<Source<B>> {
        if let Some(status) = self.broken.get() {
            return Err(status.clone());
        }
        match &*locked(&self.content) {
            Content::Live(source) => Ok(source.clone()),
            Content::Gone(how) => Err(self.gone(how)),
        }
    }

    /// Keeps an error that the function in which it happened cannot report.
    pub(crate) fn break_with(&self, status: Status) {
        _ = self.broken.set(status);
    }

    fn gone(&self, how: &str) -> Status {
        Status::invalid_argument(format!(
            "the buffer of shape {} was {how}; its data can no longer be used",
            self.shape
        ))
    }

    /// The actual extents: the shape's, or what the device says of dynamic dimensions. Asks once, and waits for
    /// the buffer then.
    ///
    /// # Errors
    /// For dynamic dimensions those of [`Self::source`] and of the computation, and INTERNAL when the answer does
    /// not fit into the shape.
    pub(crate) fn logical_dimensions(&self) -> Result<&[i64]> {
        if self.dynamic_dimensions.len() == 0 {
            return Ok(&self.shape.dims);
        }
        if let Some(known) = self.logical_dimensions.get() {
            return Ok(known);
        }
        let source = self.source()?;
        source.exists().wait()?;
        let buffer = source.now()?.ok_or_else(|| Status::internal("a buffer that exists cannot be had"))?;
        let logical = buffer.logical_dimensions()?;
        let (bounds, dynamic) = (&self.shape.dims, self.dynamic_dimensions.as_slice());
        let fits = |(axis, (extent, bound)): (usize, (&i64, &i64))| {
            if dynamic.contains(&axis) { (0..=*bound).contains(extent) } else { extent == bound }
        };
        if logical.len() != bounds.len() || !logical.iter().zip(bounds).enumerate().all(fits) {
            return Err(Status::internal(format!(
                "the backend says that a {} with dynamic dimensions {dynamic:?} has the extents {logical:?}",
                self.shape
            )));
        }
        Ok(self.logical_dimensions.get_or_init(|| logical))
    }

    /// Whether the storage is no longer this buffer's.
    pub(crate) fn is_deleted(&self) -> bool {
        matches!(&*locked(&self.content), Content::Gone(_))
    }

    /// Gives up the storage; who still uses it keeps it until done. Idempotent.
    pub(crate) fn delete(&self) {
        let previous = {
            let mut content = locked(&self.content);
            match &*content {
                Content::Gone(_) => None,
                Content::Live(_) => Some(std::mem::replace(&mut *content, Content::Gone("deleted"))),
            }
        };
        // Dropped here, since the backend's destructor may take its time or call back.
        drop(previous);
    }

    /// Takes the storage out for a donation.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it was donated or deleted before.
    pub(crate) fn donate(&self) -> Result<Source<B>> {
        let mut content = locked(&self.content);
        match std::mem::replace(&mut *content, Content::Gone("donated")) {
            Content::Live(source) => Ok(source),
            Content::Gone(how) => {
                *content = Content::Gone(how);
                Err(self.gone(how))
            }
        }
    }

    /// Undoes [`Self::donate`] after a launch that failed.
    pub(crate) fn restore(&self, source: Source<B>) {
        *locked(&self.content) = Content::Live(source);
    }

    /// Holds the storage for a caller that reads it by address, also beyond deletion.
    pub(crate) fn add_external_reference(&self) -> Result<()> {
        let source = self.source()?;
        let mut external = locked(&self.external);
        external.count += 1;
        external.hold.get_or_insert(source);
        Ok(())
    }

    /// Ends one hold.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when there is none.
    pub(crate) fn drop_external_reference(&self) -> Result<()> {
        let released = {
            let mut external = locked(&self.external);
            external.count = external.count.checked_sub(1).ok_or_else(|| {
                Status::invalid_argument("Attempting to decrease reference on a buffer with zero reference count.")
            })?;
            if external.count == 0 { external.hold.take() } else { None }
        };
        drop(released);
        Ok(())
    }

    /// The storage, of a live buffer or of one that is held from outside.
    pub(crate) fn held_or_live(&self) -> Result<Source<B>> {
        match self.source() {
            Ok(source) => Ok(source),
            Err(gone) => locked(&self.external).hold.clone().ok_or(gone),
        }
    }

    /// The layout at a fixed address.
    pub(crate) fn lent_layout(&self) -> &LentLayout {
        self.lent_layout.get_or_init(|| LentLayout {
            minor_to_major: LentArray::new(self.layout.minor_to_major.iter().copied()),
            tile_dims: LentArray::new(self.layout.tiles.iter().flatten().copied()),
            tile_ranks: LentArray::new(self.layout.tiles.iter().map(Vec::len)),
        })
    }
}
