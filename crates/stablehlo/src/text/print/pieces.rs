//! Writing the pieces of pretty forms. What does not fit is not written: the op is then written generically.

use super::ops::Work;
use super::writer::{Elide, Item, Printer};
use crate::ElementType;
use crate::ir::attrs::SdyAttr;
use crate::ir::{Attr, Element, OpId, OpRef, TensorType, Type, TypeId};
use crate::text::format::{IntType, PROPAGATION, Piece, SDY_REDUCTIONS};

impl<'m> Printer<'m> {
    /// An op in its pretty form up to its first region, the rest left over as work; `None` if it does not fit.
    pub(super) fn pretty(&mut self, op: OpId, pieces: &'static [Piece], left: &mut Vec<Work>) -> Option<()> {
        let op_ref = self.module.op(op);
        match pieces {
            [Piece::Module] => return self.module_form(op, left),
            [Piece::Function] => return self.function_form(op, left),
            [Piece::Reduce] => return self.reduce_form(op, left),
            _ => {}
        }
        let regions = pieces
            .iter()
            .filter(|p| matches!(p, Piece::Region | Piece::RegionWithArgs | Piece::RegionWithHeader))
            .count();
        if regions != op_ref.regions().len() || !operands_fit(op_ref, pieces) || !self.regions_fit(op_ref, pieces) {
            return None;
        }
        for (at, piece) in pieces.iter().enumerate() {
            if matches!(piece, Piece::Region | Piece::RegionWithArgs | Piece::RegionWithHeader) {
                left.push(Work::Pieces { op, pieces, at, region: 0 });
                return Some(());
            }
            self.piece(op_ref, piece, pieces)?;
        }
        Some(())
    }

    /// Each region must be one block, and the same arguments must serve all regions of a while.
    fn regions_fit(&self, op: OpRef<'m>, pieces: &[Piece]) -> bool {
        let of_while = pieces.iter().any(|piece| matches!(piece, Piece::WhileOperands));
        op.regions().iter().all(|&region| {
            let mut blocks = self.module.region(region).blocks();
            let (first, second) = (blocks.next(), blocks.next());
            let Some(block) = first.filter(|_| second.is_none()) else { return false };
            let block = self.module.block(block);
            // A block that nothing would show must not vanish.
            (block.first_op().is_some() || !block.args().is_empty())
                && (!of_while || block.arg_types().eq(op.operand_types()))
        })
    }

    /// The pieces from a region on. Nothing behind the first region can fail.
    pub(super) fn rest_of_pieces(
        &mut self,
        op: OpId,
        pieces: &'static [Piece],
        at: usize,
        region: usize,
        left: &mut Vec<Work>,
    ) {
        let op_ref = self.module.op(op);
        for (at, piece) in pieces.iter().enumerate().skip(at) {
            if matches!(piece, Piece::Region | Piece::RegionWithArgs | Piece::RegionWithHeader) {
                let id = op_ref.regions()[region];
                if matches!(piece, Piece::RegionWithArgs)
                    && let Some(block) = op_ref.region_block(region)
                {
                    self.push("(");
                    self.commas(block.args(), |p, &arg| p.argument(arg));
                    self.push(") ");
                }
                left.push(Work::Pieces { op, pieces, at: at + 1, region: region + 1 });
                left.push(Work::Region { region: id, header: matches!(piece, Piece::RegionWithHeader) });
                return;
            }
            let written = self.piece(op_ref, piece, pieces);
            debug_assert!(written.is_some(), "pieces behind a region always fit");
        }
    }

