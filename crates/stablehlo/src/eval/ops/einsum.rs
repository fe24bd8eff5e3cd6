//! `einsum` and `unary_einsum`: sums of products whose dimensions are labelled.

use super::axes::advance;
use super::dot::{Accumulator, Domain, domain};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::Complex;
use crate::eval::tensor::{Tensor, element_count, row_major_strides};

/// For each index of the output labels the sum, over the other labels, of the product of the operands (one or two).
///
/// `config` is such as `ij,jk->ik`; a label that an operand repeats takes its diagonal. Arithmetic is that of
/// `dot_general`. Fails when the labels do not fit the operands.
pub fn einsum(config: &str, operands: &[Tensor], result_type: ElementType) -> Result<Tensor, OpError> {
    let [lhs, rhs @ ..] = operands else { return Err(OpError::invalid("takes one or two operands")) };
    let rhs_type = rhs.first().map_or(lhs.element_type(), Tensor::element_type);
    match domain(lhs.element_type(), rhs_type, result_type) {
        Domain::Integer => sums::<u64>(config, operands, result_type, 1),
        Domain::Float => sums::<f64>(config, operands, result_type, 1.0),
        Domain::Complex => sums::<Complex>(config, operands, result_type, Complex::real(1.0)),
    }
}

/// A label with its size and its step in each operand.
struct Label {
    name: char,
    size: usize,
    steps: [usize; 2],
}

fn sums<A: Accumulator>(
    config: &str,
    operands: &[Tensor],
    result_type: ElementType,
    one: A,
) -> Result<Tensor, OpError> {
    let mismatch = || {
        let shapes: Vec<String> = operands.iter().map(Tensor::describe).collect();
        OpError::invalid(format!("einsum_config {config:?} does not fit {}", shapes.join(" and ")))
    };
    let (inputs, output) = config.split_once("->").ok_or_else(mismatch)?;
    let inputs: Vec<&str> = inputs.split(',').map(str::trim).collect();
    if inputs.len() != operands.len() || inputs.len() > 2 {
        return Err(mismatch());
    }
    let mut labels: Vec<Label> = Vec::new();
    for (i, (names, operand)) in inputs.iter().zip(operands).enumerate() {
        if names.chars().count() != operand.rank() {
            return Err(mismatch());
        }
        for ((name, &size), step) in names.chars().zip(operand.dims()).zip(row_major_strides(operand.dims())) {
            match labels.iter_mut().find(|label| label.name == name) {
                Some(label) if label.size != size => return Err(mismatch()),
                Some(label) => label.steps[i] += step,
                None => {
                    let mut steps = [0; 2];
                    steps[i] = step;
                    labels.push(Label { name, size, steps });
                }
            }
        }
    }
    // Output labels first, in their order; the others are summed over.
    let mut kept = Vec::new();
    for name in output.trim().chars() {
        kept.push(labels.swap_remove(labels.iter().position(|label| label.name == name).ok_or_else(mismatch)?));
    }
    let dims: Vec<usize> = kept.iter().map(|label| label.size).collect();
    let summed: Vec<usize> = labels.iter().map(|label| label.size).collect();
    let count = element_count(&dims).ok_or_else(mismatch)?;
    let loaded: Vec<Vec<A>> = operands.iter().map(A::load).collect::<Result<_, _>>()?;
    let offset = |labels: &[Label], index: &[usize], operand: usize| -> usize {
        labels.iter().zip(index).map(|(label, &at)| label.steps[operand] * at).sum()
    };
    let mut results = Vec::with_capacity(count);
    let mut place = vec![0; dims.len()];
    for _ in 0..count {
        let mut sum = A::ZERO;
        let mut index = vec![0; summed.len()];
        let mut more = !summed.contains(&0);
        while more {
            let element =
                |i: usize| loaded.get(i).map_or(one, |x| x[offset(&kept, &place, i) + offset(&labels, &index, i)]);
            sum = sum.add_product(element(0), element(1));
            more = advance(&mut index, &summed);
        }
        results.push(sum);
        advance(&mut place, &dims);
    }
    A::store(&results, result_type, &dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_transposes_diagonals_and_sums() {
        let a = Tensor::from_vec(&[2, 2], vec![1i32, 2, 3, 4]);
        let of = |config: &str, operands: &[Tensor]| {
            einsum(config, operands, ElementType::I32).map(|x| x.as_slice::<i32>().to_vec())
        };
        assert_eq!(of("ij,jk->ik", &[a.clone(), a.clone()]).unwrap(), [7, 10, 15, 22]);
        assert_eq!(of("ij->ji", std::slice::from_ref(&a)).unwrap(), [1, 3, 2, 4]);
        assert_eq!(of("ii->i", std::slice::from_ref(&a)).unwrap(), [1, 4]);
        assert_eq!(of("ii->", std::slice::from_ref(&a)).unwrap(), [5]);
        assert_eq!(of("ij->i", std::slice::from_ref(&a)).unwrap(), [3, 7]);
        let (two, none) = (Tensor::from_vec(&[2], vec![1i32, 2]), Tensor::from_vec(&[0], Vec::<i32>::new()));
        assert!(of("i,j->ij", &[two, none]).unwrap().is_empty());
        assert!(of("ij,jk->il", &[a.clone(), a.clone()]).is_err());
        assert!(of("ijk->i", std::slice::from_ref(&a)).is_err());
    }
}
