//! Element-wise functions of one or two operands that StableHLO has no op for: those of chlo, and of the `mhlo.*`
//! custom calls that carry the same names.
//!
//! Floats of every width compute in `f64` and round once. Up to `f32` that leaves the last place right but for rare
//! ties; `f64` results are good to a few units in the last place (near the zeros of `digamma` and `lgamma` only
//! relative to the size of the terms that cancel there).

mod bessel;
mod gamma;
mod inverse_erf;
mod zeta;

use super::binary::{BinaryOp, binary};
use super::map::{map, map2, same_type};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::{Complex, ComplexElement, Float, Integer, with_complex, with_float, with_integer};
use crate::eval::tensor::Tensor;
use crate::ir::OpCode;

/// A function of one number, with its forms for real and complex numbers where it has them.
#[derive(Clone, Copy)]
pub struct Function {
    name: &'static str,
    real: Option<fn(f64) -> f64>,
    complex: Option<fn(Complex) -> Complex>,
}

/// The function that an op of chlo applies to each element; `None` if it is no such op.
pub fn function(code: OpCode) -> Option<Function> {
    let real = |f: fn(f64) -> f64| Function { name: code.mnemonic(), real: Some(f), complex: None };
    let both = |f: fn(f64) -> f64, g: fn(Complex) -> Complex| Function { complex: Some(g), ..real(f) };
    Some(match code {
        OpCode::ChloAcos => both(f64::acos, Complex::acos),
        OpCode::ChloAcosh => both(libm::acosh, Complex::acosh),
        OpCode::ChloAsin => both(f64::asin, Complex::asin),
        OpCode::ChloAsinAcosKernel => {
            Function { name: code.mnemonic(), real: None, complex: Some(Complex::asin_acos_kernel) }
        }
        OpCode::ChloAsinh => both(libm::asinh, Complex::asinh),
        OpCode::ChloAtan => both(f64::atan, Complex::atan),
        OpCode::ChloAtanh => both(libm::atanh, Complex::atanh),
        OpCode::ChloBesselI1e => real(bessel::i1e),
        OpCode::ChloConj => both(|x| x, Complex::conj),
        OpCode::ChloCosh => both(f64::cosh, Complex::cosh),
        OpCode::ChloDigamma => real(gamma::digamma),
        OpCode::ChloErf => real(libm::erf),
        OpCode::ChloErfInv => real(inverse_erf::erf_inv),
        OpCode::ChloErfc => real(libm::erfc),
        OpCode::ChloLgamma => real(libm::lgamma),
        OpCode::ChloSinh => both(f64::sinh, Complex::sinh),
        OpCode::ChloSquare => both(|x| x * x, Complex::square),
        OpCode::ChloTan => both(f64::tan, Complex::tan),
        _ => return None,
    })
}

/// Applies the function to every element. Fails when it is not defined for the element type.
pub fn apply(f: Function, x: &Tensor) -> Result<Tensor, OpError> {
    let ty = x.element_type();
    if let Some(real) = f.real {
        with_float!(ty, T => return Ok(map(x, |v: T| T::from_f64(real(v.to_f64())))), _ => ());
    }
    if let Some(complex) = f.complex {
        with_complex!(ty, T => return Ok(map(x, |v: T| T::from_complex(complex(v.to_complex())))), _ => ());
    }
    match f.name {
        // Integers have a square too.
        "square" => binary(BinaryOp::Multiply, x, x),
        name => Err(OpError::element_type(name, ty)),
    }
}

/// Which infinities a predicate asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infinities {
    /// Whether −∞ counts.
    pub negative: bool,
    /// Whether +∞ counts.
    pub positive: bool,
}

/// Whether each element is one of these infinities. Fails for other than floats.
pub fn is_infinite(which: Infinities, x: &Tensor) -> Result<Tensor, OpError> {
    let holds = move |v: f64| v.is_infinite() && if v < 0.0 { which.negative } else { which.positive };
    with_float!(x.element_type(),
        T => Ok(map(x, |v: T| Bool::new(holds(v.to_f64())))),
        _ => Err(OpError::element_type("is_inf", x.element_type())))
}

/// A function of each pair of elements of two tensors.
pub type PairFunction = fn(&Tensor, &Tensor) -> Result<Tensor, OpError>;

/// The function of two numbers that an op of chlo applies to each pair of elements; `None` if it is no such op.
pub fn function_of_two(code: OpCode) -> Option<PairFunction> {
    Some(match code {
        OpCode::ChloMulhi => mulhi,
        OpCode::ChloNextAfter => next_after,
        OpCode::ChloPolygamma => |n, x| reals("polygamma", n, x, gamma::polygamma),
        OpCode::ChloZeta => |x, q| reals("zeta", x, q, zeta::zeta),
        _ => return None,
    })
}

fn reals(name: &str, a: &Tensor, b: &Tensor, f: fn(f64, f64) -> f64) -> Result<Tensor, OpError> {
    same_type(a, b)?;
    with_float!(a.element_type(),
        T => Ok(map2(a, b, |v: T, w: T| T::from_f64(f(v.to_f64(), w.to_f64())))),
        _ => Err(OpError::element_type(name, a.element_type())))
}

