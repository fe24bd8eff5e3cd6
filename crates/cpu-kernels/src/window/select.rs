//! `select_and_scatter`: the gradient of pooling.

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::{Program, ReduceKind, Storage};

use super::program::Windows;
use super::reduce::WindowBody;
use super::{WindowDimension, output_dims};
use crate::body::{Body, TILE, by_size, tile_bytes, tiles};
use crate::element::{Element, Number, Visitor, is_defined, visit, with_element};
use crate::layout::{advance, unravel};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "select_and_scatter";

/// Which of two elements of a window is selected.
#[derive(Clone, Debug)]
pub enum Select {
    /// The first unless the second is greater or either is not a number (`ge`).
    Greatest,
    /// The first unless the second is less or either is not a number (`le`).
    Least,
    /// The first where a loop program of one dimension says true; it reads the first and the second.
    Program(Program),
}

enum Selector {
    Greatest,
    Least,
    Body(Box<Body>),
}

enum Scatterer {
    Reduce(ReduceKind),
    Body(Box<Body>),
}

/// Inputs: the operand, the source, and the scalar initial value. Output: of the operand's shape.
pub struct SelectAndScatter {
    operand: Shape,
    source: Shape,
    scalar: Shape,
    windows: Windows,
    select: Selector,
    scatter: Scatterer,
}

impl SelectAndScatter {
    /// # Errors
    /// When the windows do not fit the shapes, or the bodies the element types. Bodies must capture nothing.
    pub fn prepare(
        operand: &Shape,
        source: &Shape,
        windows: &[WindowDimension],
        select: &Select,
        scatter: &WindowBody,
    ) -> Result<SelectAndScatter, KernelError> {
        operand.check(OP)?;
        let dims = output_dims(OP, windows, &operand.dims)?;
        if source.dims != dims || source.storage != operand.storage {
            return Err(KernelError::invalid(OP, format!("a source {source} for windows {dims:?} over {operand}")));
        }
        let storage = operand.storage;
        let no_captures = |body: Body| match body.captures() {
            [] => Ok(Box::new(body)),
            _ => Err(KernelError::unsupported(OP, "a body that captures values; pass them through a constant")),
        };
        let select = match select {
            Select::Program(program) => {
                let body = Body::prepare(OP, program, &[storage, storage], &[Storage::Bool])?;
                Selector::Body(no_captures(body)?)
            }
            Select::Greatest => Selector::Greatest,
            Select::Least => Selector::Least,
        };
        let scatter = match scatter {
            WindowBody::Reduce(kind) => {
                is_defined(OP, *kind, operand)?;
                Scatterer::Reduce(*kind)
            }
            WindowBody::Program(program) => {
                let body = Body::prepare(OP, program, &[storage, storage], &[storage])?;
                Scatterer::Body(no_captures(body)?)
            }
        };
        Ok(SelectAndScatter {
            windows: Windows::new(windows, &operand.dims, &dims, &[storage]),
            operand: operand.clone(),
            source: source.clone(),
            scalar: Shape::new(storage, &[]),
            select,
            scatter,
        })
    }

    /// The position that each window selects, or `usize::MAX` if it sees nothing.
    fn select(&self, operand: &[u8], selected: &mut [usize]) {
        let greatest = match &self.select {
            Selector::Greatest => true,
            Selector::Least => false,
            Selector::Body(body) => return self.select_by_body(body, operand, selected),
        };
        with_element!(self.operand.storage, E => {
            let elements = numbers::<<E as Element>::Raw>(operand);
            self.walk(selected, |holder, rival| {
                let (a, b) = (E::read(elements[holder]), E::read(elements[rival]));
                if greatest { a.at_least(b) } else { b.at_least(a) }
            });
        })
    }

    /// Visits all windows; `stays(holder, rival)` tells whether the element that is selected so far stays so.
    fn walk(&self, selected: &mut [usize], stays: impl Fn(usize, usize) -> bool) {
        let sizes = self.windows.sizes();
        let mut place = vec![0; sizes.len()];
        for holder in selected.iter_mut() {
            *holder = usize::MAX;
            let mut within = vec![0; sizes.len()];
            let mut more = !sizes.contains(&0);
            while more {
                if let Some(rival) = self.windows.seen(&place, &within)
                    && (*holder == usize::MAX || !stays(*holder, rival))
                {
                    *holder = rival;
                }
                more = advance(&mut within, &sizes);
            }
            advance(&mut place, self.windows.output_dims());
        }
    }

