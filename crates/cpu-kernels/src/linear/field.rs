//! Numbers that systems are solved in.

use bytemuck::Pod;
use cpu_vir::Storage;
use num_complex::{Complex, ComplexFloat};

/// f32, f64, and complex numbers of those.
pub(super) trait Field: ComplexFloat<Real: Pod + Send + Sync> + Pod + Send + Sync + std::ops::SubAssign {
    fn real(x: Self::Real) -> Self;
    const NAN: Self;
}

macro_rules! fields {
    ($($T:ident)*) => {$(
        impl Field for $T {
            fn real(x: $T) -> $T {
                x
            }
            const NAN: $T = $T::NAN;
        }

        impl Field for Complex<$T> {
            fn real(x: $T) -> Complex<$T> {
                Complex::new(x, 0.0)
            }
            const NAN: Complex<$T> = Complex { re: $T::NAN, im: $T::NAN };
        }
    )*};
}
fields! { f32 f64 }

/// The storage in which a type is computed: small floats in f32.
pub(super) fn compute(storage: Storage) -> Option<Storage> {
    match storage {
        Storage::F64 | Storage::Complex64 | Storage::Complex128 => Some(storage),
        _ if storage.compute().is_float() => Some(Storage::F32),
        _ => None,
    }
}

/// Evaluates an expression with `$T` as the field of a storage that [`compute`] gave.
macro_rules! with_field {
    ($storage:expr, $T:ident => $body:expr) => {{
        macro_rules! arm {
            ($F:ty) => {{
                type $T = $F;
                $body
            }};
        }
        match $storage {
            cpu_vir::Storage::F64 => arm!(f64),
            cpu_vir::Storage::Complex64 => arm!(num_complex::Complex<f32>),
            cpu_vir::Storage::Complex128 => arm!(num_complex::Complex<f64>),
            _ => arm!(f32),
        }
    }};
}
pub(super) use with_field;
