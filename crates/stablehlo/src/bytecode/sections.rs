//! The outer layout of a bytecode file: header, sections, strings, dialects and op names.

use super::cursor::Cursor;
use super::error::{ReadError, Result};

/// The four bytes that a bytecode file begins with.
pub(crate) const MAGIC: [u8; 4] = *b"ML\xEFR";
/// The newest bytecode version that is read.
pub(crate) const NEWEST_VERSION: u64 = 6;

/// A name is copied for every op that has it, so a file must not name a megabyte often.
const LONGEST_NAME: usize = 256;

const SECTION_NAMES: [&str; 9] = [
    "string",
    "dialect",
    "attribute and type",
    "attribute and type offset",
    "IR",
    "resource",
    "resource offset",
    "dialect version",
    "properties",
];

pub(crate) const STRINGS: usize = 0;
pub(crate) const DIALECTS: usize = 1;
pub(crate) const ATTR_TYPE_DATA: usize = 2;
pub(crate) const ATTR_TYPE_OFFSETS: usize = 3;
pub(crate) const IR: usize = 4;
pub(crate) const RESOURCES: usize = 5;
pub(crate) const RESOURCE_OFFSETS: usize = 6;
pub(crate) const PROPERTIES: usize = 8;

/// A file split into its sections.
pub(crate) struct Sections<'a> {
    /// Bytecode version.
    pub(crate) version: u64,
    /// Who wrote it.
    pub(crate) producer: String,
    parts: [Option<Cursor<'a>>; 9],
}

impl<'a> Sections<'a> {
    pub(crate) fn split(file: &'a [u8]) -> Result<Sections<'a>> {
        let mut cursor = Cursor::new(file);
        if cursor.bytes(4).ok() != Some(MAGIC.as_slice()) {
            return Err(ReadError::at("this is no MLIR bytecode: it does not begin with 4D 4C EF 52", 0));
        }
        let version = cursor.varint()?;
        if version > NEWEST_VERSION {
            return cursor.error(format!("MLIR bytecode version {version} is newer than {NEWEST_VERSION}"));
        }
        let producer = String::from_utf8_lossy(cursor.zero_terminated()?).into_owned();
        let mut parts = [None; 9];
        while !cursor.is_at_end() {
            let start = cursor.pos();
            let (id, part) = cursor.section().map_err(|e| e.by(&producer))?;
            match parts.get_mut(id as usize) {
                None => return Err(ReadError::at(format!("section {id} is unknown"), start).by(&producer)),
                Some(Some(_)) => {
                    let name = SECTION_NAMES[id as usize];
                    return Err(ReadError::at(format!("the {name} section stands there twice"), start).by(&producer));
                }
                Some(slot) => *slot = Some(part),
            }
        }
        Ok(Sections { version, producer, parts })
    }

    pub(crate) fn optional(&self, id: usize) -> Option<Cursor<'a>> {
        self.parts[id]
    }

    pub(crate) fn required(&self, id: usize) -> Result<Cursor<'a>> {
        self.parts[id].ok_or_else(|| ReadError::new(format!("the {} section is missing", SECTION_NAMES[id])))
    }
}

/// The string table: each string as bytes of the file.
pub(crate) fn strings<'a>(mut cursor: Cursor<'a>) -> Result<Vec<&'a [u8]>> {
    let count = cursor.count()?;
    let sizes: Vec<u64> = (0..count).map(|_| cursor.varint()).collect::<Result<_>>()?;
    let mut strings = Vec::with_capacity(count);
    for &size in sizes.iter().rev() {
        let bytes = cursor.bytes(size)?;
        match bytes.split_last() {
            Some((0, text)) => strings.push(text),
            _ => return cursor.error("a string has no zero byte at its end"),
        }
    }
    cursor.expect_end("the string section")?;
    Ok(strings)
}

/// An op name of the file.
pub(crate) struct OpName {
    /// `dialect.name`.
    pub(crate) full: String,
    /// False if the writer did not know the op, which changes the form of its properties.
    pub(crate) registered: bool,
}

/// Dialects and op names of the file.
pub(crate) struct Dialects {
    pub(crate) names: Vec<String>,
    pub(crate) ops: Vec<OpName>,
}

pub(crate) fn dialects(mut cursor: Cursor<'_>, version: u64, strings: &[&[u8]]) -> Result<Dialects> {
    let text = |cursor: &Cursor<'_>, index: u64| -> Result<String> {
        let bytes = usize::try_from(index).ok().and_then(|i| strings.get(i));
        match bytes.map(|b| std::str::from_utf8(b)) {
            Some(Ok(text)) if text.len() <= LONGEST_NAME => Ok(text.to_owned()),
            Some(Ok(text)) => cursor.error(format!("the name of a dialect or op has {} bytes", text.len())),
            Some(Err(_)) => cursor.error("the name of a dialect or op is no UTF-8"),
            None => cursor.error(format!("string {index} does not exist")),
        }
    };
    let count = cursor.count()?;
    let mut names = Vec::with_capacity(count);
    for _ in 0..count {
        let (index, has_version) = match version {
            0 => (cursor.varint()?, false),
            _ => cursor.varint_with_flag()?,
        };
        names.push(text(&cursor, index)?);
        if has_version {
            let (id, _) = cursor.section()?;
            if id != 7 {
                return cursor.error(format!("section {id} stands in place of a dialect version"));
            }
        }
    }
    let announced = if version >= 4 { Some(cursor.varint()?) } else { None };
    let mut ops = Vec::new();
    while !cursor.is_at_end() {
        let dialect = cursor.varint()?;
        let Some(prefix) = usize::try_from(dialect).ok().and_then(|i| names.get(i)) else {
            return cursor.error(format!("dialect {dialect} does not exist"));
        };
        for _ in 0..cursor.count()? {
            let (index, registered) = match version {
                0..5 => (cursor.varint()?, true),
                _ => cursor.varint_with_flag()?,
            };
            let name = text(&cursor, index)?;
            let full = if name.is_empty() { prefix.clone() } else { format!("{prefix}.{name}") };
            ops.push(OpName { full, registered });
        }
    }
    match announced {
        Some(n) if n != ops.len() as u64 => {
            cursor.error(format!("{n} op names are announced and {} listed", ops.len()))
        }
        _ => Ok(Dialects { names, ops }),
    }
}

/// The octets of every properties entry, as ranges of the file.
pub(crate) fn properties(mut cursor: Cursor<'_>) -> Result<Vec<(usize, usize)>> {
    let count = cursor.count()?;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let size = cursor.varint()?;
        let start = cursor.pos();
        cursor.bytes(size)?;
        entries.push((start, cursor.pos()));
    }
    cursor.expect_end("the properties section")?;
    Ok(entries)
}
