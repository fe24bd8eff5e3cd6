//! Attributes and types of the builtin dialect.

use super::error::Result;
use super::tables::Decoder;
use crate::ElementType;
use crate::ir::{Attr, DYNAMIC, Element, NamedAttr, OtherFloat, Signedness, TensorType, Type, TypeId};

impl Decoder<'_, '_> {
    pub(super) fn builtin_attr(&mut self) -> Result<Attr> {
        Ok(match self.cursor.varint()? {
            0 => Attr::Array(self.list(Self::attr)?),
            1 => {
                let entries = self.list(|d| {
                    let name = d.string_attr()?;
                    Ok(NamedAttr { name, value: d.attr()? })
                })?;
                self.dict(entries)?
            }
            2 => {
                let index = self.cursor.varint()?;
                self.tables.string_attr(index)?
            }
            3 => Attr::TypedString { value: self.string()?, ty: self.ty()? },
            4 => Attr::SymbolRef { root: self.string_attr()?, nested: Box::default() },
            5 => {
                let root = self.string_attr()?;
                let flat = |attr: &Attr| match attr {
                    Attr::SymbolRef { root, nested } if nested.is_empty() => Some(*root),
                    _ => None,
                };
                let empty = self.tables.module.intern_str("");
                let nested = self.list(|d| Ok(d.attr_as("a flat symbol reference", flat)?.unwrap_or(empty)))?;
                Attr::SymbolRef { root, nested }
            }
            6 => Attr::Type(self.ty()?),
            7 => Attr::Unit,
            8 => self.integer_attr()?,
            9 => self.float_attr()?,
            10..=15 | 22 => {
                self.skip_rest()?;
                let index = self.node as u64;
                Attr::Location(self.tables.loc(index)?)
            }
            16 => self.dense_resource()?,
            17 => self.dense_array()?,
            18 => {
                let mark = self.mark();
                let ty = self.ty()?;
                let data = self.cursor.blob()?;
                if self.is_incomplete(mark) { Attr::Unit } else { self.dense(ty, data)? }
            }
            19 => {
                let ty = self.ty()?;
                let splat = self.cursor.varint()? != 0;
                let mut values = Vec::new();
                while !self.cursor.is_at_end() {
                    values.push(self.string()?);
                }
                if splat && values.len() != 1 {
                    return self.cursor.error("a splat of strings has more than one");
                }
                Attr::DenseStrings { ty, values: values.into() }
            }
            20 => Attr::Sparse { ty: self.ty()?, indices: self.attr()?, values: self.attr()? },
            21 => Attr::Distinct(self.attr()?),
            23 => self.affine_map()?,
            24 => self.integer_set()?,
            25 => self.strided_layout()?,
            code => return self.cursor.error(format!("builtin attribute code {code} is not known")),
        })
    }

    /// A dictionary; names must differ and come out sorted.
    pub(crate) fn dict(&mut self, entries: Box<[NamedAttr]>) -> Result<Attr> {
        let module = &self.tables.module;
        let mut entries = entries;
        let order = |a: &NamedAttr, b: &NamedAttr| module.str(a.name).cmp(module.str(b.name));
        if !entries.is_sorted_by(|a, b| order(a, b).is_lt()) {
            entries.sort_by(order);
            if entries.windows(2).any(|pair| pair[0].name == pair[1].name) {
                return self.cursor.error("a dictionary has a name twice");
            }
        }
        Ok(Attr::Dict(entries))
    }

