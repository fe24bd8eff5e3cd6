//! A client of the PJRT C API in Rust: loads any plugin and checks its contract.
