//! Reading the pieces of pretty forms.

use super::cursor::{Parser, Result};
use super::ops::{Argument, Next, Pending};
use crate::ElementType;
use crate::ir::attrs::{
    ComparisonDirection, ComparisonType, FftType, Precision, RngAlgorithm, RngDistribution, SdyAttr,
};
use crate::ir::{Attr, AttrId, TensorType, Type, TypeId};
use crate::text::format::{Enumeration, IntType, PROPAGATION, Piece, SDY_REDUCTIONS};
use crate::text::lexer::{self, Token};

impl<'a> Parser<'a> {
    /// Reads one piece of an op.
    pub(super) fn piece(&mut self, op: &mut Pending<'a>, piece: &'static Piece) -> Result<Next> {
        match *piece {
            Piece::Text(text) => self.literal(text)?,
            Piece::NewLine => {}
            Piece::Operand(index) => {
                debug_assert_eq!(index, op.operands.len());
                let operand = self.operand()?;
                op.operands.push(operand);
            }
            Piece::Operands(_) => {
                if matches!(self.token, Token::Value(_)) {
                    loop {
                        let operand = self.operand()?;
                        op.operands.push(operand);
                        if !self.eat(",")? {
                            break;
                        }
                    }
                }
            }
            Piece::OperandsComma(_) => {
                while matches!(self.token, Token::Value(_)) {
                    let operand = self.operand()?;
                    op.operands.push(operand);
                    self.expect(",")?;
                }
            }
            Piece::I64s(name) => {
                let attr = Attr::I64Array(self.ints()?.into());
                self.set_attr(op, name, attr);
            }
            Piece::Int(name, ty) => {
                let element = match ty {
                    IntType::I32 => ElementType::I32,
                    IntType::I64 => ElementType::I64,
                    IntType::U32 => ElementType::U32,
                    IntType::U64 => ElementType::U64,
                };
                let at = self.start;
                let negative = self.eat("-")?;
                let Token::Int(spelling) = self.token else { return self.expected("an integer") };
                self.advance()?;
                let ty = self.module.scalar_type(element);
                let attr = self.typed_number(at, negative, spelling, ty)?;
                self.set_attr(op, name, attr);
            }
            Piece::F64(name) => {
                let bits = self.number()?.to_bits();
                let ty = self.module.scalar_type(ElementType::F64);
                self.set_attr(op, name, Attr::Float { bits, ty });
            }
            Piece::Enum(name, enumeration) => {
                let attr = self.enumeration(enumeration)?;
                self.set_attr(op, name, attr);
            }
            Piece::Bool(name) => {
                let attr = Attr::Bool(self.bool()?);
                self.set_attr(op, name, attr);
            }
            Piece::Str(name) => {
                let attr = Attr::String(self.string()?);
                self.set_attr(op, name, attr);
            }
            Piece::StrSymbol(name) => {
                let attr = Attr::String(self.symbol()?);
                self.set_attr(op, name, attr);
            }
            Piece::Symbol(name) => {
                let attr = self.symbol_attr()?;
                self.set_attr(op, name, attr);
            }
            Piece::Attr(name) => {
                let value = self.attr()?;
                self.set(op, name, value);
            }
            Piece::Optional(_, pieces) => {
                if let [Piece::Text(text), ..] = pieces
                    && self.begins(text)
                {
                    for piece in pieces {
                        self.piece(op, piece)?;
                    }
                }
            }
            Piece::AttrDict => {
                let at = self.start;
                let attrs = self.optional_attr_dict()?;
                self.add_attrs(op, attrs, at)?;
            }
            Piece::AttrDictWithKeyword => {
                if self.eat_word("attributes")? {
                    let at = self.start;
                    let attrs = self.attr_dict()?;
                    self.add_attrs(op, attrs, at)?;
                }
            }
            Piece::Constant => self.constant(op)?,
            Piece::SliceRanges => self.slice_ranges(op)?,
            Piece::DotNumbers => self.dot_dimensions(op)?,
            Piece::Precision => {
                if self.comma_and_word("precision")? {
                    self.expect("=")?;
                    let items = self.list("[", "]", |p| {
                        let value = p.enumerator(Precision::ALL)?;
                        Ok(p.module.intern_attr(Attr::Precision(value)))
                    })?;
                    self.set_attr(op, "precision_config", Attr::Array(items.into()));
                }
            }
            Piece::Algorithm => {
                if self.comma_and_word("algorithm")? {
                    self.expect("=")?;
                    let attr = self.dot_algorithm()?;
                    self.set_attr(op, "algorithm", attr);
                }
            }
            Piece::ConvNumbers => {
                let numbers = self.conv_numbers()?;
                self.set_attr(op, "dimension_numbers", Attr::ConvDimensionNumbers(Box::new(numbers)));
            }
            Piece::Window => self.window(op)?,
            Piece::ExponentMantissa => self.exponent_mantissa(op)?,
            Piece::WhileOperands => self.while_operands(op)?,
            Piece::Region | Piece::RegionWithHeader => return Ok(Next::Region),
            Piece::ScanOperands => {
                self.expect("(")?;
                self.piece(op, &Piece::Operands(0))?;
                self.expect(")")?;
                let inputs = op.operands.len();
                self.expect_word("inits")?;
                self.expect("(")?;
                self.piece(op, &Piece::Operands(0))?;
                self.expect(")")?;
                let inits = op.operands.len() - inputs;
                self.segments(op, "operandSegmentSizes", [inputs, inits]);
            }
            Piece::ScanResults => {
                let segments = op.attrs.iter().find(|a| self.module.attr_name(**a) == "operandSegmentSizes");
                let inits = match segments.map(|a| self.module.attr(a.value)) {
                    Some(Attr::DenseArray { data, .. }) => crate::ir::i32_list(data).last().copied().unwrap_or(0),
                    _ => 0,
                };
                let results = op.result_types.len();
                let Some(outputs) = results.checked_sub(inits as usize) else {
                    return self.error(format!("a scan with {inits} initial values has as many results at least"));
                };
                self.segments(op, "resultSegmentSizes", [outputs, inits as usize]);
            }
            Piece::RegionWithArgs => {
                op.region_args = self.list("(", ")", Self::argument)?;
                return Ok(Next::Region);
            }
            Piece::Reduce => return self.reduce(op),
            Piece::Function => return self.function(op),
            Piece::Module => return self.module_head(op),
            Piece::Shardings(name) => {
                let attr = SdyAttr::ShardingPerValue(self.shardings()?);
                self.set_sdy(op, name, attr);
            }
            Piece::Sharding(name) => {
                let attr = SdyAttr::Sharding(self.sharding()?);
                self.set_sdy(op, name, attr);
            }
            Piece::ManualAxes(name) => {
                let attr = SdyAttr::ManualAxes(self.list("{", "}", Self::string)?.into());
                self.set_sdy(op, name, attr);
            }
            Piece::SdyMesh(name) => {
                let attr = SdyAttr::Mesh(self.sdy_mesh()?);
                self.set_sdy(op, name, attr);
            }
            Piece::AxisRefs(name) => {
                let attr = SdyAttr::AxisRefList(self.axis_refs()?);
                self.set_sdy(op, name, attr);
            }
            Piece::SdyReduction => {
                let value = match self.token {
                    Token::Word(word) => SDY_REDUCTIONS.iter().position(|&name| name == word),
                    _ => None,
                };
                if value.is_some() {
                    self.advance()?;
                }
                let value = self.module.i32_attr(value.unwrap_or(0) as i32);
                self.set(op, "reduction_op", value);
            }
            Piece::AxisRefLists(name) => {
                let attr = SdyAttr::ListOfAxisRefLists(self.axis_ref_lists()?);
                self.set_sdy(op, name, attr);
            }
            Piece::AllToAllParams(name) => {
                let attr = SdyAttr::AllToAllParamList(self.all_to_all_params()?);
                self.set_sdy(op, name, attr);
            }
            Piece::FunctionType
            | Piece::SameType
            | Piece::ResultType
            | Piece::ResultTypes
            | Piece::ResultTypesParen
            | Piece::OperandType(_)
            | Piece::OperandTypes { .. }
            | Piece::ReturnTypes
            | Piece::Pairwise
            | Piece::ComplexType
            | Piece::SelectType
            | Piece::TupleType => self.type_piece(op, piece)?,
        }
        Ok(Next::Continue)
    }

