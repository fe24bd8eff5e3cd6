//! Types of user data and of states: names, numbers, deleters. One registry for the process, because the number of a
//! type is a static variable in the library that defines it.

use pjrt_client_trait::{Code, FfiTypeInfo, Result, Status};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Numbers that we assign start here: frameworks in the same process count their own from 1, and data of those types
/// arrive under those numbers without a registration.
const FIRST_ASSIGNED: i64 = 1 << 40;

#[derive(Default)]
struct Types {
    ids: HashMap<String, i64>,
    known: HashMap<i64, (String, FfiTypeInfo)>,
}

static TYPES: RwLock<Option<Types>> = RwLock::new(None);

/// Registers a type by name and returns its number. With `type_id` 0 a number is assigned, or the one returned that
/// the name has; otherwise the type gets that number.
///
/// # Errors
/// INVALID_ARGUMENT for an empty name, a negative number, and when name or number are known in another combination;
/// ALREADY_EXISTS when the type has another deleter.
pub fn register_type(name: &str, type_id: i64, info: FfiTypeInfo) -> Result<i64> {
    if name.is_empty() || type_id < 0 {
        let message = format!("type {name:?} with number {type_id}: a type has a name and a positive number, or 0");
        return Err(Status::invalid_argument(message));
    }
    let mut types = TYPES.write().unwrap_or_else(PoisonError::into_inner);
    let types = types.get_or_insert_default();
    let id = match (types.ids.get(name), type_id) {
        (Some(&known), 0) => known,
        (Some(&known), wanted) if known == wanted => known,
        (Some(&known), wanted) => {
            let message = format!("type {name:?} has the number {known} already, not {wanted}");
            return Err(Status::invalid_argument(message));
        }
        (None, 0) => (FIRST_ASSIGNED..).find(|id| !types.known.contains_key(id)).unwrap_or(FIRST_ASSIGNED),
        (None, wanted) => wanted,
    };
    match types.known.get_mut(&id) {
        None => {
            types.ids.insert(name.to_owned(), id);
            types.known.insert(id, (name.to_owned(), info));
        }
        Some((known, _)) if known != name => {
            return Err(Status::invalid_argument(format!("number {id} of type {name:?} is that of type {known:?}")));
        }
        Some((_, known)) => {
            if known.deleter != 0 && info.deleter != 0 && known.deleter != info.deleter {
                let message = format!("type {name:?} is registered with another deleter");
                return Err(Status::new(Code::AlreadyExists, message));
            }
            let keep = |old: usize, new: usize| if old == 0 { new } else { old };
            known.deleter = keep(known.deleter, info.deleter);
            known.serialize = keep(known.serialize, info.serialize);
            known.deserialize = keep(known.deserialize, info.deserialize);
        }
    }
    Ok(id)
}

/// The number of the type of this name, if it is registered.
pub fn type_id(name: &str) -> Option<i64> {
    read().as_ref().and_then(|types| types.ids.get(name).copied())
}

/// Name and functions of a type, if it is registered.
pub(crate) fn type_info(type_id: i64) -> Option<(String, FfiTypeInfo)> {
    read().as_ref().and_then(|types| types.known.get(&type_id).cloned())
}

/// The type for messages: its number, and its name if it has one.
pub(crate) fn describe(type_id: i64) -> String {
    match type_info(type_id) {
        Some((name, _)) => format!("{name} (number {type_id})"),
        None => format!("number {type_id} (not registered here)"),
    }
}

fn read() -> RwLockReadGuard<'static, Option<Types>> {
    TYPES.read().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_one_number_and_one_name() {
        let info = |deleter| FfiTypeInfo { deleter, ..FfiTypeInfo::default() };
        let id = register_type("registry.A", 0, info(0)).unwrap();
        assert!(id >= FIRST_ASSIGNED);
        assert_eq!(register_type("registry.A", 0, info(8)), Ok(id));
        assert_eq!(register_type("registry.A", id, info(8)), Ok(id));
        assert_eq!(register_type("registry.A", id, info(9)).unwrap_err().code, Code::AlreadyExists);
        assert_eq!(register_type("registry.A", id + 1, info(8)).unwrap_err().code, Code::InvalidArgument);
        assert_eq!(register_type("registry.B", id, info(8)).unwrap_err().code, Code::InvalidArgument);
        assert_ne!(register_type("registry.B", 0, info(8)), Ok(id));
        assert_eq!(register_type("registry.C", 77, info(0)), Ok(77));
        assert_eq!(type_info(id), Some(("registry.A".to_owned(), info(8))));
        assert!(register_type("", 0, info(0)).is_err());
        assert!(register_type("registry.D", -1, info(0)).is_err());
        assert_eq!((type_id("registry.C"), type_id("registry.D")), (Some(77), None));
    }
}
