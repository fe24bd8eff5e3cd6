//! Puts programs together, one value at a time.
//!
//! Nothing is folded or simplified: what is asked for is what runs. Faults are found by [`Builder::finish`], so that
//! building needs no error handling.

use crate::element::{Storage, Type};
use crate::op::{BinaryOp, Direction, ReduceKind, UnaryOp};
use crate::program::{
    Access, GatherIndex, Guard, Inst, Operand, OperandId, Part, Program, Reduction, Role, Store, Value,
};
use crate::scalar::Scalar;
use crate::verify::{Invalid, verify};

/// Makes one [`Program`].
#[derive(Clone, Debug)]
pub struct Builder {
    program: Program,
}

impl Builder {
    /// An empty body over an iteration space; the last `reduced` dimensions are for reductions.
    pub fn new(dims: &[usize], reduced: usize) -> Builder {
        Builder { program: Program { dims: dims.to_vec(), reduced, ..Program::default() } }
    }

    /// The checked program.
    ///
    /// # Errors
    /// The first fault in it.
    pub fn finish(self) -> Result<Program, Invalid> {
        verify(&self.program)?;
        Ok(self.program)
    }

    /// The program so far, unchecked.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The type of a value made here.
    pub fn ty(&self, value: Value) -> Type {
        self.program.ty(value)
    }

    /// Declares memory that is read.
    pub fn input(&mut self, storage: Storage) -> OperandId {
        self.operand(Operand { storage, role: Role::Input })
    }

    /// Declares memory that is written.
    pub fn output(&mut self, storage: Storage) -> OperandId {
        self.operand(Operand { storage, role: Role::Output })
    }

    fn operand(&mut self, operand: Operand) -> OperandId {
        self.program.operands.push(operand);
        OperandId(self.program.operands.len() as u32 - 1)
    }

    /// The access of an array that has the shape of the iteration space, row by row.
    pub fn dense(&self, operand: OperandId) -> Access {
        Access { operand, offset: 0, strides: row_major(&self.program.dims) }
    }

    /// The access of an array that has the shape of the dimensions that are kept, row by row.
    pub fn dense_result(&self, operand: OperandId) -> Access {
        Access { operand, offset: 0, strides: row_major(self.program.outer()) }
    }

    /// The access of a single element by every point: how scalars come in.
    pub fn scalar_access(&self, operand: OperandId) -> Access {
        Access { operand, offset: 0, strides: vec![0; self.program.dims.len()] }
    }

    pub(crate) fn push(&mut self, inst: Inst, ty: Type) -> Value {
        self.program.body.push(inst);
        self.program.types.push(ty);
        Value(self.program.body.len() as u32 - 1)
    }

    fn storage(&self, access: &Access) -> Storage {
        self.program.operands.get(access.operand.index()).map_or(Storage::Bool, |operand| operand.storage)
    }

    /// A constant.
    pub fn constant(&mut self, scalar: impl Into<Scalar>) -> Value {
        let scalar = scalar.into();
        self.push(Inst::Const(scalar), scalar.ty())
    }

    /// The index along a dimension, an i64.
    pub fn index(&mut self, dim: usize) -> Value {
        self.push(Inst::Index { dim }, Type::I64)
    }

    /// An element of an array that is not complex.
    pub fn load(&mut self, access: Access) -> Value {
        self.load_part(access, Part::Whole, None)
    }

    /// An element, or a part of it, perhaps within a box only.
    pub fn load_part(&mut self, access: Access, part: Part, guard: Option<Guard>) -> Value {
        let ty = self.storage(&access).compute();
        self.push(Inst::Load { access, part, guard }, ty)
    }

    /// An element at computed indices.
    pub fn gather(&mut self, access: Access, part: Part, indices: Vec<GatherIndex>) -> Value {
        let ty = self.storage(&access).compute();
        self.push(Inst::Gather { access, part, indices }, ty)
    }

    /// An operation of one argument.
    pub fn unary(&mut self, op: UnaryOp, a: Value) -> Value {
        let ty = op.result(self.ty(a));
        self.push(Inst::Unary { op, a }, ty)
    }

