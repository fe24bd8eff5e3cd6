//! What an op takes and makes, input by input, in the numbering of the specification (I1, I2, …).
//!
//! Checks kinds and classes only; how inputs relate to each other is the business of `ops/`.

use super::check::Check;
use super::class::Class;
use crate::ElementType;
use crate::ir::{Attr, OpCode, OpRef, Type, ValueId};

pub use super::signature_table::signature;

/// The kind of an input of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// One operand.
    One(Class),
    /// Any number of operands. Where an op has two such lists, they are equally long.
    Many(Class),
    /// An attribute that must be there.
    Attr(&'static str, AttrKind),
    /// An attribute with a default.
    Opt(&'static str, AttrKind),
    /// A function: a region.
    Region,
    /// Any number of functions.
    Regions,
}

/// The kind of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// Integer of 64 bits.
    I64,
    /// Integer of 32 bits.
    I32,
    /// Float of 32 bits.
    F32,
    /// A float of any type.
    Float,
    /// `true`, `false` or unit.
    Flag,
    /// A list of 64-bit integers.
    I64s,
    /// A list of bools.
    Bools,
    /// UTF-8 text.
    Text,
    /// UTF-8 text, bytes or a dictionary.
    TextOrDict,
    /// A dictionary.
    Dict,
    /// A flat symbol reference.
    Symbol,
    /// A list of flat symbol references.
    Symbols,
    /// A list of attributes.
    List,
    /// A tensor of values.
    Elements,
    /// A tensor of 64-bit integers, any shape.
    I64Tensor,
    /// `replica_groups`: a two-dimensional tensor of 64-bit integers or axes of a mesh.
    Groups,
    /// `channel_handle`.
    Channel,
    /// `comparison_direction`.
    Direction,
    /// `compare_type`.
    CompareType,
    /// A list of precisions.
    Precisions,
    /// `dot_dimension_numbers`.
    Dot,
    /// `algorithm` of `dot_general`.
    Algorithm,
    /// `dimension_numbers` of convolutions.
    Conv,
    /// `dimension_numbers` of gathers.
    Gather,
    /// `scatter_dimension_numbers`.
    Scatter,
    /// `fft_type`.
    Fft,
    /// `transpose_a`.
    Transpose,
    /// `rng_algorithm`.
    RngAlgorithm,
    /// `rng_distribution`.
    RngDistribution,
    /// `result_accuracy`.
    Accuracy,
    /// `api_version`.
    ApiVersion,
    /// An attribute of sdy.
    Sdy,
    /// Anything.
    Any,
}

/// An input with its name in the specification.
#[derive(Clone, Copy, Debug)]
pub struct NamedInput {
    /// The name.
    pub name: &'static str,
    /// What it is.
    pub input: Input,
}

/// The results of an op.
#[derive(Clone, Copy, Debug)]
pub struct Results {
    /// The classes of results that are always there.
    pub fixed: &'static [Class],
    /// The class of further results.
    pub rest: Option<Class>,
}

/// An op as the specification describes it.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Inputs; the first is I1.
    pub inputs: &'static [NamedInput],
    /// Results.
    pub results: Results,
    /// Number of constraints, C1 to this; 0 where the specification numbers none.
    pub constraints: u32,
}

