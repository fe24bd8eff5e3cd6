//! `reduce_window`.

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::{Program, ReduceKind, Storage};

use super::axis::Axis;
use super::program::Windows;
use super::{WindowDimension, output_dims};
use crate::body::Body;
use crate::element::{Visitor, identity, is_defined, visit};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "reduce_window";

/// How elements of a window combine.
#[derive(Clone, Debug)]
pub enum WindowBody {
    /// By a recognised operation; one input only.
    Reduce(ReduceKind),
    /// By a loop program of one dimension: it reads the values so far of every input, then the next values, then
    /// captured scalars (stride 0), and writes new values.
    Program(Program),
}

enum How {
    Passes { kind: ReduceKind, axes: Vec<Axis> },
    Body(Box<Body>, Windows),
}

/// Inputs: arrays of one shape, then a scalar initial value for each, then scalars that the body captures. Outputs: one
/// for each array.
pub struct ReduceWindow {
    inputs: Vec<Shape>,
    scalars: Vec<Shape>,
    results: Vec<Shape>,
    how: How,
}

impl ReduceWindow {
    /// # Errors
    /// When the windows do not fit the shapes, or the body the element types.
    pub fn prepare(
        inputs: &[Shape],
        windows: &[WindowDimension],
        body: &WindowBody,
    ) -> Result<ReduceWindow, KernelError> {
        let first = inputs.first().ok_or_else(|| KernelError::invalid(OP, "at least one input is needed"))?;
        first.check(OP)?;
        if inputs.iter().any(|shape| shape.dims != first.dims) {
            return Err(KernelError::invalid(OP, "inputs of one shape are needed"));
        }
        let dims = output_dims(OP, windows, &first.dims)?;
        let storages: Vec<Storage> = inputs.iter().map(|shape| shape.storage).collect();
        let mut scalars: Vec<Shape> = storages.iter().map(|storage| Shape::new(*storage, &[])).collect();
        let how = match body {
            WindowBody::Reduce(kind) if inputs.len() == 1 => {
                is_defined(OP, *kind, first)?;
                // From the first axis to the last: the long runs of the first ones leave fewer short ones.
                let axes = (0..dims.len()).filter(|&d| windows[d] != WindowDimension::TRIVIAL);
                let axis = |d: usize| Axis {
                    window: windows[d],
                    outer: dims[..d].iter().product(),
                    size: first.dims[d],
                    windows: dims[d],
                    inner: first.dims[d + 1..].iter().product(),
                };
                How::Passes { kind: *kind, axes: axes.map(axis).collect() }
            }
            WindowBody::Program(program) => {
                let body = Body::prepare(OP, program, &[storages.as_slice(), &storages].concat(), &storages)?;
                scalars.extend_from_slice(body.captures());
                How::Body(Box::new(body), Windows::new(windows, &first.dims, &dims, &storages))
            }
            WindowBody::Reduce(_) => {
                return Err(KernelError::invalid(OP, "several inputs need a program as their body"));
            }
        };
        let results = storages.iter().map(|storage| Shape::new(*storage, &dims)).collect();
        Ok(ReduceWindow { inputs: inputs.to_vec(), scalars, results, how })
    }

    /// Shapes of the results.
    pub fn results(&self) -> &[Shape] {
        &self.results
    }
}

impl OpKernel for ReduceWindow {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let shapes: Vec<&Shape> = self.inputs.iter().chain(&self.scalars).collect();
        let results: Vec<&Shape> = self.results.iter().collect();
        with_operands((&shapes, inputs), (&results, outputs), |inputs, outputs| {
            match &self.how {
                How::Passes { kind, axes } => {
                    let storage = self.inputs[0].storage;
                    let identity = identity(*kind, storage);
                    let out = &mut *outputs[0];
                    let task = Passes { axes, pool, from: inputs[0], init: inputs[1], out, identity: &identity };
                    visit(*kind, storage, task).expect("checked when the kernel was prepared");
                }
                How::Body(body, windows) => windows.reduce(pool, body, inputs, outputs),
            }
            Ok(())
        })
    }
}

struct Passes<'a> {
    axes: &'a [Axis],
    pool: &'a Pool,
    from: &'a [u8],
    init: &'a [u8],
    out: &'a mut [u8],
    identity: &'a [u8],
}

impl Visitor for Passes<'_> {
    type Output = ();

    fn visit<T: Pod + Send + Sync>(self, combine: impl Fn(T, T) -> T + Copy + Send + Sync) {
        let identity: T = bytemuck::pod_read_unaligned(self.identity);
        let (from, out) = (numbers::<T>(self.from), numbers_mut::<T>(self.out));
        match self.axes {
            [] => out.copy_from_slice(from),
            [axis] => axis.reduce(self.pool, from, out, identity, combine),
            axes => passes(self.pool, axes, from, out, identity, combine),
        }
        let init: T = bytemuck::pod_read_unaligned(self.init);
        if bytemuck::bytes_of(&init) != self.identity {
            out.iter_mut().for_each(|to| *to = combine(init, *to));
        }
    }
}

/// All axes, through scratch memory.
fn passes<T: Pod + Send + Sync>(
    pool: &Pool,
    axes: &[Axis],
    from: &[T],
    out: &mut [T],
    identity: T,
    combine: impl Fn(T, T) -> T + Copy + Send + Sync,
) {
    match axes {
        [] => out.copy_from_slice(from),
        [axis] => axis.reduce(pool, from, out, identity, combine),
        [axis, rest @ ..] => {
            let count = axis.outer * axis.windows * axis.inner;
            scratch::with(count, |middle: &mut [T]| {
                axis.reduce(pool, from, middle, identity, combine);
                passes(pool, rest, middle, out, identity, combine);
            });
        }
    }
}
