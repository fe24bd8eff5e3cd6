//! Attributes of sdy as text.

use super::writer::Printer;
use crate::ir::attrs::{
    AllToAllParam, AxisRef, DimensionSharding, MeshAxis, OpShardingRule, SdyAttr, SdyMesh, SdyMeshRef, TensorSharding,
};

impl<'m> Printer<'m> {
    pub(super) fn sdy(&mut self, sdy: &SdyAttr) {
        match sdy {
            SdyAttr::ManualAxes(axes) => {
                self.push("#sdy<manual_axes");
                self.manual_axes(axes);
                self.push(">");
            }
            SdyAttr::MeshAxis(axis) => {
                self.push("#sdy<mesh_axis");
                self.sdy_mesh_axis(axis);
                self.push(">");
            }
            SdyAttr::Mesh(mesh) => {
                self.push("#sdy.mesh");
                self.sdy_mesh(mesh);
            }
            SdyAttr::SubAxisInfo(info) => {
                self.push("#sdy<sub_axis_info");
                self.sub_axis(info);
                self.push(">");
            }
            SdyAttr::AxisRef(axis) => {
                self.push("#sdy<axis_ref");
                self.axis_ref(axis);
                self.push(">");
            }
            SdyAttr::DimensionSharding(dim) => {
                self.push("#sdy<dimension_sharding");
                self.dim_sharding(dim);
                self.push(">");
            }
            SdyAttr::Sharding(sharding) => {
                self.push("#sdy.sharding");
                self.sharding(sharding);
            }
            SdyAttr::ShardingPerValue(shardings) => {
                self.push("#sdy.sharding_per_value<");
                self.shardings(shardings);
                self.push(">");
            }
            SdyAttr::DimMapping(mapping) => {
                self.push("#sdy<dim_mapping ");
                self.factors(mapping);
                self.push(">");
            }
            SdyAttr::TensorMapping(mapping) => {
                self.push("#sdy<tensor_mapping");
                self.tensor_mapping(mapping);
                self.push(">");
            }
            SdyAttr::OpShardingRule(rule) => {
                self.push("#sdy.op_sharding_rule");
                self.sharding_rule(rule);
            }
            SdyAttr::AxisRefList(axes) => {
                self.push("#sdy<axis_ref_list");
                self.axis_refs(axes);
                self.push(">");
            }
            SdyAttr::ListOfAxisRefLists(lists) => {
                self.push("#sdy<list_of_axis_ref_lists");
                self.axis_ref_lists(lists);
                self.push(">");
            }
            SdyAttr::AllToAllParam(param) => {
                self.push("#sdy<all_to_all_param");
                self.all_to_all(param);
                self.push(">");
            }
            SdyAttr::AllToAllParamList(params) => {
                self.push("#sdy<all_to_all_param_list");
                self.all_to_all_params(params);
                self.push(">");
            }
        }
    }

    pub(super) fn manual_axes(&mut self, axes: &[crate::ir::StrId]) {
        self.push("{");
        self.commas(axes, |p, axis| p.quoted(p.module.str(*axis).as_bytes()));
        self.push("}");
    }

    fn sdy_mesh_axis(&mut self, axis: &MeshAxis) {
        self.quoted(self.module.str(axis.name).as_bytes());
        let text = format!("={}", axis.size);
        self.push(&text);
    }

    pub(super) fn sdy_mesh(&mut self, mesh: &SdyMesh) {
        self.push("<[");
        self.commas(&*mesh.axes, |p, axis| p.sdy_mesh_axis(axis));
        self.push("]");
        if !mesh.device_ids.is_empty() {
            self.push(", device_ids=");
            self.ints(&mesh.device_ids);
        }
        self.push(">");
    }

    fn axis_ref(&mut self, axis: &AxisRef) {
        self.quoted(self.module.str(axis.name).as_bytes());
        if let Some(info) = &axis.sub_axis {
            self.push(":");
            self.sub_axis(info);
        }
    }