    fn set_attr(&mut self, op: &mut Pending<'a>, name: &str, attr: Attr) {
        let value = self.module.intern_attr(attr);
        self.set(op, name, value);
    }

    /// `array<i32: a, b>`, the sizes of two lists.
    fn segments(&mut self, op: &mut Pending<'a>, name: &str, sizes: [usize; 2]) {
        let data: Vec<u8> = sizes.iter().flat_map(|&size| (size as i32).to_le_bytes()).collect();
        self.set_attr(op, name, Attr::DenseArray { element: ElementType::I32, data: data.into() });
    }

    fn set_sdy(&mut self, op: &mut Pending<'a>, name: &str, attr: SdyAttr) {
        self.set_attr(op, name, Attr::Sdy(Box::new(attr)));
    }

    /// The words and signs of a literal piece.
    fn literal(&mut self, text: &'static str) -> Result<()> {
        let mut at = 0;
        while let Ok((wanted, _, end)) = lexer::next(text, at) {
            match wanted {
                Token::End => break,
                Token::Punct(punct) => self.expect(punct)?,
                Token::Word(word) => self.expect_word(word)?,
                _ => return self.expected(text.trim()),
            }
            at = end;
        }
        Ok(())
    }

    /// Whether the next token is the first of a literal piece.
    fn begins(&self, text: &'static str) -> bool {
        lexer::next(text, 0).is_ok_and(|(wanted, ..)| wanted == self.token)
    }

