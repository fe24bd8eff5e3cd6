//! Arrays whose dimensions lie in another order than row-major. The engine has none: they are brought into row-major order
//! before a program reads them, and results into the order that was asked for.

use pjrt_wrapper::client_trait::{Layout, Result, Shape, Status};

/// How the elements of an array lie in memory: where each is, in elements, by the strides of the dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrangement {
    dims: Vec<usize>,
    strides: Vec<usize>,
    /// Bytes of an element.
    width: usize,
}

impl Arrangement {
    /// The arrangement of a shape in a layout; `None` if that is row-major order, as it is where there is no layout, and whatever
    /// one says of dimensions of size 1.
    ///
    /// # Errors
    /// UNIMPLEMENTED for tiled layouts, INVALID_ARGUMENT for what is no order of the dimensions.
    pub(crate) fn of(shape: &Shape, layout: Option<&Layout>) -> Result<Option<Arrangement>> {
        let Some(layout) = layout else { return Ok(None) };
        if !layout.tiles.is_empty() {
            return Err(Status::unimplemented(format!("a {shape} in layout {layout}: no tiles on CPUs")));
        }
        layout.validate(shape.rank())?;
        let dims: Vec<usize> = shape.dims.iter().map(|&dim| dim as usize).collect();
        let minor_to_major: Vec<usize> = layout.minor_to_major.iter().map(|&dim| dim as usize).collect();
        Ok(Arrangement::new(dims, &minor_to_major, shape.element_type.byte_width()))
    }

    /// The arrangement of an array whose dimensions lie in this order; `None` if that is row-major.
    pub(crate) fn new(dims: Vec<usize>, minor_to_major: &[usize], width: usize) -> Option<Arrangement> {
        let mut strides = vec![0; dims.len()];
        let mut stride = 1;
        for &dim in minor_to_major {
            strides[dim] = stride;
            stride *= dims[dim];
        }
        let mut expected = 1;
        let in_order = dims.iter().zip(&strides).rev().all(|(&size, &stride)| {
            let fits = size == 1 || stride == expected;
            expected *= size;
            fits
        });
        (!in_order && !dims.contains(&0)).then_some(Arrangement { dims, strides, width })
    }

    /// The bytes in row-major order. Panics when lengths are not those of the array.
    pub(crate) fn to_rows(&self, bytes: &[u8], to: &mut [u8]) {
        self.moved(bytes, to, |row_major, memory| (row_major, memory));
    }

    /// The bytes in this arrangement, of an array in row-major order. Panics likewise.
    pub(crate) fn arrange(&self, bytes: &[u8], to: &mut [u8]) {
        self.moved(bytes, to, |row_major, memory| (memory, row_major));
    }

    /// Copies each element; `places` picks (destination, source) of the element's place in row-major order and that in
    /// memory.
    fn moved(&self, bytes: &[u8], to: &mut [u8], places: impl Fn(usize, usize) -> (usize, usize)) {
        let (width, count) = (self.width, self.dims.iter().product::<usize>());
        assert!(bytes.len() == count * width && to.len() == bytes.len(), "an array of its size");
        let mut index = vec![0; self.dims.len()];
        let mut memory = 0;
        for row_major in 0..count {
            let (target, source) = places(row_major, memory);
            to[target * width..][..width].copy_from_slice(&bytes[source * width..][..width]);
            for ((index, size), stride) in index.iter_mut().zip(&self.dims).zip(&self.strides).rev() {
                *index += 1;
                memory += stride;
                if *index < *size {
                    break;
                }
                memory -= stride * size;
                *index = 0;
            }
        }
    }
}

/// The order that a layout mode asks for, a text such as `{0,1}`; `None` for `default` and `auto`.
pub(crate) fn parse(mode: &str) -> Result<Option<Layout>> {
    if matches!(mode, "default" | "auto") {
        return Ok(None);
    }
    let unknown =
        || Status::unimplemented(format!("layout {mode}; layouts here are an order of dimensions such as {{1,0}}"));
    let dims = mode.strip_prefix('{').and_then(|mode| mode.strip_suffix('}')).ok_or_else(unknown)?;
    let dims: Option<Vec<i64>> = match dims {
        "" => Some(Vec::new()),
        dims => dims.split(',').map(|dim| dim.trim().parse().ok()).collect(),
    };
    Ok(Some(Layout { minor_to_major: dims.ok_or_else(unknown)?, tiles: Vec::new() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_rows_and_rows_columns() {
        let columns = Arrangement::new(vec![2, 3], &[0, 1], 1).expect("another order");
        let mut moved = [0; 6];
        columns.arrange(&[1, 2, 3, 4, 5, 6], &mut moved);
        assert_eq!(moved, [1, 4, 2, 5, 3, 6]);
        columns.to_rows(&[1, 4, 2, 5, 3, 6], &mut moved);
        assert_eq!(moved, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn any_order_of_three_dimensions_comes_back() {
        let bytes: Vec<u8> = (0..2 * 3 * 4 * 2).collect();
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1]] {
            let arrangement = Arrangement::new(vec![2, 3, 4], &order, 2).expect("another order");
            let (mut there, mut back) = (vec![0; 48], vec![0; 48]);
            arrangement.arrange(&bytes, &mut there);
            arrangement.to_rows(&there, &mut back);
            assert!(there != bytes && back == bytes, "{order:?}");
        }
        assert_eq!(Arrangement::new(vec![2, 3, 4], &[2, 1, 0], 2), None);
        // What has one row has no order of rows and columns.
        assert_eq!(Arrangement::new(vec![1, 3], &[0, 1], 2), None);
        assert_eq!(Arrangement::new(vec![2, 0], &[0, 1], 2), None);
    }

    #[test]
    fn layout_modes_are_orders() {
        assert_eq!(parse("auto"), Ok(None));
        assert_eq!(parse("{}").unwrap().map(|layout| layout.minor_to_major), Some(vec![]));
        assert_eq!(parse("{0, 1}").unwrap().map(|layout| layout.minor_to_major), Some(vec![0, 1]));
        assert!(parse("{0:T(8)}").is_err() && parse("rows").is_err());
    }
}