    /// An operation of two arguments.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.push(Inst::Binary { op, a, b }, ty)
    }

    /// A comparison.
    pub fn compare(&mut self, direction: Direction, a: Value, b: Value) -> Value {
        self.push(Inst::Compare { direction, a, b }, Type::Mask)
    }

    /// A comparison in the total order of IEEE 754: −NaN < −∞ < … < −0 < +0 < … < ∞ < NaN. Integers as usual.
    pub fn compare_total(&mut self, direction: Direction, a: Value, b: Value) -> Value {
        let (a, b) = (self.total_order_key(a), self.total_order_key(b));
        self.compare(direction, a, b)
    }

    /// An integer that is ordered as the total order of floats is; integers and masks are their own keys.
    pub fn total_order_key(&mut self, a: Value) -> Value {
        let (ty, shift) = match self.ty(a) {
            Type::F32 => (Type::I32, 31),
            Type::F64 => (Type::I64, 63),
            _ => return a,
        };
        let bits = self.bitcast(ty, a);
        let shift = self.constant(Scalar::integer(ty, shift));
        let sign = self.binary(BinaryOp::ShrArithmetic, bits, shift);
        let most = self.constant(Scalar::integer(ty, if ty == Type::I32 { i64::from(i32::MAX) } else { i64::MAX }));
        let flip = self.binary(BinaryOp::And, sign, most);
        self.binary(BinaryOp::Xor, bits, flip)
    }

    /// `a` where the mask is true, else `b`.
    pub fn select(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.push(Inst::Select { mask, a, b }, ty)
    }

    /// `min(max(x, low), high)`; NaN if any is.
    pub fn clamp(&mut self, low: Value, x: Value, high: Value) -> Value {
        let raised = self.binary(BinaryOp::Max, x, low);
        self.binary(BinaryOp::Min, raised, high)
    }

    /// `a · b + c`, rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = self.ty(a);
        self.push(Inst::Fma { a, b, c }, ty)
    }

    /// To another type.
    pub fn convert(&mut self, to: Type, a: Value) -> Value {
        self.push(Inst::Convert { a }, to)
    }

    /// f64 to f32 in preparation of a [`round`](Builder::round) to something smaller.
    pub fn narrow_to_odd(&mut self, a: Value) -> Value {
        self.push(Inst::NarrowToOdd { a }, Type::F32)
    }

    /// The same bits as another type of the same size.
    pub fn bitcast(&mut self, to: Type, a: Value) -> Value {
        self.push(Inst::Bitcast { a }, to)
    }

    /// Rounds an f32 as storing it in a small float would.
    pub fn round(&mut self, to: Storage, a: Value) -> Value {
        self.push(Inst::Round { to, a }, Type::F32)
    }

    /// Keeps the low bits of an i8 or u8, as storing it in a narrower integer would.
    pub fn wrap(&mut self, bits: u32, a: Value) -> Value {
        let ty = self.ty(a);
        self.push(Inst::Wrap { bits, a }, ty)
    }

    /// Rounds to a float of other sizes.
    pub fn reduce_precision(&mut self, exponent: u32, mantissa: u32, a: Value) -> Value {
        let ty = self.ty(a);
        self.push(Inst::ReducePrecision { exponent, mantissa, a }, ty)
    }

    /// Brings a value to what a storage of the same compute type can hold: rounds small floats, wraps narrow
    /// integers, and leaves the rest alone. After every operation this makes results those of the narrow type.
    pub fn settle(&mut self, storage: Storage, a: Value) -> Value {
        match storage.narrow_bits() {
            Some(bits) => self.wrap(bits, a),
            None if storage.is_small_float() => self.round(storage, a),
            None => a,
        }
    }

    /// Writes a value at every point.
    pub fn store(&mut self, access: Access, value: Value) {
        self.store_part(access, Part::Whole, value);
    }

    /// Writes an element, or a part of it, at every point.
    pub fn store_part(&mut self, access: Access, part: Part, value: Value) {
        self.program.stores.push(Store { access, part, value });
    }

    /// Combines a value over the reduced dimensions, and writes the result.
    pub fn reduce(&mut self, kind: ReduceKind, value: Value, init: Scalar, access: Access) {
        self.program.reductions.push(Reduction { kind, value, init, access, part: Part::Whole });
    }

    /// As [`reduce`](Builder::reduce), into a part of a complex element.
    pub fn reduce_part(&mut self, kind: ReduceKind, value: Value, init: Scalar, access: Access, part: Part) {
        self.program.reductions.push(Reduction { kind, value, init, access, part });
    }
}

/// Strides of a dense array in row-major order, in elements.
pub fn row_major(dims: &[usize]) -> Vec<i64> {
    let mut strides = vec![0; dims.len()];
    let mut stride = 1i64;
    for (dim, size) in dims.iter().enumerate().rev() {
        strides[dim] = stride;
        stride = stride.saturating_mul((*size).max(1) as i64);
    }
    strides
}
