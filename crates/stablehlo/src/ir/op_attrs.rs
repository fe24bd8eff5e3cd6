//! Reading an op's attributes as what the specification says they are.
//!
//! Each accessor fails with an error that names op, attribute and source location; those with `_or` have the
//! default of the specification for an absent attribute.

use super::attrs::{
    ChannelHandle, ComparisonDirection, ComparisonType, ConvDimensionNumbers, DenseElements, DotAlgorithm,
    DotDimensionNumbers, FftType, GatherDimensionNumbers, Precision, RaggedDotDimensionNumbers, ReplicaGroupMeshAxes,
    ResultAccuracy, RngAlgorithm, RngDistribution, ScatterDimensionNumbers, Transpose,
};
use super::{Attr, AttrId, NamedAttr, OpRef, TypeId};

/// An attribute is missing or is not what the op's definition says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op}: attribute `{name}` {problem}, at {location}")]
pub struct AttrError {
    /// The op.
    pub op: String,
    /// The attribute.
    pub name: String,
    /// What is wrong with it.
    pub problem: String,
    /// Source location of the op.
    pub location: String,
}

type Result<T> = std::result::Result<T, AttrError>;

macro_rules! structured {
    ($($(#[$doc:meta])* $method:ident($name:literal) -> $ty:ty = $variant:ident;)*) => {$(
        $(#[$doc])*
        pub fn $method(self) -> Result<&'m $ty> {
            match self.required($name)? {
                Attr::$variant(value) => Ok(value),
                other => Err(self.wrong_kind($name, stringify!($variant), other)),
            }
        }
    )*};
}

macro_rules! enumerated {
    ($($(#[$doc:meta])* $method:ident($name:literal) -> $ty:ident;)*) => {$(
        $(#[$doc])*
        pub fn $method(self) -> Result<$ty> {
            match self.required($name)? {
                Attr::$ty(value) => Ok(*value),
                other => Err(self.wrong_kind($name, stringify!($ty), other)),
            }
        }
    )*};
}

impl<'m> OpRef<'m> {
    /// An error about one of this op's attributes.
    pub fn attr_error(self, name: &str, problem: impl Into<String>) -> AttrError {
        AttrError {
            op: self.name().to_owned(),
            name: name.to_owned(),
            problem: problem.into(),
            location: self.loc_text(),
        }
    }

    fn wrong_kind(self, name: &str, expected: &str, found: &Attr) -> AttrError {
        self.attr_error(name, format!("must be {expected}, found {}", found.kind()))
    }

    /// The attribute, which must be there.
    pub fn required(self, name: &str) -> Result<&'m Attr> {
        self.attr(name).ok_or_else(|| self.attr_error(name, "is missing"))
    }

    /// An integer of any type.
    pub fn int(self, name: &str) -> Result<i64> {
        match self.required(name)? {
            Attr::Integer { value, .. } => Ok(*value),
            other => Err(self.wrong_kind(name, "an integer", other)),
        }
    }

    /// An integer of any type, or the default if absent.
    pub fn int_or(self, name: &str, default: i64) -> Result<i64> {
        if self.attr_id(name).is_none() { Ok(default) } else { self.int(name) }
    }

    /// A float: its bit pattern and type.
    pub fn float_bits(self, name: &str) -> Result<(u64, TypeId)> {
        match self.required(name)? {
            Attr::Float { bits, ty } => Ok((*bits, *ty)),
            other => Err(self.wrong_kind(name, "a float", other)),
        }
    }

    /// An `f32` attribute, such as `epsilon`.
    pub fn f32(self, name: &str) -> Result<f32> {
        let (bits, ty) = self.float_bits(name)?;
        match self.module().ty(ty) {
            super::Type::Scalar(crate::ElementType::F32) => Ok(f32::from_bits(bits as u32)),
            _ => Err(self.attr_error(name, "must be a float of type f32")),
        }
    }

    /// A bool, or the default if absent. A unit attribute counts as true.
    pub fn bool_or(self, name: &str, default: bool) -> Result<bool> {
        match self.attr(name) {
            None => Ok(default),
            Some(Attr::Bool(value)) => Ok(*value),
            Some(Attr::Unit) => Ok(true),
            Some(other) => Err(self.wrong_kind(name, "a bool", other)),
        }
    }

    /// A bool that must be there.
    pub fn bool(self, name: &str) -> Result<bool> {
        self.required(name)?;
        self.bool_or(name, false)
    }

    /// A list of integers, given as `array<i64: ...>`.
    pub fn i64s(self, name: &str) -> Result<&'m [i64]> {
        match self.required(name)? {
            Attr::I64Array(values) => Ok(values),
            other => Err(self.wrong_kind(name, "an i64 array", other)),
        }
    }

    /// A list of integers; `None` if absent.
    pub fn i64s_opt(self, name: &str) -> Result<Option<&'m [i64]>> {
        if self.attr_id(name).is_none() { Ok(None) } else { self.i64s(name).map(Some) }
    }

    /// A list of bools, given as `array<i1: ...>`; `None` if absent.
    pub fn bools_opt(self, name: &str) -> Result<Option<&'m [bool]>> {
        match self.attr(name) {
            None => Ok(None),
            Some(Attr::BoolArray(values)) => Ok(Some(values)),
            Some(other) => Err(self.wrong_kind(name, "an i1 array", other)),
        }
    }

    /// UTF-8 text.
    pub fn string(self, name: &str) -> Result<&'m str> {
        match self.required(name)? {
            Attr::String(text) => Ok(self.module().str(*text)),
            other => Err(self.wrong_kind(name, "a UTF-8 string", other)),
        }
    }

    /// UTF-8 text, or the default if absent.
    pub fn string_or(self, name: &str, default: &'m str) -> Result<&'m str> {
        if self.attr_id(name).is_none() { Ok(default) } else { self.string(name) }
    }

    /// A flat symbol, such as the callee of a call, without the `@`.
    pub fn symbol(self, name: &str) -> Result<&'m str> {
        match self.required(name)? {
            Attr::SymbolRef { root, nested } if nested.is_empty() => Ok(self.module().str(*root)),
            other => Err(self.wrong_kind(name, "a flat symbol reference", other)),
        }
    }

    /// A list of attributes; empty if absent.
    pub fn array_or_empty(self, name: &str) -> Result<&'m [AttrId]> {
        match self.attr(name) {
            None => Ok(&[]),
            Some(Attr::Array(items)) => Ok(items),
            Some(other) => Err(self.wrong_kind(name, "an array", other)),
        }
    }

    /// Named attributes; empty if absent.
    pub fn dict_or_empty(self, name: &str) -> Result<&'m [NamedAttr]> {
        match self.attr(name) {
            None => Ok(&[]),
            Some(Attr::Dict(entries)) => Ok(entries),
            Some(other) => Err(self.wrong_kind(name, "a dictionary", other)),
        }
    }

    /// A dense tensor.
    pub fn dense(self, name: &str) -> Result<&'m DenseElements> {
        match self.required(name)? {
            Attr::DenseElements(dense) => Ok(dense),
            other => Err(self.wrong_kind(name, "dense elements", other)),
        }
    }

    /// A dense `[rows, columns]` tensor of i64, such as `padding` (two columns) or `source_target_pairs`, as
    /// rows; `None` if absent.
    pub fn i64_rows(self, name: &str) -> Result<Option<Vec<Vec<i64>>>> {
        if self.attr_id(name).is_none() {
            return Ok(None);
        }
        let dense = self.dense(name)?;
        let shape = match self.module().ty(dense.ty()).as_tensor() {
            Some(t) if t.rank() == 2 && t.element_type() == Some(crate::ElementType::I64) => &t.dims,
            Some(t) if t.num_elements() == Some(0) => return Ok(Some(Vec::new())),
            _ => return Err(self.attr_error(name, "must be a tensor of i64 with two dimensions")),
        };
        let (rows, columns) = (shape[0] as usize, shape[1] as usize);
        // A splat can claim any shape; a program with this many entries is not one.
        if rows.max(1).saturating_mul(columns.max(1)) > 1 << 20 {
            return Err(self.attr_error(name, format!("has {rows} x {columns} entries, more than 2^20")));
        }
        let values = dense.to_i64s(rows * columns).ok_or_else(|| self.attr_error(name, "has no i64 elements"))?;
        if columns == 0 {
            return Ok(Some(vec![Vec::new(); rows]));
        }
        Ok(Some(values.chunks_exact(columns).map(<[i64]>::to_vec).collect()))
    }

    /// The low and high padding of each dimension; `None` if absent (all zero).
    pub fn padding(self, name: &str) -> Result<Option<Vec<(i64, i64)>>> {
        let Some(rows) = self.i64_rows(name)? else { return Ok(None) };
        let pairs = rows.iter().map(|row| match row[..] {
            [low, high] => Ok((low, high)),
            _ => Err(self.attr_error(name, "must have two columns")),
        });
        pairs.collect::<Result<Vec<_>>>().map(Some)
    }

    structured! {
        /// `dot_dimension_numbers` of `dot_general`.
        dot_dimension_numbers("dot_dimension_numbers") -> DotDimensionNumbers = DotDimensionNumbers;
        /// `dimension_numbers` of `convolution` and `dynamic_conv`.
        conv_dimension_numbers("dimension_numbers") -> ConvDimensionNumbers = ConvDimensionNumbers;
        /// `dimension_numbers` of `gather` and `dynamic_gather`.
        gather_dimension_numbers("dimension_numbers") -> GatherDimensionNumbers = GatherDimensionNumbers;
        /// `ragged_dot_dimension_numbers` of `chlo.ragged_dot`.
        ragged_dot_dimension_numbers("ragged_dot_dimension_numbers") -> RaggedDotDimensionNumbers = RaggedDotDimensionNumbers;
        /// `scatter_dimension_numbers` of `scatter`.
        scatter_dimension_numbers("scatter_dimension_numbers") -> ScatterDimensionNumbers = ScatterDimensionNumbers;
    }

    enumerated! {
        /// `comparison_direction` of `compare`.
        comparison_direction("comparison_direction") -> ComparisonDirection;
        /// `fft_type` of `fft`.
        fft_type("fft_type") -> FftType;
        /// `transpose_a` of `triangular_solve`.
        transpose_a("transpose_a") -> Transpose;
        /// `rng_algorithm` of `rng_bit_generator`.
        rng_algorithm("rng_algorithm") -> RngAlgorithm;
        /// `rng_distribution` of `rng`.
        rng_distribution("rng_distribution") -> RngDistribution;
    }

    /// `compare_type` of `compare`; [`ComparisonType::NoType`] if absent.
    pub fn compare_type(self) -> Result<ComparisonType> {
        match self.attr("compare_type") {
            None => Ok(ComparisonType::NoType),
            Some(Attr::ComparisonType(value)) => Ok(*value),
            Some(other) => Err(self.wrong_kind("compare_type", "a comparison type", other)),
        }
    }

    /// `algorithm` of `dot_general`.
    pub fn dot_algorithm(self) -> Result<Option<&'m DotAlgorithm>> {
        match self.attr("algorithm") {
            None => Ok(None),
            Some(Attr::DotAlgorithm(value)) => Ok(Some(value)),
            Some(other) => Err(self.wrong_kind("algorithm", "a dot algorithm", other)),
        }
    }

    /// `precision_config`: one for each of the two operands; both [`Precision::Default`] if absent.
    pub fn precision_config(self) -> Result<Vec<Precision>> {
        let entries = self.array_or_empty("precision_config")?;
        if entries.is_empty() {
            return Ok(vec![Precision::Default; 2]);
        }
        let precision = |&id: &AttrId| match self.module().attr(id) {
            Attr::Precision(value) => Ok(*value),
            other => Err(self.wrong_kind("precision_config", "an array of precisions", other)),
        };
        entries.iter().map(precision).collect()
    }

    /// `result_accuracy`; [`ResultAccuracy::DEFAULT`] if absent.
    pub fn result_accuracy(self) -> Result<ResultAccuracy> {
        match self.attr("result_accuracy") {
            None => Ok(ResultAccuracy::DEFAULT),
            Some(Attr::ResultAccuracy(value)) => Ok(*value),
            Some(other) => Err(self.wrong_kind("result_accuracy", "a result accuracy", other)),
        }
    }

    /// `channel_handle` of communicating ops.
    pub fn channel_handle(self) -> Result<Option<ChannelHandle>> {
        match self.attr("channel_handle") {
            None => Ok(None),
            Some(Attr::ChannelHandle(value)) => Ok(Some(*value)),
            Some(other) => Err(self.wrong_kind("channel_handle", "a channel handle", other)),
        }
    }

    /// `replica_groups` of collectives, as the program states them.
    pub fn replica_groups(self) -> Result<ReplicaGroups<'m>> {
        match self.required("replica_groups")? {
            Attr::ReplicaGroupMeshAxes(axes) => Ok(ReplicaGroups::MeshAxes(axes)),
            _ => Ok(ReplicaGroups::Lists(self.i64_rows("replica_groups")?.unwrap_or_default())),
        }
    }
}

/// The groups of processes that a collective works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaGroups<'m> {
    /// The members of each group; −1 pads shorter groups.
    Lists(Vec<Vec<i64>>),
    /// Axes of a mesh.
    MeshAxes(&'m ReplicaGroupMeshAxes),
}
