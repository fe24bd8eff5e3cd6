//! Attributes that say what their absence says too: left out, so that a program is the same module whatever
//! form it came in. What is read from VHLO, whose absent attributes are spelled out, leaves out the same (`vhlo`).

use super::attrs::{ComparisonType, DenseElements, Precision, ResultAccuracy};
use super::{Attr, Module, NamedAttr, OpCode};

/// Drops those of an op's attributes that have the value which an absent one stands for.
pub(crate) fn drop_defaults(module: &Module, code: OpCode, attrs: &mut Vec<NamedAttr>) {
    // Layouts are given for operands and results, or for neither.
    let is_layouts = |name: &str| matches!(name, "operand_layouts" | "result_layouts");
    let without_layouts = attrs.iter().all(|attr| {
        !is_layouts(module.attr_name(*attr))
            || matches!(module.attr(attr.value), Attr::Array(items) if items.is_empty())
    });
    let spatial = spatial_dimensions(module, attrs);
    attrs.retain(|attr| {
        let name = module.attr_name(*attr);
        if code == OpCode::CustomCall && is_layouts(name) {
            return !without_layouts;
        }
        !(code.inherent_attributes().contains(&name)
            && is_default(module, code, name, module.attr(attr.value), spatial))
    });
}

/// How many dimensions the lists of a window have, from the list that has no default.
fn spatial_dimensions(module: &Module, attrs: &[NamedAttr]) -> Option<usize> {
    attrs.iter().find_map(|attr| match (module.attr_name(*attr), module.attr(attr.value)) {
        ("window_dimensions", Attr::I64Array(sizes)) => Some(sizes.len()),
        ("dimension_numbers", Attr::ConvDimensionNumbers(numbers)) => Some(numbers.kernel_spatial_dimensions.len()),
        _ => None,
    })
}

/// A list of another length than `spatial` is no default, but wrong.
fn is_default(module: &Module, code: OpCode, name: &str, attr: &Attr, spatial: Option<usize>) -> bool {
    let fits = |length: usize| spatial.is_none_or(|n| n == length);
    let is_empty = match attr {
        Attr::String(text) => module.str(*text).is_empty(),
        Attr::Array(items) => items.is_empty(),
        Attr::Dict(entries) => entries.is_empty(),
        _ => false,
    };
    let windows =
        matches!(code, OpCode::Convolution | OpCode::DynamicConv | OpCode::ReduceWindow | OpCode::SelectAndScatter);
    match name {
        "precision_config" => match attr {
            Attr::Array(items) => {
                items.len() <= 2 && items.iter().all(|&item| *module.attr(item) == Attr::Precision(Precision::Default))
            }
            _ => false,
        },
        "window_strides" | "lhs_dilation" | "rhs_dilation" | "base_dilations" | "window_dilations" => {
            windows && matches!(attr, Attr::I64Array(values) if fits(values.len()) && values.iter().all(|&v| v == 1))
        }
        "window_reversal" => {
            windows && matches!(attr, Attr::BoolArray(values) if fits(values.len()) && values.iter().all(|&v| !v))
        }
        "padding" => {
            let is_zero = |dense: &DenseElements| {
                let rows = module.ty(dense.ty()).as_tensor().map(|tensor| tensor.dims.to_vec());
                let fits = rows.is_some_and(|dims| dims.len() == 2 && dims[1] == 2 && fits(dims[0] as usize));
                fits && dense.data().iter().all(|&byte| byte == 0)
            };
            windows && matches!(attr, Attr::DenseElements(dense) if is_zero(dense))
        }
        "result_accuracy" => *attr == Attr::ResultAccuracy(ResultAccuracy::DEFAULT),
        "compare_type" => *attr == Attr::ComparisonType(ComparisonType::NoType),
        "api_version" => matches!(attr, Attr::Integer { value: 1, .. }),
        "backend_config"
        | "called_computations"
        | "output_operand_aliases"
        | "result_tilings"
        | "composite_attributes"
        | "infeed_config"
        | "outfeed_config" => is_empty,
        "layout" => code == OpCode::Infeed && is_empty,
        "version" => matches!(attr, Attr::Integer { value: 0, .. }),
        "dimension" => code == OpCode::Sort && matches!(attr, Attr::Integer { value: -1, .. }),
        "has_side_effect" | "indices_are_sorted" | "unique_indices" | "is_stable" | "is_host_transfer" | "lower"
        | "has_dynamic_root" => code != OpCode::TriangularSolve && *attr == Attr::Bool(false),
        "known_expanding_dimensions" | "known_nonexpanding_dimensions" => {
            matches!(attr, Attr::I64Array(values) if values.is_empty())
        }
        "channel_handle" => {
            !matches!(code, OpCode::Send | OpCode::Recv)
                && matches!(attr, Attr::ChannelHandle(channel) if channel.handle == 0)
        }
        "source_target_pairs" => {
            matches!(code, OpCode::Send | OpCode::Recv)
                && matches!(attr, Attr::DenseElements(dense) if dense.data().is_empty())
        }
        "arg_attrs" | "res_attrs" => match attr {
            Attr::Array(items) => {
                items.iter().all(|&item| matches!(module.attr(item), Attr::Dict(entries) if entries.is_empty()))
            }
            _ => false,
        },
        _ => false,
    }
}
