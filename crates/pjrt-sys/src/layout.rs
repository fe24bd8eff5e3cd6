//! What the releases of the C API say about each struct: the sizes callers declare and the fields
//! behind them. Owns the vocabulary; the facts are in `table.rs`, generated from the header.

use core::mem::{offset_of, size_of};

use crate::OLDEST_MINOR;
use crate::bindings::*;

/// Whether the `struct_size` of a struct means anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeField {
    /// The one who fills the struct sets it: it can be checked.
    Set,
    /// The field exists, but frameworks leave it uninitialised: it must not be looked at.
    Unset,
    /// There is no such field.
    Absent,
}

/// The size of a struct from one minor version on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Release {
    /// The first minor version with this size.
    pub minor: u16,
    /// What the headers of that time put into `struct_size`.
    pub struct_size: usize,
    /// Bytes up to the end of the last field. It differs from `struct_size` where a header counted
    /// wrongly: the caller's struct has these bytes although it declares fewer.
    pub len: usize,
}

/// A struct of the C API that has a `STRUCT_SIZE`.
///
/// # Safety
///
/// Implemented by this crate only, for structs for which all zero bytes are a valid value. Where
/// [`Self::SIZE_FIELD`] is not [`SizeField::Absent`], the struct begins with a `usize`, or with a
/// [`PJRT_Extension_Base`] which does.
pub unsafe trait Struct: Copy + core::fmt::Debug + 'static {
    /// Name in C.
    const NAME: &'static str;
    /// Offset of the last field plus its size: what a caller built against our header declares.
    const STRUCT_SIZE: usize;
    /// Whether the declared size can be trusted.
    const SIZE_FIELD: SizeField;
    /// Fields in order. The only ones of a single byte are `bool`s.
    const FIELDS: &'static [Field];
    /// Every size that a release gave the struct, oldest first; the last one is
    /// [`Self::STRUCT_SIZE`]. Extensions change without a new minor version: for their structs the
    /// minor is that of the core at the time.
    const HISTORY: &'static [Release];
    /// The smallest size that a caller at or after [`OLDEST_MINOR`] declares.
    const MIN_SIZE: usize = oldest_release(Self::HISTORY).struct_size;
    /// The bytes that even such a caller's struct has: fields that end within them are always there.
    const MIN_LEN: usize = oldest_release(Self::HISTORY).len;

    /// The size in force at a minor version, or nothing if the struct is younger.
    #[must_use]
    fn released_at(minor: u16) -> Option<Release> {
        Self::HISTORY.iter().rev().find(|release| release.minor <= minor).copied()
    }
}

/// The release in force at [`OLDEST_MINOR`], or the first one of a younger struct.
const fn oldest_release(history: &'static [Release]) -> Release {
    let mut found = history[0];
    let mut at = 0;
    while at < history.len() && history[at].minor <= OLDEST_MINOR {
        found = history[at];
        at += 1;
    }
    found
}

/// A field of a struct, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name; an anonymous union is `__bindgen_anon_1`.
    pub name: &'static str,
    /// Offset in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
}

/// A struct of the C API, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StructInfo {
    /// Name in C.
    pub name: &'static str,
    /// `sizeof`, tail padding included: the step of arrays.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Fields in order.
    pub fields: &'static [Field],
    /// [`Struct::STRUCT_SIZE`], for structs that have one.
    pub struct_size: Option<usize>,
    /// [`Struct::SIZE_FIELD`]; [`SizeField::Absent`] for plain records.
    pub size_field: SizeField,
    /// [`Struct::HISTORY`]; empty for plain records.
    pub history: &'static [Release],
}

/// A slot of the function table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApiFunction {
    /// Name in C.
    pub name: &'static str,
    /// Offset in [`PJRT_Api`], in bytes.
    pub offset: usize,
    /// The minor version that brought it; 0 stands for the first numbered header.
    pub since: u16,
}

/// An extension: its number, and the node that publishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extension {
    /// Value of the `type` field of the node.
    pub kind: PJRT_Extension_Type,
    /// Name of the number without its prefix, such as `Layouts`.
    pub name: &'static str,
    /// The struct of the node.
    pub node: &'static str,
    /// Its size at the newest known layout.
    pub struct_size: usize,
    /// Version of the extension's header.
    pub version: u32,
}

/// Size of the field that a projection names, without a value of either type.
const fn field_size<S, F>(_: fn(&S) -> &F) -> usize {
    size_of::<F>()
}

