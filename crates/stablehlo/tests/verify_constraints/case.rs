//! A case: one op with its inputs and results in short notation, and how it becomes a module.
//!
//! Types are written as in the text form without `tensor<>`: `2x?xf32`, `i1`, `token`, `tuple<f32;i32>`,
//! `future<f32>`; `2xq/i8/f32/s0.5/z3` is quantized per tensor and `2xq/i8/f32/a0=2` along axis 0 with two
//! scales. An operand `1,2:2xi64` is a constant; every other operand is an argument of the function.

use stablehlo::ElementType;
use stablehlo::ir::attrs::DenseElements;
use stablehlo::ir::{
    Attr, DYNAMIC, Element, Loc, Module, OpCode, OpId, OpSpec, QuantizationParameters, QuantizedType, TensorType, Type,
    TypeId,
};

/// An attribute in short notation.
#[derive(Clone, Debug)]
pub enum A {
    /// A 64-bit integer.
    I64(i64),
    /// A 32-bit integer.
    I32(i64),
    /// A 32-bit float.
    F32(f32),
    /// A bool.
    Flag(bool),
    /// A list of integers.
    I64s(Vec<i64>),
    /// A list of bools.
    Bools(Vec<bool>),
    /// Text.
    Text(&'static str),
    /// A symbol.
    Symbol(&'static str),
    /// A two-dimensional tensor of integers.
    Rows(Vec<Vec<i64>>),
    /// A tensor of zeros of a type.
    Zeros(&'static str),
    /// Anything.
    Raw(Attr),
    /// A list.
    List(Vec<A>),
    /// A type.
    Type(&'static str),
}

/// A function of an op: what it takes and returns.
#[derive(Clone, Debug, Default)]
pub struct Body {
    args: Vec<String>,
    results: Vec<String>,
    no_return: bool,
}

/// A function with these types, in short notation with spaces between them.
pub fn body(args: &str, results: &str) -> Body {
    Body { args: words(args), results: words(results), no_return: false }
}

impl Body {
    /// The same without a return at its end.
    pub fn unfinished(mut self) -> Body {
        self.no_return = true;
        self
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// One op to verify.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name without dialect.
    pub op: &'static str,
    /// Operands.
    pub operands: Vec<String>,
    /// Results.
    pub results: Vec<String>,
    /// Attributes.
    pub attrs: Vec<(&'static str, A)>,
    /// Functions.
    pub bodies: Vec<Body>,
    /// Ops that replace the return of the only body: the names of one op and its attributes.
    pub inner: Option<Box<Case>>,
}

/// An op with operands and results, in short notation with spaces between them.
pub fn op(name: &'static str, operands: &str, results: &str) -> Case {
    Case { op: name, operands: words(operands), results: words(results), attrs: vec![], bodies: vec![], inner: None }
}

impl Case {
    /// Sets or replaces an attribute.
    pub fn with(mut self, name: &'static str, value: A) -> Case {
        self.attrs.retain(|(n, _)| *n != name);
        self.attrs.push((name, value));
        self
    }

    /// Sets a list of integers.
    pub fn ints(self, name: &'static str, values: &[i64]) -> Case {
        self.with(name, A::I64s(values.to_vec()))
    }

    /// Removes an attribute.
    pub fn without(mut self, name: &str) -> Case {
        self.attrs.retain(|(n, _)| *n != name);
        self
    }

    /// Adds a function.
    pub fn body(mut self, args: &str, results: &str) -> Case {
        self.bodies.push(body(args, results));
        self
    }

    /// Replaces the functions.
    pub fn bodies(mut self, bodies: &[Body]) -> Case {
        self.bodies = bodies.to_vec();
        self
    }

    /// Replaces the operands.
    pub fn takes(mut self, operands: &str) -> Case {
        self.operands = words(operands);
        self
    }

    /// Replaces the results.
    pub fn gives(mut self, results: &str) -> Case {
        self.results = words(results);
        self
    }

    /// The op code.
    pub fn code(&self) -> OpCode {
        let dialects = ["stablehlo", "chlo", "sdy", "func", "check"];
        let code = dialects.iter().find_map(|d| OpCode::from_name(&format!("{d}.{}", self.op)));
        code.unwrap_or_else(|| panic!("no op {}", self.op))
    }

    /// A module with one function that holds the op; its types may be replaced by position.
    pub fn build(&self, replace: impl Fn(usize, &mut Module) -> Option<TypeId>) -> (Module, OpId) {
        let mut m = Module::new();
        add_callee(&mut m);
        let mut types = Vec::new();
        for (i, operand) in self.operands.iter().enumerate() {
            let text = operand.split_once(':').map_or(&**operand, |(_, ty)| ty);
            types.push(replace(i, &mut m).unwrap_or_else(|| parse_type(&mut m, text)));
        }
        let (_, block) = m.add_function("main", &types, &[]);
        let mut operands = m.block(block).args().to_vec();
        for (i, operand) in self.operands.iter().enumerate() {
            if let (Some((values, _)), None) = (operand.split_once(':'), replace(i, &mut m)) {
                let values: Vec<i64> = values.split(',').map(|v| v.parse().expect("a number")).collect();
                let value = constant(&mut m, types[i], &values);
                let attr = m.named("value", |m| m.intern_attr(value));
                let made = m.append(block, OpSpec::new(OpCode::Constant).results(&[types[i]]).attrs(&[attr]));
                operands[i] = m.op(made).results()[0];
            }
        }
        let results: Vec<TypeId> = self.results.iter().map(|r| parse_type(&mut m, r)).collect();
        let attrs: Vec<_> = self
            .attrs
            .iter()
            .map(|(name, a)| {
                let value = attr(&mut m, a);
                let value = m.intern_attr(value);
                m.named(name, |_| value)
            })
            .collect();
        let regions: Vec<_> = self.bodies.iter().map(|body| self.region(&mut m, body)).collect();
        let file = m.intern_str("model.py");
        let loc = m.add_loc(Loc::File { file, line: 7, column: 3, end_line: 7, end_column: 3, numbers: 2 });
        let spec =
            OpSpec::new(self.code()).operands(&operands).results(&results).attrs(&attrs).regions(&regions).loc(loc);
        let made = m.append(block, spec);
        if !self.code().is_terminator() {
            m.append(block, OpSpec::new(OpCode::FuncReturn));
        }
        (m, made)
    }

    fn region(&self, m: &mut Module, body: &Body) -> stablehlo::ir::RegionId {
        let region = m.new_region();
        let args: Vec<TypeId> = body.args.iter().map(|a| parse_type(m, a)).collect();
        let block = m.new_block(region, &args);
        let results: Vec<TypeId> = body.results.iter().map(|r| parse_type(m, r)).collect();
        let args = m.block(block).args().to_vec();
        let values = if let Some(inner) = &self.inner {
            let attrs: Vec<_> = inner
                .attrs
                .iter()
                .map(|(name, a)| {
                    let value = attr(m, a);
                    let value = m.intern_attr(value);
                    m.named(name, |_| value)
                })
                .collect();
            let made = m.append(block, OpSpec::new(inner.code()).operands(&args).results(&results).attrs(&attrs));
            m.op(made).results().to_vec()
        } else if results.is_empty() {
            vec![]
        } else {
            // Any values of the wanted types.
            let target = m.named("call_target_name", |m| m.string_attr("values"));
            let made = m.append(block, OpSpec::new(OpCode::CustomCall).results(&results).attrs(&[target]));
            m.op(made).results().to_vec()
        };
        if !body.no_return {
            let sdy = self.code().dialect() == stablehlo::ir::Dialect::Sdy;
            let code = if sdy { OpCode::SdyReturn } else { OpCode::Return };
            m.append(block, OpSpec::new(code).operands(&values));
        }
        region
    }
}

/// `@callee : (tensor<f32>) -> tensor<f32>`, for ops that call, and `@mesh` for shardings.
fn add_callee(m: &mut Module) {
    let f32 = m.tensor_type(&[], ElementType::F32);
    let (_, block) = m.add_function("callee", &[f32], &[f32]);
    let arg = m.block(block).args()[0];
    m.append(block, OpSpec::new(OpCode::FuncReturn).operands(&[arg]));
}

fn constant(m: &mut Module, ty: TypeId, values: &[i64]) -> Attr {
    let Type::Tensor(tensor) = m.ty(ty) else { panic!("a constant is a tensor") };
    let width = m.element_byte_width(tensor.element).expect("a dense element");
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()[..width].to_vec()).collect();
    Attr::DenseElements(m.dense_elements(ty, &data).expect("as many values as the type has"))
}

fn attr(m: &mut Module, a: &A) -> Attr {
    match a {
        A::I64(value) => Attr::Integer { value: *value, ty: m.scalar_type(ElementType::I64) },
        A::I32(value) => Attr::Integer { value: *value, ty: m.scalar_type(ElementType::I32) },
        A::F32(value) => Attr::Float { bits: value.to_bits().into(), ty: m.scalar_type(ElementType::F32) },
        A::Flag(value) => Attr::Bool(*value),
        A::I64s(values) => Attr::I64Array(values.as_slice().into()),
        A::Bools(values) => Attr::BoolArray(values.as_slice().into()),
        A::Text(text) => Attr::String(m.intern_str(text)),
        A::Symbol(name) => Attr::SymbolRef { root: m.intern_str(name), nested: Box::default() },
        A::Rows(rows) => {
            let columns = rows.first().map_or(0, Vec::len);
            let ty = m.tensor_type(&[rows.len() as i64, columns as i64], ElementType::I64);
            let data: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
            let count = rows.len() * columns;
            Attr::DenseElements(DenseElements::new(ty, count, 8, &data).expect("rows of equal length"))
        }
        A::Zeros(ty) => {
            let ty = parse_type(m, ty);
            let width = m.element_byte_width(m.ty(ty).as_tensor().expect("a tensor").element).expect("an element");
            Attr::DenseElements(m.dense_elements(ty, &vec![0; width]).expect("a splat"))
        }
        A::Raw(attr) => attr.clone(),
        A::List(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| {
                    let value = attr(m, item);
                    m.intern_attr(value)
                })
                .collect();
            Attr::Array(items.into())
        }
        A::Type(ty) => Attr::Type(parse_type(m, ty)),
    }
}

/// The id of a type in short notation.
pub fn parse_type(m: &mut Module, text: &str) -> TypeId {
    if text == "token" {
        return m.intern_type(Type::Token);
    }
    if let Some(parts) = text.strip_prefix("tuple<").or_else(|| text.strip_prefix("future<")) {
        let parts = parts.strip_suffix('>').expect("a closing bracket");
        let parts: Vec<TypeId> = parts.split(';').filter(|p| !p.is_empty()).map(|p| parse_type(m, p)).collect();
        let parts = parts.into_boxed_slice();
        return m.intern_type(if text.starts_with('t') { Type::Tuple(parts) } else { Type::Future(parts) });
    }
    let (mut dims, mut rest) = (Vec::new(), text);
    while let Some((size, after)) = rest.split_once('x') {
        let Some(size) = (if size == "?" { Some(DYNAMIC) } else { size.parse().ok() }) else { break };
        dims.push(size);
        rest = after;
    }
    let element = match rest {
        "index" => Element::Index,
        quantized if quantized.starts_with("q/") => Element::Quantized(parse_quantized(m, quantized)),
        plain => Element::Plain(ElementType::from_text(plain).unwrap_or_else(|| panic!("no type {text}"))),
    };
    m.intern_type(Type::Tensor(TensorType { dims: dims.into(), element, encoding: None }))
}

fn parse_quantized(m: &mut Module, text: &str) -> TypeId {
    let mut parts = text.split('/').skip(1);
    let mut element = || ElementType::from_text(parts.next().expect("two elements")).expect("an element");
    let (storage, expressed) = (element(), element());
    let bits = storage.bits() as u32;
    let (mut min, mut max) = (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1);
    let (mut axis, mut count, mut scale, mut zero_point) = (None, 1, 0.5f64, 0i64);
    for part in parts {
        let (key, value) = part.split_at(1);
        match key {
            "a" => {
                let (at, n) = value.split_once('=').expect("axis=scales");
                (axis, count) = (Some(at.parse().expect("an axis")), n.parse().expect("a number"));
            }
            "s" => scale = value.parse().expect("a scale"),
            "z" => zero_point = value.parse().expect("a zero point"),
            "m" => min = value.parse().expect("a minimum"),
            "M" => max = value.parse().expect("a maximum"),
            _ => panic!("no part {part}"),
        }
    }
    let parameters = match axis {
        None => QuantizationParameters::PerTensor { scale: scale.to_bits(), zero_point },
        Some(axis) => QuantizationParameters::PerAxis {
            axis,
            scales: vec![scale.to_bits(); count].into(),
            zero_points: vec![zero_point; count].into(),
        },
    };
    let (storage, expressed) = (m.scalar_type(storage), m.scalar_type(expressed));
    m.intern_type(Type::Quantized(QuantizedType {
        flags: 1,
        storage,
        expressed,
        storage_min: min,
        storage_max: max,
        parameters,
    }))
}