    fn piece(&mut self, op: OpRef<'m>, piece: &Piece, pieces: &'static [Piece]) -> Option<()> {
        let module = self.module;
        let attr = |name: &str| op.attr(name);
        match *piece {
            Piece::Text(text) => self.push(text),
            Piece::NewLine => self.new_line(),
            Piece::Operand(index) => self.value(*op.operands().get(index)?),
            Piece::Operands(from) => self.values(op.operands().get(from..)?),
            Piece::OperandsComma(from) => {
                self.values(op.operands().get(from..).filter(|values| !values.is_empty())?);
                self.push(",");
            }
            Piece::I64s(name) => {
                let Attr::I64Array(values) = attr(name)? else { return None };
                self.ints(values);
            }
            Piece::Int(name, wanted) => {
                let Attr::Integer { value, ty } = attr(name)? else { return None };
                let wanted = match wanted {
                    IntType::I32 => ElementType::I32,
                    IntType::I64 => ElementType::I64,
                    IntType::U32 => ElementType::U32,
                    IntType::U64 => ElementType::U64,
                };
                if *module.ty(*ty) != Type::Scalar(wanted) {
                    return None;
                }
                self.integer(*value, *ty);
            }
            Piece::F64(name) => {
                let Attr::Float { bits, ty } = attr(name)? else { return None };
                if *module.ty(*ty) != Type::Scalar(ElementType::F64) {
                    return None;
                }
                self.float(*bits, *ty);
            }
            Piece::Enum(name, _) => {
                let text = match attr(name)? {
                    Attr::ComparisonDirection(value) => value.text(),
                    Attr::ComparisonType(value) => value.text(),
                    Attr::FftType(value) => value.text(),
                    Attr::RngAlgorithm(value) => value.text(),
                    Attr::RngDistribution(value) => value.text(),
                    Attr::Integer { value, .. } => PROPAGATION.get(usize::try_from(*value).ok()?)?,
                    _ => return None,
                };
                self.push(text);
            }
            Piece::Bool(name) => {
                let Attr::Bool(value) = attr(name)? else { return None };
                self.push(if *value { "true" } else { "false" });
            }
            Piece::Str(name) => {
                let Attr::String(text) = attr(name)? else { return None };
                self.quoted(module.str(*text).as_bytes());
            }
            Piece::StrSymbol(name) => {
                let Attr::String(text) = attr(name)? else { return None };
                self.symbol(module.str(*text));
            }
            Piece::Symbol(name) => {
                if !matches!(attr(name)?, Attr::SymbolRef { .. }) {
                    return None;
                }
                self.attr(op.attr_id(name)?);
            }
            Piece::Attr(name) => self.items(vec![Item::Attr(op.attr_id(name)?, Elide::May)]),
            Piece::Optional(name, inner) => {
                if op.attr_id(name).is_some() {
                    for piece in inner {
                        self.piece(op, piece, pieces)?;
                    }
                }
            }
            Piece::AttrDict | Piece::AttrDictWithKeyword => {
                let attrs = self.other_attrs(op.id(), &held(pieces));
                if !attrs.is_empty() {
                    self.push(if matches!(piece, Piece::AttrDict) { " " } else { " attributes " });
                    self.attr_dict(&attrs);
                }
            }
            Piece::Constant => {
                let (id, &[result]) = (op.attr_id("value")?, op.results()) else { return None };
                let ty = match module.attr(id) {
                    Attr::DenseElements(dense) => dense.ty(),
                    Attr::DenseStrings { ty, .. } | Attr::DenseResource { ty, .. } | Attr::Sparse { ty, .. } => *ty,
                    _ => return None,
                };
                if ty != module.value_type(result) {
                    return None;
                }
                self.attr(id);
            }
            Piece::SliceRanges => self.slice_ranges(op)?,
            Piece::DotNumbers => {
                let numbers = op.dot_dimension_numbers().ok()?;
                let mut pair = |name: &str, lhs: &[i64], rhs: &[i64]| {
                    self.push(name);
                    self.ints(lhs);
                    self.push(" x ");
                    self.ints(rhs);
                };
                if !numbers.lhs_batching_dimensions.is_empty() || !numbers.rhs_batching_dimensions.is_empty() {
                    pair("batching_dims = ", &numbers.lhs_batching_dimensions, &numbers.rhs_batching_dimensions);
                    self.push(", ");
                }
                let mut pair = |name: &str, lhs: &[i64], rhs: &[i64]| {
                    self.push(name);
                    self.ints(lhs);
                    self.push(" x ");
                    self.ints(rhs);
                };
                pair("contracting_dims = ", &numbers.lhs_contracting_dimensions, &numbers.rhs_contracting_dimensions);
            }
            Piece::Precision => {
                if let Some(precision) = attr("precision_config") {
                    let Attr::Array(items) = precision else { return None };
                    self.push(", precision = [");
                    for (i, &item) in items.iter().enumerate() {
                        let Attr::Precision(value) = module.attr(item) else { return None };
                        self.push(if i > 0 { ", " } else { "" });
                        self.push(value.text());
                    }
                    self.push("]");
                }
            }
            Piece::Algorithm => {
                if let Some(algorithm) = op.dot_algorithm().ok()? {
                    self.push(", algorithm = ");
                    self.dot_algorithm(algorithm);
                }
            }
            Piece::ConvNumbers => {
                let numbers = op.conv_dimension_numbers().ok()?;
                if !self.conv_numbers(numbers) {
                    return None;
                }
            }
            Piece::Window => self.window(op)?,
            Piece::ExponentMantissa => {
                // The form says neither a sign nor a type.
                let bits = |name: &str| match attr(name)? {
                    Attr::Integer { value, ty } if *module.ty(*ty) == Type::Scalar(ElementType::I32) => {
                        Some(*value).filter(|&value| value >= 0)
                    }
                    _ => None,
                };
                let (exponent, mantissa) = (bits("exponent_bits")?, bits("mantissa_bits")?);
                let text = format!("e{exponent}m{mantissa}");
                self.push(&text);
            }
            Piece::WhileOperands => {
                if op.results().len() != op.operands().len() || !op.result_types().eq(op.operand_types()) {
                    return None;
                }
                let args = op.region_block(1)?.args();
                self.push("(");
                self.commas(args.iter().zip(op.operands()), |p, (&arg, &operand)| {
                    p.value(arg);
                    p.push(" = ");
                    p.value(operand);
                });
                self.push(")");
                if !args.is_empty() {
                    self.push(" : ");
                    self.types(op.operand_types());
                }
            }
            Piece::Shardings(name) => {
                let SdyAttr::ShardingPerValue(shardings) = sdy(attr(name)?)? else { return None };
                self.shardings(shardings);
            }
            Piece::Sharding(name) => {
                let SdyAttr::Sharding(sharding) = sdy(attr(name)?)? else { return None };
                self.sharding(sharding);
            }
            Piece::ManualAxes(name) => {
                let SdyAttr::ManualAxes(axes) = sdy(attr(name)?)? else { return None };
                self.manual_axes(axes);
            }
            Piece::SdyMesh(name) => {
                let SdyAttr::Mesh(mesh) = sdy(attr(name)?)? else { return None };
                self.sdy_mesh(mesh);
            }
            Piece::AxisRefs(name) => {
                let SdyAttr::AxisRefList(axes) = sdy(attr(name)?)? else { return None };
                self.axis_refs(axes);
            }
            Piece::SdyReduction => {
                let Attr::Integer { value, ty } = attr("reduction_op")? else { return None };
                if *module.ty(*ty) != Type::Scalar(ElementType::I32) {
                    return None;
                }
                let name = SDY_REDUCTIONS.get(usize::try_from(*value).ok()?)?;
                if *value != 0 {
                    self.push(name);
                    self.push(" ");
                }
            }
            Piece::AxisRefLists(name) => {
                let SdyAttr::ListOfAxisRefLists(lists) = sdy(attr(name)?)? else { return None };
                self.axis_ref_lists(lists);
            }
            Piece::AllToAllParams(name) => {
                let SdyAttr::AllToAllParamList(params) = sdy(attr(name)?)? else { return None };
                self.all_to_all_params(params);
            }
            Piece::Region
            | Piece::RegionWithArgs
            | Piece::RegionWithHeader
            | Piece::Reduce
            | Piece::Function
            | Piece::Module => return None,
            Piece::ScanOperands => {
                let [inputs, inits] = segments(attr("operandSegmentSizes")?)?;
                let [outputs, carries] = segments(attr("resultSegmentSizes")?)?;
                let (operands, results) = (op.operands(), op.results());
                if inputs + inits != operands.len() || outputs + carries != results.len() || carries != inits {
                    return None;
                }
                self.push("(");
                self.values(&operands[..inputs]);
                self.push(") inits(");
                self.values(&operands[inputs..]);
                self.push(")");
            }
            Piece::ScanResults => {}
            _ => self.type_piece(op, piece)?,
        }
        Some(())
    }

