//! Two operations of arithmetic on floats in one pass over a tile, and arguments that are the same along a row.
//!
//! A tile that is written by one loop and read by the next costs as much as an addition does. So where a sum, difference
//! or product goes into another and nowhere else, one loop does both, each rounded as it would be by itself. What is the
//! same along a row stays one lane. Owns which operations go together, and their loops.
#![allow(unsafe_code, reason = "the loops take tiles by address")]

use super::arithmetic::by_type;
use super::isa::{Raw, TileFn, Variants, tile, tile_mut, variants};
use super::number::Number;
use super::prepare::Register;
use super::stage::Stage;
use crate::element::Type;
use crate::op::BinaryOp;
use crate::program::{Inst, Program};

/// In the immediate: the second argument has one lane, which stands for all.
pub(super) const SAME_B: u64 = 1;
/// The third has.
pub(super) const SAME_C: u64 = 2;

/// What is done with the result of the first operation, and with the third argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Second {
    Nothing,
    Add,
    Sub,
    /// The result is taken from the third argument.
    SubFrom,
    Mul,
    /// The result is multiplied with itself.
    Square,
}

/// A function of three arguments, of which some may be the same in all lanes.
trait Pair {
    type T: Copy;
    fn call(a: Self::T, b: Self::T, c: Self::T) -> Self::T;
}

#[inline(always)]
unsafe fn body<P: Pair>(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, same: u64) {
    // SAFETY: the contract of `TileFn`; of arguments that are the same in all lanes one lane is read.
    unsafe {
        let (dst, a) = (tile_mut::<P::T>(dst, n), tile::<P::T>(a, n));
        let (first_b, first_c) = (b.cast::<Raw<P::T>>().read().0, c.cast::<Raw<P::T>>().read().0);
        match (same & SAME_B != 0, same & SAME_C != 0) {
            (false, false) => {
                let (b, c) = (tile::<P::T>(b, n), tile::<P::T>(c, n));
                for at in 0..n {
                    dst[at] = Raw(P::call(a[at].0, b[at].0, c[at].0));
                }
            }
            (true, false) => {
                let c = tile::<P::T>(c, n);
                for at in 0..n {
                    dst[at] = Raw(P::call(a[at].0, first_b, c[at].0));
                }
            }
            (false, true) => {
                let b = tile::<P::T>(b, n);
                for at in 0..n {
                    dst[at] = Raw(P::call(a[at].0, b[at].0, first_c));
                }
            }
            (true, true) => {
                for at in 0..n {
                    dst[at] = Raw(P::call(a[at].0, first_b, first_c));
                }
            }
        }
    }
}

variants! {
    fn loops<P: Pair>(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, same: u64) = body::<P>
}

/// The loops of two operations, the immediate being what is the same in all lanes; at least one lane. `None` for operations
/// that do not go together.
pub(super) fn pair(first: BinaryOp, second: Second, ty: Type) -> Option<Variants<TileFn>> {
    macro_rules! pair {
        (|$a:ident, $b:ident, $c:ident| $result:expr) => {{
            struct Op;
            impl Pair for Op {
                type T = T;
                #[inline(always)]
                fn call($a: T, $b: T, $c: T) -> T {
                    $result
                }
            }
            loops::<Op>()
        }};
    }
    macro_rules! then {
        ($first:ident) => {
            by_type!(
                ty,
                [F32 f32, F64 f64],
                match second {
                    Second::Nothing => pair!(|a, b, _c| Number::$first(a, b)),
                    Second::Add => pair!(|a, b, c| Number::add(Number::$first(a, b), c)),
                    Second::Sub => pair!(|a, b, c| Number::sub(Number::$first(a, b), c)),
                    Second::SubFrom => pair!(|a, b, c| Number::sub(c, Number::$first(a, b))),
                    Second::Mul => pair!(|a, b, c| Number::mul(Number::$first(a, b), c)),
                    Second::Square => pair!(|a, b, _c| {
                        let result = Number::$first(a, b);
                        Number::mul(result, result)
                    }),
                }
            )
        };
    }
    match (first, second) {
        (BinaryOp::Add, _) => then!(add),
        (BinaryOp::Sub, _) => then!(sub),
        (BinaryOp::Mul, _) => then!(mul),
        (BinaryOp::Div, Second::Nothing) => {
            by_type!(ty, [F32 f32, F64 f64], pair!(|a, b, _c| Number::div(a, b)))
        }
        _ => None,
    }
}

/// For each value that is computed along with another, the instruction of that one.
pub(super) struct Together {
    by: Vec<Option<usize>>,
}

