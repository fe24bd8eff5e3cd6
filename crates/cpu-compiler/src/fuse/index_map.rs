//! Which element of an array belongs to a point of a loop, as linear functions of the point.

use crate::array_type::ArrayType;

/// `offset + Σ factors[k] · point[k]`, and what a loop has computed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Linear {
    pub offset: i64,
    pub factors: Vec<i64>,
    pub computed: Vec<Computed>,
}

/// `clamp(value, 0, size − 1) · scale`, where the value is one of the loop's, an i64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Computed {
    pub value: cpu_vir::Value,
    pub size: usize,
    pub scale: i64,
}

impl Linear {
    /// The same everywhere.
    pub fn constant(offset: i64, rank: usize) -> Linear {
        Linear { offset, factors: vec![0; rank], computed: Vec::new() }
    }
}

/// The index along each dimension of an array, for every point of an iteration space, and the box of the points that
/// it is meant for; outside of it there may be no such element.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct IndexMap {
    pub dims: Vec<Linear>,
    /// Half-open ranges, one for each dimension of the iteration space; `None` is all of it.
    pub bounds: Option<Vec<(usize, usize)>>,
}

impl IndexMap {
    /// Dimension `d` of the array is dimension `of[d]` of the iteration space.
    pub fn select(rank: usize, of: &[usize]) -> IndexMap {
        let unit = |&k: &usize| {
            let mut linear = Linear::constant(0, rank);
            linear.factors[k] = 1;
            linear
        };
        IndexMap { dims: of.iter().map(unit).collect(), bounds: None }
    }

    /// The same map of an operand that lacks dimensions or has them in another order: its dimension `d` is `of[d]` here.
    pub fn pick(&self, of: &[usize]) -> IndexMap {
        IndexMap { dims: of.iter().map(|&d| self.dims[d].clone()).collect(), bounds: self.bounds.clone() }
    }

    /// Each index times `scale[d]` plus `offset[d]`.
    pub fn scaled(&self, scale: impl Fn(usize) -> i64, offset: impl Fn(usize) -> i64) -> IndexMap {
        let dim = |(d, linear): (usize, &Linear)| Linear {
            offset: linear.offset * scale(d) + offset(d),
            factors: linear.factors.iter().map(|factor| factor * scale(d)).collect(),
            computed: scaled(&linear.computed, scale(d)).collect(),
        };
        IndexMap { dims: self.dims.iter().enumerate().map(dim).collect(), bounds: self.bounds.clone() }
    }

    /// The position in a dense row-major array; `rank` is that of the iteration space.
    pub fn flat(&self, ty: &ArrayType, rank: usize) -> Linear {
        let mut flat = Linear::constant(0, rank);
        let mut stride = 1i64;
        for (linear, &size) in self.dims.iter().zip(&ty.dims).rev() {
            flat.offset += linear.offset * stride;
            for (sum, factor) in flat.factors.iter_mut().zip(&linear.factors) {
                *sum += factor * stride;
            }
            flat.computed.extend(scaled(&linear.computed, stride));
            stride = stride.saturating_mul(size.max(1) as i64);
        }
        flat
    }