    pub(super) fn axis_refs(&mut self, axes: &[AxisRef]) {
        self.push("{");
        self.commas(axes, |p, axis| p.axis_ref(axis));
        self.push("}");
    }

    pub(super) fn axis_ref_lists(&mut self, lists: &[Box<[AxisRef]>]) {
        self.push("[");
        self.commas(lists, |p, axes| p.axis_refs(axes));
        self.push("]");
    }

    fn all_to_all(&mut self, param: &AllToAllParam) {
        self.axis_refs(&param.axes);
        let text = format!(": {}->{}", param.src_dim, param.tgt_dim);
        self.push(&text);
    }

    pub(super) fn all_to_all_params(&mut self, params: &[AllToAllParam]) {
        self.push("[");
        self.commas(params, |p, param| p.all_to_all(param));
        self.push("]");
    }

    fn dim_sharding(&mut self, dim: &DimensionSharding) {
        self.push("{");
        self.commas(&*dim.axes, |p, axis| p.axis_ref(axis));
        if !dim.is_closed {
            self.push(if dim.axes.is_empty() { "?" } else { ", ?" });
        }
        self.push("}");
        if let Some(priority) = dim.priority {
            let text = format!("p{priority}");
            self.push(&text);
        }
    }

    pub(super) fn sharding(&mut self, sharding: &TensorSharding) {
        self.push("<");
        match &sharding.mesh {
            SdyMeshRef::Symbol(name) => self.symbol(self.module.str(*name)),
            SdyMeshRef::Inline(mesh) => {
                self.push("mesh");
                self.sdy_mesh(mesh);
            }
        }
        self.push(", [");
        self.commas(&*sharding.dim_shardings, |p, dim| p.dim_sharding(dim));
        self.push("]");
        if !sharding.replicated_axes.is_empty() {
            self.push(", replicated=");
            self.axis_refs(&sharding.replicated_axes);
        }
        if !sharding.unreduced_axes.is_empty() {
            self.push(match sharding.reduction {
                1 => ", unreduced(max)=",
                2 => ", unreduced(min)=",
                _ => ", unreduced=",
            });
            self.axis_refs(&sharding.unreduced_axes);
        }
        self.push(">");
    }

    pub(super) fn shardings(&mut self, shardings: &[TensorSharding]) {
        self.push("[");
        self.commas(shardings, |p, sharding| p.sharding(sharding));
        self.push("]");
    }

    fn factors(&mut self, factors: &[i64]) {
        for &factor in factors {
            let text = match factor {
                0..=17 => char::from(b'i' + factor as u8).to_string(),
                _ => format!("z_{}", factor - 17),
            };
            self.push(&text);
        }
    }

    fn tensor_mapping(&mut self, mapping: &[Box<[i64]>]) {
        self.push("[");
        self.commas(mapping, |p, dim| p.factors(dim));
        self.push("]");
    }

    fn sharding_rule(&mut self, rule: &OpShardingRule) {
        self.push("<(");
        self.commas(&*rule.operand_mappings, |p, mapping| p.tensor_mapping(mapping));
        self.push(")->(");
        self.commas(&*rule.result_mappings, |p, mapping| p.tensor_mapping(mapping));
        self.push(") {");
        self.commas(rule.factor_sizes.iter().enumerate(), |p, (factor, size)| {
            p.factors(&[factor as i64]);
            p.push(&format!("={size}"));
        });
        self.push("}");
        for (name, factors) in [
            ("reduction", &rule.reduction_factors),
            ("need_replication", &rule.need_replication_factors),
            ("permutation", &rule.permutation_factors),
            ("blocked_propagation", &rule.blocked_propagation_factors),
        ] {
            if !factors.is_empty() {
                self.push(&format!(" {name}={{"));
                self.commas(&**factors, |p, factor| p.factors(&[*factor]));
                self.push("}");
            }
        }
        self.push(if rule.is_custom { ", custom>" } else { ">" });
    }
}
