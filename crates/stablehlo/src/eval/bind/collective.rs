//! Binds collectives, and the asynchronous ops that wrap them.

use std::sync::Arc;

use super::mesh_groups::mesh_groups;
use super::{Binder, exactly, plain, tensors};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::machine::{Context, RegionBody};
use crate::eval::ops::axes::axis;
use crate::eval::ops::binary::BinaryOp;
use crate::eval::ops::body::{BinaryBody, Body};
use crate::eval::ops::collective::{reduce_processes, split_part};
use crate::eval::ops::movement::concatenate;
use crate::eval::parallel::{Contributions, GroupRules, Groups, Permutation, Site, Strategy};
use crate::eval::plan::{Kernel, RegionFunction};
use crate::eval::tensor::Tensor;
use crate::eval::value::Value;
use crate::ir::{OpCode, OpRef, ReplicaGroups};

pub(super) const COMPLETE: GroupRules = GroupRules { complete: true, ragged: false };
const RAGGED: GroupRules = GroupRules { complete: true, ragged: true };
const PARTIAL: GroupRules = GroupRules { complete: false, ragged: false };

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    Ok(Some(match op.code() {
        OpCode::AllGather => {
            let collective = Collective::new(op, all_strategies(op)?, COMPLETE)?;
            let dimension = axis("all_gather_dim", op.int("all_gather_dim")?, binder.operand_rank(0)?)?;
            plain(move |context, operands| {
                let all = collective.exchange(context, operands)?.required()?;
                (0..collective.count).map(|i| Ok(concatenate(&all.column(i)?, dimension)?.into())).collect()
            })
        }
        OpCode::AllReduce => {
            let collective = Collective::new(op, all_strategies(op)?, RAGGED)?;
            let (body, elements) = (computation(binder)?, elements(binder)?);
            plain(move |context, operands| {
                let body = RegionBody::new(context, &body, &operands);
                let all = collective.exchange(context, operands)?.required()?;
                all.reduced(&elements, &body)
            })
        }
        OpCode::CrossReplicaSum => {
            let collective = Collective::new(op, Strategy::CrossReplica, RAGGED)?;
            let elements = elements(binder)?;
            plain(move |context, operands| {
                let all = collective.exchange(context, operands)?.required()?;
                all.reduced(&elements, &BinaryBody(BinaryOp::Add))
            })
        }
        OpCode::ReduceScatter => {
            let collective = Collective::new(op, all_strategies(op)?, COMPLETE)?;
            let (body, element) = (computation(binder)?, binder.result_element(0)?);
            let dimension = axis("scatter_dimension", op.int("scatter_dimension")?, binder.operand_rank(0)?)?;
            plain(move |context, operands| {
                let body = RegionBody::new(context, &body, &operands);
                let all = collective.exchange(context, operands)?.required()?;
                // Only the part that this process keeps is reduced; reducing and splitting commute.
                let parts = all.column(0)?.into_iter().map(|x| split_part(x, all.parts.len(), dimension, all.seat));
                let parts = parts.collect::<Result<Vec<Tensor>, OpError>>()?;
                Ok(vec![reduce_processes(&parts.iter().collect::<Vec<_>>(), element, &body)?.into()])
            })
        }
        OpCode::AllToAll => {
            let collective = Collective::new(op, one_dimension(op)?, COMPLETE)?;
            let rank = binder.operand_rank(0)?;
            let split = axis("split_dimension", op.int("split_dimension")?, rank)?;
            let concat = axis("concat_dimension", op.int("concat_dimension")?, rank)?;
            let count = op.int("split_count")?;
            plain(move |context, operands| {
                let all = collective.exchange(context, operands)?.required()?;
                if all.parts.len() as i64 != count {
                    return Err(OpError::invalid(format!(
                        "split_count is {count}, and the group has {} processes",
                        all.parts.len()
                    )));
                }
                let received = |i: usize| {
                    let parts = all.column(i)?.into_iter().map(|x| split_part(x, all.parts.len(), split, all.seat));
                    let parts = parts.collect::<Result<Vec<Tensor>, OpError>>()?;
                    Ok(concatenate(&parts.iter().collect::<Vec<_>>(), concat)?.into())
                };
                (0..collective.count).map(received).collect()
            })
        }
        OpCode::CollectiveBroadcast => {
            let collective = Collective::new(op, one_dimension(op)?, PARTIAL)?;
            let (dynamic, results) = (op.bool_or("has_dynamic_root", false)?, elements(binder)?.len());
            plain(move |context, operands| {
                let all = match collective.exchange(context, operands)? {
                    Exchange::Alone(own) => return zeros(&own, results),
                    Exchange::Group(all) => all,
                };
                let roots = all.roots(dynamic, results)?;
                roots.iter().enumerate().map(|(i, &root)| Ok(operand(&all.parts[root], i)?.clone().into())).collect()
            })
        }
        OpCode::CollectiveReduce => {
            let strategy = all_strategies(op)?;
            if strategy == Strategy::CrossReplicaAndPartition {
                // The specification says cross_partition, its interpreter cross_replica_and_partition.
                return Err(OpError::unsupported(
                    "a channel without global device ids, whose groups are not agreed upon; set \
                     use_global_device_ids, or leave the channel out",
                ));
            }
            let collective = Collective::new(op, strategy, GroupRules { complete: false, ragged: true })?;
            let (body, elements) = (computation(binder)?, elements(binder)?);
            let dynamic = op.bool_or("has_dynamic_root", false)?;
            plain(move |context, operands| {
                let body = RegionBody::new(context, &body, &operands);
                let zero = |i: usize, own: &[Tensor]| Ok(Tensor::zeros(elements[i], operand(own, i)?.dims()).into());
                let all = match collective.exchange(context, operands)? {
                    Exchange::Alone(own) => return (0..elements.len()).map(|i| zero(i, &own)).collect(),
                    Exchange::Group(all) => all,
                };
                let roots = all.roots(dynamic, elements.len())?;
                let result = |(i, &root): (usize, &usize)| match root == all.seat {
                    true => Ok(reduce_processes(&all.column(i)?, elements[i], &body)?.into()),
                    false => zero(i, &all.parts[all.seat]),
                };
                roots.iter().enumerate().map(result).collect()
            })
        }
        OpCode::CollectivePermute => {
            binder.result_element(0)?;
            let site = Site::new(op);
            let permutation = Permutation { pairs: pairs(op)?, cross_partition: has_channel(op)? };
            plain(move |context, operands| {
                let [x] = exactly(tensors(operands)?)?;
                let zero = Tensor::zeros(x.element_type(), x.dims());
                let Some(route) = permutation.route(context.environment.process)? else {
                    return Ok(vec![zero.into()]);
                };
                let parts = context.environment.exchange(&site, &route.members, vec![x])?;
                Ok(vec![route.source.map_or(zero, |source| parts[source][0].clone()).into()])
            })
        }
        // What is delivered later is computed at once and held in a tuple.
        OpCode::AsyncStart => {
            let (body, count) = (computation(binder)?, op.operands().len());
            plain(move |context, mut operands| {
                let body = RegionBody::new(context, &body, &operands);
                operands.truncate(count);
                Ok(vec![Value::Tuple(body.call(operands)?)])
            })
        }
        OpCode::AsyncDone => plain(|_, operands| match operands.into_iter().next() {
            Some(Value::Tuple(values)) => Ok(values),
            _ => Err(OpError::invalid("operand 0 must be what async_start gave")),
        }),
        _ => return Ok(None),
    }))
}

