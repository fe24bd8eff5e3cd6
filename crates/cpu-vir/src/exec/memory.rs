//! The loops between memory and tiles: each storage type's conversion, contiguous, broadcast, strided or gathered.
#![allow(unsafe_code, reason = "reads and writes memory by address and stride")]
#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "what iterators are made of is not always inlined into wide code"
)]

use crate::element::Storage;
use crate::exec::isa::{Isa, Raw, Variants, tile, tile_mut, variants};
use crate::small_float::{self, SmallFloat};

/// Reads `n` elements, `stride` bytes apart, into a tile.
///
/// # Safety
/// Every element read is within memory that is valid for reads; `dst` is valid for `n` lanes and overlaps none.
pub(super) type LoadFn = unsafe fn(dst: *mut u8, src: *const u8, stride: isize, n: usize);

/// Writes `n` lanes of a tile to elements `stride` bytes apart.
///
/// # Safety
/// Every element written is within memory that is valid for writes; `src` is valid for `n` lanes and overlaps none.
pub(super) type StoreFn = unsafe fn(dst: *mut u8, stride: isize, src: *const u8, n: usize);

/// Reads elements at byte offsets from `src`.
///
/// # Safety
/// As for [`LoadFn`]; `offsets` is valid for `n` i64.
pub(super) type GatherFn = unsafe fn(dst: *mut u8, src: *const u8, offsets: *const u8, n: usize);

/// An element in memory and as a lane.
trait Cell {
    type Raw: Copy;
    type Lane: Copy;
    fn load(raw: Self::Raw) -> Self::Lane;
    fn store(lane: Self::Lane) -> Self::Raw;
}

#[inline(always)]
unsafe fn load_body<C: Cell>(dst: *mut u8, src: *const u8, stride: isize, n: usize) {
    #[inline(always)]
    fn contiguous<C: Cell>(dst: &mut [Raw<C::Lane>], src: &[Raw<C::Raw>]) {
        let n = dst.len().min(src.len());
        let (dst, src) = (&mut dst[..n], &src[..n]);
        for at in 0..n {
            dst[at] = Raw(C::load(src[at].0));
        }
    }
    // SAFETY: `LoadFn` grants the tile and every element at a multiple of the stride.
    unsafe {
        let dst = tile_mut::<C::Lane>(dst, n);
        if stride == size_of::<C::Raw>() as isize {
            contiguous::<C>(dst, tile(src, n));
        } else if stride == 0 && n > 0 {
            fill_body(dst.as_mut_ptr().cast(), C::load(src.cast::<C::Raw>().read_unaligned()), n);
        } else {
            // Wide elements a few places apart come by whole vectors, of which some lanes are left out.
            let size = size_of::<C::Raw>() as isize;
            let taken = match stride / size {
                _ if size < 4 || stride % size != 0 || n < 2 => 0,
                2 => every::<C, 2>(dst, tile(src, n - 1)),
                3 => every::<C, 3>(dst, tile(src, n - 1)),
                4 => every::<C, 4>(dst, tile(src, n - 1)),
                _ => 0,
            };
            for lane in taken..n {
                let at = src.wrapping_offset(lane as isize * stride);
                dst[lane] = Raw(C::load(at.cast::<C::Raw>().read_unaligned()));
            }
        }
    }
}

/// Takes the first of every `K` elements; how many lanes it has filled. There is another element behind the last of them.
#[inline(always)]
fn every<C: Cell, const K: usize>(dst: &mut [Raw<C::Lane>], src: &[Raw<[C::Raw; K]>]) -> usize {
    let n = dst.len().min(src.len());
    let (dst, src) = (&mut dst[..n], &src[..n]);
    for at in 0..n {
        let elements = src[at].0;
        dst[at] = Raw(C::load(elements[0]));
    }
    n
}

#[inline(always)]
unsafe fn store_body<C: Cell>(dst: *mut u8, stride: isize, src: *const u8, n: usize) {
    #[inline(always)]
    fn contiguous<C: Cell>(dst: &mut [Raw<C::Raw>], src: &[Raw<C::Lane>]) {
        let n = dst.len().min(src.len());
        let (dst, src) = (&mut dst[..n], &src[..n]);
        for at in 0..n {
            dst[at] = Raw(C::store(src[at].0));
        }
    }
    // SAFETY: `StoreFn` grants the tile and every element at a multiple of the stride.
    unsafe {
        let src = tile::<C::Lane>(src, n);
        if stride == size_of::<C::Raw>() as isize {
            contiguous::<C>(tile_mut(dst, n), src);
        } else {
            for lane in 0..n {
                let at = dst.wrapping_offset(lane as isize * stride);
                at.cast::<C::Raw>().write_unaligned(C::store(src[lane].0));
            }
        }
    }
}