    fn type_piece(&mut self, op: OpRef<'m>, piece: &Piece) -> Option<()> {
        let module = self.module;
        let result = || match op.results() {
            &[result] => Some(module.value_type(result)),
            _ => None,
        };
        let operand = |index: usize| op.operands().get(index).map(|&v| module.value_type(v));
        match *piece {
            Piece::FunctionType => self.function_type(op.id()),
            Piece::SameType => {
                let ty = result()?;
                // A bare function type would be read as the types of operands and result.
                if op.operand_types().all(|t| t == ty) && !matches!(module.ty(ty), Type::Function { .. }) {
                    self.ty(ty);
                } else {
                    self.function_type(op.id());
                }
            }
            Piece::ResultType => {
                let ty = result()?;
                let one_type =
                    op.code().dialect() == crate::ir::Dialect::Sdy || op.code() == crate::ir::OpCode::InterpreterProbe;
                if one_type && op.operand_types().any(|t| t != ty) {
                    return None;
                }
                self.ty(ty);
            }
            Piece::ResultTypes => self.result_types(&op.result_types().collect::<Vec<_>>()),
            Piece::ResultTypesParen => {
                self.push("(");
                self.types(op.result_types());
                self.push(")");
            }
            Piece::OperandType(index) => {
                let ty = operand(index)?;
                let has_results = op.code() == crate::ir::OpCode::SdyPropagationBarrier;
                if op.operand_types().any(|t| t != ty) || has_results && result()? != ty {
                    return None;
                }
                self.ty(ty);
            }
            Piece::OperandTypes { parentheses } => {
                self.push(if parentheses { "(" } else { "" });
                self.types(op.operand_types());
                self.push(if parentheses { ")" } else { "" });
            }
            Piece::ReturnTypes => {
                if !op.operands().is_empty() {
                    self.push(" : ");
                    self.types(op.operand_types());
                }
            }
            Piece::Pairwise => {
                if !op.operand_types().eq(op.result_types()) {
                    return None;
                }
                if op.operands().is_empty() {
                    self.push("()");
                } else {
                    self.push(" ");
                    self.values(op.operands());
                    self.push(" : ");
                    self.types(op.operand_types());
                }
            }
            Piece::ComplexType => {
                let ty = result()?;
                let fits = op.operand_types().all(|t| is_part(module.ty(t), module.ty(ty)));
                if fits { self.ty(ty) } else { self.function_type(op.id()) }
            }
            Piece::SelectType => {
                let ty = result()?;
                if operand(1)? == ty && operand(2)? == ty {
                    self.types([operand(0)?, ty]);
                } else {
                    self.function_type(op.id());
                }
            }
            Piece::TupleType => {
                let ty = result()?;
                let Type::Tuple(elements) = module.ty(ty) else { return None };
                if !op.operand_types().eq(elements.iter().copied()) {
                    return None;
                }
                self.ty(ty);
            }
            _ => return None,
        }
        Some(())
    }

