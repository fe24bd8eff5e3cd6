//! The thread of a device: programs that take their time run here, one after another, while the framework goes on.
//!
//! A program that calls back into its host may wait there for another program, which may be behind it in the queue. So
//! whoever calls back gives up its turn first ([`outside`]), and another thread serves the queue meanwhile.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

type Command = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    commands: VecDeque<Command>,
    /// Whether somebody has the turn.
    busy: bool,
    /// Threads that wait for the turn.
    idle: usize,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    name: String,
}

/// Commands begin in the order in which they were pushed, each when the one before has ended or is outside.
pub(crate) struct Queue {
    shared: Arc<Shared>,
    process: u32,
}

thread_local! {
    /// The queue that this thread serves, if it does and has the turn.
    static TURN: RefCell<Option<Arc<Shared>>> = const { RefCell::new(None) };
}

impl Queue {
    pub(crate) fn new(device: i32) -> Queue {
        let name = format!("rust_cpu {device}");
        let shared = Shared { state: Mutex::default(), wake: Condvar::new(), name };
        Queue { shared: Arc::new(shared), process: std::process::id() }
    }

    /// Runs `command`, which must not panic, after what was pushed before; at once, on this thread, where there are no
    /// threads to be had: in a forked child, or when the system gives none.
    pub(crate) fn push(&self, command: impl FnOnce() + Send + 'static) {
        if self.process != std::process::id() {
            return command();
        }
        let must_spawn = {
            let mut state = self.shared.lock();
            state.commands.push_back(Box::new(command));
            if state.busy {
                return;
            }
            state.idle == 0
        };
        self.shared.serve_by_another(must_spawn);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            self.shared.lock().closed = true;
            self.shared.wake.notify_all();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a waiting thread, or a new one, take the turn. Without threads the commands run here.
    fn serve_by_another(self: &Arc<Self>, must_spawn: bool) {
        if !must_spawn {
            self.wake.notify_one();
            return;
        }
        let shared = self.clone();
        let thread = thread::Builder::new().name(self.name.clone()).stack_size(cpu_runtime::STACK_SIZE);
        if thread.spawn(move || shared.serve()).is_err() {
            self.run_all();
        }
    }

    /// A thread's life: take the turn when it is free, run what there is, wait.
    fn serve(self: Arc<Self>) {
        loop {
            self.run_all();
            let mut state = self.lock();
            state.idle += 1;
            while (state.busy || state.commands.is_empty()) && !state.closed {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.idle -= 1;
            if state.closed && state.commands.is_empty() {
                return;
            }
        }
    }

    /// Runs commands as long as there are some and the turn is to be had.
    fn run_all(self: &Arc<Self>) {
        loop {
            let command = {
                let mut state = self.lock();
                if state.busy {
                    return;
                }
                let Some(command) = state.commands.pop_front() else { return };
                state.busy = true;
                command
            };
            let outer = TURN.with(|turn| turn.replace(Some(self.clone())));
            command();
            let held = TURN.with(|turn| turn.replace(outer)).is_some();
            if held {
                self.lock().busy = false;
            }
        }
    }
}

/// Runs `call`, which may wait for commands of the queue that this thread serves: others run meanwhile. The turn is not
/// taken back, so for what is left of this command there may be two at work.
pub(crate) fn outside<R>(call: impl FnOnce() -> R) -> R {
    if let Some(queue) = TURN.with(|turn| turn.take()) {
        let (waiting, must_spawn) = {
            let mut state = queue.lock();
            state.busy = false;
            (!state.commands.is_empty(), state.idle == 0)
        };
        if waiting {
            queue.serve_by_another(must_spawn);
        }
    }
    call()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn commands_begin_in_order() {
        let queue = Queue::new(0);
        let (sender, order) = channel();
        for number in 0..100 {
            let sender = sender.clone();
            queue.push(move || sender.send(number).unwrap());
        }
        drop(sender);
        assert!(order.iter().eq(0..100));
    }

    #[test]
    fn what_is_outside_may_wait_for_what_comes_after() {
        let queue = Arc::new(Queue::new(0));
        let (sender, receiver) = channel();
        let inner = queue.clone();
        queue.push(move || {
            let answer = outside(|| {
                let (done, wait) = channel();
                inner.push(move || {
                    let deeper = outside(|| 20);
                    done.send(deeper + 1).unwrap();
                });
                wait.recv().unwrap()
            });
            sender.send(answer * 2).unwrap();
        });
        assert_eq!(receiver.recv(), Ok(42));
        // The queue goes on afterwards.
        let (sender, receiver) = channel();
        queue.push(move || sender.send(1).unwrap());
        assert_eq!(receiver.recv(), Ok(1));
    }

    #[test]
    fn what_was_pushed_runs_although_the_queue_is_dropped() {
        let (sender, receiver) = channel();
        let queue = Queue::new(0);
        for number in 0..10 {
            let sender = sender.clone();
            queue.push(move || sender.send(number).unwrap());
        }
        drop((queue, sender));
        assert_eq!(receiver.iter().sum::<i32>(), 45);
    }
}
