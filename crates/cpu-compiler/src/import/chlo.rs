//! The ops of CHLO that loops and kernels have, or that are little arithmetic. All others are the evaluator's; programs that
//! may be sent again without CHLO are better refused ([`foreign_op`] tells).

use super::Importer;
use crate::array_type::ArrayType;
use crate::error::Result;
use crate::graph::{MapOp, Value};
use cpu_vir::{BinaryOp, Direction, UnaryOp};
use stablehlo::ElementType;
use stablehlo::ir::{Dialect, Module, OpCode, OpRef};
use std::sync::Arc;

/// Whether an op is compiled, and not left to the evaluator for being CHLO.
fn is_native(op: OpRef<'_>) -> bool {
    let real_float = || op.operand_tensor(0).is_some_and(|ty| is_plain_float(ty.element_type()));
    match op.code() {
        OpCode::ChloErf | OpCode::ChloErfInv | OpCode::ChloSquare | OpCode::ChloTan => real_float(),
        OpCode::ChloTopK | OpCode::ChloConstant => true,
        code => code.dialect() != Dialect::Chlo,
    }
}

/// The first op of a module that is left to the evaluator for being CHLO.
pub fn foreign_op(module: &Module) -> Option<OpRef<'_>> {
    module.walk(module.root()).map(|id| module.op(id)).find(|op| !is_native(*op))
}

fn is_plain_float(element: Option<ElementType>) -> bool {
    matches!(element, Some(ElementType::F32 | ElementType::F64 | ElementType::BF16 | ElementType::F16))
}

/// erf⁻¹(x) / x by M. Giles, "Approximating the erfinv function" (2010): polynomials in w = −log(1 − x²), one below the first
/// bound and the others in √w beyond it, each less its shift; coefficients from the constant upwards.
struct InverseErf {
    element: ElementType,
    /// `w` below which the first polynomial holds, and what is taken from it there.
    near: (f64, f64, &'static [f64]),
    /// Likewise for those in `√w`; the last has no bound.
    far: &'static [(f64, f64, &'static [f64])],
}

const SINGLE: InverseErf = InverseErf {
    element: ElementType::F32,
    near: (
        5.0,
        2.5,
        &[
            1.50140941,
            0.246640727,
            -0.00417768164,
            -0.00125372503,
            2.1858087E-4,
            -4.39150654E-6,
            -3.5233877E-6,
            3.43273939E-7,
            2.81022636E-8,
        ],
    ),
    far: &[(
        f64::INFINITY,
        3.0,
        &[
            2.83297682,
            1.00167406,
            0.00943887047,
            -0.0076224613,
            0.00573950773,
            -0.00367342844,
            0.00134934322,
            1.00950558E-4,
            -2.00214257E-4,
        ],
    )],
};

const DOUBLE: InverseErf = InverseErf {
    element: ElementType::F64,
    near: (
        6.25,
        3.125,
        &[
            1.6536545626831027,
            0.24015818242558962,
            -0.006033670871430149,
            -0.000740702534166267,
            0.00018673420803405714,
            -1.3882523362786469e-05,
            -1.3654692000834679e-06,
            4.2347877827932404e-07,
            -2.9070369957882005e-08,
            -4.112633980346984e-09,
            1.0512122733215323e-09,
            -5.415412054294628e-11,
            -1.2975133253453532e-11,
            2.6335093153082323e-12,
            -8.151934197605472e-14,
            -4.054566272975207e-14,
            6.637638134358324e-15,
            2.0972767875968562e-17,
            -1.333171662854621e-16,
            1.1157877678025181e-17,
            1.28584807152564e-18,
            -1.6850591381820166e-19,
            -3.64441206401782e-21,
        ],
    ),
    far: &[
        (
            16.0,
            3.25,
            &[
                3.0838856104922208,
                1.0052589676941592,
                0.005370914553590064,
                -0.003751208507569241,
                0.002491442096107851,
                -0.0016882755560235047,
                0.0009532893797373805,
                -0.0003550375203628475,
                2.4031110387097894e-05,
                6.828485145957318e-05,
                -4.7318229009055734e-05,
                1.2475304481671779e-05,
                2.9234449089955446e-06,
                -4.013867526981546e-06,
                1.5027403968909828e-06,
                1.8239629214389228e-08,
                -2.7517406297064545e-07,
                9.075656193888539e-08,
                2.2137376921775787e-09,
            ],
        ),
        (
            f64::INFINITY,
            5.0,
            &[
                4.849906401408584,
                1.0103004648645344,
                -0.00013871931833623122,
                -0.00021503011930044477,
                7.599527703001776e-05,
                -1.968177810553167e-05,
                4.526062597223154e-06,
                -9.9298272942317e-07,
                2.2900482228026655e-07,
                -6.771199775845234e-08,
                2.914795345090108e-08,
                -1.496002662714924e-08,
                7.61570120807834e-09,
                -3.789465440126737e-09,
                1.5076572693500548e-09,
                -2.555641816996525e-10,
                -2.7109920616438573e-11,
            ],
        ),
    ],
};

impl<'m> Importer<'m> {
    /// The result of a CHLO op that is a little arithmetic; `None` when it is none of them.
    pub(super) fn chlo(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        if !matches!(op.code(), OpCode::ChloSquare | OpCode::ChloErfInv) || !is_native(op) {
            return Ok(None);
        }
        let x = self.operands(op)?[0];
        let ty = self.result_type(op, 0)?;
        if op.code() == OpCode::ChloSquare {
            return Ok(Some(vec![self.graph.map(self.block, MapOp::Binary(BinaryOp::Mul), vec![x, x], ty)]));
        }
        let formula = if ty.element == Some(ElementType::F64) { &DOUBLE } else { &SINGLE };
        // Small floats are computed in f32, and rounded once.
        let wide = Arc::new(ArrayType { element: Some(formula.element), dims: ty.dims.clone() });
        let x = self.graph.map(self.block, MapOp::Convert, vec![x], wide);
        let y = Arithmetic { importer: self, like: x }.inverse_erf(formula);
        Ok(Some(vec![self.graph.map(self.block, MapOp::Convert, vec![y], ty)]))
    }
}

