//! Modules, functions and reductions: forms too irregular for the table.

use super::cursor::{Parser, Result};
use super::ops::{Argument, Next, Pending};
use crate::ir::{Attr, Element, NamedAttr, OpCode, OpSpec, TensorType, Type, TypeId};
use crate::text::lexer::Token;

impl<'a> Parser<'a> {
    /// `@name attributes {...}`, up to the body.
    pub(super) fn module_head(&mut self, op: &mut Pending<'a>) -> Result<Next> {
        if op.regions.is_empty() {
            if matches!(self.token, Token::Symbol(_)) {
                let attr = Attr::String(self.symbol()?);
                let attr = self.module.intern_attr(attr);
                self.set(op, "sym_name", attr);
            }
            self.attributes(op)?;
        }
        Ok(Next::Region)
    }

    fn attributes(&mut self, op: &mut Pending<'a>) -> Result<()> {
        if self.eat_word("attributes")? {
            let at = self.start;
            let attrs = self.attr_dict()?;
            self.add_attrs(op, attrs, at)?;
        }
        Ok(())
    }

    /// `public @name(%arg0: type {...}) -> (type {...}) attributes {...}`, up to the body, if there is one.
    pub(super) fn function(&mut self, op: &mut Pending<'a>) -> Result<Next> {
        if let Token::Word(word @ ("public" | "private" | "nested")) = self.token {
            self.advance()?;
            let visibility = self.module.string_attr(word);
            self.set(op, "sym_visibility", visibility);
        }
        let name = Attr::String(self.symbol()?);
        let name = self.module.intern_attr(name);
        self.set(op, "sym_name", name);
        let mut arg_attrs: Vec<Vec<NamedAttr>> = Vec::new();
        let mut names: Vec<Argument<'a>> = Vec::new();
        let types = self.list("(", ")", |p| {
            let at = p.start;
            let name = match p.token {
                Token::Value(name) => {
                    p.advance()?;
                    p.expect(":")?;
                    Some(name)
                }
                _ => None,
            };
            let ty = p.ty()?;
            arg_attrs.push(p.optional_attr_dict()?);
            let loc = p.optional_loc()?;
            if let Some(name) = name {
                names.push(Argument { name, at, ty, loc });
            }
            Ok(ty)
        })?;
        let mut result_attrs: Vec<Vec<NamedAttr>> = Vec::new();
        let results: Vec<TypeId> = if !self.eat("->")? {
            Vec::new()
        } else if self.is("(") {
            self.list("(", ")", |p| {
                let ty = p.ty()?;
                result_attrs.push(p.optional_attr_dict()?);
                Ok(ty)
            })?
        } else {
            vec![self.ty()?]
        };
        let ty = self.module.function_type(&types, &results);
        let ty = self.module.type_attr(ty);
        self.set(op, "function_type", ty);
        for (name, dicts) in [("arg_attrs", arg_attrs), ("res_attrs", result_attrs)] {
            if dicts.iter().any(|dict| !dict.is_empty()) {
                let attr = self.dicts(&dicts);
                self.set(op, name, attr);
            }
        }
        self.attributes(op)?;
        if !self.is("{") {
            // A declaration: its region is empty.
            let region = self.module.new_region();
            op.regions.push(region);
            return Ok(Next::Continue);
        }
        if names.len() != types.len() {
            return self.error("a function with a body names its arguments");
        }
        op.region_args = names;
        Ok(Next::Region)
    }

    /// `(%a init: %b) applies op across dimensions = [0] : type`, or the form with a `reducer`.
    pub(super) fn reduce(&mut self, op: &mut Pending<'a>) -> Result<Next> {
        let (mut inputs, mut inits) = (Vec::new(), Vec::new());
        loop {
            self.expect("(")?;
            inputs.push(self.operand()?);
            self.expect_word("init")?;
            self.expect(":")?;
            inits.push(self.operand()?);
            self.expect(")")?;
            if !self.eat(",")? {
                break;
            }
        }
        op.operands = inputs.into_iter().chain(inits).collect();
        let inner_at = self.start;
        let inner = if self.eat_word("applies")? { Some(self.inner_op()?) } else { None };
        self.expect_word("across")?;
        self.expect_word("dimensions")?;
        self.expect("=")?;
        let dimensions = self.ints()?;
        let dimensions = self.module.i64_array_attr(&dimensions);
        self.set(op, "dimensions", dimensions);
        let at = self.start;
        let attrs = self.optional_attr_dict()?;
        self.add_attrs(op, attrs, at)?;
        self.expect(":")?;
        self.function_type_of(op)?;
        op.loc = self.optional_loc()?;
        if let Some(inner) = inner {
            return self.applied(op, inner, inner_at);
        }
        self.expect_word("reducer")?;
        let (mut elements, mut accumulators) = (Vec::new(), Vec::new());
        while self.eat("(")? {
            elements.push(self.argument()?);
            self.expect(",")?;
            accumulators.push(self.argument()?);
            self.expect(")")?;
        }
        op.region_args = elements.into_iter().chain(accumulators).collect();
        Ok(Next::Region)
    }

    fn inner_op(&mut self) -> Result<OpCode> {
        let (Token::Word(name) | Token::Str(name)) = self.token else { return self.expected("the name of an op") };
        let code = OpCode::from_name(name).filter(|&code| is_commutative(code));
        let Some(code) = code else {
            return self.expected("a commutative op of two operands such as `stablehlo.add`");
        };
        self.advance()?;
        Ok(code)
    }

    /// The region of a reduce that applies one op.
    fn applied(&mut self, op: &mut Pending<'a>, inner: OpCode, at: usize) -> Result<Next> {
        let element = op.operands.first().and_then(|&(value, _)| match self.module.ty(self.module.value_type(value)) {
            Type::Tensor(tensor) => Some(tensor.element),
            Type::UnrankedTensor(element) => Some(*element),
            _ => None,
        });
        let (Some(element), 2) = (element, op.operands.len()) else {
            return self.error_at(at, "only a reduction of one tensor can apply an op");
        };
        let ty = self.scalar_tensor(element);
        let loc = match op.loc {
            Some(loc) => loc,
            None => self.implicit_loc(op.at, op.line),
        };
        let region = self.module.new_region();
        let block = self.module.new_block(region, &[ty, ty]);
        let args = self.module.block(block).args().to_vec();
        let id = self.module.append(block, OpSpec::new(inner).loc(loc).operands(&args).results(&[ty]));
        let results = self.module.op(id).results().to_vec();
        self.module.append(block, OpSpec::new(OpCode::Return).loc(loc).operands(&results));
        op.regions.push(region);
        Ok(Next::Continue)
    }

    fn scalar_tensor(&mut self, element: Element) -> TypeId {
        self.module.intern_type(Type::Tensor(TensorType { dims: Box::default(), element, encoding: None }))
    }
}

/// The ops that a reduce may name instead of a region.
pub(crate) fn is_commutative(code: OpCode) -> bool {
    use OpCode::{Add, And, Maximum, Minimum, Multiply, Or, Xor};
    matches!(code, Add | And | Maximum | Minimum | Multiply | Or | Xor)
}
