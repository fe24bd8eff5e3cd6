//! A program: an iteration space, the memory it touches, and the body that runs once per point.
//!
//! Data only. [`Builder`](crate::Builder) makes it, [`verify`](crate::verify()) checks it, executors run it.

use crate::element::{Storage, Type};
use crate::op::{BinaryOp, Direction, ReduceKind, UnaryOp};
use crate::scalar::Scalar;

/// A vector value: the position in the body of the instruction that defines it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// As an index into the body.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Position of an operand among those of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct OperandId(pub u32);

impl OperandId {
    /// As an index into the operands.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Only read.
    Input,
    /// Written. It may be read as well when every load has exactly the access of every store: an update in place.
    Output,
}

/// A piece of memory that the caller hands in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand {
    /// What its elements are.
    pub storage: Storage,
    /// What happens to it.
    pub role: Role,
}

/// Which element of an operand belongs to a point: `offset + Σ index[d] · strides[d]`, counted in elements.
///
/// A stride of 0 broadcasts, a negative one reverses, and any order of strides transposes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The operand.
    pub operand: OperandId,
    /// Element of the point 0.
    pub offset: i64,
    /// One per dimension of the iteration space; for results of reductions, one per dimension that is kept.
    pub strides: Vec<i64>,
}

/// Which number of an element is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// The element, of types that are not complex.
    Whole,
    /// The real part.
    Re,
    /// The imaginary part.
    Im,
}

/// Restricts a load to a box of the iteration space: elsewhere the value is `fill`, and memory is not touched.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Guard {
    /// For each dimension, the half-open range of indices inside the box.
    pub bounds: Vec<(usize, usize)>,
    /// The value outside.
    pub fill: Scalar,
}

/// One index of a gather: adds `clamp(index, 0, size − 1) · stride` to the element's position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GatherIndex {
    /// The index, an i64.
    pub index: Value,
    /// Number of valid indices, at least 1.
    pub size: usize,
    /// In elements.
    pub stride: i64,
}

/// One instruction; its value's type is in [`Program::types`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "fields of one-letter names are arguments in order")]
pub enum Inst {
    /// The same number in every lane.
    Const(Scalar),
    /// The point's index along a dimension, as i64.
    Index { dim: usize },
    /// An element of memory, converted to its compute type.
    Load { access: Access, part: Part, guard: Option<Guard> },
    /// An element whose position depends on computed indices.
    Gather { access: Access, part: Part, indices: Vec<GatherIndex> },
    /// One argument.
    Unary { op: UnaryOp, a: Value },
    /// Two arguments of the same type.
    Binary { op: BinaryOp, a: Value, b: Value },
    /// A comparison; the result is a mask.
    Compare { direction: Direction, a: Value, b: Value },
    /// `a` where the mask is true, else `b`.
    Select { mask: Value, a: Value, b: Value },
    /// `a · b + c`, rounded once.
    Fma { a: Value, b: Value, c: Value },
    /// To another type: integers wrap, floats to integers saturate with NaN to 0, everything else rounds to nearest
    /// even; to a mask is "not zero", from a mask 0 or 1.
    Convert { a: Value },
    /// f64 to f32, rounded to odd: a later [`Round`](Inst::Round) then rounds as if from f64 directly.
    NarrowToOdd { a: Value },
    /// The same bits as another type of the same size; not for masks.
    Bitcast { a: Value },
    /// An f32 rounded to the nearest value of a small float type.
    Round { to: Storage, a: Value },
    /// An i8 or u8 reduced to the low bits of a narrower integer, extended by its sign or by zeros.
    Wrap { bits: u32, a: Value },
    /// Rounded to a float with that many bits of exponent and mantissa, as `stablehlo.reduce_precision`.
    ReducePrecision { exponent: u32, mantissa: u32, a: Value },
}

/// A value written to memory at every point; converted to the storage by rounding to nearest even.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Store {
    /// Where.
    pub access: Access,
    /// Which number of the element.
    pub part: Part,
    /// What.
    pub value: Value,
}

/// A value combined over the reduced dimensions, then with `init`, and written once per remaining point.
///
/// The order of combination depends on the program only, never on how its points are cut into ranges.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reduction {
    /// How two values combine.
    pub kind: ReduceKind,
    /// What is combined.
    pub value: Value,
    /// Combined into the result once, also when nothing is reduced.
    pub init: Scalar,
    /// Where the result goes; strides of the dimensions that are kept.
    pub access: Access,
    /// Which number of the element.
    pub part: Part,
}

/// A loop nest with a straight-line body.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Program {
    /// Sizes of the iteration space, outermost first.
    pub dims: Vec<usize>,
    /// How many of the last dimensions the reductions run over; 0 when there are none.
    pub reduced: usize,
    /// Memory, inputs and outputs in any order.
    pub operands: Vec<Operand>,
    /// Instructions; arguments stand before their uses.
    pub body: Vec<Inst>,
    /// The type of each instruction's value.
    pub types: Vec<Type>,
    /// Writes at every point; only without reduced dimensions.
    pub stores: Vec<Store>,
    /// Writes at every remaining point.
    pub reductions: Vec<Reduction>,
}

impl Program {
    /// The dimensions that are kept.
    pub fn outer(&self) -> &[usize] {
        &self.dims[..self.dims.len() - self.reduced]
    }

    /// Number of points that a range of [`run`](crate::exec::Kernel::run) counts: those of the kept dimensions.
    pub fn points(&self) -> usize {
        self.outer().iter().product()
    }

    /// The operands of a role, in order; the position in this list is that of the slice handed to an executor.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = OperandId> + '_ {
        let ids = 0..self.operands.len() as u32;
        ids.map(OperandId).filter(move |id| self.operands[id.index()].role == role)
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.types[value.index()]
    }
}

impl Inst {
    /// Calls `visit` with every argument.
    pub fn for_each_argument(&self, mut visit: impl FnMut(Value)) {
        match self {
            Inst::Const(_) | Inst::Index { .. } | Inst::Load { .. } => {}
            Inst::Gather { indices, .. } => indices.iter().for_each(|index| visit(index.index)),
            Inst::Unary { a, .. }
            | Inst::Convert { a }
            | Inst::NarrowToOdd { a }
            | Inst::Bitcast { a }
            | Inst::Round { a, .. }
            | Inst::Wrap { a, .. }
            | Inst::ReducePrecision { a, .. } => visit(*a),
            Inst::Binary { a, b, .. } | Inst::Compare { a, b, .. } => {
                visit(*a);
                visit(*b);
            }
            Inst::Select { mask: a, a: b, b: c } | Inst::Fma { a, b, c } => {
                visit(*a);
                visit(*b);
                visit(*c);
            }
        }
    }
}
