//! Sorting words that hold a key above a position, or a key alone.

/// Words from which on counting digits beats comparing.
const LONG: usize = 2048;

/// Bits of a digit: its counts and open ends stay in the first cache.
const DIGIT: u32 = 11;

/// A key, perhaps with a position below it.
pub(super) trait Word: Copy + Ord + Send + Sync + bytemuck::Pod {
    fn of(key: u64) -> Self;
    /// The word with further low bits.
    fn append(self, bits: u32, low: u64) -> Self;
    fn low(self) -> u64;
    fn digit(self, shift: u32) -> usize;
}

macro_rules! words {
    ($($W:ident)*) => {$(
        impl Word for $W {
            #[inline(always)]
            fn of(key: u64) -> $W {
                key as $W
            }
            #[inline(always)]
            fn append(self, bits: u32, low: u64) -> $W {
                self.checked_shl(bits).unwrap_or(0) | low as $W
            }
            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize & ((1 << DIGIT) - 1)
            }
        }
    )*};
}
words! { u32 u64 u128 }

/// Sorts by the bits from `low` to below `high`; those below `low` must ascend among equal words already. `spare` is as
/// long as the words.
pub(super) fn sort<W: Word>(words: &mut [W], spare: &mut [W], low: u32, high: u32) {
    let digits = (high - low).div_ceil(DIGIT);
    // A pass moves everything once; comparing does so a logarithmic number of times.
    if words.len() < LONG || digits > 6 {
        words.sort_unstable();
        return;
    }
    let mut counts = vec![[0usize; 1 << DIGIT]; digits as usize];
    for word in words.iter() {
        for (d, counts) in counts.iter_mut().enumerate() {
            counts[word.digit(low + d as u32 * DIGIT)] += 1;
        }
    }
    let (mut from, mut to) = (words, spare);
    let mut swapped = false;
    for (d, counts) in counts.iter_mut().enumerate() {
        // A digit that all share moves nothing.
        if counts.contains(&from.len()) {
            continue;
        }
        let mut end = 0;
        for count in counts.iter_mut() {
            (*count, end) = (end, end + *count);
        }
        let shift = low + d as u32 * DIGIT;
        for word in from.iter() {
            let place = &mut counts[word.digit(shift)];
            to[*place] = *word;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
        swapped = !swapped;
    }
    if swapped {
        // `to` is the caller's slice now.
        to.copy_from_slice(from);
    }
}
