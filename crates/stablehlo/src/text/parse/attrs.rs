//! Builtin attributes, attribute dictionaries and the way to the attributes of dialects.

use super::cursor::{Parser, Result, parse_u128};
use crate::ir::{Attr, AttrId, LocId, NamedAttr, OtherFloat, StrId, Type, TypeId};
use crate::text::float;
use crate::text::lexer::{self, Token};
use crate::{ElementKind, ElementType};

impl<'a> Parser<'a> {
    /// Any attribute.
    pub(super) fn attr(&mut self) -> Result<AttrId> {
        self.nested(Self::attr_unchecked)
    }

    fn attr_unchecked(&mut self) -> Result<AttrId> {
        let attr = match self.token {
            Token::Str(_) => self.string_attr()?,
            Token::Symbol(_) => self.symbol_attr()?,
            Token::Int(_) | Token::Float(_) | Token::Punct("-") => self.number_attr()?,
            Token::Punct("[") => Attr::Array(self.list("[", "]", Self::attr)?.into()),
            Token::Punct("{") => {
                let entries = self.attr_dict()?;
                return Ok(self.module.dict_attr(&entries));
            }
            Token::Punct("(") | Token::Bang(_) => Attr::Type(self.ty()?),
            Token::Hash(name) => return self.hash_attr(name),
            Token::Word(word) => return self.word_attr(word),
            _ => return self.expected("an attribute"),
        };
        Ok(self.module.intern_attr(attr))
    }

    fn word_attr(&mut self, word: &'a str) -> Result<AttrId> {
        let at = self.start;
        let attr = match word {
            "unit" => {
                self.advance()?;
                Attr::Unit
            }
            "true" | "false" => Attr::Bool(self.bool()?),
            "dense" => return self.dense(),
            "dense_resource" => return self.dense_resource(),
            "sparse" => return self.sparse(),
            "array" => self.array()?,
            "loc" => Attr::Location(self.loc_attr()?),
            "distinct" => {
                self.advance()?;
                self.expect("[")?;
                self.int()?;
                self.expect("]")?;
                self.expect("<")?;
                let inner = if self.is(">") { self.module.intern_attr(Attr::Unit) } else { self.attr()? };
                self.expect(">")?;
                Attr::Distinct(inner)
            }
            "affine_map" | "affine_set" | "strided" => {
                self.advance()?;
                if !self.is("<") {
                    return self.expected("`<`");
                }
                // Neither `->` nor comparisons may end the bracket: look for its end by hand.
                let Some(end) = affine_end(self.text, self.start) else {
                    return self.error("this bracket is not closed");
                };
                self.go_to(end)?;
                Attr::Opaque(self.module.intern_str(&self.text[at..end]))
            }
            _ => Attr::Type(self.ty()?),
        };
        Ok(self.module.intern_attr(attr))
    }

    fn string_attr(&mut self) -> Result<Attr> {
        let bytes = self.string_bytes()?;
        let at = self.start;
        let value = match String::from_utf8(bytes) {
            Ok(text) => self.module.intern_str(&text),
            Err(error) => return Ok(Attr::Bytes(error.into_bytes().into())),
        };
        if !self.is(":") {
            return Ok(Attr::String(value));
        }
        self.advance()?;
        let ty = self.ty()?;
        if *self.module.ty(ty) == Type::None {
            self.error_at(at, "a string has no type `none`")
        } else {
            Ok(Attr::TypedString { value, ty })
        }
    }

    pub(super) fn symbol_attr(&mut self) -> Result<Attr> {
        let root = self.symbol()?;
        let mut nested = Vec::new();
        while self.eat("::")? {
            nested.push(self.symbol()?);
        }
        Ok(Attr::SymbolRef { root, nested: nested.into() })
    }

