//! Reading what a C caller lends: strings, arrays and nested structs, copied or borrowed for one call.
//!
//! This is where pointers of Args structs are dereferenced. A [`Caller`] exists only inside
//! [`crate::call::call`], whose contract says that the pointers in the Args are what the header says they are;
//! that contract is what every SAFETY comment here refers to as "the C contract".

use pjrt_client_trait::ElementType;
use pjrt_client_trait::{Code, Layout, NamedValue, Result, Shape, Status, Value};
use pjrt_sys as sys;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Proof that a C call is going on, and the lifetime of what its caller lends.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'call> {
    lends: PhantomData<&'call [u8]>,
}

impl<'call> Caller<'call> {
    /// # Safety
    /// For `'call`, every pointer that goes into a method of the result must be null or point to what the
    /// header says: readable memory of at least the stated length that nobody changes meanwhile.
    pub(crate) unsafe fn new() -> Self {
        Caller { lends: PhantomData }
    }

    /// An array of `count` elements. Null is fine for an empty one.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the pointer is null and the count is not zero, or the size overflows.
    pub(crate) fn slice<T>(self, data: *const T, count: usize, what: &str) -> Result<&'call [T]> {
        if count == 0 {
            return Ok(&[]);
        }
        if data.is_null() {
            return Err(Status::invalid_argument(format!("{what} is null, but its count is {count}")));
        }
        let fits = count.checked_mul(size_of::<T>().max(1)).is_some_and(|bytes| bytes <= isize::MAX as usize);
        if !fits || !data.is_aligned() {
            return Err(Status::invalid_argument(format!("{what} at {data:p} cannot be an array of {count} elements")));
        }
        // SAFETY: not null, aligned and of a size that can exist; that there are `count` elements for `'call`
        // is the C contract.
        Ok(unsafe { std::slice::from_raw_parts(data, count) })
    }

    /// Bytes whose C type is `char` or `void`.
    pub(crate) fn bytes<T>(self, data: *const T, size: usize, what: &str) -> Result<&'call [u8]> {
        self.slice(data.cast::<u8>(), size, what)
    }

    /// Text of known length.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is null with a length, or not UTF-8.
    pub(crate) fn text<T>(self, data: *const T, size: usize, what: &str) -> Result<&'call str> {
        std::str::from_utf8(self.bytes(data, size, what)?)
            .map_err(|_| Status::invalid_argument(format!("{what} is not UTF-8")))
    }

    /// Text that is meant for people: what is not UTF-8 is replaced.
    pub(crate) fn message<T>(self, data: *const T, size: usize) -> Result<String> {
        Ok(String::from_utf8_lossy(self.bytes(data, size, "an error message")?).into_owned())
    }

    /// Zero-terminated text; `None` for null and for the empty text.
    pub(crate) fn zero_terminated(self, text: *const std::ffi::c_char) -> Option<String> {
        if text.is_null() {
            return None;
        }
        // SAFETY: not null; that it ends with a zero byte is the C contract.
        let text = unsafe { std::ffi::CStr::from_ptr(text) };
        (!text.is_empty()).then(|| text.to_string_lossy().into_owned())
    }

    /// A struct with a size field, as much of it as its owner has; the rest is zero.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is null or smaller than any released version since 0.57.
    pub(crate) fn structure<T: sys::Struct>(self, data: *const T) -> Result<T> {
        // SAFETY: that the pointer is null or points to a T of its stated size is the C contract.
        unsafe { read_struct(data) }.map(|(value, _)| value)
    }

    /// A record without a usable size field (semantics §2.3), or `None` for null.
    pub(crate) fn record<T: Copy>(self, data: *const T) -> Option<T> {
        if data.is_null() {
            return None;
        }
        // SAFETY: not null; that a whole T is there is the C contract, and T is plain C data.
        Some(unsafe { data.read_unaligned() })
    }

    /// Extents of an array.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an element type that does not exist, negative extents, and sizes that overflow.
    pub(crate) fn shape(self, element_type: sys::PJRT_Buffer_Type, dims: *const i64, count: usize) -> Result<Shape> {
        let number = element_type.0;
        let element_type = ElementType::from_number(number)
            .ok_or_else(|| Status::invalid_argument(format!("{number} is not the number of a PJRT_Buffer_Type")))?;
        Shape::new(element_type, self.slice(dims, count, "dims")?)
    }

    /// A device layout for an array of `rank` dimensions; `None` for null.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for layouts given by strides, unknown kinds, and what is no permutation.
    pub(crate) fn layout(self, layout: *const sys::PJRT_Buffer_MemoryLayout, rank: usize) -> Result<Option<Layout>> {
        // Not size-checked: frameworks leave the size fields of layouts unset.
        let Some(layout) = self.record(layout) else { return Ok(None) };
        if layout.type_ == sys::PJRT_Buffer_MemoryLayout_Type::Strides {
            return Err(Status::invalid_argument(
                "a layout given by byte strides is not accepted; give minor_to_major and tiles",
            ));
        }
        if layout.type_ != sys::PJRT_Buffer_MemoryLayout_Type::Tiled {
            return Err(Status::invalid_argument(format!("unknown kind of memory layout: {}", layout.type_.0)));
        }
        // SAFETY: the tag says that the union holds the tiled kind.
        let tiled = unsafe { layout.__bindgen_anon_1.tiled };
        let minor_to_major = self.slice(tiled.minor_to_major, tiled.minor_to_major_size, "minor_to_major")?.to_vec();
        let ranks = self.slice(tiled.tile_dim_sizes, tiled.num_tiles, "tile_dim_sizes")?;
        let total = ranks.iter().try_fold(0usize, |total, &rank| total.checked_add(rank));
        let total = total.ok_or_else(|| Status::invalid_argument("the ranks of the tiles overflow"))?;
        let mut extents = self.slice(tiled.tile_dims, total, "tile_dims")?;
        let mut tiles = Vec::with_capacity(ranks.len());
        for &rank in ranks {
            let (tile, rest) = extents.split_at(rank);
            tiles.push(tile.to_vec());
            extents = rest;
        }
        let layout = Layout { minor_to_major, tiles };
        layout.validate(rank)?;
        Ok(Some(layout))
    }

    /// Options or metadata.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a type that does not exist, and for text that is not UTF-8.
    pub(crate) fn named_values(self, values: *const sys::PJRT_NamedValue, count: usize) -> Result<Vec<NamedValue>> {
        self.slice(values, count, "the list of named values")?.iter().map(|raw| self.named_value(raw)).collect()
    }

    fn named_value(self, raw: &sys::PJRT_NamedValue) -> Result<NamedValue> {
        use sys::PJRT_NamedValue_Type as Type;
        let name = self.text(raw.name, raw.name_size, "the name of a value")?;
        let union = raw.__bindgen_anon_1;
        let value = match raw.type_ {
            Type::kString => {
                // SAFETY: the tag says that the union holds text.
                let text = unsafe { union.string_value };
                Value::String(self.text(text, raw.value_size, name)?.to_owned())
            }
            Type::kInt64 => {
                // SAFETY: the tag says that the union holds an integer.
                Value::Int64(unsafe { union.int64_value })
            }
            Type::kInt64List => {
                // SAFETY: the tag says that the union holds a pointer to integers.
                let list = unsafe { union.int64_array_value };
                Value::Int64List(self.slice(list, raw.value_size, name)?.to_vec())
            }
            Type::kFloat => {
                // SAFETY: the tag says that the union holds a float.
                Value::Float(unsafe { union.float_value })
            }
            Type::kBool => {
                // SAFETY: the tag says that the union holds a boolean; its low byte is read as a number, so
                // that no value of it is invalid.
                Value::Bool(unsafe { union.int64_value } & 0xff != 0)
            }
            other => return Err(Status::invalid_argument(format!("value \"{name}\" has unknown type {}", other.0))),
        };
        Ok(NamedValue { name: name.to_owned(), value })
    }

    /// An error made from parts; UNKNOWN for a code outside the enum. `None` for OK.
    pub(crate) fn status<T>(
        self,
        code: sys::PJRT_Error_Code,
        message: *const T,
        size: usize,
    ) -> Result<Option<Status>> {
        if code.0 == 0 {
            return Ok(None);
        }
        Ok(Some(Status::new(Code::from_number(code.0).unwrap_or(Code::Unknown), self.message(message, size)?)))
    }
}

