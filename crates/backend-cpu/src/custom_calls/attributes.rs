//! The attributes of a custom call as its handler reads them: the dictionary `backend_config`, or `mhlo.backend_config`
//! where the op has no room for a dictionary.

use cpu_compiler::{Error, Result};
use pjrt_wrapper::client_trait::{ElementType, Status};
use stablehlo::ir::attrs::DenseElements;
use stablehlo::ir::{Attr as Source, Module, NamedAttr, OpRef, Type, TypeId};
use xla_ffi::{Array, Attr, Attrs, Scalar};

/// Where a typed call has its attributes when `backend_config` has no room for them.
pub(super) const TYPED_CONFIG: &str = "mhlo.backend_config";

/// The attributes of one call.
pub(super) fn of(op: OpRef<'_>) -> Result<Attrs> {
    let module = op.module();
    let config = op.attr(TYPED_CONFIG).or_else(|| op.attr("backend_config"));
    let attributes = match config {
        None | Some(Source::Unit) => Vec::new(),
        Some(Source::Dict(entries)) => dictionary(module, entries)?,
        Some(Source::String(text)) if module.str(*text).is_empty() => Vec::new(),
        Some(_) => {
            return Err(Error::unsupported(
                "backend_config of a typed custom call must be a dictionary; texts belong to older versions of the interface",
            ));
        }
    };
    Attrs::new(attributes).map_err(error)
}

fn dictionary(module: &Module, entries: &[NamedAttr]) -> Result<Vec<(String, Attr)>> {
    let named = |&entry: &NamedAttr| {
        let name = module.attr_name(entry);
        let value = attribute(module, module.attr(entry.value));
        let value =
            value.map_err(|error| Error { message: format!("attribute {name:?}: {}", error.message), ..error })?;
        Ok((name.to_owned(), value))
    };
    entries.iter().map(named).collect()
}

fn attribute(module: &Module, attr: &Source) -> Result<Attr> {
    let scalar = |ty: TypeId, bits: u64| {
        let element = element_type(module, ty)?;
        let bytes = bits.to_le_bytes();
        Scalar::new(element, &bytes[..element.byte_width().min(8)]).map(Attr::Scalar).map_err(error)
    };
    Ok(match attr {
        Source::Bool(flag) => Attr::from(*flag),
        Source::Integer { value, ty } => scalar(*ty, *value as u64)?,
        Source::Float { bits, ty } => scalar(*ty, *bits)?,
        Source::String(text) => Attr::from(module.str(*text)),
        Source::Bytes(bytes) => Attr::String(bytes.to_vec()),
        Source::SymbolRef { root, nested } if nested.is_empty() => Attr::from(module.str(*root)),
        Source::Dict(entries) => Attr::Dictionary(dictionary(module, entries)?),
        Source::DenseElements(dense) => elements(module, dense)?,
        Source::DenseArray { element, data } => {
            let element = ElementType::from_mlir_text(element.text());
            let element = element.ok_or_else(|| Error::unsupported("an array of a type that handlers do not have"))?;
            array(element, data.to_vec())?
        }
        // Named by their positions, as XLA hands lists of unlike things to handlers.
        Source::Array(items) => {
            let item = |(index, &item): (usize, &_)| Ok((index.to_string(), attribute(module, module.attr(item))?));
            Attr::Dictionary(items.iter().enumerate().map(item).collect::<Result<_>>()?)
        }
        other => return Err(Error::unsupported(format!("{} attributes cannot be handed to a handler", other.kind()))),
    })
}

/// A dense tensor, flat.
fn elements(module: &Module, dense: &DenseElements) -> Result<Attr> {
    let Type::Tensor(tensor) = module.ty(dense.ty()) else {
        return Err(Error::unsupported(format!("a constant of type {}", module.type_text(dense.ty()))));
    };
    let element = tensor.element_type().and_then(|element| ElementType::from_mlir_text(element.text()));
    let element = element.ok_or_else(|| Error::unsupported("a constant of a type that handlers do not have"))?;
    let count = module.num_elements(dense.ty()).unwrap_or(0);
    let data = if dense.is_splat() { dense.data().repeat(count) } else { dense.data().to_vec() };
    array(element, data)
}

fn array(element: ElementType, data: Vec<u8>) -> Result<Attr> {
    Array::new(element, data).map(Attr::Array).map_err(error)
}

fn element_type(module: &Module, ty: TypeId) -> Result<ElementType> {
    let unknown = || Error::unsupported(format!("type {} cannot be handed to a handler", module.type_text(ty)));
    match module.ty(ty) {
        // `index` is 64 bits wide in handlers.
        Type::Index => Ok(ElementType::S64),
        _ => ElementType::from_mlir_text(&module.type_text(ty)).ok_or_else(unknown),
    }
}

fn error(status: Status) -> Error {
    Error::unsupported(status.message)
}
