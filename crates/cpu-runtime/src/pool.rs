//! The thread pool: one for all devices, whose workers never wait for each other.
//!
//! A job is a function and a number of tasks. Whoever starts a job works on it too, and waits only for tasks that
//! others have already begun; a job that is started inside a task is no different. So a job always finishes, also
//! when every worker is busy or there is none, as in a forked child.
//!
//! Which thread runs which task is not determined. What a kernel computes must not depend on it: tasks are cut by
//! the size of the data and not by the number of threads.

use crate::denormals::FlushDenormals;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread;

/// How often an idle worker looks before it sleeps; a fraction of a millisecond, in which the next loop of the
/// same program usually comes.
const SPINS: usize = 10_000;

type Task = dyn Fn(usize) + Sync;

struct Job {
    /// Borrowed from the starter, who does not return before `unfinished` is zero.
    task: *const Task,
    tasks: usize,
    next: AtomicUsize,
    unfinished: AtomicUsize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `task` may be called from any thread (it is Sync), and is called only while its owner waits.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Runs tasks until none is left to begin.
    fn work(&self) {
        loop {
            let task = self.next.fetch_add(1, Ordering::Relaxed);
            if task >= self.tasks {
                return;
            }
            // SAFETY: this task was not begun before, so the starter still waits and the borrow is alive.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (*self.task)(task) }));
            if let Err(panic) = outcome {
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
            // Nothing of the starter's is touched after this.
            self.unfinished.fetch_sub(1, Ordering::Release);
        }
    }

    fn is_exhausted(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.tasks
    }
}

#[derive(Default)]
struct Shared {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    /// Number of entries of `jobs`, to look at without the lock.
    waiting: AtomicUsize,
    wake: Condvar,
    sleeping: AtomicUsize,
    closed: AtomicBool,
}

impl Shared {
    fn jobs(&self) -> MutexGuard<'_, VecDeque<Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The oldest job with tasks to begin; drops those without.
    fn find(&self, jobs: &mut VecDeque<Arc<Job>>) -> Option<Arc<Job>> {
        while jobs.front().is_some_and(|job| job.is_exhausted()) {
            jobs.pop_front();
        }
        self.waiting.store(jobs.len(), Ordering::Relaxed);
        jobs.front().cloned()
    }

