//! Changing a program in place: moving, removing and rewriting ops.

use super::op::{Span, ValueData};
use super::{AttrId, BlockId, Module, NamedAttr, OpCode, OpId, TypeId, ValueDef, ValueId};

impl Module {
    /// Puts a detached op at the end of a block.
    ///
    /// # Panics
    /// If the op stands in a block already.
    pub fn append_op(&mut self, block: BlockId, op: OpId) {
        let last = self.blocks[block.index()].last.replace(op);
        let data = &mut self.ops[op.index()];
        assert!(data.parent.is_none(), "the op stands in a block already");
        data.parent = Some(block);
        data.prev = last;
        match last {
            Some(last) => self.ops[last.index()].next = Some(op),
            None => self.blocks[block.index()].first = Some(op),
        }
    }

    /// Puts a detached op right before another.
    ///
    /// # Panics
    /// If the op stands in a block already, or the other in none.
    pub fn insert_before(&mut self, before: OpId, op: OpId) {
        let block = self.ops[before.index()].parent.expect("the other op stands in a block");
        let prev = self.ops[before.index()].prev.replace(op);
        let data = &mut self.ops[op.index()];
        assert!(data.parent.is_none(), "the op stands in a block already");
        data.parent = Some(block);
        data.prev = prev;
        data.next = Some(before);
        match prev {
            Some(prev) => self.ops[prev.index()].next = Some(op),
            None => self.blocks[block.index()].first = Some(op),
        }
    }

    /// Takes an op out of its block. Its results must have no users left when the program is next read.
    pub fn detach_op(&mut self, op: OpId) {
        let data = &mut self.ops[op.index()];
        let (parent, prev, next) = (data.parent.take(), data.prev.take(), data.next.take());
        let Some(block) = parent else { return };
        match prev {
            Some(prev) => self.ops[prev.index()].next = next,
            None => self.blocks[block.index()].first = next,
        }
        match next {
            Some(next) => self.ops[next.index()].prev = prev,
            None => self.blocks[block.index()].last = prev,
        }
    }

    /// Changes one operand.
    ///
    /// # Panics
    /// If the op has no such operand.
    pub fn set_operand(&mut self, op: OpId, index: usize, value: ValueId) {
        let span = self.ops[op.index()].operands;
        self.value_lists[span.start as usize..][..span.len as usize][index] = value;
    }

    /// Changes all operands, also their number.
    pub fn set_operands(&mut self, op: OpId, operands: &[ValueId]) {
        self.ops[op.index()].operands = Span::push(&mut self.value_lists, operands);
    }

    /// Makes an op the owner of the regions it lists, after another op was made that lists them too.
    pub(crate) fn set_region_parents(&mut self, op: OpId) {
        for region in self.op(op).regions().to_vec() {
            self.regions[region.index()].parent = Some(op);
        }
    }

    /// Gives an op that was made without results those of these types.
    ///
    /// # Panics
    /// If the op has results.
    pub fn set_result_types(&mut self, op: OpId, types: &[TypeId]) {
        assert!(self.op(op).results().is_empty(), "the op has results already");
        let loc = self.ops[op.index()].loc;
        let start = self.value_lists.len();
        for (index, &ty) in types.iter().enumerate() {
            let value = ValueId::from_index(self.values.len());
            self.values.push(ValueData { ty, def: ValueDef::Result { op, index: index as u32 }, loc });
            self.value_lists.push(value);
        }
        self.ops[op.index()].results = Span::between(start, self.value_lists.len());
    }

    /// Changes the type of a value.
    pub fn set_value_type(&mut self, value: ValueId, ty: TypeId) {
        self.values[value.index()].ty = ty;
    }

    /// Changes where a value comes from.
    pub fn set_value_loc(&mut self, value: ValueId, loc: super::LocId) {
        self.values[value.index()].loc = loc;
    }

    /// Changes which op it is; operands, results, regions and attributes stay.
    pub fn set_code(&mut self, op: OpId, code: OpCode) {
        self.ops[op.index()].code = code;
    }

    /// Sets, replaces or (with `None`) removes an attribute.
    pub fn set_attr(&mut self, op: OpId, name: &str, value: Option<AttrId>) {
        let inherent = self.op(op).code().inherent_attributes().contains(&name);
        let old = if inherent { self.op(op).inherent_attrs() } else { self.op(op).discardable_attrs() };
        let mut attrs: Vec<NamedAttr> = old.iter().copied().filter(|a| self.str(a.name) != name).collect();
        if let Some(value) = value {
            let at = attrs.partition_point(|a| self.str(a.name) < name);
            attrs.insert(at, NamedAttr { name: self.intern_str(name), value });
        }
        let span = Span::push(&mut self.attr_lists, &attrs);
        let data = &mut self.ops[op.index()];
        *(if inherent { &mut data.inherent } else { &mut data.discardable }) = span;
    }

    /// Makes every use of a value, in ops that stand in blocks or not, a use of another. Linear in the module;
    /// to replace many, use [`Module::replace_values`].
    pub fn replace_all_uses(&mut self, old: ValueId, new: ValueId) {
        self.replace_values(|value| if value == old { new } else { value });
    }

    /// Maps every operand of every op.
    pub fn replace_values(&mut self, map: impl Fn(ValueId) -> ValueId) {
        for op in &self.ops {
            let span = op.operands;
            for value in &mut self.value_lists[span.start as usize..][..span.len as usize] {
                *value = map(*value);
            }
        }
    }

    /// How often each value is an operand of an op reachable from the root, indexed by value.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.num_values()];
        for op in self.walk(self.root()) {
            for value in self.op(op).operands() {
                counts[value.index()] += 1;
            }
        }
        counts
    }
}
