//! Modules, functions and reductions: forms too irregular for the table.

use super::ops::Work;
use super::writer::Printer;
use crate::ir::{Attr, NamedAttr, OpCode, OpId, OpRef, Type};
use crate::text::parse::is_commutative;

impl<'m> Printer<'m> {
    pub(super) fn module_form(&mut self, op: OpId, left: &mut Vec<Work>) -> Option<()> {
        let op_ref = self.module.op(op);
        let &[region] = op_ref.regions() else { return None };
        let mut blocks = self.module.region(region).blocks();
        let block = self.module.block(blocks.next()?);
        if blocks.next().is_some() || !block.args().is_empty() || !op_ref.operands().is_empty() {
            return None;
        }
        if !op_ref.results().is_empty() {
            return None;
        }
        match op_ref.attr("sym_name") {
            Some(Attr::String(name)) => {
                self.push(" ");
                self.symbol(self.module.str(*name));
            }
            Some(_) => return None,
            None => {}
        }
        self.attributes(&self.other_attrs(op, &["sym_name"]));
        self.push(" ");
        left.push(Work::Region { region, header: false });
        Some(())
    }

    fn attributes(&mut self, attrs: &[NamedAttr]) {
        if !attrs.is_empty() {
            self.push(" attributes ");
            self.attr_dict(attrs);
        }
    }

    pub(super) fn function_form(&mut self, op: OpId, left: &mut Vec<Work>) -> Option<()> {
        let module = self.module;
        let op_ref = module.op(op);
        let (&[region], Attr::String(name)) = (op_ref.regions(), op_ref.attr("sym_name")?) else { return None };
        let Attr::Type(ty) = op_ref.attr("function_type")? else { return None };
        let Type::Function { inputs, results } = module.ty(*ty) else { return None };
        let entry = module.region(region).first_block().map(|block| module.block(block));
        if entry.is_some_and(|entry| !entry.arg_types().eq(inputs.iter().copied()))
            || !op_ref.operands().is_empty()
            || !op_ref.results().is_empty()
        {
            return None;
        }
        let arg_attrs = dicts(op_ref, "arg_attrs", inputs.len())?;
        let result_attrs = dicts(op_ref, "res_attrs", results.len())?;
        self.push(" ");
        match op_ref.attr("sym_visibility") {
            None => {}
            Some(Attr::String(word)) => {
                let word = module.str(*word);
                if !matches!(word, "public" | "private" | "nested") {
                    return None;
                }
                self.push(word);
                self.push(" ");
            }
            Some(_) => return None,
        }
        self.symbol(module.str(*name));
        self.push("(");
        self.commas(inputs.iter().enumerate(), |p, (i, &ty)| {
            if let Some(entry) = entry {
                p.value(entry.args()[i]);
                p.push(": ");
            }
            p.ty(ty);
            if !arg_attrs[i].is_empty() {
                p.push(" ");
                p.attr_dict(arg_attrs[i]);
            }
            if let Some(entry) = entry {
                p.trailing_loc(module.value_loc(entry.args()[i]));
            }
        });
        self.push(")");
        if !results.is_empty() {
            self.push(" -> ");
            if result_attrs.iter().all(|attrs| attrs.is_empty()) {
                self.result_types(results);
            } else {
                self.push("(");
                self.commas(results.iter().zip(&result_attrs), |p, (&ty, attrs)| {
                    p.ty(ty);
                    if !attrs.is_empty() {
                        p.push(" ");
                        p.attr_dict(attrs);
                    }
                });
                self.push(")");
            }
        }
        let held = ["sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"];
        self.attributes(&self.other_attrs(op, &held));
        if entry.is_some() {
            self.push(" ");
            left.push(Work::Region { region, header: false });
        }
        Some(())
    }

    pub(super) fn reduce_form(&mut self, op: OpId, left: &mut Vec<Work>) -> Option<()> {
        let op_ref = self.module.op(op);
        let (&[region], Attr::I64Array(dimensions)) = (op_ref.regions(), op_ref.attr("dimensions")?) else {
            return None;
        };
        let mut blocks = self.module.region(region).blocks();
        let block = self.module.block(blocks.next()?);
        let pairs = op_ref.operands().len() / 2;
        let counts_fit = pairs > 0 && pairs * 2 == op_ref.operands().len() && block.args().len() == pairs * 2;
        if blocks.next().is_some() || !counts_fit {
            return None;
        }
        self.commas(0..pairs, |p, i| {
            p.push("(");
            p.value(op_ref.operands()[i]);
            p.push(" init: ");
            p.value(op_ref.operands()[i + pairs]);
            p.push(")");
        });
        let applied = self.applied(op_ref);
        if let Some(inner) = applied {
            self.push(" applies ");
            self.push(inner.name());
        }
        self.push(" across dimensions = ");
        self.ints(dimensions);
        let attrs = self.other_attrs(op, &["dimensions"]);
        if !attrs.is_empty() {
            self.push(" ");
            self.attr_dict(&attrs);
        }
        self.push(" : ");
        self.function_type(op);
        if applied.is_none() {
            self.new_line();
            self.push(" reducer");
            for i in 0..pairs {
                self.push("(");
                self.argument(block.args()[i]);
                self.push(", ");
                self.argument(block.args()[i + pairs]);
                self.push(") ");
            }
            self.push(" ");
            left.push(Work::Region { region, header: false });
        }
        Some(())
    }

    /// The one op that the body of a reduce applies to its two arguments, if it does nothing else.
    fn applied(&self, reduce: OpRef<'m>) -> Option<OpCode> {
        let module = self.module;
        let block = reduce.region_block(0)?;
        let inner = module.op(block.first_op()?);
        let end = module.op(inner.next()?);
        let element = match module.ty(module.value_type(*reduce.operands().first()?)) {
            Type::Tensor(tensor) => tensor.element,
            Type::UnrankedTensor(element) => *element,
            _ => return None,
        };
        let fits = reduce.operands().len() == 2
            && end.next().is_none()
            && end.code() == OpCode::Return
            && is_commutative(inner.code())
            && inner.operands() == block.args()
            && inner.results().len() == 1
            && inner.results() == end.operands()
            && inner.operand_types().chain(inner.result_types()).all(|ty| self.is_scalar_of(ty, element))
            && [inner, end].iter().all(|op| op.inherent_attrs().is_empty() && op.discardable_attrs().is_empty());
        fits.then(|| inner.code())
    }
}

/// The attributes of each argument or result; `None` if they are no list of as many dictionaries.
fn dicts<'m>(op: OpRef<'m>, name: &str, count: usize) -> Option<Vec<&'m [NamedAttr]>> {
    let Some(attr) = op.attr(name) else { return Some(vec![&[]; count]) };
    let Attr::Array(items) = attr else { return None };
    let dicts = items.iter().map(|&item| match op.module().attr(item) {
        Attr::Dict(entries) => Some(&**entries),
        _ => None,
    });
    let dicts: Vec<_> = dicts.collect::<Option<_>>()?;
    // All empty would be read back as absent.
    (dicts.len() == count && dicts.iter().any(|dict| !dict.is_empty())).then_some(dicts)
}
