//! The IR section: ops, regions, blocks and values, read in one pass into the module.
//!
//! A stack of frames on the heap stands for the regions that are open, so nesting costs no stack. Conversion
//! casts that only fence sdy ops off vanish on the way: both sides have the same type here.

use hashbrown::HashMap;

use super::cursor::Cursor;
use super::error::{ReadError, Result};
use super::op_plan::Plan;
use super::sections::OpName;
use super::tables::Tables;
use crate::ir::{Attr, AttrId, BlockId, LocId, Module, NamedAttr, OpCode, OpId, OpSpec, RegionId, TypeId, ValueId};
use crate::ir::{AttrSpan, NO_ATTRS, drop_defaults};

const HAS_ATTRS: u8 = 0x01;
const HAS_RESULTS: u8 = 0x02;
const HAS_OPERANDS: u8 = 0x04;
const HAS_SUCCESSORS: u8 = 0x08;
const HAS_REGIONS: u8 = 0x10;
const HAS_USE_ORDERS: u8 = 0x20;
const HAS_PROPERTIES: u8 = 0x40;

/// An op whose regions are being read.
struct Frame {
    op: OpId,
    /// Which of its regions comes next, and how many there are.
    next_region: usize,
    num_regions: usize,
    /// Where the data around its regions end, if they stand in a section of their own.
    outer_end: Option<usize>,
    /// Where values were counted from outside.
    outer_base: usize,
    /// The region being read.
    region: Option<OpenRegion>,
}

struct OpenRegion {
    block: Option<BlockId>,
    ops_left: u64,
    first_slot: usize,
    next_slot: usize,
    end_slot: usize,
}

/// Attribute lists of ops that have them in common.
type AttrSpans = (AttrSpan, AttrSpan);

