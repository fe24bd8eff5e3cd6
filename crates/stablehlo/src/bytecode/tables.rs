//! The attribute and type tables: found by index, decoded when first asked for, at most once.
//!
//! Entries refer to each other in any direction. Decoding an entry whose parts are not there yet notes the
//! missing ones on a list of work and tries again later, so nesting costs no stack. What an entry means is up
//! to its dialect (`builtin.rs`, `vhlo`, `sdy.rs`).

use super::cursor::Cursor;
use super::error::{ReadError, Result};
use super::resources::Resource;
use crate::ir::{Attr, AttrId, Loc, LocId, Module, StrId, Type, TypeId};

/// Deepest nesting of attributes and types. Real programs stay below ten.
const DEEPEST: u16 = 500;
/// Greatest size of an attribute when everything it refers to is written out. Guards what prints it.
const HEAVIEST: u32 = 1 << 26;

/// Who decodes an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryDialect {
    Builtin,
    Vhlo,
    Sdy,
    Stablehlo,
    Chlo,
    Quant,
    Other(u32),
}

#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    end: usize,
    dialect: EntryDialect,
    custom: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Untouched,
    Open,
    Done,
}

#[derive(Clone, Copy)]
struct Slot {
    id: u32,
    weight: u32,
    depth: u16,
    state: State,
}

const UNTOUCHED: Slot = Slot { id: 0, weight: 1, depth: 0, state: State::Untouched };

/// The tables of one file, and the module that receives what they hold.
pub(crate) struct Tables<'a> {
    pub(crate) module: Module,
    file: &'a [u8],
    strings: Vec<&'a [u8]>,
    string_ids: Vec<Option<StrId>>,
    entries: Vec<Entry>,
    slots: Vec<Slot>,
    num_attrs: usize,
    locs: Vec<Option<LocId>>,
    loc_open: Vec<bool>,
    loc_nesting: u32,
    /// A list of work to be used again.
    spare: Vec<usize>,
    dialects: Vec<String>,
    pub(crate) resources: Vec<Resource<'a>>,
    /// Entries that may still be copied out of shared parts; keeps memory in proportion to the file.
    budget: usize,
    /// Stands for parts that are not decoded yet while an entry is tried.
    placeholder: (AttrId, TypeId, StrId),
}

