//! Operations, blocks and regions, without recursion: regions that are open lie on a stack of their own.

use super::cursor::{Parser, Result};
use super::scope::{Outer, Unresolved};
use crate::ir::{
    AttrId, BlockId, LocId, Module, NamedAttr, OpCode, OpId, OpSpec, RegionId, TypeId, ValueId, drop_defaults,
};
use crate::text::format::{Piece, pretty_form};
use crate::text::lexer::Token;

/// An op of which part has been read.
pub(super) struct Pending<'a> {
    /// Where its name stands.
    pub(super) at: usize,
    /// In which line that is.
    pub(super) line: u32,
    pub(super) code: OpCode,
    /// Names of results, how many each stands for, and where.
    results: Vec<(&'a str, usize, usize)>,
    /// With the place of each.
    pub(super) operands: Vec<(ValueId, usize)>,
    pub(super) attrs: Vec<NamedAttr>,
    pub(super) regions: Vec<RegionId>,
    pub(super) result_types: Vec<TypeId>,
    pub(super) loc: Option<LocId>,
    /// Arguments that the form gives to the regions to come.
    pub(super) region_args: Vec<Argument<'a>>,
    stage: Stage,
}

/// What of an op is to be read next.
#[derive(Clone, Copy)]
enum Stage {
    /// This piece of the pretty form.
    Piece(&'static [Piece], usize),
    /// After a region of the generic form.
    GenericRegion,
    Done,
}

/// A block argument.
#[derive(Clone, Copy)]
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) at: usize,
    pub(super) ty: TypeId,
    pub(super) loc: Option<LocId>,
}

/// What reading a piece leads to.
pub(super) enum Next {
    /// The next piece.
    Continue,
    /// A region, which begins at the next token.
    Region,
}

/// A region that is open, and the op it will belong to.
struct Frame<'a> {
    op: Pending<'a>,
    region: RegionId,
    block: Option<BlockId>,
    outer: Outer<'a>,
}

impl<'a> Parser<'a> {
    /// The whole text.
    pub(super) fn program(mut self) -> Result<Module> {
        self.read_resources()?;
        self.go_to(0)?;
        let top_region = self.module.new_region();
        let top = self.module.new_block(top_region, &[]);
        let mut frames: Vec<Frame<'a>> = Vec::new();
        loop {
            match (self.token, frames.last_mut()) {
                (Token::End, None) => break,
                (Token::Punct("{-#"), None) => break,
                (Token::End, Some(frame)) => {
                    let name = frame.op.code.name();
                    return self.expected(&format!("an op, or `}}` to end the region of {name}"));
                }
                (Token::Hash(_) | Token::Bang(_), None) => self.alias()?,
                (Token::Punct("}"), Some(_)) => {
                    self.advance()?;
                    let Some(mut frame) = frames.pop() else { continue };
                    self.scope.leave(frame.outer);
                    frame.op.regions.push(frame.region);
                    self.resume(frame.op, &mut frames, top)?;
                }
                (Token::Block(_), Some(frame)) => {
                    let (region, seen) = (frame.region, frame.block.is_some());
                    if seen && !frame.op.region_args.is_empty() {
                        return self.error("the first block of this region has its arguments already");
                    }
                    let block = self.block_header(region)?;
                    if let Some(frame) = frames.last_mut() {
                        frame.block = Some(block);
                    }
                }
                _ => {
                    let parent = frames.last().map_or(OpCode::BuiltinModule, |frame| frame.op.code);
                    if let Some(frame) = frames.last_mut()
                        && frame.block.is_none()
                    {
                        frame.block = Some(self.module.new_block(frame.region, &[]));
                    }
                    let op = self.begin_op(parent)?;
                    self.resume(op, &mut frames, top)?;
                }
            }
        }
        self.check_locs()?;
        self.finish_module(top_region, top)
    }

    /// The module that the text is, or one around the ops that it lists.
    fn finish_module(mut self, region: RegionId, top: BlockId) -> Result<Module> {
        let first = self.module.block(top).first_op();
        if let Some(op) = first
            && self.module.op(op).next().is_none()
            && self.module.op(op).code() == OpCode::BuiltinModule
        {
            self.module.detach_op(op);
            self.module.set_root(op);
            return Ok(self.module);
        }
        let root = self.module.new_op(OpSpec::new(OpCode::BuiltinModule).regions(&[region]));
        self.module.set_root(root);
        Ok(self.module)
    }

    /// Reads on until the op is complete or opens a region.
    fn resume(&mut self, mut op: Pending<'a>, frames: &mut Vec<Frame<'a>>, top: BlockId) -> Result<()> {
        if self.read_op(&mut op)? {
            return self.finish_op(op, frames.last().and_then(|frame| frame.block).unwrap_or(top));
        }
        self.expect("{")?;
        let isolated = matches!(op.code, OpCode::FuncFunc | OpCode::BuiltinModule);
        let outer = self.scope.enter(isolated);
        let region = self.module.new_region();
        let needs_block =
            !op.region_args.is_empty() || op.code == OpCode::BuiltinModule || self.is_entry_given(op.code, &op);
        let block = if needs_block { Some(self.new_block(region, &op.region_args)?) } else { None };
        frames.push(Frame { op, region, block, outer });
        Ok(())
    }

