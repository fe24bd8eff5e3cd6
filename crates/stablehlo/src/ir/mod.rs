//! The intermediate representation: one program as one arena.
//!
//! A [`Module`] owns everything about a program: strings, types, attributes, locations, operations, values,
//! blocks and regions. All refer to each other by small ids, and nothing is nested in memory, so that reading,
//! walking and dropping a program needs no stack however deep it nests. Programs are always in current
//! StableHLO form here; the VHLO version they came in is no longer visible.
//!
//! ```
//! use stablehlo::ElementType;
//! use stablehlo::ir::{Module, OpCode, OpSpec};
//!
//! let mut m = Module::new();
//! let f32x2 = m.tensor_type(&[2], ElementType::F32);
//! let (_, body) = m.add_function("main", &[f32x2], &[f32x2]);
//! let x = m.block(body).args()[0];
//! let sum = m.append(body, OpSpec::new(OpCode::Add).operands(&[x, x]).results(&[f32x2]));
//! let result = m.op(sum).results()[0];
//! m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[result]));
//! assert_eq!(m.walk(m.root()).count(), 4);
//! ```

mod attr;
pub mod attrs;
mod build;
mod defaults;
mod edit;
mod extract;
mod function;
mod ids;
mod import;
mod intern;
mod loc;
mod make;
mod op;
mod op_attrs;
mod op_code;
mod op_table;
mod quantized;
mod same;
mod ty;
mod type_text;
mod walk;

pub(crate) use attr::i32_list;
pub use attr::{Attr, NamedAttr};
pub use build::OpSpec;
pub use function::{Function, SymbolTable};
pub use ids::{AttrId, BlockId, LocId, OpId, RegionId, StrId, TypeId, ValueId};
pub use loc::Loc;
pub use op::{BlockRef, OpRef, RegionRef, ValueDef};
pub use op_attrs::{AttrError, ReplicaGroups};
pub use op_code::{Dialect, OpCode};
pub use quantized::{QuantizationParameters, QuantizedType};
pub use same::same_program;
pub use ty::{DYNAMIC, Element, OtherFloat, Signedness, TensorType, Type};
pub use walk::{Walk, WalkStep};

pub(crate) use build::{AttrSpan, NO_ATTRS};
pub(crate) use defaults::drop_defaults;
use intern::{StringTable, Uniquer};
use op::{BlockData, OpData, RegionData, ValueData};

/// A program: a `builtin.module` op with everything in it, and the tables it refers to.
#[derive(Clone, Debug)]
pub struct Module {
    strings: StringTable,
    types: Uniquer<Type>,
    attrs: Uniquer<Attr>,
    locs: Vec<Loc>,
    ops: Vec<OpData>,
    values: Vec<ValueData>,
    blocks: Vec<BlockData>,
    regions: Vec<RegionData>,
    /// Operands and results of ops, arguments of blocks.
    value_lists: Vec<ValueId>,
    attr_lists: Vec<NamedAttr>,
    region_lists: Vec<RegionId>,
    /// Names of the ops whose code is [`OpCode::Unknown`].
    unknown_names: Vec<(OpId, StrId)>,
    root: OpId,
}

impl Default for Module {
    fn default() -> Self {
        Self::new()
    }
}

impl Module {
    /// An empty `builtin.module` with one empty block.
    pub fn new() -> Module {
        let mut module = Module::without_root();
        let region = module.new_region();
        module.new_block(region, &[]);
        let root = module.new_op(OpSpec::new(OpCode::BuiltinModule).regions(&[region]));
        module.set_root(root);
        module
    }

    /// A module without any op, for readers that create the root from what they read.
    pub(crate) fn without_root() -> Module {
        Module {
            strings: StringTable::default(),
            types: Uniquer::default(),
            attrs: Uniquer::default(),
            locs: vec![Loc::Unknown],
            ops: Vec::new(),
            values: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
            value_lists: Vec::new(),
            attr_lists: Vec::new(),
            region_lists: Vec::new(),
            unknown_names: Vec::new(),
            root: OpId(0),
        }
    }

    /// Makes room for as many attributes, locations among them, and types.
    pub(crate) fn reserve_tables(&mut self, attrs_and_locs: usize, types: usize) {
        // Most attributes of a program are locations.
        self.attrs.reserve(attrs_and_locs / 4);
        self.locs.reserve(attrs_and_locs / 2);
        self.types.reserve(types / 2);
    }

    /// Makes room for as many ops.
    pub(crate) fn reserve_ops(&mut self, ops: usize) {
        self.ops.reserve(ops);
        self.values.reserve(ops);
        self.value_lists.reserve(3 * ops);
    }

    pub(crate) fn set_root(&mut self, root: OpId) {
        self.root = root;
    }

    /// The `builtin.module` op.
    pub fn root(&self) -> OpId {
        self.root
    }

    /// The block that holds the functions.
    ///
    /// # Panics
    /// If an edit removed the block; readers and [`Module::new`] always make one.
    pub fn body(&self) -> BlockId {
        let region = self.op(self.root).regions()[0];
        self.region(region).first_block().expect("a module has a body block")
    }

    /// The string behind an id.
    #[inline]
    pub fn str(&self, id: StrId) -> &str {
        self.strings.get(id.0)
    }

    /// The type behind an id.
    #[inline]
    pub fn ty(&self, id: TypeId) -> &Type {
        self.types.get(id.0)
    }

    /// The attribute behind an id.
    #[inline]
    pub fn attr(&self, id: AttrId) -> &Attr {
        self.attrs.get(id.0)
    }

    /// Number of ops ever created, detached ones included: the size of side tables indexed by [`OpId`].
    pub fn num_ops(&self) -> usize {
        self.ops.len()
    }

    /// Number of values ever created: the size of side tables indexed by [`ValueId`].
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Number of blocks ever created.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of locations.
    pub fn num_locs(&self) -> usize {
        self.locs.len()
    }

    /// Number of distinct types.
    pub fn num_types(&self) -> usize {
        self.types.len()
    }

    /// Number of distinct attributes.
    pub fn num_attrs(&self) -> usize {
        self.attrs.len()
    }
}
