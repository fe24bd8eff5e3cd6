//! Types, in VHLO's and in builtin's spelling.

use super::Result_;
use super::sink::Sink;
use super::table::{Dialect, Form, Table};
use crate::ElementType;
use crate::ir::{DYNAMIC, Element, OtherFloat, QuantizationParameters, QuantizedType, Signedness, Type, TypeId};

/// Deepest nesting that is written.
const DEEPEST: u32 = 64;

/// VHLO code of a number type, and the first version that has it.
fn vhlo_number(element: ElementType) -> Option<(u64, (u32, u32))> {
    use ElementType::*;
    Some(match element {
        Bool => (0, (0, 9)),
        BF16 => (2, (0, 9)),
        F16 => (3, (0, 9)),
        F32 => (4, (0, 9)),
        F64 => (5, (0, 9)),
        F8E4M3FN => (6, (0, 9)),
        F8E5M2 => (7, (0, 9)),
        I4 => (10, (0, 9)),
        I8 => (11, (0, 9)),
        I16 => (12, (0, 9)),
        I32 => (13, (0, 9)),
        I64 => (14, (0, 9)),
        U4 => (15, (0, 9)),
        U8 => (16, (0, 9)),
        U16 => (17, (0, 9)),
        U32 => (18, (0, 9)),
        U64 => (19, (0, 9)),
        F8E4M3FNUZ => (27, (0, 10)),
        F8E5M2FNUZ => (28, (0, 10)),
        F8E4M3B11FNUZ => (29, (0, 11)),
        I2 => (31, (1, 2)),
        U2 => (32, (1, 2)),
        F8E4M3 => (35, (1, 7)),
        F8E3M4 => (36, (1, 7)),
        F4E2M1FN => (37, (1, 8)),
        F6E2M3FN => (38, (1, 8)),
        F6E3M2FN => (39, (1, 8)),
        F8E8M0FNU => (40, (1, 8)),
        C64 | C128 => return None,
    })
}

/// Builtin entry of a number type.
fn builtin_number(element: ElementType) -> Option<Sink> {
    use ElementType::*;
    let integer = |width: u64, sign: u64| {
        let mut sink = Sink::code(0);
        sink.varint(width << 2 | sign);
        sink
    };
    Some(match element {
        Bool => integer(1, 0),
        I2 | I4 | I8 | I16 | I32 | I64 => integer(element.bits() as u64, 0),
        U2 | U4 | U8 | U16 | U32 | U64 => integer(element.bits() as u64, 2),
        BF16 => Sink::code(3),
        F16 => Sink::code(4),
        F32 => Sink::code(5),
        F64 => Sink::code(6),
        F8E5M2 => Sink::code(22),
        F8E4M3 => Sink::code(23),
        F8E4M3FN => Sink::code(24),
        F8E5M2FNUZ => Sink::code(25),
        F8E4M3FNUZ => Sink::code(26),
        F8E4M3B11FNUZ => Sink::code(27),
        F8E3M4 => Sink::code(28),
        F4E2M1FN => Sink::code(29),
        F6E2M3FN => Sink::code(30),
        F6E3M2FN => Sink::code(31),
        F8E8M0FNU => Sink::code(32),
        C64 | C128 => return None,
    })
}

