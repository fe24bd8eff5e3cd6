//! The structure of a program: order of definitions, scopes, regions, terminators, symbols.
//!
//! One pass over all ops, with a list of open regions instead of recursion. Each op is handed to the checks of
//! its own as it is passed.

use super::check::{Check, Sink};
use super::{check_op, shape};
use crate::ir::{Attr, BlockId, Dialect, Module, OpCode, OpId, Type, ValueId};

/// An op whose regions are being passed.
struct Open {
    op: OpId,
    /// The next region to open.
    region: usize,
    /// The block being passed, and the next op in it.
    block: Option<BlockId>,
    next: Option<OpId>,
    /// Length of the list of definitions when the block was opened.
    mark: usize,
    /// What was visible around the op.
    outer_isolation: u32,
    outer_scope: Option<OpId>,
}

/// What may be used where.
struct Scopes {
    /// For each value the isolated region it was defined in, 0 while it may not be used.
    defined: Vec<u32>,
    /// Values in order of definition, to take back when a block ends.
    order: Vec<ValueId>,
    current: u32,
    last: u32,
}

impl Scopes {
    fn define(&mut self, values: &[ValueId]) {
        for &value in values {
            if let Some(slot) = self.defined.get_mut(value.index()) {
                *slot = self.current;
                self.order.push(value);
            }
        }
    }

    fn forget(&mut self, mark: usize) {
        for value in self.order.drain(mark..) {
            self.defined[value.index()] = 0;
        }
    }
}

/// True for ops whose regions see nothing of what is around.
fn is_isolated(code: OpCode) -> bool {
    matches!(code, OpCode::BuiltinModule | OpCode::FuncFunc | OpCode::SdyNamedComputation)
}

/// The op that must end the blocks in the regions of an op; `None` if they need none.
fn terminator_of(code: OpCode) -> Option<OpCode> {
    match code {
        OpCode::BuiltinModule | OpCode::Unknown => None,
        OpCode::FuncFunc => Some(OpCode::FuncReturn),
        code if code.dialect() == Dialect::Sdy => Some(OpCode::SdyReturn),
        _ => Some(OpCode::Return),
    }
}

/// Checks the whole module.
pub(crate) fn check_module(m: &Module, sink: &mut Sink) {
    let root = m.root();
    if root.index() >= m.num_ops() {
        return;
    }
    if m.op(root).code() != OpCode::BuiltinModule {
        sink.fail(m.op(root), "structure", format_args!("a program is a builtin.module"));
    }
    let mut scopes = Scopes { defined: vec![0; m.num_values()], order: Vec::new(), current: 1, last: 1 };
    let mut open: Vec<Open> = Vec::new();
    enter(m, root, sink, &mut scopes, &mut open);
    while let Some(top) = open.last_mut() {
        if let Some(op) = top.next {
            top.next = m.op(op).next();
            enter(m, op, sink, &mut scopes, &mut open);
            continue;
        }
        // The block is done: its values are gone, and the next block or region follows.
        scopes.forget(top.mark);
        let next = match top.block {
            Some(block) => m.block(block).next(),
            None => None,
        };
        let next = next.or_else(|| {
            let regions = m.op(top.op).regions();
            loop {
                let region = *regions.get(top.region)?;
                top.region += 1;
                if let Some(first) = m.region(region).first_block() {
                    break Some(first);
                }
            }
        });
        top.block = next;
        if let Some(block) = next {
            top.next = m.block(block).first_op();
            let op = top.op;
            scopes.define(m.block(block).args());
            check_block(m, op, block, sink);
        } else {
            let op = top.op;
            scopes.current = top.outer_isolation;
            sink.scope = top.outer_scope;
            open.pop();
            scopes.define(m.op(op).results());
        }
    }
}

fn enter(m: &Module, id: OpId, sink: &mut Sink, scopes: &mut Scopes, open: &mut Vec<Open>) {
    let op = m.op(id);
    for (i, value) in op.operands().iter().enumerate() {
        if scopes.defined.get(value.index()) != Some(&scopes.current) {
            sink.fail(op, "dominance", format_args!("operand {i} is used where it is not defined"));
        }
    }
    if op.code().is_terminator() && op.next().is_some() {
        sink.fail(op, "terminator", format_args!("the op ends a block, but another follows it"));
    }
    let outer_scope = sink.scope;
    if op.code() == OpCode::BuiltinModule {
        collect_symbols(m, id, sink);
        sink.scope = Some(id);
    }
    check_types(m, id, sink);
    check_op(m, id, sink);
    if op.regions().is_empty() {
        sink.scope = outer_scope;
        scopes.define(op.results());
        return;
    }
    let outer_isolation = scopes.current;
    if is_isolated(op.code()) {
        scopes.last += 1;
        scopes.current = scopes.last;
    }
    let mark = scopes.order.len();
    open.push(Open { op: id, region: 0, block: None, next: None, mark, outer_isolation, outer_scope });
}

/// The rules for a block of a region of `parent`.
fn check_block(m: &Module, parent: OpId, block: BlockId, sink: &mut Sink) {
    let op = m.op(parent);
    if op.code() != OpCode::Unknown && m.block(block).next().is_some() {
        sink.fail(op, "regions", format_args!("a region has several blocks; there are no jumps between them"));
    }
    let Some(expected) = terminator_of(op.code()) else { return };
    let last = m.block(block).last_op().map(|last| m.op(last));
    if last.is_none_or(|last| last.code() != expected) {
        let found = last.map_or("nothing", |last| last.name());
        sink.fail(op, "terminator", format_args!("a region must end in {expected}, found {found}"));
    }
}

/// Symbols of a module, each defined once.
pub(super) fn collect_symbols(m: &Module, module: OpId, sink: &mut Sink) {
    let Some(block) = m.op(module).region_block(0) else { return };
    for id in block.ops() {
        let op = m.op(id);
        if let Some(Attr::String(name)) = op.attr("sym_name")
            && sink.symbols.insert((module, *name), id).is_some()
        {
            sink.fail(op, "symbol", format_args!("@{} is defined twice", m.str(*name)));
        }
    }
}

/// Types that appear for the first time: quantization, bounds and sizes are sound.
fn check_types(m: &Module, id: OpId, sink: &mut Sink) {
    let op = m.op(id);
    let results = op.results().iter().copied();
    let args = op.regions().iter().flat_map(|&r| m.region(r).blocks()).flat_map(|b| m.block(b).args().iter().copied());
    for value in results.chain(args) {
        let ty = m.value_type(value);
        if std::mem::replace(&mut sink.seen_types[ty.index()], true) {
            continue;
        }
        let Type::Tensor(tensor) = m.ty(ty) else { continue };
        let mut cx = Check { m, op, sink };
        cx.check_quantized(tensor);
        if let Some(size) = tensor.dims.iter().find(|&&d| d < 0 && d != crate::ir::DYNAMIC) {
            cx.fail("type", format_args!("a dimension has the size {size}"));
        }
        if let Some(bounds) = cx.bounds(tensor) {
            let fits = bounds.len() == tensor.rank()
                && bounds
                    .iter()
                    .zip(&tensor.dims)
                    .all(|(&b, &d)| b == crate::ir::DYNAMIC || (b >= 0 && d == crate::ir::DYNAMIC));
            if !fits {
                let dims = shape::text(&tensor.dims);
                cx.fail(
                    "type",
                    format_args!("the bounds {} do not go with the dimensions {dims}", shape::text(bounds)),
                );
            }
        }
    }
}
