//! The engine against the reference evaluator.

mod corpus;
mod loops;
mod programs;
mod random;
mod support;
mod threefry;
