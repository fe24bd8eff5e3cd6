//! Elements narrower than a byte: packed for handlers, in whole bytes everywhere else in this backend.

use pjrt_wrapper::client_trait::Result;
use std::borrow::Cow;
use xla_ffi::{BufferSpec, CallSite};

/// Calls `call` with the arrays as handlers of `site` see them.
pub(super) fn around(
    site: &CallSite,
    arguments: &[&[u8]],
    results: &mut [&mut [u8]],
    call: impl FnOnce(&[&[u8]], &mut [&mut [u8]]) -> Result<()>,
) -> Result<()> {
    let packs = |spec: &BufferSpec| spec.packed_bits().is_some();
    if !site.arguments().iter().chain(site.results()).any(packs) {
        return call(arguments, results);
    }
    let packed = arguments.iter().zip(site.arguments()).map(|(bytes, spec)| match spec.packed_bits() {
        Some(bits) => Cow::Owned(pack(bytes, bits)),
        None => Cow::Borrowed(*bytes),
    });
    let packed: Vec<Cow<'_, [u8]>> = packed.collect();
    let packed: Vec<&[u8]> = packed.iter().map(|bytes| &**bytes).collect();
    let mut rooms = Vec::with_capacity(results.len());
    for spec in site.results() {
        rooms.push(if packs(spec) { Some(vec![0; spec.byte_len()?]) } else { None });
    }
    let mut seen: Vec<&mut [u8]> = Vec::with_capacity(results.len());
    for (room, result) in rooms.iter_mut().zip(results.iter_mut()) {
        seen.push(match room {
            Some(room) => room,
            None => result,
        });
    }
    call(&packed, &mut seen)?;
    for ((room, result), spec) in rooms.iter().zip(results.iter_mut()).zip(site.results()) {
        if let (Some(room), Some(bits)) = (room, spec.packed_bits()) {
            unpack(room, result, bits, spec.element_type.text().starts_with('s'));
        }
    }
    Ok(())
}

/// The low `bits` of each byte, side by side, the first in the lowest place.
fn pack(bytes: &[u8], bits: usize) -> Vec<u8> {
    let mask = (1u8 << bits) - 1;
    let byte = |group: &[u8]| group.iter().rev().fold(0, |byte, element| byte << bits | (element & mask));
    bytes.chunks(8 / bits).map(byte).collect()
}

/// Undoes [`pack`]; signed elements fill their bytes.
fn unpack(packed: &[u8], bytes: &mut [u8], bits: usize, signed: bool) {
    let (mask, spare) = ((1u8 << bits) - 1, 8 - bits);
    for (group, &byte) in bytes.chunks_mut(8 / bits).zip(packed) {
        for (place, element) in group.iter_mut().enumerate() {
            let value = byte >> (place * bits) & mask;
            *element = if signed { ((value << spare) as i8 >> spare) as u8 } else { value };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        let four = [0xf9, 7, 0, 0xf8, 3];
        assert_eq!(pack(&four, 4), [0x79, 0x80, 0x03]);
        let mut back = [0; 5];
        unpack(&pack(&four, 4), &mut back, 4, true);
        assert_eq!(back, four);
        let two = [3, 0, 1, 2, 1];
        assert_eq!(pack(&two, 2), [0b1001_0011, 1]);
        let mut back = [0; 5];
        unpack(&pack(&two, 2), &mut back, 2, false);
        assert_eq!(back, two);
    }
}