    /// `, word`, taken only if it is all there.
    fn comma_and_word(&mut self, word: &str) -> Result<bool> {
        if !self.is(",") {
            return Ok(false);
        }
        let at = self.start;
        self.advance()?;
        if self.eat_word(word)? {
            return Ok(true);
        }
        self.go_to(at)?;
        Ok(false)
    }

    fn enumeration(&mut self, enumeration: Enumeration) -> Result<Attr> {
        Ok(match enumeration {
            Enumeration::Direction => Attr::ComparisonDirection(self.enumerator(ComparisonDirection::ALL)?),
            Enumeration::CompareType => Attr::ComparisonType(self.enumerator(ComparisonType::ALL)?),
            Enumeration::FftType => Attr::FftType(self.enumerator(FftType::ALL)?),
            Enumeration::Algorithm => Attr::RngAlgorithm(self.enumerator(RngAlgorithm::ALL)?),
            Enumeration::Distribution => Attr::RngDistribution(self.enumerator(RngDistribution::ALL)?),
            Enumeration::Propagation => {
                let names = PROPAGATION.join(", ");
                let Token::Word(word) = self.token else { return self.expected(&format!("one of {names}")) };
                let Some(value) = PROPAGATION.iter().position(|&name| name == word) else {
                    return self.expected(&format!("one of {names}"));
                };
                self.advance()?;
                Attr::Integer { value: value as i64, ty: self.module.scalar_type(ElementType::I32) }
            }
        })
    }

    fn constant(&mut self, op: &mut Pending<'a>) -> Result<()> {
        let at = self.start;
        let value = self.attr()?;
        let ty = match self.module.attr(value) {
            Attr::DenseElements(dense) => dense.ty(),
            Attr::DenseStrings { ty, .. } | Attr::DenseResource { ty, .. } | Attr::Sparse { ty, .. } => *ty,
            _ => return self.error_at(at, "a constant needs a tensor such as `dense<0> : tensor<2xi32>`"),
        };
        self.set(op, "value", value);
        op.result_types = vec![ty];
        Ok(())
    }

    fn slice_ranges(&mut self, op: &mut Pending<'a>) -> Result<()> {
        let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        self.list("[", "]", |p| {
            starts.push(p.int()?);
            p.expect(":")?;
            limits.push(p.int()?);
            strides.push(if p.eat(":")? { p.int()? } else { 1 });
            Ok(())
        })?;
        for (name, values) in [("start_indices", starts), ("limit_indices", limits), ("strides", strides)] {
            self.set_attr(op, name, Attr::I64Array(values.into()));
        }
        Ok(())
    }

