//! Sorting by any comparator: a merge sort in which all runs of all rows merge at the same time. Each element finds its
//! place in the neighbouring run by binary search, and a step of all searches is a few applications of the comparator.

use cpu_vir::Storage;

use crate::body::{Body, TILE, by_size, tile_bytes, tiles};
use crate::scratch;
use crate::view::{numbers, numbers_mut};

/// "Goes strictly before", as a program.
pub(super) struct Comparator {
    body: Body,
    /// Two of each input, in turn.
    pairs: Vec<Storage>,
}

/// A search by an element of a left run for the number of elements of the right run that go before it.
struct Search {
    /// The element, as a place in the order.
    left: usize,
    /// Where the right run starts, as a place in the order.
    right: usize,
    low: usize,
    high: usize,
}

impl Comparator {
    pub(super) fn new(body: Body, storages: Vec<Storage>) -> Comparator {
        Comparator { body, pairs: storages.iter().flat_map(|storage| [*storage; 2]).collect() }
    }

    /// Flat positions in sorted order, row by row.
    pub(super) fn order(&self, inputs: &[&[u8]], captures: &[&[u8]], elements: usize, size: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..elements).collect();
        let mut run = 1;
        while run < size {
            order = self.merge(inputs, captures, &order, size, run);
            run *= 2;
        }
        order
    }

    fn merge(&self, inputs: &[&[u8]], captures: &[&[u8]], order: &[usize], size: usize, run: usize) -> Vec<usize> {
        let mut searches = Vec::with_capacity(order.len());
        let runs = (0..order.len()).step_by(size).flat_map(|row| {
            (0..size)
                .step_by(2 * run)
                .map(move |start| (row, start, (start + run).min(size), (start + 2 * run).min(size)))
        });
        for (row, start, middle, end) in runs.clone() {
            searches.extend((start..middle).map(|i| Search {
                left: row + i,
                right: row + middle,
                low: 0,
                high: end - middle,
            }));
        }
        loop {
            let open: Vec<usize> = (0..searches.len()).filter(|&k| searches[k].low < searches[k].high).collect();
            if open.is_empty() {
                break;
            }
            for open in open.chunks(TILE) {
                let pairs: Vec<(usize, usize)> = open
                    .iter()
                    .map(|&k| {
                        let search = &searches[k];
                        (order[search.right + (search.low + search.high) / 2], order[search.left])
                    })
                    .collect();
                self.compare(inputs, captures, &pairs, |k, before| {
                    let search = &mut searches[open[k]];
                    let middle = (search.low + search.high) / 2;
                    if before { search.low = middle + 1 } else { search.high = middle }
                });
            }
        }
        // Each left element follows `low` elements of its right run; equal elements keep left before right.
        let mut merged = Vec::with_capacity(order.len());
        let mut searches = searches.iter();
        for (row, start, middle, end) in runs {
            let mut right = middle;
            for (i, search) in (start..middle).zip(&mut searches) {
                // A comparator that contradicts itself must not lose or repeat elements.
                let until = (middle + search.low).max(right);
                merged.extend(&order[row + right..row + until]);
                right = until;
                merged.push(order[row + i]);
            }
            merged.extend(&order[row + right..row + end]);
        }
        merged
    }

    /// Calls `outcome` with the number of each pair, and whether its first goes strictly before its second.
    fn compare(
        &self,
        inputs: &[&[u8]],
        captures: &[&[u8]],
        pairs: &[(usize, usize)],
        mut outcome: impl FnMut(usize, bool),
    ) {
        scratch::with(tile_bytes(&self.pairs) + TILE, |memory: &mut [u8]| {
            let (arguments, results) = memory.split_at_mut(tile_bytes(&self.pairs));
            let mut buffers = tiles(arguments, &self.pairs);
            for ((input, buffers), storage) in
                inputs.iter().zip(buffers.chunks_exact_mut(2)).zip(self.pairs.iter().step_by(2))
            {
                let [first, second] = buffers else { unreachable!("buffers come in pairs") };
                by_size!(storage.size(), W => {
                    let input = numbers::<W>(input);
                    let (first, second) = (numbers_mut::<W>(first), numbers_mut::<W>(second));
                    for (k, &(a, b)) in pairs.iter().enumerate() {
                        (first[k], second[k]) = (input[a], input[b]);
                    }
                });
            }
            let arguments: Vec<&[u8]> = buffers.iter().map(|tile| &**tile).chain(captures.iter().copied()).collect();
            self.body.apply(pairs.len(), &arguments, &mut [&mut *results]);
            results[..pairs.len()].iter().enumerate().for_each(|(k, before)| outcome(k, *before != 0));
        });
    }
}
