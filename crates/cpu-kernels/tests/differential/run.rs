//! Running kernels on tensors, and comparing what comes out.

use cpu_kernels::{KernelError, OpKernel, Shape};
use cpu_runtime::Pool;
use cpu_vir::Storage;
use stablehlo::eval::Tensor;
use std::sync::LazyLock;

use crate::random::element_type;

static POOLS: LazyLock<[Pool; 2]> = LazyLock::new(|| [Pool::new(1), Pool::new(3)]);

pub fn shape(x: &Tensor) -> Shape {
    let name = x.element_type().text();
    let storage = Storage::ALL.iter().find(|storage| storage.name() == name).expect("a storage of that name");
    Shape::new(*storage, x.dims())
}

/// Runs a kernel, on one thread and on several, from aligned memory and from elsewhere, into memory with other
/// contents. The results must be the same bits.
pub fn run(kernel: &dyn OpKernel, inputs: &[&Tensor], outputs: &[Shape]) -> Vec<Tensor> {
    let bytes: Vec<&[u8]> = inputs.iter().map(|x| x.bytes()).collect();
    let attempt = |pool: &Pool, inputs: &[&[u8]], offset: usize, fill: u8| -> Result<Vec<Vec<u8>>, KernelError> {
        let mut buffers: Vec<Vec<u8>> = outputs.iter().map(|shape| vec![fill; shape.bytes() + offset]).collect();
        kernel.run(pool, inputs, &mut buffers.iter_mut().map(|b| &mut b[offset..]).collect::<Vec<_>>())?;
        Ok(buffers.into_iter().map(|b| b[offset..].to_vec()).collect())
    };
    let first = attempt(&POOLS[0], &bytes, 0, 0xaa).unwrap();
    assert_eq!(first, attempt(&POOLS[1], &bytes, 0, 0).unwrap(), "results depend on threads or old contents");
    let shifted: Vec<Vec<u8>> = bytes.iter().map(|b| [&[0u8][..], b].concat()).collect();
    let shifted: Vec<&[u8]> = shifted.iter().map(|b| &b[1..]).collect();
    assert_eq!(first, attempt(&POOLS[1], &shifted, 1, 0xff).unwrap(), "results depend on alignment");
    let tensor = |(shape, bytes): (&Shape, Vec<u8>)| {
        let x = Tensor::from_bytes(element_type(shape.storage), &shape.dims, &bytes).unwrap();
        assert_eq!(x.bytes(), bytes, "elements of {shape} are canonical");
        x
    };
    outputs.iter().zip(first).map(tensor).collect()
}

/// The tensor's numbers, parts of complex ones in pairs.
pub fn numbers(x: &Tensor) -> Vec<f64> {
    use stablehlo::ElementType;
    match x.element_type() {
        ElementType::C64 => x.bytes().chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()) as f64).collect(),
        ElementType::C128 => x.bytes().chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
        _ => stablehlo::eval::ops::convert::to_f64s(x).unwrap(),
    }
}

/// Equal but for rounding: within `tolerance` of the greater of 1 and the number, and NaN where NaN is wanted.
#[track_caller]
pub fn assert_close(got: &Tensor, want: &Tensor, tolerance: f64, what: &dyn std::fmt::Debug) {
    assert_eq!((got.element_type(), got.dims()), (want.element_type(), want.dims()), "{what:?}");
    for (i, (g, w)) in numbers(got).into_iter().zip(numbers(want)).enumerate() {
        let close = g == w || g.is_nan() && w.is_nan() || (g - w).abs() <= tolerance * w.abs().max(1.0);
        assert!(close, "element {i} is {g}, not {w}: {what:?}");
    }
}

/// The same bits, but any NaN for any NaN.
#[track_caller]
pub fn assert_same(got: &Tensor, want: &Tensor, what: &dyn std::fmt::Debug) {
    assert_eq!((got.element_type(), got.dims()), (want.element_type(), want.dims()), "{what:?}");
    if got.bytes() == want.bytes() {
        return;
    }
    let size = got.element_type().byte_width().max(1);
    let is_float = shape(got).storage.compute().is_float();
    let parts = if is_float { numbers(got).into_iter().zip(numbers(want)).collect() } else { Vec::new() };
    let per_element = parts.len() / got.len();
    for (i, (g, w)) in got.bytes().chunks(size).zip(want.bytes().chunks(size)).enumerate() {
        let part_size = size / per_element.max(1);
        for (p, (g, w)) in g.chunks(part_size).zip(w.chunks(part_size)).enumerate() {
            let both_nan =
                per_element > 0 && parts[i * per_element + p].0.is_nan() && parts[i * per_element + p].1.is_nan();
            assert!(g == w || both_nan, "element {i} is {g:?}, not {w:?}: {what:?}");
        }
    }
}

/// The relative size of a rounding in a type.
pub fn epsilon(storage: Storage) -> f64 {
    match storage {
        Storage::F64 | Storage::Complex128 => f64::EPSILON,
        Storage::F32 | Storage::Complex64 => f64::from(f32::EPSILON),
        Storage::F16 => 1.0 / 1024.0,
        Storage::BF16 => 1.0 / 128.0,
        Storage::F8E3M4 => 1.0 / 16.0,
        Storage::F8E5M2 | Storage::F8E5M2FNUZ | Storage::F6E3M2FN => 0.25,
        Storage::F4E2M1FN => 0.5,
        Storage::F8E8M0FNU => 1.0,
        _ => 0.125,
    }
}