#[inline(always)]
unsafe fn gather_body<C: Cell>(dst: *mut u8, src: *const u8, offsets: *const u8, n: usize) {
    // SAFETY: `GatherFn` grants the tiles and every element at an offset.
    unsafe {
        let (dst, offsets) = (tile_mut::<C::Lane>(dst, n), tile::<i64>(offsets, n));
        for lane in 0..n {
            let at = src.wrapping_offset(offsets[lane].0 as isize);
            dst[lane] = Raw(C::load(at.cast::<C::Raw>().read_unaligned()));
        }
    }
}

variants! {
    fn loads<C: Cell>(dst: *mut u8, src: *const u8, stride: isize, n: usize) = load_body::<C>
}
variants! {
    fn stores<C: Cell>(dst: *mut u8, stride: isize, src: *const u8, n: usize) = store_body::<C>
}
variants! {
    fn gathers<C: Cell>(dst: *mut u8, src: *const u8, offsets: *const u8, n: usize) = gather_body::<C>
}

/// How one storage type is read and written.
pub(super) struct Memory {
    pub(super) load: Variants<LoadFn>,
    pub(super) store: Variants<StoreFn>,
    pub(super) gather: Variants<GatherFn>,
    /// Do lanes and elements have the same bits?
    pub(super) same: bool,
}

fn of<C: Cell>(same: bool) -> Memory {
    Memory { load: loads::<C>(), store: stores::<C>(), gather: gathers::<C>(), same }
}

macro_rules! cells {
    ($($name:ident $raw:ident $lane:ident |$from:ident| $load:expr, |$to:ident| $store:expr;)*) => {$(
        struct $name;
        impl Cell for $name {
            type Raw = $raw;
            type Lane = $lane;
            #[inline(always)]
            fn load($from: $raw) -> $lane {
                $load
            }
            #[inline(always)]
            fn store($to: $lane) -> $raw {
                $store
            }
        }
    )*};
}

cells! {
    Byte u8 u8 |x| x, |x| x;
    Half u16 u16 |x| x, |x| x;
    Word u32 u32 |x| x, |x| x;
    Long u64 u64 |x| x, |x| x;
    // Whatever stands in memory, a mask is 0 or 1.
    Truth u8 u8 |x| u8::from(x != 0), |x| x;
    Signed2 u8 i8 |x| (x << 6) as i8 >> 6, |x| ((x << 6) >> 6) as u8;
    Signed4 u8 i8 |x| (x << 4) as i8 >> 4, |x| ((x << 4) >> 4) as u8;
    Unsigned2 u8 u8 |x| x & 3, |x| x & 3;
    Unsigned4 u8 u8 |x| x & 15, |x| x & 15;
}

struct Small<F>(F);

impl<F: SmallFloat> Cell for Small<F> {
    type Raw = F::Code;
    type Lane = f32;
    #[inline(always)]
    fn load(raw: F::Code) -> f32 {
        F::decode(raw)
    }
    #[inline(always)]
    fn store(lane: f32) -> F::Code {
        F::encode(lane)
    }
}

