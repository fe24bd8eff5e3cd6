//! Where processes that run side by side exchange values, and how a process learns that another will not come.
//!
//! A process waits in at most one meeting. It stops waiting, with an error, as soon as a member has ended, a process
//! has failed, or members wait for each other in a circle; so nothing waits for ever.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;

use super::grid::Grid;
use crate::eval::error::OpError;
use crate::eval::process::Interrupt;
use crate::eval::tensor::Tensor;
use crate::ir::{OpId, OpRef};

/// How often a waiting process asks the embedder whether to stop.
const ASK_EVERY: Duration = Duration::from_millis(5);

/// What each member of a meeting brought, in their order.
pub(crate) type Contributions = Vec<Vec<Tensor>>;

/// The op in which processes meet.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    op: OpId,
    /// Name and location.
    text: Arc<str>,
}

impl Site {
    pub fn new(op: OpRef<'_>) -> Site {
        Site { op: op.id(), text: format!("{} at {}", op.name(), op.loc_text()).into() }
    }
}

/// A meeting: the op and the first member of the group, which is in no other group of the op.
type Place = (OpId, usize);

/// An open meeting.
struct Meeting {
    members: Vec<usize>,
    brought: Vec<Option<Vec<Tensor>>>,
}

impl Meeting {
    fn missing(&self) -> impl Iterator<Item = usize> {
        self.members.iter().zip(&self.brought).filter(|(_, b)| b.is_none()).map(|(&m, _)| m)
    }
}

/// A queue from senders to receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Channel {
    /// Channel id.
    pub id: i64,
    /// The process that receives; `None` if the host hands on to whoever asks.
    pub target: Option<usize>,
}

/// What a process does.
#[derive(Clone)]
enum Standing {
    Running,
    Waiting(Place, Arc<str>),
    Receiving(Channel),
    Finished,
    Failed,
}

struct State {
    standings: Vec<Standing>,
    meetings: HashMap<Place, Meeting>,
    /// What a complete meeting gave to each member, until it takes it.
    delivered: Vec<Option<Arc<Contributions>>>,
    /// What was sent and not yet received.
    sent: HashMap<Channel, VecDeque<Vec<Tensor>>>,
    first_failure: Option<usize>,
}

/// The meeting place of all processes of a grid.
pub(crate) struct Rendezvous {
    grid: Grid,
    state: Mutex<State>,
    changed: Condvar,
    failed: AtomicBool,
}

impl Rendezvous {
    pub fn new(grid: Grid) -> Rendezvous {
        let n = grid.num_processes();
        let state = State {
            standings: vec![Standing::Running; n],
            meetings: HashMap::new(),
            delivered: vec![None; n],
            sent: HashMap::new(),
            first_failure: None,
        };
        Rendezvous { grid, state: Mutex::new(state), changed: Condvar::new(), failed: AtomicBool::new(false) }
    }

    /// Every change of the state is complete before anything can panic, so a poisoned lock is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a process has failed, so that the others need not go on.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The process that failed first.
    pub fn first_failure(&self) -> Option<usize> {
        self.lock().first_failure
    }

