//! Types.

use super::cursor::{Parser, Result};
use crate::ElementType;
use crate::ir::{DYNAMIC, OtherFloat, QuantizationParameters, QuantizedType, Signedness, TensorType, Type, TypeId};
use crate::text::lexer::Token;

impl<'a> Parser<'a> {
    /// Any type, a function type included.
    pub(super) fn ty(&mut self) -> Result<TypeId> {
        self.nested(Self::ty_unchecked)
    }

    fn ty_unchecked(&mut self) -> Result<TypeId> {
        match self.token {
            Token::Punct("(") => {
                let inputs = self.list("(", ")", Self::ty)?;
                self.expect("->")?;
                let results = self.result_types()?;
                Ok(self.module.function_type(&inputs, &results))
            }
            Token::Word(word) => self.builtin_type(word),
            Token::Bang(name) => self.dialect_type(name),
            _ => self.expected("a type"),
        }
    }

    /// One type, or a list of types in parentheses.
    pub(super) fn result_types(&mut self) -> Result<Vec<TypeId>> {
        if self.is("(") {
            return self.list("(", ")", Self::ty);
        }
        Ok(vec![self.ty()?])
    }

    /// `(inputs) -> results`.
    pub(super) fn function_types(&mut self) -> Result<(Vec<TypeId>, Vec<TypeId>)> {
        if !self.is("(") {
            return self.expected("a function type such as `(tensor<f32>) -> tensor<f32>`");
        }
        let inputs = self.list("(", ")", Self::ty)?;
        self.expect("->")?;
        Ok((inputs, self.result_types()?))
    }

    /// Types with commas between them, at least one.
    pub(super) fn type_list(&mut self) -> Result<Vec<TypeId>> {
        let mut types = vec![self.ty()?];
        while self.eat(",")? {
            types.push(self.ty()?);
        }
        Ok(types)
    }

    fn builtin_type(&mut self, word: &'a str) -> Result<TypeId> {
        let at = self.start;
        let simple = ElementType::from_text(word).map(Type::Scalar).or_else(|| {
            Some(match word {
                "index" => Type::Index,
                "none" => Type::None,
                "tf32" => Type::Float(OtherFloat::Tf32),
                "f80" => Type::Float(OtherFloat::F80),
                "f128" => Type::Float(OtherFloat::F128),
                _ => return None,
            })
        });
        if let Some(ty) = simple {
            self.advance()?;
            return Ok(self.module.intern_type(ty));
        }
        let ty = match word {
            "tensor" => {
                self.advance()?;
                self.tensor()?
            }
            "complex" => {
                self.advance()?;
                self.expect("<")?;
                let element = self.ty()?;
                self.expect(">")?;
                match self.module.ty(element) {
                    Type::Scalar(ElementType::F32) => Type::Scalar(ElementType::C64),
                    Type::Scalar(ElementType::F64) => Type::Scalar(ElementType::C128),
                    _ => Type::Complex(element),
                }
            }
            "tuple" => {
                self.advance()?;
                Type::Tuple(self.list("<", ">", Self::ty)?.into())
            }
            "vector" => {
                self.advance()?;
                self.vector()?
            }
            "memref" => {
                self.advance()?;
                self.memref()?
            }
            _ => match integer(word) {
                Some(ty) => {
                    self.advance()?;
                    ty
                }
                None => return self.error_at(at, format!("`{word}` is no type that is known here")),
            },
        };
        Ok(self.module.intern_type(ty))
    }

    /// The dimensions at the current token, each with its `x`: `2x?x`. The token after them is next.
    fn dims(&mut self) -> Result<Vec<i64>> {
        let (bytes, mut at, mut dims) = (self.text.as_bytes(), self.start, Vec::new());
        loop {
            let begin = at;
            if bytes.get(at) == Some(&b'?') {
                at += 1;
                dims.push(DYNAMIC);
            } else {
                while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                if at == begin {
                    break;
                }
                match self.text[begin..at].parse::<i64>() {
                    Ok(dim) => dims.push(dim),
                    Err(_) => return self.error_at(begin, "this dimension does not fit 64 bits"),
                }
            }
            if bytes.get(at) != Some(&b'x') {
                return self.error_at(at, "expected `x` after a dimension");
            }
            at += 1;
            while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
        }
        self.go_to(at)?;
        Ok(dims)
    }

    fn tensor(&mut self) -> Result<Type> {
        self.expect("<")?;
        if self.is("*") {
            let at = self.token_end();
            if self.text.as_bytes().get(at) != Some(&b'x') {
                return self.error_at(at, "expected `x` after `*`");
            }
            self.go_to(at + 1)?;
            let element = self.ty()?;
            self.expect(">")?;
            return Ok(Type::UnrankedTensor(self.module.element_of(element)));
        }
        let dims = self.dims()?;
        let element = self.ty()?;
        let encoding = if self.eat(",")? { Some(self.attr()?) } else { None };
        if !self.eat(">")? {
            return self.expected(if encoding.is_some() { "`>`" } else { "`,` or `>`" });
        }
        Ok(Type::Tensor(TensorType { dims: dims.into(), element: self.module.element_of(element), encoding }))
    }