/// What a collective needs to bring its members together.
pub(super) struct Collective {
    site: Site,
    groups: Groups,
    /// Number of operands; further ones are captured by the region.
    count: usize,
}

/// What a process has of a group.
pub(super) enum Exchange {
    /// It is in no group; its own operands.
    Alone(Vec<Tensor>),
    Group(Gathered),
}

/// The operands of all members of a group.
pub(super) struct Gathered {
    pub parts: Arc<Contributions>,
    /// The place of this process among them.
    pub seat: usize,
}

impl Collective {
    fn new(op: OpRef<'_>, strategy: Strategy, rules: GroupRules) -> Result<Collective, OpError> {
        let lists = match op.replica_groups()? {
            ReplicaGroups::Lists(lists) => lists,
            ReplicaGroups::MeshAxes(axes) => mesh_groups(op, axes)?,
        };
        Ok(Collective::of_groups(op, Groups { lists, strategy, rules }))
    }

    pub fn of_groups(op: OpRef<'_>, groups: Groups) -> Collective {
        Collective { site: Site::new(op), groups, count: op.operands().len() }
    }

    pub fn exchange(&self, context: &Context<'_>, mut operands: Vec<Value>) -> Result<Exchange, OpError> {
        operands.truncate(self.count);
        let own = tensors(operands)?;
        let process = context.environment.process;
        let me = process.index();
        for group in self.groups.process_groups(process.grid())? {
            if let Some(seat) = group.iter().position(|&m| m == me) {
                let parts = context.environment.exchange(&self.site, &group, own)?;
                return Ok(Exchange::Group(Gathered { parts, seat }));
            }
        }
        Ok(Exchange::Alone(own))
    }
}