macro_rules! fields {
    ($name:ident, [$($field:ident),*]) => {
        &[$(Field {
            name: stringify!($field),
            offset: offset_of!($name, $field),
            size: field_size(|s: &$name| &s.$field),
        }),*]
    };
}

macro_rules! layouts {
    ($($name:ident, $last:ident, $size_field:ident,
        [$(($minor:literal, $size:literal, $len:literal)),*], [$($field:ident),*];)*) => {
        $(
            // SAFETY: the struct holds integers, pointers, optional functions and unions or structs of
            // those, for all of which zero is valid; the header puts struct_size first.
            unsafe impl Struct for $name {
                const NAME: &'static str = stringify!($name);
                const STRUCT_SIZE: usize =
                    offset_of!($name, $last) + field_size(|s: &$name| &s.$last);
                const SIZE_FIELD: SizeField = SizeField::$size_field;
                const FIELDS: &'static [Field] = fields!($name, [$($field),*]);
                const HISTORY: &'static [Release] =
                    &[$(Release { minor: $minor, struct_size: $size, len: $len }),*];
            }
            const _: () = assert!(
                $name::HISTORY[$name::HISTORY.len() - 1].struct_size == $name::STRUCT_SIZE,
                concat!("the last released size of ", stringify!($name), " is not its STRUCT_SIZE"),
            );
        )*
        const SIZED: &[StructInfo] = &[$(StructInfo {
            name: stringify!($name),
            size: size_of::<$name>(),
            align: align_of::<$name>(),
            fields: $name::FIELDS,
            struct_size: Some($name::STRUCT_SIZE),
            size_field: SizeField::$size_field,
            history: $name::HISTORY,
        }),*];
    };
}

macro_rules! plain {
    ($($name:ident, [$($field:ident),*];)*) => {
        const PLAIN: &[StructInfo] = &[$(StructInfo {
            name: stringify!($name),
            size: size_of::<$name>(),
            align: align_of::<$name>(),
            fields: fields!($name, [$($field),*]),
            struct_size: None,
            size_field: SizeField::Absent,
            history: &[],
        }),*];
    };
}

macro_rules! functions {
    ($($name:ident, $since:literal;)*) => {
        /// The function table in order, one entry a slot.
        pub static API_FUNCTIONS: &[ApiFunction] = &[$(ApiFunction {
            name: stringify!($name),
            offset: offset_of!(PJRT_Api, $name),
            since: $since,
        }),*];
    };
}

macro_rules! extensions {
    ($($node:ident, $kind:ident, $version:ident;)*) => {
        /// Every extension with a known node. The newest layout of each is used.
        pub static EXTENSIONS: &[Extension] = &[$(Extension {
            kind: PJRT_Extension_Type::$kind,
            name: stringify!($kind),
            node: stringify!($node),
            struct_size: $node::STRUCT_SIZE,
            version: $version,
        }),*];
    };
}

/// Every struct of the header: those with a `STRUCT_SIZE`, then the plain records.
pub static STRUCTS: [&[StructInfo]; 2] = [SIZED, PLAIN];

include!("table.rs");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_that_grew_accepts_the_size_in_force_at_the_oldest_minor() {
        assert_eq!(PJRT_ExecuteOptions::MIN_SIZE, 72);
        assert_eq!(PJRT_ExecuteOptions::STRUCT_SIZE, 144);
        assert_eq!(PJRT_Client_Create_Args::MIN_SIZE, 72);
    }

    #[test]
    fn a_younger_struct_accepts_its_first_size() {
        assert_eq!(PJRT_Client_CreateErrorBuffer_Args::MIN_SIZE, 96);
        assert_eq!(PJRT_Client_CreateErrorBuffer_Args::released_at(81), None);
        let first = PJRT_Client_CreateErrorBuffer_Args::released_at(82).expect("released");
        assert_eq!(first.struct_size, 96);
    }

    #[test]
    fn a_size_that_a_header_understated_keeps_its_length() {
        assert_eq!(PJRT_Plugin_Attributes_Args::MIN_SIZE, 24);
        assert_eq!(PJRT_Plugin_Attributes_Args::MIN_LEN, 32);
    }

    #[test]
    fn the_table_ends_with_its_last_function() {
        let last = API_FUNCTIONS.last().expect("not empty");
        assert_eq!(last.offset + 8, PJRT_Api::STRUCT_SIZE);
        assert_eq!(API_FUNCTIONS.len(), 138);
    }

    #[test]
    fn extension_numbers_are_unique() {
        let mut kinds: Vec<_> = EXTENSIONS.iter().map(|e| e.kind.0).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), EXTENSIONS.len());
    }
}
