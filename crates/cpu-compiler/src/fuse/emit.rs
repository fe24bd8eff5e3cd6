//! One cluster of values as a loop program.

use super::index_map::{Computed, IndexMap};
use super::lanes::{self, Lane, storage};
use crate::array_type::ArrayType;
use crate::graph::{Graph, Literal, MapOp, Op, Value};
use cpu_vir::{
    Access, BinaryOp, Builder, Complex, Direction, GatherIndex, Guard, OperandId, Part, Scalar, Storage, Type,
};
use hashbrown::{HashMap, HashSet};
use stablehlo::ElementType;

/// A value that cannot be computed where it is wanted, and so has to be in memory.
pub(super) struct NotLinear(pub Value);

pub(super) type Emitted = Result<Lane, NotLinear>;

/// Puts the program of one cluster together.
pub(super) struct Emitter<'g> {
    graph: &'g Graph,
    /// Values computed here; all others are loaded.
    members: &'g HashSet<Value>,
    pub builder: Builder,
    space: Vec<usize>,
    /// Values in memory, in the order of the program's inputs, with what their bytes are read as.
    pub inputs: Vec<(Value, Storage, OperandId)>,
    known: HashMap<(Value, IndexMap), Lane>,
}

/// The value whose bytes a value is.
pub(crate) fn source(graph: &Graph, mut value: Value) -> Value {
    while let Op::View = graph.op(value) {
        value = graph.inputs(value)[0];
    }
    value
}

