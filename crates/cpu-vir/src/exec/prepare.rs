//! From a program to a [`Kernel`]: loops chosen, slots given out. Microseconds, and no machine code.

use crate::element::Type;
use crate::exec::columns::{self, ColumnsFn};
use crate::exec::gather::{Gather, GatherStep, RowLoad, gathers_rows};
use crate::exec::index::{Count, narrowed, offset};
use crate::exec::isa::{Isa, TileFn};
use crate::exec::layout::{Mode, Space, Term};
use crate::exec::machine::Folded;
use crate::exec::memory::{LoadFn, StoreFn, memory};
use crate::exec::one_lane::{OneLaneFn, one_lane};
use crate::exec::pairs::{SAME_B, SAME_C, Second, Together, pair};
use crate::exec::registers::Slots;
use crate::exec::stage::{Plan, Stage, Terms, bytes_term, plan, stages, terms_of_body};
use crate::exec::{Kernel, Need, arithmetic, conversion, fold};
use crate::op::{BinaryOp, ReduceKind};
use crate::program::{Access, Inst, OperandId, Program, Role, Value};
use crate::verify::{Invalid, reach, verify};

/// A value's place among the tile pointers; the position of its instruction.
pub(super) type Register = u32;

/// What is done to a tile.
pub(super) enum Step {
    Fill {
        register: Register,
        bits: u64,
        size: usize,
    },
    Index {
        register: Register,
        term: usize,
        count: Count,
    },
    Load(Load),
    Gather(Gather),
    /// Fills a tile with a value that is the same along the row.
    Spread {
        register: Register,
        from: Register,
        size: usize,
    },
    Compute {
        function: TileFn,
        one_lane: Option<OneLaneFn>,
        register: Register,
        arguments: [Register; 3],
        immediate: u64,
    },
    Store(Store),
}

impl Step {
    /// The value that it makes.
    pub(super) fn result(&self) -> Option<Register> {
        match self {
            Step::Fill { register, .. }
            | Step::Index { register, .. }
            | Step::Spread { register, .. }
            | Step::Compute { register, .. } => Some(*register),
            Step::Load(load) => Some(load.register),
            Step::Gather(gather) => Some(gather.register),
            Step::Store(_) => None,
        }
    }
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

pub(super) struct Store {
    pub(super) register: Register,
    pub(super) operand: usize,
    pub(super) term: usize,
    pub(super) function: StoreFn,
    pub(super) size: usize,
    /// Whether lanes and elements have the same bits.
    pub(super) same: bool,
    /// When the defining step may write straight to memory.
    pub(super) direct: bool,
}

/// A reduction of a tile, and where its results go.
pub(super) struct Fold {
    pub(super) register: Register,
    pub(super) folded: Folded,
    pub(super) combine_tiles: TileFn,
    pub(super) store: StoreFn,
    pub(super) operand: usize,
    pub(super) term: usize,
    /// Byte offsets of tiles: results, two running ones, and one per level of partial results.
    pub(super) results: usize,
    pub(super) running: [usize; 2],
    pub(super) levels: Vec<usize>,
}

/// A fold over an outer dimension of what lies in memory as it is.
pub(super) struct Column {
    pub(super) function: ColumnsFn,
    pub(super) operand: usize,
    pub(super) term: usize,
    /// Bytes from one reduced point to the next.
    pub(super) stride: i64,
}

/// Tiles that [`Mode::Across`] combines one after another before it pairs what comes out.
pub(super) const BLOCK: usize = 64;

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
        let mut plan = plan(program, &terms.all, &writes);
        let stages = stages(program, &terms, &plan);
        let by_rows = gathers_rows(program, &terms, &mut plan.lanes);
        let mut assembly = Assembly::new(program, isa, &terms, stages, by_rows);
        for stage in [Stage::Run, Stage::Row, Stage::Tile, Stage::Reduced] {
            assembly.stage(stage);
        }
        let folds = assembly.folds(&plan);
        let Assembly { slots, registers, steps, .. } = assembly;
        let positions = positions(program);
        let [run, row, tile, reduced] = steps;
        let reduced_points = plan.reduced_points;
        let columns = match plan.mode {
            Mode::Across => columns_of(program, isa, &plan, &reduced, &folds),
            _ => None,
        };
        let whole_rows = plan.mode == Mode::Along && are_whole(&plan.lanes, &tile, &folds, reduced_points);
        Ok(Kernel {
            mode: plan.mode,
            whole_rows,
            leading: plan.leading,
            lanes: plan.lanes,
            reduced: plan.reduced,
            results: plan.results,
            points: program.points(),
            reduced_points,
            run,
            row,
            tile,
            reduced_steps: reduced,
            folds,
            columns,
            registers,
            scratch: slots.bytes(),
            inputs: needs(program, Role::Input),
            outputs: needs(program, Role::Output),
            positions,
        })
    }
}

