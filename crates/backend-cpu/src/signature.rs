//! What the `main` of a program says about its arguments and results: shapes, donation, memory kinds, layouts,
//! shardings.

use crate::device::MEMORY_KINDS;
use crate::layout::{self, Arrangement};
use crate::sharding::{self, Tiling};
use pjrt_wrapper::client_trait::{ElementType, Layout, Result, Shape, Status};
use stablehlo::ir::{Attr, Module, NamedAttr, Type, TypeId};

/// Facts about arguments and results.
#[derive(Debug)]
pub(crate) struct Signature {
    /// The name of the program.
    pub(crate) name: String,
    /// Shapes of the arguments that one device passes.
    pub(crate) parameters: Vec<Shape>,
    /// Shapes of the results that one device gets.
    pub(crate) outputs: Vec<Shape>,
    /// How arguments and results are spread, for a program over several devices.
    pub(crate) spread: Option<Spread>,
    /// Arguments whose storage the program may take, ascending.
    pub(crate) donated: Vec<usize>,
    /// Memory kind of each argument, an index into [`MEMORY_KINDS`].
    pub(crate) parameter_kinds: Vec<usize>,
    /// Memory kind of each result.
    pub(crate) output_kinds: Vec<usize>,
    /// Layout of each argument; `None` is row-major.
    pub(crate) parameter_layouts: Vec<Option<Layout>>,
    /// Layout of each result.
    pub(crate) output_layouts: Vec<Option<Layout>>,
}

/// Arguments and results of a program over several devices: the shape of the whole array, and its blocks.
#[derive(Debug)]
pub(crate) struct Spread {
    /// One for each argument.
    pub(crate) parameters: Vec<(Shape, Tiling)>,
    /// One for each result.
    pub(crate) outputs: Vec<(Shape, Tiling)>,
}

impl Signature {
    /// Reads the function `main` of a program for so many devices.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when there is none; UNIMPLEMENTED for types, layouts, memory kinds and shardings that arrays
    /// here cannot have.
    pub(crate) fn of(module: &Module, devices: usize) -> Result<Signature> {
        let main = module.function("main");
        let main = main.ok_or_else(|| Status::invalid_argument("the program has no function main"))?;
        let inputs = main.input_types().len();
        let outputs = main.result_types().len();
        let shapes = |types: &[TypeId]| types.iter().map(|&ty| shape(module, ty)).collect::<Result<Vec<_>>>();
        let kind = |what, index, attributes| memory_kind(module, attributes, &format!("{what} {index} of main"));
        let donated = |index: &usize| {
            main.arg_attr(*index, "tf.aliasing_output").is_some()
                || matches!(main.arg_attr(*index, "jax.buffer_donor"), Some(Attr::Bool(true)))
        };
        let (mut parameters, mut results) = (shapes(main.input_types())?, shapes(main.result_types())?);
        let spread = if devices == 1 {
            None
        } else {
            let arguments = sharding::of_arguments(module, main, &parameters, devices)?;
            let outputs = sharding::of_results(module, main, &results, devices)?;
            let spread = Spread {
                parameters: parameters.iter().cloned().zip(arguments).collect(),
                outputs: results.iter().cloned().zip(outputs).collect(),
            };
            let blocks = |values: &[(Shape, Tiling)]| {
                values.iter().map(|(shape, tiling)| tiling.block_shape(shape)).collect::<Result<Vec<_>>>()
            };
            (parameters, results) = (blocks(&spread.parameters)?, blocks(&spread.outputs)?);
            Some(spread)
        };
        let layout = |what, index, attributes, shape: &Shape| {
            let place = || format!("{what} {index} of main");
            let layout = wanted_layout(module, attributes, shape, place)?;
            match layout {
                Some(layout) if devices > 1 => Err(Status::unimplemented(format!(
                    "{}: layout {layout} in a program over {devices} devices; leave the layout to the compiler, or \
                     transpose",
                    place()
                ))),
                layout => Ok(layout),
            }
        };
        let parameter_layouts = parameters.iter().enumerate().map(|(i, s)| layout("argument", i, main.arg_attrs(i), s));
        let output_layouts = results.iter().enumerate().map(|(i, s)| layout("result", i, main.result_attrs(i), s));
        Ok(Signature {
            parameter_layouts: parameter_layouts.collect::<Result<_>>()?,
            output_layouts: output_layouts.collect::<Result<_>>()?,
            name: name(module),
            parameters,
            outputs: results,
            spread,
            donated: (0..inputs).filter(donated).collect(),
            parameter_kinds: (0..inputs)
                .map(|index| kind("argument", index, main.arg_attrs(index)))
                .collect::<Result<_>>()?,
            output_kinds: (0..outputs)
                .map(|index| kind("result", index, main.result_attrs(index)))
                .collect::<Result<_>>()?,
        })
    }
}

