//! VHLO types, by their code in the bytecode.

use crate::ElementType;
use crate::bytecode::{Decoder, Result};
use crate::ir::{Attr, Element, OtherFloat, QuantizationParameters, QuantizedType, TensorType, Type};

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
        24 => {
            let (flags, storage, expressed) = quantized_head(d)?;
            let parameters = QuantizationParameters::PerTensor {
                scale: d.cursor.small_ap_int(64)?,
                zero_point: d.cursor.signed_varint()?,
            };
            let (storage_min, storage_max) = (d.cursor.signed_varint()?, d.cursor.signed_varint()?);
            Type::Quantized(QuantizedType { flags, storage, expressed, storage_min, storage_max, parameters })
        }
        25 => Type::UnrankedTensor(d.element()?),
        26 => Type::Witness,
        30 => {
            let (flags, storage, expressed) = quantized_head(d)?;
            let axis = d.cursor.varint()? as i64;
            let (storage_min, storage_max) = (d.cursor.signed_varint()?, d.cursor.signed_varint()?);
            let scales = d.list(|d| d.cursor.small_ap_int(64))?;
            let zero_points = d.list(|d| d.cursor.signed_varint())?;
            if scales.len() != zero_points.len() {
                return d.cursor.error("a quantized type has other numbers of scales and zero points");
            }
            let parameters = QuantizationParameters::PerAxis { axis, scales, zero_points };
            Type::Quantized(QuantizedType { flags, storage, expressed, storage_min, storage_max, parameters })
        }
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

fn quantized_head(d: &mut Decoder<'_, '_>) -> Result<(u32, crate::ir::TypeId, crate::ir::TypeId)> {
    let flags = d.cursor.varint()?;
    match u32::try_from(flags) {
        Ok(flags) => Ok((flags, d.ty()?, d.ty()?)),
        Err(_) => d.cursor.error(format!("a quantized type has flags {flags}")),
    }
}
