//! Named values: options that come in, attributes that go out (`PJRT_NamedValue`).

/// A value of one of the five types that options and attributes can have.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// UTF-8 text.
    String(String),
    /// A 64-bit integer.
    Int64(i64),
    /// A list of 64-bit integers.
    Int64List(Vec<i64>),
    /// A 32-bit float.
    Float(f32),
    /// A boolean.
    Bool(bool),
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    /// The name, unique in its list.
    pub name: String,
    /// The value.
    pub value: Value,
}

impl NamedValue {
    /// Pairs a name with a value.
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> Self {
        NamedValue { name: name.into(), value: value.into() }
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident;)*) => {
        $(impl From<$ty> for Value { fn from(value: $ty) -> Self { Value::$variant(value.into()) } })*
    };
}

from! {
    &str => String;
    String => String;
    i64 => Int64;
    Vec<i64> => Int64List;
    f32 => Float;
    bool => Bool;
}

impl Value {
    /// What to call this type in a message.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Value::String(_) => "string",
            Value::Int64(_) => "int64",
            Value::Int64List(_) => "int64 list",
            Value::Float(_) => "float",
            Value::Bool(_) => "bool",
        }
    }
}
