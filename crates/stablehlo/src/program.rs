//! Reading a program in whatever form it comes.

use crate::bytecode::{self, ReadError};
use crate::ir::Module;

/// Reads a program, whose form is recognised by its content.
///
/// # Errors
/// As [`bytecode::read`]; and if the bytes are in no form that is read.
pub fn read_program(bytes: &[u8]) -> Result<Module, ReadError> {
    if bytecode::is_bytecode(bytes) {
        return bytecode::read(bytes);
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).into_owned();
    let what = if bytes.is_empty() {
        "the program is empty".to_owned()
    } else if std::str::from_utf8(bytes).is_ok_and(|text| text.contains("module") || text.contains("func")) {
        "the program looks like MLIR text, which is not read here: serialise it as a portable artifact".to_owned()
    } else {
        format!("the program begins with {start:?}, not as MLIR bytecode (4D 4C EF 52) does")
    };
    Err(ReadError::new(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_forms_are_refused_with_their_beginning() {
        assert_eq!(read_program(b"").unwrap_err().message(), "the program is empty");
        assert!(read_program(b"module @m {}").unwrap_err().message().contains("text"));
        assert!(read_program(b"\x08\x01hlo").unwrap_err().message().contains("hlo"));
    }
}
