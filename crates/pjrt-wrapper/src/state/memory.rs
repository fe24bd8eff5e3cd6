//! `PJRT_Memory`: an object with a function table at its start, since frameworks look inside.
//!
//! Frameworks keep data of their own on a memory, by key; they read it from many threads on every buffer.

use crate::lent::{Constant, LentArray};
use pjrt_client_trait::{PjrtMemorySpace, Result, Status};
use pjrt_sys as sys;
use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

struct UserDatum {
    data: *mut c_void,
    destructor: Destructor,
}

impl UserDatum {
    fn destroy(self) {
        if let (Some(destructor), false) = (self.destructor, self.data.is_null()) {
            // SAFETY: the framework gave the destructor together with the data, and this is its one call.
            unsafe { destructor(self.data) };
        }
    }
}

/// What a `PJRT_Memory` of ours really is.
#[repr(C)]
pub(crate) struct MemoryObject {
    base: sys::PJRT_Memory,
    /// Position in the client's list.
    pub(crate) index: usize,
    pub(crate) facts: PjrtMemorySpace,
    /// Handles of the devices that can use it; set when the client is complete.
    pub(crate) devices: OnceLock<LentArray<*mut sys::PJRT_Device>>,
    user_data: RwLock<HashMap<usize, UserDatum>>,
}

const _: () = assert!(offset_of!(MemoryObject, base) == 0);

// SAFETY: the table is static, and the framework's data are its own to use from several threads; access to the
// map is locked.
unsafe impl Send for MemoryObject {}
// SAFETY: as above.
unsafe impl Sync for MemoryObject {}

static TABLE: Constant<sys::PJRT_Memory_FunctionTable> = Constant(sys::PJRT_Memory_FunctionTable {
    struct_size: <sys::PJRT_Memory_FunctionTable as sys::Struct>::STRUCT_SIZE,
    extension_start: std::ptr::null_mut(),
    instance_struct_size: size_of::<sys::PJRT_Memory>(),
    get_user_data: Some(get_user_data),
    set_user_data: Some(set_user_data),
});

/// All memories of all clients, by address: how a pointer from outside is known to be one.
static LIVE: RwLock<Option<HashMap<usize, Arc<MemoryObject>>>> = RwLock::new(None);

/// A memory, registered until this is dropped.
pub(crate) struct MemoryHandle(Arc<MemoryObject>);

impl MemoryHandle {
    pub(crate) fn new(index: usize, facts: PjrtMemorySpace) -> Self {
        let object = Arc::new(MemoryObject {
            base: sys::PJRT_Memory { vtable: &raw const TABLE.0 },
            index,
            facts,
            devices: OnceLock::new(),
            user_data: RwLock::default(),
        });
        let mut live = LIVE.write().unwrap_or_else(PoisonError::into_inner);
        live.get_or_insert_default().insert(Arc::as_ptr(&object).addr(), object.clone());
        MemoryHandle(object)
    }

    pub(crate) fn object(&self) -> &Arc<MemoryObject> {
        &self.0
    }

    pub(crate) fn raw(&self) -> *mut sys::PJRT_Memory {
        Arc::as_ptr(&self.0).cast_mut().cast()
    }
}

impl Drop for MemoryHandle {
    fn drop(&mut self) {
        if let Some(live) = &mut *LIVE.write().unwrap_or_else(PoisonError::into_inner) {
            live.remove(&Arc::as_ptr(&self.0).addr());
        }
        let user_data = std::mem::take(&mut *self.0.user_data.write().unwrap_or_else(PoisonError::into_inner));
        user_data.into_values().for_each(UserDatum::destroy);
    }
}

/// The memory behind a pointer.
///
/// # Errors
/// INVALID_ARGUMENT when it is null or no live memory.
pub(crate) fn get(memory: *const sys::PJRT_Memory) -> Result<Arc<MemoryObject>> {
    let live = LIVE.read().unwrap_or_else(PoisonError::into_inner);
    live.as_ref().and_then(|live| live.get(&memory.addr())).cloned().ok_or_else(|| {
        Status::invalid_argument(if memory.is_null() {
            "a PJRT_Memory is null where one is needed".to_owned()
        } else {
            format!("{memory:p} is not a live PJRT_Memory of this plugin")
        })
    })
}

unsafe extern "C" fn get_user_data(memory: *mut sys::PJRT_Memory, key: *const c_void) -> *mut c_void {
    let Ok(memory) = get(memory) else { return std::ptr::null_mut() };
    let user_data = memory.user_data.read().unwrap_or_else(PoisonError::into_inner);
    user_data.get(&key.addr()).map_or(std::ptr::null_mut(), |datum| datum.data)
}

unsafe extern "C" fn set_user_data(
    memory: *mut sys::PJRT_Memory,
    key: *const c_void,
    data: *mut c_void,
    destructor: Destructor,
) {
    let Ok(memory) = get(memory) else { return };
    let previous = {
        let mut user_data = memory.user_data.write().unwrap_or_else(PoisonError::into_inner);
        if data.is_null() {
            user_data.remove(&key.addr())
        } else {
            user_data.insert(key.addr(), UserDatum { data, destructor })
        }
    };
    if let Some(previous) = previous {
        previous.destroy();
    }
}
