//! From the properties of a VHLO op to the attributes of the StableHLO op.

use super::op::{Group, Rule, VhloOp};
use crate::ElementType;
use crate::bytecode::{ReadError, Result, Tables};
use crate::ir::attrs::{
    ChannelHandle, ComparisonType, ConvDimensionNumbers, DotAlgorithm, DotDimensionNumbers, GatherDimensionNumbers,
    Precision, ResultAccuracy, ScatterDimensionNumbers,
};
use crate::ir::{Attr, AttrId, NamedAttr, StrId, Type, TypeId};

/// An op of the table, prepared for one module: its attribute names are interned once.
pub(crate) struct Conversion {
    pub(crate) op: &'static VhloOp,
    names: Vec<StrId>,
}

impl Conversion {
    pub(crate) fn new(op: &'static VhloOp, tables: &mut Tables<'_>) -> Conversion {
        let mut name = |text: &str| tables.module.intern_str(text);
        let names = op
            .props
            .iter()
            .map(|prop| name(if prop.rule == Rule::Channel { "channel_handle" } else { prop.name }))
            .collect();
        Conversion { op, names }
    }

    /// How many dimensions the lists of a window have, from the list that has no default.
    fn spatial_dimensions(&self, tables: &mut Tables<'_>, properties: &[AttrId]) -> Result<Option<usize>> {
        let named = |prop: &&super::op::Prop| matches!(prop.name, "window_dimensions" | "kernel_spatial_dimensions");
        match self.op.props.iter().position(|prop| named(&prop)) {
            Some(at) if properties.len() > at => Ok(Some(i64s(tables, properties[at])?.len())),
            _ => Ok(None),
        }
    }

    /// Converts the op's properties, one for each of its table entry, and appends what becomes of them to `out`.
    pub(crate) fn convert(
        &self,
        tables: &mut Tables<'_>,
        properties: &[AttrId],
        out: &mut Vec<NamedAttr>,
    ) -> Result<()> {
        let is_empty = |&value: &AttrId| matches!(tables.module.attr(value), Attr::Array(items) if items.is_empty());
        let mut layouts = self.op.props.iter().zip(properties).filter(|(prop, _)| prop.rule == Rule::Layouts);
        let without_layouts = layouts.all(|(_, value)| is_empty(value));
        let spatial = self.spatial_dimensions(tables, properties)?;
        for ((prop, &name), &value) in self.op.props.iter().zip(&self.names).zip(properties) {
            if prop.rule == Rule::Part || (prop.rule == Rule::Layouts && without_layouts) {
                continue;
            }
            let value = apply(tables, prop.rule, value, spatial)
                .map_err(|problem| ReadError::new(format!("attribute `{}` {}", prop.name, problem.message())))?;
            if let Some(value) = value {
                out.push(NamedAttr { name, value });
            }
        }
        if self.op.group == Group::None {
            return Ok(());
        }
        let parts = Parts { op: self.op, properties };
        for (name, attr) in form_group(tables, self.op.group, &parts)?.into_iter().flatten() {
            let name = tables.module.intern_str(name);
            out.push(NamedAttr { name, value: tables.module.intern_attr(attr) });
        }
        Ok(())
    }
}

fn wrong<T>(what: &str, found: &Attr) -> Result<T> {
    Err(ReadError::new(format!("must be {what} and is {}", found.kind())))
}

