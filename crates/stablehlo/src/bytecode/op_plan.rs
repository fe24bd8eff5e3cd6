//! What to do with each op name of a file: decided once for a name, not once for an op.

use super::error::{ReadError, Result};
use super::sections::OpName;
use super::tables::Tables;
use crate::ir::{Dialect, OpCode, StrId};
use crate::vhlo::{Conversion, VhloOp};

/// How ops of one name are read.
pub(super) enum Plan {
    /// An op of VHLO.
    Vhlo(Conversion),
    /// An op whose properties are kept as they are.
    Plain { code: OpCode, names: Vec<(StrId, bool)> },
}

/// Ops outside VHLO: properties in the order of the file; `?` marks optional ones.
pub(super) const PLAIN: &[(OpCode, &[&str])] = &[
    (OpCode::BuiltinModule, &["sym_name?", "sym_visibility?"]),
    (OpCode::BuiltinUnrealizedConversionCast, &[]),
    (OpCode::FuncFunc, &["arg_attrs?", "function_type", "no_inline?", "res_attrs?", "sym_name", "sym_visibility?"]),
    (OpCode::FuncCall, &["arg_attrs?", "callee", "no_inline?", "res_attrs?"]),
    (OpCode::FuncReturn, &[]),
    (OpCode::SdyAllGather, &["gathering_axes", "out_sharding"]),
    (OpCode::SdyAllReduce, &["out_sharding", "reduction_axes", "reduction_op?"]),
    (OpCode::SdyAllSlice, &["out_sharding", "slicing_axes"]),
    (OpCode::SdyAllToAll, &["out_sharding", "params"]),
    (OpCode::SdyCollectivePermute, &["out_sharding"]),
    (OpCode::SdyConstant, &["value"]),
    (OpCode::SdyDataFlowEdge, &["sharding?"]),
    (OpCode::SdyManualComputation, &["in_shardings", "manual_axes", "out_shardings"]),
    (OpCode::SdyMesh, &["mesh", "sym_name"]),
    (OpCode::SdyNamedComputation, &["in_shardings?", "name", "out_shardings?"]),
    (OpCode::SdyPropagationBarrier, &["allowed_direction"]),
    (OpCode::SdyReduceScatter, &["out_sharding", "reduce_scatter_axes", "reduction_op?"]),
    (OpCode::SdyReplicatedToUnreduced, &["axes", "out_sharding"]),
    (OpCode::SdyReshard, &["sharding"]),
    (OpCode::SdyReturn, &[]),
    (OpCode::SdyShardedToUnreduced, &["axes", "out_sharding"]),
    (OpCode::SdyShardingConstraint, &["sharding"]),
    (OpCode::SdyShardingGroup, &["group_id"]),
];

impl Plan {
    /// The plan for ops of this name in a file of a bytecode version.
    pub(super) fn new(op: &OpName, version: u64, tables: &mut Tables<'_>) -> Result<Plan> {
        let unknown = || {
            let (oldest, newest) = (crate::MINIMUM_VERSION, crate::CURRENT_VERSION);
            let advice = match op.full.split('.').next() {
                Some("stablehlo" | "chlo") => "serialise the program as a portable artifact \
                    (stablehlo.serialize_portable_artifact) or in bytecode version 4"
                    .to_owned(),
                Some("vhlo") => format!("serialise the program for a version up to {newest}"),
                _ => "lower it to StableHLO first".to_owned(),
            };
            ReadError::new(format!(
                "this op is not known; StableHLO {oldest} to {newest} is read from bytecode: {advice}"
            ))
        };
        if let Some(name) = op.full.strip_prefix("vhlo.") {
            let vhlo = VhloOp::find(name).ok_or_else(unknown)?;
            return Ok(Plan::Vhlo(Conversion::new(vhlo, tables)));
        }
        let code = OpCode::from_name(&op.full).ok_or_else(unknown)?;
        if version < 5 && matches!(code.dialect(), Dialect::Stablehlo | Dialect::Chlo) {
            // Attributes of these ops have names in the file.
            return Ok(Plan::Plain { code, names: Vec::new() });
        }
        let (_, props) = PLAIN.iter().find(|(plain, _)| *plain == code).ok_or_else(unknown)?;
        let names = props.iter().map(|prop| match prop.strip_suffix('?') {
            Some(name) => (tables.module.intern_str(name), true),
            None => (tables.module.intern_str(prop), false),
        });
        Ok(Plan::Plain { code, names: names.collect() })
    }

    /// The op it becomes.
    pub(super) fn code(&self) -> OpCode {
        match self {
            Plan::Vhlo(conversion) => conversion.op.code,
            Plan::Plain { code, .. } => *code,
        }
    }

    /// Whether an attribute of this name belongs to the op's definition in the file.
    pub(super) fn is_inherent(&self, name: &str) -> bool {
        match self {
            Plan::Vhlo(conversion) => conversion.op.props.iter().any(|prop| prop.name == name),
            Plan::Plain { code, .. } => code.inherent_attributes().contains(&name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_ops_name_their_inherent_attributes_in_order() {
        for (code, props) in PLAIN {
            let names: Vec<&str> = props.iter().map(|p| p.trim_end_matches('?')).collect();
            assert_eq!(names, code.inherent_attributes(), "{code}");
        }
    }
}
