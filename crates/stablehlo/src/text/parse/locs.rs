//! Source locations, aliases, and the resource section at the end of a text.

use super::cursor::{Parser, Result};
use super::dense::hex_bytes;
use crate::ir::{Loc, LocId};
use crate::text::error::char_boundary;
use crate::text::lexer::Token;

impl<'a> Parser<'a> {
    /// `loc(...)` if it stands here.
    pub(super) fn optional_loc(&mut self) -> Result<Option<LocId>> {
        if self.is_word("loc") { self.loc().map(Some) } else { Ok(None) }
    }

    pub(super) fn loc(&mut self) -> Result<LocId> {
        self.expect_word("loc")?;
        self.expect("(")?;
        let loc = self.loc_body()?;
        self.expect(")")?;
        Ok(loc)
    }

    fn loc_body(&mut self) -> Result<LocId> {
        self.nested(Self::loc_body_unchecked)
    }

    fn loc_body_unchecked(&mut self) -> Result<LocId> {
        match self.token {
            Token::Word("unknown") => {
                self.advance()?;
                Ok(LocId::UNKNOWN)
            }
            Token::Word("callsite") => {
                self.advance()?;
                self.expect("(")?;
                let callee = self.loc_body()?;
                self.expect_word("at")?;
                let caller = self.loc_body()?;
                self.expect(")")?;
                Ok(self.module.add_loc(Loc::CallSite { callee, caller }))
            }
            Token::Word("fused") => {
                self.advance()?;
                let metadata = if self.eat("<")? {
                    let metadata = self.attr()?;
                    self.expect(">")?;
                    Some(metadata)
                } else {
                    None
                };
                let parts = self.list("[", "]", Self::loc_body)?.into();
                Ok(self.module.add_loc(Loc::Fused { parts, metadata }))
            }
            Token::Word("loc") => self.loc(),
            Token::Hash(name) => {
                let at = self.start;
                self.advance()?;
                if let Some(&loc) = self.loc_aliases.get(name) {
                    return Ok(loc);
                }
                if self.attr_aliases.contains_key(name) {
                    return self.error_at(at, format!("`#{name}` is no location"));
                }
                // Aliases of locations usually stand at the end of the text.
                let module = &mut self.module;
                Ok(self.open_locs.entry(name).or_insert_with(|| (module.reserve_loc(), at)).0)
            }
            Token::Str(_) => {
                let at = self.start;
                let name = match String::from_utf8(self.string_bytes()?) {
                    Ok(name) => self.module.intern_str(&name),
                    Err(_) => return self.error_at(at, "this string is not valid UTF-8"),
                };
                if self.eat("(")? {
                    let child = self.loc_body()?;
                    self.expect(")")?;
                    return Ok(self.module.add_loc(Loc::Name { name, child }));
                }
                if !self.eat(":")? {
                    return Ok(self.module.add_loc(Loc::Name { name, child: LocId::UNKNOWN }));
                }
                let line = self.position()?;
                self.expect(":")?;
                let column = self.position()?;
                let (mut end_line, mut end_column, mut numbers) = (line, column, 2);
                if self.eat_word("to")? {
                    if self.eat(":")? {
                        numbers = 3;
                    } else {
                        end_line = self.position()?;
                        self.expect(":")?;
                        numbers = 4;
                    }
                    end_column = self.position()?;
                }
                Ok(self.module.add_loc(Loc::File { file: name, line, column, end_line, end_column, numbers }))
            }
            _ => self.expected("a location"),
        }
    }

