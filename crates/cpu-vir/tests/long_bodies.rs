//! Reductions of values that take many temporary tiles.

use cpu_vir::{Access, Builder, Kernel, ReduceKind, Scalar, Storage};

#[test]
fn running_sums_outlive_the_temporaries_of_a_long_body() {
    let (rows, columns) = (50usize, 40usize);
    // Across the columns of a row-major array, and along its rows.
    for along in [false, true] {
        let mut b = Builder::new(&[if along { rows } else { columns }, if along { columns } else { rows }], 1);
        let (x, sum) = (b.input(Storage::Complex64), b.output(Storage::F32));
        let strides = if along { vec![columns as i64, 1] } else { vec![1, columns as i64] };
        let z = b.load_complex(Access { operand: x, offset: 0, strides });
        let size = b.complex_abs(z);
        b.reduce(ReduceKind::Sum, size, Scalar::from(0f32), b.dense_result(sum));
        let kernel = Kernel::prepare(&b.finish().unwrap()).unwrap();
        let parts: Vec<f32> = (0..2 * rows * columns).map(|i| (i % 17) as f32 - 8.0).collect();
        let bytes: Vec<u8> = parts.iter().flat_map(|x| x.to_le_bytes()).collect();
        let kept = if along { rows } else { columns };
        let mut out = vec![0u8; 4 * kept];
        kernel.run(&[&bytes], &mut [&mut out], 0..kernel.points()).unwrap();
        for (k, sum) in out.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).enumerate() {
            let at = |row: usize, column: usize| 2 * (row * columns + column);
            let expected: f64 = (0..if along { columns } else { rows })
                .map(|r| if along { at(k, r) } else { at(r, k) })
                .map(|i| f64::from(parts[i]).hypot(f64::from(parts[i + 1])))
                .sum();
            assert!((f64::from(sum) - expected).abs() < 1e-3 * expected, "{k}: {sum} instead of {expected}");
        }
    }
}
