//! Attributes as text.

use super::writer::{Elide, Item, Printer, escape};
use crate::ir::attrs::{
    AxisRef, ConvDimensionNumbers, DotAlgorithm, Mesh, MeshAxis, MeshRef, ResultAccuracy, SubAxisInfo,
};
use crate::ir::{Attr, AttrId, DYNAMIC, OtherFloat, Type, TypeId};
use crate::text::float;
use crate::{ElementKind, ElementType};

impl<'m> Printer<'m> {
    pub(super) fn attr_item(&mut self, id: AttrId, elide: Elide, left: &mut Vec<Item>) {
        let module = self.module;
        match module.attr(id) {
            Attr::Unit => self.push("unit"),
            Attr::Bool(value) => self.push(if *value { "true" } else { "false" }),
            Attr::Integer { value, ty } => {
                self.integer(*value, *ty);
                if !(elide == Elide::May && *module.ty(*ty) == Type::Scalar(ElementType::I64)) {
                    left.extend([Item::Type(*ty), Item::Text(" : ")]);
                }
            }
            Attr::WideInteger { words, ty } => {
                self.push("0x");
                for (i, word) in words.iter().enumerate().rev() {
                    let text = if i + 1 == words.len() { format!("{word:X}") } else { format!("{word:016X}") };
                    self.push(&text);
                }
                left.extend([Item::Type(*ty), Item::Text(" : ")]);
            }
            Attr::Float { bits, ty } => {
                self.float(*bits, *ty);
                if !(elide == Elide::May && *module.ty(*ty) == Type::Scalar(ElementType::F64)) {
                    left.extend([Item::Type(*ty), Item::Text(" : ")]);
                }
            }
            Attr::WideFloat { words, ty } => {
                let digits: String = words.iter().rev().map(|word| format!("{word:016X}")).collect();
                let width = if *module.ty(*ty) == Type::Float(OtherFloat::F80) { 20 } else { 32 };
                let text = format!("0x{}", &digits[digits.len().saturating_sub(width)..]);
                self.push(&text);
                left.extend([Item::Type(*ty), Item::Text(" : ")]);
            }
            Attr::String(text) => self.quoted(module.str(*text).as_bytes()),
            Attr::Bytes(bytes) => self.quoted(bytes),
            Attr::TypedString { value, ty } => {
                self.quoted(module.str(*value).as_bytes());
                left.extend([Item::Type(*ty), Item::Text(" : ")]);
            }
            Attr::Array(items) => {
                self.push("[");
                left.push(Item::Text("]"));
                for (i, &item) in items.iter().enumerate().rev() {
                    left.push(Item::Attr(item, Elide::May));
                    if i > 0 {
                        left.push(Item::Text(", "));
                    }
                }
            }
            Attr::Dict(entries) => {
                self.push("{");
                left.push(Item::Text("}"));
                for (i, entry) in entries.iter().enumerate().rev() {
                    if *module.attr(entry.value) != Attr::Unit {
                        left.extend([Item::Attr(entry.value, Elide::Never), Item::Text(" = ")]);
                    }
                    let mut name = Printer::bare(module);
                    name.attr_name(module.attr_name(*entry));
                    left.push(Item::Owned(name.out));
                    if i > 0 {
                        left.push(Item::Text(", "));
                    }
                }
            }
            Attr::Type(ty) => left.push(Item::Type(*ty)),
            Attr::SymbolRef { root, nested } => {
                self.symbol(module.str(*root));
                for name in nested {
                    self.push("::");
                    self.symbol(module.str(*name));
                }
            }
            Attr::DenseElements(dense) => {
                self.dense(dense);
                left.extend([Item::Type(dense.ty()), Item::Text(" : ")]);
            }
            Attr::DenseStrings { ty, values } => {
                self.dense_strings(*ty, values);
                left.extend([Item::Type(*ty), Item::Text(" : ")]);
            }
            Attr::DenseResource { ty, key } => {
                self.push("dense_resource<");
                self.attr_name(module.str(*key));
                left.extend([Item::Type(*ty), Item::Text("> : ")]);
            }
            Attr::Sparse { ty, indices, values } => {
                self.push("sparse<");
                for (attr, end) in [(indices, ", "), (values, ">")] {
                    match module.attr(*attr) {
                        Attr::DenseElements(dense) => self.dense_body(dense),
                        Attr::DenseStrings { ty, values } => self.dense_strings_body(*ty, values),
                        _ => {}
                    }
                    self.push(end);
                }
                left.extend([Item::Type(*ty), Item::Text(" : ")]);
            }
            Attr::I64Array(values) => {
                self.push("array<i64");
                self.array_body(values, |p, value| p.push(&value.to_string()));
            }
            Attr::BoolArray(values) => {
                self.push("array<i1");
                self.array_body(values, |p, value| p.push(if *value { "true" } else { "false" }));
            }
            Attr::DenseArray { element, data } => {
                self.push("array<");
                self.push(element.text());
                let elements: Vec<&[u8]> = data.chunks_exact(element.byte_width()).collect();
                self.array_body(&elements, |p, bytes| p.number(*element, bytes));
            }
            Attr::Distinct(inner) => {
                let text = format!("distinct[{}]<", id.index());
                self.push(&text);
                left.extend([Item::Text(">"), Item::Attr(*inner, Elide::Never)]);
            }
            Attr::Location(loc) => self.loc_reference(*loc),
            Attr::Opaque(text) => self.push(module.str(*text)),
            other => self.dialect_attr(other, left),
        }
    }

