//! What is behind the handles: our objects around the backend's.

pub(crate) mod buffer;
pub(crate) mod client;
pub(crate) mod deferred;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod executable;
pub(crate) mod loaded;
pub(crate) mod memory;
pub(crate) mod topology;
