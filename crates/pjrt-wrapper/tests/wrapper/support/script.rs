//! What a test tells the backend to do, and what the backend saw.

use pjrt_client_trait::{Event, EventPromise, ProcessInfo, Result, Status};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The script of one client. Every switch is off at first.
#[derive(Default)]
pub struct Script {
    /// New buffers stay pending until the test completes them.
    pub pending_puts: AtomicBool,
    /// Buffers keep the caller's array where the semantics allow it.
    pub keep_zero_copy: AtomicBool,
    /// Buffers are readable by address from the host.
    pub on_cpu: AtomicBool,
    /// Arrays lie column-major unless somebody asks for something else.
    pub column_major: AtomicBool,
    /// Made buffers have one more dimension than they should.
    pub wrong_shape: AtomicBool,
    /// Made buffers say that their leading dimension is dynamic, with one element less than its bound.
    pub dynamic: AtomicBool,
    /// The client assigns two replicas where one was asked for.
    pub wide_assignment: AtomicBool,
    /// The client fails every launch as soon as it sees it.
    pub fail_launches: AtomicBool,
    /// What is wrong with the client that is created next; see `client`.
    pub flaw: Mutex<&'static str>,
    /// Buffers that live.
    pub live_buffers: AtomicUsize,
    pending: Mutex<Vec<EventPromise>>,
    seen: Mutex<Seen>,
}

/// What the backend saw.
#[derive(Default)]
pub struct Seen {
    /// For each donated argument, whether nobody else held its storage.
    pub in_place: Vec<bool>,
    /// Of the last launch: launch id.
    pub launch_id: i32,
    /// Of the last launch: source location.
    pub call_location: Option<String>,
    /// Of the last launch: user data of type 7 in the context, if there was a context.
    pub user_data: Option<Option<usize>>,
    /// Of the last launch: (task, incarnation).
    pub tasks: Vec<(i32, i64)>,
    /// Of the last launch: whether callbacks are row-major.
    pub row_major: bool,
    /// Of the last launch: which arguments were donated.
    pub donated: Vec<bool>,
    /// What the launch with this id was poisoned with.
    pub poisoned: Option<(i32, Status)>,
    /// Processes of the job.
    pub processes: Vec<ProcessInfo>,
    /// Pinned ranges.
    pub pinned: HashMap<u64, usize>,
    /// Outcome of events of chunks that were received.
    pub received: Vec<u8>,
    /// What send callbacks answered.
    pub sent: Vec<Result<()>>,
    /// Program and options of the last compilation.
    pub compiled: Option<(Vec<u8>, pjrt_client_trait::CompileOptions)>,
    /// Value that came out of the key-value store at creation.
    pub rendezvous: Option<Vec<u8>>,
}

static SCRIPTS: Mutex<Vec<Arc<Script>>> = Mutex::new(Vec::new());

impl Script {
    /// A script, and the value of the client option that selects it.
    pub fn register() -> (Arc<Script>, i64) {
        let script = Arc::new(Script::default());
        let mut scripts = SCRIPTS.lock().unwrap_or_else(PoisonError::into_inner);
        scripts.push(script.clone());
        (script, scripts.len() as i64)
    }

    /// The script with this number; a fresh one for 0.
    pub fn find(number: i64) -> Result<Arc<Script>> {
        if number == 0 {
            return Ok(Arc::default());
        }
        let scripts = SCRIPTS.lock().unwrap_or_else(PoisonError::into_inner);
        let found = usize::try_from(number - 1).ok().and_then(|index| scripts.get(index)).cloned();
        found.ok_or_else(|| Status::invalid_argument(format!("there is no script {number}")))
    }

    /// Turns a behaviour on or off.
    pub fn set(&self, switch: impl Fn(&Script) -> &AtomicBool, on: bool) {
        switch(self).store(on, Ordering::SeqCst);
    }

    /// What the backend saw so far.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Buffers of the backend that have not been dropped.
    pub fn live(&self) -> usize {
        self.live_buffers.load(Ordering::SeqCst)
    }

    /// An event that the test completes.
    pub fn pending(&self) -> Event {
        let (promise, event) = Event::pending();
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push(promise);
        event
    }

    /// How many events wait for the test.
    pub fn num_pending(&self) -> usize {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Completes everything that is pending, oldest first, on this thread.
    pub fn complete(&self, outcome: &Result<()>) {
        let pending = std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        assert!(!pending.is_empty(), "nothing is pending");
        for promise in pending {
            promise.complete(outcome.clone());
        }
    }
}
