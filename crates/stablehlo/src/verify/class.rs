//! Classes of types: what an input or a result of an op may be, as one set of bits.
//!
//! Knows types only; which op wants which class is in `signature_table.rs`.

use std::fmt;
use std::ops::BitOr;

use crate::ElementKind;
use crate::ElementType;
use crate::ir::{Element, Module, QuantizationParameters, TensorType, Type, TypeId};

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(u32);

impl Class {
    /// Tensors of `i1`.
    pub const BOOL: Class = Class(1);
    /// Tensors of signed integers.
    pub const SINT: Class = Class(1 << 1);
    /// Tensors of unsigned integers.
    pub const UINT: Class = Class(1 << 2);
    /// Tensors of floats.
    pub const FLOAT: Class = Class(1 << 3);
    /// Tensors of complex numbers.
    pub const COMPLEX: Class = Class(1 << 4);
    /// Tensors quantized with one scale.
    pub const QUANT: Class = Class(1 << 5);
    /// Tensors quantized with a scale for each index of an axis.
    pub const QUANT_AXIS: Class = Class(1 << 6);
    /// `index` tensors, which hold shapes.
    pub const INDEX: Class = Class(1 << 7);
    /// Tokens.
    pub const TOKEN: Class = Class(1 << 8);
    /// Tuples.
    pub const TUPLE: Class = Class(1 << 9);
    /// Buffers.
    pub const BUFFER: Class = Class(1 << 10);
    /// Futures.
    pub const FUTURE: Class = Class(1 << 11);
    /// Unranked tensors of any element.
    pub const UNRANKED: Class = Class(1 << 12);
    /// Everything else.
    pub const OTHER: Class = Class(1 << 13);
    /// Of the tensors only those without dimensions.
    pub const RANK0: Class = Class(1 << 20);
    /// Of the tensors only those with one dimension.
    pub const RANK1: Class = Class(1 << 21);
    /// Of the tensors only those with two dimensions.
    pub const RANK2: Class = Class(1 << 22);
    /// Of the tensors only those whose elements take 32 bits, or 64 if complex.
    pub const W32: Class = Class(1 << 23);
    /// Of the tensors only those whose elements take 64 bits, or 128 if complex.
    pub const W64: Class = Class(1 << 24);
    /// Of the tensors only those without dynamic dimensions.
    pub const STATIC: Class = Class(1 << 25);

    /// Tensors of integers.
    pub const INT: Class = Class(Self::SINT.0 | Self::UINT.0);
    /// Tensors of numbers that are not quantized.
    pub const TENSOR: Class = Class(Self::BOOL.0 | Self::INT.0 | Self::FLOAT.0 | Self::COMPLEX.0);
    /// Any value of a program.
    pub const ANY: Class = Class((1 << 14) - 1);

    const fn has(self, other: Class) -> bool {
        self.0 & other.0 != 0
    }

    /// What a type is.
    fn of(m: &Module, ty: &Type) -> Class {
        match ty {
            Type::Tensor(tensor) => Class::of_element(m, tensor.element),
            Type::UnrankedTensor(_) => Class::UNRANKED,
            Type::Token => Class::TOKEN,
            Type::Tuple(_) => Class::TUPLE,
            Type::MemRef { .. } => Class::BUFFER,
            Type::Future(_) => Class::FUTURE,
            _ => Class::OTHER,
        }
    }

    fn of_element(m: &Module, element: Element) -> Class {
        match element {
            Element::Plain(element) => match element.kind() {
                ElementKind::Bool => Class::BOOL,
                ElementKind::Signed => Class::SINT,
                ElementKind::Unsigned => Class::UINT,
                ElementKind::Float => Class::FLOAT,
                ElementKind::Complex => Class::COMPLEX,
            },
            Element::Index => Class::INDEX,
            Element::Quantized(ty) => match m.ty(ty) {
                Type::Quantized(q) if matches!(q.parameters, QuantizationParameters::PerAxis { .. }) => {
                    Class::QUANT_AXIS
                }
                Type::Quantized(_) => Class::QUANT,
                _ => Class::OTHER,
            },
            Element::Other(_) => Class::OTHER,
        }
    }

