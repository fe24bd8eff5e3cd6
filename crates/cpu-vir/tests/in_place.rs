//! Programs that update several arrays in place.

use cpu_vir::{BinaryOp, Builder, Direction, Kernel, Storage};

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

#[test]
fn two_arrays_change_places() {
    for n in [1usize, 3, 100, 1000] {
        let mut b = Builder::new(&[n], 0);
        let (x, y) = (b.output(Storage::F32), b.output(Storage::F32));
        let (xv, yv) = (b.load(b.dense(x)), b.load(b.dense(y)));
        let mask = b.compare(Direction::Lt, xv, yv);
        let low = b.select(mask, xv, yv);
        let high = b.binary(BinaryOp::Max, xv, yv);
        b.store(b.dense(x), high);
        b.store(b.dense(y), low);
        let kernel = Kernel::prepare(&b.finish().unwrap()).unwrap();
        let first: Vec<f32> = (0..n).map(|i| (i * 7 % 11) as f32).collect();
        let second: Vec<f32> = (0..n).map(|i| (i * 5 % 13) as f32).collect();
        let (mut x, mut y) = (bytes(&first), bytes(&second));
        kernel.run(&[], &mut [&mut x, &mut y], 0..n).unwrap();
        let high: Vec<f32> = first.iter().zip(&second).map(|(a, b)| a.max(*b)).collect();
        let low: Vec<f32> = first.iter().zip(&second).map(|(a, b)| a.min(*b)).collect();
        assert_eq!((x, y), (bytes(&high), bytes(&low)), "{n}");
    }
}

#[test]
fn two_arrays_are_exchanged() {
    let n = 700;
    let mut b = Builder::new(&[n], 0);
    let (x, y) = (b.output(Storage::F32), b.output(Storage::F32));
    let (xv, yv) = (b.load(b.dense(x)), b.load(b.dense(y)));
    b.store(b.dense(x), yv);
    b.store(b.dense(y), xv);
    let kernel = Kernel::prepare(&b.finish().unwrap()).unwrap();
    let first: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let second: Vec<f32> = (0..n).map(|i| -(i as f32)).collect();
    let (mut x, mut y) = (bytes(&first), bytes(&second));
    kernel.run(&[], &mut [&mut x, &mut y], 0..n).unwrap();
    assert_eq!((x, y), (bytes(&second), bytes(&first)));
}