/// The upper half of each product of twice the width.
fn mulhi(a: &Tensor, b: &Tensor) -> Result<Tensor, OpError> {
    same_type(a, b)?;
    // Of two 64-bit numbers, signed or not, the product fits 128 bits of the same signedness.
    fn high<T: Integer>(v: T, w: T) -> T {
        let product = if T::SIGNED {
            (v.to_i128() * w.to_i128()) as u128
        } else {
            u128::from(v.extend()) * u128::from(w.extend())
        };
        T::truncate((product >> T::BITS) as u64)
    }
    with_integer!(a.element_type(),
        T => Ok(map2(a, b, high::<T>)),
        _ => Err(OpError::element_type("mulhi", a.element_type())))
}

/// The neighbour of each `x` in the direction of `y`; `y` itself if they are equal, NaN if either is.
fn next_after(x: &Tensor, y: &Tensor) -> Result<Tensor, OpError> {
    same_type(x, y)?;
    fn next<T: Float>(x: T, y: T) -> T {
        let (from, to) = (x.to_f64(), y.to_f64());
        if from.is_nan() || to.is_nan() {
            return T::from_f64(f64::NAN);
        }
        if from == to {
            return y;
        }
        // Codes of one sign are in the order of their magnitudes.
        let sign = if T::TYPE == ElementType::F8E8M0FNU { 0 } else { 1u64 << (T::TYPE.bits() - 1) };
        if from == 0.0 && sign != 0 {
            return T::from_raw(if to < 0.0 { sign | 1 } else { 1 });
        }
        let away = (to > from) == (from > 0.0);
        let raw = if away { x.raw() + 1 } else { x.raw() - 1 };
        // A zero without a sign is the only one that some formats have.
        if sign != 0 && raw & !sign == 0 { T::from_f64(if raw == 0 { 0.0 } else { -0.0 }) } else { T::from_raw(raw) }
    }
    with_float!(x.element_type(),
        T => Ok(map2(x, y, next::<T>)),
        _ => Err(OpError::element_type("next_after", x.element_type())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::number::{Bool, F8E4M3FNUZ, F16};

    fn of(code: OpCode, x: f64) -> f64 {
        let y = apply(function(code).unwrap(), &Tensor::scalar(x)).unwrap();
        y.as_slice::<f64>()[0]
    }

    #[track_caller]
    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= 4e-15 * want.abs(), "{got:e} for {want:e}");
    }

    #[test]
    fn published_values() {
        close(of(OpCode::ChloErf, 0.5), 0.5204998778130465);
        close(of(OpCode::ChloErfc, 2.0), 0.004677734981047266);
        close(of(OpCode::ChloLgamma, 0.5), 0.5723649429247001);
        close(of(OpCode::ChloAsinh, 1.0), 0.881373587019543);
        close(of(OpCode::ChloAcosh, 2.0), 1.3169578969248166);
        close(of(OpCode::ChloAtanh, 0.5), 0.5493061443340549);
        assert!(of(OpCode::ChloAcosh, 0.5).is_nan());
    }

    #[test]
    fn neighbours() {
        let next = |x: f32, y: f32| next_after(&Tensor::scalar(x), &Tensor::scalar(y)).unwrap().as_slice::<f32>()[0];
        assert_eq!(next(1.0, 2.0), 1.0 + f32::EPSILON);
        assert_eq!(next(1.0, 0.0), 1.0 - f32::EPSILON / 2.0);
        assert_eq!(next(0.0, -1.0), -f32::from_bits(1));
        assert_eq!(next(f32::MAX, f32::INFINITY), f32::INFINITY);
        assert_eq!(next(-f32::from_bits(1), 1.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(next(0.0, -0.0).to_bits(), (-0.0f32).to_bits());
        assert!(next(f32::NAN, 1.0).is_nan() && next(1.0, f32::NAN).is_nan());
        // A format whose only zero has no sign.
        let (least, one) = (F8E4M3FNUZ::from_raw(0x81), F8E4M3FNUZ::from_f64(1.0));
        let zero = next_after(&Tensor::scalar(least), &Tensor::scalar(one)).unwrap();
        assert_eq!(zero.as_slice::<F8E4M3FNUZ>()[0].raw(), 0);
        let half = next_after(&Tensor::scalar(F16::from_f64(1.0)), &Tensor::scalar(F16::from_f64(9.0))).unwrap();
        assert_eq!(half.as_slice::<F16>()[0].raw(), 0x3c01);
    }

    #[test]
    fn upper_halves() {
        let high = |a: i64, b: i64| mulhi(&Tensor::scalar(a), &Tensor::scalar(b)).unwrap().as_slice::<i64>()[0];
        assert_eq!(high(i64::MIN, i64::MIN), 1 << 62);
        assert_eq!(high(-1, 1), -1);
        let high = |a: u64, b: u64| mulhi(&Tensor::scalar(a), &Tensor::scalar(b)).unwrap().as_slice::<u64>()[0];
        assert_eq!(high(u64::MAX, u64::MAX), u64::MAX - 1);
    }

    #[test]
    fn infinities() {
        let x = Tensor::from_vec(&[4], vec![f32::NEG_INFINITY, f32::INFINITY, f32::NAN, 1.0]);
        let which = |negative, positive| {
            let y = is_infinite(Infinities { negative, positive }, &x).unwrap();
            y.as_slice::<Bool>().iter().map(|b| b.get()).collect::<Vec<_>>()
        };
        assert_eq!(which(true, true), [true, true, false, false]);
        assert_eq!(which(true, false), [true, false, false, false]);
        assert_eq!(which(false, true), [false, true, false, false]);
    }
}
