//! From the attributes of a StableHLO op to the properties of the VHLO op: the inverse of `vhlo/convert.rs`.

use super::Result_;
use super::table::{Form, Table};
use crate::ElementType;
use crate::ir::attrs::{Precision, ResultAccuracy};
use crate::ir::{Attr, OpRef, Type};
use crate::vhlo::{Rule, VhloOp};

/// The properties of an op in the order of its definition, as indices of attributes.
pub(super) fn properties(table: &mut Table<'_>, op: OpRef<'_>, vhlo: &VhloOp) -> Result_<Vec<u64>> {
    check_nothing_is_lost(op, vhlo, table)?;
    vhlo.props
        .iter()
        .map(|prop| {
            let value = match prop.rule {
                Rule::Part => part(table, op, prop.name),
                rule => property(table, op, prop.name, rule),
            };
            value.map_err(|problem| format!("attribute `{}` {problem}", prop.name))
        })
        .collect()
}

/// Every attribute of the op must have a place in this form of it.
fn check_nothing_is_lost(op: OpRef<'_>, vhlo: &VhloOp, table: &Table<'_>) -> Result_<()> {
    let has = |name: &str| vhlo.props.iter().any(|prop| prop.name == name);
    for attr in op.inherent_attrs() {
        let name = op.module().str(attr.name);
        let lost = match (name, op.module().attr(attr.value)) {
            ("channel_handle", _) => !has("channel_id"),
            ("algorithm", _) => !has("accumulation_type"),
            ("dimension_numbers", Attr::GatherDimensionNumbers(numbers)) => {
                (!numbers.operand_batching_dims.is_empty() || !numbers.start_indices_batching_dims.is_empty())
                    && !has("operand_batching_dims")
            }
            ("scatter_dimension_numbers", Attr::ScatterDimensionNumbers(numbers)) => {
                (!numbers.input_batching_dims.is_empty() || !numbers.scatter_indices_batching_dims.is_empty())
                    && !has("input_batching_dims")
            }
            ("dimension_numbers" | "dot_dimension_numbers", _) => false,
            ("result_accuracy", Attr::ResultAccuracy(accuracy)) => *accuracy != ResultAccuracy::DEFAULT && !has(name),
            ("has_dynamic_root", Attr::Bool(false)) => false,
            ("no_inline", _) => true,
            _ => !has(name),
        };
        if lost {
            return Err(format!("attribute `{name}` cannot be expressed in StableHLO {}", table.version));
        }
    }
    Ok(())
}

fn text<T>(result: Result<T, crate::ir::AttrError>) -> Result_<T> {
    result.map_err(|error| error.problem)
}

