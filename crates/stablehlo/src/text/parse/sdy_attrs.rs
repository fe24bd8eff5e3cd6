//! Attributes of sdy.

use super::cursor::{Parser, Result};
use crate::ir::attrs::{
    AllToAllParam, AxisRef, DimensionSharding, MeshAxis, OpShardingRule, SdyAttr, SdyMesh, SdyMeshRef, TensorMapping,
    TensorSharding,
};
use crate::text::lexer::Token;

impl<'a> Parser<'a> {
    /// The attribute `kind`, whose name was just read; `None` if there is no such kind.
    pub(super) fn sdy_attr(&mut self, kind: &str) -> Result<Option<SdyAttr>> {
        Ok(Some(match kind {
            "mesh" => SdyAttr::Mesh(self.sdy_mesh()?),
            "sharding" => SdyAttr::Sharding(self.sharding()?),
            "sharding_per_value" => {
                self.expect("<")?;
                let shardings = self.shardings()?;
                self.expect(">")?;
                SdyAttr::ShardingPerValue(shardings)
            }
            "manual_axes" => SdyAttr::ManualAxes(self.list("{", "}", Self::string)?.into()),
            "axis_ref_list" => SdyAttr::AxisRefList(self.axis_refs()?),
            "list_of_axis_ref_lists" => SdyAttr::ListOfAxisRefLists(self.axis_ref_lists()?),
            "all_to_all_param_list" => SdyAttr::AllToAllParamList(self.all_to_all_params()?),
            "all_to_all_param" => SdyAttr::AllToAllParam(self.bracketed(Self::all_to_all_param)?),
            "op_sharding_rule" => SdyAttr::OpShardingRule(self.sharding_rule()?),
            "axis_ref" => SdyAttr::AxisRef(self.bracketed(Self::axis_ref)?),
            "mesh_axis" => SdyAttr::MeshAxis(self.bracketed(Self::sdy_mesh_axis)?),
            "sub_axis_info" => SdyAttr::SubAxisInfo(self.bracketed(Self::sub_axis)?),
            "dimension_sharding" => SdyAttr::DimensionSharding(self.bracketed(Self::dim_sharding)?),
            "dim_mapping" => SdyAttr::DimMapping(self.bracketed(Self::dim_mapping)?),
            "tensor_mapping" => SdyAttr::TensorMapping(self.bracketed(Self::tensor_mapping)?),
            _ => return Ok(None),
        }))
    }

