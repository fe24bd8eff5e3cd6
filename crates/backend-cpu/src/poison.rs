//! Poison: a launch that is under way can be told to fail, with an error of the teller's.

use pjrt_wrapper::client_trait::{Result, Status};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// The error that a launch is to fail with, once there is one.
#[derive(Default)]
pub(crate) struct Poison(OnceLock<Status>);

impl Poison {
    /// Whether the launch is to stop.
    pub(crate) fn is_set(&self) -> bool {
        self.0.get().is_some()
    }

    /// The outcome of a launch that came to an end with `outcome`.
    pub(crate) fn applied_to<T>(&self, outcome: Result<T>) -> Result<T> {
        match self.0.get() {
            None => outcome,
            Some(status) => Err(status.clone()),
        }
    }
}

/// The launches of a device that have a number and are not done.
#[derive(Default)]
pub(crate) struct Poisons(Mutex<Vec<(i32, Weak<Poison>)>>);

impl Poisons {
    fn lock(&self) -> MutexGuard<'_, Vec<(i32, Weak<Poison>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a launch with this number holds until it is done; 0 is no number.
    pub(crate) fn enter(&self, launch_id: i32) -> Arc<Poison> {
        let poison = Arc::new(Poison::default());
        if launch_id != 0 {
            let mut running = self.lock();
            running.retain(|(_, poison)| poison.strong_count() > 0);
            running.push((launch_id, Arc::downgrade(&poison)));
        }
        poison
    }

    /// Makes every launch with this number fail that is not done; whether there was one.
    pub(crate) fn poison(&self, launch_id: i32, error: &Status) -> bool {
        let running = self.lock();
        let matching = running.iter().filter(|(id, _)| *id == launch_id).filter_map(|(_, poison)| poison.upgrade());
        matching.map(|poison| _ = poison.0.set(error.clone())).count() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_under_way_is_poisoned() {
        let poisons = Poisons::default();
        let (first, second) = (poisons.enter(7), poisons.enter(0));
        let error = Status::failed_precondition("enough");
        assert!(!poisons.poison(8, &error) && !poisons.poison(0, &error));
        assert_eq!(first.applied_to(Ok(1)), Ok(1));
        assert!(poisons.poison(7, &error));
        assert!(first.is_set() && !second.is_set());
        assert_eq!(first.applied_to(Ok(1)), Err(error.clone()));
        drop(first);
        assert!(!poisons.poison(7, &error));
    }
}
