//! `dynamic_slice` and `dynamic_update_slice`: blocks at positions that are known only at run time.

use super::{Env, Kernel};
use crate::array_type::ArrayType;
use crate::error::Result;
use crate::fuse::lanes::storage;
use cpu_kernels::SingleIndex;
use stablehlo::{ElementKind, ElementType};

/// Blocks of more runs are not written out.
const MOST_RUNS: usize = 32;

/// A block that is copied out of an array, which is then the first operand and the block the result, or into one, which is
/// then the result.
pub(crate) struct Block {
    /// Whether the array is what changes; then by which operand.
    pub update: Option<usize>,
    /// The indices that move it within the array.
    pub indices: Vec<BlockIndex>,
    /// Whether nothing is copied when an index is none that counts; otherwise it is brought to the nearest.
    pub drops: bool,
    /// Offsets in what is read and in what is written, and bytes.
    pub runs: Vec<(usize, usize, usize)>,
}

/// An index, of which 0 to some number count.
pub(crate) struct BlockIndex {
    /// Of which operand it is a part.
    pub operand: usize,
    /// What and where it is in that, and what it moves the block by.
    pub index: SingleIndex,
}

/// A block inside an array: how to walk both.
struct BlockCopy {
    /// Of the array and of the block.
    sizes: Vec<usize>,
    block: Vec<usize>,
    /// Strides of the array in bytes.
    strides: Vec<usize>,
    /// Bytes that are contiguous in both, and how many leading dimensions are left to walk.
    run: usize,
    walked: usize,
    /// The type of each index.
    indices: Vec<ElementType>,
}

impl BlockCopy {
    fn new(array: &ArrayType, block: &ArrayType, indices: Vec<ElementType>) -> BlockCopy {
        let rank = array.dims.len();
        let mut strides = vec![array.width(); rank];
        for dim in (1..rank).rev() {
            strides[dim - 1] = strides[dim] * array.dims[dim];
        }
        // Whole inner dimensions, and the one outside of them, are one run.
        let mut walked = rank;
        let mut run = array.width();
        while walked > 0 {
            walked -= 1;
            run *= block.dims[walked];
            if block.dims[walked] != array.dims[walked] {
                break;
            }
        }
        BlockCopy { sizes: array.dims.clone(), block: block.dims.clone(), strides, run, walked, indices }
    }

    /// Calls `copy(array offset, block offset, bytes)` for every contiguous run.
    fn each(&self, starts: &[&[u8]], mut copy: impl FnMut(usize, usize, usize)) {
        if self.block.contains(&0) {
            return;
        }
        let mut at = 0;
        for (dim, (bytes, ty)) in starts.iter().zip(&self.indices).enumerate() {
            let most = (self.sizes[dim] - self.block[dim]) as i64;
            at += read_index(bytes, *ty).clamp(0, most) as usize * self.strides[dim];
        }
        let mut index = vec![0usize; self.walked];
        let mut from = 0;
        loop {
            copy(at, from, self.run);
            from += self.run;
            let mut dim = self.walked;
            loop {
                if dim == 0 {
                    return;
                }
                dim -= 1;
                index[dim] += 1;
                at += self.strides[dim];
                if index[dim] < self.block[dim] {
                    break;
                }
                at -= self.strides[dim] * self.block[dim];
                index[dim] = 0;
            }
        }
    }

    /// The same as data; `None` if that takes many runs.
    fn block(&self, update: Option<usize>) -> Option<Block> {
        let count: usize = self.block[..self.walked].iter().product();
        if count > MOST_RUNS {
            return None;
        }
        let mut runs = Vec::with_capacity(count);
        let zeros = vec![&[0u8; 8][..]; self.indices.len()];
        self.each(&zeros, |at, from, run| runs.push(if update.is_some() { (from, at, run) } else { (at, from, run) }));
        let first = 1 + usize::from(update.is_some());
        let index = |(dim, &ty): (usize, &ElementType)| {
            let (most, stride) = (self.sizes[dim] - self.block[dim], self.strides[dim]);
            let index = SingleIndex { start: 0, ty: storage(ty).compute(), wrap: 0, most, stride };
            BlockIndex { operand: first + dim, index }
        };
        Some(Block { update, indices: self.indices.iter().enumerate().map(index).collect(), drops: false, runs })
    }

    fn bytes(&self) -> u64 {
        self.block.iter().product::<usize>() as u64 * self.strides.last().copied().unwrap_or(8) as u64
    }
}

/// A scalar index of any integer type; unsigned ones beyond the range of i64 are its largest number.
fn read_index(bytes: &[u8], ty: ElementType) -> i64 {
    let mut wide = [0u8; 8];
    let width = ty.byte_width().min(8);
    wide[..width].copy_from_slice(&bytes[..width]);
    let bits = u64::from_le_bytes(wide);
    match ty.kind() {
        ElementKind::Signed => {
            let shift = 64 - 8 * width as u32;
            (bits << shift) as i64 >> shift
        }
        _ => i64::try_from(bits).unwrap_or(i64::MAX),
    }
}

/// Operands: the array, then a scalar index for each dimension.
pub(crate) struct DynamicSlice(BlockCopy);

impl DynamicSlice {
    pub fn new(array: &ArrayType, result: &ArrayType, indices: Vec<ElementType>) -> DynamicSlice {
        DynamicSlice(BlockCopy::new(array, result, indices))
    }
}

impl Kernel for DynamicSlice {
    fn name(&self) -> String {
        "dynamic_slice".to_owned()
    }

    fn run(&self, _: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        let (array, slice) = (inputs[0], &mut *outputs[0]);
        self.0.each(&inputs[1..], |at, from, run| slice[from..from + run].copy_from_slice(&array[at..at + run]));
        Ok(())
    }

    fn block(&self) -> Option<Block> {
        self.0.block(None)
    }

    fn nanoseconds(&self) -> u64 {
        20 + self.0.bytes() / 8
    }
}

/// Operands: the array, which is updated in place, the update, then a scalar index for each dimension.
pub(crate) struct DynamicUpdateSlice(BlockCopy);

impl DynamicUpdateSlice {
    pub fn new(array: &ArrayType, update: &ArrayType, indices: Vec<ElementType>) -> DynamicUpdateSlice {
        DynamicUpdateSlice(BlockCopy::new(array, update, indices))
    }
}

impl Kernel for DynamicUpdateSlice {
    fn name(&self) -> String {
        "dynamic_update_slice".to_owned()
    }

    fn run(&self, _: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        let (update, array) = (inputs[1], &mut *outputs[0]);
        self.0.each(&inputs[2..], |at, from, run| array[at..at + run].copy_from_slice(&update[from..from + run]));
        Ok(())
    }

    fn updates(&self) -> &[(usize, usize)] {
        &[(0, 0)]
    }

    fn block(&self) -> Option<Block> {
        self.0.block(Some(1))
    }

    fn nanoseconds(&self) -> u64 {
        20 + self.0.bytes() / 8
    }
}
