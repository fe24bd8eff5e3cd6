//! Gathers in loops: the index of an element of the operand is computed where the element is wanted.
//!
//! So a chain of element-wise operations in front of the indices goes with the loop, and one in front of the operand is done
//! for the elements that are taken, of which there are no more than there are elements.

use super::cluster::Chooser;
use super::emit::{Emitted, Emitter, NotLinear};
use super::index_map::{Computed, IndexMap, Linear};
use super::lanes::{self, Lane};
use crate::graph::{Graph, MapOp, Op, Value};
use crate::kernel::Gathering;
use cpu_vir::{BinaryOp, Direction};
use stablehlo::ElementType;

/// From how many elements side by side on a kernel that copies them is quicker than a loop.
const LONG_RUN: usize = 8;

/// Indices that more gathers than this have in common are put together for all of them.
const MOST_USERS: usize = 8;

/// What a value gathers, if it does.
pub(super) fn gathering(graph: &Graph, value: Value) -> Option<&Gathering> {
    match graph.op(value) {
        Op::Kernel(kernel) => kernel.gathering(),
        _ => None,
    }
}

/// Whether a value gathers elements that are not worth copying as runs.
pub(super) fn gathers_short_runs(graph: &Graph, value: Value) -> bool {
    gathering(graph, value).is_some_and(|it| it.run < LONG_RUN) && !graph.ty(value).is_empty()
}

impl Chooser<'_> {
    /// Whether a gather goes into a loop.
    pub(super) fn gathers_in_loop(&self, value: Value) -> bool {
        let graph = self.graph();
        let long = || gathering(graph, value).is_some() && !graph.ty(value).is_empty() && self.takes_operand(value);
        gathers_short_runs(graph, value) || long()
    }

    /// Whether a value is put together of the components of index vectors, for gathers in loops only: they want each
    /// component by itself.
    pub(super) fn joins_components(&self, value: Value) -> bool {
        let graph = self.graph();
        let Op::Concatenate(dim) = graph.op(value) else { return false };
        let users = self.users_of(value);
        users.len() <= MOST_USERS
            && users.iter().all(|&user| {
                let gather = graph.node(user).first;
                let fits = gathering(graph, gather).is_some_and(|it| it.dims.index_vector_dim == *dim);
                fits && graph.inputs(gather)[1] == value && self.gathers_in_loop(gather)
            })
    }

    /// Whether a loop may compute the operand of a gather where it is taken.
    pub(super) fn takes_operand(&self, gather: Value) -> bool {
        let graph = self.graph();
        let operand = graph.inputs(gather)[0];
        graph.ty(gather).len() <= graph.ty(operand).len() && self.is_for_one(operand)
    }
}

impl Emitter<'_> {
    /// The element that a gather takes for each point.
    pub(super) fn gather(&mut self, value: Value, gathering: &Gathering, map: &IndexMap) -> Emitted {
        let graph = self.graph();
        let &[operand, indices] = graph.inputs(value) else { return Err(NotLinear(value)) };
        // Outside of the bounds there is no element to take.
        if map.bounds.is_some() {
            return Err(NotLinear(value));
        }
        let dims = &gathering.dims;
        let rank = self.rank();
        let batch: Vec<&Linear> =
            map.dims.iter().enumerate().filter(|(d, _)| !dims.offset_dims.contains(d)).map(|(_, it)| it).collect();
        let batch_at = |dim: usize| batch[dim - usize::from(dim > dims.index_vector_dim)].clone();
        let (from, of_indices) = (graph.ty(operand).clone(), graph.ty(indices).clone());
        let mut offsets = dims.offset_dims.iter().map(|&d| map.dims[d].clone());
        let mut inner = IndexMap { dims: Vec::with_capacity(from.dims.len()), bounds: None };
        for axis in 0..from.dims.len() {
            let paired = dims.operand_batching_dims.iter().position(|&dim| dim == axis);
            let mut linear = match paired {
                Some(at) => batch_at(dims.start_indices_batching_dims[at]),
                None if dims.collapsed_slice_dims.contains(&axis) => Linear::constant(0, rank),
                None => offsets.next().ok_or(NotLinear(value))?,
            };
            if let Some(component) = dims.start_index_map.iter().position(|&dim| dim == axis) {
                let at = (0..of_indices.dims.len()).map(|dim| match dim == dims.index_vector_dim {
                    true => Linear::constant(component as i64, rank),
                    false => batch_at(dim),
                });
                let index = self.emit(indices, &IndexMap { dims: at.collect(), bounds: None })?;
                let element = of_indices.element.unwrap_or(ElementType::I64);
                let value = self.wide(index, element, gathering.wrap);
                let size = from.dims[axis] - dims.slice_sizes[axis] + 1;
                linear.computed.push(Computed { value, size, scale: 1 });
            }
            inner.dims.push(linear);
        }
        self.emit(operand, &inner)
    }

    /// An index as an i64, after `wrap` was added to a negative one.
    fn wide(&mut self, mut index: Lane, element: ElementType, wrap: i64) -> cpu_vir::Value {
        let b = &mut self.builder;
        let number = |b: &mut cpu_vir::Builder, number: i64| {
            let bytes = number.to_le_bytes();
            lanes::literal(b, element, &bytes[..element.byte_width()])
        };
        if wrap != 0 {
            let (zero, by) = (number(b, 0), number(b, wrap));
            let less = MapOp::Compare { direction: Direction::Lt, total: false };
            let negative = lanes::emit(b, less, &[index, zero], &[element; 2], ElementType::Bool);
            let moved = lanes::emit(b, MapOp::Binary(BinaryOp::Add), &[index, by], &[element; 2], element);
            let from = [ElementType::Bool, element, element];
            index = lanes::emit(b, MapOp::Select, &[negative, moved, index], &from, element);
        }
        if element == ElementType::U64 {
            // Beyond the greatest i64 is as far outside as that.
            let most = number(b, i64::MAX);
            index = lanes::emit(b, MapOp::Binary(BinaryOp::Min), &[index, most], &[element; 2], element);
        }
        match lanes::emit(b, MapOp::Convert, &[index], &[element], ElementType::I64) {
            Lane::One(value) => value,
            Lane::Two(z) => z.re,
        }
    }

    /// The sum of what a loop has computed of an index.
    pub(super) fn sum(&mut self, computed: &[Computed]) -> Option<cpu_vir::Value> {
        let b = &mut self.builder;
        let mut sum = None;
        for one in computed {
            let (zero, most, scale) = (b.constant(0i64), b.constant(one.size as i64 - 1), b.constant(one.scale));
            let clamped = b.binary(BinaryOp::Max, one.value, zero);
            let clamped = b.binary(BinaryOp::Min, clamped, most);
            let scaled = b.binary(BinaryOp::Mul, clamped, scale);
            sum = Some(sum.map_or(scaled, |sum| b.binary(BinaryOp::Add, sum, scaled)));
        }
        sum
    }
}
