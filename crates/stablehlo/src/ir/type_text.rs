//! Types as text, in the spelling of the StableHLO text form.
//!
//! Works with a list of what is left to write instead of recursion, so nested tuples need no stack.

use std::fmt::Write;

use super::{
    Attr, DYNAMIC, Element, Module, QuantizationParameters, QuantizedType, Signedness, TensorType, Type, TypeId,
    ValueId,
};

/// What is still to be written, last first.
enum Item {
    Text(&'static str),
    Type(TypeId),
}

impl Module {
    /// The type in text form, such as `tensor<2x?xf32>` or `!stablehlo.token`.
    pub fn type_text(&self, ty: TypeId) -> String {
        let mut out = String::new();
        self.write_type(&mut out, ty);
        out
    }

    /// The same, cut off with `...` once it is longer than `limit` bytes: a few shared tuple types can spell
    /// out to more text than memory holds.
    pub fn type_text_within(&self, ty: TypeId, limit: usize) -> String {
        let mut out = String::new();
        let mut left = vec![Item::Type(ty)];
        while let Some(item) = left.pop() {
            if out.len() > limit {
                out.push_str("...");
                break;
            }
            match item {
                Item::Text(text) => out.push_str(text),
                Item::Type(ty) => self.write_one(&mut out, ty, &mut left),
            }
        }
        out
    }

    /// The types of values as text, with commas between them.
    pub fn value_types_text(&self, values: &[ValueId]) -> String {
        let texts: Vec<String> = values.iter().map(|&v| self.type_text(self.value_type(v))).collect();
        texts.join(", ")
    }

    /// Appends the type in text form.
    pub fn write_type(&self, out: &mut String, ty: TypeId) {
        let mut left = vec![Item::Type(ty)];
        while let Some(item) = left.pop() {
            match item {
                Item::Text(text) => out.push_str(text),
                Item::Type(ty) => self.write_one(out, ty, &mut left),
            }
        }
    }

    fn write_one(&self, out: &mut String, ty: TypeId, left: &mut Vec<Item>) {
        match self.ty(ty) {
            Type::Tensor(tensor) => self.write_tensor(out, tensor, left),
            Type::UnrankedTensor(element) => {
                out.push_str("tensor<*x");
                left.push(Item::Text(">"));
                self.write_element(out, *element, left);
            }
            Type::Scalar(element) => out.push_str(element.text()),
            Type::Index => out.push_str("index"),
            Type::Integer { width, signedness } => {
                let prefix = match signedness {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                };
                let _ = write!(out, "{prefix}{width}");
            }
            Type::Float(float) => out.push_str(float.text()),
            Type::Complex(element) => wrap(out, "complex<", &[*element], ">", left),
            Type::Quantized(quantized) => self.write_quantized(out, quantized),
            Type::Token => out.push_str("!stablehlo.token"),
            Type::Tuple(elements) => wrap(out, "tuple<", elements, ">", left),
            Type::Future(elements) => wrap(out, "!stablehlo.future<", elements, ">", left),
            Type::Function { inputs, results } => {
                // A single result that is itself a function needs parentheses to be read back.
                let bare = results.len() == 1 && !matches!(self.ty(results[0]), Type::Function { .. });
                if !bare {
                    left.push(Item::Text(")"));
                }
                push_list(left, results);
                left.push(Item::Text(if bare { ") -> " } else { ") -> (" }));
                push_list(left, inputs);
                out.push('(');
            }
            Type::MemRef { dims, element, layout, memory_space } => {
                out.push_str("memref<");
                write_dims(out, dims);
                // Layouts and memory spaces occur in no StableHLO program; their presence is shown, not their text.
                left.push(Item::Text(match (layout, memory_space) {
                    (None, None) => ">",
                    (Some(_), None) => ", layout>",
                    (None, Some(_)) => ", memory_space>",
                    (Some(_), Some(_)) => ", layout, memory_space>",
                }));
                self.write_element(out, *element, left);
            }
            Type::Vector { dims, scalable, element } => {
                out.push_str("vector<");
                for (&dim, &scalable) in dims.iter().zip(scalable) {
                    let _ = if scalable { write!(out, "[{dim}]x") } else { write!(out, "{dim}x") };
                }
                left.push(Item::Text(">"));
                self.write_element(out, *element, left);
            }
            Type::None => out.push_str("none"),
            Type::Witness => out.push_str("!shape.witness"),
            Type::Opaque(text) => out.push_str(self.str(*text)),
        }
    }

    fn write_tensor(&self, out: &mut String, tensor: &TensorType, left: &mut Vec<Item>) {
        out.push_str("tensor<");
        write_dims(out, &tensor.dims);
        let Some(encoding) = tensor.encoding else {
            left.push(Item::Text(">"));
            return self.write_element(out, tensor.element, left);
        };
        // The element comes before the encoding and never nests deeply: write it out first.
        let mut element = Vec::new();
        self.write_element(out, tensor.element, &mut element);
        while let Some(item) = element.pop() {
            match item {
                Item::Text(text) => out.push_str(text),
                Item::Type(ty) => self.write_one(out, ty, &mut element),
            }
        }
        match self.attr(encoding) {
            Attr::TypeExtensions(extensions) => {
                out.push_str(", #stablehlo.bounds<");
                for (i, &bound) in extensions.bounds.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    let _ = if bound == DYNAMIC { write!(out, "?") } else { write!(out, "{bound}") };
                }
                out.push_str(">>");
            }
            other => {
                let _ = write!(out, ", {}>", other.kind());
            }
        }
    }

