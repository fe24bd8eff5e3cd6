//! VHLO attributes, by their code in the bytecode.

use crate::bytecode::{Decoder, Result};
use crate::ir::attrs::{
    AxisRef, ComparisonDirection, ComparisonType, CustomCallApiVersion, FftType, Mesh, MeshAxis, MeshRef,
    OutputOperandAlias, Precision, ReplicaGroupMeshAxes, ResultAccuracyMode, RngAlgorithm, RngDistribution,
    SubAxisInfo, Transpose, TypeExtensions,
};
use crate::ir::{Attr, NamedAttr};

/// Decodes the attribute entry at the decoder's cursor.
pub(crate) fn decode_attr(d: &mut Decoder<'_, '_>) -> Result<Attr> {
    let code = d.cursor.varint()?;
    Ok(match code {
        1 => Attr::Array(d.list(Decoder::attr)?),
        2 => match d.cursor.varint()? {
            0 => Attr::Bool(false),
            1 => Attr::Bool(true),
            other => return d.cursor.error(format!("a bool is {other}")),
        },
        3 => Attr::ComparisonDirection(d.enumeration(ComparisonDirection::from_code)?),
        4 => Attr::ComparisonType(d.enumeration(ComparisonType::from_code)?),
        5 => {
            // Current StableHLO has the version of a custom call's interface as a plain number.
            let version = d.enumeration(CustomCallApiVersion::from_code)?;
            let ty = d.tables.module.scalar_type(crate::ElementType::I32);
            Attr::Integer { value: version.code() as i64, ty }
        }
        6 => {
            let entries = d.list(|d| Ok(NamedAttr { name: d.string_attr()?, value: d.attr()? }))?;
            d.dict(entries)?
        }
        7 => Attr::FftType(d.enumeration(FftType::from_code)?),
        8 => d.float_attr()?,
        9 => d.integer_attr()?,
        10 => Attr::OutputOperandAlias(Box::new(OutputOperandAlias {
            output_tuple_indices: d.cursor.signed_list()?.into(),
            operand_index: d.cursor.signed_varint()?,
            operand_tuple_indices: d.cursor.signed_list()?.into(),
        })),
        11 => Attr::Precision(d.enumeration(Precision::from_code)?),
        12 => Attr::RngAlgorithm(d.enumeration(RngAlgorithm::from_code)?),
        13 => Attr::RngDistribution(d.enumeration(RngDistribution::from_code)?),
        14 => {
            let index = d.cursor.varint()?;
            d.tables.string_attr(index)?
        }
        15 => {
            let mark = d.mark();
            let ty = d.ty()?;
            let data = d.cursor.blob()?;
            if d.is_incomplete(mark) { Attr::Unit } else { d.dense(ty, data)? }
        }
        16 => Attr::Transpose(d.enumeration(Transpose::from_code)?),
        17 => Attr::Type(d.ty()?),
        18 => Attr::TypeExtensions(TypeExtensions { bounds: d.shape()? }),
        19 => Attr::ResultAccuracyMode(d.enumeration(ResultAccuracyMode::from_code)?),
        20 => d.result_accuracy()?,
        21 => Attr::SubAxisInfo(SubAxisInfo { pre_size: d.cursor.signed_varint()?, size: d.cursor.signed_varint()? }),
        22 => {
            let name = d.string_attr()?;
            let sub_axis = match d.cursor.varint()? {
                0 => None,
                _ => d.attr_as("a sub-axis", |attr| match attr {
                    Attr::SubAxisInfo(info) => Some(*info),
                    _ => None,
                })?,
            };
            Attr::AxisRef(AxisRef { name, sub_axis })
        }
        23 => {
            let mesh = d.copy_of("a mesh or the name of one", |attr| match attr {
                Attr::String(name) => Some(MeshRef::Symbol(*name)),
                Attr::Mesh(mesh) => Some(MeshRef::Inline((**mesh).clone())),
                _ => None,
            })?;
            let axes = d.elements("an array of axis references", |attr| match attr {
                Attr::AxisRef(axis) => Some(*axis),
                _ => None,
            })?;
            match mesh {
                Some(mesh) => Attr::ReplicaGroupMeshAxes(Box::new(ReplicaGroupMeshAxes { mesh, axes })),
                None => Attr::Unit,
            }
        }
        24 => Attr::MeshAxis(MeshAxis { name: d.string_attr()?, size: d.cursor.signed_varint()? }),
        25 => {
            let axes = d.elements("an array of mesh axes", |attr| match attr {
                Attr::MeshAxis(axis) => Some(*axis),
                _ => None,
            })?;
            Attr::Mesh(Box::new(Mesh { axes, device_ids: d.optional_attr()? }))
        }
        _ => {
            let newest = super::CURRENT_VERSION;
            return d.cursor.error(format!("VHLO attribute code {code} is not known up to StableHLO {newest}"));
        }
    })
}