    fn number_attr(&mut self) -> Result<Attr> {
        let at = self.start;
        let negative = self.eat("-")?;
        let (Token::Int(spelling) | Token::Float(spelling)) = self.token else { return self.expected("a number") };
        let is_float = matches!(self.token, Token::Float(_));
        self.advance()?;
        let ty = if self.eat(":")? {
            self.ty()?
        } else {
            self.module.scalar_type(if is_float { ElementType::F64 } else { ElementType::I64 })
        };
        self.typed_number(at, negative, spelling, ty)
    }

    /// A number of a type.
    pub(super) fn typed_number(&mut self, at: usize, negative: bool, spelling: &str, ty: TypeId) -> Result<Attr> {
        let ty_text = |p: &Self| p.module.type_text(ty);
        let is_hex = spelling.starts_with("0x");
        match *self.module.ty(ty) {
            Type::Scalar(element) if element.kind() == ElementKind::Float => {
                let bits = match self.float_bits(element, negative, spelling) {
                    Ok(bits) => bits,
                    Err(problem) => return self.error_at(at, problem),
                };
                Ok(Attr::Float { bits, ty })
            }
            Type::Float(OtherFloat::Tf32 | OtherFloat::F80 | OtherFloat::F128) if is_hex && !negative => {
                let width = match self.module.ty(ty) {
                    Type::Float(OtherFloat::Tf32) => 19,
                    Type::Float(OtherFloat::F80) => 80,
                    _ => 128,
                };
                match u128::from_str_radix(&spelling[2..], 16) {
                    Ok(bits) if width == 128 || bits >> width == 0 => Ok(if width > 64 {
                        Attr::WideFloat { words: Box::new([bits as u64, (bits >> 64) as u64]), ty }
                    } else {
                        Attr::Float { bits: bits as u64, ty }
                    }),
                    _ => self.error_at(at, format!("{spelling} does not fit {}", ty_text(self))),
                }
            }
            Type::Float(_) => self.error_at(at, format!("a {} is read only as its bits in hexadecimal", ty_text(self))),
            Type::Scalar(ElementType::Bool) => match spelling {
                "0" => Ok(Attr::Bool(false)),
                "1" => Ok(Attr::Bool(true)),
                _ => self.error_at(at, format!("{spelling} does not fit i1")),
            },
            Type::Scalar(_) | Type::Index | Type::Integer { .. } => {
                let (width, signed, unsigned) = match *self.module.ty(ty) {
                    Type::Scalar(e) if e.kind() == ElementKind::Signed => (e.bits() as u32, true, true),
                    Type::Scalar(e) if e.kind() == ElementKind::Unsigned => (e.bits() as u32, false, true),
                    Type::Index => (64, true, false),
                    Type::Integer { width, signedness } => (
                        width,
                        signedness != crate::ir::Signedness::Unsigned,
                        signedness != crate::ir::Signedness::Signed,
                    ),
                    _ => return self.error_at(at, format!("a number has no type {}", ty_text(self))),
                };
                if spelling.contains('.') {
                    return self.error_at(at, format!("{spelling} is no integer, and its type is {}", ty_text(self)));
                }
                if width > 64 {
                    let Some(words) = wide_words(spelling, negative, width) else {
                        return self.error_at(at, format!("{spelling} does not fit {}", ty_text(self)));
                    };
                    return Ok(Attr::WideInteger { words, ty });
                }
                match integer(spelling, negative, width, signed, unsigned) {
                    Some(value) => Ok(Attr::Integer { value, ty }),
                    None => {
                        let sign = if negative { "-" } else { "" };
                        self.error_at(at, format!("{sign}{spelling} does not fit {}", ty_text(self)))
                    }
                }
            }
            _ => self.error_at(at, format!("a number has no type {}", ty_text(self))),
        }
    }

