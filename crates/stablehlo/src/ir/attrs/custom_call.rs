//! `#stablehlo.output_operand_alias`: results of a custom call that share memory with an operand.

/// One alias between a result and an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutputOperandAlias {
    /// Path into the (tuple of) results.
    pub output_tuple_indices: Box<[i64]>,
    /// The operand.
    pub operand_index: i64,
    /// Path into the operand.
    pub operand_tuple_indices: Box<[i64]>,
}
