//! Whether libclang is installed. Only the bindings need it, so a machine without it is no broken machine.

use std::path::{Path, PathBuf};

/// Where distributions put shared libraries.
const DIRECTORIES: [&str; 5] =
    ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

/// Whether `cargo xtask bindgen` would find libclang.
pub fn is_installed() -> bool {
    let named = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let versioned = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let versioned = versioned.filter(|path| file_name(path).starts_with("llvm")).map(|path| path.join("lib"));
    let directories = DIRECTORIES.iter().map(PathBuf::from).chain(versioned).chain(named);
    directories.flat_map(|directory| std::fs::read_dir(directory).into_iter().flatten().flatten()).any(|entry| {
        let path = entry.path();
        let name = file_name(&path);
        name.starts_with("libclang.so")
            || (name.starts_with("libclang-") && name.contains(".so") && !name.contains("cpp"))
    })
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
