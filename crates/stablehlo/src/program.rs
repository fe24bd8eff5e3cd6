//! Reading a program in whatever form it comes.

use crate::bytecode::{self, ReadError};
use crate::ir::Module;
use crate::text;

/// Reads a program, whose form is recognised by its content: bytecode or text.
///
/// # Errors
/// As [`bytecode::read`] and [`text::parse`]; and if the bytes are in no form that is read.
pub fn read_program(bytes: &[u8]) -> Result<Module, ReadError> {
    read_program_named(bytes, "program")
}

/// The same, with the name of the file, for the locations and errors of a text.
///
/// # Errors
/// As [`read_program`].
pub fn read_program_named(bytes: &[u8], file: &str) -> Result<Module, ReadError> {
    if bytecode::is_bytecode(bytes) {
        return bytecode::read(bytes);
    }
    if bytes.is_empty() {
        return Err(ReadError::new("the program is empty"));
    }
    match std::str::from_utf8(bytes).ok().filter(|text| is_text(text)) {
        Some(text) => text::parse_named(text, file).map_err(|error| ReadError::new(error.to_string())),
        None => {
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).into_owned();
            Err(ReadError::new(format!(
                "the program begins with {start:?}: it is neither MLIR bytecode (4D 4C EF 52) nor text"
            )))
        }
    }
}

/// Whether a file can be meant as text: no control characters but white space.
fn is_text(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_forms_are_refused_with_their_beginning() {
        assert_eq!(read_program(b"").unwrap_err().message(), "the program is empty");
        assert!(read_program(b"\x08\x01hlo").unwrap_err().message().contains("hlo"));
        assert!(read_program(b"\xff\xfe").unwrap_err().message().contains("neither"));
    }

    #[test]
    fn text_is_recognised() {
        assert!(read_program(b"module @m {}").is_ok());
        let error = read_program_named(b"module @m {", "f.mlir").unwrap_err();
        assert!(error.message().starts_with("f.mlir:1:12: "), "{error}");
    }
}
