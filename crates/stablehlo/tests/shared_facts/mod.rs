//! Where tests find the facts that are shared beside the workspace.

use std::path::PathBuf;

/// A file or directory of the shared facts. Absent in a plain clone: the test is then to be skipped, unless CI
/// demands the facts.
pub fn path(relative: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(relative);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "shared facts are missing: {}", path.display());
    println!("skipped: {} does not exist", path.display());
    None
}
