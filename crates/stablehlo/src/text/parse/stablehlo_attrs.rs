//! Attributes of StableHLO and chlo.

use super::cursor::{Parser, Result};
use crate::ir::attrs::{
    AxisRef, ChannelHandle, ComparisonDirection, ComparisonType, ConvDimensionNumbers, DotAlgorithm,
    DotDimensionNumbers, FftType, GatherDimensionNumbers, Mesh, MeshAxis, MeshRef, OutputOperandAlias, Precision,
    RaggedDotDimensionNumbers, ReplicaGroupMeshAxes, ResultAccuracy, ResultAccuracyMode, RngAlgorithm, RngDistribution,
    ScatterDimensionNumbers, SubAxisInfo, Transpose, TypeExtensions,
};
use crate::ir::{Attr, DYNAMIC};
use crate::text::lexer::Token;

impl<'a> Parser<'a> {
    /// The attribute `kind`, whose name was just read; `None` if there is no such kind.
    pub(super) fn stablehlo_attr(&mut self, kind: &str) -> Result<Option<Attr>> {
        Ok(Some(match kind {
            "comparison_direction" => Attr::ComparisonDirection(self.enclosed(ComparisonDirection::ALL)?),
            "comparison_type" => Attr::ComparisonType(self.enclosed(ComparisonType::ALL)?),
            "precision" => Attr::Precision(self.enclosed(Precision::ALL)?),
            "fft_type" => Attr::FftType(self.enclosed(FftType::ALL)?),
            "transpose" => Attr::Transpose(self.enclosed(Transpose::ALL)?),
            "rng_algorithm" => Attr::RngAlgorithm(self.enclosed(RngAlgorithm::ALL)?),
            "rng_distribution" => Attr::RngDistribution(self.enclosed(RngDistribution::ALL)?),
            "result_accuracy_mode" => Attr::ResultAccuracyMode(self.enclosed(ResultAccuracyMode::ALL)?),
            "result_accuracy" => self.result_accuracy()?,
            "channel_handle" => {
                let mut channel = ChannelHandle { handle: 0, channel_type: 0 };
                self.fields(|p, field| {
                    match field {
                        "handle" => channel.handle = p.int()?,
                        "type" => channel.channel_type = p.int()?,
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
                Attr::ChannelHandle(channel)
            }
            "dot" => self.dot_numbers()?,
            "dot_algorithm" => self.dot_algorithm()?,
            "conv" => {
                self.expect("<")?;
                if self.eat_word("raw")? {
                    self.raw_conv_numbers()?
                } else {
                    let numbers = self.conv_numbers()?;
                    self.expect(">")?;
                    Attr::ConvDimensionNumbers(Box::new(numbers))
                }
            }
            "gather" => self.gather_numbers()?,
            "ragged_dot" => self.ragged_dot_numbers()?,
            "scatter" => self.scatter_numbers()?,
            "output_operand_alias" => {
                let mut alias = OutputOperandAlias {
                    output_tuple_indices: Box::default(),
                    operand_index: 0,
                    operand_tuple_indices: Box::default(),
                };
                self.fields(|p, field| {
                    match field {
                        "output_tuple_indices" => alias.output_tuple_indices = p.ints()?.into(),
                        "operand_index" => alias.operand_index = p.int()?,
                        "operand_tuple_indices" => alias.operand_tuple_indices = p.ints()?.into(),
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
                Attr::OutputOperandAlias(Box::new(alias))
            }
            "bounds" => {
                let bounds = self.list("<", ">", Self::bound)?.into();
                Attr::TypeExtensions(TypeExtensions { bounds })
            }
            "type_extensions" => {
                self.expect("<")?;
                self.expect_word("bounds")?;
                self.expect("=")?;
                let bounds = self.list("[", "]", Self::bound)?.into();
                self.expect(">")?;
                Attr::TypeExtensions(TypeExtensions { bounds })
            }
            "replica_group_mesh_axes" => self.replica_group_mesh_axes()?,
            "mesh" => {
                let mesh = self.stablehlo_mesh()?;
                Attr::Mesh(Box::new(mesh))
            }
            "mesh_axis" => Attr::MeshAxis(self.mesh_axis_struct()?),
            "axis_ref" => Attr::AxisRef(self.axis_ref_struct()?),
            "sub_axis_info" => {
                // Both `(1)2` alone and in angle brackets occur.
                let bracket = self.eat("<")?;
                let info = self.sub_axis()?;
                if bracket {
                    self.expect(">")?;
                }
                Attr::SubAxisInfo(info)
            }
            _ => return Ok(None),
        }))
    }

    /// An enumerator, with `<` and `>` around it or without.
    fn enclosed<E: Enumerator>(&mut self, all: &[E]) -> Result<E> {
        let bracket = self.eat("<")?;
        let value = self.enumerator(all)?;
        if bracket {
            self.expect(">")?;
        }
        Ok(value)
    }

    pub(super) fn enumerator<E: Enumerator>(&mut self, all: &[E]) -> Result<E> {
        if let Token::Word(word) = self.token
            && let Some(&value) = all.iter().find(|value| value.spelling() == word)
        {
            self.advance()?;
            return Ok(value);
        }
        let names: Vec<&str> = all.iter().map(|value| value.spelling()).collect();
        self.expected(&format!("one of {}", names.join(", ")))
    }

    /// `<name = value, ...>` in any order, no name twice. `field` reads one value, or says that there is no
    /// such name.
    fn fields(&mut self, mut field: impl FnMut(&mut Self, &str) -> Result<bool>) -> Result<()> {
        let mut seen: Vec<&str> = Vec::new();
        self.list("<", ">", |p| {
            // A comma after the last field is fine.
            if p.is(">") && !seen.is_empty() {
                return Ok(());
            }
            let at = p.start;
            let name = p.word("the name of a field")?;
            if seen.contains(&name) {
                return p.error_at(at, format!("the field `{name}` occurs twice"));
            }
            seen.push(name);
            p.expect("=")?;
            if field(p, name)? { Ok(()) } else { p.error_at(at, format!("this attribute has no field `{name}`")) }
        })?;
        Ok(())
    }

    /// A dimension or `?`.
    fn bound(&mut self) -> Result<i64> {
        if self.eat("?")? { Ok(DYNAMIC) } else { self.int() }
    }

    fn result_accuracy(&mut self) -> Result<Attr> {
        let mut accuracy = ResultAccuracy::DEFAULT;
        self.fields(|p, field| {
            match field {
                "atol" => accuracy.atol = p.number()?.to_bits(),
                "rtol" => accuracy.rtol = p.number()?.to_bits(),
                "ulps" => accuracy.ulps = p.int()?,
                "mode" => {
                    if matches!(p.token, Token::Hash("stablehlo.result_accuracy_mode")) {
                        p.advance()?;
                        accuracy.mode = p.enclosed(ResultAccuracyMode::ALL)?;
                    } else if matches!(p.token, Token::Hash("stablehlo")) {
                        p.advance()?;
                        p.expect("<")?;
                        p.expect_word("result_accuracy_mode")?;
                        accuracy.mode = p.enclosed(ResultAccuracyMode::ALL)?;
                        p.expect(">")?;
                    } else {
                        accuracy.mode = p.enumerator(ResultAccuracyMode::ALL)?;
                    }
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Attr::ResultAccuracy(accuracy))
    }

    fn dot_numbers(&mut self) -> Result<Attr> {
        let mut numbers = DotDimensionNumbers {
            lhs_batching_dimensions: Box::default(),
            rhs_batching_dimensions: Box::default(),
            lhs_contracting_dimensions: Box::default(),
            rhs_contracting_dimensions: Box::default(),
        };
        self.fields(|p, field| {
            let slot = match field {
                "lhs_batching_dimensions" => &mut numbers.lhs_batching_dimensions,
                "rhs_batching_dimensions" => &mut numbers.rhs_batching_dimensions,
                "lhs_contracting_dimensions" => &mut numbers.lhs_contracting_dimensions,
                "rhs_contracting_dimensions" => &mut numbers.rhs_contracting_dimensions,
                _ => return Ok(false),
            };
            *slot = p.ints()?.into();
            Ok(true)
        })?;
        Ok(Attr::DotDimensionNumbers(Box::new(numbers)))
    }

    /// `<lhs_precision_type = f32, ...>`: all seven fields.
    pub(super) fn dot_algorithm(&mut self) -> Result<Attr> {
        let at = self.start;
        let (mut types, mut counts, mut imprecise) = ([None; 3], [None; 3], None);
        self.fields(|p, field| {
            match field {
                "lhs_precision_type" => types[0] = Some(p.ty()?),
                "rhs_precision_type" => types[1] = Some(p.ty()?),
                "accumulation_type" => types[2] = Some(p.ty()?),
                "lhs_component_count" => counts[0] = Some(p.int()?),
                "rhs_component_count" => counts[1] = Some(p.int()?),
                "num_primitive_operations" => counts[2] = Some(p.int()?),
                "allow_imprecise_accumulation" => imprecise = Some(p.bool()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match (types, counts, imprecise) {
            (
                [Some(lhs), Some(rhs), Some(sum)],
                [Some(lhs_count), Some(rhs_count), Some(products)],
                Some(imprecise),
            ) => Ok(Attr::DotAlgorithm(Box::new(DotAlgorithm {
                lhs_precision_type: lhs,
                rhs_precision_type: rhs,
                accumulation_type: sum,
                lhs_component_count: lhs_count,
                rhs_component_count: rhs_count,
                num_primitive_operations: products,
                allow_imprecise_accumulation: imprecise,
            }))),
            _ => self.error_at(at, "a dot algorithm has seven fields, and some are missing here"),
        }
    }

    /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
    pub(super) fn conv_numbers(&mut self) -> Result<ConvDimensionNumbers> {
        let (input, [input_batch, input_feature]) = self.conv_dims(["b", "f"])?;
        self.expect_word("x")?;
        let (kernel, [kernel_input, kernel_output]) = self.conv_dims(["i", "o"])?;
        self.expect("->")?;
        let (output, [output_batch, output_feature]) = self.conv_dims(["b", "f"])?;
        Ok(ConvDimensionNumbers {
            input_batch_dimension: input_batch,
            input_feature_dimension: input_feature,
            input_spatial_dimensions: input,
            kernel_input_feature_dimension: kernel_input,
            kernel_output_feature_dimension: kernel_output,
            kernel_spatial_dimensions: kernel,
            output_batch_dimension: output_batch,
            output_feature_dimension: output_feature,
            output_spatial_dimensions: output,
        })
    }

    /// The positions of the spatial dimensions 0, 1 and so on, and of the two dimensions with a letter.
    fn conv_dims(&mut self, letters: [&str; 2]) -> Result<(Box<[i64]>, [i64; 2])> {
        let at = self.start;
        let (mut spatial, mut lettered) = (Vec::new(), [None; 2]);
        let mut position = 0;
        self.list("[", "]", |p| {
            let item_at = p.start;
            match p.token {
                Token::Word(word) if letters.contains(&word) => {
                    let slot = usize::from(word == letters[1]);
                    if lettered[slot].replace(position).is_some() {
                        return p.error_at(item_at, format!("`{word}` occurs twice"));
                    }
                    p.advance()?;
                }
                // An unknown dimension of an older notation has no meaning here.
                Token::Int(_) => spatial.push((p.int()?, position, item_at)),
                _ => return p.expected(&format!("`{}`, `{}` or a spatial dimension", letters[0], letters[1])),
            }
            position += 1;
            Ok(())
        })?;
        let [Some(first), Some(second)] = lettered else {
            return self.error_at(at, format!("`{}` and `{}` must both occur", letters[0], letters[1]));
        };
        spatial.sort_unstable();
        for (i, &(dim, _, item_at)) in spatial.iter().enumerate() {
            if dim != i as i64 {
                return self.error_at(item_at, format!("expected each spatial dimension from 0 once, found {dim}"));
            }
        }
        Ok((spatial.iter().map(|&(_, position, _)| position).collect(), [first, second]))
    }

    /// The struct form that can also express impossible numbers.
    fn raw_conv_numbers(&mut self) -> Result<Attr> {
        let mut numbers = ConvDimensionNumbers {
            input_batch_dimension: 0,
            input_feature_dimension: 0,
            input_spatial_dimensions: Box::default(),
            kernel_input_feature_dimension: 0,
            kernel_output_feature_dimension: 0,
            kernel_spatial_dimensions: Box::default(),
            output_batch_dimension: 0,
            output_feature_dimension: 0,
            output_spatial_dimensions: Box::default(),
        };
        self.rest_of_list(">", |p| {
            let at = p.start;
            let name = p.word("the name of a field")?;
            p.expect("=")?;
            match name {
                "input_batch_dimension" => numbers.input_batch_dimension = p.int()?,
                "input_feature_dimension" => numbers.input_feature_dimension = p.int()?,
                "input_spatial_dimensions" => numbers.input_spatial_dimensions = p.ints()?.into(),
                "kernel_input_feature_dimension" => numbers.kernel_input_feature_dimension = p.int()?,
                "kernel_output_feature_dimension" => numbers.kernel_output_feature_dimension = p.int()?,
                "kernel_spatial_dimensions" => numbers.kernel_spatial_dimensions = p.ints()?.into(),
                "output_batch_dimension" => numbers.output_batch_dimension = p.int()?,
                "output_feature_dimension" => numbers.output_feature_dimension = p.int()?,
                "output_spatial_dimensions" => numbers.output_spatial_dimensions = p.ints()?.into(),
                _ => return p.error_at(at, format!("this attribute has no field `{name}`")),
            }
            Ok(())
        })?;
        Ok(Attr::ConvDimensionNumbers(Box::new(numbers)))
    }

    fn gather_numbers(&mut self) -> Result<Attr> {
        let mut numbers = GatherDimensionNumbers {
            offset_dims: Box::default(),
            collapsed_slice_dims: Box::default(),
            operand_batching_dims: Box::default(),
            start_indices_batching_dims: Box::default(),
            start_index_map: Box::default(),
            index_vector_dim: 0,
        };
        self.fields(|p, field| {
            let slot = match field {
                "offset_dims" => &mut numbers.offset_dims,
                "collapsed_slice_dims" => &mut numbers.collapsed_slice_dims,
                "operand_batching_dims" => &mut numbers.operand_batching_dims,
                "start_indices_batching_dims" => &mut numbers.start_indices_batching_dims,
                "start_index_map" => &mut numbers.start_index_map,
                "index_vector_dim" => {
                    numbers.index_vector_dim = p.int()?;
                    return Ok(true);
                }
                _ => return Ok(false),
            };
            *slot = p.ints()?.into();
            Ok(true)
        })?;
        Ok(Attr::GatherDimensionNumbers(Box::new(numbers)))
    }

    fn ragged_dot_numbers(&mut self) -> Result<Attr> {
        let mut numbers = RaggedDotDimensionNumbers {
            lhs_batching_dimensions: Box::default(),
            rhs_batching_dimensions: Box::default(),
            lhs_contracting_dimensions: Box::default(),
            rhs_contracting_dimensions: Box::default(),
            lhs_ragged_dimensions: Box::default(),
            rhs_group_dimensions: Box::default(),
        };
        self.fields(|p, field| {
            let slot = match field {
                "lhs_batching_dimensions" => &mut numbers.lhs_batching_dimensions,
                "rhs_batching_dimensions" => &mut numbers.rhs_batching_dimensions,
                "lhs_contracting_dimensions" => &mut numbers.lhs_contracting_dimensions,
                "rhs_contracting_dimensions" => &mut numbers.rhs_contracting_dimensions,
                "lhs_ragged_dimensions" => &mut numbers.lhs_ragged_dimensions,
                "rhs_group_dimensions" => &mut numbers.rhs_group_dimensions,
                _ => return Ok(false),
            };
            *slot = p.ints()?.into();
            Ok(true)
        })?;
        Ok(Attr::RaggedDotDimensionNumbers(Box::new(numbers)))
    }

    fn scatter_numbers(&mut self) -> Result<Attr> {
        let mut numbers = ScatterDimensionNumbers {
            update_window_dims: Box::default(),
            inserted_window_dims: Box::default(),
            input_batching_dims: Box::default(),
            scatter_indices_batching_dims: Box::default(),
            scatter_dims_to_operand_dims: Box::default(),
            index_vector_dim: 0,
        };
        self.fields(|p, field| {
            let slot = match field {
                "update_window_dims" => &mut numbers.update_window_dims,
                "inserted_window_dims" => &mut numbers.inserted_window_dims,
                "input_batching_dims" => &mut numbers.input_batching_dims,
                "scatter_indices_batching_dims" => &mut numbers.scatter_indices_batching_dims,
                "scatter_dims_to_operand_dims" => &mut numbers.scatter_dims_to_operand_dims,
                "index_vector_dim" => {
                    numbers.index_vector_dim = p.int()?;
                    return Ok(true);
                }
                _ => return Ok(false),
            };
            *slot = p.ints()?.into();
            Ok(true)
        })?;
        Ok(Attr::ScatterDimensionNumbers(Box::new(numbers)))
    }

    fn replica_group_mesh_axes(&mut self) -> Result<Attr> {
        let at = self.start;
        let (mut mesh, mut axes) = (None, Vec::new());
        self.fields(|p, field| {
            match field {
                "mesh" => {
                    let mesh_at = p.start;
                    mesh = Some(if matches!(p.token, Token::Symbol(_)) {
                        MeshRef::Symbol(p.symbol()?)
                    } else {
                        let attr = p.attr()?;
                        match p.module.attr(attr) {
                            Attr::Mesh(mesh) => MeshRef::Inline((**mesh).clone()),
                            _ => return p.error_at(mesh_at, "expected a mesh or the symbol of one"),
                        }
                    });
                }
                "axes" => {
                    axes = p.list("[", "]", |p| {
                        let axis_at = p.start;
                        let attr = p.attr()?;
                        match p.module.attr(attr) {
                            Attr::AxisRef(axis) => Ok(*axis),
                            _ => p.error_at(axis_at, "expected `#stablehlo.axis_ref<...>`"),
                        }
                    })?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let Some(mesh) = mesh else { return self.error_at(at, "the field `mesh` is missing") };
        Ok(Attr::ReplicaGroupMeshAxes(Box::new(ReplicaGroupMeshAxes { mesh, axes: axes.into() })))
    }

    fn stablehlo_mesh(&mut self) -> Result<Mesh> {
        let mut mesh = Mesh { axes: Box::default(), device_ids: None };
        self.fields(|p, field| {
            match field {
                "axes" => {
                    mesh.axes = p
                        .list("[", "]", |p| {
                            // The prefix may be left out.
                            if matches!(p.token, Token::Hash("stablehlo.mesh_axis")) {
                                p.advance()?;
                            }
                            p.mesh_axis_struct()
                        })?
                        .into();
                }
                "device_ids" => mesh.device_ids = Some(p.attr()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(mesh)
    }

    fn mesh_axis_struct(&mut self) -> Result<MeshAxis> {
        let at = self.start;
        let (mut name, mut size) = (None, None);
        self.fields(|p, field| {
            match field {
                "name" => name = Some(p.string()?),
                "size" => size = Some(p.int()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match (name, size) {
            (Some(name), Some(size)) => Ok(MeshAxis { name, size }),
            _ => self.error_at(at, "a mesh axis has a name and a size"),
        }
    }

    fn axis_ref_struct(&mut self) -> Result<AxisRef> {
        let at = self.start;
        let (mut name, mut sub_axis) = (None, None);
        self.fields(|p, field| {
            match field {
                "name" => name = Some(p.string()?),
                "sub_axis_info" => {
                    if matches!(p.token, Token::Hash("stablehlo.sub_axis_info")) {
                        p.advance()?;
                    }
                    sub_axis = Some(p.sub_axis()?);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match name {
            Some(name) => Ok(AxisRef { name, sub_axis }),
            None => self.error_at(at, "an axis reference has a name"),
        }
    }

    /// `(pre_size)size`.
    pub(super) fn sub_axis(&mut self) -> Result<SubAxisInfo> {
        self.expect("(")?;
        let pre_size = self.int()?;
        self.expect(")")?;
        Ok(SubAxisInfo { pre_size, size: self.int()? })
    }
}

/// An enumeration with spellings.
pub(super) trait Enumerator: Copy + 'static {
    /// As it stands in text.
    fn spelling(self) -> &'static str;
}

macro_rules! enumerators {
    ($($name:ident)*) => {$(
        impl Enumerator for $name {
            fn spelling(self) -> &'static str {
                self.text()
            }
        }
    )*};
}
enumerators!(ComparisonDirection ComparisonType Precision FftType Transpose RngAlgorithm RngDistribution
             ResultAccuracyMode);
