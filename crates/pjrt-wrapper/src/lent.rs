//! Arrays and strings lent to the caller: built once, kept at fixed addresses by whoever owns them.

use pjrt_client_trait::{NamedValue, Value};
use pjrt_sys as sys;
use std::ffi::c_char;

/// An array of C pointers (or of structs that hold them) that is never changed after it was built.
pub(crate) struct LentArray<T>(Box<[T]>);

// SAFETY: the array is immutable; what its pointers refer to is handles, or heap data of the same owner that is
// immutable as well, so any thread may read it.
unsafe impl<T> Send for LentArray<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for LentArray<T> {}

/// A static C struct that is never changed, such as a function table.
pub(crate) struct Constant<T>(pub(crate) T);

// SAFETY: the struct is immutable, and its pointers are null or functions.
unsafe impl<T> Sync for Constant<T> {}

impl<T> LentArray<T> {
    pub(crate) fn new(items: impl IntoIterator<Item = T>) -> Self {
        LentArray(items.into_iter().collect())
    }

    /// Null for an empty array, so that nobody looks.
    pub(crate) fn as_ptr(&self) -> *const T {
        if self.0.is_empty() { std::ptr::null() } else { self.0.as_ptr() }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.0
    }
}

/// Byte strings lent as parallel arrays of pointers and sizes.
pub(crate) struct LentStrings {
    pub(crate) pointers: LentArray<*const c_char>,
    pub(crate) sizes: LentArray<usize>,
    _strings: Vec<Box<[u8]>>,
}

impl LentStrings {
    pub(crate) fn new(strings: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        let strings: Vec<Box<[u8]>> = strings.into_iter().map(|text| text.into().into_boxed_slice()).collect();
        LentStrings {
            pointers: LentArray::new(strings.iter().map(|text| text.as_ptr().cast())),
            sizes: LentArray::new(strings.iter().map(|text| text.len())),
            _strings: strings,
        }
    }
}

/// Named values lent as an array of `PJRT_NamedValue`.
pub(crate) struct LentNamedValues {
    pub(crate) raw: LentArray<sys::PJRT_NamedValue>,
    _values: Box<[NamedValue]>,
}

impl LentNamedValues {
    pub(crate) fn new(values: Vec<NamedValue>) -> Self {
        // The texts and lists are heap data of `values`, which does not move or change from here on.
        let values = values.into_boxed_slice();
        LentNamedValues { raw: LentArray::new(values.iter().map(named_value)), _values: values }
    }
}

fn named_value(named: &NamedValue) -> sys::PJRT_NamedValue {
    use sys::PJRT_NamedValue_Type as Type;
    let mut raw = sys::PJRT_NamedValue {
        struct_size: <sys::PJRT_NamedValue as sys::Struct>::STRUCT_SIZE,
        name: named.name.as_ptr().cast(),
        name_size: named.name.len(),
        value_size: 1,
        ..Default::default()
    };
    let union = &mut raw.__bindgen_anon_1;
    raw.type_ = match &named.value {
        Value::String(text) => {
            raw.value_size = text.len();
            union.string_value = text.as_ptr().cast();
            Type::kString
        }
        Value::Int64(number) => {
            union.int64_value = *number;
            Type::kInt64
        }
        Value::Int64List(list) => {
            raw.value_size = list.len();
            union.int64_array_value = list.as_ptr();
            Type::kInt64List
        }
        Value::Float(number) => {
            union.float_value = *number;
            Type::kFloat
        }
        Value::Bool(flag) => {
            union.bool_value = *flag;
            Type::kBool
        }
    };
    raw
}

/// Bytes handed out together with a holder and a deleter that the caller calls exactly once.
pub(crate) struct LentBytes {
    /// Where the bytes are.
    pub(crate) data: *const c_char,
    /// How many there are.
    pub(crate) size: usize,
    /// What the deleter gets.
    pub(crate) holder: *mut std::ffi::c_void,
}

struct Holder(Vec<u8>);

/// Gives bytes away until [`delete_lent_bytes`] is called with the holder.
pub(crate) fn lend_bytes(bytes: Vec<u8>) -> LentBytes {
    let holder = Box::new(Holder(bytes));
    let (data, size) = (holder.0.as_ptr().cast(), holder.0.len());
    LentBytes { data, size, holder: Box::into_raw(holder).cast() }
}

/// Frees what [`lend_bytes`] gave away. `P` is the opaque C type of the holder. Null does nothing.
pub(crate) unsafe extern "C" fn delete_lent_bytes<P>(holder: *mut P) {
    if !holder.is_null() {
        // SAFETY: a non-null holder comes from `lend_bytes`, and the caller calls its deleter once.
        drop(unsafe { Box::from_raw(holder.cast::<Holder>()) });
    }
}