/// Copies a C struct in: as many bytes as its owner says there are, zeros for the rest of what we know. Returns
/// the struct and the number of bytes that may be written back.
///
/// # Errors
/// INVALID_ARGUMENT when the pointer is null or the struct is smaller than any version released since 0.57.
///
/// # Safety
/// `data` must be null or point to as many readable bytes as the `struct_size` at its start says.
pub(crate) unsafe fn read_struct<T: sys::Struct>(data: *const T) -> Result<(T, usize)> {
    if data.is_null() {
        return Err(Status::invalid_argument(format!("a pointer to {} is null", T::NAME)));
    }
    // SAFETY: every such struct begins with its size.
    let size = unsafe { data.cast::<usize>().read_unaligned() };
    if size < T::MIN_SIZE {
        return Err(Status::invalid_argument(format!(
            "Unexpected {} size: expected {}, at least {}, but got {size}. The plugin was built for PJRT API {}.{}; \
             the framework is older than any it can serve (0.57), or passed garbage.",
            T::NAME,
            T::STRUCT_SIZE,
            T::MIN_SIZE,
            sys::PJRT_API_MAJOR,
            sys::PJRT_API_MINOR,
        )));
    }
    // Some headers understated a struct; what is behind the stated size is there all the same.
    let known = size.max(T::MIN_LEN).min(T::STRUCT_SIZE);
    let mut local = MaybeUninit::<T>::zeroed();
    // SAFETY: the owner says that `size` bytes are there, every release has MIN_LEN, and T has STRUCT_SIZE.
    unsafe { std::ptr::copy_nonoverlapping(data.cast::<u8>(), local.as_mut_ptr().cast::<u8>(), known) };
    for field in T::FIELDS.iter().filter(|field| field.size == size_of::<bool>()) {
        // SAFETY: the field lies inside T. The only fields of one byte are bools, and output fields may hold
        // any byte, which is no bool until it is made one.
        let byte = unsafe { &mut *local.as_mut_ptr().cast::<u8>().add(field.offset) };
        *byte = u8::from(*byte != 0);
    }
    // SAFETY: T consists of numbers, pointers, unions of those and bools; all bytes are set and the bools valid.
    Ok((unsafe { local.assume_init() }, known))
}