    /// Something between `<` and `>`, or without these.
    fn bracketed<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let bracket = self.eat("<")?;
        let value = step(self)?;
        if bracket {
            self.expect(">")?;
        }
        Ok(value)
    }

    fn sdy_mesh_axis(&mut self) -> Result<MeshAxis> {
        let name = self.string()?;
        self.expect("=")?;
        Ok(MeshAxis { name, size: self.int()? })
    }

    /// `<["x"=2, "y"=4], device_ids=[0, 1]>`.
    pub(super) fn sdy_mesh(&mut self) -> Result<SdyMesh> {
        self.expect("<")?;
        let axes = self.list("[", "]", Self::sdy_mesh_axis)?.into();
        let device_ids = if self.eat(",")? {
            self.expect_word("device_ids")?;
            self.expect("=")?;
            self.ints()?.into()
        } else {
            Box::default()
        };
        self.expect(">")?;
        Ok(SdyMesh { axes, device_ids })
    }

    /// `"x"` or `"x":(2)4`.
    fn axis_ref(&mut self) -> Result<AxisRef> {
        let name = self.string()?;
        let sub_axis = if self.eat(":")? { Some(self.sub_axis()?) } else { None };
        Ok(AxisRef { name, sub_axis })
    }

    /// `{"x", "y"}`.
    pub(super) fn axis_refs(&mut self) -> Result<Box<[AxisRef]>> {
        Ok(self.list("{", "}", Self::axis_ref)?.into())
    }

    /// `[{"x"}, {}]`.
    pub(super) fn axis_ref_lists(&mut self) -> Result<Box<[Box<[AxisRef]>]>> {
        Ok(self.list("[", "]", Self::axis_refs)?.into())
    }

    /// `{"x"}: 0->1`.
    fn all_to_all_param(&mut self) -> Result<AllToAllParam> {
        let axes = self.axis_refs()?;
        self.expect(":")?;
        let src_dim = self.int()?;
        self.expect("->")?;
        Ok(AllToAllParam { axes, src_dim, tgt_dim: self.int()? })
    }

    pub(super) fn all_to_all_params(&mut self) -> Result<Box<[AllToAllParam]>> {
        Ok(self.list("[", "]", Self::all_to_all_param)?.into())
    }

    /// `{"x", ?}p1`.
    fn dim_sharding(&mut self) -> Result<DimensionSharding> {
        let mut is_closed = true;
        let axes = self.list("{", "}", |p| {
            if !is_closed {
                return p.error("`?` must be the last in its braces");
            }
            if p.eat("?")? {
                is_closed = false;
                return Ok(None);
            }
            p.axis_ref().map(Some)
        })?;
        let priority = match self.token {
            Token::Word(word) if word.starts_with('p') => match word[1..].parse() {
                Ok(priority) => {
                    self.advance()?;
                    Some(priority)
                }
                Err(_) => return self.expected("a priority such as `p1`"),
            },
            _ => None,
        };
        Ok(DimensionSharding { axes: axes.into_iter().flatten().collect(), is_closed, priority })
    }

    /// `<@mesh, [{"x"}, {}], replicated={"y"}, unreduced={"z"}>`.
    pub(super) fn sharding(&mut self) -> Result<TensorSharding> {
        self.expect("<")?;
        let mesh = if matches!(self.token, Token::Symbol(_)) {
            SdyMeshRef::Symbol(self.symbol()?)
        } else if self.eat_word("mesh")? || matches!(self.token, Token::Hash("sdy.mesh")) {
            if matches!(self.token, Token::Hash(_)) {
                self.advance()?;
            }
            SdyMeshRef::Inline(self.sdy_mesh()?)
        } else {
            return self.expected("the symbol of a mesh, or `mesh<...>`");
        };
        self.expect(",")?;
        let dim_shardings = self.list("[", "]", Self::dim_sharding)?.into();
        let mut sharding = TensorSharding {
            mesh,
            dim_shardings,
            replicated_axes: Box::default(),
            unreduced_axes: Box::default(),
            reduction: 0,
        };
        while self.eat(",")? {
            if self.eat_word("replicated")? {
                self.expect("=")?;
                sharding.replicated_axes = self.axis_refs()?;
            } else if self.eat_word("unreduced")? {
                if self.eat("(")? {
                    let at = self.start;
                    sharding.reduction = match self.word("a reduction")? {
                        "sum" => 0,
                        "max" => 1,
                        "min" => 2,
                        other => return self.error_at(at, format!("`{other}` is no reduction: sum, max or min")),
                    };
                    self.expect(")")?;
                }
                self.expect("=")?;
                sharding.unreduced_axes = self.axis_refs()?;
            } else {
                return self.expected("`replicated` or `unreduced`");
            }
        }
        self.expect(">")?;
        Ok(sharding)
    }

    /// `[<...>, <...>]`.
    pub(super) fn shardings(&mut self) -> Result<Box<[TensorSharding]>> {
        Ok(self.list("[", "]", Self::sharding)?.into())
    }

    /// The factors of one dimension, written without anything between them: `ij`, `z_1z_2`.
    fn dim_mapping(&mut self) -> Result<Box<[i64]>> {
        let at = self.start;
        let word = self.word("factors such as `ij`")?;
        match factors(word) {
            Some(factors) => Ok(factors.into()),
            None => self.error_at(at, format!("`{word}` is no list of factors `i` to `z`, `z_1` and so on")),
        }
    }

    fn tensor_mapping(&mut self) -> Result<TensorMapping> {
        Ok(self.list("[", "]", Self::dim_mapping)?.into())
    }

    fn factor_set(&mut self) -> Result<Box<[i64]>> {
        self.expect("=")?;
        let lists = self.list("{", "}", Self::dim_mapping)?;
        Ok(lists.iter().flatten().copied().collect())
    }

    /// `<([i, k], [k, j])->([i, j]) {i=8, k=2, j=4} reduction={k}, custom>`.
    fn sharding_rule(&mut self) -> Result<OpShardingRule> {
        self.expect("<")?;
        let operand_mappings = self.list("(", ")", Self::tensor_mapping)?.into();
        self.expect("->")?;
        let result_mappings = self.list("(", ")", Self::tensor_mapping)?.into();
        let sizes_at = self.start;
        let sizes = self.list("{", "}", |p| {
            let factor = p.dim_mapping()?;
            p.expect("=")?;
            Ok((factor, p.int()?))
        })?;
        for (i, (factor, _)) in sizes.iter().enumerate() {
            if **factor != [i as i64] {
                return self.error_at(sizes_at, "the sizes of all factors must stand in order");
            }
        }
        let mut rule = OpShardingRule {
            factor_sizes: sizes.into_iter().map(|(_, size)| size).collect(),
            operand_mappings,
            result_mappings,
            reduction_factors: Box::default(),
            need_replication_factors: Box::default(),
            permutation_factors: Box::default(),
            blocked_propagation_factors: Box::default(),
            is_custom: false,
        };
        loop {
            if self.eat_word("reduction")? {
                rule.reduction_factors = self.factor_set()?;
            } else if self.eat_word("need_replication")? {
                rule.need_replication_factors = self.factor_set()?;
            } else if self.eat_word("permutation")? {
                rule.permutation_factors = self.factor_set()?;
            } else if self.eat_word("blocked_propagation")? {
                rule.blocked_propagation_factors = self.factor_set()?;
            } else {
                break;
            }
        }
        if self.eat(",")? {
            self.expect_word("custom")?;
            rule.is_custom = true;
        }
        self.expect(">")?;
        Ok(rule)
    }
}

/// Factor 0 is `i`, 17 is `z`, 18 is `z_1`.
fn factors(word: &str) -> Option<Vec<i64>> {
    let bytes = word.as_bytes();
    let (mut at, mut out) = (0, Vec::new());
    while at < bytes.len() {
        let letter = bytes[at];
        if !(b'i'..=b'z').contains(&letter) {
            return None;
        }
        at += 1;
        let mut factor = i64::from(letter - b'i');
        if bytes.get(at) == Some(&b'_') {
            let digits = at + 1;
            at = digits;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            factor = factor.checked_add(word[digits..at].parse().ok().filter(|_| letter == b'z')?)?;
        }
        out.push(factor);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn factors_run_together() {
        assert_eq!(super::factors("ijz"), Some(vec![0, 1, 17]));
        assert_eq!(super::factors("z_1z_20i"), Some(vec![18, 37, 0]));
        assert_eq!(super::factors("a"), None);
        assert_eq!(super::factors("i_1"), None);
        assert_eq!(super::factors("z_"), None);
    }
}
