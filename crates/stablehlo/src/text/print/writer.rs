//! The printer's state, and what is written the same everywhere: names, strings, types.

use hashbrown::HashMap;

use super::PrintOptions;
use super::names::{self, Name};
use crate::ir::{Attr, Element, LocId, Module, OpId, Type, TypeId, ValueId};

/// Deeper regions are not indented further, or the text would grow with the square of the depth.
const MAX_INDENT: usize = 40;

pub(super) struct Printer<'m> {
    pub(super) module: &'m Module,
    pub(super) options: PrintOptions,
    pub(super) out: String,
    pub(super) names: Vec<Name>,
    pub(super) indent: usize,
    /// Numbers of the aliases of locations, and the locations in the order in which they are defined.
    pub(super) loc_numbers: HashMap<LocId, usize>,
    pub(super) locs: Vec<LocId>,
    /// Whether attributes belong to an op of chlo, which has enumerations of its own.
    pub(super) chlo: bool,
}

/// What is left to write of types and attributes, last first.
pub(super) enum Item {
    Text(&'static str),
    Owned(String),
    Type(TypeId),
    /// With its type, or without where the type goes without saying.
    Attr(crate::ir::AttrId, Elide),
}

/// Whether the type of an attribute may be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Elide {
    Never,
    /// If it is the type that an attribute without one has.
    May,
}

impl<'m> Printer<'m> {
    pub(super) fn new(module: &'m Module, options: PrintOptions) -> Printer<'m> {
        let suggested = options.form == super::Form::Pretty;
        Printer { options, names: names::names(module, suggested), ..Printer::bare(module) }
    }

    /// For attributes alone.
    pub(super) fn bare(module: &'m Module) -> Printer<'m> {
        Printer {
            module,
            options: PrintOptions::default(),
            out: String::new(),
            names: Vec::new(),
            indent: 0,
            loc_numbers: HashMap::new(),
            locs: Vec::new(),
            chlo: false,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn new_line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.out.push_str("  ");
        }
    }

    /// Items with commas between them.
    pub(super) fn commas<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            write(self, item);
        }
    }

    pub(super) fn ints(&mut self, values: &[i64]) {
        self.push("[");
        self.commas(values, |p, value| p.out.push_str(&value.to_string()));
        self.push("]");
    }

    /// `%0#1`.
    pub(super) fn value(&mut self, value: ValueId) {
        let text = match self.names.get(value.index()) {
            Some(Name::Number(number, None)) => format!("%{number}"),
            Some(Name::Number(number, Some(index))) => format!("%{number}#{index}"),
            Some(Name::Text(text)) => format!("%{text}"),
            Some(Name::None) | None => "%detached".to_owned(),
        };
        self.push(&text);
    }

    pub(super) fn values(&mut self, values: &[ValueId]) {
        self.commas(values, |p, &value| p.value(value));
    }

    /// The names before the equals sign, and the sign.
    pub(super) fn result_names(&mut self, op: OpId) {
        let results = self.module.op(op).results();
        let Some(&first) = results.first() else { return };
        if let (Some(Name::Number(number, _)), true) = (self.names.get(first.index()), results.len() > 1) {
            let text = format!("%{number}:{}", results.len());
            self.push(&text);
        } else {
            self.values(results);
        }
        self.push(" = ");
    }

    /// A string with its quotes.
    pub(super) fn quoted(&mut self, bytes: &[u8]) {
        self.out.push('"');
        escape(&mut self.out, bytes);
        self.out.push('"');
    }

