//! Developer commands, run as `cargo xtask COMMAND`.
#![forbid(unsafe_code)]

fn main() {}
