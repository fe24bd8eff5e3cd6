//! How the result of a reshape is spread. Both shapes are cut into common factors, from the outermost on; axes of a
//! mesh go with the factors that they cut.

use super::propagation::{open, with_dims};
use stablehlo::ir::OpRef;
use stablehlo::ir::attrs::{AxisRef, TensorSharding};

/// A part of a dimension: its extent, and the part of the other shape that it is, unless it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Factor {
    extent: i64,
    shared: Option<usize>,
}

/// The parts of each dimension, outermost first.
type Factors = Vec<Vec<Factor>>;

/// The sharding of a reshape of an array; `size` says how many devices an axis has.
pub(super) fn reshaped(
    op: OpRef<'_>,
    sharding: &TensorSharding,
    size: impl Fn(&AxisRef) -> Option<i64>,
) -> Option<TensorSharding> {
    let (from, to) = (&op.operand_tensor(0)?.dims, &op.result_tensor(0)?.dims);
    let (from, to, count) = common_factors(from, to)?;
    let mut axes_of = vec![Vec::new(); count];
    for (factors, dim) in from.iter().zip(&sharding.dim_shardings) {
        let mut axes = dim.axes.iter().peekable();
        for factor in factors {
            let mut left = factor.extent;
            while let Some(extent) = axes.peek().and_then(|axis| size(axis)).filter(|extent| left % extent == 0) {
                left /= extent;
                let axis = axes.next()?;
                if let Some(shared) = factor.shared {
                    axes_of[shared].push(*axis);
                }
            }
            // What cuts parts of a factor only would need parts of axes further in.
            if left != 1 {
                break;
            }
        }
    }
    let dims = to.iter().map(|factors| {
        let mut axes: Vec<AxisRef> = Vec::new();
        for factor in factors {
            let Some(shared) = factor.shared else { break };
            axes.extend(&axes_of[shared]);
            let cut: i64 = axes_of[shared].iter().filter_map(&size).product();
            if cut != factor.extent {
                break;
            }
        }
        open(&axes)
    });
    Some(with_dims(sharding, dims.collect()))
}

/// Both shapes in factors, and how many of those they share; none for shapes without elements.
fn common_factors(from: &[i64], to: &[i64]) -> Option<(Factors, Factors, usize)> {
    if from.contains(&0) || to.contains(&0) {
        return None;
    }
    let (mut left, mut right) = (vec![Vec::new(); from.len()], vec![Vec::new(); to.len()]);
    let mut count = 0;
    let (mut i, mut j) = (0, 0);
    let (mut a, mut b) = (1, 1);
    loop {
        while a == 1 && i < from.len() {
            (a, i) = (from[i], i + 1);
        }
        while b == 1 && j < to.len() {
            (b, j) = (to[j], j + 1);
        }
        if a == 1 || b == 1 {
            return Some((left, right, count));
        }
        let common = gcd(a, b);
        if common > 1 {
            left[i - 1].push(Factor { extent: common, shared: Some(count) });
            right[j - 1].push(Factor { extent: common, shared: Some(count) });
            (a, b, count) = (a / common, b / common, count + 1);
            continue;
        }
        // Nothing in common until the products meet again.
        left[i - 1].push(Factor { extent: a, shared: None });
        right[j - 1].push(Factor { extent: b, shared: None });
        while a != b {
            let (product, factors, dims, next) = match a < b {
                true => (&mut a, &mut left, from, &mut i),
                false => (&mut b, &mut right, to, &mut j),
            };
            let extent = *dims.get(*next)?;
            factors[*next].push(Factor { extent, shared: None });
            *product = product.checked_mul(extent)?;
            *next += 1;
        }
        (a, b) = (1, 1);
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Factors as text: `2a` is shared, `3` is not.
    fn text(factors: &Factors) -> String {
        let one = |factor: &Factor| {
            let name = factor.shared.map_or(String::new(), |shared| char::from(b'a' + shared as u8).to_string());
            format!("{}{name}", factor.extent)
        };
        let dim = |factors: &Vec<Factor>| factors.iter().map(one).collect::<Vec<_>>().join("*");
        factors.iter().map(dim).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn shapes_are_cut_into_common_factors() {
        for (from, to, expected) in [
            (&[8, 4][..], &[2, 16][..], "2a*4b 4c | 2a 4b*4c"),
            (&[4, 1, 2], &[4, 2], "4a  2b | 4a 2b"),
            (&[6], &[2, 3], "2a*3b | 2a 3b"),
            (&[2, 3], &[3, 2], "2 3 | 3 2"),
            (&[4, 3, 5], &[6, 2, 5], "2a*2 3 5b | 2a*3 2 5b"),
            (&[], &[1, 1], " |  "),
        ] {
            let (left, right, _) = common_factors(from, to).unwrap();
            assert_eq!(format!("{} | {}", text(&left), text(&right)), expected);
        }
        assert!(common_factors(&[0, 2], &[0]).is_none());
    }
}