    /// True if the form, not a block header, says which arguments the entry block has.
    fn is_entry_given(&self, code: OpCode, op: &Pending<'a>) -> bool {
        !matches!(op.stage, Stage::GenericRegion) && code == OpCode::FuncFunc
    }

    fn new_block(&mut self, region: RegionId, args: &[Argument<'a>]) -> Result<BlockId> {
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        let block = self.module.new_block(region, &types);
        let values = self.module.block(block).args().to_vec();
        for (arg, &value) in args.iter().zip(&values) {
            if let Some(loc) = arg.loc {
                self.module.set_value_loc(value, loc);
            }
            if !self.scope.define(arg.name, &[value]) {
                return self.error_at(arg.at, format!("the name `%{}` is taken", arg.name));
            }
        }
        Ok(block)
    }

    /// `^name(%arg: type, ...):`.
    fn block_header(&mut self, region: RegionId) -> Result<BlockId> {
        self.advance()?;
        let args = if self.is("(") { self.list("(", ")", Self::argument)? } else { Vec::new() };
        self.expect(":")?;
        self.new_block(region, &args)
    }

    /// `%name: type loc(...)`.
    pub(super) fn argument(&mut self) -> Result<Argument<'a>> {
        let at = self.start;
        let Token::Value(name) = self.token else { return self.expected("an argument such as `%arg0`") };
        self.advance()?;
        self.expect(":")?;
        let ty = self.ty()?;
        Ok(Argument { name, at, ty, loc: self.optional_loc()? })
    }

