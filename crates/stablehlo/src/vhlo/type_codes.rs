//! VHLO types, by their code in the bytecode.

use crate::ElementType;
use crate::bytecode::{Decoder, Result};
use crate::ir::{Attr, Element, OtherFloat, TensorType, Type};

/// Decodes the type entry at the decoder's cursor.
pub(crate) fn decode_type(d: &mut Decoder<'_, '_>) -> Result<Type> {
    let code = d.cursor.varint()?;
    let scalar = match code {
        0 => ElementType::Bool,
        2 => ElementType::BF16,
        3 => ElementType::F16,
        4 => ElementType::F32,
        5 => ElementType::F64,
        6 => ElementType::F8E4M3FN,
        7 => ElementType::F8E5M2,
        10 => ElementType::I4,
        11 => ElementType::I8,
        12 => ElementType::I16,
        13 => ElementType::I32,
        14 => ElementType::I64,
        15 => ElementType::U4,
        16 => ElementType::U8,
        17 => ElementType::U16,
        18 => ElementType::U32,
        19 => ElementType::U64,
        27 => ElementType::F8E4M3FNUZ,
        28 => ElementType::F8E5M2FNUZ,
        29 => ElementType::F8E4M3B11FNUZ,
        31 => ElementType::I2,
        32 => ElementType::U2,
        35 => ElementType::F8E4M3,
        36 => ElementType::F8E3M4,
        37 => ElementType::F4E2M1FN,
        38 => ElementType::F6E2M3FN,
        39 => ElementType::F6E3M2FN,
        40 => ElementType::F8E8M0FNU,
        _ => return decode_compound(d, code),
    };
    Ok(Type::Scalar(scalar))
}

fn decode_compound(d: &mut Decoder<'_, '_>, code: u64) -> Result<Type> {
    Ok(match code {
        1 => {
            let element = d.ty()?;
            d.complex(element)
        }
        8 => Type::Function { inputs: d.list(Decoder::ty)?, results: d.list(Decoder::ty)? },
        9 => Type::Index,
        20 => Type::Tensor(TensorType { dims: d.shape()?, element: d.element()?, encoding: None }),
        21 => {
            let mark = d.mark();
            let encoding = d.attr()?;
            if !d.is_incomplete(mark) && !matches!(d.tables.module.attr(encoding), Attr::TypeExtensions(_)) {
                return d.cursor.error("the encoding of a tensor type is no type_extensions");
            }
            Type::Tensor(TensorType { dims: d.shape()?, element: d.element()?, encoding: Some(encoding) })
        }
        22 => Type::Token,
        23 => Type::Tuple(d.list(Decoder::ty)?),
        24 => d.quantized_type()?,
        25 => Type::UnrankedTensor(d.element()?),
        26 => Type::Witness,
        30 => d.quantized_per_axis_type()?,
        33 => Type::None,
        34 => Type::Float(OtherFloat::Tf32),
        41 => {
            let dims = d.shape()?;
            let element: Element = d.element()?;
            Type::MemRef { dims, element, layout: None, memory_space: None }
        }
        42 => Type::Future(d.list(Decoder::ty)?),
        _ => {
            let newest = super::CURRENT_VERSION;
            return d.cursor.error(format!("VHLO type code {code} is not known up to StableHLO {newest}"));
        }
    })
}