/// Whether everything that is combined is loaded, each row as one run of lanes that need no conversion.
fn are_whole(lanes: &Space, tile: &[Step], folds: &[Fold], length: usize) -> bool {
    let row = *lanes.sizes.last().unwrap_or(&0);
    let whole = |step: &Step| match step {
        Step::Load(load) => {
            let term = &lanes.terms[load.term];
            let contiguous = term.strides.last() == Some(&(load.size as i64));
            load.direct
                && contiguous
                && term.bounds.is_none()
                && (term.linear || length > 0 && row.is_multiple_of(length))
        }
        _ => false,
    };
    let loaded = |fold: &Fold| tile.iter().any(|step| step.result() == Some(fold.register));
    tile.iter().all(whole) && folds.iter().all(loaded)
}

/// How all folds are done by rows of memory: where what is combined is loaded and nothing else, along one dimension, from
/// lanes side by side.
fn columns_of(program: &Program, isa: Isa, plan: &Plan, steps: &[Step], folds: &[Fold]) -> Option<Vec<Column>> {
    if plan.reduced.sizes.len() != 1 || !steps.iter().all(|step| matches!(step, Step::Load(_))) {
        return None;
    }
    let column = |(fold, reduction): (&Fold, &crate::program::Reduction)| {
        let loaded = |step: &Step| match step {
            Step::Load(load) if load.register == fold.register => {
                Some((load.operand, load.term, load.size, load.direct))
            }
            _ => None,
        };
        let (operand, term, size, direct) = steps.iter().find_map(loaded)?;
        let (lanes, reduced) = (&plan.lanes.terms[term], &plan.reduced.terms[term]);
        let is_plain = direct
            && lanes.bounds.is_none()
            && reduced.bounds.is_none()
            && lanes.strides.last() == Some(&(size as i64));
        let function = columns::columns(reduction.kind, program.ty(reduction.value))?.pick(isa);
        is_plain.then_some(Column { function, operand, term, stride: reduced.strides[0] })
    };
    folds.iter().zip(&program.reductions).map(column).collect()
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

/// For each value, whether it is a rounding that all its uses do themselves: stores to memory of the type that it
/// rounds to, which rounds once more to the same.
fn rounded_by_stores(program: &Program) -> Vec<bool> {
    let mut rounded: Vec<bool> = program.body.iter().map(|inst| matches!(inst, Inst::Round { .. })).collect();
    let mut keep = |value: Value| rounded[value.index()] = false;
    for store in &program.stores {
        let storage = program.operands[store.access.operand.index()].storage;
        if !matches!(program.body[store.value.index()], Inst::Round { to, .. } if to == storage) {
            keep(store.value);
        }
    }
    program.reductions.iter().for_each(|reduction| keep(reduction.value));
    program.body.iter().for_each(|inst| inst.for_each_argument(&mut keep));
    rounded
}

/// Steps and slots under construction.
struct Assembly<'p> {
    program: &'p Program,
    isa: Isa,
    terms: &'p Terms,
    stages: Vec<Stage>,
    /// For each value, the one that holds its bits: itself, or what it is a bitcast of, or what is rounded to it.
    holder: Vec<Register>,
    /// Which values are computed along with others.
    together: Together,
    /// For each holder, the instruction after which it is not needed; `None` for those that stay.
    last_use: Vec<Option<usize>>,
    /// Stores by the instruction after which they are done.
    stores_after: Vec<Vec<usize>>,
    /// For each operand, the instruction after which it is first stored to.
    written_at: Vec<Option<usize>>,
    slots: Slots,
    registers: Vec<usize>,
    /// For each value of [`Stage::Row`], the register that has it in every lane, if somebody wants that.
    spread: Vec<Option<Register>>,
    steps: [Vec<Step>; 4],
    /// For each value, whether it is gathered by whole rows.
    by_rows: Vec<bool>,
    /// For each value, whether it is an index that is wanted as i32 only.
    narrowed: Vec<bool>,
}

