//! Named values: options and attributes, in both directions.

use pjrt_sys::{PJRT_NamedValue, PJRT_NamedValue__bindgen_ty_1, PJRT_NamedValue_Type, Struct as _};

/// A value of one of the five types.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Text.
    String(String),
    /// Integer.
    Int64(i64),
    /// List of integers.
    Int64List(Vec<i64>),
    /// Float.
    Float(f32),
    /// Bool.
    Bool(bool),
    /// A type number that the header does not have.
    Unknown(u32),
}

/// A named value.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedValue {
    /// Name.
    pub name: String,
    /// Value.
    pub value: Value,
    /// `value_size` as the plugin gave it: bytes, elements, or 1.
    pub value_size: usize,
}

impl NamedValue {
    /// A value to hand to a plugin.
    #[must_use]
    pub fn new(name: &str, value: Value) -> Self {
        let value_size = match &value {
            Value::String(text) => text.len(),
            Value::Int64List(list) => list.len(),
            _ => 1,
        };
        Self { name: name.to_owned(), value, value_size }
    }

    /// The C form; it borrows from `self`.
    #[must_use]
    pub fn to_raw(&self) -> PJRT_NamedValue {
        let mut raw = PJRT_NamedValue {
            struct_size: PJRT_NamedValue::STRUCT_SIZE,
            name: self.name.as_ptr().cast(),
            name_size: self.name.len(),
            value_size: self.value_size,
            ..Default::default()
        };
        let value = &mut raw.__bindgen_anon_1;
        raw.type_ = match &self.value {
            Value::String(text) => {
                value.string_value = text.as_ptr().cast();
                PJRT_NamedValue_Type::kString
            }
            Value::Int64(number) => {
                value.int64_value = *number;
                PJRT_NamedValue_Type::kInt64
            }
            Value::Int64List(list) => {
                value.int64_array_value = list.as_ptr();
                PJRT_NamedValue_Type::kInt64List
            }
            Value::Float(number) => {
                value.float_value = *number;
                PJRT_NamedValue_Type::kFloat
            }
            Value::Bool(flag) => {
                value.bool_value = *flag;
                PJRT_NamedValue_Type::kBool
            }
            Value::Unknown(number) => PJRT_NamedValue_Type(*number),
        };
        raw
    }

    /// The C form of several; it borrows from them.
    #[must_use]
    pub fn to_raw_array(values: &[Self]) -> Vec<PJRT_NamedValue> {
        values.iter().map(Self::to_raw).collect()
    }

    /// Reads one value.
    ///
    /// # Safety
    ///
    /// What `raw` points to is readable, as its type and sizes say.
    #[must_use]
    pub unsafe fn read(raw: &PJRT_NamedValue) -> Self {
        let value: PJRT_NamedValue__bindgen_ty_1 = raw.__bindgen_anon_1;
        // SAFETY: by the contract of this function; the type says which member of the union counts.
        let value = unsafe {
            match raw.type_ {
                PJRT_NamedValue_Type::kString => Value::String(crate::plugin::text(value.string_value, raw.value_size)),
                PJRT_NamedValue_Type::kInt64 => Value::Int64(value.int64_value),
                PJRT_NamedValue_Type::kInt64List => {
                    Value::Int64List(crate::plugin::copied(value.int64_array_value, raw.value_size))
                }
                PJRT_NamedValue_Type::kFloat => Value::Float(value.float_value),
                PJRT_NamedValue_Type::kBool => Value::Bool(value.bool_value),
                PJRT_NamedValue_Type(other) => Value::Unknown(other),
            }
        };
        // SAFETY: by the contract of this function.
        let name = unsafe { crate::plugin::text(raw.name, raw.name_size) };
        Self { name, value, value_size: raw.value_size }
    }

    /// Reads an array; null is empty.
    ///
    /// # Safety
    ///
    /// `values` is null or has `len` elements, each as in [`Self::read`].
    #[must_use]
    pub unsafe fn read_array(values: *const PJRT_NamedValue, len: usize) -> Vec<Self> {
        // SAFETY: by the contract of this function.
        unsafe { crate::plugin::copied(values, len).iter().map(|value| Self::read(value)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_way_there_and_back() {
        let values = [
            NamedValue::new("text", Value::String("a\u{e9}".to_owned())),
            NamedValue::new("number", Value::Int64(-3)),
            NamedValue::new("list", Value::Int64List(vec![1, 2, 3])),
            NamedValue::new("float", Value::Float(0.5)),
            NamedValue::new("flag", Value::Bool(true)),
        ];
        let raw = NamedValue::to_raw_array(&values);
        // SAFETY: the C form borrows from `values`, which are alive.
        let back = unsafe { NamedValue::read_array(raw.as_ptr(), raw.len()) };
        assert_eq!(back, values);
        assert_eq!(raw[0].value_size, 3);
    }
}