/// Applies a rule to a property; `None` if the attribute is left out.
///
/// A list of a window that has another length than `spatial` is no default, but wrong, and stays for the verifier.
fn apply(tables: &mut Tables<'_>, rule: Rule, id: AttrId, spatial: Option<usize>) -> Result<Option<AttrId>> {
    let attr = tables.module.attr(id);
    let fits = |length: usize| spatial.is_none_or(|n| n == length);
    let keep = |ok: bool, what: &str| if ok { Ok(Some(id)) } else { wrong(what, attr) };
    let optional = |ok: bool, is_default: bool, what: &str| {
        if is_default { Ok(None) } else { keep(ok, what) }
    };
    match rule {
        Rule::Int => keep(matches!(attr, Attr::Integer { .. }), "an integer"),
        Rule::IntOr(default) => {
            let is_default = matches!(attr, Attr::Integer { value, .. } if *value == default);
            optional(matches!(attr, Attr::Integer { .. }), is_default, "an integer")
        }
        Rule::Float => keep(matches!(attr, Attr::Float { .. }), "a float"),
        Rule::Bool => keep(matches!(attr, Attr::Bool(_)), "a bool"),
        Rule::Flag => optional(*attr == Attr::Bool(true), *attr == Attr::Bool(false), "a bool"),
        Rule::UnitFlag => match attr {
            Attr::Bool(true) => Ok(Some(tables.module.intern_attr(Attr::Unit))),
            Attr::Bool(false) => Ok(None),
            other => wrong("a bool", other),
        },
        Rule::String => keep(matches!(attr, Attr::String(_)), "a UTF-8 string"),
        Rule::OptionalString => {
            let is_empty = matches!(attr, Attr::String(text) if tables.module.str(*text).is_empty());
            optional(matches!(attr, Attr::String(_) | Attr::Bytes(_)), is_empty, "a string")
        }
        Rule::OptionalDict => {
            let is_empty = matches!(attr, Attr::Dict(entries) if entries.is_empty());
            optional(matches!(attr, Attr::Dict(_)), is_empty, "a dictionary")
        }
        Rule::OptionalArray => {
            let is_empty = matches!(attr, Attr::Array(items) if items.is_empty());
            optional(matches!(attr, Attr::Array(_)), is_empty, "an array")
        }
        Rule::Layouts => keep(matches!(attr, Attr::Array(_)), "an array"),
        Rule::BackendConfig => {
            let is_empty = match attr {
                Attr::String(text) => tables.module.str(*text).is_empty(),
                Attr::Dict(entries) => entries.is_empty(),
                _ => false,
            };
            let ok = matches!(attr, Attr::String(_) | Attr::Bytes(_) | Attr::Dict(_));
            optional(ok, is_empty, "a string or a dictionary")
        }
        Rule::I64s => {
            let values = i64s(tables, id)?;
            Ok(Some(tables.module.intern_attr(Attr::I64Array(values))))
        }
        Rule::OptionalI64s | Rule::OptionalOnes => {
            let values = i64s(tables, id)?;
            let is_default = if rule == Rule::OptionalOnes {
                fits(values.len()) && values.iter().all(|&v| v == 1)
            } else {
                values.is_empty()
            };
            Ok((!is_default).then(|| tables.module.intern_attr(Attr::I64Array(values))))
        }
        Rule::OptionalBools => {
            let values = bools(tables, id)?;
            let is_default = fits(values.len()) && values.iter().all(|&v| !v);
            Ok((!is_default).then(|| tables.module.intern_attr(Attr::BoolArray(values))))
        }
        Rule::OptionalPadding => match attr {
            Attr::DenseElements(dense) => {
                let rows = tables.module.ty(dense.ty()).as_tensor();
                let fits = rows.is_some_and(|t| t.dims.len() == 2 && t.dims[1] == 2 && fits(t.dims[0] as usize));
                Ok((!(fits && dense.data().iter().all(|&byte| byte == 0))).then_some(id))
            }
            other => wrong("a tensor of i64", other),
        },
        Rule::Pairs => keep(matches!(attr, Attr::DenseElements(_)), "a tensor of i64"),
        Rule::OptionalPairs => match attr {
            Attr::DenseElements(dense) => Ok((!dense.data().is_empty()).then_some(id)),
            other => wrong("a tensor of i64", other),
        },
        Rule::ReplicaGroups => {
            let ok = matches!(attr, Attr::DenseElements(_) | Attr::ReplicaGroupMeshAxes(_));
            keep(ok, "a tensor of i64 or mesh axes")
        }
        Rule::Value => {
            let ok = matches!(
                attr,
                Attr::DenseElements(_) | Attr::DenseResource { .. } | Attr::DenseStrings { .. } | Attr::Sparse { .. }
            );
            keep(ok, "a tensor")
        }
        Rule::Precisions => match attr {
            Attr::Array(items) => {
                let default = Attr::Precision(Precision::Default);
                let is_default = items.len() <= 2 && items.iter().all(|&item| *tables.module.attr(item) == default);
                Ok((!is_default).then_some(id))
            }
            other => wrong("an array of precisions", other),
        },
        Rule::Accuracy => {
            let is_default = *attr == Attr::ResultAccuracy(ResultAccuracy::DEFAULT);
            optional(matches!(attr, Attr::ResultAccuracy(_)), is_default, "a result accuracy")
        }
        Rule::CompareType => {
            let is_default = *attr == Attr::ComparisonType(ComparisonType::NoType);
            optional(matches!(attr, Attr::ComparisonType(_)), is_default, "a comparison type")
        }
        Rule::Direction => keep(matches!(attr, Attr::ComparisonDirection(_)), "a comparison direction"),
        Rule::FftType => keep(matches!(attr, Attr::FftType(_)), "an FFT type"),
        Rule::RngAlgorithm => keep(matches!(attr, Attr::RngAlgorithm(_)), "an RNG algorithm"),
        Rule::RngDistribution => keep(matches!(attr, Attr::RngDistribution(_)), "an RNG distribution"),
        Rule::Transpose => keep(matches!(attr, Attr::Transpose(_)), "a transpose"),
        Rule::Symbol => symbol(tables, id).map(Some),
        Rule::Symbols => match attr {
            Attr::Array(items) if items.is_empty() => Ok(None),
            Attr::Array(items) => {
                let items = items.clone();
                let symbols = items.iter().map(|&item| symbol(tables, item)).collect::<Result<_>>()?;
                Ok(Some(tables.module.intern_attr(Attr::Array(symbols))))
            }
            other => wrong("an array of strings", other),
        },
        Rule::ApiVersion => {
            let is_default = matches!(attr, Attr::Integer { value: 1, .. });
            optional(matches!(attr, Attr::Integer { .. }), is_default, "an interface version")
        }
        Rule::Channel => match *attr {
            Attr::Integer { value: 0, .. } => Ok(None),
            Attr::Integer { value: handle, .. } => {
                let channel = Attr::ChannelHandle(ChannelHandle { handle, channel_type: 0 });
                Ok(Some(tables.module.intern_attr(channel)))
            }
            _ => wrong("an integer", attr),
        },
        Rule::Type => keep(matches!(attr, Attr::Type(_)), "a type"),
        Rule::Dicts => match attr {
            Attr::Array(items) => {
                let is_dict = |&item: &AttrId| matches!(tables.module.attr(item), Attr::Dict(_));
                let is_empty = |&item: &AttrId| matches!(tables.module.attr(item), Attr::Dict(e) if e.is_empty());
                if items.iter().all(is_empty) { Ok(None) } else { keep(items.iter().all(is_dict), "dictionaries") }
            }
            other => wrong("an array of dictionaries", other),
        },
        Rule::Part | Rule::Drop => Ok(None),
    }
}

