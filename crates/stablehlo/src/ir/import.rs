//! Carrying strings, types and attributes from one module into another.
//!
//! Works off a list of what is missing instead of recursing, so that deeply nested attributes need no stack.
//! Locations used as attributes are carried as the unknown location.

use hashbrown::HashMap;

use super::attrs::{
    AllToAllParam, AxisRef, DimensionSharding, DotAlgorithm, Mesh, MeshAxis, MeshRef, ReplicaGroupMeshAxes, SdyAttr,
    SdyMesh, SdyMeshRef, TensorSharding,
};
use super::{Attr, AttrId, Element, LocId, Module, NamedAttr, QuantizedType, StrId, TensorType, Type, TypeId};

/// What one module's types and attributes are in another.
pub(crate) struct Importer<'s> {
    source: &'s Module,
    types: HashMap<TypeId, TypeId>,
    attrs: HashMap<AttrId, AttrId>,
}

/// Something that has to be carried over first.
#[derive(Clone, Copy)]
enum Missing {
    Type(TypeId),
    Attr(AttrId),
}

type Found<T> = Result<T, Missing>;

impl<'s> Importer<'s> {
    pub(crate) fn new(source: &'s Module) -> Importer<'s> {
        Importer { source, types: HashMap::new(), attrs: HashMap::new() }
    }

    pub(crate) fn ty(&mut self, target: &mut Module, id: TypeId) -> TypeId {
        self.carry(target, Missing::Type(id));
        self.types[&id]
    }

    pub(crate) fn attr(&mut self, target: &mut Module, id: AttrId) -> AttrId {
        self.carry(target, Missing::Attr(id));
        self.attrs[&id]
    }

    pub(crate) fn str(&self, target: &mut Module, id: StrId) -> StrId {
        target.intern_str(self.source.str(id))
    }

    fn carry(&mut self, target: &mut Module, what: Missing) {
        let mut left = vec![what];
        while let Some(&what) = left.last() {
            let done = match what {
                Missing::Type(id) if self.types.contains_key(&id) => Ok(()),
                Missing::Attr(id) if self.attrs.contains_key(&id) => Ok(()),
                Missing::Type(id) => self.map_type(target, self.source.ty(id)).map(|ty| {
                    self.types.insert(id, target.intern_type(ty));
                }),
                Missing::Attr(id) => self.map_attr(target, self.source.attr(id)).map(|attr| {
                    self.attrs.insert(id, target.intern_attr(attr));
                }),
            };
            match done {
                Ok(()) => drop(left.pop()),
                Err(missing) => left.push(missing),
            }
        }
    }

    fn find_type(&self, id: TypeId) -> Found<TypeId> {
        self.types.get(&id).copied().ok_or(Missing::Type(id))
    }

    fn find_attr(&self, id: AttrId) -> Found<AttrId> {
        self.attrs.get(&id).copied().ok_or(Missing::Attr(id))
    }

    fn find_types(&self, ids: &[TypeId]) -> Found<Box<[TypeId]>> {
        ids.iter().map(|&id| self.find_type(id)).collect()
    }

    fn element(&self, element: Element) -> Found<Element> {
        Ok(match element {
            Element::Quantized(ty) => Element::Quantized(self.find_type(ty)?),
            Element::Other(ty) => Element::Other(self.find_type(ty)?),
            plain => plain,
        })
    }

    fn map_type(&self, target: &mut Module, ty: &Type) -> Found<Type> {
        let option = |attr: Option<AttrId>| attr.map(|id| self.find_attr(id)).transpose();
        Ok(match ty {
            Type::Tensor(t) => Type::Tensor(TensorType {
                dims: t.dims.clone(),
                element: self.element(t.element)?,
                encoding: option(t.encoding)?,
            }),
            Type::UnrankedTensor(element) => Type::UnrankedTensor(self.element(*element)?),
            Type::Complex(element) => Type::Complex(self.find_type(*element)?),
            Type::Quantized(q) => Type::Quantized(QuantizedType {
                storage: self.find_type(q.storage)?,
                expressed: self.find_type(q.expressed)?,
                ..q.clone()
            }),
            Type::Tuple(types) => Type::Tuple(self.find_types(types)?),
            Type::Future(types) => Type::Future(self.find_types(types)?),
            Type::Function { inputs, results } => {
                Type::Function { inputs: self.find_types(inputs)?, results: self.find_types(results)? }
            }
            Type::MemRef { dims, element, layout, memory_space } => Type::MemRef {
                dims: dims.clone(),
                element: self.element(*element)?,
                layout: option(*layout)?,
                memory_space: option(*memory_space)?,
            },
            Type::Vector { dims, scalable, element } => {
                Type::Vector { dims: dims.clone(), scalable: scalable.clone(), element: self.element(*element)? }
            }
            Type::Opaque(text) => Type::Opaque(self.str(target, *text)),
            Type::Scalar(_)
            | Type::Index
            | Type::Integer { .. }
            | Type::Float(_)
            | Type::Token
            | Type::None
            | Type::Witness => ty.clone(),
        })
    }

    fn map_attr(&self, target: &mut Module, attr: &Attr) -> Found<Attr> {
        Ok(match attr {
            Attr::Integer { value, ty } => Attr::Integer { value: *value, ty: self.find_type(*ty)? },
            Attr::WideInteger { words, ty } => Attr::WideInteger { words: words.clone(), ty: self.find_type(*ty)? },
            Attr::Float { bits, ty } => Attr::Float { bits: *bits, ty: self.find_type(*ty)? },
            Attr::WideFloat { words, ty } => Attr::WideFloat { words: words.clone(), ty: self.find_type(*ty)? },
            Attr::String(text) => Attr::String(self.str(target, *text)),
            Attr::TypedString { value, ty } => {
                Attr::TypedString { value: self.str(target, *value), ty: self.find_type(*ty)? }
            }
            Attr::Array(items) => Attr::Array(items.iter().map(|&id| self.find_attr(id)).collect::<Found<_>>()?),
            Attr::Dict(entries) => {
                let entry =
                    |e: &NamedAttr| Ok(NamedAttr { value: self.find_attr(e.value)?, name: self.str(target, e.name) });
                Attr::Dict(entries.iter().map(entry).collect::<Found<_>>()?)
            }
            Attr::Type(ty) => Attr::Type(self.find_type(*ty)?),
            Attr::SymbolRef { root, nested } => Attr::SymbolRef {
                root: self.str(target, *root),
                nested: nested.iter().map(|&name| self.str(target, name)).collect(),
            },
            Attr::DenseElements(dense) => Attr::DenseElements(dense.with_type(self.find_type(dense.ty())?)),
            Attr::DenseStrings { ty, values } => Attr::DenseStrings {
                ty: self.find_type(*ty)?,
                values: values.iter().map(|&text| self.str(target, text)).collect(),
            },
            Attr::DenseResource { ty, key } => {
                Attr::DenseResource { ty: self.find_type(*ty)?, key: self.str(target, *key) }
            }
            Attr::Sparse { ty, indices, values } => Attr::Sparse {
                ty: self.find_type(*ty)?,
                indices: self.find_attr(*indices)?,
                values: self.find_attr(*values)?,
            },
            Attr::Distinct(inner) => Attr::Distinct(self.find_attr(*inner)?),
            Attr::Location(_) => Attr::Location(LocId::UNKNOWN),
            Attr::Opaque(text) => Attr::Opaque(self.str(target, *text)),
            Attr::DotAlgorithm(algorithm) => Attr::DotAlgorithm(Box::new(DotAlgorithm {
                lhs_precision_type: self.find_type(algorithm.lhs_precision_type)?,
                rhs_precision_type: self.find_type(algorithm.rhs_precision_type)?,
                accumulation_type: self.find_type(algorithm.accumulation_type)?,
                ..(**algorithm).clone()
            })),
            Attr::ReplicaGroupMeshAxes(groups) => Attr::ReplicaGroupMeshAxes(Box::new(ReplicaGroupMeshAxes {
                mesh: match &groups.mesh {
                    MeshRef::Symbol(name) => MeshRef::Symbol(self.str(target, *name)),
                    MeshRef::Inline(mesh) => MeshRef::Inline(self.mesh(target, mesh)?),
                },
                axes: self.axes(target, &groups.axes),
            })),
            Attr::Mesh(mesh) => Attr::Mesh(Box::new(self.mesh(target, mesh)?)),
            Attr::MeshAxis(axis) => Attr::MeshAxis(self.mesh_axis(target, axis)),
            Attr::AxisRef(axis) => Attr::AxisRef(self.axis(target, axis)),
            Attr::Sdy(sdy) => Attr::Sdy(Box::new(self.sdy(target, sdy))),
            Attr::Unit
            | Attr::Bool(_)
            | Attr::Bytes(_)
            | Attr::I64Array(_)
            | Attr::BoolArray(_)
            | Attr::DenseArray { .. }
            | Attr::ComparisonDirection(_)
            | Attr::ComparisonType(_)
            | Attr::Precision(_)
            | Attr::FftType(_)
            | Attr::Transpose(_)
            | Attr::RngAlgorithm(_)
            | Attr::RngDistribution(_)
            | Attr::ResultAccuracyMode(_)
            | Attr::ResultAccuracy(_)
            | Attr::ChannelHandle(_)
            | Attr::DotDimensionNumbers(_)
            | Attr::ConvDimensionNumbers(_)
            | Attr::GatherDimensionNumbers(_)
            | Attr::RaggedDotDimensionNumbers(_)
            | Attr::ScatterDimensionNumbers(_)
            | Attr::OutputOperandAlias(_)
            | Attr::TypeExtensions(_)
            | Attr::SubAxisInfo(_) => attr.clone(),
        })
    }

    fn axis(&self, target: &mut Module, axis: &AxisRef) -> AxisRef {
        AxisRef { name: self.str(target, axis.name), sub_axis: axis.sub_axis }
    }

    fn axes(&self, target: &mut Module, axes: &[AxisRef]) -> Box<[AxisRef]> {
        axes.iter().map(|axis| self.axis(target, axis)).collect()
    }

    fn mesh_axis(&self, target: &mut Module, axis: &MeshAxis) -> MeshAxis {
        MeshAxis { name: self.str(target, axis.name), size: axis.size }
    }

    fn mesh(&self, target: &mut Module, mesh: &Mesh) -> Found<Mesh> {
        Ok(Mesh {
            device_ids: mesh.device_ids.map(|id| self.find_attr(id)).transpose()?,
            axes: mesh.axes.iter().map(|axis| self.mesh_axis(target, axis)).collect(),
        })
    }

    fn sdy_mesh(&self, target: &mut Module, mesh: &SdyMesh) -> SdyMesh {
        SdyMesh {
            axes: mesh.axes.iter().map(|axis| self.mesh_axis(target, axis)).collect(),
            device_ids: mesh.device_ids.clone(),
        }
    }

    fn dim_sharding(&self, target: &mut Module, dim: &DimensionSharding) -> DimensionSharding {
        DimensionSharding { axes: self.axes(target, &dim.axes), ..dim.clone() }
    }

    fn sharding(&self, target: &mut Module, sharding: &TensorSharding) -> TensorSharding {
        TensorSharding {
            mesh: match &sharding.mesh {
                SdyMeshRef::Symbol(name) => SdyMeshRef::Symbol(self.str(target, *name)),
                SdyMeshRef::Inline(mesh) => SdyMeshRef::Inline(self.sdy_mesh(target, mesh)),
            },
            dim_shardings: sharding.dim_shardings.iter().map(|dim| self.dim_sharding(target, dim)).collect(),
            replicated_axes: self.axes(target, &sharding.replicated_axes),
            unreduced_axes: self.axes(target, &sharding.unreduced_axes),
            reduction: sharding.reduction,
        }
    }

    fn all_to_all(&self, target: &mut Module, param: &AllToAllParam) -> AllToAllParam {
        AllToAllParam { axes: self.axes(target, &param.axes), ..param.clone() }
    }

    fn sdy(&self, target: &mut Module, sdy: &SdyAttr) -> SdyAttr {
        match sdy {
            SdyAttr::ManualAxes(axes) => SdyAttr::ManualAxes(axes.iter().map(|&axis| self.str(target, axis)).collect()),
            SdyAttr::MeshAxis(axis) => SdyAttr::MeshAxis(self.mesh_axis(target, axis)),
            SdyAttr::Mesh(mesh) => SdyAttr::Mesh(self.sdy_mesh(target, mesh)),
            SdyAttr::AxisRef(axis) => SdyAttr::AxisRef(self.axis(target, axis)),
            SdyAttr::DimensionSharding(dim) => SdyAttr::DimensionSharding(self.dim_sharding(target, dim)),
            SdyAttr::Sharding(sharding) => SdyAttr::Sharding(self.sharding(target, sharding)),
            SdyAttr::ShardingPerValue(shardings) => {
                SdyAttr::ShardingPerValue(shardings.iter().map(|s| self.sharding(target, s)).collect())
            }
            SdyAttr::AxisRefList(axes) => SdyAttr::AxisRefList(self.axes(target, axes)),
            SdyAttr::ListOfAxisRefLists(lists) => {
                SdyAttr::ListOfAxisRefLists(lists.iter().map(|axes| self.axes(target, axes)).collect())
            }
            SdyAttr::AllToAllParam(param) => SdyAttr::AllToAllParam(self.all_to_all(target, param)),
            SdyAttr::AllToAllParamList(params) => {
                SdyAttr::AllToAllParamList(params.iter().map(|p| self.all_to_all(target, p)).collect())
            }
            SdyAttr::SubAxisInfo(_)
            | SdyAttr::DimMapping(_)
            | SdyAttr::TensorMapping(_)
            | SdyAttr::OpShardingRule(_) => sdy.clone(),
        }
    }
}