    /// True if the type is in the set.
    #[inline]
    pub fn contains(self, m: &Module, ty: TypeId) -> bool {
        let ty = m.ty(ty);
        if !self.has(Class::of(m, ty)) {
            return false;
        }
        match ty {
            Type::Tensor(tensor) => self.0 >> 20 == 0 || self.allows_form(tensor),
            _ => true,
        }
    }

    fn allows_form(self, tensor: &TensorType) -> bool {
        let ranks = [Class::RANK0, Class::RANK1, Class::RANK2];
        let any_rank = !ranks.iter().any(|&r| self.has(r));
        let rank = any_rank || ranks.get(tensor.rank()).is_some_and(|&r| self.has(r));
        let bits =
            tensor.element_type().map_or(0, |e| if e.kind() == ElementKind::Complex { e.bits() / 2 } else { e.bits() });
        let any_width = !self.has(Class::W32) && !self.has(Class::W64);
        let width = any_width || (self.has(Class::W32) && bits == 32) || (self.has(Class::W64) && bits == 64);
        rank && width && (!self.has(Class::STATIC) || tensor.is_static())
    }

    /// A type that is not in the set, for tests that want to break an input.
    pub fn counterexample(self, m: &mut Module) -> Option<TypeId> {
        let candidates = [
            m.intern_type(Type::Token),
            m.tensor_type(&[2, 3, 4], ElementType::Bool),
            m.tensor_type(&[2, 3, 4], ElementType::F32),
            m.intern_type(Type::UnrankedTensor(Element::Plain(ElementType::F32))),
            m.intern_type(Type::None),
        ];
        candidates.into_iter().find(|&ty| !self.contains(m, ty))
    }
}

impl BitOr for Class {
    type Output = Class;

    fn bitor(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }
}

impl Class {
    /// The union, in constants.
    pub const fn or(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 & Class::ANY.0 == Class::ANY.0 {
            return f.write_str("any value");
        }
        let mut tensors = Vec::new();
        let plain = [
            (Class::BOOL, "i1"),
            (Class::SINT, "signed integer"),
            (Class::UINT, "unsigned integer"),
            (Class::FLOAT, "float"),
            (Class::COMPLEX, "complex"),
            (Class::QUANT, "per-tensor quantized"),
            (Class::QUANT_AXIS, "per-axis quantized"),
            (Class::INDEX, "index"),
        ];
        tensors.extend(plain.iter().filter(|(class, _)| self.has(*class)).map(|&(_, name)| name));
        let mut parts = Vec::new();
        if !tensors.is_empty() {
            let rank = match (self.has(Class::RANK0), self.has(Class::RANK1), self.has(Class::RANK2)) {
                (true, false, false) => "0-dimensional ",
                (false, true, false) => "1-dimensional ",
                (false, false, true) => "2-dimensional ",
                _ => "",
            };
            let width = match (self.has(Class::W32), self.has(Class::W64)) {
                (true, true) => "32- or 64-bit ",
                (true, false) => "32-bit ",
                (false, true) => "64-bit ",
                _ => "",
            };
            let fixed = if self.has(Class::STATIC) { "static " } else { "" };
            parts.push(format!("{fixed}{rank}tensor of {width}{}", tensors.join(" or ")));
        }
        let others = [
            (Class::TOKEN, "token"),
            (Class::TUPLE, "tuple"),
            (Class::BUFFER, "buffer"),
            (Class::FUTURE, "future"),
            (Class::UNRANKED, "unranked tensor"),
        ];
        parts.extend(others.iter().filter(|(class, _)| self.has(*class)).map(|&(_, name)| name.to_owned()));
        f.write_str(&parts.join(", or "))
    }
}
