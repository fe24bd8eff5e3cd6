//! The C ABI of XLA's typed FFI, version 0.5, with the older forms of the structs that changed.
//!
//! Owns: declarations, sizes and offsets. Must not know: what the functions do. Names are those of the C API. The
//! facts are those of the headers that jaxlib ships from 0.4.38 (API 0.1) to 0.12 (API 0.5); a test compares the
//! layout with such a header.
#![allow(non_camel_case_types, non_snake_case, reason = "the names are those of the C API")]

/// Declares C structs and lists their layouts. `header` structs begin with `struct_size` and `extension_start`.
macro_rules! structs {
    ($list:ident: $($(#[$doc:meta])* $kind:ident $name:ident, last $last:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
    })*) => {
        $(structs!(@$kind $(#[$doc])* $name, $last { $($(#[$field_doc])* $field: $type,)* });)*
        /// The layouts of the structs declared here.
        pub(super) const $list: &[$crate::sys::StructLayout] = &[$($name::LAYOUT,)*];
    };
    (@header $(#[$doc:meta])* $name:ident, $last:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        structs!(@plain $(#[$doc])* $name, $last {
            /// Bytes up to the end of the last field that the writer of this struct knows.
            struct_size: usize,
            /// The first of a chain of extensions, or null.
            extension_start: *mut $crate::sys::XLA_FFI_InternalExtension,
            $($(#[$field_doc])* $field: $type,)*
        });
        // SAFETY: the struct is `repr(C)` and its first field is `struct_size: usize`.
        unsafe impl $crate::sys::SizedStruct for $name {
            const NAME: &'static str = stringify!($name);
            const STRUCT_SIZE: usize = $name::STRUCT_SIZE;
        }
    };
    (@plain $(#[$doc:meta])* $name:ident, $last:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        impl $name {
            /// What goes into `struct_size`: the end of the last field that the C API counts.
            pub const STRUCT_SIZE: usize = std::mem::offset_of!($name, $last)
                + $crate::sys::size_of_field(|value: &$name| &value.$last);
            /// Where its fields are.
            pub const LAYOUT: $crate::sys::StructLayout = $crate::sys::StructLayout {
                name: stringify!($name),
                size: size_of::<$name>(),
                struct_size: $name::STRUCT_SIZE,
                fields: &[$((
                    stringify!($field),
                    std::mem::offset_of!($name, $field),
                    $crate::sys::size_of_field(|value: &$name| &value.$field),
                ),)*],
            };
        }
    };
}

mod frame;
mod invoke;
mod registration;
mod table;
mod values;

pub use frame::*;
pub use invoke::*;
pub use registration::*;
pub use table::*;
pub use values::*;

/// A struct that begins with its own size.
///
/// # Safety
/// The type must be `repr(C)`, valid for any bytes but those of its pointers, and begin with a `usize`.
pub unsafe trait SizedStruct: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// The size that a writer of this very form puts into the first field.
    const STRUCT_SIZE: usize;
}

/// Where the fields of a struct are, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct StructLayout {
    /// Its name in C.
    pub name: &'static str,
    /// Its size, padding included.
    pub size: usize,
    /// The end of the last field that the C API counts.
    pub struct_size: usize,
    /// Name, offset and size of every field.
    pub fields: &'static [(&'static str, usize, usize)],
}

/// The layouts of every struct of the newest version (older forms are not among them).
pub fn layouts() -> impl Iterator<Item = StructLayout> {
    [values::VALUES, frame::FRAME, invoke::INVOKE, registration::REGISTRATION, table::TABLE]
        .into_iter()
        .flatten()
        .copied()
}

const fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}
