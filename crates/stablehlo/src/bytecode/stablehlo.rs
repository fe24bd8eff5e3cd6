//! Attributes and types of the dialects stablehlo and chlo, as MLIR writes them when a program is not a portable
//! artifact: by the codes of the dialects themselves, which keep their meaning from release to release.

use super::error::Result;
use super::tables::Decoder;
use crate::ir::attrs::{
    AxisRef, ChannelHandle, ComparisonDirection, ComparisonType, ConvDimensionNumbers, DotAlgorithm,
    DotDimensionNumbers, FftType, GatherDimensionNumbers, Mesh, MeshAxis, MeshRef, OutputOperandAlias, Precision,
    ReplicaGroupMeshAxes, ResultAccuracy, ResultAccuracyMode, RngAlgorithm, RngDistribution, ScatterDimensionNumbers,
    SubAxisInfo, Transpose, TypeExtensions,
};
use crate::ir::{Attr, AttrId, Type};

impl Decoder<'_, '_> {
    pub(super) fn stablehlo_attr(&mut self) -> Result<Attr> {
        let code = self.cursor.varint()?;
        Ok(match code {
            1 => Attr::ChannelHandle(ChannelHandle { handle: self.number()?, channel_type: self.number()? }),
            2 => Attr::ComparisonDirection(self.enumeration(ComparisonDirection::from_code)?),
            3 => Attr::ComparisonType(self.enumeration(ComparisonType::from_code)?),
            4 => Attr::ConvDimensionNumbers(Box::new(ConvDimensionNumbers {
                input_batch_dimension: self.number()?,
                input_feature_dimension: self.number()?,
                input_spatial_dimensions: self.numbers()?,
                kernel_input_feature_dimension: self.number()?,
                kernel_output_feature_dimension: self.number()?,
                kernel_spatial_dimensions: self.numbers()?,
                output_batch_dimension: self.number()?,
                output_feature_dimension: self.number()?,
                output_spatial_dimensions: self.numbers()?,
            })),
            5 => Attr::DotDimensionNumbers(Box::new(DotDimensionNumbers {
                lhs_batching_dimensions: self.numbers()?,
                rhs_batching_dimensions: self.numbers()?,
                lhs_contracting_dimensions: self.numbers()?,
                rhs_contracting_dimensions: self.numbers()?,
            })),
            6 => Attr::FftType(self.enumeration(FftType::from_code)?),
            7 => Attr::GatherDimensionNumbers(Box::new(GatherDimensionNumbers {
                offset_dims: self.numbers()?,
                collapsed_slice_dims: self.numbers()?,
                operand_batching_dims: self.numbers()?,
                start_indices_batching_dims: self.numbers()?,
                start_index_map: self.numbers()?,
                index_vector_dim: self.number()?,
            })),
            8 => Attr::Precision(self.enumeration(Precision::from_code)?),
            9 => Attr::RngAlgorithm(self.enumeration(RngAlgorithm::from_code)?),
            10 => Attr::RngDistribution(self.enumeration(RngDistribution::from_code)?),
            11 => Attr::ScatterDimensionNumbers(Box::new(ScatterDimensionNumbers {
                update_window_dims: self.numbers()?,
                inserted_window_dims: self.numbers()?,
                input_batching_dims: self.numbers()?,
                scatter_indices_batching_dims: self.numbers()?,
                scatter_dims_to_operand_dims: self.numbers()?,
                index_vector_dim: self.number()?,
            })),
            12 => Attr::Transpose(self.enumeration(Transpose::from_code)?),
            13 => Attr::TypeExtensions(TypeExtensions { bounds: self.numbers()? }),
            14 => Attr::OutputOperandAlias(Box::new(OutputOperandAlias {
                output_tuple_indices: self.numbers()?,
                operand_index: self.number()?,
                operand_tuple_indices: self.numbers()?,
            })),
            15 => Attr::DotAlgorithm(Box::new(DotAlgorithm {
                lhs_precision_type: self.ty()?,
                rhs_precision_type: self.ty()?,
                accumulation_type: self.ty()?,
                lhs_component_count: self.number()?,
                rhs_component_count: self.number()?,
                num_primitive_operations: self.number()?,
                allow_imprecise_accumulation: self.cursor.bool()?,
            })),
            16 => Attr::ResultAccuracyMode(self.enumeration(ResultAccuracyMode::from_code)?),
            17 => self.result_accuracy()?,
            18 => {
                let mesh = self.copy_of("a mesh or the name of one", |attr| match attr {
                    Attr::SymbolRef { root, nested } if nested.is_empty() => Some(MeshRef::Symbol(*root)),
                    Attr::Mesh(mesh) => Some(MeshRef::Inline((**mesh).clone())),
                    _ => None,
                })?;
                let axes = self.list(|d| {
                    d.attr_as("an axis reference", |attr| match attr {
                        Attr::AxisRef(axis) => Some(*axis),
                        _ => None,
                    })
                })?;
                match mesh {
                    Some(mesh) => Attr::ReplicaGroupMeshAxes(Box::new(ReplicaGroupMeshAxes {
                        mesh,
                        axes: axes.into_iter().flatten().collect(),
                    })),
                    None => Attr::Unit,
                }
            }
            19 => Attr::SubAxisInfo(SubAxisInfo { pre_size: self.number()?, size: self.number()? }),
            20 => Attr::AxisRef(AxisRef { name: self.string()?, sub_axis: self.sub_axis()? }),
            21 => Attr::MeshAxis(MeshAxis { name: self.string()?, size: self.number()? }),
            22 => {
                let axes = self.elements("an array of mesh axes", |attr| match attr {
                    Attr::MeshAxis(axis) => Some(*axis),
                    _ => None,
                })?;
                let device_ids = if self.cursor.bool()? { Some(self.attr()?) } else { None };
                Attr::Mesh(Box::new(Mesh { axes, device_ids }))
            }
            _ => return self.cursor.error(format!("stablehlo attribute code {code} is not known")),
        })
    }