    /// Type and value of an integer attribute.
    pub(crate) fn integer_attr(&mut self) -> Result<Attr> {
        let mark = self.mark();
        let ty = self.ty()?;
        if self.is_incomplete(mark) {
            return self.skip_rest();
        }
        let (width, unsigned) = match self.tables.module.ty(ty) {
            Type::Scalar(ElementType::Bool) => {
                return Ok(Attr::Bool(self.cursor.small_ap_int(1)? & 1 == 1));
            }
            Type::Scalar(element) if element.kind() == crate::ElementKind::Signed => (element.bits() as u32, false),
            Type::Scalar(element) if element.kind() == crate::ElementKind::Unsigned => (element.bits() as u32, true),
            Type::Index => (64, false),
            Type::Integer { width, signedness } => (*width, *signedness == Signedness::Unsigned),
            _ => return self.cursor.error("an integer attribute has no integer type"),
        };
        if width > 64 {
            return Ok(Attr::WideInteger { words: self.cursor.ap_int(width)?.into(), ty });
        }
        let value = self.cursor.small_ap_int(width)?;
        let value = if unsigned || width == 0 { value as i64 } else { (value << (64 - width)) as i64 >> (64 - width) };
        Ok(Attr::Integer { value, ty })
    }

    /// Type and value of a float attribute.
    pub(crate) fn float_attr(&mut self) -> Result<Attr> {
        let mark = self.mark();
        let ty = self.ty()?;
        if self.is_incomplete(mark) {
            return self.skip_rest();
        }
        let width = match self.tables.module.ty(ty) {
            Type::Scalar(element) if element.kind() == crate::ElementKind::Float => element.byte_width() as u32 * 8,
            Type::Float(OtherFloat::Tf32) => 19,
            Type::Float(OtherFloat::F80) => 80,
            Type::Float(OtherFloat::F128) => 128,
            _ => return self.cursor.error("a float attribute has no float type"),
        };
        if width > 64 {
            return Ok(Attr::WideFloat { words: self.cursor.ap_int(width)?.into(), ty });
        }
        Ok(Attr::Float { bits: self.cursor.small_ap_int(width)?, ty })
    }

    /// For a try that is thrown away: the rest has a form that depends on what is missing.
    fn skip_rest(&mut self) -> Result<Attr> {
        let left = self.cursor.remaining() as u64;
        self.cursor.bytes(left)?;
        Ok(Attr::Unit)
    }

    fn dense_resource(&mut self) -> Result<Attr> {
        let mark = self.mark();
        let ty = self.ty()?;
        let index = self.cursor.varint()?;
        if self.is_incomplete(mark) {
            return Ok(Attr::Unit);
        }
        let Some(resource) = usize::try_from(index).ok().and_then(|i| self.tables.resources.get(i)).copied() else {
            return self.cursor.error(format!("resource {index} does not exist"));
        };
        let dense = resource.blob.and_then(|data| self.tables.module.dense_elements(ty, data));
        match dense {
            Some(dense) => Ok(Attr::DenseElements(dense)),
            None => Ok(Attr::DenseResource { ty, key: self.tables.string(resource.key)? }),
        }
    }