    /// The bits of a float given as decimal digits with a point, or as hexadecimal bits.
    pub(super) fn float_bits(
        &self,
        element: ElementType,
        negative: bool,
        spelling: &str,
    ) -> std::result::Result<u64, String> {
        if let Some(hex) = spelling.strip_prefix("0x") {
            if negative {
                return Err("bits in hexadecimal have no sign".to_owned());
            }
            let bits = u64::from_str_radix(hex, 16).ok();
            let fits = |&bits: &u64| element.bits() == 64 || bits >> element.bits() == 0;
            return bits.filter(fits).ok_or_else(|| format!("{spelling} does not fit {element}"));
        }
        if !spelling.contains('.') {
            return Err(format!("{spelling} is an integer: a number of type {element} needs a point, as {spelling}.0"));
        }
        let value: f64 = spelling.parse().map_err(|_| format!("{spelling} is no number"))?;
        let value = if negative { -value } else { value };
        float::to_bits(element, value).ok_or_else(|| format!("{element} is no float type"))
    }

    /// `array<i64: 1, 2>`.
    fn array(&mut self) -> Result<Attr> {
        self.advance()?;
        self.expect("<")?;
        let at = self.start;
        let ty = self.ty()?;
        let Type::Scalar(element) = *self.module.ty(ty) else {
            return self.error_at(at, "a dense array holds integers or floats");
        };
        if element.kind() == ElementKind::Complex {
            return self.error_at(at, "a dense array holds integers or floats");
        }
        if self.is(">") {
            self.advance()?;
        } else {
            self.expect(":")?;
            if self.is(">") {
                return self.expected("an element");
            }
            return match element {
                ElementType::I64 => Ok(Attr::I64Array(self.rest_of_list(">", Self::int)?.into())),
                ElementType::Bool => Ok(Attr::BoolArray(
                    self.rest_of_list(">", |p| match p.token {
                        Token::Int("0" | "1") => Ok(p.advance()? == Token::Int("1")),
                        _ => p.bool(),
                    })?
                    .into(),
                )),
                _ => {
                    let mut data = Vec::new();
                    self.rest_of_list(">", |p| p.element(element, &mut data))?;
                    Ok(Attr::DenseArray { element, data: data.into() })
                }
            };
        }
        Ok(match element {
            ElementType::I64 => Attr::I64Array(Box::default()),
            ElementType::Bool => Attr::BoolArray(Box::default()),
            _ => Attr::DenseArray { element, data: std::sync::Arc::from([]) },
        })
    }

    /// `loc(...)` as an attribute.
    fn loc_attr(&mut self) -> Result<LocId> {
        self.loc()
    }

    /// `{name = attr, name}`, also absent.
    pub(super) fn optional_attr_dict(&mut self) -> Result<Vec<NamedAttr>> {
        if self.is("{") { self.attr_dict() } else { Ok(Vec::new()) }
    }

    /// `{name = attr, name}`.
    pub(super) fn attr_dict(&mut self) -> Result<Vec<NamedAttr>> {
        let mut seen: Vec<StrId> = Vec::new();
        self.list("{", "}", |p| {
            let at = p.start;
            let name = match p.token {
                Token::Str(_) => p.string()?,
                Token::Word(word) => {
                    p.advance()?;
                    p.module.intern_str(word)
                }
                _ => return p.expected("the name of an attribute"),
            };
            if seen.contains(&name) {
                let name = p.module.str(name).to_owned();
                return p.error_at(at, format!("the attribute `{name}` occurs twice"));
            }
            seen.push(name);
            let value = if p.eat("=")? { p.attr()? } else { p.module.intern_attr(Attr::Unit) };
            Ok(NamedAttr { name, value })
        })
    }

