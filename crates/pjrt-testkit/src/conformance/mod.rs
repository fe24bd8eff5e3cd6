//! The contract as a list of checks that any plugin can be run through.