impl Exchange {
    /// The group, for ops whose groups hold every process.
    pub fn required(self) -> Result<Gathered, OpError> {
        match self {
            Exchange::Group(all) => Ok(all),
            Exchange::Alone(_) => Err(OpError::invalid("the process is in no group of `replica_groups`")),
        }
    }
}

impl Gathered {
    /// Operand `i` of each member.
    fn column(&self, i: usize) -> Result<Vec<&Tensor>, OpError> {
        self.parts.iter().map(|operands| operand(operands, i)).collect()
    }

    fn reduced(&self, elements: &[ElementType], body: &dyn Body) -> Result<Vec<Value>, OpError> {
        let reduce = |(i, &element)| Ok(reduce_processes(&self.column(i)?, element, body)?.into());
        elements.iter().enumerate().map(reduce).collect()
    }

    /// Which member holds the data of each result: the first, or the one that the last operand says.
    fn roots(&self, dynamic: bool, results: usize) -> Result<Vec<usize>, OpError> {
        if !dynamic {
            return Ok(vec![0; results]);
        }
        let roots = operand(&self.parts[self.seat], results)?;
        if let Some(other) = self.parts.iter().find(|operands| operands.get(results) != Some(roots)) {
            return Err(OpError::invalid(format!(
                "members of a group name different roots: {:?} and {:?}",
                roots.to_i64s()?,
                operand(other, results)?.to_i64s()?
            )));
        }
        let roots = roots.to_i64s()?;
        let known = |&root: &i64| usize::try_from(root).ok().filter(|&r| r < self.parts.len());
        let positions: Option<Vec<usize>> = roots.iter().map(known).collect();
        positions.filter(|p| p.len() == results).ok_or_else(|| {
            OpError::invalid(format!(
                "roots {roots:?} do not name one of {} members for each of {results} results",
                self.parts.len()
            ))
        })
    }
}

fn operand(operands: &[Tensor], i: usize) -> Result<&Tensor, OpError> {
    operands.get(i).ok_or_else(|| OpError::invalid(format!("needs more than {} operands", operands.len())))
}

/// Zeros in place of the first operands.
fn zeros(operands: &[Tensor], count: usize) -> Result<Vec<Value>, OpError> {
    (0..count).map(|i| operand(operands, i).map(|x| Tensor::zeros(x.element_type(), x.dims()).into())).collect()
}

fn has_channel(op: OpRef<'_>) -> Result<bool, OpError> {
    Ok(op.channel_handle()?.is_some_and(|channel| channel.handle > 0))
}

/// The strategy of ops that know `use_global_device_ids`.
fn all_strategies(op: OpRef<'_>) -> Result<Strategy, OpError> {
    match (has_channel(op)?, op.bool_or("use_global_device_ids", false)?) {
        (false, false) => Ok(Strategy::CrossReplica),
        (true, false) => Ok(Strategy::CrossReplicaAndPartition),
        (true, true) => Ok(Strategy::FlattenedIds),
        (false, true) => Err(OpError::invalid("use_global_device_ids needs a positive channel id")),
    }
}

/// The strategy of ops that go along replicas, or along partitions if they have a channel.
fn one_dimension(op: OpRef<'_>) -> Result<Strategy, OpError> {
    Ok(if has_channel(op)? { Strategy::CrossPartition } else { Strategy::CrossReplica })
}

pub(super) fn pairs(op: OpRef<'_>) -> Result<Vec<[i64; 2]>, OpError> {
    let rows = op.i64_rows("source_target_pairs")?.unwrap_or_default();
    let pair = |row: Vec<i64>| row.try_into().map_err(|_| OpError::invalid("`source_target_pairs` needs two columns"));
    rows.into_iter().map(pair).collect()
}

/// The only region.
fn computation(binder: &Binder<'_, '_>) -> Result<RegionFunction, OpError> {
    match binder.regions.as_slice() {
        [region] => Ok(region.clone()),
        regions => Err(OpError::invalid(format!("takes one region, found {}", regions.len()))),
    }
}

/// The element types of all results, in which a reduction accumulates.
fn elements(binder: &Binder<'_, '_>) -> Result<Vec<ElementType>, OpError> {
    (0..binder.op.results().len()).map(|i| binder.result_element(i)).collect()
}
