//! The exchange of as many rows as each process says: what `ragged_all_to_all` computes.

use super::movement::{dynamic_update_slice, slice};
use crate::eval::error::OpError;
use crate::eval::tensor::Tensor;

/// What member `seat` of a group receives.
///
/// Operands of each member: its rows, its result before the exchange, then integers, as many for each member of the
/// group: where the rows that it sends to that one begin, how many they are, where they go in the result of the
/// receiver, and how many rows it receives. Rows are counted along dimension 0.
///
/// # Errors
/// If operands do not fit, rows are outside of their arrays, or sender and receiver state different numbers.
pub fn receive_rows(members: &[Vec<Tensor>], seat: usize) -> Result<Tensor, OpError> {
    let mut result = operands(members, seat)?[1].clone();
    let (received, each) = numbers(members, seat, 5)?;
    for sender in 0..members.len() {
        let rows = &operands(members, sender)?[0];
        let [from, count, to] = [2, 3, 4].map(|i| numbers(members, sender, i));
        let (from, count, to) = (from?.0, count?.0, to?.0);
        for part in 0..each {
            let (out, back) = (seat * each + part, sender * each + part);
            let inside = |at: i64, x: &Tensor| {
                let end = at.checked_add(count[out]).filter(|&end| at >= 0 && count[out] >= 0 && end <= length(x));
                end.ok_or_else(|| {
                    OpError::invalid(format!("{} rows from {at} on are not inside {}", count[out], x.describe()))
                })
            };
            if received[back] != count[out] {
                return Err(OpError::invalid(format!(
                    "member {sender} sends {} rows to member {seat}, which receives {}",
                    count[out], received[back]
                )));
            }
            let end = inside(from[out], rows)?;
            inside(to[out], &result)?;
            let (mut start, mut limit) = (vec![0; rows.rank()], rows.dims().to_vec());
            (start[0], limit[0]) = (from[out] as usize, end as usize);
            let sent = slice(rows, &start, &limit, &vec![1; rows.rank()])?;
            let mut place = vec![0; rows.rank()];
            place[0] = to[out];
            result = dynamic_update_slice(result, &sent, &place)?;
        }
    }
    Ok(result)
}

fn length(x: &Tensor) -> i64 {
    x.dims()[0] as i64
}

/// The six operands of a member.
fn operands(members: &[Vec<Tensor>], member: usize) -> Result<&[Tensor; 6], OpError> {
    let given = &members[member];
    let six = <&[Tensor; 6]>::try_from(&**given).ok();
    let fits = |x: &&[Tensor; 6]| x[0].rank() > 0 && x[0].rank() == x[1].rank() && x[0].dims()[1..] == x[1].dims()[1..];
    six.filter(fits).ok_or_else(|| {
        let types: Vec<String> = given.iter().map(Tensor::describe).collect();
        OpError::invalid(format!(
            "takes two arrays of rows of one shape and four lists of integers, found {}",
            types.join(", ")
        ))
    })
}

/// One of the lists of integers of a member, and how many of them there are for each member of the group.
fn numbers(members: &[Vec<Tensor>], member: usize, operand: usize) -> Result<(Vec<i64>, usize), OpError> {
    let list = operands(members, member)?[operand].to_i64s()?;
    let each = operands(members, member)?[5].len() / members.len();
    if each == 0 || list.len() != each * members.len() {
        return Err(OpError::invalid(format!(
            "operand {operand} has {} numbers, which is not one list for each of {} members",
            list.len(),
            members.len()
        )));
    }
    Ok((list, each))
}
