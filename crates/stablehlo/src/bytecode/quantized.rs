//! Quantized types: of the dialect quant, and in VHLO, which writes them the same way under codes of its own.

use super::error::Result;
use super::tables::Decoder;
use crate::ir::{QuantizationParameters, QuantizedType, Type, TypeId};

impl Decoder<'_, '_> {
    /// A type of the dialect quant; those that only calibration makes are in no program.
    pub(super) fn quant_type(&mut self) -> Result<Type> {
        match self.cursor.varint()? {
            4 => self.quantized_type(),
            5 => self.quantized_per_axis_type(),
            code => self.cursor.error(format!("quant type code {code} is not known")),
        }
    }

    /// One scale and one zero point.
    pub(crate) fn quantized_type(&mut self) -> Result<Type> {
        let (flags, storage, expressed) = self.quantized_head()?;
        let parameters = QuantizationParameters::PerTensor {
            scale: self.cursor.small_ap_int(64)?,
            zero_point: self.cursor.signed_varint()?,
        };
        let (storage_min, storage_max) = (self.cursor.signed_varint()?, self.cursor.signed_varint()?);
        Ok(Type::Quantized(QuantizedType { flags, storage, expressed, storage_min, storage_max, parameters }))
    }

    /// A scale and a zero point for each index of a dimension.
    pub(crate) fn quantized_per_axis_type(&mut self) -> Result<Type> {
        let (flags, storage, expressed) = self.quantized_head()?;
        let axis = self.cursor.varint()? as i64;
        let (storage_min, storage_max) = (self.cursor.signed_varint()?, self.cursor.signed_varint()?);
        let scales = self.list(|d| d.cursor.small_ap_int(64))?;
        let zero_points = self.list(|d| d.cursor.signed_varint())?;
        if scales.len() != zero_points.len() {
            return self.cursor.error("a quantized type has other numbers of scales and zero points");
        }
        let parameters = QuantizationParameters::PerAxis { axis, scales, zero_points };
        Ok(Type::Quantized(QuantizedType { flags, storage, expressed, storage_min, storage_max, parameters }))
    }

    fn quantized_head(&mut self) -> Result<(u32, TypeId, TypeId)> {
        let flags = self.cursor.varint()?;
        match u32::try_from(flags) {
            Ok(flags) => Ok((flags, self.ty()?, self.ty()?)),
            Err(_) => self.cursor.error(format!("a quantized type has flags {flags}")),
        }
    }
}