fn symbol(tables: &mut Tables<'_>, id: AttrId) -> Result<AttrId> {
    match *tables.module.attr(id) {
        Attr::String(root) => Ok(tables.module.intern_attr(Attr::SymbolRef { root, nested: Box::default() })),
        ref other => wrong("the name of a symbol", other),
    }
}

/// Number of elements of a rank-1 tensor with this element, if the attribute is one.
fn list_len(tables: &Tables<'_>, attr: &Attr, element: ElementType) -> Option<usize> {
    let Attr::DenseElements(dense) = attr else { return None };
    let tensor = tables.module.ty(dense.ty()).as_tensor()?;
    (tensor.rank() == 1 && tensor.element_type() == Some(element)).then(|| tensor.num_elements())?
}

fn i64s(tables: &mut Tables<'_>, id: AttrId) -> Result<Box<[i64]>> {
    let attr = tables.module.attr(id);
    let Some(len) = list_len(tables, attr, ElementType::I64) else { return wrong("a list of i64", attr) };
    tables.charge(len)?;
    match tables.module.attr(id) {
        Attr::DenseElements(dense) => match dense.to_i64s(len) {
            Some(values) => Ok(values.into()),
            None => Err(ReadError::new("has no i64 elements")),
        },
        other => wrong("a list of i64", other),
    }
}