    /// `@name`, with quotes where needed.
    pub(super) fn symbol(&mut self, name: &str) {
        self.push("@");
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'-');
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        // MLIR takes `-` in such names, but what follows it might be `>`.
        if starts && name.bytes().all(|b| plain(b) && b != b'-') {
            self.push(name);
        } else {
            self.quoted(name.as_bytes());
        }
    }

    /// The name of an attribute or field, with quotes where needed.
    pub(super) fn attr_name(&mut self, name: &str) {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
        if starts && name.bytes().all(plain) { self.push(name) } else { self.quoted(name.as_bytes()) }
    }

    pub(super) fn ty(&mut self, ty: TypeId) {
        self.items(vec![Item::Type(ty)]);
    }

    pub(super) fn types(&mut self, types: impl IntoIterator<Item = TypeId>) {
        self.commas(types, |p, ty| p.ty(ty));
    }

    /// `(inputs) -> results`.
    pub(super) fn function_type(&mut self, op: OpId) {
        let op = self.module.op(op);
        self.push("(");
        self.types(op.operand_types());
        self.push(") -> ");
        self.result_types(&op.result_types().collect::<Vec<_>>());
    }

    /// One type, or types in parentheses.
    pub(super) fn result_types(&mut self, types: &[TypeId]) {
        let bare = types.len() == 1 && !matches!(self.module.ty(types[0]), Type::Function { .. });
        if bare {
            return self.ty(types[0]);
        }
        self.push("(");
        self.types(types.iter().copied());
        self.push(")");
    }

    /// Writes types and attributes with all that is in them.
    pub(super) fn items(&mut self, mut left: Vec<Item>) {
        while let Some(item) = left.pop() {
            match item {
                Item::Text(text) => self.out.push_str(text),
                Item::Owned(text) => self.out.push_str(&text),
                Item::Type(ty) => self.type_item(ty, &mut left),
                Item::Attr(attr, elide) => self.attr_item(attr, elide, &mut left),
            }
        }
    }

    /// Types that hold attributes or other types are taken apart here; the rest is written by the IR.
    fn type_item(&mut self, ty: TypeId, left: &mut Vec<Item>) {
        let module = self.module;
        match module.ty(ty) {
            Type::Tensor(tensor) if tensor.encoding.is_some() => {
                self.push("tensor<");
                self.dims(&tensor.dims);
                left.push(Item::Text(">"));
                if let Some(encoding) = tensor.encoding {
                    left.push(Item::Attr(encoding, Elide::Never));
                }
                left.push(Item::Text(", "));
                self.element(tensor.element, left);
            }
            Type::MemRef { dims, element, layout, memory_space } if layout.is_some() || memory_space.is_some() => {
                self.push("memref<");
                self.dims(dims);
                left.push(Item::Text(">"));
                for attr in [memory_space, layout].into_iter().flatten() {
                    left.push(Item::Attr(*attr, Elide::Never));
                    left.push(Item::Text(", "));
                }
                self.element(*element, left);
            }
            Type::Function { inputs, results } => {
                let bare = results.len() == 1 && !matches!(module.ty(results[0]), Type::Function { .. });
                if !bare {
                    left.push(Item::Text(")"));
                }
                push_types(left, results);
                left.push(Item::Text(if bare { ") -> " } else { ") -> (" }));
                push_types(left, inputs);
                self.push("(");
            }
            Type::Tuple(elements) => {
                self.push("tuple<");
                left.push(Item::Text(">"));
                push_types(left, elements);
            }
            Type::Future(elements) => {
                self.push("!stablehlo.future<");
                left.push(Item::Text(">"));
                push_types(left, elements);
            }
            Type::Complex(element) => {
                self.push("complex<");
                left.extend([Item::Text(">"), Item::Type(*element)]);
            }
            _ => module.write_type(&mut self.out, ty),
        }
    }

    fn dims(&mut self, dims: &[i64]) {
        for &dim in dims {
            let text = if dim == crate::ir::DYNAMIC { "?x".to_owned() } else { format!("{dim}x") };
            self.push(&text);
        }
    }

    fn element(&mut self, element: Element, left: &mut Vec<Item>) {
        match element {
            Element::Plain(element) => left.push(Item::Text(element.text())),
            Element::Index => left.push(Item::Text("index")),
            Element::Quantized(ty) | Element::Other(ty) => left.push(Item::Type(ty)),
        }
    }

    /// An attribute with its type.
    pub(super) fn attr(&mut self, attr: crate::ir::AttrId) {
        self.items(vec![Item::Attr(attr, Elide::Never)]);
    }

    /// `{name = attr, name}` of some attributes; nothing if there are none.
    pub(super) fn attr_dict(&mut self, attrs: &[crate::ir::NamedAttr]) {
        if attrs.is_empty() {
            return;
        }
        self.push("{");
        self.commas(attrs, |p, attr| {
            p.attr_name(p.module.attr_name(*attr));
            if *p.module.attr(attr.value) != Attr::Unit {
                p.push(" = ");
                p.attr(attr.value);
            }
        });
        self.push("}");
    }
}

fn push_types(left: &mut Vec<Item>, types: &[TypeId]) {
    for (i, &ty) in types.iter().enumerate().rev() {
        left.push(Item::Type(ty));
        if i > 0 {
            left.push(Item::Text(", "));
        }
    }
}

/// Printable ASCII as it is; everything else, and the quote, as two hexadecimal digits.
pub(super) fn escape(out: &mut String, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\22"),
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:02X}")),
        }
    }
}
