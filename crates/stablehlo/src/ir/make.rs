//! Shorthands that intern common types and attributes.

use super::{Attr, AttrId, Element, Module, StrId, TensorType, Type, TypeId};
use crate::ElementType;
use crate::ir::attrs::DenseElements;

impl Module {
    /// The id of a string.
    pub fn intern_str(&mut self, text: &str) -> StrId {
        StrId(self.strings.intern(text))
    }

    /// The id of a type.
    pub fn intern_type(&mut self, ty: Type) -> TypeId {
        TypeId(self.types.intern(ty))
    }

    /// The id of an attribute. A dictionary must be sorted: use [`Module::dict_attr`].
    pub fn intern_attr(&mut self, attr: Attr) -> AttrId {
        AttrId(self.attrs.intern(attr))
    }

    /// The id of an attribute that the module already has.
    pub fn find_attr(&self, attr: &Attr) -> Option<AttrId> {
        self.attrs.find(attr).map(AttrId)
    }

    /// `tensor<dims x element>`.
    pub fn tensor_type(&mut self, dims: &[i64], element: ElementType) -> TypeId {
        self.intern_type(Type::Tensor(TensorType {
            dims: dims.into(),
            element: Element::Plain(element),
            encoding: None,
        }))
    }

    /// The number as a type of its own, as attributes have it.
    pub fn scalar_type(&mut self, element: ElementType) -> TypeId {
        self.intern_type(Type::Scalar(element))
    }

    /// `(inputs) -> (results)`.
    pub fn function_type(&mut self, inputs: &[TypeId], results: &[TypeId]) -> TypeId {
        self.intern_type(Type::Function { inputs: inputs.into(), results: results.into() })
    }

    /// What an element of a tensor is when its type is `ty`.
    pub fn element_of(&self, ty: TypeId) -> Element {
        match self.ty(ty) {
            Type::Scalar(element) => Element::Plain(*element),
            Type::Index => Element::Index,
            Type::Quantized(_) => Element::Quantized(ty),
            _ => Element::Other(ty),
        }
    }

    /// The type of an element of a tensor; the inverse of [`Module::element_of`].
    pub fn type_of_element(&mut self, element: Element) -> TypeId {
        match element {
            Element::Plain(element) => self.scalar_type(element),
            Element::Index => self.intern_type(Type::Index),
            Element::Quantized(ty) | Element::Other(ty) => ty,
        }
    }

    /// Bytes of one element in a [`DenseElements`]: that of the storage if quantized, 8 for `index`.
    /// `None` for what has no dense form.
    pub fn element_byte_width(&self, element: Element) -> Option<usize> {
        match element {
            Element::Plain(element) => Some(element.byte_width()),
            Element::Index => Some(8),
            Element::Quantized(ty) => match self.ty(ty) {
                Type::Quantized(quantized) => match self.ty(quantized.storage) {
                    Type::Scalar(storage) => Some(storage.byte_width()),
                    _ => None,
                },
                _ => None,
            },
            Element::Other(ty) => match self.ty(ty) {
                Type::Integer { width, .. } => Some((*width as usize).div_ceil(8).next_power_of_two()),
                _ => None,
            },
        }
    }

    /// A string attribute.
    pub fn string_attr(&mut self, text: &str) -> AttrId {
        let text = self.intern_str(text);
        self.intern_attr(Attr::String(text))
    }

    /// `true` or `false`.
    pub fn bool_attr(&mut self, value: bool) -> AttrId {
        self.intern_attr(Attr::Bool(value))
    }

    /// `value : i64`.
    pub fn i64_attr(&mut self, value: i64) -> AttrId {
        let ty = self.scalar_type(ElementType::I64);
        self.intern_attr(Attr::Integer { value, ty })
    }

    /// `value : i32`.
    pub fn i32_attr(&mut self, value: i32) -> AttrId {
        let ty = self.scalar_type(ElementType::I32);
        self.intern_attr(Attr::Integer { value: value.into(), ty })
    }

    /// `array<i64: ...>`.
    pub fn i64_array_attr(&mut self, values: &[i64]) -> AttrId {
        self.intern_attr(Attr::I64Array(values.into()))
    }

    /// `@name`.
    pub fn symbol_attr(&mut self, name: &str) -> AttrId {
        let root = self.intern_str(name);
        self.intern_attr(Attr::SymbolRef { root, nested: Box::default() })
    }

    /// A type as an attribute.
    pub fn type_attr(&mut self, ty: TypeId) -> AttrId {
        self.intern_attr(Attr::Type(ty))
    }

    /// A list of attributes.
    pub fn array_attr(&mut self, items: &[AttrId]) -> AttrId {
        self.intern_attr(Attr::Array(items.into()))
    }

    /// Named attributes in any order. Of several with the same name the last counts.
    pub fn dict_attr(&mut self, entries: &[super::NamedAttr]) -> AttrId {
        let mut sorted: Vec<super::NamedAttr> = Vec::with_capacity(entries.len());
        sorted.extend(entries.iter().rev());
        sorted.sort_by(|a, b| self.str(a.name).cmp(self.str(b.name)));
        sorted.dedup_by_key(|entry| entry.name);
        self.intern_attr(Attr::Dict(sorted.into()))
    }

    /// `dense<...>` of a tensor type, from one element for all or from all elements, laid out as
    /// [`DenseElements`] says. `None` if the type has no dense form or the data has another length.
    pub fn dense_attr(&mut self, ty: TypeId, data: &[u8]) -> Option<AttrId> {
        let dense = self.dense_elements(ty, data)?;
        Some(self.intern_attr(Attr::DenseElements(dense)))
    }

    /// The value of [`Module::dense_attr`] without interning it.
    pub fn dense_elements(&self, ty: TypeId, data: &[u8]) -> Option<DenseElements> {
        let (count, element) = match self.ty(ty) {
            Type::Tensor(tensor) => (tensor.num_elements()?, tensor.element),
            Type::Vector { dims, element, .. } => {
                (dims.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?))?, *element)
            }
            _ => return None,
        };
        DenseElements::new(ty, count, self.element_byte_width(element)?, data)
    }

    /// Number of elements of a static ranked tensor type.
    pub fn num_elements(&self, ty: TypeId) -> Option<usize> {
        self.ty(ty).as_tensor()?.num_elements()
    }
}
