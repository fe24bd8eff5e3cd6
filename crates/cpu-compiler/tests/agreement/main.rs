//! The engine against the reference evaluator.

mod corpus;
mod programs;
mod random;
mod support;
mod threefry;