impl<'g> Emitter<'g> {
    pub fn new(graph: &'g Graph, members: &'g HashSet<Value>, space: &[usize], reduced: usize) -> Emitter<'g> {
        let builder = Builder::new(space, reduced);
        let space = space.to_vec();
        Emitter { graph, members, builder, space, inputs: Vec::new(), known: HashMap::new() }
    }

    /// Makes a value the next input, whether it is used or not; `None` for tokens.
    pub fn declare(&mut self, value: Value) -> Option<()> {
        let storage = storage(self.graph.ty(value).element?);
        let operand = self.builder.input(storage);
        self.inputs.push((value, storage, operand));
        Some(())
    }

    pub(super) fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// How many dimensions the loop has.
    pub(super) fn rank(&self) -> usize {
        self.space.len()
    }

    fn element(&self, value: Value) -> ElementType {
        self.graph.ty(value).element.unwrap_or(ElementType::Bool)
    }

    /// The element of a value for each point. Clusters are small, so the recursion is shallow.
    pub fn emit(&mut self, value: Value, map: &IndexMap) -> Emitted {
        let key = (value, map.clone());
        if let Some(lane) = self.known.get(&key) {
            return Ok(*lane);
        }
        let lane = match self.members.contains(&value) {
            true => self.compute(value, map)?,
            false => self.load(value, map, None),
        };
        self.known.insert(key, lane);
        Ok(lane)
    }

    /// The same for a value that is no member: the root.
    pub fn compute(&mut self, value: Value, map: &IndexMap) -> Emitted {
        let graph = self.graph;
        let inputs = graph.inputs(value);
        let ty = graph.ty(value);
        let element = self.element(value);
        match graph.op(value) {
            Op::Constant(Literal { bytes, splat: true }) => Ok(lanes::literal(&mut self.builder, element, bytes)),
            Op::Iota(dim) => Ok(self.iota(value, *dim, map)),
            Op::Map(op) => {
                let lanes = inputs.iter().map(|&input| self.emit(input, map)).collect::<Result<Vec<_>, _>>()?;
                let from: Vec<ElementType> = inputs.iter().map(|&input| self.element(input)).collect();
                Ok(lanes::emit(&mut self.builder, *op, &lanes, &from, element))
            }
            Op::Broadcast(dims) => self.emit(inputs[0], &map.pick(dims)),
            Op::Transpose(order) => {
                let mut of = vec![0; order.len()];
                order.iter().enumerate().for_each(|(at, &dim)| of[dim] = at);
                self.emit(inputs[0], &map.pick(&of))
            }
            Op::Slice { start, stride } => self.emit(inputs[0], &map.scaled(|d| stride[d] as i64, |d| start[d] as i64)),
            Op::Reverse(dims) => {
                let sign = |d: usize| if dims.contains(&d) { -1 } else { 1 };
                let last = |d: usize| if dims.contains(&d) { ty.dims[d] as i64 - 1 } else { 0 };
                self.emit(inputs[0], &map.scaled(sign, last))
            }
            Op::View => self.view(value, map),
            Op::Pad { low, interior } => self.pad(value, low, interior, map),
            Op::Concatenate(dim) => self.part(value, *dim, map),
            Op::Kernel(kernel) => match kernel.gathering() {
                Some(gathering) => self.gather(value, gathering, map),
                None => Err(NotLinear(value)),
            },
            _ => Err(NotLinear(value)),
        }
    }

    fn view(&mut self, value: Value, map: &IndexMap) -> Emitted {
        let operand = self.graph.inputs(value)[0];
        let (from, to) = (self.graph.ty(operand), self.graph.ty(value));
        let (a, b) = (self.element(operand), self.element(value));
        if a != b && !lanes::can_map(MapOp::Bitcast, &[from], to) {
            return Err(NotLinear(value));
        }
        let Some(inner) = map.reshaped(to, from, &self.space) else { return Err(NotLinear(value)) };
        let lane = self.emit(operand, &inner)?;
        Ok(if a == b { lane } else { lanes::emit(&mut self.builder, MapOp::Bitcast, &[lane], &[a], b) })
    }

    fn iota(&mut self, value: Value, dim: usize, map: &IndexMap) -> Lane {
        let linear = &map.dims[dim];
        let to = self.graph.ty(value).element.unwrap_or(ElementType::I64);
        let sum = self.sum(&linear.computed);
        // What fits into 32 bits is counted in 32 bits.
        let reach =
            linear.factors.iter().zip(&self.space).fold(linear.offset.unsigned_abs(), |reach, (factor, size)| {
                reach.saturating_add(factor.unsigned_abs().saturating_mul(*size as u64))
            });
        let (b, mut sum) = (&mut self.builder, sum);
        let narrow = sum.is_none() && reach < 1 << 31;
        let number = |b: &mut Builder, number: i64| match narrow {
            true => b.constant(number as i32),
            false => b.constant(number),
        };
        for (k, &factor) in linear.factors.iter().enumerate() {
            if factor == 0 || self.space[k] <= 1 {
                continue;
            }
            let mut index = b.index(k);
            if narrow {
                index = b.convert(Type::I32, index);
            }
            let scaled = match factor {
                1 => index,
                _ => {
                    let factor = number(b, factor);
                    b.binary(BinaryOp::Mul, index, factor)
                }
            };
            sum = Some(sum.map_or(scaled, |sum| b.binary(BinaryOp::Add, sum, scaled)));
        }
        let sum = match (sum, linear.offset) {
            (Some(sum), 0) => sum,
            (sum, offset) => {
                let offset = number(b, offset);
                sum.map_or(offset, |sum| b.binary(BinaryOp::Add, sum, offset))
            }
        };
        let from = if narrow { ElementType::I32 } else { ElementType::I64 };
        lanes::emit(b, MapOp::Convert, &[Lane::One(sum)], &[from], to)
    }

    fn pad(&mut self, value: Value, low: &[i64], interior: &[usize], map: &IndexMap) -> Emitted {
        let [operand, around] = *self.graph.inputs(value) else { return Err(NotLinear(value)) };
        let ty = self.graph.ty(operand).clone();
        if interior.iter().zip(&ty.dims).any(|(&gap, &size)| gap > 0 && size > 1) {
            return Err(NotLinear(value));
        }
        let shifted = map.scaled(|_| 1, |d| -low[d]);
        let Some(inner) = shifted.guarded(&ty, &self.space) else { return Err(NotLinear(value)) };
        if inner.bounds == map.bounds {
            return self.emit(operand, &inner);
        }
        let nowhere = IndexMap { dims: Vec::new(), bounds: None };
        if let (false, Some(Literal { bytes, splat: true })) =
            (self.members.contains(&operand), self.graph.literal(around))
        {
            let bytes = bytes.clone();
            return Ok(self.load(operand, &inner, Some(&bytes)));
        }
        let inside = self.emit(operand, &inner)?;
        let outside = self.emit(around, &nowhere)?;
        let mask = self.mask(&inner, map);
        let element = self.element(value);
        let from = [ElementType::Bool, element, element];
        Ok(lanes::emit(&mut self.builder, MapOp::Select, &[Lane::One(mask), inside, outside], &from, element))
    }

    /// An element of a concatenation, where it is of the same part for all points.
    fn part(&mut self, value: Value, dim: usize, map: &IndexMap) -> Emitted {
        let mut inner = map.clone();
        let linear = &mut inner.dims[dim];
        let moves = linear.factors.iter().zip(&self.space).any(|(factor, size)| *factor != 0 && *size > 1);
        if moves || !linear.computed.is_empty() || map.bounds.is_some() {
            return Err(NotLinear(value));
        }
        for &part in self.graph.inputs(value) {
            let size = self.graph.ty(part).dims[dim] as i64;
            if linear.offset < size {
                return self.emit(part, &inner);
            }
            linear.offset -= size;
        }
        Err(NotLinear(value))
    }

    /// True at the points of the inner map's box; `outer` is what is known already.
    fn mask(&mut self, inner: &IndexMap, outer: &IndexMap) -> cpu_vir::Value {
        let b = &mut self.builder;
        let mut mask = b.constant(true);
        for (k, &size) in self.space.iter().enumerate() {
            let bound = |map: &IndexMap| map.bounds.as_ref().map_or((0, size), |bounds| bounds[k]);
            let ((low, high), known) = (bound(inner), bound(outer));
            for (limit, direction, implied) in [(low, Direction::Ge, known.0), (high, Direction::Lt, known.1)] {
                if limit != implied {
                    let index = b.index(k);
                    let limit = b.constant(limit as i64);
                    let fits = b.compare(direction, index, limit);
                    mask = b.binary(BinaryOp::And, mask, fits);
                }
            }
        }
        mask
    }

    /// Loads a value from memory; outside of the map's box it is `fill`, or zero.
    fn load(&mut self, value: Value, map: &IndexMap, fill: Option<&[u8]>) -> Lane {
        let graph = self.graph;
        let element = self.element(value);
        let storage = storage(element);
        let from = source(graph, value);
        let known = self.inputs.iter().find(|(known, as_type, _)| *known == from && *as_type == storage);
        let operand = match known {
            Some((_, _, operand)) => *operand,
            None => {
                let operand = self.builder.input(storage);
                self.inputs.push((from, storage, operand));
                operand
            }
        };
        let flat = map.flat(graph.ty(value), self.space.len());
        let access = Access { operand, offset: flat.offset, strides: flat.factors };
        if !flat.computed.is_empty() {
            let index = |it: &Computed| GatherIndex { index: it.value, size: it.size, stride: it.scale };
            let indices: Vec<GatherIndex> = flat.computed.iter().map(index).collect();
            let mut part = |part| self.builder.gather(access.clone(), part, indices.clone());
            return match storage.is_complex() {
                true => Lane::Two(Complex { re: part(Part::Re), im: part(Part::Im) }),
                false => Lane::One(part(Part::Whole)),
            };
        }
        let fills = fill.map(|bytes| fill_scalars(element, bytes));
        let guard = |part: usize| {
            let zero = Scalar::integer(storage.compute(), 0);
            let fill = fills.map_or(zero, |fills| fills[part]);
            map.bounds.clone().map(|bounds| Guard { bounds, fill })
        };
        if storage.is_complex() {
            let re = self.builder.load_part(access.clone(), Part::Re, guard(0));
            return Lane::Two(Complex { re, im: self.builder.load_part(access, Part::Im, guard(1)) });
        }
        Lane::One(self.builder.load_part(access, Part::Whole, guard(0)))
    }
}

/// The numbers of a literal element: one, or both parts.
pub(super) fn fill_scalars(element: ElementType, bytes: &[u8]) -> [Scalar; 2] {
    let mut scratch = Builder::new(&[], 0);
    let lane = lanes::literal(&mut scratch, element, bytes);
    let scalar = |value: cpu_vir::Value| match &scratch.program().body[value.index()] {
        cpu_vir::Inst::Const(scalar) => *scalar,
        _ => Scalar::integer(Type::Mask, 0),
    };
    match lane {
        Lane::One(value) => [scalar(value); 2],
        Lane::Two(z) => [scalar(z.re), scalar(z.im)],
    }
}

/// The dimensions of a reduction's loop: those that are kept, then those that are not, and the operand's map.
pub(super) fn reduction_space(ty: &ArrayType, dims: &[usize]) -> (Vec<usize>, IndexMap) {
    let kept = (0..ty.dims.len()).filter(|dim| !dims.contains(dim));
    let order: Vec<usize> = kept.chain(dims.iter().copied()).collect();
    let space: Vec<usize> = order.iter().map(|&dim| ty.dims[dim]).collect();
    let mut of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &dim)| of[dim] = at);
    let map = IndexMap::select(space.len(), &of);
    (space, map)
}