fn property(table: &mut Table<'_>, op: OpRef<'_>, name: &str, rule: Rule) -> Result_<u64> {
    let present = op.attr_id(name);
    match rule {
        Rule::Int
        | Rule::Float
        | Rule::Bool
        | Rule::String
        | Rule::Value
        | Rule::Direction
        | Rule::FftType
        | Rule::RngAlgorithm
        | Rule::RngDistribution
        | Rule::Transpose
        | Rule::Type
        | Rule::Pairs
        | Rule::ReplicaGroups => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            None => Err("is missing".to_owned()),
        },
        Rule::IntOr(default) => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            // The version of a composite is 32 bits wide, every other integer 64.
            None => table.vhlo_int(default, if name == "version" { ElementType::I32 } else { ElementType::I64 }),
        },
        Rule::Flag | Rule::UnitFlag => {
            let value = text(op.bool_or(name, false))?;
            Ok(table.vhlo_bool(value))
        }
        Rule::OptionalString => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            None => Ok(table.string_attr(Form::Vhlo, b"")),
        },
        Rule::OptionalDict => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            None => table.vhlo_dict(&[]),
        },
        Rule::OptionalArray | Rule::Layouts => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            None => Ok(table.vhlo_array(&[])),
        },
        Rule::Dicts => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            None => {
                let count = dict_count(op, name);
                let empty = table.vhlo_dict(&[])?;
                Ok(table.vhlo_array(&vec![empty; count]))
            }
        },
        Rule::I64s => {
            let values = text(op.i64s(name))?;
            table.vhlo_i64s(&[values.len() as i64], values)
        }
        Rule::OptionalI64s => {
            let values = text(op.i64s_opt(name))?.unwrap_or(&[]);
            table.vhlo_i64s(&[values.len() as i64], values)
        }
        Rule::OptionalOnes => match text(op.i64s_opt(name))? {
            Some(values) => table.vhlo_i64s(&[values.len() as i64], values),
            None => {
                let ones = vec![1; window_rank(op)?];
                table.vhlo_i64s(&[ones.len() as i64], &ones)
            }
        },
        Rule::OptionalBools => match text(op.bools_opt(name))? {
            Some(values) => table.vhlo_bools(values),
            None => table.vhlo_bools(&vec![false; window_rank(op)?]),
        },
        Rule::OptionalPadding | Rule::Drop => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            None => {
                let rank = window_rank(op)?;
                table.vhlo_i64s(&[rank as i64, 2], &vec![0; 2 * rank])
            }
        },
        Rule::OptionalPairs => match present {
            Some(id) => table.attr(Form::Vhlo, id),
            None => table.vhlo_i64s(&[0], &[]),
        },
        Rule::Precisions => {
            let precisions = text(op.precision_config())?;
            let items: Vec<u64> = precisions.iter().map(|p: &Precision| table.vhlo_enum(11, p.code())).collect();
            Ok(table.vhlo_array(&items))
        }
        Rule::Accuracy => {
            let accuracy = text(op.result_accuracy())?;
            Ok(table.accuracy(accuracy))
        }
        Rule::CompareType => {
            let compare_type = text(op.compare_type())?;
            Ok(table.vhlo_enum(4, compare_type.code()))
        }
        Rule::Symbol => {
            let symbol = text(op.symbol(name))?;
            Ok(table.string_attr(Form::Vhlo, symbol.as_bytes()))
        }
        Rule::Symbols => {
            let mut items = Vec::new();
            for &item in text(op.array_or_empty(name))? {
                match op.module().attr(item) {
                    Attr::SymbolRef { root, nested } if nested.is_empty() => {
                        items.push(table.string_attr(Form::Vhlo, op.module().str(*root).as_bytes()));
                    }
                    other => return Err(format!("has a {} where a symbol must be", other.kind())),
                }
            }
            Ok(table.vhlo_array(&items))
        }
        Rule::ApiVersion => {
            let version = text(op.int_or(name, 1))?;
            Ok(table.vhlo_enum(5, version as u64))
        }
        Rule::BackendConfig => match present {
            Some(id) => match op.module().attr(id) {
                Attr::Dict(_) if !table.has(1, 3) => Err("is a dictionary, which came with 1.3".to_owned()),
                _ => table.attr(Form::Vhlo, id),
            },
            None if text(op.int_or("api_version", 1))? == 4 => table.vhlo_dict(&[]),
            None => Ok(table.string_attr(Form::Vhlo, b"")),
        },
        Rule::Channel => {
            let channel = text(op.channel_handle())?;
            table.vhlo_int(channel.map_or(0, |c| c.handle), ElementType::I64)
        }
        Rule::Part => Err("stands alone".to_owned()),
    }
}

/// How many arguments or results a function has.
fn dict_count(op: OpRef<'_>, name: &str) -> usize {
    match op.attr("function_type") {
        Some(Attr::Type(ty)) => match op.module().ty(*ty) {
            Type::Function { inputs, results } => {
                if name == "arg_attrs" {
                    inputs.len()
                } else {
                    results.len()
                }
            }
            _ => 0,
        },
        _ => 0,
    }
}

/// Number of dimensions that a window slides over.
fn window_rank(op: OpRef<'_>) -> Result_<usize> {
    if let Some(Attr::ConvDimensionNumbers(numbers)) = op.attr("dimension_numbers") {
        return Ok(numbers.input_spatial_dimensions.len());
    }
    text(op.i64s("window_dimensions")).map(<[i64]>::len)
}

