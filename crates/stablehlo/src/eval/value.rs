//! What an SSA value holds at run time: a tensor, a token or a tuple of values.
//!
//! Knows no operation and no IR.

use super::error::OpError;
use super::tensor::Tensor;

/// A run-time value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A dense tensor.
    Tensor(Tensor),
    /// A token; carries order only, and order is that of the program here.
    Token,
    /// A tuple.
    Tuple(Vec<Value>),
}

impl Value {
    /// The tensor. Fails for tokens and tuples.
    pub fn as_tensor(&self) -> Result<&Tensor, OpError> {
        match self {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(OpError::invalid(format!("expected a tensor, found a {}", other.kind()))),
        }
    }

    /// The tensor, by value. Fails for tokens and tuples.
    pub fn into_tensor(self) -> Result<Tensor, OpError> {
        match self {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(OpError::invalid(format!("expected a tensor, found a {}", other.kind()))),
        }
    }

    /// `tensor`, `token` or `tuple`.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Tensor(_) => "tensor",
            Value::Token => "token",
            Value::Tuple(_) => "tuple",
        }
    }

    /// The type, as messages spell it.
    pub fn describe(&self) -> String {
        match self {
            Value::Tensor(tensor) => tensor.describe(),
            Value::Token => "token".into(),
            Value::Tuple(values) => {
                format!("tuple<{}>", values.iter().map(Value::describe).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}