fn bools(tables: &mut Tables<'_>, id: AttrId) -> Result<Box<[bool]>> {
    let attr = tables.module.attr(id);
    let Some(len) = list_len(tables, attr, ElementType::Bool) else { return wrong("a list of bool", attr) };
    tables.charge(len)?;
    match tables.module.attr(id) {
        Attr::DenseElements(dense) if dense.is_splat() => Ok(vec![dense.data()[0] != 0; len].into()),
        Attr::DenseElements(dense) => Ok(dense.data().iter().map(|&byte| byte != 0).collect()),
        other => wrong("a list of bool", other),
    }
}

/// The properties of an op, by name.
struct Parts<'p> {
    op: &'static VhloOp,
    properties: &'p [AttrId],
}

impl Parts<'_> {
    fn find(&self, name: &str) -> Option<AttrId> {
        let at = self.op.props.iter().position(|prop| prop.name == name)?;
        self.properties.get(at).copied()
    }

    fn get(&self, name: &str) -> Result<AttrId> {
        self.find(name).ok_or_else(|| ReadError::new(format!("attribute `{name}` is missing")))
    }

    fn i64s(&self, tables: &mut Tables<'_>, name: &str) -> Result<Box<[i64]>> {
        let values = i64s(tables, self.get(name)?);
        values.map_err(|problem| ReadError::new(format!("attribute `{name}` {}", problem.message())))
    }

    /// Empty if this version of the op does not have it.
    fn i64s_or_empty(&self, tables: &mut Tables<'_>, name: &str) -> Result<Box<[i64]>> {
        if self.find(name).is_none() { Ok(Box::default()) } else { self.i64s(tables, name) }
    }

    fn int(&self, tables: &Tables<'_>, name: &str) -> Result<i64> {
        match tables.module.attr(self.get(name)?) {
            Attr::Integer { value, .. } => Ok(*value),
            other => wrong(&format!("an integer in `{name}`"), other),
        }
    }

    fn ty(&self, tables: &Tables<'_>, name: &str) -> Result<TypeId> {
        match tables.module.attr(self.get(name)?) {
            Attr::Type(ty) => Ok(*ty),
            other => wrong(&format!("a type in `{name}`"), other),
        }
    }

    fn is_none_type(&self, tables: &Tables<'_>, name: &str) -> Result<bool> {
        Ok(match tables.module.attr(self.get(name)?) {
            Attr::Type(ty) => *tables.module.ty(*ty) == Type::None,
            _ => false,
        })
    }
}

