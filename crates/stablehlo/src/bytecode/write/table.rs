//! The tables of a file being written: strings, attributes and types, op names, properties.
//!
//! An entry is known by its octets, parts by the index they got before, so equal entries are written once.

use hashbrown::HashMap;

use super::assemble;
use super::sink::Sink;
use crate::bytecode::sections;
use crate::ir::{AttrId, LocId, Module, TypeId};
use crate::vhlo::Version;

/// Dialects of a file, by their index in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Dialect {
    Builtin = 0,
    Vhlo = 1,
    Sdy = 2,
}

const DIALECTS: [&str; 3] = ["builtin", "vhlo", "sdy"];

/// The spelling of a type or attribute: VHLO's or builtin's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Vhlo,
    Builtin,
}

/// An entry: who decodes it, whether in an encoding of its own, octets.
type Entry = (Dialect, bool, Vec<u8>);

/// Entries in order of their index.
#[derive(Default)]
struct Entries {
    list: Vec<Entry>,
    index: HashMap<Entry, u64>,
}

impl Entries {
    fn intern(&mut self, entry: Entry) -> u64 {
        if let Some(&index) = self.index.get(&entry) {
            return index;
        }
        let index = self.list.len() as u64;
        self.list.push(entry.clone());
        self.index.insert(entry, index);
        index
    }
}

/// Everything of a file but its ops.
pub(super) struct Table<'m> {
    pub(super) module: &'m Module,
    pub(super) version: Version,
    strings: Vec<Vec<u8>>,
    string_index: HashMap<Vec<u8>, u64>,
    attrs: Entries,
    types: Entries,
    properties: Vec<Vec<u8>>,
    property_index: HashMap<Vec<u8>, u64>,
    op_names: Vec<(Dialect, String)>,
    op_index: HashMap<(Dialect, String), u64>,
    pub(super) attr_memo: HashMap<(Form, AttrId), u64>,
    pub(super) type_memo: HashMap<(Form, TypeId), u64>,
    pub(super) loc_memo: HashMap<LocId, u64>,
    /// Locations that are written, or about to be.
    pub(super) loc_seen: Vec<bool>,
    /// How deep the attribute or type being written nests.
    pub(super) depth: u32,
}

impl<'m> Table<'m> {
    pub(super) fn new(module: &'m Module, version: Version) -> Table<'m> {
        Table {
            module,
            version,
            strings: Vec::new(),
            string_index: HashMap::new(),
            attrs: Entries::default(),
            types: Entries::default(),
            properties: Vec::new(),
            property_index: HashMap::new(),
            op_names: Vec::new(),
            op_index: HashMap::new(),
            attr_memo: HashMap::new(),
            type_memo: HashMap::new(),
            loc_memo: HashMap::new(),
            loc_seen: vec![false; module.num_locs()],
            depth: 0,
        }
    }

    /// Whether the version that is written is at least this one.
    pub(super) fn has(&self, major: u32, minor: u32) -> bool {
        (self.version.major, self.version.minor) >= (major, minor)
    }

    pub(super) fn string(&mut self, bytes: &[u8]) -> u64 {
        if let Some(&index) = self.string_index.get(bytes) {
            return index;
        }
        let index = self.strings.len() as u64;
        self.strings.push(bytes.to_vec());
        self.string_index.insert(bytes.to_vec(), index);
        index
    }

    pub(super) fn attr_entry(&mut self, dialect: Dialect, sink: Sink) -> u64 {
        self.attrs.intern((dialect, true, sink.finish()))
    }

    /// An attribute as text.
    pub(super) fn text_attr(&mut self, text: &str) -> u64 {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.attrs.intern((Dialect::Builtin, false, bytes))
    }

    pub(super) fn type_entry(&mut self, dialect: Dialect, sink: Sink) -> u64 {
        self.types.intern((dialect, true, sink.finish()))
    }

    /// A string attribute in either form.
    pub(super) fn string_attr(&mut self, form: Form, bytes: &[u8]) -> u64 {
        let (dialect, code) = match form {
            Form::Vhlo => (Dialect::Vhlo, 14),
            Form::Builtin => (Dialect::Builtin, 2),
        };
        let index = self.string(bytes);
        let mut sink = Sink::code(code);
        sink.varint(index);
        self.attr_entry(dialect, sink)
    }

    pub(super) fn property(&mut self, sink: Sink) -> u64 {
        let bytes = sink.finish();
        if let Some(&index) = self.property_index.get(&bytes) {
            return index;
        }
        let index = self.properties.len() as u64;
        self.properties.push(bytes.clone());
        self.property_index.insert(bytes, index);
        index
    }

    pub(super) fn op_name(&mut self, dialect: Dialect, name: &str) -> u64 {
        let key = (dialect, name.to_owned());
        if let Some(&index) = self.op_index.get(&key) {
            return index;
        }
        let index = self.op_names.len() as u64;
        self.op_names.push(key.clone());
        self.op_index.insert(key, index);
        index
    }

    /// The whole file around the ops.
    pub(super) fn finish(mut self, ir: &[u8]) -> Vec<u8> {
        let bytecode = self.version.bytecode_version();
        let mut dialects = Sink::default();
        dialects.varint(DIALECTS.len() as u64);
        for name in DIALECTS {
            let index = self.string(name.as_bytes());
            if bytecode == 0 { dialects.varint(index) } else { dialects.varint_with_flag(index, false) }
        }
        if bytecode >= 4 {
            dialects.varint(self.op_names.len() as u64);
        }
        let op_names = std::mem::take(&mut self.op_names);
        for group in op_names.chunk_by(|a, b| a.0 == b.0) {
            dialects.varint(group[0].0 as u64);
            dialects.varint(group.len() as u64);
            for (_, name) in group {
                let index = self.string(name.as_bytes());
                if bytecode >= 5 { dialects.varint_with_flag(index, true) } else { dialects.varint(index) }
            }
        }
        let (mut offsets, mut data) = (Sink::default(), Sink::default());
        offsets.varint(self.attrs.list.len() as u64);
        offsets.varint(self.types.list.len() as u64);
        for entries in [&self.attrs.list, &self.types.list] {
            for group in entries.chunk_by(|a, b| a.0 == b.0) {
                offsets.varint(group[0].0 as u64);
                offsets.varint(group.len() as u64);
                for (_, custom, bytes) in group {
                    offsets.varint_with_flag(bytes.len() as u64, *custom);
                    data.bytes(bytes);
                }
            }
        }
        let mut strings = Sink::default();
        strings.varint(self.strings.len() as u64);
        for string in self.strings.iter().rev() {
            strings.varint(string.len() as u64 + 1);
        }
        for string in &self.strings {
            strings.bytes(string);
            strings.byte(0);
        }
        let mut parts = vec![
            (sections::DIALECTS, dialects.finish()),
            (sections::ATTR_TYPE_OFFSETS, offsets.finish()),
            (sections::ATTR_TYPE_DATA, data.finish()),
            (sections::IR, ir.to_vec()),
            (sections::STRINGS, strings.finish()),
        ];
        if bytecode >= 5 {
            let mut properties = Sink::default();
            properties.varint(self.properties.len() as u64);
            for entry in &self.properties {
                properties.blob(entry);
            }
            parts.push((sections::PROPERTIES, properties.finish()));
        }
        assemble(self.version, &parts)
    }
}