impl<'p> Assembly<'p> {
    fn new(program: &'p Program, isa: Isa, terms: &'p Terms, stages: Vec<Stage>, by_rows: Vec<bool>) -> Assembly<'p> {
        let count = program.body.len();
        let mut holder: Vec<Register> = Vec::with_capacity(count);
        let rounded = rounded_by_stores(program);
        for (at, inst) in program.body.iter().enumerate() {
            holder.push(match inst {
                Inst::Bitcast { a } => holder[a.index()],
                Inst::Round { a, .. } if rounded[at] => holder[a.index()],
                _ => at as Register,
            });
        }
        // Of a single point each instruction has a function of its own that is quicker than a loop.
        let is_single = program.points() == 1 && program.reductions.is_empty();
        let together = if is_single { Together::none(program) } else { Together::find(program, &stages, &holder) };
        let mut stores_after = vec![Vec::new(); count];
        let mut written_at = vec![None; program.operands.len()];
        let mut last_use: Vec<Option<usize>> = (0..count).map(Some).collect();
        for (at, inst) in program.body.iter().enumerate() {
            let at = together.computed_by(at);
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
                Stage::Run | Stage::Row => None,
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
            together,
            last_use,
            stores_after,
            written_at,
            slots: Slots::default(),
            registers: vec![0; count],
            spread: vec![None; count],
            steps: [const { Vec::new() }; 4],
            by_rows,
            narrowed: narrowed(program),
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

    /// The register in which a later stage finds a value: in every lane.
    fn wanted(&mut self, value: Value, stage: Stage) -> Register {
        let held = self.held(value);
        if stage <= Stage::Row || self.stages[held as usize] != Stage::Row {
            return held;
        }
        if let Some(known) = self.spread[held as usize] {
            return known;
        }
        let size = self.program.types[held as usize].size();
        let register = self.registers.len() as Register;
        self.registers.push(self.slots.fresh(size));
        self.spread[held as usize] = Some(register);
        self.steps[Stage::Tile as usize].push(Step::Spread { register, from: held, size });
        register
    }

    fn stage(&mut self, stage: Stage) {
        let mut dying: Vec<Vec<usize>> = vec![Vec::new(); self.program.body.len()];
        for at in 0..self.program.body.len() {
            if self.stages[at] == stage && !self.together.is_first(at) && !self.narrowed[at] {
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
        if self.holder[at] as usize != at {
            return;
        }
        let inst = &self.program.body[at];
        let ty = self.program.types[at];
        let register = at as Register;
        self.registers[at] = self.slots.take(ty.size());
        let term = self.terms.of[at].unwrap_or(0);
        let step = match inst {
            Inst::Const(scalar) => Step::Fill { register, bits: scalar.bits(), size: ty.size() },
            Inst::Index { .. } => Step::Index { register, term, count: Count::wide(self.isa) },
            Inst::Convert { a } if self.narrowed[a.index()] => {
                let term = self.terms.of[a.index()].unwrap_or(0);
                Step::Index { register, term, count: Count::narrow(self.isa) }
            }
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
                let (by_rows, isa) = (self.by_rows[at], self.isa);
                let mut place = |index| if by_rows { self.held(index) } else { self.wanted(index, stage) };
                let indices = indices
                    .iter()
                    .map(|index| {
                        let (most, stride) = (index.size as i64 - 1, index.stride * size);
                        let function = offset(most, stride, isa);
                        GatherStep { register: place(index.index), most, stride, function }
                    })
                    .collect();
                let loops = memory(storage);
                let direct = loops.same && !storage.is_complex();
                let function = loops.load.pick(self.isa);
                // Needed in this step only.
                let offsets = self.slots.take(8);
                self.slots.give(offsets, 8);
                Step::Gather(Gather {
                    register,
                    operand: access.operand.index(),
                    term,
                    function: loops.gather.pick(self.isa),
                    offsets,
                    count: Count::wide(self.isa),
                    indices,
                    row: by_rows.then_some(RowLoad { function, size: ty.size(), direct }),
                })
            }
            _ => self.compute(at, stage),
        };
        self.steps[stage as usize].push(step);
    }

    fn compute(&mut self, at: usize, stage: Stage) -> Step {
        if let Some(step) = self.arithmetic(at, stage) {
            return step;
        }
        let Some((function, immediate)) = tile_loop(self.program, Value(at as u32), self.isa) else {
            unreachable!("%{at} has no loops though it was verified")
        };
        let mut arguments = [at as Register; 3];
        let mut next = 0;
        let program = self.program;
        program.body[at].for_each_argument(|argument| {
            arguments[next] = self.wanted(argument, stage);
            next += 1;
        });
        // Unused arguments repeat the first, which is valid to point to.
        for unused in next..3 {
            arguments[unused] = arguments[0];
        }
        let one_lane = one_lane(program, Value(at as u32));
        Step::Compute { function, one_lane, register: at as Register, arguments, immediate }
    }

    /// One loop for an operation that another goes into, or that takes what is the same along a row.
    fn arithmetic(&mut self, at: usize, stage: Stage) -> Option<Step> {
        let program = self.program;
        let &Inst::Binary { op, a, b } = &program.body[at] else { return None };
        let is_first = |value: &Value| self.together.computed_by(self.held(*value) as usize) == at;
        let first = [a, b].into_iter().find(is_first);
        let (op, second, [mut a, mut b], c) = match first.map(|first| &program.body[self.held(first) as usize]) {
            None => (op, Second::Nothing, [a, b], None),
            Some(&Inst::Binary { op: inner, a: x, b: y }) => {
                let in_front = first == Some(a);
                let second = match op {
                    _ if self.held(a) == self.held(b) => Second::Square,
                    BinaryOp::Add => Second::Add,
                    BinaryOp::Mul => Second::Mul,
                    _ if in_front => Second::Sub,
                    _ => Second::SubFrom,
                };
                let other = if in_front { b } else { a };
                (inner, second, [x, y], (second != Second::Square).then_some(other))
            }
            Some(_) => unreachable!("%{at} goes together with what is no arithmetic"),
        };
        let is_same = |value: Value| stage > Stage::Row && self.stages[self.held(value) as usize] == Stage::Row;
        if is_same(a) && !is_same(b) && op.commutes() {
            (a, b) = (b, a);
        }
        let (same_b, same_c) = (is_same(b), c.is_some_and(is_same));
        if second == Second::Nothing && !same_b {
            return None;
        }
        let function = pair(op, second, program.types[at])?.pick(self.isa);
        let immediate = if same_b { SAME_B } else { 0 } | if same_c { SAME_C } else { 0 };
        let mut place = |value: Value, same: bool| if same { self.held(value) } else { self.wanted(value, stage) };
        let (a, b) = (place(a, false), place(b, same_b));
        let c = c.map_or(a, |c| place(c, same_c));
        Some(Step::Compute { function, one_lane: None, register: at as Register, arguments: [a, b, c], immediate })
    }

    fn store(&mut self, index: usize) -> Step {
        let store = &self.program.stores[index];
        let operand = store.access.operand;
        let storage = self.program.operands[operand.index()].storage;
        let held = self.held(store.value);
        let register = self.wanted(store.value, Stage::Tile);
        let defining = &self.program.body[held as usize];
        let computed =
            !matches!(defining, Inst::Const(_) | Inst::Index { .. } | Inst::Load { .. } | Inst::Gather { .. })
                && self.stages[held as usize] == Stage::Tile;
        // Memory that is read too may be written once what was there is used no more.
        let late = |(at, inst): (usize, &Inst)| {
            let reads = matches!(inst, Inst::Load { access, .. } if access.operand == operand);
            reads && (at >= held as usize || self.last_use[at].is_none_or(|last| last >= held as usize))
        };
        let read_later = self.program.body.iter().enumerate().any(late);
        let first = self.program.stores.iter().position(|other| self.held(other.value) == held) == Some(index);
        let loops = memory(storage);
        // Masks are stored as they are: every instruction makes 0 or 1.
        let same = loops.same || storage.compute() == Type::Mask;
        Step::Store(Store {
            register,
            operand: operand.index(),
            term: self.terms.all.len() + index,
            function: loops.store.pick(self.isa),
            size: storage.compute().size(),
            same: same && !storage.is_complex(),
            direct: computed && same && !storage.is_complex() && !read_later && first,
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
                register: self.wanted(reduction.value, Stage::Tile),
                folded: Folded {
                    function: loops.fold.pick(self.isa),
                    combine: loops.combine,
                    init: reduction.init.bits(),
                    size,
                },
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