    fn array_body<T>(&mut self, values: &[T], write: impl Fn(&mut Self, &T)) {
        if !values.is_empty() {
            self.push(": ");
            self.commas(values, |p, value| write(p, value));
        }
        self.push(">");
    }

    pub(super) fn integer(&mut self, value: i64, ty: TypeId) {
        let unsigned = match self.module.ty(ty) {
            Type::Scalar(element) => element.kind() == ElementKind::Unsigned,
            Type::Integer { signedness, .. } => *signedness == crate::ir::Signedness::Unsigned,
            _ => false,
        };
        let text = if unsigned { (value as u64).to_string() } else { value.to_string() };
        self.push(&text);
    }

    pub(super) fn float(&mut self, bits: u64, ty: TypeId) {
        match self.module.ty(ty) {
            Type::Scalar(element) => float::write(&mut self.out, *element, bits),
            _ => self.push(&format!("0x{bits:X}")),
        }
    }

    fn enumerator(&mut self, kind: &str, value: &str) {
        let dialect = if self.chlo { "chlo" } else { "stablehlo" };
        let text = format!("#{dialect}<{kind} {value}>");
        self.push(&text);
    }

    /// `#stablehlo.name<a = 1, b = [2]>` without fields that are zero or empty.
    fn fields(&mut self, name: &str, lists: &[(&str, &[i64])], index: Option<(&str, i64)>) {
        self.push("#");
        self.push(name);
        self.push("<");
        let mut separator = "";
        for (field, values) in lists.iter().filter(|(_, values)| !values.is_empty()) {
            self.push(separator);
            self.push(field);
            self.push(" = ");
            self.ints(values);
            separator = ", ";
        }
        if let Some((field, value)) = index.filter(|&(_, value)| value != 0) {
            let text = format!("{separator}{field} = {value}");
            self.push(&text);
        }
        self.push(">");
    }