/// The labels I1, I2, … and C1, C2, … as static text.
pub(crate) fn label(letter: char, number: usize) -> &'static str {
    macro_rules! labels {
        ($letter:literal: $($n:literal)*) => { &[$(concat!($letter, $n),)*] };
    }
    const I: &[&str] = labels!("I": 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
    const O: &[&str] = labels!("O": 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
    let table = if letter == 'I' { I } else { O };
    number.checked_sub(1).and_then(|i| table.get(i)).copied().unwrap_or(table[table.len() - 1])
}

/// How many operands each variadic input has, or why that cannot be.
fn variadic_length(signature: &Signature, operands: usize) -> Result<usize, String> {
    let ones = signature.inputs.iter().filter(|i| matches!(i.input, Input::One(_))).count();
    let lists = signature.inputs.iter().filter(|i| matches!(i.input, Input::Many(_))).count();
    match (operands.checked_sub(ones), lists) {
        (Some(0), 0) => Ok(0),
        (Some(left), 1..) if left.is_multiple_of(lists) => Ok(left / lists),
        (Some(_), 2..) => Err(format!("has {operands} operands, which make no {lists} equally long lists")),
        (_, 0) => Err(format!("takes {ones} operands and has {operands}")),
        _ => Err(format!("takes at least {ones} operands and has {operands}")),
    }
}

impl<'m> Check<'m, '_> {
    /// Checks number and class of operands, attributes, regions and results; false if anything is wrong.
    pub(crate) fn check_signature(&mut self, signature: &'static Signature) -> bool {
        let before = self.failures();
        let operands = self.op.operands();
        let list_length = match variadic_length(signature, operands.len()) {
            Ok(length) => length,
            Err(problem) => {
                self.fail("I1", format_args!("{problem}"));
                return false;
            }
        };
        let (mut at, mut regions) = (0, 0);
        for (i, named) in signature.inputs.iter().enumerate() {
            let id = label('I', i + 1);
            match named.input {
                Input::One(class) => {
                    self.check_class(id, named.name, class, &operands[at..at + 1]);
                    at += 1;
                }
                Input::Many(class) => {
                    self.check_class(id, named.name, class, &operands[at..at + list_length]);
                    at += list_length;
                }
                Input::Attr(name, kind) => self.check_attr(id, named.name, name, kind, true),
                Input::Opt(name, kind) => self.check_attr(id, named.name, name, kind, false),
                Input::Region => {
                    if self.op.region_block(regions).is_none() {
                        self.fail(id, format_args!("the function `{}` is missing", named.name));
                    }
                    regions += 1;
                }
                Input::Regions => {
                    for region in regions..self.op.regions().len() {
                        if self.op.region_block(region).is_none() {
                            self.fail(id, format_args!("function {region} of `{}` is empty", named.name));
                        }
                    }
                    regions = self.op.regions().len();
                }
            }
        }
        if self.op.regions().len() > regions {
            let found = self.op.regions().len();
            self.fail("regions", format_args!("takes {regions} functions and has {found}"));
        }
        if !self.inferring() {
            self.check_results(&signature.results);
        }
        self.failures() == before
    }

    fn check_class(&mut self, id: &'static str, name: &str, class: Class, values: &'m [ValueId]) {
        for &value in values {
            let ty = self.m.value_type(value);
            if !class.contains(self.m, ty) {
                let text = self.m.type_text_within(ty, 200);
                self.fail(id, format_args!("`{name}` must be {class}, found {text}"));
                return;
            }
        }
    }

    fn check_results(&mut self, results: &Results) {
        let found = self.op.results();
        let fixed = results.fixed.len();
        if found.len() < fixed || (found.len() > fixed && results.rest.is_none()) {
            let least = if results.rest.is_some() { "at least " } else { "" };
            self.fail("O1", format_args!("makes {least}{fixed} results and has {}", found.len()));
            return;
        }
        for (i, &value) in found.iter().enumerate() {
            let Some(class) = results.fixed.get(i).copied().or(results.rest) else { continue };
            let ty = self.m.value_type(value);
            if !class.contains(self.m, ty) {
                let text = self.m.type_text_within(ty, 200);
                self.fail(label('O', i + 1), format_args!("result {i} must be {class}, found {text}"));
            }
        }
    }

    fn check_attr(&mut self, id: &'static str, input: &str, name: &'static str, kind: AttrKind, needed: bool) {
        match self.op.attr(name) {
            None if needed => self.fail(id, format_args!("`{input}` is missing: there is no attribute `{name}`")),
            None => {}
            Some(attr) if kind.matches(self.op, attr) => {}
            Some(attr) => {
                let found = attr.kind();
                self.fail(id, format_args!("`{input}` must be {kind:?} in the attribute `{name}`, found {found}"));
            }
        }
    }
}

