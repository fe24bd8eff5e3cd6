//! Dense tensors of numbers as attributes: constants, padding, replica groups.
//!
//! Owns the one canonical layout, so that equal tensors are equal attributes whatever form they came in.

use std::sync::Arc;

use crate::ir::TypeId;

/// A dense tensor. Elements are row-major, little-endian; `i1` and sub-byte types take a byte each (0 or 1
/// for `i1`); complex is real, imaginary; `index` is 64 bits.
///
/// Canonical: if all elements are equal (also if there is only one), `data` has one element and
/// [`is_splat`](Self::is_splat) holds; a tensor without elements has no data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DenseElements {
    ty: TypeId,
    data: Arc<[u8]>,
    splat: bool,
}

impl DenseElements {
    /// A tensor of `count` elements of `width` bytes, given as one element that stands for all or as all.
    /// `None` if the data has neither length.
    pub fn new(ty: TypeId, count: usize, width: usize, data: &[u8]) -> Option<DenseElements> {
        if width == 0 {
            return None;
        }
        if count == 0 {
            return (data.is_empty() || data.len() == width).then(|| DenseElements {
                ty,
                data: Arc::from([]),
                splat: false,
            });
        }
        let splat = if data.len() == width {
            true
        } else if data.len() == count.checked_mul(width)? {
            data.chunks_exact(width).all(|element| *element == data[..width])
        } else {
            return None;
        };
        let data = if splat { &data[..width] } else { data };
        Some(DenseElements { ty, data: Arc::from(data), splat })
    }

    /// The same elements under another name of the same type, as another module has it.
    pub(crate) fn with_type(&self, ty: TypeId) -> DenseElements {
        DenseElements { ty, ..self.clone() }
    }

    /// The tensor type.
    pub fn ty(&self) -> TypeId {
        self.ty
    }

    /// One element if [`is_splat`](Self::is_splat), else all.
    pub fn data(&self) -> &Arc<[u8]> {
        &self.data
    }

    /// True if the one element in the data stands for all (at least one) elements.
    pub fn is_splat(&self) -> bool {
        self.splat
    }

    /// The elements as `i64`, if they are eight bytes each; `count` is the number of elements of the type.
    pub fn to_i64s(&self, count: usize) -> Option<Vec<i64>> {
        if !self.data.len().is_multiple_of(8) {
            return None;
        }
        let values = self.data.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().expect("eight bytes")));
        if self.splat {
            let value = values.clone().next()?;
            return (self.data.len() == 8).then(|| vec![value; count]);
        }
        (self.data.len() / 8 == count).then(|| values.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_become_a_splat() {
        let ty = TypeId(0);
        let listed = DenseElements::new(ty, 3, 2, &[1, 2, 1, 2, 1, 2]).unwrap();
        let splat = DenseElements::new(ty, 3, 2, &[1, 2]).unwrap();
        assert_eq!(listed, splat);
        assert!(listed.is_splat() && listed.data().len() == 2);
        assert!(!DenseElements::new(ty, 3, 2, &[1, 2, 1, 2, 1, 3]).unwrap().is_splat());
    }

    #[test]
    fn data_of_another_length_is_refused() {
        let ty = TypeId(0);
        assert_eq!(DenseElements::new(ty, 3, 2, &[0; 5]), None);
        assert_eq!(DenseElements::new(ty, usize::MAX, 2, &[0; 4]), None);
        assert_eq!(DenseElements::new(ty, 0, 2, &[0; 4]), None);
        assert!(DenseElements::new(ty, 0, 2, &[0; 2]).unwrap().data().is_empty());
    }

    #[test]
    fn integers_are_read_back() {
        let data: Vec<u8> = [1i64, -2].iter().flat_map(|v| v.to_le_bytes()).collect();
        let dense = DenseElements::new(TypeId(0), 2, 8, &data).unwrap();
        assert_eq!(dense.to_i64s(2), Some(vec![1, -2]));
        assert_eq!(dense.to_i64s(3), None);
        let splat = DenseElements::new(TypeId(0), 4, 8, &7i64.to_le_bytes()).unwrap();
        assert_eq!(splat.to_i64s(4), Some(vec![7; 4]));
    }
}
