//! `fft`: discrete Fourier transforms over the last one to three dimensions.
//!
//! One dimension at a time, lines side by side where they are contiguous and copied together where they are not. Inverse
//! transforms divide by the length. Plans are made once, when the kernel first runs: those of long transforms take a millisecond,
//! which compiling need not wait for.
#![allow(unsafe_code, reason = "tasks transform different lines of one array")]

use std::sync::{Arc, OnceLock};

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::Storage;
use num_complex::Complex;
use rustfft::{Fft as Plan, FftDirection, FftNum, FftPlanner};

use crate::parallel::{Shared, ranges};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "fft";

/// Which transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FftKind {
    /// Complex to complex.
    Fft,
    /// Its inverse.
    Ifft,
    /// Real to the first half of the spectrum.
    Rfft,
    /// The first half of a spectrum to real.
    Irfft,
}

/// Lines that are copied together when they are not contiguous: a cache line of f32 complex numbers.
const LINES: usize = 8;

/// Input: an array. Output: its transform.
pub struct Fft {
    operand: Shape,
    result: Shape,
    kind: FftKind,
    /// The dimensions of the array that is transformed: of the input, but with the full length of the last one.
    dims: Vec<usize>,
    lengths: Vec<usize>,
    plans: OnceLock<Plans>,
}

enum Plans {
    Single(Vec<Arc<dyn Plan<f32>>>),
    Double(Vec<Arc<dyn Plan<f64>>>),
}

fn plans<T: FftNum>(lengths: &[usize], inverse: bool) -> Vec<Arc<dyn Plan<T>>> {
    let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
    let mut planner = FftPlanner::new();
    lengths.iter().map(|&length| planner.plan_fft(length, direction)).collect()
}

/// Elements of half a spectrum.
fn half(length: usize) -> usize {
    if length == 0 { 0 } else { length / 2 + 1 }
}

impl Fft {
    /// `lengths` are those of the last dimensions, on the real side.
    ///
    /// # Errors
    /// When types or lengths do not fit.
    pub fn prepare(operand: &Shape, kind: FftKind, lengths: &[usize]) -> Result<Fft, KernelError> {
        operand.check(OP)?;
        let single = matches!(operand.storage, Storage::F32 | Storage::Complex64);
        let type_fits = match operand.storage {
            Storage::F32 | Storage::F64 => kind == FftKind::Rfft,
            Storage::Complex64 | Storage::Complex128 => kind != FftKind::Rfft,
            _ => false,
        };
        let rank = operand.rank();
        let count = lengths.len();
        let mut sizes = lengths.to_vec();
        if let (FftKind::Irfft, Some(last)) = (kind, sizes.last_mut()) {
            *last = half(*last);
        }
        if !type_fits || !(1..=3).contains(&count) || count > rank || operand.dims[rank - count..] != sizes {
            return Err(KernelError::invalid(OP, format!("{kind:?} of length {lengths:?} over {operand}")));
        }
        let mut dims = operand.dims.clone();
        dims[rank - 1] = lengths[count - 1];
        let mut result = dims.clone();
        if kind == FftKind::Rfft {
            result[rank - 1] = half(lengths[count - 1]);
        }
        let storage = match (kind == FftKind::Irfft, single) {
            (true, true) => Storage::F32,
            (true, false) => Storage::F64,
            (false, true) => Storage::Complex64,
            (false, false) => Storage::Complex128,
        };
        let result = Shape::new(storage, &result);
        result.check(OP)?;
        Ok(Fft { operand: operand.clone(), result, kind, dims, lengths: lengths.to_vec(), plans: OnceLock::new() })
    }

    fn plans(&self) -> &Plans {
        self.plans.get_or_init(|| {
            let inverse = matches!(self.kind, FftKind::Ifft | FftKind::Irfft);
            match self.operand.storage {
                Storage::F32 | Storage::Complex64 => Plans::Single(plans(&self.lengths, inverse)),
                _ => Plans::Double(plans(&self.lengths, inverse)),
            }
        })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        &self.result
    }

