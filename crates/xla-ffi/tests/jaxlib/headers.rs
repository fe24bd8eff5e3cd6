//! jaxlib's headers, and programs compiled with them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{output, python};

/// The headers of a jaxlib.
pub struct Headers {
    pub include: PathBuf,
    /// Version 0.x of the API.
    pub minor: i32,
}

/// The headers of the Python's jaxlib.
pub fn find() -> Option<Headers> {
    let script = "import jaxlib, os; print(os.path.join(os.path.dirname(jaxlib.__file__), 'include'))";
    let include = PathBuf::from(output(Command::new(python()?).args(["-c", script])).trim_end());
    let text = std::fs::read_to_string(include.join("xla/ffi/api/c_api.h")).unwrap();
    let number = |name: &str| -> i32 {
        let line = text.lines().find(|line| line.starts_with(&format!("#define {name} "))).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(number("XLA_FFI_API_MAJOR"), 0, "another ABI");
    Some(Headers { include, minor: number("XLA_FFI_API_MINOR") })
}

/// Where a test may write.
pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("xla-ffi-{}-{name}", std::process::id()))
}
