//! The IR section: ops in order, regions inline, values numbered as they are defined.
//!
//! An sdy op works on builtin types: its operands, results and block arguments are cast from and to VHLO
//! types. Open regions stand on a list of frames, so nesting costs no stack.

use super::properties::properties;
use super::sink::Sink;
use super::table::{Dialect, Form, Table};
use super::{Result_, WriteError, in_op};
use crate::bytecode::op_plan::PLAIN;
use crate::ir::{self, LocId, NamedAttr, OpCode, OpId, OpRef, RegionId, TypeId, ValueId};
use crate::vhlo::VhloOp;

/// An op whose regions are being written.
struct Frame {
    op: OpId,
    next_region: usize,
    /// The numbers of its results, if they are still to be cast.
    results: Vec<u64>,
    /// The op that comes next in the open region, and the first number after that region's values.
    open: Option<(Option<OpId>, u64)>,
    /// The next number for a value in the open region.
    next_value: u64,
}

pub(super) struct Writer<'t, 'm> {
    table: &'t mut Table<'m>,
    out: Sink,
    frames: Vec<Frame>,
    /// The number of each value, in VHLO's types.
    numbers: Vec<u64>,
}

/// What is written of an op.
struct Record<'r> {
    name: u64,
    loc: LocId,
    dictionary: Option<u64>,
    property: Option<u64>,
    results: &'r [u64],
    operands: &'r [u64],
    regions: usize,
}

/// Whether an op works on builtin types.
fn is_fenced(code: OpCode) -> bool {
    code.dialect() == ir::Dialect::Sdy
}

impl<'t, 'm> Writer<'t, 'm> {
    pub(super) fn new(table: &'t mut Table<'m>) -> Self {
        let numbers = vec![u64::MAX; table.module.num_values()];
        Writer { table, out: Sink::default(), frames: Vec::new(), numbers }
    }

    pub(super) fn write(mut self, root: OpId) -> Result<Vec<u8>, WriteError> {
        let module = self.table.module;
        let failed = |op: OpId| move |message: String| in_op(module, op, message);
        self.out.varint_with_flag(1, false);
        self.op(root).map_err(failed(root))?;
        while let Some(frame) = self.frames.last_mut() {
            let parent = frame.op;
            match frame.open {
                Some((Some(op), end)) => {
                    frame.open = Some((module.op(op).next(), end));
                    self.op(op).map_err(failed(op))?;
                }
                Some((None, end)) => {
                    debug_assert_eq!(frame.next_value, end);
                    frame.open = None;
                }
                None => match module.op(parent).regions().get(frame.next_region) {
                    Some(&region) => {
                        frame.next_region += 1;
                        self.open_region(parent, region).map_err(failed(parent))?;
                    }
                    None => {
                        let results = std::mem::take(&mut frame.results);
                        self.frames.pop();
                        self.cast_results(parent, &results).map_err(failed(parent))?;
                    }
                },
            }
        }
        Ok(self.out.finish())
    }

    /// Numbers that a region's values take, and ops that stand in it, casts included.
    fn measure(&self, parent: OpId, block: ir::BlockRef<'_>) -> (u64, u64) {
        let module = self.table.module;
        let args = block.args().len() as u64;
        let casts = if is_fenced(module.op(parent).code()) { args } else { 0 };
        let (mut values, mut ops) = (args + casts, casts);
        for op in block.ops().map(|op| module.op(op)) {
            let (operands, results) = (op.operands().len() as u64, op.results().len() as u64);
            let casts = if is_fenced(op.code()) { operands + results } else { 0 };
            values += results + casts;
            ops += 1 + casts;
        }
        (values, ops)
    }

