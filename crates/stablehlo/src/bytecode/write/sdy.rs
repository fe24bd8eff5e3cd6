//! Attributes of the sdy dialect.

use super::Result_;
use super::sink::Sink;
use super::table::{Dialect, Form, Table};
use crate::ir::attrs::{
    AllToAllParam, AxisRef, DimensionSharding, MeshAxis, SdyAttr, SdyMesh, SdyMeshRef, SubAxisInfo, TensorMapping,
    TensorSharding,
};

impl Table<'_> {
    fn sdy(&mut self, sink: Sink) -> u64 {
        self.attr_entry(Dialect::Sdy, sink)
    }

    /// A list whose items are entries of their own.
    fn sdy_list<T>(&mut self, sink: &mut Sink, items: &[T], mut item: impl FnMut(&mut Self, &T) -> u64) {
        sink.varint(items.len() as u64);
        for part in items {
            let index = item(self, part);
            sink.varint(index);
        }
    }

    fn sdy_sub_axis(&mut self, info: &SubAxisInfo) -> u64 {
        let mut sink = Sink::code(3);
        sink.signed_varint(info.pre_size);
        sink.signed_varint(info.size);
        self.sdy(sink)
    }

    fn sdy_axis_ref(&mut self, axis: &AxisRef) -> u64 {
        let name = self.string(self.module.str(axis.name).as_bytes());
        let mut sink = Sink::code(4);
        sink.varint(name);
        match &axis.sub_axis {
            Some(info) => sink.varint_with_flag(self.sdy_sub_axis(info), true),
            None => sink.varint(0),
        }
        self.sdy(sink)
    }

    fn sdy_mesh_axis(&mut self, axis: &MeshAxis) -> u64 {
        let name = self.string(self.module.str(axis.name).as_bytes());
        let mut sink = Sink::code(1);
        sink.varint(name);
        sink.signed_varint(axis.size);
        self.sdy(sink)
    }

    fn sdy_mesh(&mut self, mesh: &SdyMesh) -> u64 {
        let mut sink = Sink::code(2);
        self.sdy_list(&mut sink, &mesh.axes, Self::sdy_mesh_axis);
        sink.signed_list(&mesh.device_ids);
        self.sdy(sink)
    }

    fn sdy_dimension(&mut self, dimension: &DimensionSharding) -> u64 {
        let mut sink = Sink::code(5);
        self.sdy_list(&mut sink, &dimension.axes, Self::sdy_axis_ref);
        sink.byte(dimension.is_closed.into());
        sink.varint_with_flag(dimension.priority.unwrap_or(0), dimension.priority.is_some());
        self.sdy(sink)
    }

    fn sdy_sharding(&mut self, sharding: &TensorSharding) -> u64 {
        let mesh = match &sharding.mesh {
            SdyMeshRef::Inline(mesh) => self.sdy_mesh(mesh),
            SdyMeshRef::Symbol(name) => {
                let name = self.string_attr(Form::Builtin, self.module.str(*name).as_bytes());
                let mut symbol = Sink::code(4);
                symbol.varint(name);
                self.attr_entry(Dialect::Builtin, symbol)
            }
        };
        let code = match (sharding.reduction, sharding.unreduced_axes.is_empty()) {
            (0, true) => 6,
            (0, false) => 15,
            _ => 17,
        };
        let mut sink = Sink::code(code);
        sink.varint(mesh);
        self.sdy_list(&mut sink, &sharding.dim_shardings, Self::sdy_dimension);
        self.sdy_list(&mut sink, &sharding.replicated_axes, Self::sdy_axis_ref);
        if code >= 15 {
            self.sdy_list(&mut sink, &sharding.unreduced_axes, Self::sdy_axis_ref);
        }
        if code == 17 {
            sink.signed_varint(sharding.reduction);
        }
        self.sdy(sink)
    }

    fn sdy_dim_mapping(&mut self, mapping: &[i64]) -> u64 {
        let mut sink = Sink::code(8);
        sink.signed_list(mapping);
        self.sdy(sink)
    }

    fn sdy_tensor_mapping(&mut self, mapping: &TensorMapping) -> u64 {
        let mut sink = Sink::code(9);
        self.sdy_list(&mut sink, mapping, |table, dim| table.sdy_dim_mapping(dim));
        self.sdy(sink)
    }

    fn sdy_axis_ref_list(&mut self, axes: &[AxisRef]) -> u64 {
        let mut sink = Sink::code(11);
        self.sdy_list(&mut sink, axes, Self::sdy_axis_ref);
        self.sdy(sink)
    }

    fn sdy_all_to_all(&mut self, param: &AllToAllParam) -> u64 {
        let mut sink = Sink::code(13);
        self.sdy_list(&mut sink, &param.axes, Self::sdy_axis_ref);
        sink.signed_varint(param.src_dim);
        sink.signed_varint(param.tgt_dim);
        self.sdy(sink)
    }

    pub(super) fn sdy_attr(&mut self, attr: &SdyAttr) -> Result_<u64> {
        if !self.has(1, 11) {
            return Err(format!("sdy attributes cannot stand in a program of StableHLO {}", self.version));
        }
        let mut sink;
        match attr {
            SdyAttr::ManualAxes(names) => {
                sink = Sink::code(0);
                self.sdy_list(&mut sink, names, |table, name| {
                    table.string_attr(Form::Builtin, table.module.str(*name).as_bytes())
                });
            }
            SdyAttr::MeshAxis(axis) => return Ok(self.sdy_mesh_axis(axis)),
            SdyAttr::Mesh(mesh) => return Ok(self.sdy_mesh(mesh)),
            SdyAttr::SubAxisInfo(info) => return Ok(self.sdy_sub_axis(info)),
            SdyAttr::AxisRef(axis) => return Ok(self.sdy_axis_ref(axis)),
            SdyAttr::DimensionSharding(dimension) => return Ok(self.sdy_dimension(dimension)),
            SdyAttr::Sharding(sharding) => return Ok(self.sdy_sharding(sharding)),
            SdyAttr::ShardingPerValue(shardings) => {
                let unreduced = shardings.iter().any(|s| !s.unreduced_axes.is_empty() || s.reduction != 0);
                sink = Sink::code(if unreduced { 16 } else { 7 });
                self.sdy_list(&mut sink, shardings, Self::sdy_sharding);
            }
            SdyAttr::DimMapping(mapping) => return Ok(self.sdy_dim_mapping(mapping)),
            SdyAttr::TensorMapping(mapping) => return Ok(self.sdy_tensor_mapping(mapping)),
            SdyAttr::OpShardingRule(rule) => {
                sink = Sink::code(10);
                sink.signed_list(&rule.factor_sizes);
                self.sdy_list(&mut sink, &rule.operand_mappings, Self::sdy_tensor_mapping);
                self.sdy_list(&mut sink, &rule.result_mappings, Self::sdy_tensor_mapping);
                sink.signed_list(&rule.reduction_factors);
                sink.signed_list(&rule.need_replication_factors);
                sink.signed_list(&rule.permutation_factors);
                sink.signed_list(&rule.blocked_propagation_factors);
                sink.byte(rule.is_custom.into());
            }
            SdyAttr::AxisRefList(axes) => return Ok(self.sdy_axis_ref_list(axes)),
            SdyAttr::ListOfAxisRefLists(lists) => {
                sink = Sink::code(12);
                self.sdy_list(&mut sink, lists, |table, axes| table.sdy_axis_ref_list(axes));
            }
            SdyAttr::AllToAllParam(param) => return Ok(self.sdy_all_to_all(param)),
            SdyAttr::AllToAllParamList(params) => {
                sink = Sink::code(14);
                self.sdy_list(&mut sink, params, Self::sdy_all_to_all);
            }
        }
        Ok(self.sdy(sink))
    }
}
