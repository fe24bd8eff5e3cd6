//! Sums by rows of memory are those by tiles, to the last bit.

use crate::exec::Kernel;
use crate::program::Access;
use crate::{BinaryOp, Builder, Program, ReduceKind, Scalar, Storage};

/// Sums over the middle dimension; `one` multiplies what is summed, which is more than a load then.
fn sums(storage: Storage, [outer, reduced, inner]: [usize; 3], one: Option<Scalar>, init: Scalar) -> Program {
    let mut builder = Builder::new(&[outer, inner, reduced], 1);
    let (x, out) = (builder.input(storage), builder.output(storage));
    let strides = vec![(reduced * inner) as i64, 1, inner as i64];
    let mut value = builder.load(Access { operand: x, offset: 0, strides });
    if let Some(one) = one {
        let one = builder.constant(one);
        value = builder.binary(BinaryOp::Mul, value, one);
    }
    builder.reduce(ReduceKind::Sum, value, init, builder.dense_result(out));
    builder.finish().unwrap()
}

fn check(storage: Storage, one: Scalar, init: Scalar, number: impl Fn(u64) -> Vec<u8>) {
    for reduced in [1, 2, 7, 8, 9, 63, 64, 65, 130, 400] {
        for (outer, inner) in [(1, 1), (1, 40), (1, 64), (1, 65), (1, 1300), (3, 64), (5, 100), (4, 257), (2, 700)] {
            let dims = [outer, reduced, inner];
            let bytes: Vec<u8> = (0..(outer * reduced * inner) as u64).flat_map(&number).collect();
            let run = |program: &Program, is_column: bool| {
                let kernel = Kernel::prepare(program).unwrap();
                assert!(kernel.columns.is_none() || is_column, "{dims:?}");
                let mut out = vec![0xaa; outer * inner * storage.size()];
                let points = kernel.points();
                // In two parts, so that tiles begin elsewhere too.
                kernel.run(&[&bytes], &mut [&mut out], 0..points / 3).unwrap();
                kernel.run(&[&bytes], &mut [&mut out], points / 3..points).unwrap();
                (out, kernel.columns.is_some())
            };
            let (columns, is_column) = run(&sums(storage, dims, None, init), true);
            let (tiles, _) = run(&sums(storage, dims, Some(one), init), false);
            assert_eq!(columns, tiles, "{storage:?} {dims:?}");
            assert!(
                is_column || reduced < 7 || reduced * inner < 1000 || inner == 1,
                "{dims:?} are summed by rows of memory"
            );
        }
    }
}

/// A number between -1 and 1 for each place, with many bits.
fn scattered(at: u64) -> f64 {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[test]
fn sums_by_rows_are_those_by_tiles() {
    check(Storage::F32, 1f32.into(), 0.5f32.into(), |at| (scattered(at) as f32).to_le_bytes().to_vec());
    check(Storage::F64, 1f64.into(), 0.5f64.into(), |at| scattered(at).to_le_bytes().to_vec());
    check(Storage::I32, 1i32.into(), 7i32.into(), |at| ((scattered(at) * 2e9) as i32).to_le_bytes().to_vec());
    check(Storage::U64, 1u64.into(), 7u64.into(), |at| ((scattered(at) * 9e18) as i64).to_le_bytes().to_vec());
}
