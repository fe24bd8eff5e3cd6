//! Tensors as literals.

use super::writer::Printer;
use crate::ir::attrs::DenseElements;
use crate::ir::{Element, StrId, Type, TypeId};
use crate::text::float;
use crate::{ElementKind, ElementType};

/// Larger tensors are written as one hexadecimal string.
const MAX_LISTED: usize = 100;

impl<'m> Printer<'m> {
    /// `dense<...>` without the type.
    pub(super) fn dense(&mut self, dense: &DenseElements) {
        self.push("dense<");
        self.dense_body(dense);
        self.push(">");
    }

    pub(super) fn dense_body(&mut self, dense: &DenseElements) {
        let (dims, element) = match self.module.ty(dense.ty()) {
            Type::Tensor(tensor) => (&tensor.dims, tensor.element),
            Type::Vector { dims, element, .. } => (dims, *element),
            _ => return,
        };
        let Some(width) = self.module.element_byte_width(element) else { return };
        let data = dense.data();
        let count = data.len() / width;
        let element = self.storage(element);
        let is_bool = matches!(element, Storage::Number(ElementType::Bool));
        if dense.is_splat() {
            return self.one(element, data);
        }
        if count > MAX_LISTED && !is_bool {
            self.push("\"0x");
            for byte in data.iter() {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                self.out.push(char::from(DIGITS[usize::from(byte >> 4)]));
                self.out.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
            return self.push("\"");
        }
        let chunks: Vec<&[u8]> = data.chunks_exact(width).collect();
        self.nested(dims, chunks.len(), |p, i| p.one(element, chunks[i]));
    }

    pub(super) fn dense_strings(&mut self, ty: TypeId, values: &[StrId]) {
        self.push("dense<");
        self.dense_strings_body(ty, values);
        self.push(">");
    }

    pub(super) fn dense_strings_body(&mut self, ty: TypeId, values: &[StrId]) {
        let module = self.module;
        let dims: &[i64] = match module.ty(ty) {
            Type::Tensor(tensor) => &tensor.dims,
            Type::Vector { dims, .. } => dims,
            _ => &[],
        };
        let count = dims.iter().map(|&d| d.max(0) as usize).product::<usize>();
        if let ([value], true) = (values, count > 1) {
            return self.quoted(module.str(*value).as_bytes());
        }
        self.nested(dims, values.len(), |p, i| p.quoted(module.str(values[i]).as_bytes()));
    }

    /// `count` items in lists of the shape `dims`; nothing if there are none.
    fn nested(&mut self, dims: &[i64], count: usize, mut item: impl FnMut(&mut Self, usize)) {
        // Sizes of the blocks that begin with a bracket, innermost last.
        let mut sizes: Vec<usize> = Vec::with_capacity(dims.len());
        let mut size = 1usize;
        for &dim in dims.iter().rev() {
            size = size.saturating_mul(dim.max(0) as usize);
            sizes.push(size);
        }
        for i in 0..count {
            if i > 0 {
                self.push(", ");
            }
            sizes.iter().filter(|&&size| i % size == 0).for_each(|_| self.out.push('['));
            item(self, i);
            sizes.iter().filter(|&&size| (i + 1) % size == 0).for_each(|_| self.out.push(']'));
        }
    }

    fn storage(&self, element: Element) -> Storage {
        let of_type = |ty: TypeId| match self.module.ty(ty) {
            Type::Scalar(element) => Storage::Number(*element),
            Type::Integer { width, signedness } if *signedness == crate::ir::Signedness::Unsigned => {
                Storage::Unsigned(*width)
            }
            Type::Integer { width, .. } => Storage::Signed(*width),
            _ => Storage::Signed(64),
        };
        match element {
            Element::Plain(element) => Storage::Number(element),
            Element::Index => Storage::Signed(64),
            Element::Quantized(ty) => match self.module.ty(ty) {
                Type::Quantized(quantized) => of_type(quantized.storage),
                _ => Storage::Signed(64),
            },
            Element::Other(ty) => of_type(ty),
        }
    }

    fn one(&mut self, storage: Storage, bytes: &[u8]) {
        match storage {
            Storage::Number(element) => self.number(element, bytes),
            Storage::Signed(width) => {
                let shift = 64 - width.clamp(1, 64);
                let text = (((raw(bytes) << shift) as i64) >> shift).to_string();
                self.push(&text);
            }
            Storage::Unsigned(width) => {
                let shift = 64 - width.clamp(1, 64);
                let text = (raw(bytes) << shift >> shift).to_string();
                self.push(&text);
            }
        }
    }

    /// One number as a tensor stores it.
    pub(super) fn number(&mut self, element: ElementType, bytes: &[u8]) {
        match element.kind() {
            ElementKind::Bool => self.push(if bytes[0] != 0 { "true" } else { "false" }),
            ElementKind::Signed => self.one(Storage::Signed(element.bits() as u32), bytes),
            ElementKind::Unsigned => self.one(Storage::Unsigned(element.bits() as u32), bytes),
            ElementKind::Float => float::write(&mut self.out, element, raw(bytes)),
            ElementKind::Complex => {
                let part = if element == ElementType::C64 { ElementType::F32 } else { ElementType::F64 };
                let (re, im) = bytes.split_at(bytes.len() / 2);
                self.push("(");
                float::write(&mut self.out, part, raw(re));
                self.push(",");
                float::write(&mut self.out, part, raw(im));
                self.push(")");
            }
        }
    }
}

/// How one element is stored.
#[derive(Clone, Copy)]
enum Storage {
    Number(ElementType),
    /// So many bits, little-endian, zero-extended to whole bytes; two's complement.
    Signed(u32),
    /// The same without a sign.
    Unsigned(u32),
}

fn raw(bytes: &[u8]) -> u64 {
    let mut word = [0u8; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}
