//! Execute contexts: data that a caller attaches to its executions for custom calls to find.

use crate::{Result, Status};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// An address that only whoever registered its type id can interpret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserData(pub usize);

/// What an execution carries for its custom calls. Lives until the execution is done, however early the caller
/// drops its handle.
pub trait ExecuteContext: Any + Send + Sync {
    /// Attaches user data of a registered type.
    ///
    /// # Errors
    /// ALREADY_EXISTS when the type has data already; UNIMPLEMENTED when the backend has no custom calls.
    fn add_user_data(&self, type_id: i64, data: UserData) -> Result<()> {
        _ = data;
        Err(Status::unimplemented(format!("user data of type {type_id}: this backend's execute contexts carry none")))
    }

    /// The user data of a type, if some was attached.
    fn user_data(&self, type_id: i64) -> Option<UserData> {
        _ = type_id;
        None
    }
}

/// An execute context that keeps user data by type id, which is all that most backends need.
#[derive(Debug, Default)]
pub struct UserDataContext {
    by_type: Mutex<HashMap<i64, UserData>>,
}

impl ExecuteContext for UserDataContext {
    fn add_user_data(&self, type_id: i64, data: UserData) -> Result<()> {
        let mut by_type = self.by_type.lock().unwrap_or_else(PoisonError::into_inner);
        if by_type.contains_key(&type_id) {
            return Err(Status::already_exists(format!("the execute context has user data of type {type_id} already")));
        }
        by_type.insert(type_id, data);
        Ok(())
    }

    fn user_data(&self, type_id: i64) -> Option<UserData> {
        self.by_type.lock().unwrap_or_else(PoisonError::into_inner).get(&type_id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_its_data_once() {
        let context = UserDataContext::default();
        assert_eq!(context.add_user_data(7, UserData(40)), Ok(()));
        assert!(context.add_user_data(7, UserData(41)).is_err());
        assert_eq!((context.user_data(7), context.user_data(8)), (Some(UserData(40)), None));
    }
}