/// A field of an attribute that VHLO has in parts.
fn part(table: &mut Table<'_>, op: OpRef<'_>, name: &str) -> Result_<u64> {
    enum Part<'p> {
        List(&'p [i64]),
        Int(i64),
    }
    use Part::{Int, List};
    let dimension_numbers =
        ["dimension_numbers", "scatter_dimension_numbers", "dot_dimension_numbers", "channel_handle"];
    let numbers = dimension_numbers.iter().find_map(|name| op.attr(name));
    let value = match (numbers, name) {
        (Some(Attr::ConvDimensionNumbers(n)), _) => match name {
            "input_batch_dimension" => Int(n.input_batch_dimension),
            "input_feature_dimension" => Int(n.input_feature_dimension),
            "input_spatial_dimensions" => List(&n.input_spatial_dimensions),
            "kernel_input_feature_dimension" => Int(n.kernel_input_feature_dimension),
            "kernel_output_feature_dimension" => Int(n.kernel_output_feature_dimension),
            "kernel_spatial_dimensions" => List(&n.kernel_spatial_dimensions),
            "output_batch_dimension" => Int(n.output_batch_dimension),
            "output_feature_dimension" => Int(n.output_feature_dimension),
            "output_spatial_dimensions" => List(&n.output_spatial_dimensions),
            _ => return Err("is no field of a convolution".to_owned()),
        },
        (Some(Attr::GatherDimensionNumbers(n)), _) => match name {
            "offset_dims" => List(&n.offset_dims),
            "collapsed_slice_dims" => List(&n.collapsed_slice_dims),
            "operand_batching_dims" => List(&n.operand_batching_dims),
            "start_indices_batching_dims" => List(&n.start_indices_batching_dims),
            "start_index_map" => List(&n.start_index_map),
            "index_vector_dim" => Int(n.index_vector_dim),
            _ => return Err("is no field of a gather".to_owned()),
        },
        (Some(Attr::ScatterDimensionNumbers(n)), _) => match name {
            "update_window_dims" => List(&n.update_window_dims),
            "inserted_window_dims" => List(&n.inserted_window_dims),
            "input_batching_dims" => List(&n.input_batching_dims),
            "scatter_indices_batching_dims" => List(&n.scatter_indices_batching_dims),
            "scatter_dims_to_operand_dims" => List(&n.scatter_dims_to_operand_dims),
            "index_vector_dim" => Int(n.index_vector_dim),
            _ => return Err("is no field of a scatter".to_owned()),
        },
        (Some(Attr::DotDimensionNumbers(n)), _) => match name {
            "lhs_batching_dimensions" => List(&n.lhs_batching_dimensions),
            "rhs_batching_dimensions" => List(&n.rhs_batching_dimensions),
            "lhs_contracting_dimensions" => List(&n.lhs_contracting_dimensions),
            "rhs_contracting_dimensions" => List(&n.rhs_contracting_dimensions),
            _ => return algorithm_part(table, op, name),
        },
        (Some(Attr::ChannelHandle(channel)), "channel_id") => Int(channel.handle),
        (Some(Attr::ChannelHandle(channel)), "channel_type") => Int(channel.channel_type),
        _ => return Err("is missing".to_owned()),
    };
    match value {
        List(values) => table.vhlo_i64s(&[values.len() as i64], values),
        Int(value) => table.vhlo_int(value, ElementType::I64),
    }
}

fn algorithm_part(table: &mut Table<'_>, op: OpRef<'_>, name: &str) -> Result_<u64> {
    let Some(algorithm) = text(op.dot_algorithm())? else {
        let none = table.none_type();
        return Ok(table.vhlo_type_attr(none));
    };
    let ty = match name {
        "lhs_precision_type" => algorithm.lhs_precision_type,
        "rhs_precision_type" => algorithm.rhs_precision_type,
        "accumulation_type" => algorithm.accumulation_type,
        "lhs_component_count" => return table.vhlo_int(algorithm.lhs_component_count, ElementType::I64),
        "rhs_component_count" => return table.vhlo_int(algorithm.rhs_component_count, ElementType::I64),
        "num_primitive_operations" => return table.vhlo_int(algorithm.num_primitive_operations, ElementType::I64),
        "allow_imprecise_accumulation" => return Ok(table.vhlo_bool(algorithm.allow_imprecise_accumulation)),
        _ => return Err("is no field of a dot".to_owned()),
    };
    let ty = table.ty(Form::Vhlo, ty)?;
    Ok(table.vhlo_type_attr(ty))
}
