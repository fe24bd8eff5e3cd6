//! `#stablehlo.bounds`: upper bounds of dynamic dimensions, as the encoding of a tensor type.

/// The bounds of a tensor's dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeExtensions {
    /// One for each dimension; [`DYNAMIC`](crate::ir::DYNAMIC) where there is no bound.
    pub bounds: Box<[i64]>,
}
