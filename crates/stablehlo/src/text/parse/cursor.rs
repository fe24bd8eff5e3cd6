//! The parser's state and its way through the tokens.

use hashbrown::HashMap;

use super::scope::Scope;
use crate::ir::{AttrId, LocId, Module, StrId, TypeId};
use crate::text::ParseError;
use crate::text::lexer::{self, Token};

/// How deep types, attributes and locations may nest in each other. Regions are not limited.
const MAX_DEPTH: u32 = 64;

pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// Reads one text into one module.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    file: &'a str,
    /// The next token, and where it begins and ends.
    pub(super) token: Token<'a>,
    pub(super) start: usize,
    end: usize,
    /// Where the last token that was taken ends.
    pub(super) last_end: usize,
    depth: u32,
    pub(super) module: Module,
    pub(super) scope: Scope<'a>,
    pub(super) attr_aliases: HashMap<&'a str, AttrId>,
    pub(super) type_aliases: HashMap<&'a str, TypeId>,
    pub(super) loc_aliases: HashMap<&'a str, LocId>,
    /// Location aliases used but not defined yet, with the first use.
    pub(super) open_locs: HashMap<&'a str, (LocId, usize)>,
    /// Blobs of the resource section at the end of the text.
    pub(super) resources: HashMap<&'a str, Vec<u8>>,
    /// File name of implicit locations.
    pub(super) file_name: StrId,
    line: (usize, u32),
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, file: &'a str) -> Parser<'a> {
        let mut module = Module::without_root();
        let file_name = module.intern_str(file);
        Parser {
            text,
            file,
            token: Token::End,
            start: 0,
            end: 0,
            last_end: 0,
            depth: 0,
            module,
            scope: Scope::default(),
            attr_aliases: HashMap::new(),
            type_aliases: HashMap::new(),
            loc_aliases: HashMap::new(),
            open_locs: HashMap::new(),
            resources: HashMap::new(),
            file_name,
            line: (0, 1),
        }
    }

    /// Goes on at a byte of the text.
    pub(super) fn go_to(&mut self, at: usize) -> Result<()> {
        match lexer::next(self.text, at) {
            Ok((token, start, end)) => {
                (self.token, self.start, self.end) = (token, start, end);
                Ok(())
            }
            Err(error) => self.error_at(error.at, error.message),
        }
    }

    /// Takes the token.
    pub(super) fn advance(&mut self) -> Result<Token<'a>> {
        let token = self.token;
        self.last_end = self.end;
        self.go_to(self.end)?;
        Ok(token)
    }

    /// Where the next token ends.
    pub(super) fn token_end(&self) -> usize {
        self.end
    }

    pub(super) fn error_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T> {
        Err(ParseError::at(self.file, self.text, at, message))
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_at(self.start, message)
    }

    /// The next token is not what has to stand here.
    pub(super) fn expected<T>(&self, what: &str) -> Result<T> {
        self.error(format!("expected {what}, found {}", describe(self.token)))
    }

    pub(super) fn is(&self, punct: &str) -> bool {
        matches!(self.token, Token::Punct(p) if p == punct)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(w) if w == word)
    }

    pub(super) fn eat(&mut self, punct: &str) -> Result<bool> {
        let found = self.is(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Result<bool> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, punct: &str) -> Result<()> {
        if self.eat(punct)? { Ok(()) } else { self.expected(&format!("`{punct}`")) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Any word.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str> {
        match self.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    /// Items between two signs with commas between them, perhaps none.
    pub(super) fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect(open)?;
        self.rest_of_list(close, item)
    }

    /// The same behind the opening sign.
    pub(super) fn rest_of_list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close)? {
                return Ok(items);
            }
            if !self.eat(",")? {
                return self.expected(&format!("`,` or `{close}`"));
            }
        }
    }

    /// An integer of 64 bits, signed, decimal or hexadecimal.
    pub(super) fn int(&mut self) -> Result<i64> {
        let at = self.start;
        let negative = self.eat("-")?;
        let Token::Int(digits) = self.token else { return self.expected("an integer") };
        self.advance()?;
        let magnitude = match parse_u128(digits) {
            Some(magnitude) => magnitude as i128,
            None => return self.error_at(at, format!("{digits} does not fit 64 bits")),
        };
        let value = if negative { -magnitude } else { magnitude };
        match i64::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => self.error_at(at, format!("{value} does not fit 64 bits")),
        }
    }

    /// `[1, 2]`.
    pub(super) fn ints(&mut self) -> Result<Vec<i64>> {
        self.list("[", "]", Self::int)
    }

    /// A number with a point or without, or as the bits of an `f64` in hexadecimal.
    pub(super) fn number(&mut self) -> Result<f64> {
        let negative = self.eat("-")?;
        let value = match self.token {
            Token::Float(text) => text.parse().ok(),
            Token::Int(text) => match text.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok().map(f64::from_bits),
                None => text.parse().ok(),
            },
            _ => return self.expected("a number"),
        };
        let Some(value) = value else { return self.expected("a number of 64 bits") };
        self.advance()?;
        Ok(if negative { -value } else { value })
    }

    pub(super) fn bool(&mut self) -> Result<bool> {
        if self.eat_word("true")? {
            return Ok(true);
        }
        if self.eat_word("false")? { Ok(false) } else { self.expected("`true` or `false`") }
    }

    /// A string with its escapes undone.
    pub(super) fn string_bytes(&mut self) -> Result<Vec<u8>> {
        match self.token {
            Token::Str(raw) => {
                self.advance()?;
                Ok(lexer::unescape(raw))
            }
            _ => self.expected("a string"),
        }
    }

    /// A string that is UTF-8.
    pub(super) fn string(&mut self) -> Result<StrId> {
        let at = self.start;
        match String::from_utf8(self.string_bytes()?) {
            Ok(text) => Ok(self.module.intern_str(&text)),
            Err(_) => self.error_at(at, "this string is not valid UTF-8"),
        }
    }

    /// `@name`, without the sign.
    pub(super) fn symbol(&mut self) -> Result<StrId> {
        let Token::Symbol(name) = self.token else { return self.expected("a symbol such as `@main`") };
        let at = self.start;
        self.advance()?;
        let name = match name.strip_prefix('"') {
            Some(quoted) => match String::from_utf8(lexer::unescape(quoted.trim_end_matches('"'))) {
                Ok(name) => name,
                Err(_) => return self.error_at(at, "this symbol is not valid UTF-8"),
            },
            None => name.to_owned(),
        };
        Ok(self.module.intern_str(&name))
    }

    /// Runs a step that nests types, attributes or locations one deeper.
    pub(super) fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return self.error(format!("types and attributes nest deeper than {MAX_DEPTH} levels here"));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// Goes behind the sign that closes the one that was just opened (or that stands here), strings and
    /// comments passed over. For what is kept as text.
    pub(super) fn skip_balanced(&mut self) -> Result<()> {
        let at = self.start;
        let mut depth = 0u32;
        loop {
            match self.token {
                Token::End => return self.error_at(at, "this bracket is not closed"),
                Token::Punct("<" | "(" | "[" | "{") => depth += 1,
                Token::Punct(">" | ")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance()?;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Line of a byte, counted from 1; quick if bytes are asked for in ascending order.
    pub(super) fn line_of(&mut self, at: usize) -> u32 {
        let (from, line) = if at >= self.line.0 { self.line } else { (0, 1) };
        let newlines = self.text.as_bytes()[from..at].iter().filter(|&&b| b == b'\n').count();
        self.line = (at, line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX)));
        self.line.1
    }
}

/// A token in words.
pub(super) fn describe(token: Token<'_>) -> String {
    let shorten = |text: &str| match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    };
    match token {
        Token::End => "the end of the text".to_owned(),
        Token::Word(text) | Token::Int(text) | Token::Float(text) => format!("`{}`", shorten(text)),
        Token::Value(text) => format!("`%{}`", shorten(text)),
        Token::Block(text) => format!("`^{}`", shorten(text)),
        Token::Symbol(text) => format!("`@{}`", shorten(text)),
        Token::Hash(text) => format!("`#{}`", shorten(text)),
        Token::Bang(text) => format!("`!{}`", shorten(text)),
        Token::Str(text) => format!("the string \"{}\"", shorten(text)),
        Token::Punct(text) => format!("`{text}`"),
    }
}

/// Decimal or hexadecimal digits, below 2^127.
pub(super) fn parse_u128(digits: &str) -> Option<u128> {
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.ok().filter(|&v| v < 1 << 127)
}
