//! What the verifier reports: violations with the constraint's number, the op, its types and its location.

use std::fmt;

use crate::ir::OpId;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The constraint as the specification numbers it (`C1`, `C2`, …), `I1`, `I2`, … for the typing of an
    /// input, `O1`, `O2`, … for that of a result, `Q1`, `Q2`, … for the constraints of quantized types; for what
    /// has no number a word such as `dominance`, `terminator`, `symbol`, `type` or `shape`.
    pub constraint: &'static str,
    /// The op, for tools that point at it.
    pub op: OpId,
    /// Full name of the op.
    pub op_name: String,
    /// What is wrong.
    pub problem: String,
    /// Types of the op, as `(operands) -> (results)`; cut off when very long.
    pub signature: String,
    /// Source location of the op.
    pub location: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { constraint, op_name, problem, signature, location, .. } = self;
        write!(f, "{op_name} breaks {constraint}: {problem} [{signature}] at {location}")
    }
}

/// All violations found in a module, up to a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors {
    /// The violations that were kept, in program order.
    pub violations: Vec<Violation>,
    /// How many were found altogether.
    pub total: usize,
}

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, violation) in self.violations.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{violation}")?;
        }
        if self.total > self.violations.len() {
            write!(f, "\nand {} more violations", self.total - self.violations.len())?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyErrors {}
