//! StableHLO programs in pure Rust: bytecode, IR, reference evaluator.
