//! Splitting text into tokens, as MLIR does.
//!
//! Knows nothing of grammar; tokens borrow from the text.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// The end of the text.
    End,
    /// A word: `func.func`, `tensor`, `x4xf32`.
    Word(&'a str),
    /// `%name`, without the sign.
    Value(&'a str),
    /// `^name`.
    Block(&'a str),
    /// `@name` or `@"name"`; the latter with its quotes.
    Symbol(&'a str),
    /// `#name`, without the sign.
    Hash(&'a str),
    /// `!name`, without the sign.
    Bang(&'a str),
    /// Digits, or `0x` and hexadecimal digits.
    Int(&'a str),
    /// Digits with a point and perhaps an exponent.
    Float(&'a str),
    /// A string between quotes, escapes not undone.
    Str(&'a str),
    /// Punctuation.
    Punct(&'static str),
}

/// Longest first where one begins with another.
const PUNCTUATION: &[&str] = &[
    "{-#", "#-}", "...", "->", "::", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "-", "+", "*", "?", "/",
    "|",
];

/// What no token begins with.
#[derive(Debug)]
pub(crate) struct LexError {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Where the next token begins: behind white space and comments.
fn skip_blank(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        while at < bytes.len() && bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        if !text[at..].starts_with("//") {
            return at;
        }
        at = text[at..].find('\n').map_or(text.len(), |end| at + end);
    }
}

fn run(text: &str, at: usize, allowed: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[at..].iter().position(|&b| !allowed(b)).map_or(text.len(), |n| at + n)
}

fn word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.')
}

/// In names behind a sign, `-` may occur too.
fn name_byte(b: u8) -> bool {
    word_byte(b) || b == b'-'
}

/// The end of a string that begins at the quote at `at`.
fn string_end(text: &str, at: usize) -> Result<usize, LexError> {
    let bytes = text.as_bytes();
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'"' && bytes[end] != b'\n' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    if bytes.get(end) == Some(&b'"') {
        return Ok(end + 1);
    }
    Err(LexError { at, message: "this string has no closing quote".to_owned() })
}

/// The token at or behind `at`, with where it begins and ends.
pub(crate) fn next<'a>(text: &'a str, at: usize) -> Result<(Token<'a>, usize, usize), LexError> {
    let start = skip_blank(text, at);
    let Some(&first) = text.as_bytes().get(start) else { return Ok((Token::End, start, start)) };
    let named = |make: fn(&'a str) -> Token<'a>| {
        let end = run(text, start + 1, name_byte);
        // `->` may follow a name directly.
        let end = if text[..end].ends_with('-') && text[end..].starts_with('>') { end - 1 } else { end };
        (end > start + 1).then(|| (make(&text[start + 1..end]), start, end))
    };
    let token = match first {
        b'"' => {
            let end = string_end(text, start)?;
            return Ok((Token::Str(&text[start + 1..end - 1]), start, end));
        }
        b'%' => named(Token::Value),
        b'^' => named(Token::Block),
        b'!' => named(Token::Bang),
        b'#' if !text[start..].starts_with("#-}") => named(Token::Hash),
        b'@' if text[start + 1..].starts_with('"') => {
            let end = string_end(text, start + 1)?;
            Some((Token::Symbol(&text[start + 1..end]), start, end))
        }
        b'@' => named(Token::Symbol),
        b'0'..=b'9' => {
            let end = number_end(text, start);
            let spelling = &text[start..end];
            let is_float = spelling.contains('.');
            Some((if is_float { Token::Float(spelling) } else { Token::Int(spelling) }, start, end))
        }
        _ if first.is_ascii_alphabetic() || first == b'_' => {
            let end = run(text, start, word_byte);
            Some((Token::Word(&text[start..end]), start, end))
        }
        _ => PUNCTUATION
            .iter()
            .find(|&&p| text[start..].starts_with(p))
            .map(|&p| (Token::Punct(p), start, start + p.len())),
    };
    token.ok_or_else(|| {
        let c = text[start..].chars().next().unwrap_or(' ');
        LexError { at: start, message: format!("{c:?} begins nothing that can stand here") }
    })
}

fn number_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    if text[start..].starts_with("0x") && bytes.get(start + 2).is_some_and(u8::is_ascii_hexdigit) {
        return run(text, start + 2, |b| b.is_ascii_hexdigit());
    }
    let mut end = run(text, start, |b| b.is_ascii_digit());
    if bytes.get(end) != Some(&b'.') {
        return end;
    }
    end = run(text, end + 1, |b| b.is_ascii_digit());
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = run(text, end + 1 + sign, |b| b.is_ascii_digit());
        }
    }
    end
}

/// Undoes the escapes of a string: `\\`, `\"`, `\n`, `\t` and two hexadecimal digits.
pub(crate) fn unescape(raw: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut bytes = raw.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(high) => {
                let low = bytes.clone().next();
                match (hex_digit(high), low.and_then(hex_digit)) {
                    (Some(high), Some(low)) => {
                        bytes.next();
                        out.push(high * 16 + low);
                    }
                    _ => out.push(high),
                }
            }
            None => out.push(b'\\'),
        }
    }
    out
}

pub(crate) fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token<'_>> {
        let (mut at, mut out) = (0, Vec::new());
        loop {
            let (token, _, end) = next(text, at).unwrap();
            if token == Token::End {
                return out;
            }
            out.push(token);
            at = end;
        }
    }

    #[test]
    fn tokens() {
        use Token::*;
        assert_eq!(
            all("%0#1 = \"a.b\"(%arg-0) // gone\n -> !x<y> @\"q r\"::@s ^bb0: 1.5e-3 0x1F 0xg {-# #-} #a.b"),
            [
                Value("0"),
                Hash("1"),
                Punct("="),
                Str("a.b"),
                Punct("("),
                Value("arg-0"),
                Punct(")"),
                Punct("->"),
                Bang("x"),
                Punct("<"),
                Word("y"),
                Punct(">"),
                Symbol("\"q r\""),
                Punct("::"),
                Symbol("s"),
                Block("bb0"),
                Punct(":"),
                Float("1.5e-3"),
                Int("0x1F"),
                Int("0"),
                Word("xg"),
                Punct("{-#"),
                Punct("#-}"),
                Hash("a.b"),
            ]
        );
        assert_eq!(all("%a->"), [Value("a"), Punct("->")]);
    }

    #[test]
    fn what_is_no_token_is_an_error() {
        assert_eq!(next("  \"abc\n\"", 0).unwrap_err().at, 2);
        assert!(next("ä", 0).unwrap_err().message.contains('ä'));
        assert!(next("%", 0).is_err());
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape(r#"a\22\n\t\\\"\C3\A9\q"#), "a\"\n\t\\\"éq".as_bytes());
        assert_eq!(unescape("\\"), b"\\");
    }
}
