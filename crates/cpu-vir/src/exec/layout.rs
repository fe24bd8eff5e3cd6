//! The shape that a program's loops take: which dimensions are one, which order they have, and which way a reduction
//! goes. Numbers only; knows no memory and no instruction.
//!
//! A *term* is a linear function of the point: the byte position of a load or store, or an index value.

use crate::program::Guard;

/// A linear function of the point's coordinates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) offset: i64,
    /// One per axis of the space that it is walked in.
    pub(super) strides: Vec<i64>,
    /// Half-open coordinate ranges, one per axis, when the term is guarded.
    pub(super) bounds: Option<Vec<(usize, usize)>>,
    /// One stride from each point to the next, across rows too, though other terms keep the axes apart.
    pub(super) linear: bool,
}

impl Term {
    /// Over the dimensions of a program.
    pub(super) fn new(offset: i64, strides: Vec<i64>, guard: Option<&Guard>) -> Term {
        Term { offset, strides, bounds: guard.map(|guard| guard.bounds.clone()), linear: false }
    }

    fn bound(&self, axis: usize, size: usize) -> (usize, usize) {
        self.bounds.as_ref().map_or((0, size), |bounds| bounds[axis])
    }

    /// The same function over a choice of axes.
    fn over(&self, axes: &[usize]) -> Term {
        Term {
            offset: self.offset,
            strides: axes.iter().map(|axis| self.strides[*axis]).collect(),
            bounds: self.bounds.as_ref().map(|bounds| axes.iter().map(|axis| bounds[*axis]).collect()),
            linear: false,
        }
    }
}

/// The way that a program's points are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// No reduction: tiles of points.
    Map,
    /// Tiles run along the reduced dimensions; lanes are combined.
    Along,
    /// Tiles run along the kept dimensions; whole tiles are combined.
    Across,
}

/// Axes with the terms over them, merged where every term permits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Space {
    pub(super) sizes: Vec<usize>,
    pub(super) terms: Vec<Term>,
}

impl Space {
    /// Walks `axes` of `dims` in this order.
    pub(super) fn new(dims: &[usize], axes: &[usize], terms: &[Term]) -> Space {
        let mut space = Space {
            sizes: axes.iter().map(|axis| dims[*axis]).collect(),
            terms: terms.iter().map(|term| term.over(axes)).collect(),
        };
        space.merge();
        space
    }

    fn is_free(&self, axis: usize) -> bool {
        let size = self.sizes[axis];
        self.terms.iter().all(|term| term.bound(axis, size) == (0, size))
    }

    fn remove(&mut self, axis: usize) {
        self.sizes.remove(axis);
        for term in &mut self.terms {
            term.strides.remove(axis);
            if let Some(bounds) = &mut term.bounds {
                bounds.remove(axis);
            }
        }
    }

    fn merge(&mut self) {
        for axis in (0..self.sizes.len()).rev() {
            if self.sizes[axis] == 1 && self.is_free(axis) {
                self.remove(axis);
            }
        }
        for axis in (1..self.sizes.len()).rev() {
            let inner = self.sizes[axis];
            let fits = |term: &Term| {
                i64::try_from(inner).ok().and_then(|inner| term.strides[axis].checked_mul(inner))
                    == Some(term.strides[axis - 1])
            };
            if self.terms.iter().all(fits) && self.is_free(axis) && self.is_free(axis - 1) {
                let Some(size) = inner.checked_mul(self.sizes[axis - 1]) else { continue };
                // The inner axis stands for both.
                self.sizes[axis] = size;
                self.remove_outer_of(axis, size);
            }
        }
        if self.sizes.is_empty() {
            self.sizes.push(1);
            for term in &mut self.terms {
                term.strides.push(0);
                if let Some(bounds) = &mut term.bounds {
                    bounds.push((0, 1));
                }
            }
        }
        for term in &mut self.terms {
            let full = |bounds: &Vec<(usize, usize)>| bounds.iter().zip(&self.sizes).all(|(b, size)| *b == (0, *size));
            if term.bounds.as_ref().is_some_and(full) {
                term.bounds = None;
            }
            let inner = term.strides.iter().zip(&self.sizes).skip(1);
            let whole = term.strides.iter().zip(inner).all(|(outer, (stride, size))| {
                i64::try_from(*size).is_ok_and(|size| stride.checked_mul(size) == Some(*outer))
            });
            term.linear = whole && term.bounds.is_none();
        }
    }

    fn remove_outer_of(&mut self, axis: usize, size: usize) {
        for term in &mut self.terms {
            if let Some(bounds) = &mut term.bounds {
                bounds[axis] = (0, size);
            }
        }
        self.remove(axis - 1);
    }

    /// Number of points.
    pub(super) fn points(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Coordinates of a point by its number, last axis fastest.
    pub(super) fn coordinates(&self, mut point: usize, coordinates: &mut Vec<usize>) {
        coordinates.clear();
        coordinates.resize(self.sizes.len(), 0);
        for (coordinate, size) in coordinates.iter_mut().zip(&self.sizes).rev() {
            *coordinate = point % size;
            point /= size;
        }
    }
}

/// Axes ordered by how far they move in memory, longest stride first; equal ones as they are.
pub(super) fn order(axes: std::ops::Range<usize>, leading: &[&Term]) -> Vec<usize> {
    let mut axes: Vec<usize> = axes.collect();
    let Some(leader) = leading.iter().find(|term| axes.iter().any(|axis| term.strides.get(*axis) != Some(&0))) else {
        return axes;
    };
    let stride = |axis: usize| leader.strides.get(axis).copied().unwrap_or(0).unsigned_abs();
    // Broadcast axes of the leader go outside, where they cost nothing to others.
    axes.sort_by_key(|axis| match stride(*axis) {
        0 => (0, 0),
        stride => (1, u64::MAX - stride),
    });
    axes
}

/// Which way a reduction goes, from the strides of what it loads; depends on the program only.
pub(super) fn reduction_mode(dims: &[usize], outer: &[usize], reduced: &[usize], loads: &[&Term]) -> Mode {
    let count = |axes: &[usize]| axes.iter().map(|axis| dims[*axis]).product::<usize>();
    let innermost = |axes: &[usize]| axes.iter().rev().copied().find(|axis| dims[*axis] > 1);
    let (Some(kept), Some(gone)) = (innermost(outer), innermost(reduced)) else {
        return if innermost(outer).is_some() { Mode::Across } else { Mode::Along };
    };
    let cost = |axis: usize| loads.iter().map(|term| term.strides[axis].unsigned_abs().min(4096)).sum::<u64>();
    let few = count(reduced) <= 8 && count(outer) >= 64;
    if few || (dims[kept] >= 8 && cost(kept) < cost(gone)) { Mode::Across } else { Mode::Along }
}
