//! From a program to a [`Kernel`]: loops chosen, axes merged, slots given out. Microseconds, and no machine code.

use crate::element::Type;
use crate::exec::isa::{Isa, TileFn};
use crate::exec::layout::{Mode, Space, Term, order, reduction_mode};
use crate::exec::memory::{GatherFn, LoadFn, StoreFn, memory};
use crate::exec::registers::Slots;
use crate::exec::{Kernel, Need, arithmetic, conversion, fold};
use crate::op::ReduceKind;
use crate::program::{Access, Inst, OperandId, Part, Program, Role, Value};
use crate::verify::{Invalid, reach, verify};

/// A value's place among the tile pointers; the position of its instruction.
pub(super) type Register = u32;

/// What is done to a tile.
pub(super) enum Step {
    Fill { register: Register, bits: u64, size: usize },
    Index { register: Register, term: usize },
    Load(Load),
    Gather(Gather),
    Compute { function: TileFn, register: Register, arguments: [Register; 3], immediate: u64 },
    Store(Store),
}

pub(super) struct Load {
    pub(super) register: Register,
    pub(super) operand: usize,
    pub(super) term: usize,
    pub(super) function: LoadFn,
    /// Bytes of a lane.
    pub(super) size: usize,
    /// When a contiguous run in memory is a tile already.
    pub(super) direct: bool,
    /// The value outside of the guard.
    pub(super) fill: u64,
}

pub(super) struct Gather {
    pub(super) register: Register,
    pub(super) operand: usize,
    pub(super) term: usize,
    pub(super) function: GatherFn,
    /// Where byte offsets are put together.
    pub(super) offsets: usize,
    /// Index, highest valid one, bytes from one to the next.
    pub(super) indices: Vec<(Register, i64, i64)>,
}

pub(super) struct Store {
    pub(super) register: Register,
    pub(super) operand: usize,
    pub(super) term: usize,
    pub(super) function: StoreFn,
    pub(super) size: usize,
    /// When the defining step may write straight to memory.
    pub(super) direct: bool,
}

/// A reduction of a tile, and where its results go.
pub(super) struct Fold {
    pub(super) register: Register,
    pub(super) size: usize,
    pub(super) init: u64,
    pub(super) fold: fold::FoldFn,
    pub(super) combine: fn(u64, u64) -> u64,
    pub(super) combine_tiles: TileFn,
    pub(super) store: StoreFn,
    pub(super) operand: usize,
    pub(super) term: usize,
    /// Byte offsets of tiles: results, two running ones, and one per level of partial results.
    pub(super) results: usize,
    pub(super) running: [usize; 2],
    pub(super) levels: Vec<usize>,
}

/// Tiles that [`Mode::Across`] combines one after another before it pairs what comes out.
pub(super) const BLOCK: usize = 64;

/// When a value is computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// Once for a run: the same at every point.
    Run,
    /// Once for a tile.
    Tile,
    /// Once for each reduced point of a tile, in [`Mode::Across`].
    Reduced,
}

/// The parts of a program that were given terms, in the order of its body.
struct Terms {
    all: Vec<Term>,
    /// For each instruction, its term.
    of: Vec<Option<usize>>,
}

fn bytes_term(program: &Program, access: &Access, part: Part, guard: Option<&crate::program::Guard>) -> Term {
    let size = program.operands[access.operand.index()].storage.size() as i64;
    let shift = if part == Part::Im { size / 2 } else { 0 };
    let strides = access.strides.iter().map(|stride| stride * size).collect();
    Term::new(access.offset * size + shift, strides, guard)
}

