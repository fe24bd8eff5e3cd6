//! Tensors as `.npy` files.

use std::path::Path;

use stablehlo::ElementType;
use stablehlo::eval::Tensor;

use super::Error;

const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy's name of an element type. Types that NumPy lacks are raw bytes, as `ml_dtypes` saves them.
fn descr(element: ElementType) -> String {
    use ElementType as E;
    match element {
        E::Bool => "|b1".to_owned(),
        E::I8 | E::I4 | E::I2 => "|i1".to_owned(),
        E::U8 | E::U4 | E::U2 => "|u1".to_owned(),
        E::I16 => "<i2".to_owned(),
        E::I32 => "<i4".to_owned(),
        E::I64 => "<i8".to_owned(),
        E::U16 => "<u2".to_owned(),
        E::U32 => "<u4".to_owned(),
        E::U64 => "<u8".to_owned(),
        E::F16 => "<f2".to_owned(),
        E::F32 => "<f4".to_owned(),
        E::F64 => "<f8".to_owned(),
        E::C64 => "<c8".to_owned(),
        E::C128 => "<c16".to_owned(),
        other => format!("|V{}", other.byte_width()),
    }
}

/// Writes a tensor.
pub fn write(path: &Path, tensor: &Tensor) -> Result<(), Error> {
    let sizes: String = tensor.dims().iter().map(|dim| format!("{dim},")).collect();
    let mut header =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({sizes}), }}", descr(tensor.element_type()));
    // The data begins at a multiple of 64, behind a line break.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(u16::try_from(header.len())?.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(tensor.bytes());
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Reads a tensor that must have this element type.
pub fn read(path: &Path, element: ElementType) -> Result<Tensor, Error> {
    let problem = |text: String| -> Error { format!("{}: {text}", path.display()).into() };
    let bytes = std::fs::read(path).map_err(|error| problem(error.to_string()))?;
    parse(&bytes, element).map_err(|error| problem(error.to_string()))
}

fn parse(bytes: &[u8], element: ElementType) -> Result<Tensor, Error> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("this is no .npy file")?;
    let (len, rest) = match *rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([a, b])), &rest[4..]),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]) as usize, &rest[6..]),
        _ => return Err("this version of .npy is not known".into()),
    };
    let (header, data) = rest.split_at_checked(len).ok_or("the header is cut off")?;
    let header = std::str::from_utf8(header)?;
    let field = |name: &str| {
        let at = header.find(&format!("'{name}':")).ok_or_else(|| format!("the header has no {name}"))?;
        Ok::<&str, Error>(header[at + name.len() + 3..].trim_start())
    };
    let found = field("descr")?.split('\'').nth(1).ok_or("structured arrays are no tensors")?;
    let expected = descr(element);
    if found.trim_start_matches(['<', '|', '=']) != expected.trim_start_matches(['<', '|']) {
        return Err(format!("the file has elements of type {found}, and {element} needs {expected}").into());
    }
    if field("fortran_order")?.starts_with("True") {
        return Err("the array is in Fortran order: save numpy.ascontiguousarray(array)".into());
    }
    let sizes =
        field("shape")?.strip_prefix('(').and_then(|rest| rest.split(')').next()).ok_or("a shape is missing")?;
    let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    let dims = sizes.map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    Ok(Tensor::from_bytes(element, &dims, data)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_survive() {
        let path = std::env::temp_dir().join(format!("stablehlo-npy-{}.npy", std::process::id()));
        for tensor in [
            Tensor::from_vec(&[2, 3], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.5]),
            Tensor::from_vec(&[], vec![-3i64]),
            Tensor::from_vec(&[0, 4], Vec::<u8>::new()),
        ] {
            write(&path, &tensor).unwrap();
            assert_eq!(std::fs::read(&path).unwrap().len() % 64, tensor.bytes().len() % 64);
            assert_eq!(read(&path, tensor.element_type()).unwrap(), tensor);
        }
        assert!(read(&path, ElementType::F64).unwrap_err().to_string().contains("needs <f8"));
        std::fs::remove_file(&path).unwrap();
    }
}
