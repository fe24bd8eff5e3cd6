//! Operations, blocks and regions, off a list of what is left to write.

use super::Form;
use super::writer::Printer;
use crate::ir::{BlockId, Dialect, OpCode, OpId, RegionId, StrId};
use crate::text::format::{Piece, pretty_form};

/// What is left to write, last first.
pub(super) enum Work {
    /// An op, and those after it in its block.
    Op(OpId),
    /// What follows an op: its location, and the next op.
    After(OpId),
    /// The pieces of a pretty form from this one on; the region with this number is next.
    Pieces {
        op: OpId,
        pieces: &'static [Piece],
        at: usize,
        region: usize,
    },
    /// A region, whose first block has a header if it has arguments and this says so.
    Region {
        region: RegionId,
        header: bool,
    },
    /// A block and those after it.
    Block {
        block: BlockId,
        number: usize,
        header: bool,
    },
    /// The end of a region.
    Close,
    Text(&'static str),
    /// The end of a generic op, from its attributes on.
    GenericTail(OpId),
}

impl<'m> Printer<'m> {
    /// The whole program.
    pub(super) fn program(&mut self) {
        let mut left = vec![Work::Op(self.module.root())];
        while let Some(work) = left.pop() {
            self.work(work, &mut left);
        }
        self.out.push('\n');
        let start = self.out.find(|c| c != '\n').unwrap_or(0);
        if self.options.locations {
            let definitions = self.loc_definitions();
            self.out.replace_range(..start, &definitions);
        } else {
            self.out.replace_range(..start, "");
        }
    }

    fn work(&mut self, work: Work, left: &mut Vec<Work>) {
        let module = self.module;
        match work {
            Work::Op(op) => {
                left.push(Work::After(op));
                self.op(op, left);
            }
            Work::After(op) => {
                self.trailing_loc(module.op(op).loc());
                if op != module.root()
                    && let Some(next) = module.op(op).next()
                {
                    left.push(Work::Op(next));
                }
            }
            Work::Pieces { op, pieces, at, region } => self.rest_of_pieces(op, pieces, at, region, left),
            Work::Region { region, header } => {
                self.push("{");
                self.indent += 1;
                left.push(Work::Close);
                if let Some(block) = module.region(region).first_block() {
                    left.push(Work::Block { block, number: 0, header });
                }
            }
            Work::Block { block, number, header } => {
                let block = module.block(block);
                if let Some(next) = block.next() {
                    left.push(Work::Block { block: next, number: number + 1, header: true });
                }
                if header && (number > 0 || !block.args().is_empty() || block.first_op().is_none()) {
                    self.indent -= 1;
                    self.new_line();
                    self.indent += 1;
                    let name = format!("^bb{number}");
                    self.push(&name);
                    if !block.args().is_empty() {
                        self.push("(");
                        self.commas(block.args(), |p, &arg| p.argument(arg));
                        self.push(")");
                    }
                    self.push(":");
                }
                if let Some(first) = block.first_op() {
                    left.push(Work::Op(first));
                }
            }
            Work::Close => {
                self.indent -= 1;
                self.new_line();
                self.push("}");
            }
            Work::Text(text) => self.push(text),
            Work::GenericTail(op) => {
                self.chlo = module.op(op).code().dialect() == Dialect::Chlo;
                let attrs = module.op(op).discardable_attrs();
                if !attrs.is_empty() {
                    self.push(" ");
                    self.attr_dict(attrs);
                }
                self.push(" : ");
                self.function_type(op);
            }
        }
    }

    /// `%arg: type`, and its location.
    pub(super) fn argument(&mut self, arg: crate::ir::ValueId) {
        self.value(arg);
        self.push(": ");
        self.ty(self.module.value_type(arg));
        self.trailing_loc(self.module.value_loc(arg));
    }

    fn op(&mut self, op: OpId, left: &mut Vec<Work>) {
        self.new_line();
        self.result_names(op);
        let code = self.module.op(op).code();
        self.chlo = code.dialect() == Dialect::Chlo;
        if self.options.form == Form::Pretty
            && let Some(pieces) = pretty_form(code)
        {
            let (mark, work) = (self.out.len(), left.len());
            self.push(self.short_name(op));
            let after_name = self.out.len();
            if self.pretty(op, pieces, left).is_some() {
                if !self.out[after_name..].is_empty() && !self.out[after_name..].starts_with([' ', '(', '<']) {
                    self.out.insert(after_name, ' ');
                }
                return;
            }
            // Something about this op does not fit its pretty form.
            self.out.truncate(mark);
            left.truncate(work);
        }
        self.generic(op, left);
    }

    /// The name, without the dialect where that goes without saying.
    fn short_name(&self, op: OpId) -> &'m str {
        let op = self.module.op(op);
        let parent = op.parent_op().map(|parent| self.module.op(parent).code());
        match (op.code(), parent) {
            (OpCode::BuiltinModule, None | Some(OpCode::BuiltinModule)) => "module",
            (OpCode::FuncReturn | OpCode::FuncCall, Some(OpCode::FuncFunc)) => op.code().mnemonic(),
            _ => op.name(),
        }
    }

    fn generic(&mut self, op: OpId, left: &mut Vec<Work>) {
        let op = self.module.op(op);
        self.quoted(op.name().as_bytes());
        self.push("(");
        self.values(op.operands());
        self.push(")");
        if !op.inherent_attrs().is_empty() {
            self.push(" <");
            self.attr_dict(op.inherent_attrs());
            self.push(">");
        }
        left.push(Work::GenericTail(op.id()));
        if !op.regions().is_empty() {
            left.push(Work::Text(")"));
            for (i, &region) in op.regions().iter().enumerate().rev() {
                left.push(Work::Region { region, header: true });
                left.push(Work::Text(if i == 0 { " (" } else { ", " }));
            }
        }
    }

    /// Attributes of all kinds, sorted by name, without those that pieces hold.
    pub(super) fn other_attrs(&self, op: OpId, held: &[&str]) -> Vec<crate::ir::NamedAttr> {
        let op = self.module.op(op);
        let name = |id: StrId| self.module.str(id);
        let all = op.inherent_attrs().iter().chain(op.discardable_attrs());
        let mut attrs: Vec<_> = all.copied().filter(|attr| !held.contains(&name(attr.name))).collect();
        attrs.sort_by(|a, b| name(a.name).cmp(name(b.name)));
        attrs
    }
}
