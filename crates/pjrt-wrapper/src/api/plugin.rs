//! `PJRT_Plugin_*`.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::lent::LentNamedValues;
use pjrt_client_trait::{NamedValue, Result};
use pjrt_sys as sys;
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// `PJRT_Plugin_Initialize`.
pub(crate) fn initialize<B: Backend>(_: Caller<'_>, _: &mut sys::PJRT_Plugin_Initialize_Args) -> Result<()> {
    B::initialize()
}

/// Attributes by backend type: process lifetime, built at the first call.
static ATTRIBUTES: Mutex<Option<HashMap<TypeId, &'static LentNamedValues>>> = Mutex::new(None);

fn attributes_of<B: Backend>() -> &'static LentNamedValues {
    let mut by_backend = ATTRIBUTES.lock().unwrap_or_else(PoisonError::into_inner);
    by_backend.get_or_insert_default().entry(TypeId::of::<B>()).or_insert_with(|| {
        let mut all = vec![NamedValue::new("xla_version", 2)];
        // A backend whose own list panics still starts: frameworks abort when this function fails.
        let own = crate::call::catch_panic("attributes", || Ok(B::attributes())).unwrap_or_else(|status| {
            tracing::error!(target: "pjrt", "{status}");
            Vec::new()
        });
        for named in own {
            all.retain(|earlier| earlier.name != named.name);
            all.push(named);
        }
        Box::leak(Box::new(LentNamedValues::new(all)))
    })
}

/// `PJRT_Plugin_Attributes`.
pub(crate) fn attributes<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Plugin_Attributes_Args) -> Result<()> {
    let attributes = &attributes_of::<B>().raw;
    args.attributes = attributes.as_ptr();
    args.num_attributes = attributes.len();
    Ok(())
}
