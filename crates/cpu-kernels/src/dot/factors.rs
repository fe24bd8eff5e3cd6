//! Operands and result of sums of products, brought into the type that the sums are computed in and back.
//!
//! Knows nothing of how products are paired: matrix products and convolutions hand in their own loops.

use cpu_runtime::Pool;
use cpu_vir::Storage;

use crate::convert::Conversion;
use crate::view::with_operands;
use crate::{KernelError, Shape, scratch};

/// Two operands, a result, and the type between them.
pub(crate) struct Factors {
    lhs: Shape,
    rhs: Shape,
    result: Shape,
    compute: Storage,
    lhs_conversion: Option<Conversion>,
    rhs_conversion: Option<Conversion>,
    result_conversion: Option<Conversion>,
}

impl Factors {
    /// # Errors
    /// When the result does not fit in memory.
    pub(crate) fn prepare(op: &'static str, lhs: &Shape, rhs: &Shape, result: Shape) -> Result<Factors, KernelError> {
        result.check(op)?;
        let compute = domain(lhs.storage, rhs.storage, result.storage);
        Ok(Factors {
            lhs_conversion: Conversion::between(lhs.storage, compute, lhs.elements()),
            rhs_conversion: Conversion::between(rhs.storage, compute, rhs.elements()),
            result_conversion: Conversion::between(compute, result.storage, result.elements()),
            lhs: lhs.clone(),
            rhs: rhs.clone(),
            result,
            compute,
        })
    }

    /// Whether operands and result are of the type that is computed in.
    pub(crate) fn is_plain(&self) -> bool {
        [&self.lhs, &self.rhs, &self.result].iter().all(|shape| shape.storage == self.compute)
    }

    /// The shape of the result.
    pub(crate) fn result(&self) -> &Shape {
        &self.result
    }

    /// The type that the sums are computed in.
    pub(crate) fn compute(&self) -> Storage {
        self.compute
    }

    /// Calls `product(lhs, rhs, out)` with the arrays themselves.
    ///
    /// # Errors
    /// When the number of operands or a length is another than prepared for.
    pub(crate) fn run_as_is(
        &self,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        product: impl FnOnce(&[u8], &[u8], &mut [u8]),
    ) -> Result<(), KernelError> {
        with_operands((&[&self.lhs, &self.rhs], inputs), (&[&self.result], outputs), |inputs, outputs| {
            product(inputs[0], inputs[1], outputs[0]);
            Ok(())
        })
    }

    /// Calls `product(lhs, rhs, sums)` with arrays of the type that is computed in, and converts the sums.
    ///
    /// # Errors
    /// When the number of operands or a length is another than prepared for.
    pub(crate) fn run(
        &self,
        pool: &Pool,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        product: impl Fn(&[u8], &[u8], &mut [u8]),
    ) -> Result<(), KernelError> {
        with_operands((&[&self.lhs, &self.rhs], inputs), (&[&self.result], outputs), |inputs, outputs| {
            let out = &mut *outputs[0];
            let (lhs_count, rhs_count) = (self.lhs.elements(), self.rhs.elements());
            converted(pool, &self.lhs_conversion, inputs[0], lhs_count, self.compute, |lhs| {
                converted(pool, &self.rhs_conversion, inputs[1], rhs_count, self.compute, |rhs| {
                    match &self.result_conversion {
                        None => product(lhs, rhs, out),
                        Some(conversion) => {
                            scratch::with(self.result.elements() * self.compute.size(), |sums: &mut [u8]| {
                                product(lhs, rhs, sums);
                                conversion.run(pool, sums, out);
                            })
                        }
                    }
                })
            });
            Ok(())
        })
    }
}

/// Runs an expression with `$T` as the type of the sums of a storage.
macro_rules! with_sums {
    ($storage:expr, $T:ident => $body:expr) => {{
        use num_complex::Complex;
        match $storage {
            cpu_vir::Storage::F32 => {
                type $T = f32;
                $body
            }
            cpu_vir::Storage::F64 => {
                type $T = f64;
                $body
            }
            cpu_vir::Storage::Complex64 => {
                type $T = Complex<f32>;
                $body
            }
            cpu_vir::Storage::Complex128 => {
                type $T = Complex<f64>;
                $body
            }
            // Modulo a power of two signs do not matter.
            other => match other.size() {
                1 => {
                    type $T = u8;
                    $body
                }
                2 => {
                    type $T = u16;
                    $body
                }
                4 => {
                    type $T = u32;
                    $body
                }
                _ => {
                    type $T = u64;
                    $body
                }
            },
        }
    }};
}
pub(crate) use with_sums;

/// Calls `body` with the array as the numbers that are computed with.
pub(crate) fn converted<R>(
    pool: &Pool,
    conversion: &Option<Conversion>,
    bytes: &[u8],
    elements: usize,
    compute: Storage,
    body: impl FnOnce(&[u8]) -> R,
) -> R {
    match conversion {
        None => body(bytes),
        Some(conversion) => scratch::with(elements * compute.size(), |wide: &mut [u8]| {
            conversion.run(pool, bytes, wide);
            body(wide)
        }),
    }
}

/// The type that products of these types, summed to the result type, are computed in.
fn domain(lhs: Storage, rhs: Storage, result: Storage) -> Storage {
    let all = [lhs, rhs, result];
    let is_double = |storage: Storage| matches!(storage, Storage::F64 | Storage::Complex128);
    let is_whole = |storage: Storage| !storage.compute().is_float();
    // An integer that f32 does not hold makes a mixed product double.
    let is_wide = |storage: Storage| is_double(storage) || is_whole(storage) && storage.size() > 2;
    if all.iter().any(|storage| storage.is_complex()) {
        if all.into_iter().any(is_wide) { Storage::Complex128 } else { Storage::Complex64 }
    } else if !is_whole(lhs) || !is_whole(rhs) {
        if all.into_iter().any(is_wide) { Storage::F64 } else { Storage::F32 }
    } else if !is_whole(result) {
        // Exact sums, rounded at the end.
        Storage::I64
    } else if result == Storage::Bool {
        if lhs == Storage::Bool && rhs == Storage::Bool { Storage::U32 } else { Storage::U64 }
    } else {
        result.compute().storage()
    }
}