pub(super) struct Reader<'a> {
    version: u64,
    names: Vec<OpName>,
    plans: Vec<Option<Plan>>,
    properties: Vec<(usize, usize)>,
    /// For each properties entry, the op name that last used it and the attributes that came of it.
    converted: Vec<Option<(usize, AttrSpan)>>,
    /// The attributes that came of a dictionary, for an op name.
    dictionaries: HashMap<(usize, u64), AttrSpans>,
    tables: Tables<'a>,
    cursor: Cursor<'a>,
    frames: Vec<Frame>,
    /// Values in scope; `None` until defined.
    slots: Vec<Option<ValueId>>,
    /// First slot of the innermost isolated op.
    base: usize,
    // Lists that are refilled for every op.
    result_types: Vec<TypeId>,
    operands: Vec<ValueId>,
    region_ids: Vec<RegionId>,
    attrs: Vec<NamedAttr>,
    values: Vec<AttrId>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        version: u64,
        names: Vec<OpName>,
        properties: Vec<(usize, usize)>,
        tables: Tables<'a>,
    ) -> Reader<'a> {
        Reader {
            version,
            plans: names.iter().map(|_| None).collect(),
            names,
            converted: vec![None; properties.len()],
            properties,
            dictionaries: HashMap::new(),
            tables,
            cursor: Cursor::new(&[]),
            frames: Vec::new(),
            slots: Vec::new(),
            base: 0,
            result_types: Vec::new(),
            operands: Vec::new(),
            region_ids: Vec::new(),
            attrs: Vec::new(),
            values: Vec::new(),
        }
    }

    pub(super) fn read(mut self, section: Cursor<'a>) -> Result<Module> {
        self.cursor = section;
        // An op takes about a dozen bytes.
        self.tables.module.reserve_ops(section.remaining() / 12);
        if self.cursor.varint_with_flag()? != (1, false) {
            return self.cursor.error("the program is not one op");
        }
        self.op()?;
        while let Some(frame) = self.frames.last_mut() {
            match &mut frame.region {
                Some(region) if region.ops_left > 0 => {
                    region.ops_left -= 1;
                    self.op()?;
                }
                Some(region) => {
                    if region.next_slot != region.end_slot {
                        let missing = region.end_slot - region.next_slot;
                        return self.cursor.error(format!("a region lacks {missing} of its values"));
                    }
                    self.slots.truncate(region.first_slot);
                    frame.region = None;
                }
                None if frame.next_region < frame.num_regions => self.open_region()?,
                None => {
                    self.base = frame.outer_base;
                    if let Some(end) = frame.outer_end {
                        self.cursor.expect_end("the section of an op's regions")?;
                        self.cursor.set_end(end);
                    }
                    self.frames.pop();
                }
            }
        }
        self.cursor.expect_end("the IR section")?;
        let root = OpId::from_index(0);
        let mut module = self.tables.module;
        if module.op(root).code() != OpCode::BuiltinModule || module.op(root).region_block(0).is_none() {
            return Err(ReadError::new("the program is no builtin.module with a body"));
        }
        module.set_root(root);
        Ok(module)
    }

    fn open_region(&mut self) -> Result<()> {
        let Some(frame) = self.frames.last_mut() else { return self.cursor.error("a region stands in no op") };
        let region = self.tables.module.op(frame.op).regions()[frame.next_region];
        frame.next_region += 1;
        let first_slot = self.slots.len();
        match self.cursor.varint()? {
            0 => return Ok(()),
            1 => {}
            blocks => return self.cursor.error(format!("a region has {blocks} blocks; regions of StableHLO have one")),
        }
        let values = self.cursor.count()?;
        let end_slot = first_slot + values;
        self.slots.resize(end_slot, None);
        let (ops_left, has_args) = self.cursor.varint_with_flag()?;
        self.cursor.check_count(ops_left)?;
        let mut open = OpenRegion { block: None, ops_left, first_slot, next_slot: first_slot, end_slot };
        let mut locs: Vec<LocId> = Vec::new();
        self.result_types.clear();
        if has_args {
            let count = self.cursor.count()?;
            for _ in 0..count {
                let (ty, has_loc) = match self.version {
                    0..4 => (self.cursor.varint()?, true),
                    _ => self.cursor.varint_with_flag()?,
                };
                self.result_types.push(self.tables.ty(ty)?);
                locs.push(if has_loc { self.tables.loc(self.cursor.varint()?)? } else { LocId::UNKNOWN });
            }
            if self.version >= 3 && self.cursor.byte()? != 0 {
                skip_use_orders(&mut self.cursor, count)?;
            }
        }
        let block = self.tables.module.new_block(region, &self.result_types);
        open.block = Some(block);
        let count = locs.len();
        for (index, loc) in locs.into_iter().enumerate() {
            let value = self.tables.module.block(block).args()[index];
            self.tables.module.set_value_loc(value, loc);
            define(&self.cursor, &mut self.slots, &mut open, value)?;
        }
        debug_assert_eq!(self.tables.module.block(block).args().len(), count);
        if let Some(frame) = self.frames.last_mut() {
            frame.region = Some(open);
        }
        Ok(())
    }

    /// Reads one op up to its regions, which get a frame.
    fn op(&mut self) -> Result<()> {
        let start = self.cursor.pos();
        let name = self.cursor.varint()?;
        let Some(name) = usize::try_from(name).ok().filter(|&n| n < self.names.len()) else {
            return self.cursor.error(format!("op name {name} does not exist"));
        };
        let mut loc = None;
        self.named_op(name, &mut loc).map_err(|error| {
            error.in_op(&self.names[name].full, || loc.map(|loc| self.tables.module.loc_text(loc))).or_at(start)
        })
    }

    fn named_op(&mut self, name: usize, op_loc: &mut Option<LocId>) -> Result<()> {
        let mask = self.cursor.byte()?;
        let loc = self.tables.loc(self.cursor.varint()?)?;
        *op_loc = Some(loc);
        if self.plans[name].is_none() {
            self.plans[name] = Some(Plan::new(&self.names[name], self.version, &mut self.tables)?);
        }
        let dictionary = if mask & HAS_ATTRS != 0 { Some(self.cursor.varint()?) } else { None };
        let (mut inherent, discardable) = match dictionary {
            Some(index) => self.dictionary(name, index)?,
            None => (NO_ATTRS, NO_ATTRS),
        };
        if mask & HAS_PROPERTIES != 0 {
            let entry = self.cursor.varint()?;
            inherent = self.properties(name, entry)?;
        } else if self.version >= 5 || dictionary.is_none() {
            self.values.clear();
            inherent = self.convert(name)?;
        }
        self.result_types.clear();
        if mask & HAS_RESULTS != 0 {
            for _ in 0..self.cursor.count()? {
                let ty = self.cursor.varint()?;
                self.result_types.push(self.tables.ty(ty)?);
            }
        }
        self.operands.clear();
        if mask & HAS_OPERANDS != 0 {
            for _ in 0..self.cursor.count()? {
                let index = self.cursor.varint()?;
                let slot = usize::try_from(index).ok().and_then(|i| self.slots.get(self.base.checked_add(i)?));
                match slot {
                    Some(Some(value)) => self.operands.push(*value),
                    Some(None) => {
                        return self.cursor.error(format!("operand value {index} is used before it is defined"));
                    }
                    None => return self.cursor.error(format!("operand value {index} does not exist")),
                }
            }
        }
        if mask & HAS_SUCCESSORS != 0 && self.cursor.varint()? != 0 {
            return self.cursor.error("ops of StableHLO have no successor blocks");
        }
        if mask & HAS_USE_ORDERS != 0 {
            if self.version < 3 {
                return self.cursor.error("use-list orders do not exist in this bytecode version");
            }
            skip_use_orders(&mut self.cursor, self.result_types.len())?;
        }
        let (num_regions, isolated) = match mask & HAS_REGIONS {
            0 => (0, false),
            _ => self.cursor.varint_with_flag()?,
        };
        let num_regions = self.cursor.check_count(num_regions)?;
        if mask & 0x80 != 0 || (mask & HAS_PROPERTIES != 0 && self.version < 5) {
            return self.cursor.error(format!("the op has parts that are not known (mask {mask:#04x})"));
        }
        self.finish_op(name, loc, inherent, discardable, num_regions, isolated)
    }

    fn finish_op(
        &mut self,
        name: usize,
        loc: LocId,
        inherent: AttrSpan,
        discardable: AttrSpan,
        num_regions: usize,
        isolated: bool,
    ) -> Result<()> {
        let Some(plan) = &self.plans[name] else { return self.cursor.error("the op has no plan") };
        if let Plan::Vhlo(conversion) = plan {
            let op = conversion.op;
            for (arity, count, what) in [
                (op.operands, self.operands.len(), "operands"),
                (op.results, self.result_types.len(), "results"),
                (op.regions, num_regions, "regions"),
            ] {
                if !arity.allows(count) {
                    return self.cursor.error(format!("the op has {count} {what} and must have {}", arity.text()));
                }
            }
        }
        let mut code = plan.code();
        if code == OpCode::BuiltinUnrealizedConversionCast {
            return self.fold_cast(num_regions);
        }
        let parent = self.frames.last();
        if code == OpCode::Return
            && parent.is_some_and(|frame| self.tables.module.op(frame.op).code() == OpCode::FuncFunc)
        {
            code = OpCode::FuncReturn;
        }
        let block = parent.and_then(|frame| frame.region.as_ref()?.block);
        let module = &mut self.tables.module;
        self.region_ids.clear();
        for _ in 0..num_regions {
            self.region_ids.push(module.new_region());
        }
        let spec =
            OpSpec::new(code).loc(loc).operands(&self.operands).results(&self.result_types).regions(&self.region_ids);
        let op = module.new_op_with_spans(spec, inherent, discardable);
        if let Some(block) = block {
            module.append_op(block, op);
        }
        match self.frames.last_mut().and_then(|frame| frame.region.as_mut()) {
            Some(open) => {
                for &value in self.tables.module.op(op).results() {
                    define(&self.cursor, &mut self.slots, open, value)?;
                }
            }
            None if self.result_types.is_empty() => {}
            None => return self.cursor.error("the outermost op has results"),
        }
        if num_regions > 0 {
            self.open_frame(op, num_regions, isolated)?;
        }
        Ok(())
    }

    fn open_frame(&mut self, op: OpId, num_regions: usize, isolated: bool) -> Result<()> {
        let mut frame = Frame { op, next_region: 0, num_regions, outer_end: None, outer_base: self.base, region: None };
        if isolated {
            self.base = self.slots.len();
            if self.version >= 2 {
                let mut section = self.cursor;
                let (id, inner) = section.section()?;
                if id != super::sections::IR as u8 {
                    return self.cursor.error(format!("section {id} stands in place of an op's regions"));
                }
                frame.outer_end = Some(self.cursor.end());
                self.cursor = inner;
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    /// A cast between types that are the same here: its results are its operands.
    fn fold_cast(&mut self, num_regions: usize) -> Result<()> {
        let module = &self.tables.module;
        let same = self.operands.len() == self.result_types.len()
            && self.operands.iter().zip(&self.result_types).all(|(&v, &ty)| module.value_type(v) == ty);
        if !same || num_regions != 0 {
            let from = module.value_types_text(&self.operands);
            let to: Vec<String> = self.result_types.iter().map(|&ty| module.type_text(ty)).collect();
            return self.cursor.error(format!("a cast from {from} to {} is no StableHLO", to.join(", ")));
        }
        let Some(open) = self.frames.last_mut().and_then(|frame| frame.region.as_mut()) else {
            return self.cursor.error("a cast stands in no region");
        };
        for &value in &self.operands {
            define(&self.cursor, &mut self.slots, open, value)?;
        }
        Ok(())
    }

    /// The attributes that a dictionary of an op holds: those of its definition (only below version 5), and
    /// the discardable ones.
    fn dictionary(&mut self, name: usize, index: u64) -> Result<AttrSpans> {
        if let Some(&spans) = self.dictionaries.get(&(name, index)) {
            return Ok(spans);
        }
        let id = self.tables.attr(index)?;
        let entries = match self.tables.module.attr(id) {
            Attr::Dict(entries) => entries.clone(),
            other => {
                let kind = other.kind();
                return self.cursor.error(format!("the attributes of the op are no dictionary but a {kind}"));
            }
        };
        self.tables.charge(entries.len())?;
        let Some(plan) = &self.plans[name] else { return self.cursor.error("the op has no plan") };
        let module = &self.tables.module;
        let split = self.version < 5;
        let (defined, discardable): (Vec<NamedAttr>, Vec<NamedAttr>) =
            entries.iter().partition(|entry| split && plan.is_inherent(module.str(entry.name)));
        let inherent = if split { self.convert_named(name, &defined)? } else { NO_ATTRS };
        let spans = (inherent, self.tables.module.push_sorted_attrs(&discardable));
        self.dictionaries.insert((name, index), spans);
        Ok(spans)
    }

    /// The attributes that a properties entry becomes.
    fn properties(&mut self, name: usize, entry: u64) -> Result<AttrSpan> {
        let Some((entry, &(start, end))) = usize::try_from(entry).ok().and_then(|i| Some((i, self.properties.get(i)?)))
        else {
            return self.cursor.error(format!("properties entry {entry} does not exist"));
        };
        match self.converted[entry] {
            Some((by, span)) if by == name => return Ok(span),
            _ => {}
        }
        let mut blob = Cursor::part(self.cursor.file(), start, end);
        let span = if self.names[name].registered {
            self.registered_properties(name, &mut blob)?
        } else {
            let id = self.tables.attr(blob.varint()?)?;
            match self.tables.module.attr(id) {
                Attr::Dict(entries) => {
                    let entries = entries.clone();
                    self.convert_named(name, &entries)?
                }
                other => return blob.error(format!("the properties are no dictionary but a {}", other.kind())),
            }
        };
        blob.expect_end("an op's properties")?;
        self.converted[entry] = Some((name, span));
        Ok(span)
    }

    fn registered_properties(&mut self, name: usize, blob: &mut Cursor<'a>) -> Result<AttrSpan> {
        self.values.clear();
        self.attrs.clear();
        match &self.plans[name] {
            Some(Plan::Vhlo(conversion)) => {
                for _ in conversion.op.props {
                    self.values.push(self.tables.attr(blob.varint()?)?);
                }
                self.convert(name)
            }
            Some(Plan::Plain { names, .. }) => {
                for &(attr_name, optional) in names {
                    let index = match optional {
                        // Older writers end before properties that were added later.
                        true if blob.is_at_end() => continue,
                        true => match blob.varint_with_flag()? {
                            (index, true) => index,
                            (_, false) => continue,
                        },
                        false => blob.varint()?,
                    };
                    self.attrs.push(NamedAttr { name: attr_name, value: self.tables.attr(index)? });
                }
                Ok(self.tables.module.push_sorted_attrs(&self.attrs))
            }
            None => blob.error("the op has no plan"),
        }
    }

    /// Converts the properties in `self.values`, in the order of the op's definition.
    fn convert(&mut self, name: usize) -> Result<AttrSpan> {
        self.attrs.clear();
        let Some(Plan::Vhlo(conversion)) = &self.plans[name] else { return Ok(NO_ATTRS) };
        if self.values.len() != conversion.op.props.len() {
            return self.cursor.error(format!("the op lacks its {} properties", conversion.op.props.len()));
        }
        if self.values.is_empty() {
            return Ok(NO_ATTRS);
        }
        conversion.convert(&mut self.tables, &self.values, &mut self.attrs)?;
        Ok(self.tables.module.push_attrs_sorting(&mut self.attrs))
    }

    /// Converts the attributes of an op's definition given by name.
    fn convert_named(&mut self, name: usize, entries: &[NamedAttr]) -> Result<AttrSpan> {
        self.values.clear();
        match &self.plans[name] {
            Some(Plan::Vhlo(conversion)) => {
                for prop in conversion.op.props {
                    let module = &self.tables.module;
                    match entries.iter().find(|entry| module.str(entry.name) == prop.name) {
                        Some(entry) => self.values.push(entry.value),
                        None => return self.cursor.error(format!("attribute `{}` is missing", prop.name)),
                    }
                }
                self.convert(name)
            }
            plan => {
                self.attrs.clear();
                self.attrs.extend_from_slice(entries);
                if let Some(plan) = plan {
                    drop_defaults(&self.tables.module, plan.code(), &mut self.attrs);
                }
                Ok(self.tables.module.push_sorted_attrs(&self.attrs))
            }
        }
    }
}

/// Gives the next slot of a region its value.
fn define(cursor: &Cursor<'_>, slots: &mut [Option<ValueId>], region: &mut OpenRegion, value: ValueId) -> Result<()> {
    if region.next_slot == region.end_slot {
        return cursor.error("a region has more values than it declares");
    }
    slots[region.next_slot] = Some(value);
    region.next_slot += 1;
    Ok(())
}

/// Orders of in-memory use lists, which mean nothing here.
fn skip_use_orders(cursor: &mut Cursor<'_>, values: usize) -> Result<()> {
    let one = values == 1;
    let orders = if one { 1 } else { cursor.count()? };
    for _ in 0..orders {
        if !one {
            cursor.varint()?;
        }
        let (count, _) = cursor.varint_with_flag()?;
        for _ in 0..cursor.check_count(count)? {
            cursor.varint()?;
        }
    }
    Ok(())
}