    fn dialect_attr(&mut self, attr: &Attr, left: &mut Vec<Item>) {
        match attr {
            Attr::ComparisonDirection(value) => self.enumerator("comparison_direction", value.text()),
            Attr::ComparisonType(value) => self.enumerator("comparison_type", value.text()),
            Attr::Precision(value) => self.enumerator("precision", value.text()),
            Attr::FftType(value) => self.enumerator("fft_type", value.text()),
            Attr::Transpose(value) => self.enumerator("transpose", value.text()),
            Attr::RngAlgorithm(value) => self.enumerator("rng_algorithm", value.text()),
            Attr::RngDistribution(value) => self.enumerator("rng_distribution", value.text()),
            Attr::ResultAccuracyMode(value) => {
                let text = format!("#stablehlo.result_accuracy_mode<{}>", value.text());
                self.push(&text);
            }
            Attr::ResultAccuracy(accuracy) => self.result_accuracy(accuracy),
            Attr::ChannelHandle(channel) => {
                let text =
                    format!("#stablehlo.channel_handle<handle = {}, type = {}>", channel.handle, channel.channel_type);
                self.push(&text);
            }
            Attr::DotDimensionNumbers(n) => self.fields(
                "stablehlo.dot",
                &[
                    ("lhs_batching_dimensions", &n.lhs_batching_dimensions),
                    ("rhs_batching_dimensions", &n.rhs_batching_dimensions),
                    ("lhs_contracting_dimensions", &n.lhs_contracting_dimensions),
                    ("rhs_contracting_dimensions", &n.rhs_contracting_dimensions),
                ],
                None,
            ),
            Attr::GatherDimensionNumbers(n) => self.fields(
                "stablehlo.gather",
                &[
                    ("offset_dims", &n.offset_dims),
                    ("collapsed_slice_dims", &n.collapsed_slice_dims),
                    ("operand_batching_dims", &n.operand_batching_dims),
                    ("start_indices_batching_dims", &n.start_indices_batching_dims),
                    ("start_index_map", &n.start_index_map),
                ],
                Some(("index_vector_dim", n.index_vector_dim)),
            ),
            Attr::RaggedDotDimensionNumbers(n) => self.fields(
                "chlo.ragged_dot",
                &[
                    ("lhs_batching_dimensions", &n.lhs_batching_dimensions),
                    ("rhs_batching_dimensions", &n.rhs_batching_dimensions),
                    ("lhs_contracting_dimensions", &n.lhs_contracting_dimensions),
                    ("rhs_contracting_dimensions", &n.rhs_contracting_dimensions),
                    ("lhs_ragged_dimensions", &n.lhs_ragged_dimensions),
                    ("rhs_group_dimensions", &n.rhs_group_dimensions),
                ],
                None,
            ),
            Attr::ScatterDimensionNumbers(n) => self.fields(
                "stablehlo.scatter",
                &[
                    ("update_window_dims", &n.update_window_dims),
                    ("inserted_window_dims", &n.inserted_window_dims),
                    ("input_batching_dims", &n.input_batching_dims),
                    ("scatter_indices_batching_dims", &n.scatter_indices_batching_dims),
                    ("scatter_dims_to_operand_dims", &n.scatter_dims_to_operand_dims),
                ],
                Some(("index_vector_dim", n.index_vector_dim)),
            ),
            Attr::DotAlgorithm(algorithm) => {
                self.push("#stablehlo.dot_algorithm");
                self.dot_algorithm(algorithm);
            }
            Attr::ConvDimensionNumbers(numbers) => {
                self.push("#stablehlo.conv<");
                if !self.conv_numbers(numbers) {
                    self.raw_conv_numbers(numbers);
                }
                self.push(">");
            }
            Attr::OutputOperandAlias(alias) => {
                self.push("#stablehlo.output_operand_alias<output_tuple_indices = ");
                self.ints(&alias.output_tuple_indices);
                let text = format!(", operand_index = {}, operand_tuple_indices = ", alias.operand_index);
                self.push(&text);
                self.ints(&alias.operand_tuple_indices);
                self.push(">");
            }
            Attr::TypeExtensions(extensions) => {
                self.push("#stablehlo.bounds<");
                self.commas(&*extensions.bounds, |p, &bound| {
                    p.push(&if bound == DYNAMIC { "?".to_owned() } else { bound.to_string() });
                });
                self.push(">");
            }
            Attr::ReplicaGroupMeshAxes(groups) => {
                self.push("#stablehlo.replica_group_mesh_axes<mesh = ");
                left.push(Item::Text(">"));
                let mut axes = Printer::bare(self.module);
                axes.push(", axes = [");
                axes.commas(&*groups.axes, |p, axis| p.stablehlo_axis_ref(axis));
                axes.push("]");
                left.push(Item::Owned(axes.out));
                match &groups.mesh {
                    MeshRef::Symbol(name) => self.symbol(self.module.str(*name)),
                    MeshRef::Inline(mesh) => self.mesh(mesh, left),
                }
            }
            Attr::Mesh(mesh) => self.mesh(mesh, left),
            Attr::MeshAxis(axis) => {
                self.push("#stablehlo.mesh_axis");
                self.mesh_axis(axis);
            }
            Attr::AxisRef(axis) => self.stablehlo_axis_ref(axis),
            Attr::SubAxisInfo(info) => {
                self.push("#stablehlo.sub_axis_info");
                self.sub_axis(info);
            }
            Attr::Sdy(sdy) => self.sdy(sdy),
            // Builtin attributes are written elsewhere.
            _ => {}
        }
    }

    fn result_accuracy(&mut self, accuracy: &ResultAccuracy) {
        self.push("#stablehlo.result_accuracy<");
        for (name, bits) in [("atol", accuracy.atol), ("rtol", accuracy.rtol)] {
            if f64::from_bits(bits) != 0.0 {
                self.push(name);
                self.push(" = ");
                float::write(&mut self.out, ElementType::F64, bits);
                self.push(", ");
            }
        }
        if accuracy.ulps != 0 {
            let text = format!("ulps = {}, ", accuracy.ulps);
            self.push(&text);
        }
        let text = format!("mode = #stablehlo.result_accuracy_mode<{}>>", accuracy.mode.text());
        self.push(&text);
    }

