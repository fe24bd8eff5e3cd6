//! Buffers that live for a while, packed into one piece of memory.

use super::buffers::{Buffer, Home};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Places begin at multiples of this.
const ALIGNMENT: usize = 64;

/// The offset of each buffer in the arena (0 for those that are elsewhere), and the size of the arena.
pub(super) fn pack(buffers: &[Buffer]) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> =
        (0..buffers.len()).filter(|&index| matches!(buffers[index].home, Home::Arena { .. })).collect();
    let life = |index: usize| match buffers[index].home {
        Home::Arena { from, to } => (from, to),
        _ => (0, 0),
    };
    order.sort_by_key(|&index| life(index).0);
    let mut offsets = vec![0; buffers.len()];
    let mut holes = Holes::default();
    let mut living: BinaryHeap<Reverse<(usize, usize, usize)>> = BinaryHeap::new();
    let mut end = 0;
    for index in order {
        let (from, to) = life(index);
        while let Some(&Reverse((last, offset, size))) = living.peek() {
            if last >= from {
                break;
            }
            living.pop();
            holes.give(offset, size);
        }
        let size = buffers[index].bytes.next_multiple_of(ALIGNMENT);
        if size == 0 {
            continue;
        }
        offsets[index] = holes.take(size).unwrap_or_else(|| {
            // A hole at the end grows.
            let start = holes.take_end(end).unwrap_or(end);
            end = start + size;
            start
        });
        living.push(Reverse((to, offsets[index], size)));
    }
    (offsets, end)
}

/// Pieces that are free, none next to another.
#[derive(Default)]
struct Holes {
    /// The size of each, by where it begins.
    sizes: BTreeMap<usize, usize>,
    /// Size and beginning.
    by_size: BTreeSet<(usize, usize)>,
}

impl Holes {
    /// A piece of the smallest hole that fits.
    fn take(&mut self, size: usize) -> Option<usize> {
        let &(room, offset) = self.by_size.range((size, 0)..).next()?;
        self.remove(offset, room);
        if room > size {
            self.insert(offset + size, room - size);
        }
        Some(offset)
    }

    /// The hole that reaches to the end of everything.
    fn take_end(&mut self, end: usize) -> Option<usize> {
        let (&offset, &room) = self.sizes.last_key_value().filter(|(offset, room)| *offset + *room == end)?;
        self.remove(offset, room);
        Some(offset)
    }

    /// Makes a piece a hole, as one with those next to it.
    fn give(&mut self, mut offset: usize, mut size: usize) {
        if let Some((&before, &room)) = self.sizes.range(..offset).next_back()
            && before + room == offset
        {
            self.remove(before, room);
            (offset, size) = (before, room + size);
        }
        if let Some(&room) = self.sizes.get(&(offset + size)) {
            self.remove(offset + size, room);
            size += room;
        }
        self.insert(offset, size);
    }

    fn insert(&mut self, offset: usize, size: usize) {
        self.sizes.insert(offset, size);
        self.by_size.insert((size, offset));
    }

    fn remove(&mut self, offset: usize, size: usize) {
        self.sizes.remove(&offset);
        self.by_size.remove(&(size, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_given_out_once_and_becomes_one_with_its_neighbours() {
        let mut holes = Holes::default();
        let mut free = [true; 1000];
        holes.give(0, free.len());
        let mut taken: Vec<(usize, usize)> = Vec::new();
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let number = (state >> 33) as usize;
            if number.is_multiple_of(3) && !taken.is_empty() {
                let (offset, size) = taken.swap_remove(number / 3 % taken.len());
                holes.give(offset, size);
                free[offset..offset + size].fill(true);
                continue;
            }
            let size = 1 + number % 60;
            // The lengths of what is free, each with where it begins.
            let mut runs: Vec<(usize, usize)> = Vec::new();
            for at in (0..free.len()).filter(|&at| free[at]) {
                match runs.last_mut() {
                    Some((room, start)) if *start + *room == at => *room += 1,
                    _ => runs.push((1, at)),
                }
            }
            let best = runs.into_iter().filter(|(room, _)| *room >= size).min().map(|(_, start)| start);
            assert_eq!(holes.take(size), best);
            if let Some(offset) = best {
                free[offset..offset + size].fill(false);
                taken.push((offset, size));
            }
        }
        assert!(taken.len() > 10, "{} pieces", taken.len());
        taken.into_iter().for_each(|(offset, size)| holes.give(offset, size));
        assert_eq!(holes.take_end(free.len()), Some(0));
        assert_eq!(holes.take(1), None);
    }
}
