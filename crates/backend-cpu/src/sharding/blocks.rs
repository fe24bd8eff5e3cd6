//! Blocks of arrays: copied together and cut out.

use super::tiling::Tiling;
use pjrt_wrapper::client_trait::Shape;

/// Copies the block of each device to its place in the whole array. Of several copies of a block the last one counts.
pub(crate) fn put_together(whole: &mut [u8], shape: &Shape, tiling: &Tiling, blocks: &[&[u8]]) {
    for (block, index) in blocks.iter().zip(&tiling.blocks) {
        let rows = rows(shape, tiling, index);
        for (number, at) in rows.starts.enumerate() {
            whole[at..at + rows.length].copy_from_slice(&block[number * rows.length..][..rows.length]);
        }
    }
}

/// Copies the block at `index` out of the whole array.
pub(crate) fn cut(whole: &[u8], shape: &Shape, tiling: &Tiling, index: &[usize], block: &mut [u8]) {
    let rows = rows(shape, tiling, index);
    for (number, at) in rows.starts.enumerate() {
        block[number * rows.length..][..rows.length].copy_from_slice(&whole[at..at + rows.length]);
    }
}

/// Bytes of a block that lie side by side in the whole array: where each run begins, in the block's order.
struct Rows<S> {
    length: usize,
    starts: S,
}

fn rows(shape: &Shape, tiling: &Tiling, index: &[usize]) -> Rows<impl Iterator<Item = usize> + use<>> {
    let width = shape.element_type.byte_width();
    let whole: Vec<usize> = shape.dims.iter().map(|&dim| dim as usize).collect();
    let part: Vec<usize> = whole.iter().zip(&tiling.grid).map(|(dim, count)| dim / count).collect();
    // Dimensions after the last one that is cut are whole, and so is the run over them.
    let outer = tiling.grid.iter().rposition(|&count| count > 1).unwrap_or(0);
    let mut strides = vec![width; whole.len()];
    for dim in (1..whole.len()).rev() {
        strides[dim - 1] = strides[dim] * whole[dim];
    }
    let length = if whole.is_empty() { width } else { part[outer] * strides[outer] };
    let base: usize = (0..whole.len()).map(|dim| index[dim] * part[dim] * strides[dim]).sum();
    let empty = length == 0 || part.contains(&0);
    let count = if empty { 0 } else { part[..outer.min(part.len())].iter().product() };
    let (part, strides) = (part[..outer.min(part.len())].to_vec(), strides);
    let start = move |mut row: usize| {
        let mut at = base;
        for dim in (0..part.len()).rev() {
            at += row % part[dim] * strides[dim];
            row /= part[dim];
        }
        at
    };
    Rows { length, starts: (0..count).map(start) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pjrt_wrapper::client_trait::{ElementType, OpSharding};

    #[test]
    fn blocks_put_together_are_the_array() {
        for (dims, grid) in [
            (vec![4, 6], vec![2, 3]),
            (vec![4, 6], vec![4, 1]),
            (vec![4, 6], vec![1, 2]),
            (vec![2, 3, 4], vec![1, 3, 2]),
            (vec![5], vec![5]),
            (vec![], vec![]),
            (vec![0, 4], vec![1, 2]),
        ] {
            let shape = Shape::new(ElementType::S16, dims.clone()).unwrap();
            let count: usize = grid.iter().product();
            let place = |mut place: usize| {
                let mut index = vec![0; grid.len()];
                for (index, &count) in index.iter_mut().zip(&grid).rev() {
                    (*index, place) = (place % count, place / count);
                }
                index
            };
            let blocks: Vec<Vec<usize>> = (0..count).map(place).collect();
            let tiling = Tiling { sharding: OpSharding::Replicated, grid: grid.clone(), blocks };
            let whole: Vec<u8> = (0..shape.byte_size()).map(|byte| byte as u8).collect();
            let cut_out = |index: &Vec<usize>| {
                let mut block = vec![0; whole.len() / count];
                cut(&whole, &shape, &tiling, index, &mut block);
                block
            };
            let parts: Vec<Vec<u8>> = tiling.blocks.iter().map(cut_out).collect();
            if (dims.as_slice(), grid.as_slice()) == (&[4, 6], &[2, 3]) {
                assert_eq!(parts[1], [4, 5, 6, 7, 16, 17, 18, 19]);
            }
            let mut again = vec![0xff; whole.len()];
            put_together(&mut again, &shape, &tiling, &parts.iter().map(Vec::as_slice).collect::<Vec<_>>());
            assert_eq!(again, whole, "{dims:?} in {grid:?}");
        }
    }
}
