//! Following a term through the points of a tile, as runs along the innermost axis.

use crate::exec::layout::Term;

/// A run of lanes that one term covers with one stride.
pub(super) struct Run {
    /// First lane.
    pub(super) lane: usize,
    /// Number of lanes.
    pub(super) length: usize,
    /// The term at the first lane.
    pub(super) position: i64,
    /// Within the term's bounds? If not, the position is not to be used.
    pub(super) inside: bool,
}

/// Is a tile from `start` a single run of the term?
pub(super) fn is_one_run(sizes: &[usize], term: &Term, start: &[usize], lanes: usize) -> bool {
    term.linear || term.bounds.is_none() && start[start.len() - 1] + lanes <= sizes[sizes.len() - 1]
}

/// The term at a point.
pub(super) fn position(term: &Term, at: &[usize]) -> i64 {
    term.strides.iter().zip(at).fold(term.offset, |position, (stride, index)| position + stride * *index as i64)
}

/// Visits the runs of `lanes` points from `start`; `shift` is added to every position, `spare` is overwritten.
pub(super) fn walk(
    sizes: &[usize],
    term: &Term,
    start: &[usize],
    lanes: usize,
    shift: i64,
    spare: &mut Vec<usize>,
    mut visit: impl FnMut(Run),
) {
    let position = position(term, start) + shift;
    if is_one_run(sizes, term, start, lanes) {
        return visit(Run { lane: 0, length: lanes, position, inside: true });
    }
    walk_rows(sizes, term, start, lanes, position, spare, &mut visit);
}

fn walk_rows(
    sizes: &[usize],
    term: &Term,
    start: &[usize],
    lanes: usize,
    mut position: i64,
    at: &mut Vec<usize>,
    visit: &mut impl FnMut(Run),
) {
    at.clear();
    at.extend_from_slice(start);
    let last = sizes.len() - 1;
    let stride = term.strides[last];
    let mut lane = 0;
    loop {
        let from = at[last];
        let length = (sizes[last] - from).min(lanes - lane);
        let (low, high) = match &term.bounds {
            None => (from, from + length),
            Some(bounds) => {
                let row = bounds[..last].iter().zip(at.iter()).all(|((low, high), at)| low <= at && at < high);
                let (low, high) = bounds[last];
                let low = low.clamp(from, from + length);
                if row { (low, high.clamp(low, from + length)) } else { (from, from) }
            }
        };
        let mut piece = |first: usize, end: usize, inside: bool| {
            if first < end {
                let position = position + stride * (first - from) as i64;
                visit(Run { lane: lane + (first - from), length: end - first, position, inside });
            }
        };
        piece(from, low, false);
        piece(low, high, true);
        piece(high, from + length, false);
        lane += length;
        if lane == lanes {
            return;
        }
        position -= stride * from as i64;
        at[last] = 0;
        for axis in (0..last).rev() {
            at[axis] += 1;
            position += term.strides[axis];
            if at[axis] < sizes[axis] {
                break;
            }
            position -= term.strides[axis] * sizes[axis] as i64;
            at[axis] = 0;
        }
    }
}

/// Moves a point on by one; the number of reduced points bounds how often.
pub(super) fn advance(sizes: &[usize], at: &mut [usize]) {
    for (index, size) in at.iter_mut().zip(sizes).rev() {
        *index += 1;
        if *index < *size {
            return;
        }
        *index = 0;
    }
}