    pub(super) fn chlo_attr(&mut self) -> Result<Attr> {
        Ok(match self.cursor.varint()? {
            0 => Attr::ComparisonDirection(self.enumeration(ComparisonDirection::from_code)?),
            1 => Attr::ComparisonType(self.enumeration(ComparisonType::from_code)?),
            code => return self.cursor.error(format!("chlo attribute code {code} is not known")),
        })
    }

    pub(super) fn stablehlo_type(&mut self) -> Result<Type> {
        Ok(match self.cursor.varint()? {
            0 => Type::Token,
            1 => Type::Future(self.list(Decoder::ty)?),
            code => return self.cursor.error(format!("stablehlo type code {code} is not known")),
        })
    }

    fn number(&mut self) -> Result<i64> {
        self.cursor.signed_varint()
    }

    fn sub_axis(&mut self) -> Result<Option<SubAxisInfo>> {
        if !self.cursor.bool()? {
            return Ok(None);
        }
        self.attr_as("a sub-axis", |attr| match attr {
            Attr::SubAxisInfo(info) => Some(*info),
            _ => None,
        })
    }

    /// Tolerances, and whether they matter.
    pub(crate) fn result_accuracy(&mut self) -> Result<Attr> {
        let (atol, rtol) = (self.cursor.small_ap_int(64)?, self.cursor.small_ap_int(64)?);
        let ulps = self.cursor.signed_varint()?;
        let mode = self.attr_as("a result accuracy mode", |attr| match attr {
            Attr::ResultAccuracyMode(mode) => Some(*mode),
            _ => None,
        })?;
        let mode = mode.unwrap_or(ResultAccuracyMode::Default);
        Ok(Attr::ResultAccuracy(ResultAccuracy { atol, rtol, ulps, mode }))
    }

    /// A value of an enumeration, by its code.
    pub(crate) fn enumeration<T>(&mut self, from_code: impl Fn(u64) -> Option<T>) -> Result<T> {
        let value = self.cursor.varint()?;
        match from_code(value) {
            Some(value) => Ok(value),
            None => self.cursor.error(format!("{value} is no value of {}", std::any::type_name::<T>())),
        }
    }

    /// The elements of a referenced array, each of one kind; empty while something is missing.
    pub(crate) fn elements<T>(&mut self, what: &str, convert: impl Fn(&Attr) -> Option<T>) -> Result<Box<[T]>> {
        let items: Option<Box<[AttrId]>> = self.copy_of(what, |attr| match attr {
            Attr::Array(items) => Some(items.clone()),
            _ => None,
        })?;
        let items = items.unwrap_or_default();
        let converted: Option<Box<[T]>> = items.iter().map(|&id| convert(self.tables.module.attr(id))).collect();
        match converted {
            Some(converted) => Ok(converted),
            None => self.cursor.error(format!("an attribute must be {what}")),
        }
    }
}