impl<'a> Tables<'a> {
    pub(crate) fn new(
        mut offsets: Cursor<'a>,
        data: Cursor<'a>,
        strings: Vec<&'a [u8]>,
        dialects: Vec<String>,
        resources: Vec<Resource<'a>>,
    ) -> Result<Tables<'a>> {
        let num_attrs = offsets.count()?;
        let num_types = offsets.count()?;
        let total = num_attrs + num_types;
        if total > offsets.remaining() {
            return offsets.error(format!("{total} attributes and types do not fit the section"));
        }
        let kinds: Vec<EntryDialect> = dialects.iter().enumerate().map(|(i, name)| kind_of(i, name)).collect();
        let mut entries = Vec::with_capacity(total);
        let mut position = data.pos();
        for limit in [num_attrs, total] {
            while entries.len() < limit {
                let dialect = offsets.varint()?;
                let Some(&dialect) = usize::try_from(dialect).ok().and_then(|i| kinds.get(i)) else {
                    return offsets.error(format!("dialect {dialect} does not exist"));
                };
                let count = offsets.count()?;
                if count > limit - entries.len() {
                    return offsets.error("a group has more entries than the table");
                }
                for _ in 0..count {
                    let (size, custom) = offsets.varint_with_flag()?;
                    if size > (data.end() - position) as u64 {
                        return offsets.error("an attribute or type lies outside its section");
                    }
                    let end = position + size as usize;
                    entries.push(Entry { start: position, end, dialect, custom });
                    position = end;
                }
            }
        }
        offsets.expect_end("the attribute and type offset section")?;
        if position != data.end() {
            return Err(ReadError::at("bytes are left over at the end of the attribute and type section", position));
        }
        let mut module = Module::without_root();
        module.reserve_tables(num_attrs, num_types);
        let placeholder = (module.intern_attr(Attr::Unit), module.intern_type(Type::None), module.intern_str(""));
        Ok(Tables {
            module,
            file: data.file(),
            string_ids: vec![None; strings.len()],
            strings,
            slots: vec![UNTOUCHED; entries.len()],
            entries,
            num_attrs,
            locs: vec![None; num_attrs],
            loc_open: vec![false; num_attrs],
            loc_nesting: 0,
            spare: Vec::new(),
            dialects,
            resources,
            budget: 4096 + 64 * data.file().len(),
            placeholder,
        })
    }

    fn string_bytes(&self, index: u64) -> Result<&'a [u8]> {
        usize::try_from(index)
            .ok()
            .and_then(|i| self.strings.get(i).copied())
            .ok_or_else(|| ReadError::new(format!("string {index} does not exist")))
    }

    /// A string that must be UTF-8.
    pub(crate) fn string(&mut self, index: u64) -> Result<StrId> {
        let bytes = self.string_bytes(index)?;
        let index = index as usize;
        if let Some(id) = self.string_ids[index] {
            return Ok(id);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                let id = self.module.intern_str(text);
                self.string_ids[index] = Some(id);
                Ok(id)
            }
            Err(_) => Err(ReadError::new(format!("string {index} is used as a name but is no UTF-8"))),
        }
    }

    /// A string attribute of any octets.
    pub(crate) fn string_attr(&mut self, index: u64) -> Result<Attr> {
        match self.string(index) {
            Ok(text) => Ok(Attr::String(text)),
            // The string exists, so it is no UTF-8.
            Err(error) => self.string_bytes(index).map(|bytes| Attr::Bytes(bytes.into())).map_err(|_| error),
        }
    }

    fn attr_node(&self, index: u64) -> Result<usize> {
        match usize::try_from(index) {
            Ok(node) if node < self.num_attrs => Ok(node),
            _ => Err(ReadError::new(format!("attribute {index} does not exist"))),
        }
    }

    fn type_node(&self, index: u64) -> Result<usize> {
        match usize::try_from(index).ok().and_then(|i| i.checked_add(self.num_attrs)) {
            Some(node) if node < self.entries.len() => Ok(node),
            _ => Err(ReadError::new(format!("type {index} does not exist"))),
        }
    }

    /// The attribute at an index of the table.
    #[inline]
    pub(crate) fn attr(&mut self, index: u64) -> Result<AttrId> {
        let node = self.attr_node(index)?;
        self.resolve(node)?;
        Ok(AttrId(self.slots[node].id))
    }

    /// The type at an index of the table.
    #[inline]
    pub(crate) fn ty(&mut self, index: u64) -> Result<TypeId> {
        let node = self.type_node(index)?;
        self.resolve(node)?;
        Ok(TypeId(self.slots[node].id))
    }

    #[inline]
    fn resolve(&mut self, node: usize) -> Result<()> {
        if self.slots[node].state == State::Done { Ok(()) } else { self.resolve_slowly(node) }
    }

    fn resolve_slowly(&mut self, node: usize) -> Result<()> {
        let mut work = std::mem::take(&mut self.spare);
        work.clear();
        work.push(node);
        while let Some(&node) = work.last() {
            if self.slots[node].state == State::Done {
                work.pop();
                continue;
            }
            self.slots[node].state = State::Open;
            let entry = self.entries[node];
            let mark = work.len();
            let mut decoder = Decoder {
                cursor: Cursor::part(self.file, entry.start, entry.end),
                tables: self,
                missing: &mut work,
                node,
                depth: 0,
                weight: 1 + ((entry.end - entry.start) / 8) as u32,
            };
            let id = if node < decoder.tables.num_attrs {
                decoder.decode_attr(entry.dialect, entry.custom).map(|attr| (Some(attr), None))
            } else {
                decoder.decode_type(entry.dialect, entry.custom).map(|ty| (None, Some(ty)))
            };
            let (depth, weight, end) = (decoder.depth, decoder.weight, decoder.cursor);
            if work.len() > mark {
                continue;
            }
            let id = match id.and_then(|id| end.expect_end("an attribute or type").map(|()| id)) {
                Ok((Some(attr), _)) => self.module.intern_attr(attr).0,
                Ok((_, Some(ty))) => self.module.intern_type(ty).0,
                Ok(_) => return Err(ReadError::new("an entry is neither attribute nor type")),
                Err(error) => return Err(error.or_at(end.pos())),
            };
            if depth >= DEEPEST || weight > HEAVIEST {
                return Err(ReadError::at("attributes or types nest too deeply", entry.start));
            }
            self.slots[node] = Slot { id, weight, depth: depth + 1, state: State::Done };
            work.pop();
        }
        self.spare = work;
        Ok(())
    }

    /// The location at an index of the attribute table.
    #[inline]
    pub(crate) fn loc(&mut self, index: u64) -> Result<LocId> {
        match usize::try_from(index).ok().and_then(|i| self.locs.get(i)) {
            Some(Some(loc)) => Ok(*loc),
            _ => self.resolve_loc(index),
        }
    }

    fn resolve_loc(&mut self, index: u64) -> Result<LocId> {
        let root = self.attr_node(index)?;
        // A fused location may carry an attribute, which may hold a location: the only true recursion here.
        if self.loc_nesting > 4 {
            return Err(ReadError::new("locations and attributes hold each other too deeply"));
        }
        self.loc_nesting += 1;
        let mut work = std::mem::take(&mut self.spare);
        work.clear();
        work.push(root);
        while let Some(&node) = work.last() {
            if self.locs[node].is_some() {
                work.pop();
                continue;
            }
            self.loc_open[node] = true;
            let mark = work.len();
            let loc = self.decode_loc(node, &mut work);
            if work.len() > mark {
                if let Some(&cyclic) = work[mark..].iter().find(|&&n| self.loc_open[n]) {
                    return Err(ReadError::at("a location contains itself", self.entries[cyclic].start));
                }
                continue;
            }
            let loc = loc.map_err(|e| e.or_at(self.entries[node].start))?;
            self.locs[node] = Some(self.module.add_loc(loc));
            work.pop();
        }
        self.loc_nesting -= 1;
        self.spare = work;
        self.locs[root].ok_or_else(|| ReadError::new("a location could not be read"))
    }

    /// Decodes one location; parts that are not decoded yet are added to `work`.
    fn decode_loc(&mut self, node: usize, work: &mut Vec<usize>) -> Result<Loc> {
        let entry = self.entries[node];
        if entry.dialect != EntryDialect::Builtin || !entry.custom {
            return Ok(Loc::Opaque(self.attr(node as u64)?));
        }
        let mut cursor = Cursor::part(self.file, entry.start, entry.end);
        let mut child = |tables: &Self, index: u64| -> Result<LocId> {
            let child = tables.attr_node(index)?;
            Ok(tables.locs[child].unwrap_or_else(|| {
                work.push(child);
                LocId::UNKNOWN
            }))
        };
        let code = cursor.varint()?;
        let loc = match code {
            10 => {
                let callee = child(self, cursor.varint()?)?;
                Loc::CallSite { callee, caller: child(self, cursor.varint()?)? }
            }
            11 => {
                let file = self.plain_string(cursor.varint()?)?;
                let (line, column) = (clamp(cursor.varint()?), clamp(cursor.varint()?));
                Loc::File { file, line, column, end_line: line, end_column: column, numbers: 2 }
            }
            12 | 13 => {
                let count = cursor.count()?;
                let mut parts = Vec::with_capacity(count);
                for _ in 0..count {
                    parts.push(child(self, cursor.varint()?)?);
                }
                let metadata = if code == 13 { Some(self.attr(cursor.varint()?)?) } else { None };
                Loc::Fused { parts: parts.into(), metadata }
            }
            14 => {
                let name = self.plain_string(cursor.varint()?)?;
                Loc::Name { name, child: child(self, cursor.varint()?)? }
            }
            15 => Loc::Unknown,
            22 => {
                let file = self.plain_string(cursor.varint()?)?;
                let numbers = cursor.count()?;
                let mut at = [0; 4];
                if numbers > at.len() {
                    return cursor.error(format!("a file range has {numbers} numbers"));
                }
                for slot in &mut at[..numbers] {
                    *slot = clamp(cursor.varint()?);
                }
                let [line, column, a, b] = at;
                let (end_line, end_column) = match numbers {
                    4 => (a, b),
                    3 => (line, a),
                    _ => (line, column),
                };
                Loc::File { file, line, column, end_line, end_column, numbers: numbers as u8 }
            }
            _ => return cursor.error("an attribute that is no location stands in place of one"),
        };
        cursor.expect_end("a location")?;
        Ok(loc)
    }

    /// A string attribute of the builtin dialect, read without decoding the attribute.
    fn plain_string(&mut self, index: u64) -> Result<StrId> {
        let entry = self.entries[self.attr_node(index)?];
        let mut cursor = Cursor::part(self.file, entry.start, entry.end);
        if entry.dialect != EntryDialect::Builtin || !entry.custom || cursor.varint()? != 2 {
            return cursor.error("the name in a location is no string");
        }
        let text = cursor.varint()?;
        cursor.expect_end("a string attribute")?;
        self.string(text)
    }

    /// Accounts for copying `count` entries of something that the file states once.
    pub(crate) fn charge(&mut self, count: usize) -> Result<()> {
        match self.budget.checked_sub(count) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(ReadError::new("shared attributes are repeated too often for a file of this size")),
        }
    }

    pub(crate) fn dialect_name(&self, dialect: EntryDialect) -> &str {
        match dialect {
            EntryDialect::Builtin => "builtin",
            EntryDialect::Vhlo => "vhlo",
            EntryDialect::Sdy => "sdy",
            EntryDialect::Stablehlo => "stablehlo",
            EntryDialect::Chlo => "chlo",
            EntryDialect::Quant => "quant",
            EntryDialect::Other(index) => &self.dialects[index as usize],
        }
    }
}