type Formed = [Option<(&'static str, Attr)>; 2];

fn form_group(tables: &mut Tables<'_>, group: Group, parts: &Parts<'_>) -> Result<Formed> {
    let t = tables;
    Ok(match group {
        Group::None => [None, None],
        Group::Convolution => {
            let numbers = ConvDimensionNumbers {
                input_batch_dimension: parts.int(t, "input_batch_dimension")?,
                input_feature_dimension: parts.int(t, "input_feature_dimension")?,
                input_spatial_dimensions: parts.i64s(t, "input_spatial_dimensions")?,
                kernel_input_feature_dimension: parts.int(t, "kernel_input_feature_dimension")?,
                kernel_output_feature_dimension: parts.int(t, "kernel_output_feature_dimension")?,
                kernel_spatial_dimensions: parts.i64s(t, "kernel_spatial_dimensions")?,
                output_batch_dimension: parts.int(t, "output_batch_dimension")?,
                output_feature_dimension: parts.int(t, "output_feature_dimension")?,
                output_spatial_dimensions: parts.i64s(t, "output_spatial_dimensions")?,
            };
            [Some(("dimension_numbers", Attr::ConvDimensionNumbers(Box::new(numbers)))), None]
        }
        Group::Gather => {
            let numbers = GatherDimensionNumbers {
                offset_dims: parts.i64s(t, "offset_dims")?,
                collapsed_slice_dims: parts.i64s(t, "collapsed_slice_dims")?,
                operand_batching_dims: parts.i64s_or_empty(t, "operand_batching_dims")?,
                start_indices_batching_dims: parts.i64s_or_empty(t, "start_indices_batching_dims")?,
                start_index_map: parts.i64s(t, "start_index_map")?,
                index_vector_dim: parts.int(t, "index_vector_dim")?,
            };
            [Some(("dimension_numbers", Attr::GatherDimensionNumbers(Box::new(numbers)))), None]
        }
        Group::Scatter => {
            let numbers = ScatterDimensionNumbers {
                update_window_dims: parts.i64s(t, "update_window_dims")?,
                inserted_window_dims: parts.i64s(t, "inserted_window_dims")?,
                input_batching_dims: parts.i64s_or_empty(t, "input_batching_dims")?,
                scatter_indices_batching_dims: parts.i64s_or_empty(t, "scatter_indices_batching_dims")?,
                scatter_dims_to_operand_dims: parts.i64s(t, "scatter_dims_to_operand_dims")?,
                index_vector_dim: parts.int(t, "index_vector_dim")?,
            };
            [Some(("scatter_dimension_numbers", Attr::ScatterDimensionNumbers(Box::new(numbers)))), None]
        }
        Group::Dot => {
            let numbers = DotDimensionNumbers {
                lhs_batching_dimensions: parts.i64s(t, "lhs_batching_dimensions")?,
                rhs_batching_dimensions: parts.i64s(t, "rhs_batching_dimensions")?,
                lhs_contracting_dimensions: parts.i64s(t, "lhs_contracting_dimensions")?,
                rhs_contracting_dimensions: parts.i64s(t, "rhs_contracting_dimensions")?,
            };
            let numbers = Some(("dot_dimension_numbers", Attr::DotDimensionNumbers(Box::new(numbers))));
            [numbers, dot_algorithm(t, parts)?]
        }
        Group::Channel => {
            let (handle, channel_type) = (parts.int(t, "channel_id")?, parts.int(t, "channel_type")?);
            [Some(("channel_handle", Attr::ChannelHandle(ChannelHandle { handle, channel_type }))), None]
        }
    })
}

/// The algorithm of a dot, unless it is absent: not in this version, or seven times `none`.
fn dot_algorithm(tables: &Tables<'_>, parts: &Parts<'_>) -> Result<Option<(&'static str, Attr)>> {
    const FIELDS: [&str; 7] = [
        "lhs_precision_type",
        "rhs_precision_type",
        "accumulation_type",
        "lhs_component_count",
        "rhs_component_count",
        "num_primitive_operations",
        "allow_imprecise_accumulation",
    ];
    if parts.find(FIELDS[0]).is_none() {
        return Ok(None);
    }
    let mut absent = 0;
    for field in FIELDS {
        absent += usize::from(parts.is_none_type(tables, field)?);
    }
    if absent == FIELDS.len() {
        return Ok(None);
    }
    let allow_imprecise_accumulation = match tables.module.attr(parts.get(FIELDS[6])?) {
        Attr::Bool(value) => *value,
        other => return wrong("a bool in `allow_imprecise_accumulation`", other),
    };
    let algorithm = DotAlgorithm {
        lhs_precision_type: parts.ty(tables, FIELDS[0])?,
        rhs_precision_type: parts.ty(tables, FIELDS[1])?,
        accumulation_type: parts.ty(tables, FIELDS[2])?,
        lhs_component_count: parts.int(tables, FIELDS[3])?,
        rhs_component_count: parts.int(tables, FIELDS[4])?,
        num_primitive_operations: parts.int(tables, FIELDS[5])?,
        allow_imprecise_accumulation,
    };
    Ok(Some(("algorithm", Attr::DotAlgorithm(Box::new(algorithm)))))
}