    fn dense_array(&mut self) -> Result<Attr> {
        let mark = self.mark();
        let ty = self.ty()?;
        let count = self.cursor.varint()?;
        let data = self.cursor.blob()?;
        if self.is_incomplete(mark) {
            return Ok(Attr::Unit);
        }
        let Type::Scalar(element) = *self.tables.module.ty(ty) else {
            return self.cursor.error("a dense array has no number type");
        };
        if count.checked_mul(element.byte_width() as u64) != Some(data.len() as u64) {
            return self.cursor.error(format!("a dense array of {count} {element} has {} bytes", data.len()));
        }
        Ok(match element {
            ElementType::I64 => Attr::I64Array(
                data.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().expect("eight bytes"))).collect(),
            ),
            ElementType::Bool => Attr::BoolArray(data.iter().map(|&b| b != 0).collect()),
            _ => Attr::DenseArray { element, data: data.into() },
        })
    }

    pub(super) fn builtin_type(&mut self) -> Result<Type> {
        let code = self.cursor.varint()?;
        Ok(match code {
            0 => {
                let packed = self.cursor.varint()?;
                let width = u32::try_from(packed >> 2).unwrap_or(u32::MAX);
                if width > 1 << 24 {
                    return self.cursor.error(format!("an integer type of {} bits", packed >> 2));
                }
                match packed & 3 {
                    0 => integer(width, Signedness::Signless),
                    1 => integer(width, Signedness::Signed),
                    2 => integer(width, Signedness::Unsigned),
                    _ => return self.cursor.error("an integer type has no such sign"),
                }
            }
            1 => Type::Index,
            2 => Type::Function { inputs: self.list(Self::ty)?, results: self.list(Self::ty)? },
            3 => Type::Scalar(ElementType::BF16),
            4 => Type::Scalar(ElementType::F16),
            5 => Type::Scalar(ElementType::F32),
            6 => Type::Scalar(ElementType::F64),
            7 => Type::Float(OtherFloat::F80),
            8 => Type::Float(OtherFloat::F128),
            9 => {
                let element = self.ty()?;
                self.complex(element)
            }
            10 | 11 => {
                let memory_space = if code == 11 { Some(self.attr()?) } else { None };
                let dims = self.shape()?;
                let element = self.element()?;
                Type::MemRef { dims, element, layout: Some(self.attr()?), memory_space }
            }
            12 => Type::None,
            13 => Type::Tensor(TensorType { dims: self.shape()?, element: self.element()?, encoding: None }),
            14 => {
                let encoding = Some(self.attr()?);
                Type::Tensor(TensorType { dims: self.shape()?, element: self.element()?, encoding })
            }
            15 => Type::Tuple(self.list(Self::ty)?),
            18 => Type::UnrankedTensor(self.element()?),
            19 => {
                let dims = self.shape()?;
                let scalable = vec![false; dims.len()].into();
                Type::Vector { dims, scalable, element: self.element()? }
            }
            20 => {
                let scalable = self.list(|d| d.cursor.bool())?;
                let dims = self.shape()?;
                if dims.len() != scalable.len() {
                    return self.cursor.error("a vector type has other numbers of sizes and flags");
                }
                Type::Vector { dims, scalable, element: self.element()? }
            }
            21 => Type::Float(OtherFloat::Tf32),
            22 => Type::Scalar(ElementType::F8E5M2),
            23 => Type::Scalar(ElementType::F8E4M3),
            24 => Type::Scalar(ElementType::F8E4M3FN),
            25 => Type::Scalar(ElementType::F8E5M2FNUZ),
            26 => Type::Scalar(ElementType::F8E4M3FNUZ),
            27 => Type::Scalar(ElementType::F8E4M3B11FNUZ),
            28 => Type::Scalar(ElementType::F8E3M4),
            29 => Type::Scalar(ElementType::F4E2M1FN),
            30 => Type::Scalar(ElementType::F6E2M3FN),
            31 => Type::Scalar(ElementType::F6E3M2FN),
            32 => Type::Scalar(ElementType::F8E8M0FNU),
            16 | 17 => return self.cursor.error("unranked memref types occur in no StableHLO program"),
            _ => return self.cursor.error(format!("builtin type code {code} is not known")),
        })
    }

    /// The sizes of a shaped type.
    pub(crate) fn shape(&mut self) -> Result<Box<[i64]>> {
        let dims = self.cursor.signed_list()?;
        match dims.iter().find(|&&d| d < 0 && d != DYNAMIC) {
            Some(dim) => self.cursor.error(format!("a dimension has size {dim}")),
            None => Ok(dims.into()),
        }
    }

    /// The element type of a shaped type.
    pub(crate) fn element(&mut self) -> Result<Element> {
        let ty = self.ty()?;
        Ok(self.tables.module.element_of(ty))
    }

    /// `complex<T>`, where T is complete.
    pub(crate) fn complex(&self, element: TypeId) -> Type {
        match self.tables.module.ty(element) {
            Type::Scalar(ElementType::F32) => Type::Scalar(ElementType::C64),
            Type::Scalar(ElementType::F64) => Type::Scalar(ElementType::C128),
            _ => Type::Complex(element),
        }
    }
}

/// A builtin integer type; StableHLO reads signless as signed.
pub(crate) fn integer(width: u32, signedness: Signedness) -> Type {
    Type::integer(width, signedness)
}