fn kind_of(index: usize, name: &str) -> EntryDialect {
    match name {
        "builtin" => EntryDialect::Builtin,
        "vhlo" => EntryDialect::Vhlo,
        "sdy" => EntryDialect::Sdy,
        "stablehlo" => EntryDialect::Stablehlo,
        "chlo" => EntryDialect::Chlo,
        "quant" => EntryDialect::Quant,
        _ => EntryDialect::Other(index as u32),
    }
}

/// Lines and columns beyond 32 bits mean nothing.
fn clamp(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// One try at decoding an entry.
///
/// Parts that are not there yet are noted and replaced by placeholders; the result of such a try is thrown
/// away, whether it failed or not.
pub(crate) struct Decoder<'t, 'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) tables: &'t mut Tables<'a>,
    missing: &'t mut Vec<usize>,
    /// The entry's own index (attributes count before types).
    pub(super) node: usize,
    depth: u16,
    weight: u32,
}

impl Decoder<'_, '_> {
    /// Takes a part into account, or notes that it is missing.
    fn part(&mut self, node: usize) -> Result<Option<u32>> {
        let slot = self.tables.slots[node];
        match slot.state {
            State::Done => {
                self.depth = self.depth.max(slot.depth);
                self.weight = self.weight.saturating_add(slot.weight);
                Ok(Some(slot.id))
            }
            State::Open => self.cursor.error("an attribute or type contains itself"),
            State::Untouched => {
                self.missing.push(node);
                Ok(None)
            }
        }
    }

