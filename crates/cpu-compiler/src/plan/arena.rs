//! Buffers that live for a while, packed into one piece of memory.

use super::buffers::{Buffer, Home};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    let mut holes: Vec<(usize, usize)> = Vec::new();
    let mut living: BinaryHeap<Reverse<(usize, usize, usize)>> = BinaryHeap::new();
    let mut end = 0;
    for index in order {
        let (from, to) = life(index);
        while let Some(&Reverse((last, offset, size))) = living.peek() {
            if last >= from {
                break;
            }
            living.pop();
            give(&mut holes, offset, size);
        }
        let size = buffers[index].bytes.next_multiple_of(ALIGNMENT);
        if size == 0 {
            continue;
        }
        // The smallest hole that fits.
        let fits = (0..holes.len()).filter(|&hole| holes[hole].1 >= size).min_by_key(|&hole| holes[hole].1);
        offsets[index] = match fits {
            Some(hole) => {
                let (offset, room) = holes[hole];
                match room == size {
                    true => _ = holes.remove(hole),
                    false => holes[hole] = (offset + size, room - size),
                }
                offset
            }
            None => {
                // A hole at the end grows.
                let start = match holes.last() {
                    Some(&(offset, room)) if offset + room == end => {
                        holes.pop();
                        offset
                    }
                    _ => end,
                };
                end = start + size;
                start
            }
        };
        living.push(Reverse((to, offsets[index], size)));
    }
    (offsets, end)
}

fn give(holes: &mut Vec<(usize, usize)>, offset: usize, size: usize) {
    let at = holes.partition_point(|hole| hole.0 < offset);
    holes.insert(at, (offset, size));
    if at + 1 < holes.len() && holes[at].0 + holes[at].1 == holes[at + 1].0 {
        holes[at].1 += holes[at + 1].1;
        holes.remove(at + 1);
    }
    if at > 0 && holes[at - 1].0 + holes[at - 1].1 == holes[at].0 {
        holes[at - 1].1 += holes[at].1;
        holes.remove(at);
    }
}