    fn open_region(&mut self, parent: OpId, region: RegionId) -> Result_<()> {
        let module = self.table.module;
        let mut blocks = module.region(region).blocks();
        let Some(block) = blocks.next() else {
            self.out.varint(0);
            return Ok(());
        };
        if blocks.next().is_some() {
            return Err("a region has several blocks; regions of StableHLO have one".to_owned());
        }
        let block = module.block(block);
        let (values, ops) = self.measure(parent, block);
        let first = match self.frames.len().checked_sub(2).map(|outer| &self.frames[outer]) {
            Some(Frame { open: Some((_, end)), .. }) => *end,
            _ => 0,
        };
        self.out.varint(1);
        self.out.varint(values);
        self.out.varint_with_flag(ops, !block.args().is_empty());
        let fenced = is_fenced(module.op(parent).code());
        let mut raw = Vec::new();
        if let Some(frame) = self.frames.last_mut() {
            frame.open = Some((block.first_op(), first + values));
            frame.next_value = first;
        }
        if !block.args().is_empty() {
            self.out.varint(block.args().len() as u64);
            let bytecode = self.table.version.bytecode_version();
            for &arg in block.args() {
                let form = if fenced { Form::Builtin } else { Form::Vhlo };
                let ty = self.table.ty(form, module.value_type(arg))?;
                let loc = self.table.loc(module.value_loc(arg))?;
                if bytecode >= 4 {
                    self.out.varint_with_flag(ty, true);
                } else {
                    self.out.varint(ty);
                }
                self.out.varint(loc);
                let number = self.number();
                self.numbers[arg.index()] = number;
                raw.push(number);
            }
            if bytecode >= 3 {
                self.out.byte(0);
            }
        }
        if fenced {
            for (&arg, number) in block.args().iter().zip(raw) {
                self.numbers[arg.index()] =
                    self.cast(number, module.value_type(arg), Form::Vhlo, module.value_loc(arg))?;
            }
        }
        Ok(())
    }

    /// The number for the next value of the open region.
    fn number(&mut self) -> u64 {
        match self.frames.last_mut() {
            Some(frame) => {
                frame.next_value += 1;
                frame.next_value - 1
            }
            None => 0,
        }
    }

    /// Casts a value to the other spelling of its type.
    fn cast(&mut self, value: u64, ty: TypeId, to: Form, loc: LocId) -> Result_<u64> {
        let ty = self.table.ty(to, ty)?;
        let name = self.table.op_name(Dialect::Builtin, "unrealized_conversion_cast");
        let record =
            Record { name, loc, dictionary: None, property: None, results: &[ty], operands: &[value], regions: 0 };
        self.record(record)?;
        Ok(self.number())
    }

    fn cast_results(&mut self, op: OpId, numbers: &[u64]) -> Result_<()> {
        let op = self.table.module.op(op);
        for (&result, &number) in op.results().iter().zip(numbers) {
            let ty = self.table.module.value_type(result);
            self.numbers[result.index()] = self.cast(number, ty, Form::Vhlo, op.loc())?;
        }
        Ok(())
    }

    fn record(&mut self, record: Record<'_>) -> Result_<()> {
        let loc = self.table.loc(record.loc)?;
        let out = &mut self.out;
        out.varint(record.name);
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        out.byte(
            bit(record.dictionary.is_some(), 0x01)
                | bit(!record.results.is_empty(), 0x02)
                | bit(!record.operands.is_empty(), 0x04)
                | bit(record.regions > 0, 0x10)
                | bit(record.property.is_some(), 0x40),
        );
        out.varint(loc);
        for index in [record.dictionary, record.property].into_iter().flatten() {
            out.varint(index);
        }
        for list in [record.results, record.operands] {
            if !list.is_empty() {
                out.list(list);
            }
        }
        if record.regions > 0 {
            out.varint_with_flag(record.regions as u64, false);
        }
        Ok(())
    }

    fn operand(&self, value: ValueId) -> Result_<u64> {
        match self.numbers[value.index()] {
            u64::MAX => Err("an operand is used before it is defined".to_owned()),
            number => Ok(number),
        }
    }

    fn op(&mut self, id: OpId) -> Result_<()> {
        let module = self.table.module;
        let op = module.op(id);
        let fenced = is_fenced(op.code());
        let form = if fenced { Form::Builtin } else { Form::Vhlo };
        let mut operands = Vec::with_capacity(op.operands().len());
        for &value in op.operands() {
            let number = self.operand(value)?;
            operands.push(match fenced {
                true => self.cast(number, module.value_type(value), Form::Builtin, op.loc())?,
                false => number,
            });
        }
        let results: Vec<u64> = op.result_types().map(|ty| self.table.ty(form, ty)).collect::<Result_<_>>()?;
        let (name, dictionary, property) = self.attributes(op)?;
        let regions = op.regions().len();
        let record =
            Record { name, loc: op.loc(), dictionary, property, results: &results, operands: &operands, regions };
        self.record(record)?;
        let mut numbers = Vec::new();
        for &result in op.results() {
            let number = self.number();
            self.numbers[result.index()] = number;
            numbers.push(number);
        }
        if !fenced {
            numbers.clear();
        }
        if regions > 0 {
            self.frames.push(Frame { op: id, next_region: 0, results: numbers, open: None, next_value: 0 });
            return Ok(());
        }
        self.cast_results(id, &numbers)
    }

