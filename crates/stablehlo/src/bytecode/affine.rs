//! Affine maps, integer sets and strided layouts, which occur only as layouts of memref types.
//!
//! Rendered to their text: no StableHLO program computes with them.

use std::fmt::Write;

use super::error::Result;
use super::tables::Decoder;
use crate::ir::{Attr, DYNAMIC};

/// Longest text that an expression may grow to.
const LONGEST: usize = 1 << 16;

impl Decoder<'_, '_> {
    fn opaque(&mut self, text: &str) -> Attr {
        Attr::Opaque(self.tables.module.intern_str(text))
    }

    pub(super) fn strided_layout(&mut self) -> Result<Attr> {
        let number = |value: i64| if value == DYNAMIC { "?".to_owned() } else { value.to_string() };
        let offset = self.cursor.signed_varint()?;
        let strides: Vec<String> = self.cursor.signed_list()?.into_iter().map(number).collect();
        let strides = strides.join(", ");
        let text = match offset {
            0 => format!("strided<[{strides}]>"),
            _ => format!("strided<[{strides}], offset: {}>", number(offset)),
        };
        Ok(self.opaque(&text))
    }

    pub(super) fn affine_map(&mut self) -> Result<Attr> {
        let head = self.cursor.varint()?;
        let dims = self.dims(head >> 2)?;
        let mut symbols = 0;
        let results: Vec<String> = match head & 3 {
            0 => (0..dims).map(|i| format!("d{i}")).collect(),
            1 => (0..dims).map(|_| self.dim_name()).collect::<Result<_>>()?,
            2 => self.list(Self::dim_name)?.into(),
            _ => {
                let count = self.cursor.varint()?;
                symbols = self.dims(count)?;
                self.list(Self::affine_expression)?.into()
            }
        };
        let text = format!("affine_map<{} -> ({})>", space(dims, symbols), results.join(", "));
        Ok(self.opaque(&text))
    }

    pub(super) fn integer_set(&mut self) -> Result<Attr> {
        let dims = self.cursor.varint()?;
        let dims = self.dims(dims)?;
        let symbols = self.cursor.varint()?;
        let symbols = self.dims(symbols)?;
        let mut constraints = self.list(Self::affine_expression)?;
        for constraint in &mut constraints {
            constraint.push_str(if self.cursor.bool()? { " == 0" } else { " >= 0" });
        }
        let text = format!("affine_set<{} : ({})>", space(dims, symbols), constraints.join(", "));
        Ok(self.opaque(&text))
    }

    fn dims(&mut self, count: u64) -> Result<u64> {
        if count > 1024 {
            return self.cursor.error(format!("an affine map has {count} dimensions"));
        }
        Ok(count)
    }

    fn dim_name(&mut self) -> Result<String> {
        Ok(format!("d{}", self.cursor.varint()?))
    }

    /// An expression in prefix order, as text with every operation in parentheses.
    fn affine_expression(&mut self) -> Result<String> {
        let mut out = String::new();
        // What is left to do, last first: an operand to read, or text to write.
        let mut left: Vec<Option<&str>> = vec![None];
        while let Some(item) = left.pop() {
            if let Some(text) = item {
                out.push_str(text);
                continue;
            }
            let operator = match self.cursor.varint()? {
                0 => {
                    let _ = write!(out, "d{}", self.cursor.varint()?);
                    continue;
                }
                1 => {
                    let _ = write!(out, "s{}", self.cursor.varint()?);
                    continue;
                }
                2 => {
                    let _ = write!(out, "{}", self.cursor.signed_varint()?);
                    continue;
                }
                3 => " + ",
                4 => " * ",
                5 => " mod ",
                6 => " floordiv ",
                7 => " ceildiv ",
                kind => return self.cursor.error(format!("affine expression kind {kind} is not known")),
            };
            if out.len() > LONGEST {
                return self.cursor.error("an affine expression is too long");
            }
            out.push('(');
            left.extend([Some(")"), None, Some(operator), None]);
        }
        Ok(out)
    }
}

/// `(d0, d1)[s0]`
fn space(dims: u64, symbols: u64) -> String {
    let names = |prefix: &str, count: u64| {
        let names: Vec<String> = (0..count).map(|i| format!("{prefix}{i}")).collect();
        names.join(", ")
    };
    let mut text = format!("({})", names("d", dims));
    if symbols > 0 {
        let _ = write!(text, "[{}]", names("s", symbols));
    }
    text
}
