//! Small loops followed turn by turn with symbols for what is not known: what a loop of few turns computes, written as
//! one term, whatever helpers it takes for that.
//!
//! Knows integers only, and only what acts on each element by itself. Whatever else occurs ends the attempt.

use cpu_vir::BinaryOp;
use hashbrown::HashMap;
use stablehlo::ir::attrs::ComparisonDirection;
use stablehlo::ir::{BlockRef, Module, OpCode, OpRef, ValueId};
use stablehlo::{ElementKind, ElementType};

/// Loops of more turns, and blocks of more ops, are not followed.
const MOST_TURNS: usize = 8;
const MOST_OPS: usize = 120;

/// A term: equal ones have the same number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct TermId(usize);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Term {
    /// The first value of this part of the state.
    First(usize),
    /// The same number everywhere, as bits of its type.
    Number(u64),
    /// An array of numbers.
    Table(Vec<u64>),
    /// An operation of u32.
    Of(BinaryOp, TermId, TermId),
}

/// All terms of one attempt.
#[derive(Default)]
pub(super) struct Terms {
    all: Vec<Term>,
    known: HashMap<Term, TermId>,
}

impl Terms {
    fn term(&mut self, term: Term) -> TermId {
        let next = TermId(self.all.len());
        let all = &mut self.all;
        *self.known.entry(term).or_insert_with_key(|term| {
            all.push(term.clone());
            next
        })
    }

    pub fn number(&mut self, number: u64) -> TermId {
        self.term(Term::Number(number))
    }

    pub fn first(&mut self, index: usize) -> TermId {
        self.term(Term::First(index))
    }

    /// An operation of u32; operands that may change places have one order.
    pub fn of(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let (a, b) = if op.commutes() && b < a { (b, a) } else { (a, b) };
        self.term(Term::Of(op, a, b))
    }

    /// Whether a part of the state began as a symbol.
    pub fn is_begun(&self, index: usize) -> bool {
        self.known.contains_key(&Term::First(index))
    }

