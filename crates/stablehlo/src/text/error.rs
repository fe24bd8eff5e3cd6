//! What a failed parse says: where, what was expected, and the line with a caret.

use std::fmt;

/// Longest piece of the source line that a message shows.
const SHOWN: usize = 100;

/// Why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(Box<Details>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    file: String,
    message: String,
    line: usize,
    column: usize,
    source: String,
    caret: usize,
}

impl ParseError {
    /// An error at a byte of the text.
    pub(crate) fn at(file: &str, text: &str, byte: usize, message: impl Into<String>) -> ParseError {
        let byte = char_boundary(text, byte);
        let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
        let end = text[byte..].find('\n').map_or(text.len(), |at| byte + at);
        let line = text[..start].bytes().filter(|&b| b == b'\n').count() + 1;
        let column = text[start..byte].chars().count() + 1;
        // Constants make lines of megabytes: show the neighbourhood.
        let from = if byte - start > SHOWN * 3 / 4 { char_boundary(text, byte - SHOWN / 2) } else { start };
        let to = char_boundary(text, end.min(from + SHOWN));
        let (before, after) = (if from > start { "…" } else { "" }, if to < end { "…" } else { "" });
        let source = format!("{before}{}{after}", text[from..to].trim_end_matches('\r'));
        let caret = before.chars().count() + text[from..byte.min(to).max(from)].chars().count();
        ParseError(Box::new(Details { file: file.to_owned(), message: message.into(), line, column, source, caret }))
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The line of source, shortened around the place if it is long.
    pub fn source_line(&self) -> &str {
        &self.0.source
    }
}

/// The last boundary of a character at or before a byte.
pub(crate) fn char_boundary(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { file, message, line, column, source, caret } = &*self.0;
        writeln!(f, "{file}:{line}:{column}: {message}")?;
        writeln!(f, "  {source}")?;
        // Tabs stay tabs, so that the caret stands under its character.
        let indent: String = source.chars().take(*caret).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "  {indent}^")
    }
}

impl std::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_its_character() {
        let error = ParseError::at("f", "first\n\tä = @x", "first\n\tä = ".len(), "no");
        assert_eq!((error.line(), error.column()), (2, 6));
        assert_eq!(error.to_string(), "f:2:6: no\n  \tä = @x\n  \t    ^");
        let end = ParseError::at("f", "abc", 99, "more");
        assert_eq!(end.to_string(), "f:1:4: more\n  abc\n     ^");
    }

    #[test]
    fn long_lines_are_shortened() {
        let text = "x".repeat(5000) + "!" + &"y".repeat(5000);
        let error = ParseError::at("f", &text, 5000, "here").to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert!(lines[1].chars().count() < 120);
        let at = lines[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[1].chars().nth(at), Some('!'));
    }
}
