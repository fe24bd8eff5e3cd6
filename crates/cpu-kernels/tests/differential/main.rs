//! Every kernel against the reference evaluator, over random shapes, attributes, element types and numbers.

mod convolution;
mod dot;
mod index;
mod isa;
mod linear;
mod movement;
mod random;
mod reduce;
mod run;
mod sort;
mod transform;
mod window;