    /// The name of an op in the file, its dictionary and its properties.
    fn attributes(&mut self, op: OpRef<'_>) -> Result_<(u64, Option<u64>, Option<u64>)> {
        let code = op.code();
        if let Some((_, props)) = PLAIN.iter().find(|(plain, _)| *plain == code)
            && code.dialect() != ir::Dialect::Func
        {
            return self.plain_attributes(op, props);
        }
        let version = self.table.version;
        let Some(vhlo) = VhloOp::form_of(code, version) else {
            return Err(format!("the op does not exist in StableHLO {version}"));
        };
        for (arity, count, what) in [
            (vhlo.operands, op.operands().len(), "operands"),
            (vhlo.results, op.results().len(), "results"),
            (vhlo.regions, op.regions().len(), "regions"),
        ] {
            if !arity.allows(count) {
                let allowed = arity.text();
                return Err(format!("the op has {count} {what}, and {allowed} in StableHLO {version}"));
            }
        }
        let name = self.table.op_name(Dialect::Vhlo, vhlo.name);
        let values = properties(self.table, op, vhlo)?;
        let defined: Vec<(&str, u64)> = vhlo.props.iter().map(|prop| prop.name).zip(values.iter().copied()).collect();
        if version.bytecode_version() < 5 {
            return Ok((name, self.dictionary(&defined, op.discardable_attrs(), Form::Vhlo)?, None));
        }
        let dictionary = self.dictionary(&[], op.discardable_attrs(), Form::Vhlo)?;
        if values.is_empty() {
            return Ok((name, dictionary, None));
        }
        let mut sink = Sink::default();
        values.iter().for_each(|&value| sink.varint(value));
        Ok((name, dictionary, Some(self.table.property(sink))))
    }

    fn plain_attributes(&mut self, op: OpRef<'_>, props: &[&str]) -> Result_<(u64, Option<u64>, Option<u64>)> {
        let code = op.code();
        let dialect = if is_fenced(code) { Dialect::Sdy } else { Dialect::Builtin };
        if dialect == Dialect::Sdy && !self.table.has(1, 11) {
            return Err(format!("ops of sdy cannot stand in a program of StableHLO {}", self.table.version));
        }
        let name = self.table.op_name(dialect, code.mnemonic());
        let mut sink = Sink::default();
        let mut defined = Vec::new();
        for prop in props {
            let (prop, optional) = prop.strip_suffix('?').map_or((*prop, false), |prop| (prop, true));
            let value = match op.attr_id(prop) {
                Some(id) => Some(self.table.attr(Form::Builtin, id)?),
                None if optional => None,
                None => return Err(format!("attribute `{prop}` is missing")),
            };
            match value {
                Some(value) if optional => sink.varint_with_flag(value, true),
                Some(value) => sink.varint(value),
                None => sink.varint(0),
            }
            defined.extend(value.map(|value| (prop, value)));
        }
        if self.table.version.bytecode_version() < 5 {
            return Ok((name, self.dictionary(&defined, op.discardable_attrs(), Form::Builtin)?, None));
        }
        let dictionary = self.dictionary(&[], op.discardable_attrs(), Form::Builtin)?;
        let property = if props.is_empty() { None } else { Some(self.table.property(sink)) };
        Ok((name, dictionary, property))
    }

    /// A builtin dictionary of attributes that are written already and of others, if there are any.
    fn dictionary(&mut self, defined: &[(&str, u64)], others: &[NamedAttr], form: Form) -> Result_<Option<u64>> {
        if defined.is_empty() && others.is_empty() {
            return Ok(None);
        }
        let module = self.table.module;
        let mut entries: Vec<(&str, u64)> = defined.to_vec();
        for other in others {
            entries.push((module.str(other.name), self.table.attr(form, other.value)?));
        }
        entries.sort_unstable();
        let mut sink = Sink::code(1);
        sink.varint(entries.len() as u64);
        for (name, value) in entries {
            let name = self.table.string_attr(Form::Builtin, name.as_bytes());
            sink.varint(name);
            sink.varint(value);
        }
        Ok(Some(self.table.attr_entry(Dialect::Builtin, sink)))
    }
}
