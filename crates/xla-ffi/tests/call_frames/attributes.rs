//! Attributes as handlers find them: sorted, typed, nested.

use crate::guest::*;
use pjrt_client_trait::{ElementType, Result};
use std::sync::Arc;
use xla_ffi::{Array, Attr, Attrs, RunContext, sys};

type Kind = sys::XLA_FFI_AttrType;

/// Finds an attribute by bisection, as C++ handlers do.
fn find<'a>(attrs: &'a sys::XLA_FFI_Attrs, name: &str) -> Option<(Kind, &'a ())> {
    let name_at = |index: usize| {
        // SAFETY: there are `size` names, each valid.
        unsafe {
            let span = &**attrs.names.add(index);
            std::slice::from_raw_parts(span.ptr.cast::<u8>(), span.len)
        }
    };
    let indices: Vec<usize> = (0..attrs.size as usize).collect();
    let index = indices.binary_search_by(|&index| name_at(index).cmp(name.as_bytes())).ok()?;
    // SAFETY: there are `size` types and attributes, each valid.
    Some(unsafe { (*attrs.types.add(index), &*(*attrs.attrs.add(index)).cast()) })
}

fn scalar(attrs: &sys::XLA_FFI_Attrs, name: &str) -> Option<(u32, [u8; 16], usize)> {
    let (Kind::SCALAR, found) = find(attrs, name)? else { return None };
    // SAFETY: a scalar, as its kind says; its memory is a multiple of 16 bytes.
    let scalar = unsafe { &*(&raw const *found).cast::<sys::XLA_FFI_Scalar>() };
    // SAFETY: as above.
    Some((scalar.dtype.0, unsafe { *scalar.value.cast::<[u8; 16]>() }, scalar.value.addr() % 16))
}

fn padded(bytes: &[u8]) -> [u8; 16] {
    let mut padded = [0; 16];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

handler!(looks, 5, |frame| {
    let attrs = &frame.attrs;
    ensure!(frame, attrs.size == 7);
    ensure!(frame, scalar(attrs, "uplo") == Some((6, padded(&[76]), 0)));
    ensure!(frame, scalar(attrs, "Z") == Some((12, padded(&1.5f64.to_ne_bytes()), 0)));
    ensure!(frame, scalar(attrs, "flag") == Some((1, padded(&[1]), 0)));
    ensure!(frame, scalar(attrs, "missing").is_none());
    let Some((Kind::STRING, text)) = find(attrs, "text") else {
        return error(frame, sys::XLA_FFI_Error_Code(9), "text");
    };
    // SAFETY: a string, as its kind says.
    let span = unsafe { &*(&raw const *text).cast::<sys::XLA_FFI_ByteSpan>() };
    // SAFETY: `len` bytes.
    ensure!(frame, unsafe { std::slice::from_raw_parts(span.ptr.cast::<u8>(), span.len) } == "zwölf\0".as_bytes());
    let Some((Kind::ARRAY, array)) = find(attrs, "array") else {
        return error(frame, sys::XLA_FFI_Error_Code(9), "array");
    };
    // SAFETY: an array, as its kind says.
    let array = unsafe { &*(&raw const *array).cast::<sys::XLA_FFI_Array>() };
    ensure!(frame, (array.dtype, array.size) == (sys::XLA_FFI_DataType::S64, 3));
    // SAFETY: three numbers of 64 bits.
    ensure!(frame, unsafe { std::slice::from_raw_parts(array.data.cast::<i64>(), 3) } == [1, -2, 3]);
    let Some((Kind::ARRAY, empty)) = find(attrs, "empty") else {
        return error(frame, sys::XLA_FFI_Error_Code(9), "empty");
    };
    // SAFETY: an array, as its kind says.
    ensure!(frame, unsafe { &*(&raw const *empty).cast::<sys::XLA_FFI_Array>() }.size == 0);
    let Some((Kind::DICTIONARY, nested)) = find(attrs, "dict") else {
        return error(frame, sys::XLA_FFI_Error_Code(9), "dict");
    };
    // SAFETY: a dictionary, as its kind says.
    let nested = unsafe { &*(&raw const *nested).cast::<sys::XLA_FFI_Attrs>() };
    ensure!(frame, nested.size == 2);
    ensure!(frame, scalar(nested, "a") == Some((2, padded(&[255]), 0)));
    ensure!(frame, scalar(nested, "b") == Some((11, padded(&2.5f32.to_ne_bytes()), 0)));
    success()
});

fn named(name: &str, attr: impl Into<Attr>) -> (String, Attr) {
    (name.to_owned(), attr.into())
}

#[test]
fn handlers_find_attributes_of_every_kind() -> Result<()> {
    let attrs = Attrs::new([
        named("uplo", 76u8),
        named("text", "zwölf\0"),
        named("flag", true),
        named("dict", Attr::Dictionary(vec![named("b", 2.5f32), named("a", -1i8)])),
        named("array", &[1i64, -2, 3][..]),
        named("empty", Attr::Array(Array::new(ElementType::F32, vec![])?)),
        named("Z", 1.5f64),
    ])?;
    site(bundle(looks), &[], &[], attrs)?.execute(&[], &mut [], &RunContext::default())
}

handler!(looks_at_options, 5, |frame| {
    let mut options = args::<sys::XLA_FFI_CustomOptions_Get_Args>();
    options.ctx = frame.ctx;
    let error = call!(frame, XLA_FFI_CustomOptions_Get, &raw mut options);
    ensure!(frame, error.is_null());
    // SAFETY: the host's options live as long as the call.
    let options = unsafe { &*options.attrs };
    ensure!(frame, options.struct_size == sys::XLA_FFI_Attrs::STRUCT_SIZE);
    match options.size {
        0 => error_with_size(frame, 0),
        _ => {
            ensure!(frame, scalar(options, "seed") == Some((5, padded(&7i64.to_ne_bytes()), 0)));
            success()
        }
    }
});

fn error_with_size(frame: Frame<'_>, size: i64) -> Error {
    error(frame, sys::XLA_FFI_Error_Code::OUT_OF_RANGE, &format!("{size} options"))
}

#[test]
fn executions_have_options_of_their_own() -> Result<()> {
    let options = Some(Arc::new(Attrs::new([named("seed", 7i64)])?));
    run(looks_at_options, &RunContext { custom_options: options, ..RunContext::default() })?;
    assert_eq!(run(looks_at_options, &RunContext::default()).unwrap_err().message, "0 options");
    Ok(())
}