    fn dot_dimensions(&mut self, op: &mut Pending<'a>) -> Result<()> {
        let pair = |p: &mut Self| {
            p.expect("=")?;
            let lhs = p.ints()?.into();
            p.expect_word("x")?;
            Ok((lhs, p.ints()?.into()))
        };
        let (lhs_batching_dimensions, rhs_batching_dimensions) = if self.eat_word("batching_dims")? {
            let dims = pair(self)?;
            self.expect(",")?;
            dims
        } else {
            (Box::default(), Box::default())
        };
        self.expect_word("contracting_dims")?;
        let (lhs_contracting_dimensions, rhs_contracting_dimensions) = pair(self)?;
        let numbers = crate::ir::attrs::DotDimensionNumbers {
            lhs_batching_dimensions,
            rhs_batching_dimensions,
            lhs_contracting_dimensions,
            rhs_contracting_dimensions,
        };
        self.set_attr(op, "dot_dimension_numbers", Attr::DotDimensionNumbers(Box::new(numbers)));
        Ok(())
    }

    fn window(&mut self, op: &mut Pending<'a>) -> Result<()> {
        while let Token::Word(word) = self.token {
            let name = match word {
                "stride" => "window_strides",
                "pad" => "padding",
                "lhs_dilate" => "lhs_dilation",
                "rhs_dilate" => "rhs_dilation",
                "reverse" => "window_reversal",
                _ => return self.expected("one of stride, pad, lhs_dilate, rhs_dilate, reverse"),
            };
            if op.attrs.iter().any(|attr| self.module.attr_name(*attr) == name) {
                return self.error(format!("`{word}` is given twice"));
            }
            self.advance()?;
            self.expect("=")?;
            let attr = match word {
                "pad" => {
                    let rows = self.list("[", "]", |p| {
                        let at = p.start;
                        match p.ints()?[..] {
                            [low, high] => Ok([low, high]),
                            _ => p.error_at(at, "expected low and high padding"),
                        }
                    })?;
                    let data: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
                    let ty = self.module.tensor_type(&[rows.len() as i64, 2], ElementType::I64);
                    match self.module.dense_elements(ty, &data) {
                        Some(dense) => Attr::DenseElements(dense),
                        None => return self.expected("padding"),
                    }
                }
                "reverse" => {
                    let flags = self.list("[", "]", |p| match p.token {
                        Token::Int(_) => Ok(p.int()? != 0),
                        _ => p.bool(),
                    })?;
                    Attr::BoolArray(flags.into())
                }
                _ => Attr::I64Array(self.ints()?.into()),
            };
            self.set_attr(op, name, attr);
            if !self.eat(",")? {
                break;
            }
        }
        Ok(())
    }

    fn exponent_mantissa(&mut self, op: &mut Pending<'a>) -> Result<()> {
        let parts = match self.token {
            Token::Word(word) => word.strip_prefix('e').and_then(|rest| rest.split_once('m')),
            _ => None,
        };
        let parts = parts.and_then(|(e, m)| Some((e.parse::<i32>().ok()?, m.parse::<i32>().ok()?)));
        let Some((exponent, mantissa)) = parts else { return self.expected("a format such as `e8m23`") };
        self.advance()?;
        let (exponent, mantissa) = (self.module.i32_attr(exponent), self.module.i32_attr(mantissa));
        self.set(op, "exponent_bits", exponent);
        self.set(op, "mantissa_bits", mantissa);
        Ok(())
    }

    fn while_operands(&mut self, op: &mut Pending<'a>) -> Result<()> {
        let names = self.list("(", ")", |p| {
            let at = p.start;
            let Token::Value(name) = p.token else { return p.expected("the name of a loop variable") };
            p.advance()?;
            p.expect("=")?;
            Ok((name, at, p.operand()?))
        })?;
        op.operands = names.iter().map(|&(_, _, operand)| operand).collect();
        if names.is_empty() {
            return Ok(());
        }
        self.expect(":")?;
        let at = self.start;
        let types = self.type_list()?;
        self.check_operands(op, &types, at)?;
        let args = names.iter().zip(&types).map(|(&(name, at, _), &ty)| Argument { name, at, ty, loc: None });
        op.region_args = args.collect();
        op.result_types = types;
        Ok(())
    }

