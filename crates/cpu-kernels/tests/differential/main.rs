//! Every kernel against the reference evaluator, over random shapes, attributes, element types and numbers.

mod dot;
mod index;
mod random;
mod reduce;
mod run;
mod window;
