//! Attributes, in VHLO's and in builtin's spelling.

use super::Result_;
use super::sink::Sink;
use super::table::{Dialect, Form, Table};
use crate::ElementType;
use crate::ir::attrs::{AxisRef, DenseElements, Mesh, MeshAxis, MeshRef, ReplicaGroupMeshAxes, ResultAccuracy};
use crate::ir::{Attr, AttrId, NamedAttr, TypeId};

/// Deepest nesting that is written.
const DEEPEST: u32 = 64;

impl Table<'_> {
    /// The index of an attribute. In VHLO's spelling what has none there keeps that of its own dialect.
    pub(super) fn attr(&mut self, form: Form, id: AttrId) -> Result_<u64> {
        if let Some(&index) = self.attr_memo.get(&(form, id)) {
            return Ok(index);
        }
        if self.depth > DEEPEST {
            return Err("attributes nest too deeply to be written".to_owned());
        }
        self.depth += 1;
        let index = match form {
            Form::Vhlo => self.vhlo_attr(id)?,
            Form::Builtin => self.builtin_attr(id)?,
        };
        self.depth -= 1;
        self.attr_memo.insert((form, id), index);
        Ok(index)
    }

    pub(super) fn vhlo_int(&mut self, value: i64, element: ElementType) -> Result_<u64> {
        let ty = self.number(Form::Vhlo, element)?;
        let mut sink = Sink::code(9);
        sink.varint(ty);
        sink.ap_int(element.bits() as u32, value as u64);
        Ok(self.attr_entry(Dialect::Vhlo, sink))
    }

    pub(super) fn vhlo_bool(&mut self, value: bool) -> u64 {
        self.vhlo_enum(2, value.into())
    }

    pub(super) fn vhlo_enum(&mut self, code: u64, value: u64) -> u64 {
        let mut sink = Sink::code(code);
        sink.varint(value);
        self.attr_entry(Dialect::Vhlo, sink)
    }

    pub(super) fn vhlo_array(&mut self, items: &[u64]) -> u64 {
        let mut sink = Sink::code(1);
        sink.list(items);
        self.attr_entry(Dialect::Vhlo, sink)
    }

    pub(super) fn vhlo_type_attr(&mut self, ty: u64) -> u64 {
        self.vhlo_enum(17, ty)
    }

    /// A tensor of i64 with these sizes.
    pub(super) fn vhlo_i64s(&mut self, dims: &[i64], values: &[i64]) -> Result_<u64> {
        let ty = self.vhlo_tensor(dims, ElementType::I64)?;
        let splat = values.windows(2).all(|pair| pair[0] == pair[1]);
        let values = if splat { &values[..values.len().min(1)] } else { values };
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut sink = Sink::code(15);
        sink.varint(ty);
        sink.blob(&data);
        Ok(self.attr_entry(Dialect::Vhlo, sink))
    }

    pub(super) fn vhlo_bools(&mut self, values: &[bool]) -> Result_<u64> {
        let ty = self.vhlo_tensor(&[values.len() as i64], ElementType::Bool)?;
        let bytes: Vec<u8> = values.iter().map(|&value| value.into()).collect();
        let mut sink = Sink::code(15);
        sink.varint(ty);
        sink.blob(&pack_bools(&bytes, values.len()));
        Ok(self.attr_entry(Dialect::Vhlo, sink))
    }

    pub(super) fn accuracy(&mut self, accuracy: ResultAccuracy) -> u64 {
        let mode = self.vhlo_enum(19, accuracy.mode.code());
        let mut sink = Sink::code(20);
        sink.ap_int(64, accuracy.atol);
        sink.ap_int(64, accuracy.rtol);
        sink.signed_varint(accuracy.ulps);
        sink.varint(mode);
        self.attr_entry(Dialect::Vhlo, sink)
    }

    pub(super) fn vhlo_dict(&mut self, entries: &[NamedAttr]) -> Result_<u64> {
        let mut sink = Sink::code(6);
        sink.varint(entries.len() as u64);
        for entry in entries {
            let name = self.string_attr(Form::Vhlo, self.module.str(entry.name).as_bytes());
            sink.varint(name);
            sink.varint(self.attr(Form::Vhlo, entry.value)?);
        }
        Ok(self.attr_entry(Dialect::Vhlo, sink))
    }

    fn attrs(&mut self, form: Form, ids: &[AttrId]) -> Result_<Vec<u64>> {
        ids.iter().map(|&id| self.attr(form, id)).collect()
    }

    fn dense(&mut self, form: Form, dense: &DenseElements) -> Result_<Sink> {
        let ty = self.ty(form, dense.ty())?;
        let mut sink = Sink::code(if form == Form::Vhlo { 15 } else { 18 });
        sink.varint(ty);
        let is_bool = self.module.ty(dense.ty()).as_tensor().and_then(|t| t.element_type()) == Some(ElementType::Bool);
        match self.module.num_elements(dense.ty()) {
            Some(count) if is_bool && dense.is_splat() && count > 1 => {
                sink.blob(&[if dense.data()[0] == 0 { 0 } else { 0xFF }]);
            }
            Some(count) if is_bool => sink.blob(&pack_bools(dense.data(), count)),
            _ => sink.blob(dense.data()),
        }
        Ok(sink)
    }

    fn int(&mut self, form: Form, value: i64, ty: TypeId) -> Result_<Sink> {
        let width = match self.module.element_of(ty) {
            crate::ir::Element::Plain(element) => element.bits() as u32,
            crate::ir::Element::Index => 64,
            _ => match self.module.ty(ty) {
                crate::ir::Type::Integer { width, .. } => *width,
                _ => return Err("an integer attribute has no integer type".to_owned()),
            },
        };
        let ty = self.ty(form, ty)?;
        let mut sink = Sink::code(if form == Form::Vhlo { 9 } else { 8 });
        sink.varint(ty);
        sink.ap_int(width, value as u64);
        Ok(sink)
    }

    fn float(&mut self, form: Form, bits: u64, ty: TypeId) -> Result_<Sink> {
        let width = match self.module.ty(ty) {
            crate::ir::Type::Scalar(element) => element.byte_width() as u32 * 8,
            crate::ir::Type::Float(_) => 19,
            _ => return Err("a float attribute has no float type".to_owned()),
        };
        let ty = self.ty(form, ty)?;
        let mut sink = Sink::code(if form == Form::Vhlo { 8 } else { 9 });
        sink.varint(ty);
        sink.ap_int(width, bits);
        Ok(sink)
    }

    fn vhlo_attr(&mut self, id: AttrId) -> Result_<u64> {
        let form = Form::Vhlo;
        let sink = match self.module.attr(id) {
            Attr::Bool(value) => return Ok(self.vhlo_bool(*value)),
            Attr::Integer { value, ty } => self.int(form, *value, *ty)?,
            Attr::Float { bits, ty } => self.float(form, *bits, *ty)?,
            Attr::String(text) => return Ok(self.string_attr(form, self.module.str(*text).as_bytes())),
            Attr::Bytes(bytes) => return Ok(self.string_attr(form, bytes)),
            Attr::Array(items) => {
                let items = self.attrs(form, items)?;
                return Ok(self.vhlo_array(&items));
            }
            Attr::Dict(entries) => return self.vhlo_dict(entries),
            Attr::Type(ty) => {
                let ty = self.ty(form, *ty)?;
                return Ok(self.vhlo_type_attr(ty));
            }
            Attr::DenseElements(dense) => self.dense(form, dense)?,
            Attr::ComparisonDirection(value) => return Ok(self.vhlo_enum(3, value.code())),
            Attr::ComparisonType(value) => return Ok(self.vhlo_enum(4, value.code())),
            Attr::FftType(value) => return Ok(self.vhlo_enum(7, value.code())),
            Attr::Precision(value) => return Ok(self.vhlo_enum(11, value.code())),
            Attr::RngAlgorithm(value) => return Ok(self.vhlo_enum(12, value.code())),
            Attr::RngDistribution(value) => return Ok(self.vhlo_enum(13, value.code())),
            Attr::Transpose(value) => return Ok(self.vhlo_enum(16, value.code())),
            Attr::ResultAccuracyMode(value) => return Ok(self.vhlo_enum(19, value.code())),
            Attr::ResultAccuracy(accuracy) => return Ok(self.accuracy(*accuracy)),
            Attr::OutputOperandAlias(alias) => {
                let mut sink = Sink::code(10);
                sink.signed_list(&alias.output_tuple_indices);
                sink.signed_varint(alias.operand_index);
                sink.signed_list(&alias.operand_tuple_indices);
                sink
            }
            Attr::TypeExtensions(extensions) => {
                let mut sink = Sink::code(18);
                sink.signed_list(&extensions.bounds);
                sink
            }
            Attr::ReplicaGroupMeshAxes(groups) => self.mesh_axes_groups(groups)?,
            Attr::Mesh(mesh) => self.mesh(mesh)?,
            Attr::MeshAxis(axis) => self.mesh_axis(axis),
            Attr::AxisRef(axis) => self.axis_ref(axis),
            Attr::SubAxisInfo(info) => {
                let mut sink = Sink::code(21);
                sink.signed_varint(info.pre_size);
                sink.signed_varint(info.size);
                sink
            }
            Attr::ChannelHandle(_)
            | Attr::DotDimensionNumbers(_)
            | Attr::DotAlgorithm(_)
            | Attr::ConvDimensionNumbers(_)
            | Attr::GatherDimensionNumbers(_)
            | Attr::RaggedDotDimensionNumbers(_)
            | Attr::ScatterDimensionNumbers(_) => {
                let kind = self.module.attr(id).kind();
                return Err(format!("a {kind} attribute has a portable form only in the op that it belongs to"));
            }
            _ => return self.attr(Form::Builtin, id),
        };
        Ok(self.attr_entry(Dialect::Vhlo, sink))
    }

    fn builtin_attr(&mut self, id: AttrId) -> Result_<u64> {
        let form = Form::Builtin;
        let sink = match self.module.attr(id) {
            Attr::Unit => Sink::code(7),
            Attr::Bool(value) => {
                let ty = self.number(form, ElementType::Bool)?;
                let mut sink = Sink::code(8);
                sink.varint(ty);
                sink.byte((*value).into());
                sink
            }
            Attr::Integer { value, ty } => self.int(form, *value, *ty)?,
            Attr::Float { bits, ty } => self.float(form, *bits, *ty)?,
            Attr::String(text) => return Ok(self.string_attr(form, self.module.str(*text).as_bytes())),
            Attr::Bytes(bytes) => return Ok(self.string_attr(form, bytes)),
            Attr::Array(items) => {
                let items = self.attrs(form, items)?;
                let mut sink = Sink::code(0);
                sink.list(&items);
                sink
            }
            Attr::Dict(entries) => {
                let mut sink = Sink::code(1);
                sink.varint(entries.len() as u64);
                for entry in entries {
                    let name = self.string_attr(form, self.module.str(entry.name).as_bytes());
                    sink.varint(name);
                    sink.varint(self.attr(form, entry.value)?);
                }
                sink
            }
            Attr::Type(ty) => {
                let mut sink = Sink::code(6);
                sink.varint(self.ty(form, *ty)?);
                sink
            }
            Attr::SymbolRef { root, nested } => {
                let root = self.string_attr(form, self.module.str(*root).as_bytes());
                let mut sink = Sink::code(if nested.is_empty() { 4 } else { 5 });
                sink.varint(root);
                if !nested.is_empty() {
                    sink.varint(nested.len() as u64);
                    for part in nested {
                        let part = self.string_attr(form, self.module.str(*part).as_bytes());
                        let mut flat = Sink::code(4);
                        flat.varint(part);
                        sink.varint(self.attr_entry(Dialect::Builtin, flat));
                    }
                }
                sink
            }
            Attr::DenseElements(dense) => self.dense(form, dense)?,
            Attr::I64Array(values) => {
                let ty = self.number(form, ElementType::I64)?;
                let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                dense_array(ty, values.len(), &data)
            }
            Attr::BoolArray(values) => {
                let ty = self.number(form, ElementType::Bool)?;
                let data: Vec<u8> = values.iter().map(|&value| value.into()).collect();
                dense_array(ty, values.len(), &data)
            }
            Attr::DenseArray { element, data } => {
                let ty = self.number(form, *element)?;
                dense_array(ty, data.len() / element.byte_width(), data)
            }
            Attr::DenseStrings { ty, values } => {
                let ty = self.ty(form, *ty)?;
                let mut sink = Sink::code(19);
                sink.varint(ty);
                sink.varint((values.len() == 1).into());
                for value in values {
                    let index = self.string(self.module.str(*value).as_bytes());
                    sink.varint(index);
                }
                sink
            }
            Attr::Sparse { ty, indices, values } => {
                let mut sink = Sink::code(20);
                sink.varint(self.ty(form, *ty)?);
                sink.varint(self.attr(form, *indices)?);
                sink.varint(self.attr(form, *values)?);
                sink
            }
            Attr::Location(loc) => return self.loc(*loc),
            Attr::Opaque(text) => {
                let module = self.module;
                return Ok(self.text_attr(module.str(*text)));
            }
            Attr::Sdy(sdy) => return self.sdy_attr(sdy),
            Attr::ComparisonDirection(_)
            | Attr::ComparisonType(_)
            | Attr::Precision(_)
            | Attr::FftType(_)
            | Attr::Transpose(_)
            | Attr::RngAlgorithm(_)
            | Attr::RngDistribution(_)
            | Attr::ResultAccuracyMode(_)
            | Attr::ResultAccuracy(_)
            | Attr::OutputOperandAlias(_)
            | Attr::TypeExtensions(_)
            | Attr::ReplicaGroupMeshAxes(_)
            | Attr::Mesh(_)
            | Attr::MeshAxis(_)
            | Attr::AxisRef(_)
            | Attr::SubAxisInfo(_) => return self.attr(Form::Vhlo, id),
            other => return Err(format!("a {} attribute has no portable form", other.kind())),
        };
        Ok(self.attr_entry(Dialect::Builtin, sink))
    }

    fn mesh_axes_groups(&mut self, groups: &ReplicaGroupMeshAxes) -> Result_<Sink> {
        if !self.has(1, 16) {
            return Err(format!("replica groups as mesh axes do not exist in StableHLO {}", self.version));
        }
        let mesh = match &groups.mesh {
            MeshRef::Symbol(name) => self.string_attr(Form::Vhlo, self.module.str(*name).as_bytes()),
            MeshRef::Inline(mesh) => {
                let mesh = self.mesh(mesh)?;
                self.attr_entry(Dialect::Vhlo, mesh)
            }
        };
        let mut axes = Vec::new();
        for axis in &groups.axes {
            let axis = self.axis_ref(axis);
            axes.push(self.attr_entry(Dialect::Vhlo, axis));
        }
        let axes = self.vhlo_array(&axes);
        let mut sink = Sink::code(23);
        sink.varint(mesh);
        sink.varint(axes);
        Ok(sink)
    }

    fn mesh(&mut self, mesh: &Mesh) -> Result_<Sink> {
        let mut axes = Vec::new();
        for axis in &mesh.axes {
            let axis = self.mesh_axis(axis);
            axes.push(self.attr_entry(Dialect::Vhlo, axis));
        }
        let axes = self.vhlo_array(&axes);
        let mut sink = Sink::code(25);
        sink.varint(axes);
        match mesh.device_ids {
            Some(ids) => sink.varint_with_flag(self.attr(Form::Vhlo, ids)?, true),
            None => sink.varint(0),
        }
        Ok(sink)
    }

    fn mesh_axis(&mut self, axis: &MeshAxis) -> Sink {
        let name = self.string_attr(Form::Vhlo, self.module.str(axis.name).as_bytes());
        let mut sink = Sink::code(24);
        sink.varint(name);
        sink.signed_varint(axis.size);
        sink
    }

    fn axis_ref(&mut self, axis: &AxisRef) -> Sink {
        let name = self.string_attr(Form::Vhlo, self.module.str(axis.name).as_bytes());
        let mut sink = Sink::code(22);
        sink.varint(name);
        match axis.sub_axis {
            None => sink.varint(0),
            Some(info) => {
                let mut part = Sink::code(21);
                part.signed_varint(info.pre_size);
                part.signed_varint(info.size);
                let part = self.attr_entry(Dialect::Vhlo, part);
                sink.varint(1);
                sink.varint(part);
            }
        }
        sink
    }
}

fn dense_array(ty: u64, count: usize, data: &[u8]) -> Sink {
    let mut sink = Sink::code(17);
    sink.varint(ty);
    sink.varint(count as u64);
    sink.blob(data);
    sink
}

/// One bit an element, as MLIR has it; a single element stays a byte.
fn pack_bools(bytes: &[u8], count: usize) -> Vec<u8> {
    if count <= 1 {
        return bytes.to_vec();
    }
    if bytes.iter().all(|&byte| byte == bytes[0]) {
        return vec![if bytes[0] == 0 { 0 } else { 0xFF }];
    }
    let mut packed = vec![0; count.div_ceil(8)];
    for (i, &byte) in bytes.iter().enumerate() {
        packed[i / 8] |= u8::from(byte != 0) << (i % 8);
    }
    packed
}
