//! Functions of a program: names, signatures, attributes of arguments and results.

use hashbrown::HashMap;

use super::{Attr, BlockRef, Module, NamedAttr, OpCode, OpId, OpRef, StrId, Type, TypeId};

/// A `func.func`, for reading.
#[derive(Clone, Copy)]
pub struct Function<'m> {
    op: OpRef<'m>,
}

impl<'m> Function<'m> {
    /// The op.
    pub fn op(self) -> OpRef<'m> {
        self.op
    }

    fn text(self, name: &str) -> Option<&'m str> {
        match self.op.attr(name)? {
            Attr::String(text) => Some(self.op.module().str(*text)),
            _ => None,
        }
    }

    /// Its symbol, without the `@`; empty if the op lacks one.
    pub fn name(self) -> &'m str {
        self.text("sym_name").unwrap_or("")
    }

    /// `public`, `private` or `nested`; public if not said.
    pub fn visibility(self) -> &'m str {
        self.text("sym_visibility").unwrap_or("public")
    }

    fn signature(self) -> Option<(&'m [TypeId], &'m [TypeId])> {
        let Attr::Type(ty) = self.op.attr("function_type")? else { return None };
        match self.op.module().ty(*ty) {
            Type::Function { inputs, results } => Some((inputs, results)),
            _ => None,
        }
    }

    /// Argument types of the signature.
    pub fn input_types(self) -> &'m [TypeId] {
        self.signature().map_or(&[], |(inputs, _)| inputs)
    }

    /// Result types of the signature.
    pub fn result_types(self) -> &'m [TypeId] {
        self.signature().map_or(&[], |(_, results)| results)
    }

    /// The block where it starts; `None` for a declaration.
    pub fn entry(self) -> Option<BlockRef<'m>> {
        self.op.region_block(0)
    }

    fn dict_at(self, name: &str, index: usize) -> &'m [NamedAttr] {
        let module = self.op.module();
        match self.op.attr(name) {
            Some(Attr::Array(dicts)) => match dicts.get(index).map(|&d| module.attr(d)) {
                Some(Attr::Dict(entries)) => entries,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// The attributes of an argument, such as `tf.aliasing_output`, `jax.buffer_donor` or `sdy.sharding`.
    pub fn arg_attrs(self, index: usize) -> &'m [NamedAttr] {
        self.dict_at("arg_attrs", index)
    }

    /// The attributes of a result, such as `jax.result_info` or `mhlo.memory_kind`.
    pub fn result_attrs(self, index: usize) -> &'m [NamedAttr] {
        self.dict_at("res_attrs", index)
    }

    /// One attribute of an argument.
    pub fn arg_attr(self, index: usize, name: &str) -> Option<&'m Attr> {
        self.op.module().dict_get(self.arg_attrs(index), name)
    }

    /// One attribute of a result.
    pub fn result_attr(self, index: usize, name: &str) -> Option<&'m Attr> {
        self.op.module().dict_get(self.result_attrs(index), name)
    }
}

/// Functions and other symbols of a module, found by name.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    by_name: HashMap<StrId, OpId>,
}

impl SymbolTable {
    /// Collects the ops of the module's body that have a `sym_name`; of equal names the first counts.
    pub fn new(module: &Module) -> SymbolTable {
        let mut by_name = HashMap::new();
        for op in module.block(module.body()).ops() {
            if let Some(Attr::String(name)) = module.op(op).attr("sym_name") {
                by_name.entry(*name).or_insert(op);
            }
        }
        SymbolTable { by_name }
    }

    /// The op with this symbol.
    pub fn get(&self, name: StrId) -> Option<OpId> {
        self.by_name.get(&name).copied()
    }
}

impl Module {
    /// The functions, in order.
    pub fn functions(&self) -> impl Iterator<Item = Function<'_>> + '_ {
        self.block(self.body()).ops().filter_map(|op| self.as_function(op))
    }

    /// The function with this name. Linear; for many look-ups make a [`SymbolTable`].
    pub fn function(&self, name: &str) -> Option<Function<'_>> {
        self.functions().find(|f| f.name() == name)
    }

    /// The op as a function, if it is one.
    pub fn as_function(&self, op: OpId) -> Option<Function<'_>> {
        let op = self.op(op);
        (op.code() == OpCode::FuncFunc).then_some(Function { op })
    }

    /// The attribute of this name among named attributes.
    pub fn dict_get(&self, entries: &[NamedAttr], name: &str) -> Option<&Attr> {
        entries.iter().find(|entry| self.str(entry.name) == name).map(|entry| self.attr(entry.value))
    }
}
