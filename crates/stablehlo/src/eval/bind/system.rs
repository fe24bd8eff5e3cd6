//! Binds tuples, tokens, annotations, random numbers and processes.

use super::{Binder, exactly, identity, plain, tensors};
use crate::eval::error::OpError;
use crate::eval::ops::axes::sizes;
use crate::eval::ops::rng::{rng, rng_bit_generator};
use crate::eval::plan::Kernel;
use crate::eval::tensor::Tensor;
use crate::eval::value::Value;
use crate::ir::OpCode;

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    Ok(Some(match op.code() {
        OpCode::OptimizationBarrier
        | OpCode::BuiltinUnrealizedConversionCast
        | OpCode::SdyShardingConstraint
        | OpCode::SdyReshard
        | OpCode::SdyPropagationBarrier
        | OpCode::SdyDataFlowEdge
        // On whole arrays they change where elements lie, and nothing else.
        | OpCode::SdyAllGather
        | OpCode::SdyAllReduce
        | OpCode::SdyAllSlice
        | OpCode::SdyAllToAll
        | OpCode::SdyCollectivePermute
        | OpCode::SdyReduceScatter
        | OpCode::SdyReplicatedToUnreduced
        | OpCode::SdyShardedToUnreduced => identity(),
        OpCode::CreateToken | OpCode::AfterAll => plain(|_, _| Ok(vec![Value::Token])),
        // Says something to whoever watches; nobody does.
        OpCode::Trace => plain(|_, _| Ok(Vec::new())),
        OpCode::Tuple => plain(|_, operands| Ok(vec![Value::Tuple(operands)])),
        OpCode::GetTupleElement => {
            let index = op.int("index")?;
            plain(move |_, operands| match operands.into_iter().next() {
                Some(Value::Tuple(mut values)) if (0..values.len() as i64).contains(&index) => {
                    Ok(vec![values.swap_remove(index as usize)])
                }
                _ => Err(OpError::invalid(format!("operand 0 must be a tuple with an element {index}"))),
            })
        }
        OpCode::PartitionId => {
            plain(|context, _| Ok(vec![Tensor::scalar(context.environment.process.partition_id).into()]))
        }
        OpCode::ReplicaId => {
            plain(|context, _| Ok(vec![Tensor::scalar(context.environment.process.replica_id).into()]))
        }
        OpCode::RngBitGenerator => {
            let algorithm = op.rng_algorithm()?;
            let (ty, dims) = (binder.result_element(1)?, binder.result_dims(1)?);
            plain(move |_, operands| {
                let [state] = exactly(tensors(operands)?)?;
                let (next, bits) = rng_bit_generator(algorithm, &state, ty, &dims)?;
                Ok(vec![next.into(), bits.into()])
            })
        }
        OpCode::Rng => {
            let distribution = op.rng_distribution()?;
            plain(move |context, operands| {
                let [a, b, shape] = exactly(tensors(operands)?)?;
                let dims = sizes("shape", &shape.to_i64s()?)?;
                Ok(vec![rng(distribution, &a, &b, &dims, context.environment.next_draw())?.into()])
            })
        }
        OpCode::CustomCall => super::custom_call::custom_call(binder)?,
        _ => return Ok(None),
    }))
}