    fn write_element(&self, out: &mut String, element: Element, left: &mut Vec<Item>) {
        match element {
            Element::Plain(element) => out.push_str(element.text()),
            Element::Index => out.push_str("index"),
            Element::Quantized(ty) | Element::Other(ty) => left.push(Item::Type(ty)),
        }
    }

    fn write_quantized(&self, out: &mut String, quantized: &QuantizedType) {
        let sign = if quantized.is_signed() { "i" } else { "u" };
        let bits = match self.ty(quantized.storage) {
            Type::Scalar(element) => element.bits(),
            Type::Integer { width, .. } => *width as usize,
            _ => 0,
        };
        let _ = write!(out, "!quant.uniform<{sign}{bits}");
        if !quantized.has_default_range(self) {
            let _ = write!(out, "<{}:{}>", quantized.storage_min, quantized.storage_max);
        }
        let _ = match self.ty(quantized.expressed) {
            Type::Scalar(element) => write!(out, ":{element}"),
            Type::Float(float) => write!(out, ":{}", float.text()),
            _ => write!(out, ":?"),
        };
        let one = |out: &mut String, scale: u64, zero_point: i64| {
            out.push_str(&float_literal(f64::from_bits(scale)));
            if zero_point != 0 {
                let _ = write!(out, ":{zero_point}");
            }
        };
        match &quantized.parameters {
            QuantizationParameters::PerTensor { scale, zero_point } => {
                out.push_str(", ");
                one(out, *scale, *zero_point);
            }
            QuantizationParameters::PerAxis { axis, scales, zero_points } => {
                let _ = write!(out, ":{axis}, {{");
                for (i, (&scale, &zero_point)) in scales.iter().zip(zero_points).enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    one(out, scale, zero_point);
                }
                out.push('}');
            }
        }
        out.push('>');
    }
}

impl QuantizedType {
    /// True if every value of the storage type is used, which the text form leaves unsaid.
    pub fn has_default_range(&self, module: &Module) -> bool {
        let Type::Scalar(storage) = module.ty(self.storage) else { return false };
        let bits = storage.bits() as u32;
        let (min, max) = if self.is_signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        (i128::from(self.storage_min), i128::from(self.storage_max)) == (min, max)
    }
}

/// Shortest text that reads back as the same number, with the point that the text form demands.
fn float_literal(value: f64) -> String {
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

fn write_dims(out: &mut String, dims: &[i64]) {
    for &dim in dims {
        let _ = if dim == DYNAMIC { write!(out, "?x") } else { write!(out, "{dim}x") };
    }
}

fn push_list(left: &mut Vec<Item>, types: &[TypeId]) {
    for (i, &ty) in types.iter().enumerate().rev() {
        left.push(Item::Type(ty));
        if i > 0 {
            left.push(Item::Text(", "));
        }
    }
}

fn wrap(out: &mut String, open: &str, types: &[TypeId], close: &'static str, left: &mut Vec<Item>) {
    out.push_str(open);
    left.push(Item::Text(close));
    push_list(left, types);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ElementType;
    use crate::ir::attrs::TypeExtensions;

    #[test]
    fn types_read_as_in_the_text_form() {
        let mut m = Module::new();
        let a = m.tensor_type(&[2, DYNAMIC], ElementType::F32);
        let b = m.tensor_type(&[], ElementType::C64);
        let token = m.intern_type(Type::Token);
        let tuple = m.intern_type(Type::Tuple([a, token].into()));
        let function = m.function_type(&[a, b], &[tuple]);
        let nullary = m.function_type(&[], &[]);
        assert_eq!(
            m.type_text(function),
            "(tensor<2x?xf32>, tensor<complex<f32>>) -> tuple<tensor<2x?xf32>, !stablehlo.token>"
        );
        assert_eq!(m.type_text(nullary), "() -> ()");
        let encoding = Some(m.intern_attr(Attr::TypeExtensions(TypeExtensions { bounds: [4, DYNAMIC].into() })));
        let element = Element::Plain(ElementType::I8);
        let bounded = m.intern_type(Type::Tensor(TensorType { dims: [DYNAMIC, 3].into(), element, encoding }));
        assert_eq!(m.type_text(bounded), "tensor<?x3xi8, #stablehlo.bounds<4, ?>>");
        let (storage, expressed) = (m.scalar_type(ElementType::I8), m.scalar_type(ElementType::F32));
        let quantized = m.intern_type(Type::Quantized(QuantizedType {
            flags: 1,
            storage,
            expressed,
            storage_min: -127,
            storage_max: 127,
            parameters: QuantizationParameters::PerTensor { scale: 0.5f64.to_bits(), zero_point: 3 },
        }));
        let quantized = m.intern_type(Type::UnrankedTensor(Element::Quantized(quantized)));
        assert_eq!(m.type_text(quantized), "tensor<*x!quant.uniform<i8<-127:127>:f32, 5.0e-1:3>>");
    }

    #[test]
    fn deep_tuples_need_no_stack() {
        let run = || {
            let mut m = Module::new();
            let mut ty = m.intern_type(Type::Token);
            for _ in 0..10_000 {
                ty = m.intern_type(Type::Tuple([ty].into()));
            }
            assert_eq!(m.type_text(ty).len(), 10_000 * "tuple<>".len() + "!stablehlo.token".len());
        };
        std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
    }
}