    /// A process is done and will come to no further meeting.
    pub fn end(&self, process: usize, success: bool) {
        let mut state = self.lock();
        state.standings[process] = if success { Standing::Finished } else { Standing::Failed };
        if !success {
            state.first_failure.get_or_insert(process);
            self.failed.store(true, Ordering::Relaxed);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Brings `values` to the meeting of `members` at `site` and waits for what the others bring.
    pub fn meet(
        &self,
        me: usize,
        site: &Site,
        members: &[usize],
        values: Vec<Tensor>,
        interrupt: Option<Interrupt<'_>>,
    ) -> Result<Arc<Contributions>, OpError> {
        let seat = members.iter().position(|&m| m == me);
        let seat = seat.ok_or_else(|| OpError::invalid(format!("process {} is no member", self.grid.name(me))))?;
        let place = (site.op, members[0]);
        let mut state = self.lock();
        let meeting = state
            .meetings
            .entry(place)
            .or_insert_with(|| Meeting { members: members.to_vec(), brought: vec![None; members.len()] });
        if meeting.members != members {
            return Err(OpError::invalid(format!(
                "process {} meets {} and others there meet {}",
                self.grid.name(me),
                self.grid.names(members),
                self.grid.names(&meeting.members)
            )));
        }
        meeting.brought[seat] = Some(values);
        if meeting.missing().next().is_none() {
            let meeting = state.meetings.remove(&place).expect("the meeting is open");
            let all = Arc::new(meeting.brought.into_iter().flatten().collect::<Contributions>());
            for &member in members.iter().filter(|&&m| m != me) {
                state.delivered[member] = Some(Arc::clone(&all));
                state.standings[member] = Standing::Running;
            }
            drop(state);
            self.changed.notify_all();
            return Ok(all);
        }
        state.standings[me] = Standing::Waiting(place, Arc::clone(&site.text));
        // One who receives may have waited for this process.
        self.changed.notify_all();
        loop {
            if let Some(all) = state.delivered[me].take() {
                return Ok(all);
            }
            if let Some(problem) = self.obstacle(&state, me, place) {
                return Err(OpError::invalid(problem));
            }
            state = self.wait(state, interrupt, |state| state.delivered[me].is_some())?;
        }
    }

    /// Waits until the state may have changed, or until it is time to ask the embedder again.
    fn wait<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        interrupt: Option<Interrupt<'_>>,
        is_ready: impl Fn(&State) -> bool,
    ) -> Result<MutexGuard<'a, State>, OpError> {
        let Some(stop) = interrupt else {
            return Ok(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner));
        };
        drop(state);
        if stop() {
            return Err(OpError::Cancelled);
        }
        let state = self.lock();
        // What happened while unlocked has woken nobody.
        if is_ready(&state) {
            return Ok(state);
        }
        Ok(self.changed.wait_timeout(state, ASK_EVERY).unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Puts values at the end of a channel.
    pub fn send(&self, channel: Channel, values: Vec<Tensor>) {
        let mut state = self.lock();
        state.sent.entry(channel).or_default().push_back(values);
        for standing in &mut state.standings {
            if matches!(standing, Standing::Receiving(waiting) if *waiting == channel) {
                *standing = Standing::Running;
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Takes the first values of a channel, and waits for them as long as there is a process that may send.
    pub fn receive(
        &self,
        me: usize,
        site: &Site,
        channel: Channel,
        interrupt: Option<Interrupt<'_>>,
    ) -> Result<Vec<Tensor>, OpError> {
        let mut state = self.lock();
        loop {
            if let Some(values) = state.sent.get_mut(&channel).and_then(VecDeque::pop_front) {
                state.standings[me] = Standing::Running;
                return Ok(values);
            }
            state.standings[me] = Standing::Receiving(channel);
            let someone_runs = state.standings.iter().any(|standing| matches!(standing, Standing::Running));
            if state.first_failure.is_some() || !someone_runs {
                return Err(OpError::invalid(format!(
                    "process {} receives on channel {} in {}, and no process is left that could send there",
                    self.grid.name(me),
                    channel.id,
                    site.text
                )));
            }
            self.changed.notify_all();
            state =
                self.wait(state, interrupt, |state| state.sent.get(&channel).is_some_and(|queue| !queue.is_empty()))?;
        }
    }

    /// Why the meeting cannot become complete, if so.
    fn obstacle(&self, state: &State, me: usize, place: Place) -> Option<String> {
        let missing: Vec<usize> = state.meetings.get(&place)?.missing().collect();
        if let Some(failed) = state.first_failure {
            return Some(format!(
                "process {} waits for {}, and process {} has failed",
                self.grid.name(me),
                self.grid.names(&missing),
                self.grid.name(failed)
            ));
        }
        let ended: Vec<usize> =
            missing.iter().copied().filter(|&m| matches!(state.standings[m], Standing::Finished)).collect();
        if !ended.is_empty() {
            return Some(format!(
                "process {} waits for {}, of which {} ended without getting here; all members of a group must run \
                 the op equally often",
                self.grid.name(me),
                self.grid.names(&missing),
                self.grid.names(&ended)
            ));
        }
        let circle = self.circle(state, me, &missing)?;
        Some(format!(
            "process {} waits for {}, which wait for it in turn: {circle}; all members of a group must run the same \
             collectives in the same order",
            self.grid.name(me),
            self.grid.names(&missing)
        ))
    }

    /// If those that `me` waits for wait for `me` directly or through others: what they wait in.
    fn circle(&self, state: &State, me: usize, missing: &[usize]) -> Option<String> {
        let mut reached = missing.to_vec();
        let mut next = 0;
        let mut closed = false;
        let mut texts = Vec::new();
        while let Some(&process) = reached.get(next) {
            next += 1;
            let Standing::Waiting(place, text) = &state.standings[process] else { continue };
            let Some(meeting) = state.meetings.get(place) else { continue };
            texts.push(format!("process {} in {text}", self.grid.name(process)));
            for other in meeting.missing() {
                closed |= other == me;
                if other != me && !reached.contains(&other) {
                    reached.push(other);
                }
            }
        }
        closed.then(|| texts.join(", "))
    }
}