    fn select_by_body(&self, body: &Body, operand: &[u8], selected: &mut [usize]) {
        let (storage, sizes) = (self.operand.storage, self.windows.sizes());
        let storages = [storage, storage, Storage::Bool];
        scratch::with(tile_bytes(&storages), |memory: &mut [u8]| {
            for first in (0..selected.len()).step_by(TILE) {
                let holders = &mut selected[first..(first + TILE).min(first + (self.source.elements() - first))];
                holders.fill(usize::MAX);
                let mut within = vec![0; sizes.len()];
                let mut more = !sizes.contains(&0);
                while more {
                    let mut contested = Vec::with_capacity(holders.len());
                    for (lane, holder) in holders.iter_mut().enumerate() {
                        let place = unravel(first + lane, self.windows.output_dims());
                        match self.windows.seen(&place, &within) {
                            Some(rival) if *holder == usize::MAX => *holder = rival,
                            Some(rival) => contested.push((lane, *holder, rival)),
                            None => {}
                        }
                    }
                    let mut buffers = tiles(memory, &storages);
                    by_size!(storage.size(), W => {
                        let elements = numbers::<W>(operand);
                        let [a, b, _] = buffers.as_mut_slice() else { unreachable!("three storages") };
                        let (a, b) = (numbers_mut::<W>(a), numbers_mut::<W>(b));
                        for (k, &(_, holder, rival)) in contested.iter().enumerate() {
                            (a[k], b[k]) = (elements[holder], elements[rival]);
                        }
                    });
                    let [a, b, stays] = buffers.as_mut_slice() else { unreachable!("three storages") };
                    body.apply(contested.len(), &[a, b], &mut [stays]);
                    for (k, &(lane, _, rival)) in contested.iter().enumerate() {
                        if stays[k] == 0 {
                            holders[lane] = rival;
                        }
                    }
                    more = advance(&mut within, &sizes);
                }
            }
        });
    }

    fn scatter(&self, selected: &[usize], source: &[u8], out: &mut [u8]) {
        match &self.scatter {
            Scatterer::Reduce(kind) => {
                struct InOrder<'a>(&'a [usize], &'a [u8], &'a mut [u8]);
                impl Visitor for InOrder<'_> {
                    type Output = ();
                    fn visit<T: Pod + Send + Sync>(self, combine: impl Fn(T, T) -> T + Copy + Send + Sync) {
                        let (source, out) = (numbers::<T>(self.1), numbers_mut::<T>(self.2));
                        for (&at, &x) in self.0.iter().zip(source).filter(|(at, _)| **at != usize::MAX) {
                            out[at] = combine(out[at], x);
                        }
                    }
                }
                let task = InOrder(selected, source, out);
                visit(*kind, self.operand.storage, task).expect("checked when the kernel was prepared");
            }
            // One by one: positions may repeat.
            Scatterer::Body(body) => {
                let storage = self.operand.storage;
                let size = storage.size();
                scratch::with(tile_bytes(&[storage; 3]), |memory: &mut [u8]| {
                    let mut buffers = tiles(memory, &[storage; 3]);
                    let [old, new, result] = buffers.as_mut_slice() else { unreachable!("three storages") };
                    for (k, &at) in selected.iter().enumerate().filter(|(_, at)| **at != usize::MAX) {
                        old[..size].copy_from_slice(&out[at * size..][..size]);
                        new[..size].copy_from_slice(&source[k * size..][..size]);
                        body.apply(1, &[old, new], &mut [result]);
                        out[at * size..][..size].copy_from_slice(&result[..size]);
                    }
                });
            }
        }
    }
}

impl OpKernel for SelectAndScatter {
    fn run(&self, _: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let shapes = [&self.operand, &self.source, &self.scalar];
        with_operands((&shapes, inputs), (&[&self.operand], outputs), |inputs, outputs| {
            let out = &mut *outputs[0];
            out.chunks_exact_mut(inputs[2].len()).for_each(|to| to.copy_from_slice(inputs[2]));
            if self.source.elements() > 0 && self.operand.elements() > 0 {
                scratch::with(self.source.elements(), |selected: &mut [usize]| {
                    self.select(inputs[0], selected);
                    self.scatter(selected, inputs[1], out);
                });
            }
            Ok(())
        })
    }
}
