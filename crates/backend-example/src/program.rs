//! From programs to what the framework wants to know of them: shapes and donated arguments.

use pjrt_wrapper::client_trait::{ElementType, Result, Shape, Status};
use stablehlo::eval::{Tensor, Value};
use stablehlo::ir::{Attr, Function, Module, Type};

/// The program's name for an element type.
pub(crate) fn to_stablehlo(element_type: ElementType) -> Result<stablehlo::ElementType> {
    let unknown = || Status::unimplemented(format!("arrays of {element_type}: programs have no such element type"));
    stablehlo::ElementType::from_text(element_type.mlir_text()).ok_or_else(unknown)
}

/// The name of a program.
pub(crate) fn name(module: &Module) -> String {
    match module.op(module.root()).attr("sym_name") {
        Some(Attr::String(text)) => module.str(*text).to_owned(),
        _ => "main".to_owned(),
    }
}

/// The function that a program starts with.
pub(crate) fn main(module: &Module) -> Result<Function<'_>> {
    module.function("main").ok_or_else(|| Status::invalid_argument("the program has no function main"))
}

/// The shapes of arguments and results.
pub(crate) fn signature(main: Function<'_>) -> Result<(Vec<Shape>, Vec<Shape>)> {
    let module = main.op().module();
    let shape = |ty: &stablehlo::ir::TypeId| match module.ty(*ty) {
        Type::Token => Shape::new(ElementType::Token, []),
        Type::Tensor(tensor) => match tensor.element_type() {
            Some(element) if tensor.is_static() => {
                let known = ElementType::from_mlir_text(element.text());
                Shape::new(known.ok_or_else(|| refused(main, *ty))?, &*tensor.dims)
            }
            _ => Err(refused(main, *ty)),
        },
        _ => Err(refused(main, *ty)),
    };
    let parameters: Result<Vec<Shape>> = main.input_types().iter().map(shape).collect();
    Ok((parameters?, main.result_types().iter().map(shape).collect::<Result<_>>()?))
}

fn refused(main: Function<'_>, ty: stablehlo::ir::TypeId) -> Status {
    let module = main.op().module();
    Status::unimplemented(format!("{} in the signature of main: arrays of static shape only", module.type_text(ty)))
}

/// The arguments whose storage the program may take, as JAX marks them.
pub(crate) fn donated_parameters(main: Function<'_>) -> Vec<usize> {
    let marked = |index: usize| {
        main.arg_attr(index, "tf.aliasing_output").is_some()
            || matches!(main.arg_attr(index, "jax.buffer_donor"), Some(Attr::Bool(true)))
    };
    (0..main.input_types().len()).filter(|&index| marked(index)).collect()
}

/// Refuses wishes about memories and layouts that this device cannot fulfil.
pub(crate) fn check_placement(main: Function<'_>) -> Result<()> {
    let module = main.op().module();
    let arguments = (0..main.input_types().len()).map(|index| ("argument", index, main.arg_attrs(index)));
    let results = (0..main.result_types().len()).map(|index| ("result", index, main.result_attrs(index)));
    for (what, index, attributes) in arguments.chain(results) {
        for &named in attributes {
            let Attr::String(text) = module.attr(named.value) else { continue };
            let (name, wish) = (module.attr_name(named), module.str(*text));
            let fulfilled = match name {
                "mhlo.memory_kind" => wish == "device",
                "mhlo.layout_mode" => matches!(wish, "default" | "auto"),
                _ => true,
            };
            if !fulfilled {
                return Err(Status::unimplemented(format!("{name} = {wish:?} on {what} {index} of main")));
            }
        }
    }
    Ok(())
}

/// A result of the evaluator as the device stores it; a token carries no data.
pub(crate) fn into_tensor(value: Value) -> Result<Tensor> {
    match value {
        Value::Token => Ok(Tensor::zeros(stablehlo::ElementType::Bool, &[0])),
        value => value.into_tensor().map_err(|error| Status::internal(error.to_string())),
    }
}