    /// The map of an array of other dimensions with the same elements in row-major order; `None` when its indices are
    /// no linear functions. `space`: sizes of the iteration space.
    pub fn reshaped(&self, from: &ArrayType, to: &ArrayType, space: &[usize]) -> Option<IndexMap> {
        // Guarded maps may be out of range, where digits mean nothing.
        if self.bounds.is_some() {
            return None;
        }
        if self.is_computed() {
            return self.with_ones(from, to, space.len());
        }
        if space.contains(&0) {
            // No point, so any map will do.
            let nowhere = Linear::constant(0, space.len());
            return Some(IndexMap { dims: vec![nowhere; to.dims.len()], bounds: None });
        }
        let flat = self.flat(from, space.len());
        let mut strides = vec![1i64; to.dims.len()];
        for d in (1..to.dims.len()).rev() {
            strides[d - 1] = strides[d].checked_mul(to.dims[d].max(1) as i64)?;
        }
        let mut rest = flat.offset;
        let mut dims: Vec<Linear> = Vec::with_capacity(to.dims.len());
        for &stride in &strides {
            dims.push(Linear::constant(rest.div_euclid(stride), space.len()));
            rest = rest.rem_euclid(stride);
        }
        // The extent of each index so far: least and most.
        let mut least: Vec<i64> = dims.iter().map(|linear| linear.offset).collect();
        let mut most = least.clone();
        for (k, (&factor, &size)) in flat.factors.iter().zip(space).enumerate() {
            if factor == 0 || size <= 1 {
                continue;
            }
            // Split the factor into digits; each must be a whole number of steps along one dimension.
            let mut left = factor;
            for d in 0..to.dims.len() {
                let steps = left / strides[d];
                if steps == 0 {
                    continue;
                }
                left -= steps * strides[d];
                dims[d].factors[k] = steps;
                let reach = steps * (size as i64 - 1);
                if reach < 0 { least[d] += reach } else { most[d] += reach }
            }
            if left != 0 {
                return None;
            }
        }
        let inside = (0..to.dims.len()).all(|d| least[d] >= 0 && most[d] < to.dims[d] as i64);
        inside.then_some(IndexMap { dims, bounds: None })
    }

    /// Whether some index is one that the loop has computed.
    pub fn is_computed(&self) -> bool {
        self.dims.iter().any(|linear| !linear.computed.is_empty())
    }

    /// The map of an array that has dimensions of size 1 elsewhere; `None` when other dimensions change.
    fn with_ones(&self, from: &ArrayType, to: &ArrayType, rank: usize) -> Option<IndexMap> {
        let kept = self.dims.iter().zip(&from.dims).filter(|(_, size)| **size != 1);
        let mut kept = kept.map(|(linear, size)| (linear.clone(), *size));
        let dims = to.dims.iter().map(|&size| match size {
            1 => Some(Linear::constant(0, rank)),
            _ => kept.next().and_then(|(linear, same)| (same == size).then_some(linear)),
        });
        let dims = dims.collect::<Option<Vec<_>>>()?;
        kept.next().is_none().then_some(IndexMap { dims, bounds: None })
    }

    /// Restricts the map to the points whose index along every dimension is one of the array's; `None` when that is no
    /// box of points.
    pub fn guarded(&self, ty: &ArrayType, space: &[usize]) -> Option<IndexMap> {
        if self.is_computed() {
            return None;
        }
        let mut bounds = self.bounds.clone().unwrap_or_else(|| space.iter().map(|&size| (0, size)).collect());
        for (linear, &size) in self.dims.iter().zip(&ty.dims) {
            let mut moving = linear.factors.iter().enumerate().filter(|(k, factor)| **factor != 0 && space[*k] > 1);
            let size = size as i64;
            match (moving.next(), moving.next()) {
                (None, _) => {
                    if !(0..size).contains(&linear.offset) {
                        bounds.iter_mut().for_each(|bound| bound.1 = bound.0);
                    }
                }
                (Some((k, &factor)), None) => {
                    // 0 ≤ offset + factor · i < size
                    let (low, high) = match factor > 0 {
                        true => {
                            let low = (-linear.offset).div_euclid(factor)
                                + i64::from((-linear.offset).rem_euclid(factor) != 0);
                            let high = (size - linear.offset).div_euclid(factor)
                                + i64::from((size - linear.offset).rem_euclid(factor) != 0);
                            (low, high)
                        }
                        false => {
                            let step = -factor;
                            let low = (linear.offset - size + 1).div_euclid(step)
                                + i64::from((linear.offset - size + 1).rem_euclid(step) != 0);
                            (low, linear.offset.div_euclid(step) + 1)
                        }
                    };
                    let bound = &mut bounds[k];
                    let low = low.clamp(bound.0 as i64, bound.1 as i64) as usize;
                    *bound = (low, high.clamp(low as i64, bound.1 as i64) as usize);
                }
                _ => return None,
            }
        }
        let whole = bounds.iter().zip(space).all(|(bound, &size)| *bound == (0, size));
        Some(IndexMap { dims: self.dims.clone(), bounds: (!whole).then_some(bounds) })
    }
}