fn terms_of_body(program: &Program) -> Terms {
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
struct Plan {
    mode: Mode,
    lanes: Space,
    reduced: Space,
    results: Space,
}

fn plan(program: &Program, body: &[Term], writes: &[Term]) -> Plan {
    let rank = program.dims.len();
    let kept = rank - program.reduced;
    let dims = &program.dims;
    let loads: Vec<&Term> = body.iter().collect();
    if program.reductions.is_empty() {
        let leading: Vec<&Term> = writes.iter().chain(body).collect();
        let axes = order(0..rank, &leading);
        let terms: Vec<Term> = body.iter().chain(writes).cloned().collect();
        let lanes = Space::new(dims, &axes, &terms);
        return Plan { mode: Mode::Map, lanes, reduced: Space::default(), results: Space::default() };
    }
    let outer = order(0..kept, &loads);
    let reduced = order(kept..rank, &loads);
    let mode = reduction_mode(dims, &outer, &reduced, &loads);
    let results = Space::new(&dims[..kept], &outer, writes);
    if mode == Mode::Along {
        let axes: Vec<usize> = outer.iter().chain(&reduced).copied().collect();
        return Plan { mode, lanes: Space::new(dims, &axes, body), reduced: Space::default(), results };
    }
    // Results are walked with the tiles: their strides over the reduced axes do not matter.
    let padded = writes.iter().map(|term| {
        let mut strides = term.strides.clone();
        strides.resize(rank, 0);
        Term { strides, ..term.clone() }
    });
    let terms: Vec<Term> = body.iter().cloned().chain(padded).collect();
    let lanes = Space::new(dims, &outer, &terms);
    Plan { mode, lanes, reduced: Space::new(dims, &reduced, body), results }
}

/// The reduced point matters to a load through its bounds as well.
fn moves(term: &Term) -> bool {
    term.bounds.is_some() || term.strides.iter().any(|stride| *stride != 0)
}

fn stages(program: &Program, terms: &Terms, plan: &Plan) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::with_capacity(program.body.len());
    for (inst, term) in program.body.iter().zip(&terms.of) {
        let own = match term {
            Some(term) if plan.mode == Mode::Across && moves(&plan.reduced.terms[*term]) => Stage::Reduced,
            Some(term) if moves(&plan.lanes.terms[*term]) => Stage::Tile,
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

impl Kernel {
    /// Prepares a program for the best loops that this processor has.
    ///
    /// # Errors
    /// What [`verify`] finds.
    pub fn prepare(program: &Program) -> Result<Kernel, Invalid> {
        Kernel::prepare_for(program, Isa::detect())
    }

    /// Prepares a program for the loops of a choice; the results are the same.
    ///
    /// # Errors
    /// What [`verify`] finds.
    ///
    /// # Panics
    /// When this processor does not have what is asked for.
    pub fn prepare_for(program: &Program, isa: Isa) -> Result<Kernel, Invalid> {
        assert!(isa.is_supported(), "{isa:?} asked for on a processor without it");
        verify(program)?;
        let terms = terms_of_body(program);
        let stores = program.stores.iter().map(|store| bytes_term(program, &store.access, store.part, None));
        let folds = program.reductions.iter().map(|fold| bytes_term(program, &fold.access, fold.part, None));
        let writes: Vec<Term> = stores.chain(folds).collect();
        let plan = plan(program, &terms.all, &writes);
        let stages = stages(program, &terms, &plan);
        let mut assembly = Assembly::new(program, isa, &terms, stages);
        for stage in [Stage::Run, Stage::Tile, Stage::Reduced] {
            assembly.stage(stage);
        }
        let folds = assembly.folds(&plan);
        let Assembly { slots, registers, steps, .. } = assembly;
        let positions = positions(program);
        let [run, tile, reduced] = steps;
        let reduced_points = match program.reductions.is_empty() {
            true => 1,
            false => program.dims[program.dims.len() - program.reduced..].iter().product(),
        };
        Ok(Kernel {
            mode: plan.mode,
            lanes: plan.lanes,
            reduced: plan.reduced,
            results: plan.results,
            points: program.points(),
            reduced_points,
            run,
            tile,
            reduced_steps: reduced,
            folds,
            registers,
            scratch: slots.bytes(),
            inputs: needs(program, Role::Input),
            outputs: needs(program, Role::Output),
            positions,
        })
    }
}

/// For each operand, whether it is written, and its position among those of its role.
fn positions(program: &Program) -> Vec<(bool, usize)> {
    let mut counts = [0, 0];
    let position = |operand: &crate::program::Operand| {
        let written = operand.role == Role::Output;
        let count = &mut counts[usize::from(written)];
        *count += 1;
        (written, *count - 1)
    };
    program.operands.iter().map(position).collect()
}

/// Bytes that each operand of a role must have.
fn needs(program: &Program, role: Role) -> Vec<Need> {
    let mut ends = vec![0i128; program.operands.len()];
    let mut raise = |access: &Access, range: Option<(i128, i128)>| {
        if let Some((_, high)) = range {
            let end = &mut ends[access.operand.index()];
            *end = (*end).max(high + 1);
        }
    };
    for inst in &program.body {
        match inst {
            Inst::Load { access, guard, .. } => {
                raise(access, reach(&program.dims, access, std::iter::empty(), guard.as_ref()));
            }
            Inst::Gather { access, indices, .. } => {
                let more = indices.iter().map(|index| (0, index.size as i128 - 1, index.stride));
                raise(access, reach(&program.dims, access, more, None));
            }
            _ => {}
        }
    }
    let stores = program.stores.iter().map(|store| &store.access);
    for access in stores.chain(program.reductions.iter().map(|reduction| &reduction.access)) {
        raise(access, reach(program.outer(), access, std::iter::empty(), None));
    }
    program
        .with_role(role)
        .map(|id| {
            let size = program.operands[id.index()].storage.size();
            Need { bytes: ends[id.index()] as usize * size }
        })
        .collect()
}

/// The loop that computes a value over a tile, and the immediate that it is called with: for code generators that have
/// no code of their own for an instruction. `None` for instructions that touch memory, for constants, which need no
/// loop, and for bitcasts, which are their argument.
///
/// The program must be valid, and the processor must have what `isa` names.
pub fn tile_loop(program: &Program, value: Value, isa: Isa) -> Option<(TileFn, u64)> {
    let ty = |value: &Value| program.ty(*value);
    let (loops, immediate) = match &program.body[value.index()] {
        Inst::Unary { op, a } => (arithmetic::unary(*op, ty(a))?, 0),
        Inst::Binary { op, a, .. } => (arithmetic::binary(*op, ty(a))?, 0),
        Inst::Compare { direction, a, .. } => (arithmetic::compare(*direction, ty(a))?, 0),
        Inst::Select { a, .. } => (arithmetic::select(ty(a).size()), 0),
        Inst::Fma { a, .. } => (arithmetic::fma(ty(a))?, 0),
        Inst::Convert { a } => (conversion::convert(ty(a), ty(&value)), 0),
        Inst::NarrowToOdd { .. } => (conversion::narrow_to_odd(), 0),
        Inst::Round { to, .. } => (conversion::round(*to)?, 0),
        Inst::Wrap { bits, a } => (conversion::wrap(ty(a))?, u64::from(8 - bits)),
        Inst::ReducePrecision { exponent, mantissa, a } => {
            (conversion::reduce_precision(ty(a))?, u64::from(*exponent) << 32 | u64::from(*mantissa))
        }
        Inst::Const(_) | Inst::Index { .. } | Inst::Load { .. } | Inst::Gather { .. } | Inst::Bitcast { .. } => {
            return None;
        }
    };
    Some((loops.pick(isa), immediate))
}

/// Steps and slots under construction.
struct Assembly<'p> {
    program: &'p Program,
    isa: Isa,
    terms: &'p Terms,
    stages: Vec<Stage>,
    /// For each value, the one that holds its bits: itself, or what it is a bitcast of.
    holder: Vec<Register>,
    /// For each holder, the instruction after which it is not needed; `None` for those that stay.
    last_use: Vec<Option<usize>>,
    /// Stores by the instruction after which they are done.
    stores_after: Vec<Vec<usize>>,
    /// For each operand, the instruction after which it is first stored to.
    written_at: Vec<Option<usize>>,
    slots: Slots,
    registers: Vec<usize>,
    steps: [Vec<Step>; 3],
}

impl<'p> Assembly<'p> {
    fn new(program: &'p Program, isa: Isa, terms: &'p Terms, stages: Vec<Stage>) -> Assembly<'p> {
        let count = program.body.len();
        let mut holder: Vec<Register> = Vec::with_capacity(count);
        for (at, inst) in program.body.iter().enumerate() {
            holder.push(match inst {
                Inst::Bitcast { a } => holder[a.index()],
                _ => at as Register,
            });
        }
        let mut stores_after = vec![Vec::new(); count];
        let mut written_at = vec![None; program.operands.len()];
        let mut last_use: Vec<Option<usize>> = (0..count).map(Some).collect();
        for (at, inst) in program.body.iter().enumerate() {
            inst.for_each_argument(|argument| {
                let held = holder[argument.index()] as usize;
                // A value of an earlier stage is used again and again.
                last_use[held] = match stages[at] > stages[held] {
                    true => None,
                    false => last_use[held].map(|last| last.max(at)),
                };
            });
        }
        for (index, store) in program.stores.iter().enumerate() {
            // After every read of the same memory.
            let reads = program.body.iter().enumerate().filter(
                |(_, inst)| matches!(inst, Inst::Load { access, .. } if access.operand == store.access.operand),
            );
            let at = reads.map(|(at, _)| at).max().unwrap_or(0).max(store.value.index());
            stores_after[at].push(index);
            let first = &mut written_at[store.access.operand.index()];
            *first = Some(first.map_or(at, |first| at.min(first)));
            let held = holder[store.value.index()] as usize;
            last_use[held] = match stages[held] {
                Stage::Run => None,
                _ => last_use[held].map(|last| last.max(at)),
            };
        }
        for reduction in &program.reductions {
            last_use[holder[reduction.value.index()] as usize] = None;
        }
        Assembly {
            program,
            isa,
            terms,
            stages,
            holder,
            last_use,
            stores_after,
            written_at,
            slots: Slots::default(),
            registers: vec![0; count],
            steps: [Vec::new(), Vec::new(), Vec::new()],
        }
    }

    /// Whether memory changes while a value that was loaded from it is still wanted, so that it has to be copied.
    fn is_overwritten(&self, at: usize, operand: OperandId) -> bool {
        let Some(written) = self.written_at[operand.index()] else { return false };
        let stored = self.program.stores.iter().any(|store| self.held(store.value) as usize == at);
        stored || self.last_use[at].is_none_or(|last| last > written)
    }

    fn held(&self, value: Value) -> Register {
        self.holder[value.index()]
    }

    fn stage(&mut self, stage: Stage) {
        let mut dying: Vec<Vec<usize>> = vec![Vec::new(); self.program.body.len()];
        for at in 0..self.program.body.len() {
            if self.stages[at] == stage {
                self.instruction(at, stage);
                if self.holder[at] as usize == at
                    && let Some(last) = self.last_use[at]
                {
                    dying[last.max(at)].push(at);
                }
            }
            if stage == Stage::Tile {
                for index in std::mem::take(&mut self.stores_after[at]) {
                    let step = self.store(index);
                    self.steps[Stage::Tile as usize].push(step);
                }
            }
            for value in std::mem::take(&mut dying[at]) {
                self.slots.give(self.registers[value], self.program.types[value].size());
            }
        }
    }

    fn instruction(&mut self, at: usize, stage: Stage) {
        let inst = &self.program.body[at];
        if let Inst::Bitcast { .. } = inst {
            return;
        }
        let ty = self.program.types[at];
        let register = at as Register;
        self.registers[at] = self.slots.take(ty.size());
        let term = self.terms.of[at].unwrap_or(0);
        let step = match inst {
            Inst::Const(scalar) => Step::Fill { register, bits: scalar.bits(), size: ty.size() },
            Inst::Index { .. } => Step::Index { register, term },
            Inst::Load { access, guard, .. } => {
                let storage = self.program.operands[access.operand.index()].storage;
                let loops = memory(storage);
                Step::Load(Load {
                    register,
                    operand: access.operand.index(),
                    term,
                    function: loops.load.pick(self.isa),
                    size: ty.size(),
                    direct: loops.same && !storage.is_complex() && !self.is_overwritten(at, access.operand),
                    fill: guard.as_ref().map_or(0, |guard| guard.fill.bits()),
                })
            }
            Inst::Gather { access, indices, .. } => {
                let storage = self.program.operands[access.operand.index()].storage;
                let size = storage.size() as i64;
                let indices = indices
                    .iter()
                    .map(|index| (self.held(index.index), index.size as i64 - 1, index.stride * size))
                    .collect();
                // Needed in this step only.
                let offsets = self.slots.take(8);
                self.slots.give(offsets, 8);
                Step::Gather(Gather {
                    register,
                    operand: access.operand.index(),
                    term,
                    function: memory(storage).gather.pick(self.isa),
                    offsets,
                    indices,
                })
            }
            _ => self.compute(at),
        };
        self.steps[stage as usize].push(step);
    }

    fn compute(&self, at: usize) -> Step {
        let Some((function, immediate)) = tile_loop(self.program, Value(at as u32), self.isa) else {
            unreachable!("%{at} has no loops though it was verified")
        };
        let mut arguments = [at as Register; 3];
        let mut next = 0;
        self.program.body[at].for_each_argument(|argument| {
            arguments[next] = self.held(argument);
            next += 1;
        });
        // Unused arguments repeat the first, which is valid to point to.
        for unused in next..3 {
            arguments[unused] = arguments[0];
        }
        Step::Compute { function, register: at as Register, arguments, immediate }
    }

    fn store(&self, index: usize) -> Step {
        let store = &self.program.stores[index];
        let operand = store.access.operand;
        let storage = self.program.operands[operand.index()].storage;
        let register = self.held(store.value);
        let defining = &self.program.body[register as usize];
        let computed =
            !matches!(defining, Inst::Const(_) | Inst::Index { .. } | Inst::Load { .. } | Inst::Gather { .. })
                && self.stages[register as usize] == Stage::Tile;
        let read =
            self.program.body.iter().any(|inst| matches!(inst, Inst::Load { access, .. } if access.operand == operand));
        let first = self.program.stores.iter().position(|other| self.held(other.value) == register) == Some(index);
        let loops = memory(storage);
        // Masks are stored as they are: every instruction makes 0 or 1.
        let same = loops.same || storage.compute() == Type::Mask;
        Step::Store(Store {
            register,
            operand: operand.index(),
            term: self.terms.all.len() + index,
            function: loops.store.pick(self.isa),
            size: storage.compute().size(),
            direct: computed && same && !storage.is_complex() && !read && first,
        })
    }

    fn folds(&mut self, plan: &Plan) -> Vec<Fold> {
        let reduced = plan.reduced.points();
        let mut folds = Vec::new();
        for (index, reduction) in self.program.reductions.iter().enumerate() {
            let ty = self.program.ty(reduction.value);
            let size = ty.size();
            let storage = self.program.operands[reduction.access.operand.index()].storage;
            let loops = fold::folding(reduction.kind, ty);
            let tiles = arithmetic::binary(reduction.kind.combine(), ty);
            let (Some(loops), Some(tiles)) = (loops, tiles) else {
                unreachable!("{} of {ty} has no loops though it was verified", ReduceKind::name(reduction.kind))
            };
            let blocks = if plan.mode == Mode::Across { reduced.div_ceil(BLOCK) } else { 0 };
            let levels = (usize::BITS - blocks.leading_zeros()) as usize;
            folds.push(Fold {
                register: self.held(reduction.value),
                size,
                init: reduction.init.bits(),
                fold: loops.fold.pick(self.isa),
                combine: loops.combine,
                combine_tiles: tiles.pick(self.isa),
                store: memory(storage).store.pick(self.isa),
                operand: reduction.access.operand.index(),
                term: if plan.mode == Mode::Across { self.terms.all.len() + index } else { index },
                results: self.slots.fresh(size),
                running: [self.slots.fresh(size), self.slots.fresh(size)],
                levels: (0..levels).map(|_| self.slots.fresh(size)).collect(),
            });
        }
        folds
    }
}
