//! Attributes of the sdy dialect.
//!
//! They nest by reference; here they become whole structures, since none of them is deep.

use super::error::Result;
use super::tables::Decoder;
use crate::ir::attrs::{
    AllToAllParam, AxisRef, DimensionSharding, MeshAxis, OpShardingRule, SdyAttr, SdyMesh, SdyMeshRef, SubAxisInfo,
    TensorMapping, TensorSharding,
};
use crate::ir::{Attr, StrId};

/// Reads a list of references to attributes of one sdy kind; parts not decoded yet are left out.
macro_rules! part_lists {
    ($($method:ident: $variant:ident -> $ty:ty, $what:literal;)*) => {$(
        fn $method(&mut self) -> Result<Box<[$ty]>> {
            let parts = self.list(|d| d.copy_of($what, |attr| match attr {
                Attr::Sdy(sdy) => match &**sdy {
                    SdyAttr::$variant(value) => Some(value.clone()),
                    _ => None,
                },
                _ => None,
            }))?;
            Ok(parts.into_iter().flatten().collect())
        }
    )*};
}

impl Decoder<'_, '_> {
    part_lists! {
        axis_refs: AxisRef -> AxisRef, "an sdy axis reference";
        mesh_axes: MeshAxis -> MeshAxis, "an sdy mesh axis";
        dimension_shardings: DimensionSharding -> DimensionSharding, "an sdy dimension sharding";
        shardings: Sharding -> TensorSharding, "an sdy sharding";
        dim_mappings: DimMapping -> Box<[i64]>, "an sdy dimension mapping";
        tensor_mappings: TensorMapping -> TensorMapping, "an sdy tensor mapping";
        axis_ref_lists: AxisRefList -> Box<[AxisRef]>, "a list of sdy axis references";
        all_to_all_params: AllToAllParam -> AllToAllParam, "an sdy all-to-all parameter";
    }

    pub(super) fn numbers(&mut self) -> Result<Box<[i64]>> {
        self.cursor.signed_list().map(Into::into)
    }

    fn sharding(&mut self, code: u64) -> Result<SdyAttr> {
        let mesh = self.copy_of("an sdy mesh or a symbol", |attr| match attr {
            Attr::SymbolRef { root, nested } if nested.is_empty() => Some(SdyMeshRef::Symbol(*root)),
            Attr::Sdy(sdy) => match &**sdy {
                SdyAttr::Mesh(mesh) => Some(SdyMeshRef::Inline(mesh.clone())),
                _ => None,
            },
            _ => None,
        })?;
        let empty = || SdyMeshRef::Inline(SdyMesh { axes: Box::default(), device_ids: Box::default() });
        Ok(SdyAttr::Sharding(TensorSharding {
            mesh: mesh.unwrap_or_else(empty),
            dim_shardings: self.dimension_shardings()?,
            replicated_axes: self.axis_refs()?,
            unreduced_axes: if code >= 15 { self.axis_refs()? } else { Box::default() },
            reduction: if code == 17 { self.cursor.signed_varint()? } else { 0 },
        }))
    }

    pub(super) fn sdy_attr(&mut self) -> Result<Attr> {
        let code = self.cursor.varint()?;
        let attr = match code {
            0 => SdyAttr::ManualAxes(self.list(Self::string_attr)?),
            1 => SdyAttr::MeshAxis(MeshAxis { name: self.string()?, size: self.cursor.signed_varint()? }),
            2 => SdyAttr::Mesh(SdyMesh { axes: self.mesh_axes()?, device_ids: self.numbers()? }),
            3 => SdyAttr::SubAxisInfo(SubAxisInfo {
                pre_size: self.cursor.signed_varint()?,
                size: self.cursor.signed_varint()?,
            }),
            4 => SdyAttr::AxisRef(self.axis_ref()?),
            5 => SdyAttr::DimensionSharding(DimensionSharding {
                axes: self.axis_refs()?,
                is_closed: self.cursor.bool()?,
                priority: match self.cursor.varint_with_flag()? {
                    (priority, true) => Some(priority),
                    (_, false) => None,
                },
            }),
            6 | 15 | 17 => self.sharding(code)?,
            7 | 16 => SdyAttr::ShardingPerValue(self.shardings()?),
            8 => SdyAttr::DimMapping(self.numbers()?),
            9 => SdyAttr::TensorMapping(self.dim_mappings()?),
            10 => SdyAttr::OpShardingRule(OpShardingRule {
                factor_sizes: self.numbers()?,
                operand_mappings: self.tensor_mappings()?,
                result_mappings: self.tensor_mappings()?,
                reduction_factors: self.numbers()?,
                need_replication_factors: self.numbers()?,
                permutation_factors: self.numbers()?,
                blocked_propagation_factors: self.numbers()?,
                is_custom: self.cursor.bool()?,
            }),
            11 => SdyAttr::AxisRefList(self.axis_refs()?),
            12 => SdyAttr::ListOfAxisRefLists(self.axis_ref_lists()?),
            13 => SdyAttr::AllToAllParam(AllToAllParam {
                axes: self.axis_refs()?,
                src_dim: self.cursor.signed_varint()?,
                tgt_dim: self.cursor.signed_varint()?,
            }),
            14 => SdyAttr::AllToAllParamList(self.all_to_all_params()?),
            _ => return self.cursor.error(format!("sdy attribute code {code} is not known")),
        };
        Ok(Attr::Sdy(Box::new(attr)))
    }

    fn axis_ref(&mut self) -> Result<AxisRef> {
        let name: StrId = self.string()?;
        let start = self.mark();
        let sub_axis = match self.optional_attr()? {
            None => None,
            Some(_) if self.is_incomplete(start) => None,
            Some(id) => match self.tables.module.attr(id) {
                Attr::Sdy(sdy) => match **sdy {
                    SdyAttr::SubAxisInfo(info) => Some(info),
                    _ => return self.cursor.error("the part of an axis is no sub-axis"),
                },
                _ => return self.cursor.error("the part of an axis is no sub-axis"),
            },
        };
        Ok(AxisRef { name, sub_axis })
    }
}
