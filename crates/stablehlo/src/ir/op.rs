//! Operations, values, blocks and regions: how they are stored, and the views that read them.
//!
//! Ops of a block and blocks of a region form doubly linked lists through the arenas; operands, results and
//! arguments are ranges of shared pools.

use super::{
    AttrId, BlockId, LocId, Module, NamedAttr, OpCode, OpId, RegionId, StrId, TensorType, Type, TypeId, ValueId,
};

/// A range of one of the module's pools.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    #[inline]
    pub(crate) fn of<T>(self, pool: &[T]) -> &[T] {
        &pool[self.start as usize..][..self.len as usize]
    }

    #[inline]
    pub(crate) fn push<T: Copy>(pool: &mut Vec<T>, items: &[T]) -> Span {
        let start = pool.len();
        pool.extend_from_slice(items);
        Span::between(start, pool.len())
    }

    #[inline]
    pub(crate) fn between(start: usize, end: usize) -> Span {
        let start = u32::try_from(start).expect("a pool holds fewer than 2^32 entries");
        Span { start, len: u32::try_from(end).expect("a pool holds fewer than 2^32 entries") - start }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct OpData {
    pub(crate) code: OpCode,
    pub(crate) loc: LocId,
    pub(crate) operands: Span,
    pub(crate) results: Span,
    pub(crate) inherent: Span,
    pub(crate) discardable: Span,
    pub(crate) regions: Span,
    pub(crate) parent: Option<BlockId>,
    pub(crate) prev: Option<OpId>,
    pub(crate) next: Option<OpId>,
}

/// Who defines a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Result `index` of an op.
    Result {
        /// The op.
        op: OpId,
        /// Which result.
        index: u32,
    },
    /// Argument `index` of a block.
    Argument {
        /// The block.
        block: BlockId,
        /// Which argument.
        index: u32,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct ValueData {
    pub(crate) ty: TypeId,
    pub(crate) def: ValueDef,
    pub(crate) loc: LocId,
}

#[derive(Clone, Debug)]
pub(crate) struct BlockData {
    pub(crate) args: Span,
    pub(crate) region: RegionId,
    pub(crate) first: Option<OpId>,
    pub(crate) last: Option<OpId>,
    pub(crate) next: Option<BlockId>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RegionData {
    pub(crate) parent: Option<OpId>,
    pub(crate) first: Option<BlockId>,
    pub(crate) last: Option<BlockId>,
}

/// An op of a module, for reading.
#[derive(Clone, Copy)]
pub struct OpRef<'m> {
    pub(crate) module: &'m Module,
    pub(crate) id: OpId,
}

impl<'m> OpRef<'m> {
    #[inline]
    pub(crate) fn data(self) -> &'m OpData {
        &self.module.ops[self.id.index()]
    }

    /// The module that owns it.
    pub fn module(self) -> &'m Module {
        self.module
    }

    /// Its id.
    pub fn id(self) -> OpId {
        self.id
    }

    /// Which op it is.
    #[inline]
    pub fn code(self) -> OpCode {
        self.data().code
    }

    /// Its full name, also if the op is unknown.
    pub fn name(self) -> &'m str {
        match self.code() {
            OpCode::Unknown => {
                let names = &self.module.unknown_names;
                let at = names.binary_search_by_key(&self.id, |&(op, _)| op);
                at.map_or("unknown", |i| self.module.str(names[i].1))
            }
            code => code.name(),
        }
    }

    /// Where it comes from.
    pub fn loc(self) -> LocId {
        self.data().loc
    }

    /// Where it comes from, as text; see [`Module::loc_text`].
    pub fn loc_text(self) -> String {
        self.module.loc_text(self.loc())
    }

    /// The values it takes.
    #[inline]
    pub fn operands(self) -> &'m [ValueId] {
        self.data().operands.of(&self.module.value_lists)
    }

    /// The values it makes.
    #[inline]
    pub fn results(self) -> &'m [ValueId] {
        self.data().results.of(&self.module.value_lists)
    }

    /// Its regions.
    #[inline]
    pub fn regions(self) -> &'m [RegionId] {
        self.data().regions.of(&self.module.region_lists)
    }

    /// Region `index`, if there is one.
    pub fn region(self, index: usize) -> Option<RegionRef<'m>> {
        self.regions().get(index).map(|&id| self.module.region(id))
    }

    /// The only (or first) block of region `index`: what StableHLO means by a function argument of an op.
    pub fn region_block(self, index: usize) -> Option<BlockRef<'m>> {
        Some(self.module.block(self.region(index)?.first_block()?))
    }

    /// The types of its operands.
    pub fn operand_types(self) -> impl ExactSizeIterator<Item = TypeId> + 'm {
        self.operands().iter().map(move |&v| self.module.value_type(v))
    }

    /// The types of its results.
    pub fn result_types(self) -> impl ExactSizeIterator<Item = TypeId> + 'm {
        self.results().iter().map(move |&v| self.module.value_type(v))
    }

    /// The tensor type of operand `index`; `None` if there is no such operand or it is no ranked tensor.
    pub fn operand_tensor(self, index: usize) -> Option<&'m TensorType> {
        self.module.value_tensor(*self.operands().get(index)?)
    }

    /// The tensor type of result `index`; `None` if there is no such result or it is no ranked tensor.
    pub fn result_tensor(self, index: usize) -> Option<&'m TensorType> {
        self.module.value_tensor(*self.results().get(index)?)
    }

    /// The attributes of its definition, sorted by name; those with their default value may be absent.
    #[inline]
    pub fn inherent_attrs(self) -> &'m [NamedAttr] {
        self.data().inherent.of(&self.module.attr_lists)
    }

    /// The attributes that somebody attached to it, such as `mhlo.sharding`, sorted by name.
    #[inline]
    pub fn discardable_attrs(self) -> &'m [NamedAttr] {
        self.data().discardable.of(&self.module.attr_lists)
    }

    /// The id of the attribute with this name, inherent or discardable.
    pub fn attr_id(self, name: &str) -> Option<AttrId> {
        let named = |attrs: &[NamedAttr]| attrs.iter().find(|a| self.module.str(a.name) == name).map(|a| a.value);
        named(self.inherent_attrs()).or_else(|| named(self.discardable_attrs()))
    }

    /// The attribute with this name, inherent or discardable.
    pub fn attr(self, name: &str) -> Option<&'m super::Attr> {
        self.attr_id(name).map(|id| self.module.attr(id))
    }

    /// The block it stands in; `None` for the root and for detached ops.
    pub fn parent_block(self) -> Option<BlockId> {
        self.data().parent
    }

    /// The op whose region it stands in.
    pub fn parent_op(self) -> Option<OpId> {
        self.module.block(self.parent_block()?).parent_op()
    }

    /// The op after it in its block.
    pub fn next(self) -> Option<OpId> {
        self.data().next
    }

    /// The op before it in its block.
    pub fn prev(self) -> Option<OpId> {
        self.data().prev
    }
}