    fn slice_ranges(&mut self, op: OpRef<'m>) -> Option<()> {
        let (starts, limits) = (op.i64s("start_indices").ok()?, op.i64s("limit_indices").ok()?);
        let strides = op.i64s("strides").ok()?;
        if starts.len() != limits.len() || starts.len() != strides.len() {
            return None;
        }
        self.push("[");
        self.commas(0..starts.len(), |p, i| {
            let text = format!("{}:{}", starts[i], limits[i]);
            p.push(&text);
            if strides[i] != 1 {
                p.push(&format!(":{}", strides[i]));
            }
        });
        self.push("]");
        Some(())
    }

    fn window(&mut self, op: OpRef<'m>) -> Option<()> {
        let mut separator = "";
        for (word, name) in [
            ("stride", "window_strides"),
            ("pad", "padding"),
            ("lhs_dilate", "lhs_dilation"),
            ("rhs_dilate", "rhs_dilation"),
            ("reverse", "window_reversal"),
        ] {
            let Some(attr) = op.attr(name) else { continue };
            self.push(separator);
            separator = ", ";
            self.push(word);
            self.push(" = ");
            match attr {
                Attr::I64Array(values) if !matches!(word, "pad" | "reverse") => self.ints(values),
                Attr::BoolArray(values) if word == "reverse" => {
                    self.push("[");
                    self.commas(&**values, |p, &value| p.push(if value { "true" } else { "false" }));
                    self.push("]");
                }
                Attr::DenseElements(_) if word == "pad" => {
                    let rows = op.i64_rows(name).ok()??;
                    if rows.is_empty() || rows.iter().any(|row| row.len() != 2) {
                        return None;
                    }
                    self.push("[");
                    self.commas(&rows, |p, row| p.ints(row));
                    self.push("]");
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// A tensor type without dimensions.
    pub(super) fn is_scalar_of(&self, ty: TypeId, element: Element) -> bool {
        let scalar = TensorType { dims: Box::default(), element, encoding: None };
        self.module.ty(ty).as_tensor() == Some(&scalar)
    }
}

fn sdy(attr: &Attr) -> Option<&SdyAttr> {
    match attr {
        Attr::Sdy(sdy) => Some(sdy),
        _ => None,
    }
}

/// Whether `part` is the type of the real part of `whole`.
fn is_part(part: &Type, whole: &Type) -> bool {
    let (Some(part), Some(whole)) = (part.as_tensor(), whole.as_tensor()) else { return false };
    let fits = matches!(
        (part.element_type(), whole.element_type()),
        (Some(ElementType::F32), Some(ElementType::C64)) | (Some(ElementType::F64), Some(ElementType::C128))
    );
    fits && part.dims == whole.dims && part.encoding == whole.encoding
}

fn operands_fit(op: OpRef<'_>, pieces: &[Piece]) -> bool {
    let (mut fixed, mut more) = (0, false);
    for piece in pieces {
        match piece {
            Piece::Operand(_) => fixed += 1,
            Piece::Operands(_)
            | Piece::OperandsComma(_)
            | Piece::WhileOperands
            | Piece::ScanOperands
            | Piece::Pairwise => more = true,
            _ => {}
        }
    }
    if more { op.operands().len() >= fixed } else { op.operands().len() == fixed }
}

/// Names of the attributes that the pieces hold.
fn held(pieces: &'static [Piece]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for piece in pieces {
        match *piece {
            Piece::I64s(name)
            | Piece::Int(name, _)
            | Piece::F64(name)
            | Piece::Enum(name, _)
            | Piece::Bool(name)
            | Piece::Str(name)
            | Piece::StrSymbol(name)
            | Piece::Symbol(name)
            | Piece::Attr(name)
            | Piece::Optional(name, _)
            | Piece::Shardings(name)
            | Piece::Sharding(name)
            | Piece::ManualAxes(name)
            | Piece::SdyMesh(name)
            | Piece::AxisRefs(name)
            | Piece::AxisRefLists(name)
            | Piece::AllToAllParams(name) => names.push(name),
            Piece::Constant => names.push("value"),
            Piece::SdyReduction => names.push("reduction_op"),
            Piece::ScanOperands => names.extend(["operandSegmentSizes", "resultSegmentSizes"]),
            Piece::SliceRanges => names.extend(["start_indices", "limit_indices", "strides"]),
            Piece::DotNumbers => names.push("dot_dimension_numbers"),
            Piece::Precision => names.push("precision_config"),
            Piece::Algorithm => names.push("algorithm"),
            Piece::ConvNumbers => names.push("dimension_numbers"),
            Piece::Window => {
                names.extend(["window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"]);
            }
            Piece::ExponentMantissa => names.extend(["exponent_bits", "mantissa_bits"]),
            _ => {}
        }
    }
    names
}

/// The sizes of two lists of values.
fn segments(attr: &Attr) -> Option<[usize; 2]> {
    let Attr::DenseArray { element: ElementType::I32, data } = attr else { return None };
    let sizes: Option<Vec<usize>> = crate::ir::i32_list(data).iter().map(|&size| usize::try_from(size).ok()).collect();
    sizes?.try_into().ok()
}
