//! How a program's points are visited, and how often each of its values is computed.

use super::isa::LANES;
use super::layout::{Mode, Space, Term, order, reduction_mode};
use crate::program::{Access, Guard, Inst, Part, Program, Role};

/// When a value is computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// Once for a run: the same at every point.
    Run,
    /// Once for a tile, for one lane: the same along a row, where tiles are within rows.
    Row,
    /// Once for a tile.
    Tile,
    /// Once for each reduced point of a tile, in [`Mode::Across`].
    Reduced,
}

/// The parts of a program that were given terms, in the order of its body.
pub(super) struct Terms {
    pub(super) all: Vec<Term>,
    /// For each instruction, its term.
    pub(super) of: Vec<Option<usize>>,
}

/// Where an access is, in bytes.
pub(super) fn bytes_term(program: &Program, access: &Access, part: Part, guard: Option<&Guard>) -> Term {
    let size = program.operands[access.operand.index()].storage.size() as i64;
    let shift = if part == Part::Im { size / 2 } else { 0 };
    let strides = access.strides.iter().map(|stride| stride * size).collect();
    Term::new(access.offset * size + shift, strides, guard)
}

/// The terms of loads, gathers and indices.
pub(super) fn terms_of_body(program: &Program) -> Terms {
    let mut terms = Terms { all: Vec::new(), of: vec![None; program.body.len()] };
    for (at, inst) in program.body.iter().enumerate() {
        let term = match inst {
            Inst::Load { access, part, guard } => bytes_term(program, access, *part, guard.as_ref()),
            Inst::Gather { access, part, .. } => bytes_term(program, access, *part, None),
            Inst::Index { dim } => {
                let mut strides = vec![0; program.dims.len()];
                strides[*dim] = 1;
                Term::new(0, strides, None)
            }
            _ => continue,
        };
        terms.of[at] = Some(terms.all.len());
        terms.all.push(term);
    }
    terms
}

/// Everything that preparation decides before slots are given out.
pub(super) struct Plan {
    pub(super) mode: Mode,
    pub(super) lanes: Space,
    pub(super) reduced: Space,
    pub(super) results: Space,
    /// Points that each result is combined of.
    pub(super) reduced_points: usize,
    /// How many of the first dimensions number the points as they stand.
    pub(super) leading: usize,
}

/// How many axes stand where they stood.
fn in_order(order: &[usize]) -> usize {
    order.iter().enumerate().take_while(|(at, axis)| at == *axis).count()
}

/// Decides how points are visited, from the terms of what is read and of what is written.
pub(super) fn plan(program: &Program, body: &[Term], writes: &[Term]) -> Plan {
    let rank = program.dims.len();
    let kept = rank - program.reduced;
    let dims = &program.dims;
    let loads: Vec<&Term> = body.iter().collect();
    if program.reductions.is_empty() {
        let leading: Vec<&Term> = writes.iter().chain(body).collect();
        let axes = order(0..rank, &leading);
        let terms: Vec<Term> = body.iter().chain(writes).cloned().collect();
        let lanes = Space::new(dims, &axes, &terms);
        let (reduced, results) = (Space::default(), Space::default());
        return Plan { mode: Mode::Map, lanes, reduced, results, reduced_points: 1, leading: in_order(&axes) };
    }
    let outer = order(0..kept, &loads);
    let reduced = order(kept..rank, &loads);
    let mode = reduction_mode(dims, &outer, &reduced, &loads);
    let (reduced_points, leading) = (reduced.iter().map(|axis| dims[*axis]).product(), in_order(&outer));
    let results = Space::new(&dims[..kept], &outer, writes);
    if mode == Mode::Along {
        let axes: Vec<usize> = outer.iter().chain(&reduced).copied().collect();
        let lanes = Space::new(dims, &axes, body);
        return Plan { mode, lanes, reduced: Space::default(), results, reduced_points, leading };
    }
    // Results are walked with the tiles: their strides over the reduced axes do not matter.
    let padded = writes.iter().map(|term| {
        let mut strides = term.strides.clone();
        strides.resize(rank, 0);
        Term { strides, ..term.clone() }
    });
    let terms: Vec<Term> = body.iter().cloned().chain(padded).collect();
    let lanes = Space::new(dims, &outer, &terms);
    Plan { mode, lanes, reduced: Space::new(dims, &reduced, body), results, reduced_points, leading }
}

/// The reduced point matters to a load through its bounds as well.
fn moves(term: &Term) -> bool {
    term.bounds.is_some() || term.strides.iter().any(|stride| *stride != 0)
}

/// When each value is computed.
pub(super) fn stages(program: &Program, terms: &Terms, plan: &Plan) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::with_capacity(program.body.len());
    let row = plan.lanes.sizes[plan.lanes.sizes.len() - 1];
    let reduced = plan.reduced_points;
    let within_rows = match plan.mode {
        Mode::Map => row >= LANES / 2,
        Mode::Along => row == reduced && reduced > LANES / 2,
        Mode::Across => false,
    };
    let same_along = |term: &Term| term.bounds.is_none() && term.strides.last() == Some(&0);
    for (inst, term) in program.body.iter().zip(&terms.of) {
        let own = match term {
            Some(term) if plan.mode == Mode::Across && moves(&plan.reduced.terms[*term]) => Stage::Reduced,
            Some(term) if within_rows && moves(&plan.lanes.terms[*term]) && same_along(&plan.lanes.terms[*term]) => {
                Stage::Row
            }
            Some(term) if moves(&plan.lanes.terms[*term]) => Stage::Tile,
            // Of a single point there is one tile.
            _ if plan.mode == Mode::Map && plan.lanes.points() == 1 => Stage::Tile,
            _ => Stage::Run,
        };
        let mut stage = own;
        inst.for_each_argument(|argument| stage = stage.max(stages[argument.index()]));
        // An output that is read in place changes under way.
        if let Inst::Load { access, .. } = inst
            && program.operands[access.operand.index()].role == Role::Output
        {
            stage = stage.max(Stage::Tile);
        }
        stages.push(stage);
    }
    stages
}