fn scaled(computed: &[Computed], by: i64) -> impl Iterator<Item = Computed> + '_ {
    computed.iter().map(move |one| Computed { scale: one.scale.saturating_mul(by), ..*one })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stablehlo::ElementType;

    fn ty(dims: &[usize]) -> ArrayType {
        ArrayType::new(ElementType::F32, dims)
    }

    #[test]
    fn reshapes_that_split_or_join_dimensions_are_followed_where_they_are_linear() {
        let space = [4, 6];
        let identity = IndexMap::select(2, &[0, 1]);
        // 4x6 as 24: joined.
        let joined = identity.reshaped(&ty(&[4, 6]), &ty(&[24]), &space).unwrap();
        assert_eq!(joined.dims[0].factors, [6, 1]);
        // 4x6 as 2x2x6 needs digits of the first index.
        assert!(identity.reshaped(&ty(&[4, 6]), &ty(&[2, 2, 6]), &space).is_none());
        // Sizes of 1 come and go.
        let thin = identity.reshaped(&ty(&[4, 6]), &ty(&[4, 1, 6, 1]), &space).unwrap();
        assert_eq!(thin.dims[2].factors, [0, 1]);
        // A loop over 2x2x6 reads 4x6.
        let split = IndexMap::select(3, &[0, 1, 2]);
        let read = split.reshaped(&ty(&[2, 2, 6]), &ty(&[4, 6]), &[2, 2, 6]).unwrap();
        assert_eq!(read.dims[0].factors, [2, 1, 0]);
    }

    #[test]
    fn computed_indices_are_followed_where_dimensions_stay() {
        let mut map = IndexMap::select(2, &[0, 1]);
        let value = cpu_vir::Value(7);
        map.dims[1].computed.push(Computed { value, size: 5, scale: 1 });
        // 4x6 as 4x1x6 and back, but not as 24.
        let thin = map.reshaped(&ty(&[4, 6]), &ty(&[4, 1, 6]), &[4, 2]).unwrap();
        assert_eq!(thin.dims[1], Linear::constant(0, 2));
        assert_eq!(thin.dims[2], map.dims[1]);
        assert_eq!(thin.reshaped(&ty(&[4, 1, 6]), &ty(&[4, 6]), &[4, 2]), Some(map.clone()));
        assert!(map.reshaped(&ty(&[4, 6]), &ty(&[24]), &[4, 2]).is_none());
        // Reversed, in a column of 4x6.
        let back = map.scaled(|_| -1, |d| [3, 5][d]);
        let flat = back.flat(&ty(&[4, 6]), 2);
        assert_eq!((flat.offset, flat.factors), (23, vec![-6, -1]));
        assert_eq!(flat.computed, [Computed { value, size: 5, scale: -1 }]);
        assert!(map.guarded(&ty(&[4, 3]), &[4, 2]).is_none());
    }

    #[test]
    fn guards_are_the_points_inside() {
        let space = [10];
        let map = IndexMap::select(1, &[0]).scaled(|_| 1, |_| -3);
        assert_eq!(map.guarded(&ty(&[4]), &space).unwrap().bounds, Some(vec![(3, 7)]));
        let back = IndexMap::select(1, &[0]).scaled(|_| -1, |_| 5);
        assert_eq!(back.guarded(&ty(&[4]), &space).unwrap().bounds, Some(vec![(2, 6)]));
        let every_other = IndexMap::select(1, &[0]).scaled(|_| 2, |_| -3);
        assert_eq!(every_other.guarded(&ty(&[4]), &space).unwrap().bounds, Some(vec![(2, 4)]));
        assert_eq!(map.guarded(&ty(&[4]), &[3]).unwrap().bounds, Some(vec![(3, 3)]));
    }
}
