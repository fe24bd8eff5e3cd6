//! The functions of the table, one file per group. Each takes the Args that [`crate::call`] has copied in and
//! leaves its outputs there; `args` is never the caller's own memory.

pub(crate) mod alias;
pub(crate) mod buffer_copy;
pub(crate) mod buffer_create;
pub(crate) mod buffer_host;
pub(crate) mod buffer_life;
pub(crate) mod buffer_metadata;
pub(crate) mod client;
pub(crate) mod client_create;
pub(crate) mod compile;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod executable;
pub(crate) mod execute;
pub(crate) mod execute_callbacks;
pub(crate) mod execute_context;
pub(crate) mod host_array;
pub(crate) mod loaded_executable;
pub(crate) mod memory;
pub(crate) mod plugin;
pub(crate) mod stream;
pub(crate) mod topology;
pub(crate) mod transfer_manager;
