//! What makes a program valid: types, positions, and memory that stays within what addresses can count.
//!
//! Executors rely on this and verify first; they never meet an invalid program.

use thiserror::Error;

use crate::element::Type;
use crate::program::{Access, Guard, Inst, OperandId, Part, Program, Role};

/// A fault in a program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Invalid {
    #[error("{reduced} dimensions are reduced, of {dims}")]
    Reduced { reduced: usize, dims: usize },
    #[error("an iteration space of {dims:?} has more points than 2^62")]
    TooManyPoints { dims: Vec<usize> },
    #[error("{body} instructions have {types} types")]
    Types { body: usize, types: usize },
    #[error("instruction %{at} uses %{argument}, which does not stand before it")]
    Order { at: usize, argument: u32 },
    #[error("instruction %{at} ({what}) does not take {given:?}")]
    Arguments { at: usize, what: &'static str, given: Vec<Type> },
    #[error("instruction %{at} is said to give {said}, but gives {gives}")]
    Result { at: usize, said: Type, gives: Type },
    #[error("instruction %{at}: {what} is {value}, beyond {limit}")]
    Immediate { at: usize, what: &'static str, value: i64, limit: i64 },
    #[error("{place}: there is no operand {operand}")]
    NoOperand { place: String, operand: u32 },
    #[error("{place}: {given} strides for {dims} dimensions")]
    Strides { place: String, given: usize, dims: usize },
    #[error("{place}: reaches element {element}, before the operand's first or beyond 2^56")]
    OutOfMemory { place: String, element: i128 },
    #[error("{place}: part {part:?} of {storage}")]
    Part { place: String, part: Part, storage: &'static str },
    #[error("{place}: {given} values for a storage computed in {wanted}")]
    Stored { place: String, given: Type, wanted: Type },
    #[error("{place}: writes to an input")]
    WritesInput { place: String },
    #[error("{place}: there is no value %{value}")]
    NoValue { place: String, value: u32 },
    #[error("{place}: reads output {operand} elsewhere than it is written, or while it is reduced into")]
    ReadsOutput { place: String, operand: u32 },
    #[error("stores and reductions in one program: a store would be repeated over the reduced dimensions")]
    StoreInReduction,
    #[error("{place}: two points or two stores write the same element")]
    Overlap { place: String },
}

/// The highest element index that any access may reach.
const MOST_ELEMENTS: i128 = 1 << 56;

/// Checks a program.
///
/// # Errors
/// The first fault found.
pub fn verify(program: &Program) -> Result<(), Invalid> {
    if program.reduced > program.dims.len() {
        return Err(Invalid::Reduced { reduced: program.reduced, dims: program.dims.len() });
    }
    let points = program.dims.iter().try_fold(1usize, |points, size| points.checked_mul((*size).max(1)));
    if points.is_none_or(|points| points > 1 << 62) {
        return Err(Invalid::TooManyPoints { dims: program.dims.clone() });
    }
    if program.body.len() != program.types.len() {
        return Err(Invalid::Types { body: program.body.len(), types: program.types.len() });
    }
    for (at, inst) in program.body.iter().enumerate() {
        instruction(program, at, inst)?;
    }
    writes(program)
}

fn instruction(program: &Program, at: usize, inst: &Inst) -> Result<(), Invalid> {
    let mut given = Vec::new();
    let mut late = None;
    inst.for_each_argument(|argument| match argument.index() < at {
        true => given.push(program.ty(argument)),
        false => late = Some(argument.0),
    });
    if let Some(argument) = late {
        return Err(Invalid::Order { at, argument });
    }
    let said = program.types[at];
    let same = given.windows(2).all(|pair| pair[0] == pair[1]);
    let first = given.first().copied();
    let (what, fits, gives) = match (inst, first) {
        (Inst::Const(scalar), _) => ("const", true, scalar.ty()),
        (Inst::Index { dim }, _) => {
            immediate(at, "the dimension", *dim as i64, 0, program.dims.len() as i64 - 1)?;
            ("index", true, Type::I64)
        }
        (Inst::Load { access, part, guard }, _) => ("load", true, load(program, at, access, *part, guard.as_ref())?),
        (Inst::Gather { access, part, indices }, _) => {
            for index in indices {
                immediate(at, "the number of indices", index.size as i64, 1, 1 << 56)?;
                immediate(at, "the stride of an index", index.stride, -(1 << 56), 1 << 56)?;
            }
            let ty = load(program, at, access, *part, None)?;
            let reach = indices.iter().map(|index| (0, index.size as i128 - 1, index.stride));
            within(&place(at), program, access, reach, None)?;
            ("gather", given.iter().all(|ty| *ty == Type::I64), ty)
        }
        (Inst::Unary { op, .. }, Some(a)) => (op.name(), op.accepts(a), op.result(a)),
        (Inst::Binary { op, .. }, Some(a)) => (op.name(), same && op.accepts(a), a),
        (Inst::Compare { direction, .. }, _) => (direction.name(), same, Type::Mask),
        (Inst::Select { .. }, _) => ("select", given[0] == Type::Mask && given[1] == given[2], given[1]),
        (Inst::Fma { .. }, Some(a)) => ("fma", same && a.is_float(), a),
        (Inst::Convert { .. }, _) => ("convert", true, said),
        (Inst::NarrowToOdd { .. }, Some(a)) => ("narrow_to_odd", a == Type::F64, Type::F32),
        (Inst::Bitcast { .. }, Some(a)) => {
            let masks = a == Type::Mask || said == Type::Mask;
            ("bitcast", !masks && a.size() == said.size(), said)
        }
        (Inst::Round { to, .. }, Some(a)) => ("round", a == Type::F32 && to.is_small_float(), Type::F32),
        (Inst::Wrap { bits, .. }, Some(a)) => {
            immediate(at, "the number of bits", i64::from(*bits), 1, 8)?;
            ("wrap", a.size() == 1 && a.is_integer(), a)
        }
        (Inst::ReducePrecision { exponent, mantissa, .. }, Some(a)) => {
            let (exponents, mantissas) = if a == Type::F64 { (11, 52) } else { (8, 23) };
            immediate(at, "the exponent's number of bits", i64::from(*exponent), 1, exponents)?;
            immediate(at, "the mantissa's number of bits", i64::from(*mantissa), 0, mantissas)?;
            ("reduce_precision", a.is_float(), a)
        }
        (_, None) => ("an operation", false, said),
    };
    if !fits {
        return Err(Invalid::Arguments { at, what, given });
    }
    if gives != said {
        return Err(Invalid::Result { at, said, gives });
    }
    Ok(())
}

fn immediate(at: usize, what: &'static str, value: i64, least: i64, most: i64) -> Result<(), Invalid> {
    match value {
        value if value < least => Err(Invalid::Immediate { at, what, value, limit: least }),
        value if value > most => Err(Invalid::Immediate { at, what, value, limit: most }),
        _ => Ok(()),
    }
}

fn place(at: usize) -> String {
    format!("instruction %{at}")
}

fn load(program: &Program, at: usize, access: &Access, part: Part, guard: Option<&Guard>) -> Result<Type, Invalid> {
    let place = place(at);
    let ty = part_type(program, &place, access, part)?;
    if let Some(guard) = guard {
        let bounds = guard.bounds.len();
        if bounds != program.dims.len() {
            return Err(Invalid::Strides { place, given: bounds, dims: program.dims.len() });
        }
        for (bound, size) in guard.bounds.iter().zip(&program.dims) {
            immediate(at, "the guard's end", bound.1 as i64, bound.0 as i64, *size as i64)?;
        }
        if guard.fill.ty() != ty {
            return Err(Invalid::Stored { place, given: guard.fill.ty(), wanted: ty });
        }
    }
    within(&place, program, access, std::iter::empty(), guard)?;
    if program.operands[access.operand.index()].role == Role::Output {
        let written = program.stores.iter().filter(|store| store.access.operand == access.operand);
        let elsewhere = written.clone().any(|store| store.access != *access) || written.count() == 0;
        let gathered = matches!(program.body[at], Inst::Gather { .. });
        if elsewhere || gathered || program.reduced > 0 {
            return Err(Invalid::ReadsOutput { place, operand: access.operand.0 });
        }
    }
    Ok(ty)
}

/// The operand exists and has this part; its compute type.
fn part_type(program: &Program, place: &str, access: &Access, part: Part) -> Result<Type, Invalid> {
    let Some(operand) = program.operands.get(access.operand.index()) else {
        return Err(Invalid::NoOperand { place: place.to_owned(), operand: access.operand.0 });
    };
    if operand.storage.is_complex() == (part == Part::Whole) {
        return Err(Invalid::Part { place: place.to_owned(), part, storage: operand.storage.name() });
    }
    Ok(operand.storage.compute())
}

/// The first and the last element of an access: `None` when no point touches memory.
///
/// `more` are further terms, each of an index range and its stride.
pub(crate) fn reach(
    dims: &[usize],
    access: &Access,
    more: impl Iterator<Item = (i128, i128, i64)>,
    guard: Option<&Guard>,
) -> Option<(i128, i128)> {
    let own = dims.iter().enumerate().map(|(dim, size)| {
        let (low, high) = guard.map_or((0, *size), |guard| guard.bounds[dim]);
        (low as i128, high as i128 - 1, access.strides[dim])
    });
    let mut range = (i128::from(access.offset), i128::from(access.offset));
    for (low, high, stride) in own.chain(more) {
        if high < low {
            return None;
        }
        let (a, b) = (low * i128::from(stride), high * i128::from(stride));
        range = (range.0 + a.min(b), range.1 + a.max(b));
    }
    Some(range)
}

fn within(
    place: &str,
    program: &Program,
    access: &Access,
    more: impl Iterator<Item = (i128, i128, i64)>,
    guard: Option<&Guard>,
) -> Result<(), Invalid> {
    within_dims(place, &program.dims, access, more, guard)
}

fn within_dims(
    place: &str,
    dims: &[usize],
    access: &Access,
    more: impl Iterator<Item = (i128, i128, i64)>,
    guard: Option<&Guard>,
) -> Result<(), Invalid> {
    if access.strides.len() != dims.len() {
        return Err(Invalid::Strides { place: place.to_owned(), given: access.strides.len(), dims: dims.len() });
    }
    let bad = |element: i128| !(0..=MOST_ELEMENTS).contains(&element);
    if let Some((low, high)) = reach(dims, access, more, guard) {
        if bad(low) {
            return Err(Invalid::OutOfMemory { place: place.to_owned(), element: low });
        }
        if bad(high) {
            return Err(Invalid::OutOfMemory { place: place.to_owned(), element: high });
        }
    }
    // Every position that an executor may compute on the way must fit an i64, also those it does not touch.
    let unguarded = reach(dims, access, std::iter::empty(), None).unwrap_or((0, 0));
    let strides = access.strides.iter().map(|stride| i128::from(*stride));
    for element in [unguarded.0, unguarded.1, i128::from(access.offset)].into_iter().chain(strides) {
        if element.abs() > MOST_ELEMENTS {
            return Err(Invalid::OutOfMemory { place: place.to_owned(), element });
        }
    }
    Ok(())
}

fn writes(program: &Program) -> Result<(), Invalid> {
    let stores = program.stores.iter().map(|store| (&store.access, store.part, store.value, None));
    let reductions = program
        .reductions
        .iter()
        .map(|reduction| (&reduction.access, reduction.part, reduction.value, Some(reduction)));
    if program.reduced > 0 && !program.stores.is_empty() {
        return Err(Invalid::StoreInReduction);
    }
    let mut written: Vec<(OperandId, Part)> = Vec::new();
    for (index, (access, part, value, reduction)) in stores.chain(reductions).enumerate() {
        let place = match reduction {
            None => format!("store {index}"),
            Some(_) => format!("reduction {}", index - program.stores.len()),
        };
        if value.index() >= program.body.len() {
            return Err(Invalid::NoValue { place, value: value.0 });
        }
        let wanted = part_type(program, &place, access, part)?;
        let given = program.ty(value);
        if given != wanted {
            return Err(Invalid::Stored { place, given, wanted });
        }
        if let Some(reduction) = reduction {
            if reduction.init.ty() != given {
                return Err(Invalid::Stored { place, given: reduction.init.ty(), wanted: given });
            }
            if !reduction.kind.combine().accepts(given) {
                return Err(Invalid::Arguments { at: value.index(), what: reduction.kind.name(), given: vec![given] });
            }
        }
        if program.operands[access.operand.index()].role == Role::Input {
            return Err(Invalid::WritesInput { place });
        }
        within_dims(&place, program.outer(), access, std::iter::empty(), None)?;
        if overlaps(program.outer(), access) || written.contains(&(access.operand, part)) {
            return Err(Invalid::Overlap { place });
        }
        written.push((access.operand, part));
    }
    Ok(())
}

/// May two points have the same element? Exact for strides that nest as those of arrays do; others count as yes.
fn overlaps(dims: &[usize], access: &Access) -> bool {
    if dims.contains(&0) {
        return false;
    }
    let mut strides: Vec<(u64, usize)> =
        dims.iter().zip(&access.strides).filter(|(size, _)| **size > 1).map(|(s, t)| (t.unsigned_abs(), *s)).collect();
    strides.sort_unstable();
    let mut reach = 0u128;
    for (stride, size) in strides {
        if u128::from(stride) <= reach {
            return true;
        }
        reach += u128::from(stride) * (size as u128 - 1);
    }
    false
}