    /// The fields of an algorithm in angle brackets.
    pub(super) fn dot_algorithm(&mut self, algorithm: &DotAlgorithm) {
        for (name, ty) in [
            ("<lhs_precision_type = ", algorithm.lhs_precision_type),
            (", rhs_precision_type = ", algorithm.rhs_precision_type),
            (", accumulation_type = ", algorithm.accumulation_type),
        ] {
            self.push(name);
            self.ty(ty);
        }
        let text = format!(
            ", lhs_component_count = {}, rhs_component_count = {}, num_primitive_operations = {}, \
             allow_imprecise_accumulation = {}>",
            algorithm.lhs_component_count,
            algorithm.rhs_component_count,
            algorithm.num_primitive_operations,
            algorithm.allow_imprecise_accumulation
        );
        self.push(&text);
    }

    /// `[b, 0, f]x[0, i, o]->[b, 0, f]`; false, and nothing, if the numbers are impossible.
    pub(super) fn conv_numbers(&mut self, n: &ConvDimensionNumbers) -> bool {
        let layouts = [
            layout(&n.input_spatial_dimensions, [(n.input_batch_dimension, "b"), (n.input_feature_dimension, "f")]),
            layout(
                &n.kernel_spatial_dimensions,
                [(n.kernel_input_feature_dimension, "i"), (n.kernel_output_feature_dimension, "o")],
            ),
            layout(&n.output_spatial_dimensions, [(n.output_batch_dimension, "b"), (n.output_feature_dimension, "f")]),
        ];
        let [Some(input), Some(kernel), Some(output)] = layouts else { return false };
        let text = format!("[{input}]x[{kernel}]->[{output}]");
        self.push(&text);
        true
    }

    fn raw_conv_numbers(&mut self, n: &ConvDimensionNumbers) {
        let text = format!(
            "raw input_batch_dimension = {}, input_feature_dimension = {}, input_spatial_dimensions = {:?}, \
             kernel_input_feature_dimension = {}, kernel_output_feature_dimension = {}, \
             kernel_spatial_dimensions = {:?}, output_batch_dimension = {}, output_feature_dimension = {}, \
             output_spatial_dimensions = {:?}",
            n.input_batch_dimension,
            n.input_feature_dimension,
            n.input_spatial_dimensions,
            n.kernel_input_feature_dimension,
            n.kernel_output_feature_dimension,
            n.kernel_spatial_dimensions,
            n.output_batch_dimension,
            n.output_feature_dimension,
            n.output_spatial_dimensions
        );
        self.push(&text);
    }

    fn mesh(&mut self, mesh: &Mesh, left: &mut Vec<Item>) {
        self.push("#stablehlo.mesh<axes=[");
        self.commas(&*mesh.axes, |p, axis| p.mesh_axis(axis));
        self.push("]");
        left.push(Item::Text(">"));
        if let Some(ids) = mesh.device_ids {
            left.extend([Item::Attr(ids, Elide::Never), Item::Text(", device_ids=")]);
        }
    }

    fn mesh_axis(&mut self, axis: &MeshAxis) {
        self.push("<name = ");
        self.quoted(self.module.str(axis.name).as_bytes());
        let text = format!(", size = {}>", axis.size);
        self.push(&text);
    }

    fn stablehlo_axis_ref(&mut self, axis: &AxisRef) {
        self.push("#stablehlo.axis_ref<name = ");
        self.quoted(self.module.str(axis.name).as_bytes());
        if let Some(info) = &axis.sub_axis {
            self.push(", sub_axis_info = ");
            self.sub_axis(info);
        }
        self.push(">");
    }

    pub(super) fn sub_axis(&mut self, info: &SubAxisInfo) {
        let text = format!("({}){}", info.pre_size, info.size);
        self.push(&text);
    }

    /// A string on its own, for messages and file names.
    pub(super) fn escaped(text: &str) -> String {
        let mut out = String::new();
        escape(&mut out, text.as_bytes());
        out
    }
}

/// What each dimension is, with commas; `None` if positions collide or are out of range.
fn layout(spatial: &[i64], lettered: [(i64, &str); 2]) -> Option<String> {
    let mut dims = vec![String::new(); spatial.len() + 2];
    let spatial = spatial.iter().enumerate().map(|(i, &at)| (at, i.to_string()));
    for (at, name) in lettered.into_iter().map(|(at, name)| (at, name.to_owned())).chain(spatial) {
        let slot = dims.get_mut(usize::try_from(at).ok()?)?;
        if !slot.is_empty() {
            return None;
        }
        *slot = name;
    }
    Some(dims.join(", "))
}