    /// A reference to an attribute.
    pub(crate) fn attr(&mut self) -> Result<AttrId> {
        let index = self.cursor.varint()?;
        self.attr_at(index)
    }

    fn attr_at(&mut self, index: u64) -> Result<AttrId> {
        let node = self.tables.attr_node(index)?;
        Ok(self.part(node)?.map_or(self.tables.placeholder.0, AttrId))
    }

    /// An optional reference to an attribute.
    pub(crate) fn optional_attr(&mut self) -> Result<Option<AttrId>> {
        match self.cursor.varint_with_flag()? {
            (_, false) => Ok(None),
            (index, true) => self.attr_at(index).map(Some),
        }
    }

    /// A reference to a type.
    pub(crate) fn ty(&mut self) -> Result<TypeId> {
        let node = self.tables.type_node(self.cursor.varint()?)?;
        Ok(self.part(node)?.map_or(self.tables.placeholder.1, TypeId))
    }

    /// A list of things that each take at least one byte.
    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Box<[T]>> {
        let count = self.cursor.count()?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items.into())
    }

    /// A reference to the string table.
    pub(crate) fn string(&mut self) -> Result<StrId> {
        let index = self.cursor.varint()?;
        self.tables.string(index)
    }

    /// A reference to an attribute that must be of some kind. `None` while it is not decoded yet.
    pub(crate) fn attr_as<T>(&mut self, what: &str, convert: impl FnOnce(&Attr) -> Option<T>) -> Result<Option<T>> {
        let missing = self.missing.len();
        let id = self.attr()?;
        if self.missing.len() > missing {
            return Ok(None);
        }
        let attr = self.tables.module.attr(id);
        match convert(attr) {
            Some(value) => Ok(Some(value)),
            None => {
                let kind = attr.kind();
                self.cursor.error(format!("an attribute must be {what} and is {kind}"))
            }
        }
    }

    /// A reference to a string attribute.
    pub(crate) fn string_attr(&mut self) -> Result<StrId> {
        let text = self.attr_as("a string", |attr| match attr {
            Attr::String(text) => Some(*text),
            _ => None,
        })?;
        Ok(text.unwrap_or(self.tables.placeholder.2))
    }

    /// A reference to an attribute whose contents are copied, and so charged for; else as
    /// [`attr_as`](Self::attr_as).
    pub(crate) fn copy_of<T>(&mut self, what: &str, convert: impl FnOnce(&Attr) -> Option<T>) -> Result<Option<T>> {
        let before = self.weight;
        let value = self.attr_as(what, convert)?;
        self.tables.charge((self.weight - before) as usize)?;
        Ok(value)
    }

    /// True once a part was missing: what was decoded is not to be looked into.
    pub(crate) fn is_incomplete(&self, mark: usize) -> bool {
        self.missing.len() > mark
    }

    /// A point to ask [`is_incomplete`](Self::is_incomplete) about.
    pub(crate) fn mark(&self) -> usize {
        self.missing.len()
    }

    /// The text of an entry without an encoding of its own.
    fn text(&mut self) -> Result<String> {
        let bytes = self.cursor.zero_terminated()?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => self.cursor.error("an attribute or type is text but no UTF-8"),
        }
    }

    fn decode_attr(&mut self, dialect: EntryDialect, custom: bool) -> Result<Attr> {
        if !custom {
            let text = self.text()?;
            return Ok(Attr::Opaque(self.tables.module.intern_str(&text)));
        }
        match dialect {
            EntryDialect::Builtin => self.builtin_attr(),
            EntryDialect::Vhlo => crate::vhlo::decode_attr(self),
            EntryDialect::Sdy => self.sdy_attr(),
            EntryDialect::Stablehlo => self.stablehlo_attr(),
            EntryDialect::Chlo => self.chlo_attr(),
            EntryDialect::Quant | EntryDialect::Other(_) => self.foreign("an attribute", dialect),
        }
    }

    fn decode_type(&mut self, dialect: EntryDialect, custom: bool) -> Result<Type> {
        if !custom {
            let text = self.text()?;
            // Old writers spell 8-bit floats out.
            return Ok(match crate::ElementType::from_text(&text) {
                Some(element) => Type::Scalar(element),
                None => Type::Opaque(self.tables.module.intern_str(&text)),
            });
        }
        match dialect {
            EntryDialect::Builtin => self.builtin_type(),
            EntryDialect::Vhlo => crate::vhlo::decode_type(self),
            EntryDialect::Stablehlo => self.stablehlo_type(),
            EntryDialect::Quant => self.quant_type(),
            EntryDialect::Sdy | EntryDialect::Chlo | EntryDialect::Other(_) => self.foreign("a type", dialect),
        }
    }

    fn foreign<T>(&self, what: &str, dialect: EntryDialect) -> Result<T> {
        let name = self.tables.dialect_name(dialect);
        self.cursor.error(format!("{what} of dialect {name} has an encoding that is not known here"))
    }

    /// A dense tensor from the raw data of the file. Booleans may be packed eight to a byte.
    pub(crate) fn dense(&mut self, ty: TypeId, data: &[u8]) -> Result<Attr> {
        let module = &self.tables.module;
        let is_bool = match module.ty(ty) {
            Type::Tensor(tensor) => tensor.element_type() == Some(crate::ElementType::Bool),
            Type::Vector { element, .. } => *element == crate::ir::Element::Plain(crate::ElementType::Bool),
            _ => false,
        };
        let dense = if is_bool {
            unpack_bools(module.num_elements(ty).unwrap_or(1), data).and_then(|data| module.dense_elements(ty, &data))
        } else {
            module.dense_elements(ty, data)
        };
        match dense {
            Some(dense) => Ok(Attr::DenseElements(dense)),
            None => {
                let ty = module.type_text(ty);
                self.cursor.error(format!("{} bytes of data are no elements of {ty}", data.len()))
            }
        }
    }
}

