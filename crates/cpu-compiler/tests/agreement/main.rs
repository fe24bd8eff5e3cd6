//! The engine against the reference evaluator.

mod branches;
mod corpus;
mod expectations;
mod gathers;
mod loops;
mod ops;
mod products;
mod programs;
mod random;
mod single_windows;
mod support;
mod threefry;