/// Arithmetic on arrays of one floating-point type and shape.
struct Arithmetic<'a, 'm> {
    importer: &'a mut Importer<'m>,
    like: Value,
}

impl Arithmetic<'_, '_> {
    fn map(&mut self, op: MapOp, inputs: Vec<Value>) -> Value {
        let ty = self.importer.graph.ty(self.like).clone();
        self.importer.graph.map(self.importer.block, op, inputs, ty)
    }

    fn unary(&mut self, op: UnaryOp, x: Value) -> Value {
        self.map(MapOp::Unary(op), vec![x])
    }

    fn binary(&mut self, op: BinaryOp, x: Value, y: Value) -> Value {
        self.map(MapOp::Binary(op), vec![x, y])
    }

    fn number(&mut self, value: f64) -> Value {
        let ty = self.importer.graph.ty(self.like).clone();
        let bytes = match ty.element {
            Some(ElementType::F64) => value.to_le_bytes().to_vec(),
            _ => (value as f32).to_le_bytes().to_vec(),
        };
        self.importer.graph.constant(self.importer.block, &bytes, true, ty)
    }

    fn compare(&mut self, direction: Direction, x: Value, y: Value) -> Value {
        let dims = self.importer.graph.ty(self.like).dims.clone();
        let ty = Arc::new(ArrayType { element: Some(ElementType::Bool), dims });
        self.importer.graph.map(self.importer.block, MapOp::Compare { direction, total: false }, vec![x, y], ty)
    }

    fn select(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        self.map(MapOp::Select, vec![mask, yes, no])
    }

    fn inverse_erf(&mut self, formula: &InverseErf) -> Value {
        let x = self.like;
        let minus = self.unary(UnaryOp::Neg, x);
        let square = self.binary(BinaryOp::Mul, x, minus);
        let log = self.unary(UnaryOp::Log1p, square);
        let w = self.unary(UnaryOp::Neg, log);
        let root = self.unary(UnaryOp::Sqrt, w);
        let below = |this: &mut Self, bound: f64| {
            let bound = this.number(bound);
            this.compare(Direction::Lt, w, bound)
        };
        let (bound, shift, near) = formula.near;
        let is_near = below(self, bound);
        let shift = self.number(shift);
        let near_t = self.binary(BinaryOp::Sub, w, shift);
        let (&(_, last_shift, last), middle) = formula.far.split_last().expect("beyond the first bound");
        let masks: Vec<Value> = middle.iter().map(|&(bound, ..)| below(self, bound)).collect();
        // What holds here: of the numbers that each range has.
        let choose = |this: &mut Self, near: Option<Value>, far: Vec<Value>, last: Value| {
            let far = masks.iter().zip(far).rev().fold(last, |no, (&mask, yes)| this.select(mask, yes, no));
            near.map_or(far, |near| this.select(is_near, near, far))
        };
        let shifts = middle.iter().map(|&(_, shift, _)| self.number(shift)).collect();
        let last_shift = self.number(last_shift);
        let shift = choose(self, None, shifts, last_shift);
        let far_t = self.binary(BinaryOp::Sub, root, shift);
        let t = self.select(is_near, near_t, far_t);
        let degree = formula.far.iter().map(|(.., far)| far.len()).fold(near.len(), usize::max);
        let mut sum = None;
        for power in (0..degree).rev() {
            let mut at = |coefficients: &[f64]| self.number(coefficients.get(power).copied().unwrap_or(0.0));
            let near = at(near);
            let far = middle.iter().map(|(.., far)| at(far)).collect();
            let last = at(last);
            let coefficient = choose(self, Some(near), far, last);
            sum = Some(match sum {
                None => coefficient,
                Some(sum) => {
                    let product = self.binary(BinaryOp::Mul, sum, t);
                    self.binary(BinaryOp::Add, coefficient, product)
                }
            });
        }
        let inside = self.binary(BinaryOp::Mul, sum.unwrap_or(x), x);
        let size = self.unary(UnaryOp::Abs, x);
        let (one, infinity) = (self.number(1.0), self.number(f64::INFINITY));
        let at_end = self.compare(Direction::Eq, size, one);
        let end = self.binary(BinaryOp::Mul, x, infinity);
        self.select(at_end, end, inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_loops_and_kernels_have_is_not_foreign() {
        let foreign = |op: &str, ty: &str| {
            let types = if op.starts_with("chlo") { format!("{ty} -> {ty}") } else { ty.to_owned() };
            let text = format!("func.func @main(%x: {ty}) -> {ty} {{ %0 = {op} %x : {types} return %0 : {ty} }}");
            let module = stablehlo::read_program(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            foreign_op(&module).map(|op| op.name().to_owned())
        };
        for op in ["chlo.erf", "chlo.erf_inv", "chlo.square", "chlo.tan", "stablehlo.negate"] {
            assert_eq!(foreign(op, "tensor<3xbf16>"), None, "{op}");
        }
        assert_eq!(foreign("chlo.bessel_i1e", "tensor<3xf32>").as_deref(), Some("chlo.bessel_i1e"));
        // Of a complex number the square is more than a product: infinities.
        assert_eq!(foreign("chlo.square", "tensor<3xcomplex<f32>>").as_deref(), Some("chlo.square"));
    }
}