    fn vector(&mut self) -> Result<Type> {
        self.expect("<")?;
        let (mut dims, mut scalable) = (Vec::new(), Vec::new());
        loop {
            if self.is("[") {
                let inner = self.text[self.token_end()..].find(']').map(|n| self.token_end() + n);
                let Some(close) = inner else { return self.expected("a dimension in brackets") };
                let Ok(dim) = self.text[self.token_end()..close].parse() else {
                    return self.expected("a dimension in brackets");
                };
                if self.text.as_bytes().get(close + 1) != Some(&b'x') {
                    return self.error_at(close + 1, "expected `x` after a dimension");
                }
                dims.push(dim);
                scalable.push(true);
                self.go_to(close + 2)?;
                continue;
            }
            let fixed = self.dims()?;
            if fixed.is_empty() {
                break;
            }
            scalable.resize(scalable.len() + fixed.len(), false);
            dims.extend(fixed);
        }
        if let Some(at) = dims.iter().position(|&d| d == DYNAMIC) {
            return self.error(format!("dimension {at} of a vector must not be dynamic"));
        }
        let element = self.ty()?;
        self.expect(">")?;
        Ok(Type::Vector { dims: dims.into(), scalable: scalable.into(), element: self.module.element_of(element) })
    }

    fn memref(&mut self) -> Result<Type> {
        self.expect("<")?;
        if self.is("*") {
            return self.error("unranked memref types occur in no StableHLO program");
        }
        let dims = self.dims()?;
        let element = self.ty()?;
        let (mut layout, mut memory_space) = (None, None);
        while self.eat(",")? {
            let is_layout = self.is_word("affine_map") || self.is_word("strided");
            let attr = self.attr()?;
            *(if is_layout { &mut layout } else { &mut memory_space }) = Some(attr);
        }
        self.expect(">")?;
        Ok(Type::MemRef { dims: dims.into(), element: self.module.element_of(element), layout, memory_space })
    }

    fn dialect_type(&mut self, name: &'a str) -> Result<TypeId> {
        let at = self.start;
        if let Some(&alias) = self.type_aliases.get(name) {
            self.advance()?;
            return Ok(alias);
        }
        self.advance()?;
        let ty = match name {
            "stablehlo.token" | "mhlo.token" => Type::Token,
            "shape.witness" => Type::Witness,
            "stablehlo.future" => Type::Future(self.list("<", ">", Self::ty)?.into()),
            "quant.uniform" => self.quantized()?,
            _ if name.starts_with("stablehlo.") => {
                return self.error_at(at, format!("`!{name}` is no type that is known here"));
            }
            _ if !name.contains('.') && !self.is("<") => {
                return self.error_at(at, format!("the type alias `!{name}` is not defined before this use"));
            }
            _ => {
                if self.is("<") {
                    self.skip_balanced()?;
                }
                let text = self.module.intern_str(&self.text[at..self.last_end]);
                Type::Opaque(text)
            }
        };
        Ok(self.module.intern_type(ty))
    }

    /// Behind `!quant.uniform`.
    fn quantized(&mut self) -> Result<Type> {
        self.expect("<")?;
        let at = self.start;
        // `u8` means unsigned storage; `i8` and `si8` signed.
        let word = self.word("a storage type such as `i8`")?;
        let width = word.trim_start_matches("si").trim_start_matches(['i', 'u']).parse::<u32>();
        let (Ok(width @ 1..=64), true) = (width, word.starts_with(['i', 'u', 's'])) else {
            return self.error_at(at, format!("`{word}` is no storage type: expected one such as `i8` or `u8`"));
        };
        let signed = !word.starts_with('u');
        let signedness = if signed { Signedness::Signless } else { Signedness::Unsigned };
        let storage = self.module.intern_type(Type::integer(width, signedness));
        let (mut storage_min, mut storage_max) = match (signed, width) {
            (true, width) => (i64::MIN >> (64 - width), i64::MAX >> (64 - width)),
            (false, 64) => (0, i64::MAX),
            (false, width) => (0, (1i64 << width) - 1),
        };
        if self.eat("<")? {
            storage_min = self.int()?;
            self.expect(":")?;
            storage_max = self.int()?;
            self.expect(">")?;
        }
        self.expect(":")?;
        let expressed = self.ty()?;
        let axis = if self.eat(":")? {
            if self.is("{") {
                return self.error("quantization by blocks is not part of StableHLO");
            }
            Some(self.int()?)
        } else {
            None
        };
        self.expect(",")?;
        let parameters = match axis {
            None => {
                let (scale, zero_point) = self.scale()?;
                QuantizationParameters::PerTensor { scale, zero_point }
            }
            Some(axis) => {
                let pairs = self.list("{", "}", Self::scale)?;
                let (scales, zero_points): (Vec<u64>, Vec<i64>) = pairs.into_iter().unzip();
                QuantizationParameters::PerAxis { axis, scales: scales.into(), zero_points: zero_points.into() }
            }
        };
        self.expect(">")?;
        Ok(Type::Quantized(QuantizedType {
            flags: u32::from(signed),
            storage,
            expressed,
            storage_min,
            storage_max,
            parameters,
        }))
    }

    /// Bits of the scale, and the zero point.
    fn scale(&mut self) -> Result<(u64, i64)> {
        let scale = self.number()?;
        let zero_point = if self.eat(":")? { self.int()? } else { 0 };
        Ok((scale.to_bits(), zero_point))
    }
}

/// `i3`, `si8`, `ui128` and the like.
fn integer(word: &str) -> Option<Type> {
    let (signedness, digits) = if let Some(digits) = word.strip_prefix("si") {
        (Signedness::Signed, digits)
    } else if let Some(digits) = word.strip_prefix("ui") {
        (Signedness::Unsigned, digits)
    } else {
        (Signedness::Signless, word.strip_prefix('i')?)
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let width = digits.parse().ok().filter(|&width: &u32| width <= 1 << 24)?;
    Some(Type::integer(width, signedness))
}