    fn position(&mut self) -> Result<u32> {
        let at = self.start;
        let value = self.int()?;
        match u32::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => self.error_at(at, format!("{value} is no line or column")),
        }
    }

    /// `#name = attr` or `!name = type`, at top level.
    pub(super) fn alias(&mut self) -> Result<()> {
        let at = self.start;
        match self.advance()? {
            Token::Bang(name) => {
                self.expect("=")?;
                let ty = self.ty()?;
                if name.contains('.') {
                    return self.error_at(at, "the name of an alias has no dot");
                }
                self.type_aliases.insert(name, ty);
            }
            Token::Hash(name) => {
                self.expect("=")?;
                if name.contains('.') {
                    return self.error_at(at, "the name of an alias has no dot");
                }
                if self.attr_aliases.contains_key(name) || self.loc_aliases.contains_key(name) {
                    return self.error_at(at, format!("the alias `#{name}` is defined twice"));
                }
                if !self.is_word("loc") {
                    let attr = self.attr()?;
                    self.attr_aliases.insert(name, attr);
                    return Ok(());
                }
                let loc = self.loc()?;
                match self.open_locs.remove(name) {
                    Some((reserved, _)) => {
                        if self.open_locs.values().any(|&(open, _)| open == loc) || loc == reserved {
                            return self.error_at(at, "an alias of an alias must stand after what it names");
                        }
                        let value = self.module.loc(loc).clone();
                        self.module.set_loc(reserved, value);
                        self.loc_aliases.insert(name, reserved);
                    }
                    None => drop(self.loc_aliases.insert(name, loc)),
                }
            }
            _ => return self.expected("an alias"),
        }
        Ok(())
    }

    /// Refuses location aliases that were used and never defined, and such that contain themselves.
    pub(super) fn check_locs(&self) -> Result<()> {
        if let Some((name, &(_, at))) = self.open_locs.iter().min_by_key(|(_, (_, at))| *at) {
            return self.error_at(at, format!("the location alias `#{name}` is not defined anywhere"));
        }
        // 0: not seen, 1: being looked into, 2: fine.
        let mut state: Vec<u8> = Vec::new();
        for &root in self.loc_aliases.values() {
            let mut stack = vec![root];
            while let Some(&loc) = stack.last() {
                if state.len() <= loc.index() {
                    state.resize(loc.index() + 1, 0);
                }
                if state[loc.index()] != 0 {
                    state[loc.index()] = 2;
                    stack.pop();
                    continue;
                }
                state[loc.index()] = 1;
                let mut children: Vec<LocId> = Vec::new();
                match self.module.loc(loc) {
                    Loc::Name { child, .. } => children.push(*child),
                    Loc::CallSite { callee, caller } => children.extend([*callee, *caller]),
                    Loc::Fused { parts, .. } => children.extend(parts.iter()),
                    _ => {}
                }
                if children.iter().any(|child| state.get(child.index()) == Some(&1)) {
                    return self.error_at(0, "a location alias contains itself");
                }
                stack.extend(children.into_iter().filter(|c| state.get(c.index()) != Some(&2)));
            }
        }
        Ok(())
    }

    /// Reads the resource section, if the text ends in one; it stands at the end, and is needed first.
    pub(super) fn read_resources(&mut self) -> Result<()> {
        if !self.text.trim_end().ends_with("#-}") {
            return Ok(());
        }
        let Some(begin) = self.text.rfind("{-#") else { return Ok(()) };
        self.go_to(begin)?;
        self.advance()?;
        self.section(|p, kind| {
            p.section(|p, _dialect| {
                p.section(|p, key| {
                    let at = p.start;
                    if kind != "dialect_resources" {
                        // External resources configure tools; programs do not refer to them.
                        return p.skip_value();
                    }
                    let Token::Str(raw) = p.token else { return p.expected("a string of hexadecimal digits") };
                    let bytes = hex_bytes(raw).filter(|bytes| bytes.len() >= 4);
                    let Some(bytes) = bytes else {
                        return p.error_at(at, "a resource is `0x`, four bytes of alignment and its data");
                    };
                    p.advance()?;
                    p.resources.insert(key, bytes[4..].to_vec());
                    Ok(())
                })
            })
        })?;
        self.expect("#-}")
    }

    fn skip_value(&mut self) -> Result<()> {
        match self.token {
            Token::Punct("{" | "[" | "(" | "<") => self.skip_balanced(),
            _ => self.advance().map(drop),
        }
    }

    /// `name: value` with commas between, in braces; the outermost section has none around it.
    fn section(&mut self, mut value: impl FnMut(&mut Self, &'a str) -> Result<()>) -> Result<()> {
        let braces = self.eat("{")?;
        loop {
            if braces && self.eat("}")? || !braces && self.is("#-}") {
                return Ok(());
            }
            let name = match self.token {
                Token::Word(name) | Token::Str(name) => name,
                _ => return self.expected("the name of a resource"),
            };
            self.advance()?;
            self.expect(":")?;
            value(self, name)?;
            if !self.eat(",")? && !self.is("}") && !self.is("#-}") {
                return self.expected("`,` or the end of the resources");
            }
        }
    }

    /// The location of text at `at`, for ops that state none.
    pub(super) fn implicit_loc(&mut self, at: usize, line: u32) -> LocId {
        // Lines can be long; a column beyond the first few thousand helps nobody.
        let window = char_boundary(self.text, at.saturating_sub(4096));
        let before = &self.text[window..at];
        let column = match before.rfind('\n') {
            Some(newline) => before[newline + 1..].chars().count() as u32 + 1,
            None if window == 0 => before.chars().count() as u32 + 1,
            None => 0,
        };
        let file = self.file_name;
        self.module.add_loc(Loc::File { file, line, column, end_line: line, end_column: column, numbers: 2 })
    }
}
