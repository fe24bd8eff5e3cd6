//! The PJRT C ABI: bindings generated from our own header, and the sizes that every release gave its structs.
//!
//! This crate holds declarations and facts, no logic. Three things make it up:
//!
//! - the bindings ([`PJRT_Api`], every `Args` struct, enum and function type of the core at 0.114 and
//!   of all extensions), made by `cargo xtask bindgen` from `include/pjrt.h` and checked in, so that a
//!   build needs no libclang;
//! - [`Struct`], which tells for every struct what callers put into `struct_size`: [`Struct::STRUCT_SIZE`]
//!   (the offset of the last field plus its size, *not* `size_of`) and the sizes of former releases;
//! - [`API_FUNCTIONS`] and [`EXTENSIONS`], the function table and the extensions as data.
//!
//! Enums are newtypes over an integer with associated constants, such as [`PJRT_Buffer_Type::F32`]:
//! a value that a newer peer invents is a value like any other, and not undefined behaviour. `size_t` is
//! `usize`. Function pointers are `Option<unsafe extern "C" fn(..)>`. `Default` is all zero bytes.
//!
//! The offsets hold on 64-bit targets, the only ones that PJRT plugins exist for; elsewhere the
//! assertions in the bindings fail to compile.
//!
//! ```
//! use pjrt_sys::{PJRT_Event_IsReady_Args, Struct};
//!
//! // The struct ends in a bool: callers do not count the padding behind it.
//! assert_eq!(PJRT_Event_IsReady_Args::STRUCT_SIZE, 25);
//! assert_eq!(size_of::<PJRT_Event_IsReady_Args>(), 32);
//! ```

#[rustfmt::skip]
#[allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    missing_docs,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    clippy::allow_attributes_without_reason,
    rustdoc::all,
    reason = "generated: names and comments are those of the C header"
)]
mod bindings;
mod layout;

pub use bindings::*;
pub use layout::{
    API_FUNCTIONS, ApiFunction, EXTENSIONS, Extension, Field, Release, STRUCTS, SizeField, Struct, StructInfo,
};

/// Type of the one symbol that a plugin exports.
pub type GetPjrtApi = unsafe extern "C" fn() -> *const PJRT_Api;

/// The oldest minor version whose callers are served. The table was rearranged at 0.56 and put back at
/// 0.57; every plugin and framework since jaxlib 0.4.38 is at or after it.
pub const OLDEST_MINOR: u16 = 57;