/// A block of a module, for reading.
#[derive(Clone, Copy)]
pub struct BlockRef<'m> {
    pub(crate) module: &'m Module,
    pub(crate) id: BlockId,
}

impl<'m> BlockRef<'m> {
    fn data(self) -> &'m BlockData {
        &self.module.blocks[self.id.index()]
    }

    /// Its id.
    pub fn id(self) -> BlockId {
        self.id
    }

    /// Its arguments.
    pub fn args(self) -> &'m [ValueId] {
        self.data().args.of(&self.module.value_lists)
    }

    /// The types of its arguments.
    pub fn arg_types(self) -> impl ExactSizeIterator<Item = TypeId> + 'm {
        self.args().iter().map(move |&v| self.module.value_type(v))
    }

    /// Its ops, in order.
    pub fn ops(self) -> impl Iterator<Item = OpId> + 'm {
        std::iter::successors(self.data().first, move |&op| self.module.op(op).next())
    }

    /// Its first op.
    pub fn first_op(self) -> Option<OpId> {
        self.data().first
    }

    /// Its last op.
    pub fn last_op(self) -> Option<OpId> {
        self.data().last
    }

    /// Its last op, if that is a terminator.
    pub fn terminator(self) -> Option<OpRef<'m>> {
        self.last_op().map(|op| self.module.op(op)).filter(|op| op.code().is_terminator())
    }

    /// The region it stands in.
    pub fn region(self) -> RegionId {
        self.data().region
    }

    /// The op that its region belongs to.
    pub fn parent_op(self) -> Option<OpId> {
        self.module.region(self.region()).parent_op()
    }

    /// The block after it in its region.
    pub fn next(self) -> Option<BlockId> {
        self.data().next
    }
}

/// A region of a module, for reading.
#[derive(Clone, Copy)]
pub struct RegionRef<'m> {
    pub(crate) module: &'m Module,
    pub(crate) id: RegionId,
}

impl<'m> RegionRef<'m> {
    fn data(self) -> &'m RegionData {
        &self.module.regions[self.id.index()]
    }

    /// Its id.
    pub fn id(self) -> RegionId {
        self.id
    }

    /// Its blocks; programs that JAX makes have exactly one in each region.
    pub fn blocks(self) -> impl Iterator<Item = BlockId> + 'm {
        std::iter::successors(self.data().first, move |&block| self.module.block(block).next())
    }

    /// Its first block.
    pub fn first_block(self) -> Option<BlockId> {
        self.data().first
    }

    /// The op it belongs to.
    pub fn parent_op(self) -> Option<OpId> {
        self.data().parent
    }
}

impl Module {
    /// An op, for reading.
    #[inline]
    pub fn op(&self, id: OpId) -> OpRef<'_> {
        OpRef { module: self, id }
    }

    /// A block, for reading.
    #[inline]
    pub fn block(&self, id: BlockId) -> BlockRef<'_> {
        BlockRef { module: self, id }
    }

    /// A region, for reading.
    #[inline]
    pub fn region(&self, id: RegionId) -> RegionRef<'_> {
        RegionRef { module: self, id }
    }

    /// The type of a value.
    #[inline]
    pub fn value_type(&self, value: ValueId) -> TypeId {
        self.values[value.index()].ty
    }

    /// The tensor type of a value; `None` if it is no ranked tensor.
    #[inline]
    pub fn value_tensor(&self, value: ValueId) -> Option<&TensorType> {
        match self.ty(self.value_type(value)) {
            Type::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// Who defines a value.
    #[inline]
    pub fn value_def(&self, value: ValueId) -> ValueDef {
        self.values[value.index()].def
    }

    /// Where a value comes from.
    pub fn value_loc(&self, value: ValueId) -> LocId {
        self.values[value.index()].loc
    }

    /// The op that makes a value; `None` for block arguments.
    pub fn defining_op(&self, value: ValueId) -> Option<OpId> {
        match self.value_def(value) {
            ValueDef::Result { op, .. } => Some(op),
            ValueDef::Argument { .. } => None,
        }
    }

    /// The name of an attribute.
    pub fn attr_name(&self, attr: NamedAttr) -> &str {
        self.str(attr.name)
    }

    /// The id of a string that the module already has.
    pub fn find_str(&self, text: &str) -> Option<StrId> {
        self.strings.find(text).map(StrId)
    }
}
