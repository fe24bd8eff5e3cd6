//! Every unit of this machine against sums in `f64`, over ragged sizes and strides.

use super::*;
use crate::element::Bf16;

/// The next of a row of small numbers, as bits: exact in bfloat16, and so are their products in `f32`.
fn next(state: &mut u32) -> u16 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    let value = (*state >> 24) as f32 / 16.0 - 8.0;
    (value.to_bits() >> 16) as u16
}

fn number(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// A matrix with some elements between rows and between columns, and those that are no part of it not numbers.
fn matrix(state: &mut u32, rows: usize, columns: usize, turned: bool) -> (Vec<u16>, usize, usize) {
    let (row, column) = if turned { (1, rows + 3) } else { (columns + 5, 1) };
    let mut elements = vec![0x7fc0; (rows - 1) * row + (columns - 1) * column + 1];
    for r in 0..rows {
        for c in 0..columns {
            elements[r * row + c * column] = next(state);
        }
    }
    (elements, row, column)
}

fn units() -> Vec<Unit> {
    [Unit::Tiles, Unit::Pairs].into_iter().filter(|unit| unit.is_supported()).collect()
}

#[test]
fn units_agree_with_exact_sums() {
    let mut state = 1;
    let sizes = [(1, 64, 70), (33, 31, 5), (32, 32, 32), (40, 1, 40), (70, 530, 65), (100, 1100, 33), (2, 1025, 300)];
    for unit in units() {
        for (rows, depth, columns) in sizes {
            for (lhs_turned, rhs_turned) in [(false, false), (true, false), (false, true), (true, true)] {
                let (lhs, lhs_row, lhs_column) = matrix(&mut state, rows, depth, lhs_turned);
                let (rhs, rhs_row, rhs_column) = matrix(&mut state, depth, columns, rhs_turned);
                let stride = columns + 2;
                let mut sums = vec![f32::NAN; rows * stride];
                let mut rounded = vec![0xffffu16; rows * stride];
                let at = Output { start: 0, stride, rows, columns };
                let a = Matrix::new(&lhs, 0, lhs_row, lhs_column);
                let b = Matrix::new(&rhs, 0, rhs_row, rhs_column);
                let pool = Pool::new(2);
                product::<f32>(unit, &pool, &Shared::new(&mut sums), at, a, b, depth);
                product::<Bf16>(unit, &pool, &Shared::new(&mut rounded), at, a, b, depth);
                for r in 0..rows {
                    for c in 0..stride {
                        let (sum, bits) = (sums[r * stride + c], rounded[r * stride + c]);
                        if c >= columns {
                            assert!(sum.is_nan() && bits == 0xffff, "beyond the part nothing is written");
                            continue;
                        }
                        let element = |k: usize| {
                            number(lhs[r * lhs_row + k * lhs_column]) * number(rhs[k * rhs_row + c * rhs_column])
                        };
                        let exact = (0..depth).map(element).fold(0.0, |sum, product| sum + product);
                        // Multiples of 1/256 below 2^16 in size: f32 has them all.
                        assert_eq!(f64::from(sum), exact, "{unit:?} {rows}x{depth}x{columns} at {r}, {c}");
                        assert_eq!(bits, Bf16::write(exact as f32));
                    }
                }
            }
        }
    }
}

#[test]
fn rounding_is_to_nearest_even() {
    for (bits, wanted) in [
        (0x3f80_0000u32, 0x3f80u16),
        (0x3f80_8000, 0x3f80),
        (0x3f81_8000, 0x3f82),
        (0x3f80_8001, 0x3f81),
        (0x7f7f_ffff, 0x7f80),
        (0xff80_0000, 0xff80),
        (0x8000_0000, 0x8000),
        (0x7f80_0001, 0x7fc0),
        (0xffff_ffff, 0xffff),
    ] {
        assert_eq!(Bf16::write(f32::from_bits(bits)), wanted, "{bits:#x}");
    }
}

/// Infinities meet zeros only where the operands have them: not in what the depth is filled up with.
#[test]
fn no_number_comes_from_the_filling() {
    for unit in units() {
        let (rows, depth, columns) = (5, 33, 40);
        let lhs = vec![0x7f80u16; rows * depth];
        let rhs = vec![0x3f80u16; depth * columns];
        let mut sums = vec![0f32; rows * columns];
        let at = Output { start: 0, stride: columns, rows, columns };
        let (a, b) = (Matrix::new(&lhs, 0, depth, 1), Matrix::new(&rhs, 0, columns, 1));
        product::<f32>(unit, &Pool::new(1), &Shared::new(&mut sums), at, a, b, depth);
        assert!(sums.iter().all(|sum| *sum == f32::INFINITY), "{unit:?}: {sums:?}");
    }
}
