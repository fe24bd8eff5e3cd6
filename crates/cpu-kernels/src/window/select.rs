//! `select_and_scatter`: the gradient of pooling.
#![allow(unsafe_code, reason = "tasks write to different parts of one array")]

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::{Program, ReduceKind, Storage};

use super::program::Windows;
use super::reduce::WindowBody;
use super::{WindowDimension, output_dims};
use crate::body::{Body, TILE, by_size, tile_bytes, tiles};
use crate::element::{Element, Number, Visitor, is_defined, visit, with_element};
use crate::lanes::vectorized;
use crate::layout::{advance, unravel};
use crate::parallel::{Shared, ranges};
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
    fn select(&self, pool: &Pool, operand: &[u8], selected: &mut [usize]) {
        let greatest = match &self.select {
            Selector::Greatest => true,
            Selector::Least => false,
            Selector::Body(body) => return self.select_by_body(body, operand, selected),
        };
        with_element!(self.operand.storage, E => self.select_extreme::<E>(pool, operand, greatest, selected));
    }

    /// Windows that differ in their last, unmoved dimensions only are lanes, which lie next to each other.
    fn select_extreme<E: Element>(&self, pool: &Pool, operand: &[u8], greatest: bool, selected: &mut [usize]) {
        let elements = numbers::<E::Raw>(operand);
        let (lanes, moving) = self.windows.lanes();
        let dims = &self.windows.output_dims()[..moving];
        let taps = self.windows.taps(moving);
        let out = Shared::new(selected);
        let outer: usize = dims.iter().product();
        let per_window: usize = taps.iter().map(|axis| axis.first().map_or(0, Vec::len)).product();
        ranges(pool, outer, (per_window * lanes) as u64 * 700 + 5_000, &|start, end| {
            let mut place = unravel(start, dims);
            let sizes: Vec<usize> = self.windows.sizes()[..moving].to_vec();
            let mut best: Vec<E::Raw> = Vec::with_capacity(lanes);
            for window in start..end {
                // SAFETY: every window's lanes are handed out once.
                let holders = unsafe { out.part(window * lanes, lanes) };
                best.clear();
                let mut within = vec![0; moving];
                let mut more = !sizes.contains(&0);
                while more {
                    let base = (0..moving).try_fold(0, |at, d| Some(at + taps[d][place[d]][within[d]]?));
                    if let Some(base) = base {
                        let rivals = &elements[base..base + lanes];
                        if best.is_empty() {
                            best.extend_from_slice(rivals);
                            holders.iter_mut().enumerate().for_each(|(lane, holder)| *holder = base + lane);
                        } else {
                            vectorized(|| challenge::<E>(&mut best, holders, rivals, base, greatest));
                        }
                    }
                    more = advance(&mut within, &sizes);
                }
                if best.is_empty() {
                    holders.fill(usize::MAX);
                }
                advance(&mut place, dims);
            }
        });
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

/// Rivals that take the places of lanes which they beat.
#[inline(always)]
fn challenge<E: Element>(best: &mut [E::Raw], holders: &mut [usize], rivals: &[E::Raw], base: usize, greatest: bool) {
    for (lane, ((best, holder), rival)) in best.iter_mut().zip(holders).zip(rivals).enumerate() {
        let (a, b) = (E::read(*best), E::read(*rival));
        let stays = if greatest { a.at_least(b) } else { b.at_least(a) };
        *best = if stays { *best } else { *rival };
        *holder = if stays { *holder } else { base + lane };
    }
}

impl OpKernel for SelectAndScatter {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let shapes = [&self.operand, &self.source, &self.scalar];
        with_operands((&shapes, inputs), (&[&self.operand], outputs), |inputs, outputs| {
            let out = &mut *outputs[0];
            out.chunks_exact_mut(inputs[2].len()).for_each(|to| to.copy_from_slice(inputs[2]));
            if self.source.elements() > 0 && self.operand.elements() > 0 {
                scratch::with(self.source.elements(), |selected: &mut [usize]| {
                    self.select(pool, inputs[0], selected);
                    self.scatter(selected, inputs[1], out);
                });
            }
            Ok(())
        })
    }
}