fn name(module: &Module) -> String {
    match module.op(module.root()).attr("sym_name") {
        Some(Attr::String(text)) => module.str(*text).to_owned(),
        _ => "main".to_owned(),
    }
}

fn shape(module: &Module, ty: TypeId) -> Result<Shape> {
    let refused = || {
        let text = module.type_text(ty);
        Status::unimplemented(format!("{text} in the signature of main: arrays of static shape only"))
    };
    match module.ty(ty) {
        Type::Token => Shape::new(ElementType::Token, []),
        Type::Tensor(tensor) if tensor.is_static() => {
            let element = tensor.element_type().and_then(|element| ElementType::from_mlir_text(element.text()));
            Shape::new(element.ok_or_else(refused)?, &*tensor.dims)
        }
        _ => Err(refused()),
    }
}

/// The memory kind that the attributes of an argument or result ask for.
fn memory_kind(module: &Module, attributes: &[NamedAttr], place: &str) -> Result<usize> {
    let mut kind = 0;
    for &named in attributes {
        let Attr::String(text) = module.attr(named.value) else { continue };
        let (name, wish) = (module.attr_name(named), module.str(*text));
        if name == "mhlo.memory_kind" {
            let known = MEMORY_KINDS.iter().position(|&(kind, _)| kind == wish);
            kind = known.ok_or_else(|| {
                let kinds = MEMORY_KINDS.map(|(kind, _)| kind).join(", ");
                Status::invalid_argument(format!("{place}: memory kind {wish:?}; devices here have {kinds}"))
            })?;
        }
    }
    Ok(kind)
}

/// The layout that the attributes of an argument or result ask for, if it is not row-major.
fn wanted_layout(
    module: &Module,
    attributes: &[NamedAttr],
    shape: &Shape,
    place: impl Fn() -> String,
) -> Result<Option<Layout>> {
    for &named in attributes {
        let Attr::String(text) = module.attr(named.value) else { continue };
        if module.attr_name(named) == "mhlo.layout_mode" {
            let layout = layout::parse(module.str(*text)).map_err(|error| error.context(place()))?;
            Arrangement::of(shape, layout.as_ref()).map_err(|error| error.context(place()))?;
            return Ok(layout.filter(|layout| !layout.is_row_major()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(text: &str) -> Result<Signature> {
        Signature::of(&stablehlo::read_program(text.as_bytes()).expect("a program"), 1)
    }

    #[test]
    fn attributes_of_arguments_and_results_are_read() {
        let signature = signature(
            r#"module @jit_f {
              func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32},
                  %b: tensor<i64> {mhlo.memory_kind = "pinned_host"}, %c: tensor<3xi1> {jax.buffer_donor = true})
                  -> (tensor<2xf32> {mhlo.layout_mode = "default"}, tensor<3xi1> {mhlo.layout_mode = "{0}"}) {
                return %a, %c : tensor<2xf32>, tensor<3xi1>
              }
            }"#,
        )
        .unwrap();
        assert_eq!((signature.name.as_str(), &signature.donated[..]), ("jit_f", &[0, 2][..]));
        assert_eq!((signature.parameter_kinds, signature.output_kinds), (vec![0, 1, 0], vec![0, 0]));
        assert_eq!(signature.outputs[1].to_string(), "pred[3]");
    }

    #[test]
    fn wishes_that_cannot_be_fulfilled_are_refused() {
        let with = |attribute: &str| {
            signature(&format!(
                "func.func @main(%a: tensor<2x3xf32> {{{attribute}}}) -> tensor<2x3xf32> {{ return %a : tensor<2x3xf32> }}"
            ))
        };
        let error = with("mhlo.layout_mode = \"{0,1:T(8,128)}\"").unwrap_err();
        assert!(error.message.contains("argument 0 of main") && error.message.contains("{0,1:T(8,128)}"), "{error}");
        assert!(with("mhlo.layout_mode = \"{0}\"").is_err());
        let layouts = with("mhlo.layout_mode = \"{0,1}\"").unwrap().parameter_layouts;
        assert_eq!(layouts[0].as_ref().map(Layout::to_string).as_deref(), Some("{0,1}"));
        let error = with("mhlo.memory_kind = \"moon\"").unwrap_err();
        assert!(error.message.contains("device, pinned_host, unpinned_host"), "{error}");
        assert!(signature("func.func @main(%a: tensor<?xf32>) { return }").is_err());
    }
}