impl Table<'_> {
    /// The index of a type.
    pub(super) fn ty(&mut self, form: Form, id: TypeId) -> Result_<u64> {
        if let Some(&index) = self.type_memo.get(&(form, id)) {
            return Ok(index);
        }
        if self.depth > DEEPEST {
            return Err("types nest too deeply to be written".to_owned());
        }
        self.depth += 1;
        let (dialect, sink) = match form {
            Form::Vhlo => self.vhlo_type(id)?,
            Form::Builtin => self.builtin_type(id)?,
        };
        self.depth -= 1;
        let index = self.type_entry(dialect, sink);
        self.type_memo.insert((form, id), index);
        Ok(index)
    }

    fn tys(&mut self, form: Form, ids: &[TypeId]) -> Result_<Vec<u64>> {
        ids.iter().map(|&id| self.ty(form, id)).collect()
    }

    /// The index of a number type that the module need not have.
    pub(super) fn number(&mut self, form: Form, element: ElementType) -> Result_<u64> {
        if let ElementType::C64 | ElementType::C128 = element {
            let part = if element == ElementType::C64 { ElementType::F32 } else { ElementType::F64 };
            let part = self.number(form, part)?;
            let (dialect, code) = if form == Form::Vhlo { (Dialect::Vhlo, 1) } else { (Dialect::Builtin, 9) };
            let mut sink = Sink::code(code);
            sink.varint(part);
            return Ok(self.type_entry(dialect, sink));
        }
        match form {
            Form::Vhlo => match vhlo_number(element) {
                Some((code, (major, minor))) if self.has(major, minor) => {
                    Ok(self.type_entry(Dialect::Vhlo, Sink::code(code)))
                }
                _ => Err(format!("element type {element} does not exist in StableHLO {}", self.version)),
            },
            Form::Builtin => match builtin_number(element) {
                Some(sink) => Ok(self.type_entry(Dialect::Builtin, sink)),
                None => Err(format!("element type {element} has no encoding")),
            },
        }
    }

    /// The index of `tensor<dims x element>` in VHLO, which the module need not have.
    pub(super) fn vhlo_tensor(&mut self, dims: &[i64], element: ElementType) -> Result_<u64> {
        let element = self.number(Form::Vhlo, element)?;
        let mut sink = Sink::code(20);
        sink.signed_list(dims);
        sink.varint(element);
        Ok(self.type_entry(Dialect::Vhlo, sink))
    }

    fn element(&mut self, form: Form, element: Element) -> Result_<u64> {
        match element {
            Element::Plain(element) => self.number(form, element),
            Element::Index => {
                let (dialect, code) = if form == Form::Vhlo { (Dialect::Vhlo, 9) } else { (Dialect::Builtin, 1) };
                Ok(self.type_entry(dialect, Sink::code(code)))
            }
            Element::Quantized(ty) | Element::Other(ty) => self.ty(form, ty),
        }
    }

    fn unwritable<T>(&self, id: TypeId, form: Form) -> Result_<T> {
        let ty = self.module.type_text(id);
        Err(format!("type {ty} has no {form:?} encoding in StableHLO {}", self.version))
    }

    fn vhlo_type(&mut self, id: TypeId) -> Result_<(Dialect, Sink)> {
        let form = Form::Vhlo;
        let sink = match self.module.ty(id) {
            Type::Tensor(tensor) => {
                let mut sink = Sink::code(if tensor.encoding.is_some() { 21 } else { 20 });
                if let Some(encoding) = tensor.encoding {
                    let encoding = self.attr(form, encoding)?;
                    sink.varint(encoding);
                }
                sink.signed_list(&tensor.dims);
                sink.varint(self.element(form, tensor.element)?);
                sink
            }
            Type::UnrankedTensor(element) => {
                let element = self.element(form, *element)?;
                let mut sink = Sink::code(25);
                sink.varint(element);
                sink
            }
            // The entry exists by content already or is made here; both have the same index.
            Type::Scalar(element) => match (vhlo_number(*element), element) {
                (Some((code, (major, minor))), _) if self.has(major, minor) => Sink::code(code),
                (None, ElementType::C64 | ElementType::C128) => {
                    let part = if *element == ElementType::C64 { ElementType::F32 } else { ElementType::F64 };
                    let mut sink = Sink::code(1);
                    sink.varint(self.number(form, part)?);
                    sink
                }
                _ => return self.unwritable(id, form),
            },
            Type::Index => Sink::code(9),
            Type::Complex(element) => {
                let mut sink = Sink::code(1);
                sink.varint(self.ty(form, *element)?);
                sink
            }
            Type::Function { inputs, results } => {
                let mut sink = Sink::code(8);
                sink.list(&self.tys(form, inputs)?);
                sink.list(&self.tys(form, results)?);
                sink
            }
            Type::Token => Sink::code(22),
            Type::Tuple(elements) => {
                let mut sink = Sink::code(23);
                sink.list(&self.tys(form, elements)?);
                sink
            }
            Type::Future(elements) if self.has(1, 15) => {
                let mut sink = Sink::code(42);
                sink.list(&self.tys(form, elements)?);
                sink
            }
            Type::MemRef { dims, element, layout: None, memory_space: None } if self.has(1, 13) => {
                let mut sink = Sink::code(41);
                sink.signed_list(dims);
                sink.varint(self.element(form, *element)?);
                sink
            }
            Type::Quantized(quantized) => self.quantized(id, quantized)?,
            Type::Witness => Sink::code(26),
            Type::None if self.has(1, 6) => Sink::code(33),
            Type::Float(OtherFloat::Tf32) if self.has(1, 6) => Sink::code(34),
            _ => return self.unwritable(id, form),
        };
        Ok((Dialect::Vhlo, sink))
    }

    fn quantized(&mut self, id: TypeId, quantized: &QuantizedType) -> Result_<Sink> {
        let (storage, expressed) = (self.ty(Form::Vhlo, quantized.storage)?, self.ty(Form::Vhlo, quantized.expressed)?);
        let head = |code: u64| {
            let mut sink = Sink::code(code);
            sink.varint(quantized.flags.into());
            sink.varint(storage);
            sink.varint(expressed);
            sink
        };
        match &quantized.parameters {
            QuantizationParameters::PerTensor { scale, zero_point } => {
                let mut sink = head(24);
                sink.ap_int(64, *scale);
                sink.signed_varint(*zero_point);
                sink.signed_varint(quantized.storage_min);
                sink.signed_varint(quantized.storage_max);
                Ok(sink)
            }
            QuantizationParameters::PerAxis { axis, scales, zero_points } if self.has(0, 18) => {
                let mut sink = head(30);
                sink.varint(*axis as u64);
                sink.signed_varint(quantized.storage_min);
                sink.signed_varint(quantized.storage_max);
                sink.varint(scales.len() as u64);
                for &scale in scales {
                    sink.ap_int(64, scale);
                }
                sink.signed_list(zero_points);
                Ok(sink)
            }
            QuantizationParameters::PerAxis { .. } => self.unwritable(id, Form::Vhlo),
        }
    }

    fn builtin_type(&mut self, id: TypeId) -> Result_<(Dialect, Sink)> {
        let form = Form::Builtin;
        let sink = match self.module.ty(id) {
            Type::Tensor(tensor) => {
                let mut sink = Sink::code(if tensor.encoding.is_some() { 14 } else { 13 });
                if let Some(encoding) = tensor.encoding {
                    let encoding = self.attr(form, encoding)?;
                    sink.varint(encoding);
                }
                debug_assert!(tensor.dims.iter().all(|&d| d >= 0 || d == DYNAMIC));
                sink.signed_list(&tensor.dims);
                sink.varint(self.element(form, tensor.element)?);
                sink
            }
            Type::UnrankedTensor(element) => {
                let mut sink = Sink::code(18);
                sink.varint(self.element(form, *element)?);
                sink
            }
            Type::Scalar(element) => match builtin_number(*element) {
                Some(sink) => sink,
                None => {
                    let part = if *element == ElementType::C64 { ElementType::F32 } else { ElementType::F64 };
                    let mut sink = Sink::code(9);
                    sink.varint(self.number(form, part)?);
                    sink
                }
            },
            Type::Index => Sink::code(1),
            Type::Integer { width, signedness } => {
                let sign = match signedness {
                    Signedness::Signless => 0,
                    Signedness::Signed => 1,
                    Signedness::Unsigned => 2,
                };
                let mut sink = Sink::code(0);
                sink.varint(u64::from(*width) << 2 | sign);
                sink
            }
            Type::Float(float) => Sink::code(match float {
                OtherFloat::F80 => 7,
                OtherFloat::F128 => 8,
                OtherFloat::Tf32 => 21,
            }),
            Type::Function { inputs, results } => {
                let mut sink = Sink::code(2);
                sink.list(&self.tys(form, inputs)?);
                sink.list(&self.tys(form, results)?);
                sink
            }
            Type::Tuple(elements) => {
                let mut sink = Sink::code(15);
                sink.list(&self.tys(form, elements)?);
                sink
            }
            Type::None => Sink::code(12),
            // Types of StableHLO stand in VHLO's spelling wherever they are.
            Type::Token | Type::Future(_) => return self.vhlo_type(id),
            _ => return self.unwritable(id, form),
        };
        Ok((Dialect::Builtin, sink))
    }
}

impl Table<'_> {
    /// VHLO's `none`, which stands for absent fields of a dot's algorithm.
    pub(super) fn none_type(&mut self) -> u64 {
        self.type_entry(Dialect::Vhlo, Sink::code(33))
    }
}