    pub fn as_number(&self, term: TermId) -> Option<u64> {
        match self.all[term.0] {
            Term::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The part of the state whose first value this is.
    pub fn as_first(&self, term: TermId) -> Option<usize> {
        match self.all[term.0] {
            Term::First(index) => Some(index),
            _ => None,
        }
    }
}

/// The state after a loop's last turn.
pub(super) struct Followed {
    pub terms: Terms,
    pub state: Vec<TermId>,
}

/// Follows a `while` to its end; `None` when it does something else, or too long. Parts of the state that begin as
/// numbers of another type than u32, or as arrays of numbers, are known; the others are [`Terms::first`].
pub(super) fn follow(op: OpRef<'_>) -> Option<Followed> {
    let module = op.module();
    let (condition, body) = (op.region_block(0)?, op.region_block(1)?);
    let supported = |op: OpRef<'_>| op.regions().is_empty() && (op.code().is_terminator() || is_followed(op.code()));
    for block in [condition, body] {
        if block.ops().count() > MOST_OPS || !block.ops().all(|id| supported(module.op(id))) {
            return None;
        }
    }
    let mut terms = Terms::default();
    let mut state = Vec::new();
    for (index, &operand) in op.operands().iter().enumerate() {
        let constant = constant(module, operand);
        let array = module.value_tensor(operand)?;
        let known = match &constant {
            Some(Term::Number(_)) if array.element_type() == Some(ElementType::U32) => None,
            known => known.clone(),
        };
        state.push(terms.term(known.unwrap_or(Term::First(index))));
    }
    for _ in 0..MOST_TURNS {
        let goes_on = evaluate(module, condition, &state, &mut terms)?;
        if terms.as_number(*goes_on.first()?)? == 0 {
            return Some(Followed { terms, state });
        }
        state = evaluate(module, body, &state, &mut terms)?;
    }
    None
}

fn is_followed(code: OpCode) -> bool {
    operation(code).is_some()
        || matches!(
            code,
            OpCode::Constant
                | OpCode::Slice
                | OpCode::Reshape
                | OpCode::BroadcastInDim
                | OpCode::Convert
                | OpCode::Compare
        )
}

fn operation(code: OpCode) -> Option<BinaryOp> {
    Some(match code {
        OpCode::Add => BinaryOp::Add,
        OpCode::Subtract => BinaryOp::Sub,
        OpCode::Xor => BinaryOp::Xor,
        OpCode::Or => BinaryOp::Or,
        OpCode::ShiftLeft => BinaryOp::Shl,
        OpCode::ShiftRightLogical => BinaryOp::ShrLogical,
        _ => return None,
    })
}

fn evaluate(module: &Module, block: BlockRef<'_>, state: &[TermId], terms: &mut Terms) -> Option<Vec<TermId>> {
    let mut values: HashMap<ValueId, TermId> = block.args().iter().copied().zip(state.iter().copied()).collect();
    for id in block.ops() {
        let op = module.op(id);
        let mut operands = Vec::new();
        for &operand in op.operands() {
            operands.push(match values.get(&operand) {
                Some(&term) => term,
                // Constants of the blocks around.
                None => terms.term(constant(module, operand)?),
            });
        }
        if op.code().is_terminator() {
            return Some(operands);
        }
        let result = apply(op, &operands, terms)?;
        values.insert(*op.results().first()?, result);
    }
    None
}

fn apply(op: OpRef<'_>, operands: &[TermId], terms: &mut Terms) -> Option<TermId> {
    let ty = op.result_tensor(0)?;
    let element = ty.element_type()?;
    if op.code() == OpCode::Constant {
        return Some(terms.term(constant(op.module(), op.results()[0])?));
    }
    let from = op.operand_tensor(0)?;
    if let Some(operation) = operation(op.code()) {
        let &[a, b] = operands else { return None };
        return match (terms.as_number(a), terms.as_number(b)) {
            (Some(a), Some(b)) => fold(operation, a, b, element).map(|number| terms.number(number)),
            _ if element == ElementType::U32 => Some(terms.of(operation, a, b)),
            _ => None,
        };
    }
    let &a = operands.first()?;
    match op.code() {
        OpCode::Slice => {
            let Term::Table(numbers) = &terms.all[a.0] else { return None };
            let (&[start], &[limit], &[1]) =
                (op.i64s("start_indices").ok()?, op.i64s("limit_indices").ok()?, op.i64s("strides").ok()?)
            else {
                return None;
            };
            let part = numbers.get(start as usize..limit as usize)?.to_vec();
            Some(terms.term(if let [number] = part[..] { Term::Number(number) } else { Term::Table(part) }))
        }
        OpCode::Reshape | OpCode::BroadcastInDim => {
            let in_order = op.code() == OpCode::Reshape || op.i64s("broadcast_dimensions").ok()?.is_sorted();
            let in_place = from.dims == ty.dims && in_order;
            let one = from.dims.iter().all(|&size| size == 1);
            let table = matches!(terms.all[a.0], Term::Table(_));
            (in_place || !table && (one || terms.as_number(a).is_some())).then_some(a)
        }
        OpCode::Convert if from.element_type() == Some(element) => Some(a),
        OpCode::Convert => {
            // Small enough to be the same number in every type.
            let number = terms.as_number(a).filter(|number| *number < 0x80)?;
            is_whole(element).then(|| terms.number(number))
        }
        OpCode::Compare => {
            let small = |term| terms.as_number(term).filter(|number| *number < 0x80);
            let (a, b) = (small(a)?, small(*operands.get(1)?)?);
            let truth = match op.comparison_direction().ok()? {
                ComparisonDirection::Eq => a == b,
                ComparisonDirection::Ne => a != b,
                ComparisonDirection::Lt => a < b,
                ComparisonDirection::Le => a <= b,
                ComparisonDirection::Gt => a > b,
                ComparisonDirection::Ge => a >= b,
            };
            Some(terms.number(u64::from(truth)))
        }
        _ => None,
    }
}

/// Integers of at least a byte.
fn is_whole(element: ElementType) -> bool {
    matches!(element.kind(), ElementKind::Signed | ElementKind::Unsigned) && element.bits() >= 8
}

fn fold(op: BinaryOp, a: u64, b: u64, element: ElementType) -> Option<u64> {
    let bits = element.bits() as u64;
    let shift = |shifted: u64| if b < bits { shifted } else { 0 };
    let wide = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Xor => a ^ b,
        BinaryOp::Or => a | b,
        BinaryOp::Shl => shift(a.wrapping_shl(b as u32)),
        BinaryOp::ShrLogical => shift(a.wrapping_shr(b as u32)),
        _ => return None,
    };
    Some(wide & u64::MAX >> (64 - bits))
}

/// The numbers of a constant of integers or truth values.
fn constant(module: &Module, value: ValueId) -> Option<Term> {
    let op = module.op(module.defining_op(value)?);
    let ty = op.result_tensor(0)?;
    let element = ty.element_type()?;
    if op.code() != OpCode::Constant || !(is_whole(element) || element == ElementType::Bool) {
        return None;
    }
    let dense = op.dense("value").ok()?;
    let numbers: Vec<u64> = dense
        .data()
        .chunks(element.byte_width())
        .map(|bytes| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        .collect();
    match numbers[..] {
        [number] => Some(Term::Number(number)),
        _ if ty.dims.len() == 1 && numbers.len() <= MOST_OPS => Some(Term::Table(numbers)),
        _ => None,
    }
}