/// Booleans as one byte each: a single `FF` or `00` stands for all, else a bit or a byte each.
fn unpack_bools(count: usize, data: &[u8]) -> Option<Vec<u8>> {
    if count == 0 {
        return (data.len() <= 1).then(Vec::new);
    }
    if let [single @ (0xFF | 0x00)] = data {
        return Some(vec![single & 1]);
    }
    if data.len() == count {
        return Some(data.iter().map(|&b| u8::from(b != 0)).collect());
    }
    (data.len() == count.div_ceil(8)).then(|| (0..count).map(|i| data[i / 8] >> (i % 8) & 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_are_found_packed_and_unpacked() {
        assert_eq!(unpack_bools(5, &[0xFF]), Some(vec![1]));
        assert_eq!(unpack_bools(100, &[0]), Some(vec![0]));
        assert_eq!(unpack_bools(3, &[0b101]), Some(vec![1, 0, 1]));
        assert_eq!(unpack_bools(3, &[1, 0, 1]), Some(vec![1, 0, 1]));
        assert_eq!(unpack_bools(1, &[1]), Some(vec![1]));
        assert_eq!(unpack_bools(9, &[0x01, 0x01]), Some(vec![1, 0, 0, 0, 0, 0, 0, 0, 1]));
        assert_eq!(unpack_bools(9, &[1, 1, 1]), None);
        assert_eq!(unpack_bools(0, &[]), Some(vec![]));
    }
}
