//! Tensors as literals: lists, splats, hexadecimal blobs and resources.

use super::attrs::integer;
use super::cursor::{Parser, Result};
use crate::ir::{Attr, AttrId, Element, Type, TypeId};
use crate::text::lexer::{self, Token};
use crate::{ElementKind, ElementType};

/// What the elements of a literal are.
#[derive(Clone, Copy)]
enum Kind {
    Number(ElementType),
    /// `index`, or an integer that no element type covers: bytes, bits, signed, unsigned.
    Integer(usize, u32, bool, bool),
}

impl<'a> Parser<'a> {
    /// `dense<...> : type`. The type comes last but decides how the elements are read: look for it first.
    pub(super) fn dense(&mut self) -> Result<AttrId> {
        self.advance()?;
        if !self.is("<") {
            return self.expected("`<`");
        }
        let begin = self.token_end();
        let Some(close) = literal_end(self.text, begin) else { return self.error("this `<` is not closed") };
        self.go_to(close)?;
        self.expect(">")?;
        self.expect(":")?;
        let type_at = self.start;
        let ty = self.ty()?;
        let after = self.last_end;
        let (dims, element) = match self.module.ty(ty) {
            Type::Tensor(tensor) if tensor.is_static() => (tensor.dims.clone(), tensor.element),
            Type::Vector { dims, element, .. } => (dims.clone(), *element),
            _ => return self.error_at(type_at, "a literal needs a tensor type with static dimensions"),
        };
        let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?));
        let Some(count) = count else { return self.error_at(type_at, "this type has too many elements") };
        self.go_to(begin)?;
        if let (Element::Other(_), Token::Str(_) | Token::Punct("[")) = (element, self.token)
            && let Some(attr) = self.dense_strings(ty, &dims, count)?
        {
            self.expect(">")?;
            self.go_to(after)?;
            self.last_end = after;
            return Ok(attr);
        }
        let Some(kind) = self.element_kind(element) else {
            let text = self.module.type_text(ty);
            return self.error_at(type_at, format!("{text} has no literals"));
        };
        let data = if let Token::Str(raw) = self.token {
            self.hex_data(raw, kind, count)?
        } else {
            let mut data = Vec::new();
            self.elements(&dims, count, |p| p.one_element(kind, &mut data))?;
            data
        };
        if !self.is(">") {
            return self.expected("`>`");
        }
        self.go_to(after)?;
        self.last_end = after;
        match self.module.dense_attr(ty, &data) {
            Some(attr) => Ok(attr),
            None => self.error_at(begin, format!("the literal does not have the {count} elements of its type")),
        }
    }

    fn element_kind(&self, element: Element) -> Option<Kind> {
        Some(match element {
            Element::Plain(element) => Kind::Number(element),
            Element::Index => Kind::Integer(8, 64, true, false),
            Element::Quantized(ty) => match self.module.ty(ty) {
                Type::Quantized(quantized) => match self.module.ty(quantized.storage) {
                    Type::Scalar(storage) => Kind::Number(*storage),
                    _ => return None,
                },
                _ => return None,
            },
            Element::Other(ty) => match *self.module.ty(ty) {
                Type::Integer { width: width @ 1..=64, signedness } => Kind::Integer(
                    self.module.element_byte_width(element)?,
                    width,
                    signedness != crate::ir::Signedness::Unsigned,
                    signedness != crate::ir::Signedness::Signed,
                ),
                _ => return None,
            },
        })
    }

    /// One element for all, nothing, or nested lists that have the shape `dims`.
    fn elements(&mut self, dims: &[i64], count: usize, mut one: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.is(">") {
            if count != 0 {
                return self.error(format!("expected {count} elements, found none"));
            }
            return Ok(());
        }
        if !self.is("[") {
            return one(self);
        }
        // Elements seen so far in each list that is open.
        let mut open: Vec<i64> = Vec::new();
        loop {
            let depth = open.len();
            if self.is("[") {
                if depth == dims.len() {
                    return self.error(format!("this list is nested deeper than the {depth} dimensions of the type"));
                }
                self.advance()?;
                open.push(0);
                if !self.is("]") {
                    continue;
                }
            } else if depth < dims.len() {
                return self.expected(&format!("`[` (dimension {depth} of {})", dims.len()));
            } else {
                one(self)?;
                if let Some(seen) = open.last_mut() {
                    *seen += 1;
                }
            }
            while self.is("]") {
                let dim = dims[open.len() - 1];
                let seen = open.pop().unwrap_or(0);
                if seen != dim {
                    return self.error(format!(
                        "a list has {seen} elements, but dimension {} of the type has size {dim}",
                        open.len()
                    ));
                }
                self.advance()?;
                match open.last_mut() {
                    Some(seen) => *seen += 1,
                    None => return Ok(()),
                }
            }
            if !self.eat(",")? {
                return self.expected("`,` or `]`");
            }
        }
    }

    fn one_element(&mut self, kind: Kind, data: &mut Vec<u8>) -> Result<()> {
        match kind {
            Kind::Number(element) => self.element(element, data),
            Kind::Integer(bytes, width, signed, unsigned) => {
                let at = self.start;
                let negative = self.eat("-")?;
                let Token::Int(spelling) = self.token else { return self.expected("an integer") };
                self.advance()?;
                match integer(spelling, negative, width, signed, unsigned) {
                    Some(value) => data.extend(&(value as u64 & low_bits(width)).to_le_bytes()[..bytes]),
                    None => return self.error_at(at, format!("{spelling} does not fit {width} bits")),
                }
                Ok(())
            }
        }
    }

    /// Appends one number as a tensor stores it.
    pub(super) fn element(&mut self, element: ElementType, data: &mut Vec<u8>) -> Result<()> {
        let at = self.start;
        match element {
            ElementType::C64 | ElementType::C128 => {
                let part = if element == ElementType::C64 { ElementType::F32 } else { ElementType::F64 };
                self.expect("(")?;
                self.element(part, data)?;
                self.expect(",")?;
                self.element(part, data)?;
                return self.expect(")");
            }
            ElementType::Bool => {
                let value = match self.token {
                    Token::Int("0" | "1") => self.advance()? == Token::Int("1"),
                    _ => self.bool()?,
                };
                data.push(value.into());
                return Ok(());
            }
            _ => {}
        }
        let negative = self.eat("-")?;
        let (Token::Int(spelling) | Token::Float(spelling)) = self.token else {
            return self.expected(&format!("a number of type {element}"));
        };
        self.advance()?;
        let width = element.bits() as u32;
        let bits = if element.kind() == ElementKind::Float {
            self.float_bits(element, negative, spelling)
        } else {
            let signed = element.kind() == ElementKind::Signed;
            let value = integer(spelling, negative, width, signed, true).map(|value| value as u64);
            let sign = if negative { "-" } else { "" };
            value.ok_or_else(|| format!("{sign}{spelling} does not fit {element}"))
        };
        match bits {
            Ok(bits) => data.extend(&(bits & low_bits(width)).to_le_bytes()[..element.byte_width()]),
            Err(problem) => return self.error_at(at, problem),
        }
        Ok(())
    }

    /// `"0x..."`: the bytes of all elements, or of one for all.
    fn hex_data(&mut self, raw: &str, kind: Kind, count: usize) -> Result<Vec<u8>> {
        let Some(mut data) = hex_bytes(raw) else {
            return self.error("this string is not `0x` and pairs of hexadecimal digits");
        };
        let at = self.start;
        self.advance()?;
        let (bytes, bits) = match kind {
            Kind::Number(element) => (element.byte_width(), element.bits()),
            Kind::Integer(bytes, width, ..) => (bytes, width as usize),
        };
        // Booleans may come packed, eight to a byte.
        if matches!(kind, Kind::Number(ElementType::Bool)) && data.len() == count.div_ceil(8) {
            if count > 8 || (count > 1 && data.len() != count) {
                data = (0..count).map(|i| data[i / 8] >> (i % 8) & 1).collect();
            } else if data == [0xff] {
                data = vec![1];
            }
        }
        if data.len() != bytes && Some(data.len()) != bytes.checked_mul(count) {
            let found = data.len();
            return self
                .error_at(at, format!("{found} bytes are neither one element nor {count} of {bytes} bytes each"));
        }
        if bits < 8 {
            data.iter_mut().for_each(|byte| *byte &= low_bits(bits as u32) as u8);
        }
        Ok(data)
    }

    /// `dense<"text">` or a list of strings; `None` if these are no strings.
    fn dense_strings(&mut self, ty: TypeId, dims: &[i64], count: usize) -> Result<Option<AttrId>> {
        let begin = self.start;
        while self.eat("[")? {}
        let is_text = matches!(self.token, Token::Str(_));
        self.go_to(begin)?;
        if !is_text {
            return Ok(None);
        }
        let mut values = Vec::new();
        self.elements(dims, count, |p| {
            values.push(p.string()?);
            Ok(())
        })?;
        Ok(Some(self.module.intern_attr(Attr::DenseStrings { ty, values: values.into() })))
    }

    /// `dense_resource<key> : type`.
    pub(super) fn dense_resource(&mut self) -> Result<AttrId> {
        self.advance()?;
        self.expect("<")?;
        let at = self.start;
        let (name, key) = match self.token {
            Token::Word(word) => (word, self.module.intern_str(word)),
            Token::Str(raw) => (raw, {
                let bytes = lexer::unescape(raw);
                self.module.intern_str(&String::from_utf8_lossy(&bytes))
            }),
            _ => return self.expected("the name of a resource"),
        };
        self.advance()?;
        self.expect(">")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let Some(blob) = self.resources.get(name) else {
            return Ok(self.module.intern_attr(Attr::DenseResource { ty, key }));
        };
        match self.module.dense_elements(ty, blob) {
            Some(dense) => Ok(self.module.intern_attr(Attr::DenseElements(dense))),
            None => {
                let (len, ty) = (blob.len(), self.module.type_text(ty));
                self.error_at(at, format!("the resource `{name}` has {len} bytes, which do not make a {ty}"))
            }
        }
    }

    /// `sparse<indices, values> : type`.
    pub(super) fn sparse(&mut self) -> Result<AttrId> {
        self.advance()?;
        self.error(
            "sparse constants are not read from text: write the tensor as `dense<...>`, or send the program as bytecode",
        )
    }
}

/// Ones where a number of so many bits has bits: narrow numbers are stored zero-extended.
fn low_bits(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

/// Where the `>` stands that ends a literal.
fn literal_end(text: &str, begin: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = begin;
    loop {
        match bytes.get(at)? {
            b'>' => return Some(at),
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while *bytes.get(at)? != b'\n' {
                    at += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The bytes of `0x` and pairs of hexadecimal digits.
pub(super) fn hex_bytes(raw: &str) -> Option<Vec<u8>> {
    let digits = raw.strip_prefix("0x")?.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let pair = |pair: &[u8]| Some(lexer::hex_digit(pair[0])? * 16 + lexer::hex_digit(pair[1])?);
    digits.chunks_exact(2).map(pair).collect()
}