    fn serve(&self) {
        loop {
            for _ in 0..SPINS {
                if self.waiting.load(Ordering::Relaxed) > 0 {
                    let job = self.find(&mut self.jobs());
                    if let Some(job) = job {
                        job.work();
                    }
                }
                if self.closed.load(Ordering::Relaxed) {
                    return;
                }
                std::hint::spin_loop();
            }
            let mut jobs = self.jobs();
            self.sleeping.fetch_add(1, Ordering::Relaxed);
            while self.find(&mut jobs).is_none() && !self.closed.load(Ordering::Relaxed) {
                jobs = self.wake.wait(jobs).unwrap_or_else(PoisonError::into_inner);
            }
            self.sleeping.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// How often this process was forked off another since the first call: a number that differs between a pool's process
/// and its children, and costs no system call to look at.
fn forks() -> usize {
    static FORKS: AtomicUsize = AtomicUsize::new(0);
    static COUNTED: Once = Once::new();
    extern "C" fn count() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    COUNTED.call_once(|| {
        // SAFETY: the handler touches an atomic number and nothing else, which is allowed in a child of fork. Without
        // memory for it, pools in children would wait for threads that are not there, so that is no way to go on.
        let registered = unsafe { libc::pthread_atfork(None, None, Some(count)) };
        assert_eq!(registered, 0, "no memory to watch forks");
    });
    FORKS.load(Ordering::Relaxed)
}

/// The stack of each thread on which programs run, in bytes. Handlers of custom calls run on it, which count on the 8 MiB
/// that threads have by default: BLAS keeps half a megabyte for each level of a recursion. Only what is used takes memory.
pub const STACK_SIZE: usize = 32 << 20;

/// A pool of threads that work on jobs together with whoever starts them.
pub struct Pool {
    shared: Arc<Shared>,
    threads: usize,
    /// Forks of the process before this was made.
    forks: usize,
    workers: Vec<thread::JoinHandle<()>>,
}

impl Pool {
    /// A pool in which `threads` threads work on a job: the starter and `threads - 1` others. If the system gives
    /// fewer, there are fewer.
    pub fn new(threads: usize) -> Pool {
        let forks = forks();
        let shared = Arc::new(Shared::default());
        let spawn = |index: usize| {
            let shared = shared.clone();
            thread::Builder::new()
                .name(format!("cpu worker {index}"))
                .stack_size(STACK_SIZE)
                .spawn(move || {
                    // Programs flush denormals, whichever thread computes a part of them.
                    let _mode = FlushDenormals::on_this_thread();
                    shared.serve();
                })
                .ok()
        };
        let workers: Vec<_> = (1..threads).map_while(spawn).collect();
        Pool { shared, threads: workers.len() + 1, forks, workers }
    }

    /// Threads that can work on one job, the starter included. One in a forked child, where the others are not.
    pub fn threads(&self) -> usize {
        if self.is_home() { self.threads } else { 1 }
    }

    /// Whether the threads are in this process.
    fn is_home(&self) -> bool {
        self.forks == forks()
    }

    /// Calls `task(0)` to `task(tasks - 1)`, each once, on several threads, and returns when all are done.
    ///
    /// # Panics
    /// With the payload of the first task that panicked, after the others are done.
    pub fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if tasks <= 1 || self.threads() == 1 {
            (0..tasks).for_each(task);
            return;
        }
        // SAFETY: the lifetime is erased, but nobody calls the task after this function has returned: see `Job`.
        let erased = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const Task>(task) };
        let job = Arc::new(Job {
            task: erased,
            tasks,
            next: AtomicUsize::new(0),
            unfinished: AtomicUsize::new(tasks),
            panic: Mutex::new(None),
        });
        {
            let mut jobs = self.shared.jobs();
            jobs.push_back(job.clone());
            self.shared.waiting.store(jobs.len(), Ordering::Relaxed);
            if self.shared.sleeping.load(Ordering::Relaxed) > 0 {
                self.shared.wake.notify_all();
            }
        }
        job.work();
        // What is left was begun by others and is on its way.
        let mut looks = 0usize;
        while job.unfinished.load(Ordering::Acquire) > 0 {
            looks += 1;
            if looks.is_multiple_of(SPINS) {
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
        let panic = job.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if !self.is_home() {
            // The workers stayed in the parent; there is nobody to join.
            self.workers.drain(..).for_each(std::mem::forget);
            return;
        }
        self.shared.closed.store(true, Ordering::Relaxed);
        {
            let _jobs = self.shared.jobs();
            self.shared.wake.notify_all();
        }
        for worker in self.workers.drain(..) {
            _ = worker.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each_once(pool: &Pool, tasks: usize) {
        let counts: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
        pool.run(tasks, &|task| _ = counts[task].fetch_add(1, Ordering::Relaxed));
        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn every_task_runs_once_whatever_the_number_of_threads() {
        for threads in [0, 1, 2, 5] {
            let pool = Pool::new(threads);
            for tasks in [0, 1, 2, 7, 1000] {
                each_once(&pool, tasks);
            }
        }
    }

    #[test]
    fn jobs_inside_tasks_finish() {
        let pool = Pool::new(3);
        let leaves = AtomicUsize::new(0);
        pool.run(8, &|_| pool.run(8, &|_| pool.run(8, &|_| _ = leaves.fetch_add(1, Ordering::Relaxed))));
        assert_eq!(leaves.into_inner(), 512);
    }

    #[test]
    fn jobs_of_several_threads_finish() {
        let pool = Pool::new(2);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| each_once(&pool, 16)));
            }
        });
    }

    #[test]
    fn a_panic_reaches_the_starter_and_the_pool_goes_on() {
        let pool = Pool::new(2);
        let caught = catch_unwind(AssertUnwindSafe(|| pool.run(10, &|task| assert_ne!(task, 7, "seven"))));
        assert!(caught.unwrap_err().downcast_ref::<String>().unwrap().contains("seven"));
        each_once(&pool, 100);
    }

    #[test]
    fn sleeping_workers_wake() {
        let pool = Pool::new(2);
        for _ in 0..3 {
            thread::sleep(std::time::Duration::from_millis(30));
            each_once(&pool, 50);
        }
    }
}