    fn transform<T: Real>(&self, pool: &Pool, plans: &[Arc<dyn Plan<T>>], input: &[u8], output: &mut [u8]) {
        if output.is_empty() {
            return;
        }
        let last = self.lengths.len() - 1;
        let length = self.lengths[last];
        let lines = self.dims.iter().rev().skip(1).product::<usize>();
        let kept = half(length);
        match self.kind {
            FftKind::Fft | FftKind::Ifft => {
                let out = numbers_mut::<Complex<T>>(output);
                out.copy_from_slice(numbers(input));
                for axis in (0..=last).rev() {
                    self.axis(pool, plans, axis, length, out);
                }
                self.scale(pool, out);
            }
            FftKind::Rfft => {
                let (input, out) = (numbers::<T>(input), numbers_mut::<Complex<T>>(output));
                let shared = Shared::new(&mut *out);
                ranges(pool, lines, line_cost(length), &|start, end| {
                    let plan = &plans[last];
                    scratch::with(length + plan.get_inplace_scratch_len(), |memory: &mut [Complex<T>]| {
                        let (line, spare) = memory.split_at_mut(length);
                        for row in start..end {
                            let from = &input[row * length..][..length];
                            line.iter_mut().zip(from).for_each(|(to, x)| *to = Complex::new(*x, T::NIL));
                            plan.process_with_scratch(line, spare);
                            // SAFETY: every row is handed out once.
                            unsafe { shared.part(row * kept, kept) }.copy_from_slice(&line[..kept]);
                        }
                    });
                });
                for axis in (0..last).rev() {
                    self.axis(pool, plans, axis, kept, out);
                }
            }
            FftKind::Irfft => scratch::with(lines * kept, |spectrum: &mut [Complex<T>]| {
                spectrum.copy_from_slice(numbers(input));
                // The outer axes first, on the half spectrum; then the last one, completed by symmetry.
                for axis in 0..last {
                    self.axis(pool, plans, axis, kept, spectrum);
                }
                let spectrum = &*spectrum;
                let shared = Shared::new(numbers_mut::<T>(output));
                let scale = T::part(self.lengths.iter().product());
                ranges(pool, lines, line_cost(length), &|start, end| {
                    let plan = &plans[last];
                    scratch::with(length + plan.get_inplace_scratch_len(), |memory: &mut [Complex<T>]| {
                        let (line, spare) = memory.split_at_mut(length);
                        for row in start..end {
                            let half = &spectrum[row * kept..][..kept];
                            for (k, to) in line.iter_mut().enumerate() {
                                *to = match k {
                                    // Symmetry makes these real, whatever was given.
                                    _ if k == 0 || 2 * k == length => Complex::new(half[k].re, T::NIL),
                                    _ if k < kept => half[k],
                                    _ => half[length - k].conj(),
                                };
                            }
                            plan.process_with_scratch(line, spare);
                            // SAFETY: every row is handed out once.
                            let to = unsafe { shared.part(row * length, length) };
                            to.iter_mut().zip(&*line).for_each(|(to, x)| *to = x.re * scale);
                        }
                    });
                });
            }),
        }
    }

    /// Transforms one of the axes in place; `innermost` is the size of the last dimension now.
    fn axis<T: Real>(
        &self,
        pool: &Pool,
        plans: &[Arc<dyn Plan<T>>],
        axis: usize,
        innermost: usize,
        values: &mut [Complex<T>],
    ) {
        let (plan, length) = (&plans[axis], self.lengths[axis]);
        let dimension = self.dims.len() - self.lengths.len() + axis;
        let last = self.dims.len() - 1;
        let inner: usize = (dimension + 1..=last).map(|d| if d == last { innermost } else { self.dims[d] }).product();
        let outer = values.len() / (length * inner).max(1);
        let shared = Shared::new(values);
        let spare = plan.get_inplace_scratch_len();
        if inner == 1 {
            return ranges(pool, outer, line_cost(length), &|start, end| {
                scratch::with(spare, |spare: &mut [Complex<T>]| {
                    for line in start..end {
                        // SAFETY: every line is handed out once.
                        plan.process_with_scratch(unsafe { shared.part(line * length, length) }, spare);
                    }
                });
            });
        }
        let groups = inner.div_ceil(LINES);
        ranges(pool, outer * groups, line_cost(length) * LINES as u64, &|start, end| {
            scratch::with(LINES * length + spare, |memory: &mut [Complex<T>]| {
                let (lines, spare) = memory.split_at_mut(LINES * length);
                for task in start..end {
                    let (o, first) = (task / groups, task % groups * LINES);
                    let count = LINES.min(inner - first);
                    let at = |i: usize| (o * length + i) * inner + first;
                    for i in 0..length {
                        // SAFETY: every group of lines is handed out once, and this is a row of it.
                        let row = unsafe { shared.part(at(i), count) };
                        row.iter().enumerate().for_each(|(l, x)| lines[l * length + i] = *x);
                    }
                    lines.chunks_exact_mut(length).take(count).for_each(|line| plan.process_with_scratch(line, spare));
                    for i in 0..length {
                        // SAFETY: as above.
                        let row = unsafe { shared.part(at(i), count) };
                        row.iter_mut().enumerate().for_each(|(l, x)| *x = lines[l * length + i]);
                    }
                }
            });
        });
    }

    fn scale<T: Real>(&self, pool: &Pool, values: &mut [Complex<T>]) {
        if self.kind == FftKind::Ifft {
            let scale = T::part(self.lengths.iter().product());
            crate::parallel::rows(pool, values, 1, 300, &|_, values| {
                values.iter_mut().for_each(|x| *x = x.scale(scale));
            });
        }
    }
}

/// Picoseconds of a line, roughly.
fn line_cost(length: usize) -> u64 {
    (length as u64 * u64::from(usize::BITS - length.leading_zeros())).saturating_mul(250) + 20_000
}

/// The parts of complex numbers.
trait Real: FftNum + Pod {
    const NIL: Self;
    /// One divided by a number of elements.
    fn part(count: usize) -> Self;
}

impl Real for f32 {
    const NIL: f32 = 0.0;
    fn part(count: usize) -> f32 {
        (1.0 / count as f64) as f32
    }
}

impl Real for f64 {
    const NIL: f64 = 0.0;
    fn part(count: usize) -> f64 {
        1.0 / count as f64
    }
}

impl OpKernel for Fft {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.operand], inputs), (&[&self.result], outputs), |inputs, outputs| {
            match self.plans() {
                Plans::Single(plans) => self.transform::<f32>(pool, plans, inputs[0], &mut *outputs[0]),
                Plans::Double(plans) => self.transform::<f64>(pool, plans, inputs[0], &mut *outputs[0]),
            }
            Ok(())
        })
    }
}
