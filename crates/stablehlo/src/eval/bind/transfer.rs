//! Binds what goes to and comes from the host and other processes: `infeed`, `outfeed`, `send`, `recv`.

use super::{Binder, plain, tensors};
use crate::eval::error::OpError;
use crate::eval::parallel::{Channel, Permutation, Site};
use crate::eval::plan::Kernel;
use crate::eval::process::Process;
use crate::eval::value::Value;
use crate::ir::{OpCode, OpRef};

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    let site = Site::new(op);
    Ok(Some(match op.code() {
        OpCode::Infeed => {
            let count = op.results().len().saturating_sub(1);
            plain(move |context, _| {
                let values = context.environment.feeds()?.next_infeed(count)?;
                Ok(values.into_iter().map(Value::from).chain([Value::Token]).collect())
            })
        }
        OpCode::Outfeed => plain(|context, mut operands| {
            operands.pop();
            context.environment.feeds()?.push_outfeed(tensors(operands)?);
            Ok(vec![Value::Token])
        }),
        OpCode::Send => {
            let route = Route::new(op)?;
            plain(move |context, mut operands| {
                operands.pop();
                let values = tensors(operands)?;
                if let Some(channel) = route.of_sender(context.environment.process)? {
                    context.environment.send(channel, values)?;
                }
                Ok(vec![Value::Token])
            })
        }
        OpCode::Recv => {
            let route = Route::new(op)?;
            let count = op.results().len().saturating_sub(1);
            plain(move |context, _| {
                let channel = route.of_receiver(context.environment.process)?;
                let values = context.environment.receive(&site, channel)?;
                if values.len() != count {
                    return Err(OpError::invalid(format!("receives {} tensors and takes {count}", values.len())));
                }
                Ok(values.into_iter().map(Value::from).chain([Value::Token]).collect())
            })
        }
        _ => return Ok(None),
    }))
}

/// The way of a send or receive. The host hands on what it gets on a channel to whoever receives on that channel.
struct Route {
    id: i64,
    /// Between devices: which partition sends to which.
    pairs: Option<Permutation>,
}

impl Route {
    fn new(op: OpRef<'_>) -> Result<Route, OpError> {
        let id = op.channel_handle()?.map_or(0, |channel| channel.handle);
        let pairs = super::collective::pairs(op)?;
        let between_devices = !op.bool_or("is_host_transfer", false)?;
        if between_devices && pairs.is_empty() {
            return Err(OpError::invalid(
                "a transfer between devices needs `source_target_pairs`; set `is_host_transfer` for one by the host",
            ));
        }
        Ok(Route { id, pairs: between_devices.then_some(Permutation { pairs, cross_partition: true }) })
    }

    /// The channel on which a process sends; `None` if it is no source.
    fn of_sender(&self, process: Process) -> Result<Option<Channel>, OpError> {
        match &self.pairs {
            None => Ok(Some(Channel { id: self.id, target: None })),
            Some(pairs) => {
                let target = pairs.target(process)?;
                Ok(target.map(|target| Channel { id: self.id, target: Some(target) }))
            }
        }
    }

    /// The channel on which a process receives. Fails if it is no target.
    fn of_receiver(&self, process: Process) -> Result<Channel, OpError> {
        let Some(pairs) = &self.pairs else { return Ok(Channel { id: self.id, target: None }) };
        let source = pairs.route(process)?.and_then(|route| route.source);
        source.ok_or_else(|| OpError::invalid("`source_target_pairs` has no source for this process"))?;
        Ok(Channel { id: self.id, target: Some(process.index()) })
    }
}