impl Together {
    /// Nothing goes together.
    pub(super) fn none(program: &Program) -> Together {
        Together { by: vec![None; program.body.len()] }
    }

    /// Finds what goes together: values of one stage, the first used by the second alone. A second one is no first.
    pub(super) fn find(program: &Program, stages: &[Stage], holder: &[Register]) -> Together {
        let mut together = Together::none(program);
        let mut uses = vec![0usize; program.body.len()];
        let held = |value: crate::program::Value| holder[value.index()] as usize;
        program.body.iter().for_each(|inst| inst.for_each_argument(|argument| uses[held(argument)] += 1));
        // What is stored or combined is wanted by itself.
        let kept = program.stores.iter().map(|store| store.value);
        kept.chain(program.reductions.iter().map(|fold| fold.value)).for_each(|value| uses[held(value)] += 3);
        let mut is_second = vec![false; program.body.len()];
        for (at, inst) in program.body.iter().enumerate() {
            let Inst::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b } = inst else { continue };
            if !matches!(program.types[at], Type::F32 | Type::F64) || stages[at] < Stage::Tile {
                continue;
            }
            let (a, b) = (held(*a), held(*b));
            let wanted = if a == b { 2 } else { 1 };
            let goes_along = |first: usize| {
                let arithmetic = matches!(
                    program.body[first],
                    Inst::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, .. }
                );
                arithmetic
                    && uses[first] == wanted
                    && !is_second[first]
                    && (program.types[first], stages[first]) == (program.types[at], stages[at])
                    && (a != b || matches!(inst, Inst::Binary { op: BinaryOp::Mul, .. }))
            };
            if let Some(first) = [a, b].into_iter().find(|&first| goes_along(first)) {
                together.by[first] = Some(at);
                is_second[at] = true;
            }
        }
        together
    }

    /// The instruction that computes a value, its own or another's.
    pub(super) fn computed_by(&self, at: usize) -> usize {
        self.by[at].unwrap_or(at)
    }

    /// Whether another instruction computes it.
    pub(super) fn is_first(&self, at: usize) -> bool {
        self.by[at].is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::isa::Isa;

    fn run(function: TileFn, a: &[f32], b: &[f32], c: &[f32], same: u64) -> Vec<f32> {
        let mut out = vec![0f32; a.len()];
        // SAFETY: as many lanes of each as the tile has, or one where it is the same.
        unsafe {
            function(out.as_mut_ptr().cast(), a.as_ptr().cast(), b.as_ptr().cast(), c.as_ptr().cast(), a.len(), same)
        };
        out
    }

    #[test]
    fn each_operation_rounds_by_itself() {
        // With one rounding the product would leave 2^-24.
        let (a, b, c) = ([1.0 + f32::EPSILON; 70], [1.0 - f32::EPSILON / 2.0; 70], [-1.0; 70]);
        for isa in [Isa::Baseline, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_supported()) {
            let sum = pair(BinaryOp::Mul, Second::Add, Type::F32).unwrap().pick(isa);
            assert_eq!(run(sum, &a, &b, &c, 0), [a[0] * b[0] + c[0]; 70]);
        }
    }

    #[test]
    fn arguments_may_be_the_same_in_all_lanes() {
        let a: Vec<f32> = (0..77).map(|x| x as f32 * 0.37 - 9.0).collect();
        let (b, c): (Vec<f32>, Vec<f32>) = a.iter().map(|x| (x * 1.7 + 0.1, 3.0 - x)).unzip();
        let firsts = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];
        let seconds = [Second::Nothing, Second::Add, Second::Sub, Second::SubFrom, Second::Mul, Second::Square];
        let apply = |op: BinaryOp, x: f32, y: f32| match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            _ => x * y,
        };
        for (first, second) in firsts.into_iter().flat_map(|first| seconds.map(|second| (first, second))) {
            for isa in [Isa::Baseline, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_supported()) {
                let function = pair(first, second, Type::F32).unwrap().pick(isa);
                for same in 0..4 {
                    let expected: Vec<f32> = (0..a.len())
                        .map(|at| {
                            let b = if same & SAME_B != 0 { b[0] } else { b[at] };
                            let c = if same & SAME_C != 0 { c[0] } else { c[at] };
                            let x = apply(first, a[at], b);
                            match second {
                                Second::Nothing => x,
                                Second::Add => x + c,
                                Second::Sub => x - c,
                                Second::SubFrom => c - x,
                                Second::Mul => x * c,
                                Second::Square => x * x,
                            }
                        })
                        .collect();
                    assert_eq!(run(function, &a, &b, &c, same), expected, "{first:?} {second:?} {same} {isa:?}");
                }
            }
        }
    }
}