    /// The pieces that say types.
    fn type_piece(&mut self, op: &mut Pending<'a>, piece: &Piece) -> Result<()> {
        let at = self.start;
        match *piece {
            Piece::FunctionType => self.function_type_of(op)?,
            Piece::SameType | Piece::ComplexType => {
                let ty = self.ty()?;
                if let Some((inputs, result)) = self.as_function(ty, at)? {
                    self.check_operands(op, &inputs, at)?;
                    op.result_types = vec![result];
                    return Ok(());
                }
                let operand = if matches!(piece, Piece::SameType) { ty } else { self.real_part(ty, at)? };
                self.check_operands(op, &vec![operand; op.operands.len()], at)?;
                op.result_types = vec![ty];
            }
            Piece::SelectType => {
                let first = self.ty()?;
                if let Some((inputs, result)) = self.as_function(first, at)? {
                    self.check_operands(op, &inputs, at)?;
                    op.result_types = vec![result];
                    return Ok(());
                }
                self.expect(",")?;
                let result = self.ty()?;
                self.check_operands(op, &[first, result, result], at)?;
                op.result_types = vec![result];
            }
            Piece::TupleType => {
                let ty = self.ty()?;
                let Type::Tuple(elements) = self.module.ty(ty) else {
                    return self.error_at(at, "expected a tuple type");
                };
                let elements = elements.to_vec();
                self.check_operands(op, &elements, at)?;
                op.result_types = vec![ty];
            }
            Piece::ResultType => {
                let ty = self.ty()?;
                op.result_types = vec![ty];
                // Of one operand and one result only one type is written.
                if op.code.dialect() == crate::ir::Dialect::Sdy || op.code == crate::ir::OpCode::InterpreterProbe {
                    self.check_operands(op, &[ty], at)?;
                }
            }
            Piece::ResultTypes => op.result_types = self.result_types()?,
            Piece::ResultTypesParen => op.result_types = self.list("(", ")", Self::ty)?,
            Piece::OperandType(_) => {
                let ty = self.ty()?;
                self.check_operands(op, &vec![ty; op.operands.len()], at)?;
                if op.code == crate::ir::OpCode::SdyPropagationBarrier {
                    op.result_types = vec![ty];
                }
            }
            Piece::OperandTypes { parentheses } => {
                let types = if parentheses { self.list("(", ")", Self::ty)? } else { self.type_list()? };
                self.check_operands(op, &types, at)?;
            }
            Piece::ReturnTypes => {
                if op.operands.is_empty() {
                    return Ok(());
                }
                self.expect(":")?;
                let types = self.type_list()?;
                self.check_operands(op, &types, at)?;
            }
            _ => {
                // Pairwise.
                if self.eat("(")? {
                    return self.expect(")");
                }
                self.piece(op, &Piece::Operands(0))?;
                self.expect(":")?;
                let types = self.type_list()?;
                self.check_operands(op, &types, at)?;
                op.result_types = types;
            }
        }
        Ok(())
    }

    /// Inputs and the one result, if the type is a function.
    fn as_function(&self, ty: TypeId, at: usize) -> Result<Option<(Vec<TypeId>, TypeId)>> {
        let Type::Function { inputs, results } = self.module.ty(ty) else { return Ok(None) };
        match results[..] {
            [result] => Ok(Some((inputs.to_vec(), result))),
            _ => self.error_at(at, format!("expected one result type, found {}", results.len())),
        }
    }

    /// The type of a real part of a complex tensor.
    fn real_part(&mut self, ty: TypeId, at: usize) -> Result<TypeId> {
        let part = |element| match element {
            ElementType::C64 => Some(ElementType::F32),
            ElementType::C128 => Some(ElementType::F64),
            _ => None,
        };
        let tensor = self.module.ty(ty).as_tensor().cloned();
        match tensor.and_then(|t| Some((part(t.element_type()?)?, t))) {
            Some((element, tensor)) => {
                let element = crate::ir::Element::Plain(element);
                Ok(self.module.intern_type(Type::Tensor(TensorType { element, ..tensor })))
            }
            None => self.error_at(at, "expected a complex tensor type or a function type"),
        }
    }

    /// An attribute that is a list of dictionaries.
    pub(super) fn dicts(&mut self, dicts: &[Vec<crate::ir::NamedAttr>]) -> AttrId {
        let items: Vec<AttrId> = dicts.iter().map(|entries| self.module.dict_attr(entries)).collect();
        self.module.array_attr(&items)
    }
}
