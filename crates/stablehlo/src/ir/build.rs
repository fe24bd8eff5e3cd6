//! Making ops, blocks and regions.
//!
//! Everything is made detached and then put in place, so readers that meet regions before or after their op
//! use the same calls.

use super::op::{BlockData, OpData, RegionData, Span, ValueData};
use super::{AttrId, BlockId, LocId, Module, NamedAttr, OpCode, OpId, RegionId, StrId, TypeId, ValueDef, ValueId};

/// A list of attributes in the module's pool, which any number of ops may have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AttrSpan(Span);

/// No attributes.
pub(crate) const NO_ATTRS: AttrSpan = AttrSpan(Span { start: 0, len: 0 });

/// What a new op is to be.
#[derive(Clone, Copy, Debug)]
pub struct OpSpec<'a> {
    code: OpCode,
    unknown_name: Option<StrId>,
    loc: LocId,
    operands: &'a [ValueId],
    result_types: &'a [TypeId],
    attrs: &'a [NamedAttr],
    regions: &'a [RegionId],
}

impl<'a> OpSpec<'a> {
    /// An op without operands, results, attributes and regions, at an unknown location.
    pub fn new(code: OpCode) -> Self {
        OpSpec {
            code,
            unknown_name: None,
            loc: LocId::UNKNOWN,
            operands: &[],
            result_types: &[],
            attrs: &[],
            regions: &[],
        }
    }

    /// An op of a dialect that this crate does not know.
    pub fn unknown(name: StrId) -> Self {
        OpSpec { unknown_name: Some(name), ..OpSpec::new(OpCode::Unknown) }
    }

    /// Where it comes from.
    pub fn loc(self, loc: LocId) -> Self {
        OpSpec { loc, ..self }
    }

    /// The values it takes.
    pub fn operands(self, operands: &'a [ValueId]) -> Self {
        OpSpec { operands, ..self }
    }

    /// The types of its results.
    pub fn results(self, result_types: &'a [TypeId]) -> Self {
        OpSpec { result_types, ..self }
    }

    /// Its attributes in any order; which of them are inherent follows from the op.
    pub fn attrs(self, attrs: &'a [NamedAttr]) -> Self {
        OpSpec { attrs, ..self }
    }

    /// Its regions, each made by [`Module::new_region`] and given to no other op.
    pub fn regions(self, regions: &'a [RegionId]) -> Self {
        OpSpec { regions, ..self }
    }
}

impl Module {
    /// Makes an op outside any block.
    pub fn new_op(&mut self, spec: OpSpec<'_>) -> OpId {
        let inherent = self.push_attrs(spec.attrs, |name| spec.code.inherent_attributes().contains(&name));
        let discardable = self.push_attrs(spec.attrs, |name| !spec.code.inherent_attributes().contains(&name));
        let op = self.new_op_with_spans(spec, inherent, discardable);
        if let Some(name) = spec.unknown_name {
            self.unknown_names.push((op, name));
        }
        op
    }

    /// The same with attribute lists that are already in the pool, so that equal ops share them.
    pub(crate) fn new_op_with_spans(&mut self, spec: OpSpec<'_>, inherent: AttrSpan, discardable: AttrSpan) -> OpId {
        let op = OpId::from_index(self.ops.len());
        let operands = Span::push(&mut self.value_lists, spec.operands);
        let start = self.value_lists.len();
        for (index, &ty) in spec.result_types.iter().enumerate() {
            let value = ValueId::from_index(self.values.len());
            self.values.push(ValueData { ty, def: ValueDef::Result { op, index: index as u32 }, loc: spec.loc });
            self.value_lists.push(value);
        }
        let results = Span::between(start, self.value_lists.len());
        let regions = Span::push(&mut self.region_lists, spec.regions);
        for &region in spec.regions {
            self.regions[region.index()].parent = Some(op);
        }
        self.ops.push(OpData {
            code: spec.code,
            loc: spec.loc,
            operands,
            results,
            inherent: inherent.0,
            discardable: discardable.0,
            regions,
            parent: None,
            prev: None,
            next: None,
        });
        op
    }

    /// Puts those attributes whose name passes into the pool, sorted by name.
    fn push_attrs(&mut self, attrs: &[NamedAttr], keep: impl Fn(&str) -> bool) -> AttrSpan {
        let mut chosen: Vec<NamedAttr> = attrs.iter().copied().filter(|a| keep(self.str(a.name))).collect();
        self.push_attrs_sorting(&mut chosen)
    }

    /// Sorts a list of attributes by name and puts it into the pool.
    pub(crate) fn push_attrs_sorting(&mut self, attrs: &mut [NamedAttr]) -> AttrSpan {
        attrs.sort_by(|a, b| self.str(a.name).cmp(self.str(b.name)));
        self.push_sorted_attrs(attrs)
    }

    /// Puts a list of attributes that is sorted by name into the pool.
    pub(crate) fn push_sorted_attrs(&mut self, attrs: &[NamedAttr]) -> AttrSpan {
        debug_assert!(attrs.is_sorted_by(|a, b| self.str(a.name) <= self.str(b.name)));
        AttrSpan(Span::push(&mut self.attr_lists, attrs))
    }

    /// Makes an op at the end of a block.
    pub fn append(&mut self, block: BlockId, spec: OpSpec<'_>) -> OpId {
        let op = self.new_op(spec);
        self.append_op(block, op);
        op
    }

    /// Makes a region without blocks, for an op to come.
    pub fn new_region(&mut self) -> RegionId {
        let id = RegionId::from_index(self.regions.len());
        self.regions.push(RegionData::default());
        id
    }

    /// Adds a block to the end of a region; its arguments get unknown locations.
    pub fn new_block(&mut self, region: RegionId, arg_types: &[TypeId]) -> BlockId {
        let block = BlockId::from_index(self.blocks.len());
        let start = self.value_lists.len();
        for (index, &ty) in arg_types.iter().enumerate() {
            let value = ValueId::from_index(self.values.len());
            let def = ValueDef::Argument { block, index: index as u32 };
            self.values.push(ValueData { ty, def, loc: LocId::UNKNOWN });
            self.value_lists.push(value);
        }
        let args = Span::between(start, self.value_lists.len());
        self.blocks.push(BlockData { args, region, first: None, last: None, next: None });
        match self.regions[region.index()].last.replace(block) {
            Some(last) => self.blocks[last.index()].next = Some(block),
            None => self.regions[region.index()].first = Some(block),
        }
        block
    }

    /// Adds a public function with one block to the module; returns the op and the block.
    pub fn add_function(&mut self, name: &str, inputs: &[TypeId], results: &[TypeId]) -> (OpId, BlockId) {
        let region = self.new_region();
        let block = self.new_block(region, inputs);
        let ty = self.function_type(inputs, results);
        let attrs = [
            self.named("sym_name", |m| m.string_attr(name)),
            self.named("function_type", |m| m.type_attr(ty)),
            self.named("sym_visibility", |m| m.string_attr("public")),
        ];
        let body = self.body();
        let op = self.append(body, OpSpec::new(OpCode::FuncFunc).attrs(&attrs).regions(&[region]));
        (op, block)
    }

    /// A name with the attribute that the closure makes.
    pub fn named(&mut self, name: &str, make: impl FnOnce(&mut Module) -> AttrId) -> NamedAttr {
        let value = make(self);
        NamedAttr { name: self.intern_str(name), value }
    }
}
