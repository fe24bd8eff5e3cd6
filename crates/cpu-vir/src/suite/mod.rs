//! The behaviour suite of executors: [`vir_tests!`](crate::vir_tests) applies it to any type that is one.
//!
//! Programs are run by the executor and by a naive interpreter that shares no code with it: one point after the
//! other, integers as i128, floats by the standard library. Knows no executor.

pub mod accuracy;
pub mod operations;
pub mod programs;
mod random;
pub mod reductions;
mod reference;
pub mod shapes;
mod storage;

use std::ops::Range;

use crate::element::Storage;
use crate::program::{Program, Role};
use crate::verify::Invalid;
pub use random::Random;
#[cfg(test)]
pub(crate) use storage::difference;

/// What runs programs.
pub trait Executor {
    /// A program made ready.
    type Kernel;
    /// Makes a program ready.
    ///
    /// # Errors
    /// When the program is invalid.
    fn prepare(program: &Program) -> Result<Self::Kernel, Invalid>;
    /// Runs a range of points over the bytes of inputs and outputs.
    fn run(kernel: &Self::Kernel, inputs: &[&[u8]], outputs: &mut [&mut [u8]], range: Range<usize>);
}

/// One test for each part of the suite, for an [`Executor`](crate::suite::Executor).
#[macro_export]
macro_rules! vir_tests {
    ($executor:ty) => {
        $crate::vir_tests!(@ $executor:
            operations::unary_operations_of_every_type
            operations::binary_operations_of_every_type
            operations::comparisons_of_every_type
            operations::conversions_between_all_types
            operations::selects_and_fused_products
            operations::narrow_integers_and_reduced_precision
            operations::every_storage_loads_stores_and_rounds
            operations::narrowing_to_odd_prevents_double_rounding
            operations::total_order
            operations::complex_numbers
            accuracy::elementary_functions_f32
            accuracy::elementary_functions_f64
            accuracy::elementary_functions_at_their_edges
            accuracy::powers_and_angles
            shapes::strides_of_every_kind
            shapes::empty_and_single
            shapes::guards
            shapes::gathers
            shapes::indices
            shapes::updates_in_place
            reductions::every_kind_and_type
            reductions::shapes_and_directions
            reductions::sums_do_not_depend_on_ranges
            reductions::long_sums_are_accurate
            reductions::of_nothing
            programs::random_programs
        );
    };
    (@ $executor:ty: $($part:ident::$test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::suite::$part::$test::<$executor>();
            }
        )*
    };
}

/// Bytes of an operand, from the least length that a program needs.
pub(crate) fn lengths(program: &Program, role: Role) -> Vec<(Storage, usize)> {
    reference::lengths(program)
        .into_iter()
        .zip(&program.operands)
        .filter(|(_, operand)| operand.role == role)
        .map(|(elements, operand)| (operand.storage, elements * operand.storage.size()))
        .collect()
}

/// Runs a program in ranges that are cut at random; the outputs.
pub(crate) fn execute<E: Executor>(program: &Program, inputs: &[Vec<u8>], before: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let kernel = E::prepare(program).unwrap_or_else(|fault| panic!("{fault}\n{program}"));
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let mut outputs = before.to_vec();
    let mut random = Random::new(program.points() as u64 + 1);
    let mut start = 0;
    while start < program.points() {
        let end = match random.below(3) {
            0 => program.points(),
            _ => (start + 1 + random.below(700) as usize).min(program.points()),
        };
        let mut slices: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        E::run(&kernel, &inputs, &mut slices, start..end);
        start = end;
    }
    outputs
}

/// Runs a program on random operands and compares every output with the naive interpreter's.
pub(crate) fn check<E: Executor>(program: &Program, random: &mut Random) {
    let inputs: Vec<Vec<u8>> =
        lengths(program, Role::Input).iter().map(|(storage, bytes)| random.elements(*storage, *bytes)).collect();
    check_on::<E>(program, &inputs, random);
}

/// As [`check`], on given inputs.
pub(crate) fn check_on<E: Executor>(program: &Program, inputs: &[Vec<u8>], random: &mut Random) {
    let outputs = lengths(program, Role::Output);
    // What is there before shows where nothing is written.
    let before: Vec<Vec<u8>> = outputs.iter().map(|(storage, bytes)| random.elements(*storage, *bytes)).collect();
    let found = execute::<E>(program, inputs, &before);
    let expected = reference::run(program, inputs, &before);
    for (index, (storage, _)) in outputs.iter().enumerate() {
        if let Some(element) = storage::difference(*storage, &found[index], &expected[index]) {
            let size = storage.size();
            let at = element * size..(element + 1) * size;
            panic!(
                "output {index}, element {element}: {:02x?}, expected {:02x?}\n{program}",
                &found[index][at.clone()],
                &expected[index][at]
            );
        }
    }
}