impl AttrKind {
    fn matches(self, op: OpRef<'_>, attr: &Attr) -> bool {
        let m = op.module();
        let integer = |element| matches!(attr, Attr::Integer { ty, .. } if *m.ty(*ty) == Type::Scalar(element));
        match self {
            AttrKind::I64 => integer(ElementType::I64),
            AttrKind::I32 => integer(ElementType::I32),
            AttrKind::F32 => matches!(attr, Attr::Float { ty, .. } if *m.ty(*ty) == Type::Scalar(ElementType::F32)),
            AttrKind::Float => matches!(attr, Attr::Float { .. } | Attr::WideFloat { .. }),
            AttrKind::Flag => matches!(attr, Attr::Bool(_) | Attr::Unit),
            AttrKind::I64s => matches!(attr, Attr::I64Array(_)),
            AttrKind::Bools => matches!(attr, Attr::BoolArray(_)),
            AttrKind::Text => matches!(attr, Attr::String(_)),
            AttrKind::TextOrDict => matches!(attr, Attr::String(_) | Attr::Bytes(_) | Attr::Dict(_)),
            AttrKind::Dict => matches!(attr, Attr::Dict(_)),
            AttrKind::Symbol => matches!(attr, Attr::SymbolRef { nested, .. } if nested.is_empty()),
            AttrKind::Symbols => {
                matches!(attr, Attr::Array(items) if items.iter().all(|&i| AttrKind::Symbol.matches(op, m.attr(i))))
            }
            AttrKind::List => matches!(attr, Attr::Array(_)),
            AttrKind::Elements => matches!(
                attr,
                Attr::DenseElements(_) | Attr::DenseStrings { .. } | Attr::DenseResource { .. } | Attr::Sparse { .. }
            ),
            AttrKind::I64Tensor => matches!(attr, Attr::DenseElements(dense) if m.ty(dense.ty()).as_tensor()
                .is_some_and(|t| t.element_type() == Some(ElementType::I64))),
            AttrKind::Groups => match attr {
                Attr::ReplicaGroupMeshAxes(_) => true,
                Attr::DenseElements(dense) => m
                    .ty(dense.ty())
                    .as_tensor()
                    .is_some_and(|t| t.element_type() == Some(ElementType::I64) && t.rank() == 2),
                _ => false,
            },
            AttrKind::Channel => matches!(attr, Attr::ChannelHandle(_)),
            AttrKind::Direction => matches!(attr, Attr::ComparisonDirection(_)),
            AttrKind::CompareType => matches!(attr, Attr::ComparisonType(_)),
            AttrKind::Precisions => matches!(attr, Attr::Array(items)
                if items.iter().all(|&i| matches!(m.attr(i), Attr::Precision(_)))),
            AttrKind::Dot => matches!(attr, Attr::DotDimensionNumbers(_)),
            AttrKind::Algorithm => matches!(attr, Attr::DotAlgorithm(_)),
            AttrKind::Conv => matches!(attr, Attr::ConvDimensionNumbers(_)),
            AttrKind::Gather => matches!(attr, Attr::GatherDimensionNumbers(_)),
            AttrKind::Scatter => matches!(attr, Attr::ScatterDimensionNumbers(_)),
            AttrKind::Fft => matches!(attr, Attr::FftType(_)),
            AttrKind::Transpose => {
                matches!(attr, Attr::Transpose(t) if *t != crate::ir::attrs::Transpose::Invalid)
            }
            AttrKind::RngAlgorithm => matches!(attr, Attr::RngAlgorithm(_)),
            AttrKind::RngDistribution => matches!(attr, Attr::RngDistribution(_)),
            AttrKind::Accuracy => matches!(attr, Attr::ResultAccuracy(_)),
            AttrKind::ApiVersion => matches!(attr, Attr::Integer { value: 0..=4, .. }),
            AttrKind::Sdy => matches!(attr, Attr::Sdy(_)),
            AttrKind::Any => true,
        }
    }
}

/// The ops that the specification describes (those whose inputs and constraints are numbered).
pub fn specified_ops() -> impl Iterator<Item = (OpCode, &'static Signature)> {
    OpCode::ALL.iter().filter_map(|&code| {
        let legacy = super::signature_table::is_outside_specification(code);
        signature(code).filter(|_| !legacy).map(|signature| (code, signature))
    })
}