    /// `#alias`, or an attribute of a dialect.
    fn hash_attr(&mut self, name: &'a str) -> Result<AttrId> {
        let at = self.start;
        if let Some(&alias) = self.attr_aliases.get(name) {
            self.advance()?;
            return Ok(alias);
        }
        if self.loc_aliases.contains_key(name) {
            self.advance()?;
            let loc = self.loc_aliases[name];
            return Ok(self.module.intern_attr(Attr::Location(loc)));
        }
        self.advance()?;
        let (dialect, dotted) = match name.split_once('.') {
            Some((dialect, rest)) => (dialect, Some(rest)),
            None => (name, None),
        };
        if dotted.is_none() && !self.is("<") {
            return self.error_at(at, format!("the attribute alias `#{name}` is not defined before this use"));
        }
        if matches!(dialect, "stablehlo" | "chlo" | "sdy") {
            let (kind, kind_at) = match dotted {
                Some(kind) => (kind, at),
                None => {
                    self.expect("<")?;
                    let kind_at = self.start;
                    (self.word("the kind of attribute")?, kind_at)
                }
            };
            let attr = if dialect == "sdy" {
                let attr = self.sdy_attr(kind)?;
                attr.map(|attr| Attr::Sdy(Box::new(attr)))
            } else {
                self.stablehlo_attr(kind)?
            };
            if let Some(attr) = attr {
                if dotted.is_none() {
                    self.expect(">")?;
                }
                return Ok(self.module.intern_attr(attr));
            }
            return self.error_at(kind_at, format!("`{dialect}` has no attribute `{kind}` that is known here"));
        }
        if dotted.is_none() {
            self.go_to(at)?;
            self.advance()?;
        }
        if self.is("<") {
            self.skip_balanced()?;
        }
        let text = self.module.intern_str(&self.text[at..self.last_end]);
        Ok(self.module.intern_attr(Attr::Opaque(text)))
    }
}

/// The end of the bracket that opens at `at`; in affine maps `->`, `>=` and `<=` are no brackets.
fn affine_end(text: &str, at: usize) -> Option<usize> {
    let mut at = at;
    let mut depth = 0u32;
    loop {
        let (token, start, end) = lexer::next(text, at).ok()?;
        match token {
            Token::End => return None,
            Token::Punct("<") if !text[end..].starts_with('=') => depth += 1,
            Token::Punct(">") if !text[end..].starts_with('=') => {
                depth -= 1;
                if depth == 0 {
                    return Some(end);
                }
            }
            _ => {}
        }
        debug_assert!(end > start);
        at = end;
    }
}

/// An integer of at most 64 bits, as [`Attr::Integer`] keeps it; `None` if it does not fit. Signless types take
/// what fits as signed or as unsigned.
pub(super) fn integer(spelling: &str, negative: bool, width: u32, signed: bool, unsigned: bool) -> Option<i64> {
    let magnitude = parse_u128(spelling)? as i128;
    let value = if negative { -magnitude } else { magnitude };
    let low = if signed { -(1i128 << width.max(1) >> 1) } else { 0 };
    let high = if unsigned { (1i128 << width) - 1 } else { (1i128 << width.max(1) >> 1) - 1 };
    if !(low..=high).contains(&value) {
        return None;
    }
    if !signed || width == 0 {
        return Some(value as i64);
    }
    // Sign-extended.
    Some(((value as i64) << (64 - width)) >> (64 - width))
}

/// An integer of more than 64 bits in two's complement.
fn wide_words(spelling: &str, negative: bool, width: u32) -> Option<Box<[u64]>> {
    let mut words = vec![0u64; (width as usize).div_ceil(64)];
    let (digits, radix) = match spelling.strip_prefix("0x") {
        Some(hex) => (hex, 16u64),
        None => (spelling, 10),
    };
    // Quadratic: refuse what no program has instead of taking minutes over it.
    if digits.len() > 1000 {
        return None;
    }
    for digit in digits.bytes() {
        let mut carry = u128::from(lexer::hex_digit(digit)?);
        for word in &mut words {
            let sum = u128::from(*word) * u128::from(radix) + carry;
            *word = sum as u64;
            carry = sum >> 64;
        }
        if carry != 0 {
            return None;
        }
    }
    let rest = width % 64;
    if rest != 0 && words.last().is_some_and(|last| last >> rest != 0) {
        return None;
    }
    if negative {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u64::from(carry));
        }
        if let (Some(last), true) = (words.last_mut(), rest != 0) {
            *last &= (1 << rest) - 1;
        }
    }
    Some(words.into())
}