    /// Names of results and the name of the op.
    fn begin_op(&mut self, parent: OpCode) -> Result<Pending<'a>> {
        let mut results = Vec::new();
        if matches!(self.token, Token::Value(_)) {
            loop {
                let at = self.start;
                let Token::Value(name) = self.token else { return self.expected("the name of a result") };
                self.advance()?;
                let mut count = 1;
                if self.eat(":")? {
                    count = match usize::try_from(self.int()?) {
                        Ok(count @ 1..) => count,
                        _ => return self.error_at(at, "expected the number of results, at least 1"),
                    };
                }
                results.push((name, count, at));
                if !self.eat(",")? {
                    break;
                }
            }
            self.expect("=")?;
        }
        let at = self.start;
        let (name, generic) = match self.token {
            Token::Str(name) => (name.to_owned(), true),
            Token::Word(word) if word.contains('.') => (word.to_owned(), false),
            Token::Word(word) => {
                let dialect = match parent {
                    OpCode::FuncFunc => "func",
                    OpCode::BuiltinModule => "builtin",
                    _ => return self.error(format!("`{word}` needs its dialect here, as in `stablehlo.{word}`")),
                };
                (format!("{dialect}.{word}"), false)
            }
            _ => return self.expected("an op"),
        };
        let Some(code) = OpCode::from_name(&name) else {
            return self.error(format!("`{name}` is no op that is known here"));
        };
        let line = self.line_of(at);
        self.advance()?;
        let mut op = Pending {
            at,
            line,
            code,
            results,
            operands: Vec::new(),
            attrs: Vec::new(),
            regions: Vec::new(),
            result_types: Vec::new(),
            loc: None,
            region_args: Vec::new(),
            stage: Stage::Done,
        };
        // A constant whose type is not that of its value is written generically, but without quotes.
        if generic || (matches!(code, OpCode::Constant) && self.is("(")) {
            self.generic_head(&mut op)?;
        } else {
            match pretty_form(code) {
                Some(pieces) => op.stage = Stage::Piece(pieces, 0),
                None => {
                    return self.error_at(at, format!("{name} has no pretty form: write it as `\"{name}\"(...)`"));
                }
            }
        }
        Ok(op)
    }

    /// `(%0, %1) <{...}> (`, up to the first region.
    fn generic_head(&mut self, op: &mut Pending<'a>) -> Result<()> {
        op.operands = self.list("(", ")", Self::operand)?;
        if self.is("[") {
            return self.error("ops with successor blocks are not part of StableHLO");
        }
        if self.eat("<")? {
            op.attrs = self.attr_dict()?;
            self.expect(">")?;
        }
        if self.eat("(")? {
            op.stage = Stage::GenericRegion;
            return Ok(());
        }
        self.generic_tail(op)
    }

    fn generic_tail(&mut self, op: &mut Pending<'a>) -> Result<()> {
        let at = self.start;
        let attrs = self.optional_attr_dict()?;
        self.add_attrs(op, attrs, at)?;
        self.expect(":")?;
        self.function_type_of(op)?;
        op.stage = Stage::Done;
        Ok(())
    }

    /// Adds attributes, none of which may be there already.
    pub(super) fn add_attrs(&self, op: &mut Pending<'a>, attrs: Vec<NamedAttr>, at: usize) -> Result<()> {
        for attr in attrs {
            if op.attrs.iter().any(|a| a.name == attr.name) {
                let name = self.module.attr_name(attr);
                return self.error_at(at, format!("the attribute `{name}` is given twice"));
            }
            op.attrs.push(attr);
        }
        Ok(())
    }

    /// True when the op is complete, false if a region has to be read first.
    fn read_op(&mut self, op: &mut Pending<'a>) -> Result<bool> {
        loop {
            match op.stage {
                Stage::Done => return Ok(true),
                Stage::GenericRegion => {
                    if op.regions.is_empty() || self.eat(",")? {
                        return Ok(false);
                    }
                    if !self.eat(")")? {
                        return self.expected("`,` or `)` after a region");
                    }
                    self.generic_tail(op)?;
                }
                Stage::Piece(pieces, index) => match pieces.get(index) {
                    None => op.stage = Stage::Done,
                    Some(piece) => {
                        op.stage = Stage::Piece(pieces, index + 1);
                        if let Next::Region = self.piece(op, piece)? {
                            return Ok(false);
                        }
                    }
                },
            }
        }
    }

    /// `(inputs) -> results`, which must fit the operands.
    pub(super) fn function_type_of(&mut self, op: &mut Pending<'a>) -> Result<()> {
        let at = self.start;
        let (inputs, results) = self.function_types()?;
        self.check_operands(op, &inputs, at)?;
        op.result_types = results;
        Ok(())
    }

    /// Every operand must have the type that the op states for it.
    pub(super) fn check_operands(&self, op: &Pending<'a>, types: &[TypeId], at: usize) -> Result<()> {
        if types.len() != op.operands.len() {
            let (has, states) = (op.operands.len(), types.len());
            return self.error_at(at, format!("{} has {has} operands, but types for {states}", op.code));
        }
        for (&(value, value_at), &stated) in op.operands.iter().zip(types) {
            let ty = self.module.value_type(value);
            if ty != stated {
                let (ty, stated) = (self.module.type_text(ty), self.module.type_text(stated));
                return self.error_at(value_at, format!("this value has type {ty}, but {} takes {stated}", op.code));
            }
        }
        Ok(())
    }

    /// `%name` or `%name#1`, with its place.
    pub(super) fn operand(&mut self) -> Result<(ValueId, usize)> {
        let at = self.start;
        let Token::Value(name) = self.token else { return self.expected("a value such as `%0`") };
        let end = self.token_end();
        self.advance()?;
        let mut index = 0;
        if let Token::Hash(digits) = self.token
            && self.start == end
        {
            index = match digits.parse::<u32>() {
                Ok(index) => index,
                Err(_) => return self.expected("the number of a result"),
            };
            self.advance()?;
        }
        match self.scope.resolve(name, index) {
            Ok(value) => Ok((value, at)),
            Err(Unresolved::NoSuchName) => {
                self.error_at(at, format!("the value `%{name}` is not defined before this use"))
            }
            Err(Unresolved::NoSuchResult(len)) => {
                self.error_at(at, format!("`%{name}` has {len} results; `#{index}` is none of them"))
            }
        }
    }

    /// Puts the op in place and gives names to its results.
    fn finish_op(&mut self, mut op: Pending<'a>, block: BlockId) -> Result<()> {
        if let Some(loc) = self.optional_loc()? {
            op.loc = Some(loc);
        }
        let named: usize = op.results.iter().map(|&(_, count, _)| count).sum();
        let made = op.result_types.len();
        if let Some(&(_, _, at)) = op.results.first()
            && named != made
        {
            return self.error_at(at, format!("{} has {made} results, but names for {named}", op.code));
        }
        let loc = match op.loc {
            Some(loc) => loc,
            None => self.implicit_loc(op.at, op.line),
        };
        drop_defaults(&self.module, op.code, &mut op.attrs);
        let operands: Vec<ValueId> = op.operands.iter().map(|&(value, _)| value).collect();
        let spec = OpSpec::new(op.code)
            .loc(loc)
            .operands(&operands)
            .results(&op.result_types)
            .attrs(&op.attrs)
            .regions(&op.regions);
        let id: OpId = self.module.append(block, spec);
        let values = self.module.op(id).results().to_vec();
        let mut first = 0;
        for (name, count, at) in op.results {
            if !self.scope.define(name, &values[first..first + count]) {
                return self.error_at(at, format!("the name `%{name}` is taken"));
            }
            first += count;
        }
        Ok(())
    }

    /// A named attribute of the op.
    pub(super) fn set(&mut self, op: &mut Pending<'a>, name: &str, value: AttrId) {
        let name = self.module.intern_str(name);
        op.attrs.push(NamedAttr { name, value });
    }
}