/// The loops of a storage type; of complex ones, those of their parts.
pub(super) fn memory(storage: Storage) -> Memory {
    match storage {
        Storage::Bool => of::<Truth>(false),
        Storage::I2 => of::<Signed2>(false),
        Storage::I4 => of::<Signed4>(false),
        Storage::U2 => of::<Unsigned2>(false),
        Storage::U4 => of::<Unsigned4>(false),
        Storage::I8 | Storage::U8 => of::<Byte>(true),
        Storage::I16 | Storage::U16 => of::<Half>(true),
        Storage::I32 | Storage::U32 | Storage::F32 | Storage::Complex64 => of::<Word>(true),
        Storage::I64 | Storage::U64 | Storage::F64 | Storage::Complex128 => of::<Long>(true),
        Storage::F4E2M1FN => of::<Small<small_float::F4E2M1FN>>(false),
        Storage::F6E2M3FN => of::<Small<small_float::F6E2M3FN>>(false),
        Storage::F6E3M2FN => of::<Small<small_float::F6E3M2FN>>(false),
        Storage::F8E3M4 => of::<Small<small_float::F8E3M4>>(false),
        Storage::F8E4M3 => of::<Small<small_float::F8E4M3>>(false),
        Storage::F8E4M3FN => of::<Small<small_float::F8E4M3FN>>(false),
        Storage::F8E4M3FNUZ => of::<Small<small_float::F8E4M3FNUZ>>(false),
        Storage::F8E4M3B11FNUZ => of::<Small<small_float::F8E4M3B11FNUZ>>(false),
        Storage::F8E5M2 => of::<Small<small_float::F8E5M2>>(false),
        Storage::F8E5M2FNUZ => of::<Small<small_float::F8E5M2FNUZ>>(false),
        Storage::F8E8M0FNU => of::<Small<small_float::F8E8M0FNU>>(false),
        Storage::BF16 => of::<Small<small_float::Bf16>>(false),
        Storage::F16 => of::<Small<small_float::F16>>(false),
    }
}

/// The bits of one lane of `size` bytes.
///
/// # Safety
/// `src` is valid for reads of that many bytes.
pub(super) unsafe fn bits(src: *const u8, size: usize) -> u64 {
    let mut bits = [0u8; 8];
    // SAFETY: the caller's promise; no lane has more than eight bytes.
    unsafe { std::ptr::copy_nonoverlapping(src, bits.as_mut_ptr(), size.min(8)) };
    u64::from_le_bytes(bits)
}

#[inline(always)]
unsafe fn fill_body<W: Copy>(dst: *mut u8, value: W, n: usize) {
    // SAFETY: the contract of `fill`.
    let dst = unsafe { tile_mut::<W>(dst, n) };
    for lane in 0..n {
        dst[lane] = Raw(value);
    }
}

variants! {
    fn fills<W: Copy>(dst: *mut u8, value: W, n: usize) = fill_body::<W>
}

/// Writes the same bits to `n` lanes of `size` bytes.
///
/// # Safety
/// `dst` is valid for writes of that many bytes.
pub(super) unsafe fn fill(dst: *mut u8, bits: u64, size: usize, n: usize) {
    // SAFETY: the caller's promise, for each size of lane; the processor has what was detected.
    unsafe {
        match (size, n) {
            (4, 1) => dst.cast::<u32>().write_unaligned(bits as u32),
            (8, 1) => dst.cast::<u64>().write_unaligned(bits),
            (1, _) => tile_mut(dst, n).fill(Raw(bits as u8)),
            (2, _) => fills::<u16>().pick(Isa::detect())(dst, bits as u16, n),
            (4, _) => fills::<u32>().pick(Isa::detect())(dst, bits as u32, n),
            _ => fills::<u64>().pick(Isa::detect())(dst, bits, n),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_any_number_of_places_apart_are_found() {
        for isa in [Isa::Baseline, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_supported()) {
            for (storage, size) in [(Storage::U8, 1), (Storage::BF16, 2), (Storage::F32, 4), (Storage::F64, 8)] {
                let load = memory(storage).load.pick(isa);
                for (stride, n) in (-3isize..=6).flat_map(|stride| (0..70usize).map(move |n| (stride, n))) {
                    // No byte behind the last element.
                    let span = n.saturating_sub(1) * stride.unsigned_abs() + usize::from(n > 0);
                    let bytes: Vec<u8> = (0..span * size).map(|at| (at * 7 + at / 200) as u8).collect();
                    let first = if stride < 0 { span.saturating_sub(1) * size } else { 0 };
                    let lane = if memory(storage).same { size } else { 4 };
                    let (mut found, mut expected) = (vec![0u8; n * lane], vec![0u8; n * lane]);
                    // SAFETY: all elements are within the bytes, and the tiles have n lanes.
                    unsafe {
                        let source = bytes.as_ptr().wrapping_add(first);
                        load(found.as_mut_ptr(), source, stride * size as isize, n);
                        for at in 0..n {
                            let element = source.wrapping_offset(at as isize * stride * size as isize);
                            load(expected.as_mut_ptr().add(at * lane), element, size as isize, 1);
                        }
                    }
                    assert!(found == expected, "{storage} {stride} {n} {isa:?}");
                }
            }
        }
    }
}
