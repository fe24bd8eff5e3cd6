//! From dimension numbers to places and runs.

use cpu_runtime::Pool;

use super::{ConvolutionDimensions, ConvolutionWindow, OP, depthwise, direct};
use crate::dot::{Matrix, Number, Output};
use crate::lanes::Lane;
use crate::layout::{advance, check_axes, row_major, unravel};
use crate::movement::Permutation;
use crate::panel::DEPTH;
use crate::parallel::{Shared, rows};
use crate::window::{WindowDimension, output_dims};
use crate::{KernelError, scratch};

/// A run of input elements that are contiguous in the padded input, and as many rows of the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// From the first element that a place sees.
    pub(super) offset: usize,
    pub(super) depth: usize,
}

/// What is computed, in canonical order.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    result_dims: Vec<usize>,
    windows: Vec<WindowDimension>,
    /// Batch, space and feature of the input: sizes and strides.
    batches: usize,
    batch_stride: usize,
    space: Vec<usize>,
    space_strides: Vec<usize>,
    pub(super) features: usize,
    feature_stride: usize,
    /// Sizes of the padded input in space.
    padded: Vec<usize>,
    /// Whether the input needs no copy.
    in_place: bool,
    /// Kernel elements as `[tap…, input feature, output feature]`.
    kernel: Permutation,
    pub(super) taps: Vec<usize>,
    /// Features of the input and output of one group, and groups.
    pub(super) group_inputs: usize,
    pub(super) group_outputs: usize,
    groups: usize,
    batch_groups: usize,
    /// Sizes of the output in space; and all its features.
    places: Vec<usize>,
    pub(super) outputs: usize,
    pub(super) runs: Vec<Run>,
    /// From `[batch, space…, feature]` to the order of the result, if it has another.
    order: Option<Permutation>,
    /// Of a kernel of one place over features before space: its strides by output and input feature. Every image is a
    /// product of matrices then.
    pointwise: Option<(usize, usize)>,
}

impl Plan {
    pub(super) fn new(
        lhs: &[usize],
        rhs: &[usize],
        d: &ConvolutionDimensions,
        window: &ConvolutionWindow,
    ) -> Result<Plan, KernelError> {
        let rank = lhs.len();
        let order = |batch: usize, spatial: &[usize], feature: usize| [&[batch], spatial, &[feature]].concat();
        let lhs_order = order(d.input_batch, &d.input_spatial, d.input_feature);
        let rhs_order = order(d.kernel_input_feature, &d.kernel_spatial, d.kernel_output_feature);
        let out_order = order(d.output_batch, &d.output_spatial, d.output_feature);
        check_axes(OP, "input dimensions", &lhs_order, rank)?;
        check_axes(OP, "kernel dimensions", &rhs_order, rhs.len())?;
        check_axes(OP, "output dimensions", &out_order, rank)?;
        let spatial = window.dimensions.len();
        let (feature_groups, batch_groups) = (window.feature_group_count, window.batch_group_count);
        let fits =
            [lhs_order.len(), rhs_order.len(), out_order.len(), rhs.len(), spatial + 2].iter().all(|n| *n == rank)
                && window.dimensions.iter().zip(&d.kernel_spatial).all(|(w, &axis)| w.size == rhs[axis])
                && window.reversal.len() == spatial
                && feature_groups >= 1
                && batch_groups >= 1
                && (feature_groups == 1 || batch_groups == 1);
        let (batches, features) = (lhs[d.input_batch], lhs[d.input_feature]);
        let (group_inputs, outputs) = (rhs[d.kernel_input_feature], rhs[d.kernel_output_feature]);
        let fits = fits
            && group_inputs.checked_mul(feature_groups) == Some(features)
            && outputs.is_multiple_of(feature_groups * batch_groups)
            && batches.is_multiple_of(batch_groups);
        if !fits {
            let problem = format!("{d:?} and {window:?} do not fit an input {lhs:?} and a kernel {rhs:?}");
            return Err(KernelError::invalid(OP, problem));
        }
        let (lhs_strides, rhs_strides) = (row_major(lhs), row_major(rhs));
        let space: Vec<usize> = d.input_spatial.iter().map(|&a| lhs[a]).collect();
        let places = output_dims(OP, &window.dimensions, &space)?;
        let canonical = [&[batches / batch_groups], places.as_slice(), &[outputs]].concat();
        let mut result_dims = vec![0; rank];
        out_order.iter().zip(&canonical).for_each(|(&axis, &size)| result_dims[axis] = size);
        let canonical_strides = row_major(&canonical);
        let mut steps = vec![0isize; rank];
        out_order.iter().zip(&canonical_strides).for_each(|(&axis, &stride)| steps[axis] = stride as isize);
        let is_canonical = steps.iter().map(|&s| s as usize).eq(row_major(&result_dims));

        let taps: Vec<usize> = window.dimensions.iter().map(|w| w.size).collect();
        let mut start = 0usize;
        let mut kernel_steps: Vec<isize> = Vec::new();
        for (axis, reversed) in d.kernel_spatial.iter().zip(&window.reversal) {
            let stride = rhs_strides[*axis] as isize;
            start += if *reversed { rhs[*axis].max(1).wrapping_sub(1) * rhs_strides[*axis] } else { 0 };
            kernel_steps.push(if *reversed { -stride } else { stride });
        }
        kernel_steps.push(rhs_strides[d.kernel_input_feature] as isize);
        kernel_steps.push(rhs_strides[d.kernel_output_feature] as isize);
        let kernel_dims = [taps.as_slice(), &[group_inputs, outputs]].concat();
        let start = if kernel_dims.contains(&0) { 0 } else { start };

        // The padded input has what the windows see and no more.
        let seen = |(w, &count): (&WindowDimension, &usize)| match count {
            0 => 0,
            _ => (count - 1) * w.stride + (w.size.max(1) - 1) * w.window_dilation + 1,
        };
        let padded: Vec<usize> = window.dimensions.iter().zip(&places).map(seen).collect();
        let batch_stride = lhs_strides[d.input_batch];
        let space_strides: Vec<usize> = d.input_spatial.iter().map(|&a| lhs_strides[a]).collect();
        let feature_stride = lhs_strides[d.input_feature];
        let ordered = row_major(&[&[batches], space.as_slice(), &[features]].concat());
        let in_place = window.dimensions.iter().all(|w| w.padding.0 == 0 && w.base_dilation == 1)
            && padded.iter().zip(&space).all(|(padded, size)| padded <= size)
            && [&[batch_stride], space_strides.as_slice(), &[feature_stride]].concat() == ordered;
        let padded = if in_place { space.clone() } else { padded };
        let inside = |w: &WindowDimension| WindowDimension { window_dilation: 1, ..*w } == WindowDimension::TRIVIAL;
        let area: usize = space.iter().product();
        let channels_first = |sizes: [usize; 2], strides: &[usize], feature: usize, spatial: &[usize]| {
            let dense = row_major(&[sizes.as_slice(), space.as_slice()].concat());
            let order = [&[strides[0], feature], spatial].concat();
            order == dense
        };
        let result_strides = row_major(&result_dims);
        let out_space: Vec<usize> = d.output_spatial.iter().map(|&a| result_strides[a]).collect();
        let pointwise = window.dimensions.iter().all(inside)
            && feature_groups * batch_groups == 1
            && area > 1
            && features > 0
            && channels_first([batches, features], &[batch_stride], feature_stride, &space_strides)
            && channels_first(
                [batches, outputs],
                &[result_strides[d.output_batch]],
                result_strides[d.output_feature],
                &out_space,
            );
        let kernel_strides = (rhs_strides[d.kernel_output_feature], rhs_strides[d.kernel_input_feature]);
        let mut plan = Plan {
            pointwise: pointwise.then_some(kernel_strides),
            order: (!is_canonical).then(|| Permutation::new(&result_dims, &steps, 0)),
            result_dims,
            windows: window.dimensions.clone(),
            batches,
            batch_stride,
            space,
            space_strides,
            features,
            feature_stride,
            padded,
            in_place,
            kernel: Permutation::new(&kernel_dims, &kernel_steps, start),
            taps,
            group_inputs,
            group_outputs: outputs / (feature_groups * batch_groups),
            groups: feature_groups * batch_groups,
            batch_groups,
            places,
            outputs,
            runs: Vec::new(),
        };
        if crate::shape::count(&[&[batches], plan.padded.as_slice(), &[features]].concat()).is_none() {
            return Err(KernelError::unsupported(OP, format!("{window:?} makes a padded input that is too large")));
        }
        plan.runs = plan.list_runs();
        Ok(plan)
    }

    pub(super) fn result_dims(&self) -> &[usize] {
        &self.result_dims
    }

    /// Offsets of the taps in the padded input, joined where they are contiguous.
    fn list_runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        if self.taps.contains(&0) || self.group_inputs == 0 {
            return runs;
        }
        for offset in self.tap_offsets() {
            match runs.last_mut() {
                Some(last) if last.offset + last.depth == offset && last.depth + self.group_inputs <= DEPTH => {
                    last.depth += self.group_inputs;
                }
                _ => {
                    for start in (0..self.group_inputs).step_by(DEPTH) {
                        runs.push(Run { offset: offset + start, depth: DEPTH.min(self.group_inputs - start) });
                    }
                }
            }
        }
        runs
    }

    /// Where the first feature of each tap is in the padded input, relative to the place.
    pub(super) fn tap_offsets(&self) -> Vec<usize> {
        let strides = self.padded_strides();
        let mut offsets = Vec::new();
        let mut tap = vec![0; self.taps.len()];
        if self.taps.contains(&0) {
            return offsets;
        }
        loop {
            let at = |(d, i): (usize, &usize)| i * self.windows[d].window_dilation * strides[d];
            offsets.push(tap.iter().enumerate().map(at).sum());
            if !advance(&mut tap, &self.taps) {
                return offsets;
            }
        }
    }

    /// Strides of the padded input in space.
    fn padded_strides(&self) -> Vec<usize> {
        let all = row_major(&[self.padded.as_slice(), &[self.features]].concat());
        all[..self.padded.len()].to_vec()
    }

    fn image(&self) -> usize {
        self.padded.iter().product::<usize>() * self.features
    }

    /// Where each place of one image begins in the padded input.
    fn place_offsets(&self) -> Vec<usize> {
        let strides = self.padded_strides();
        let count: usize = self.places.iter().product();
        let mut place = vec![0; self.places.len()];
        let mut offsets = Vec::with_capacity(count);
        for _ in 0..count {
            offsets.push((0..place.len()).map(|d| place[d] * self.windows[d].stride * strides[d]).sum());
            advance(&mut place, &self.places);
        }
        offsets
    }

    pub(super) fn run<T: Lane + Number>(&self, pool: &Pool, lhs: &[T], rhs: &[T], out: &mut [T]) {
        if out.is_empty() {
            return;
        }
        if self.runs.is_empty() {
            return out.fill(T::NIL);
        }
        if let Some((row, column)) = self.pointwise {
            let area: usize = self.places.iter().product();
            let shared = Shared::new(out);
            for image in 0..self.batches {
                let at = Output { start: image * self.outputs * area, stride: area, rows: self.outputs, columns: area };
                let input = Matrix::new(lhs, image * self.features * area, area, 1);
                T::product(pool, &shared, at, Matrix::new(rhs, 0, row, column), input, self.features);
            }
            return;
        }
        let Some(order) = &self.order else {
            return self.run_padded(pool, lhs, rhs, out);
        };
        scratch::with(out.len(), |sums: &mut [T]| {
            self.run_padded(pool, lhs, rhs, sums);
            order.run(pool, sums, out);
        });
    }

    fn run_padded<T: Lane>(&self, pool: &Pool, lhs: &[T], rhs: &[T], out: &mut [T]) {
        if self.in_place {
            return self.run_ordered(pool, lhs, rhs, out);
        }
        scratch::with(self.batches * self.image(), |padded: &mut [T]| {
            self.pad(pool, lhs, padded);
            self.run_ordered(pool, padded, rhs, out);
        });
    }

    /// Copies the input with its padding and dilation written out.
    fn pad<T: Lane>(&self, pool: &Pool, lhs: &[T], padded: &mut [T]) {
        // Lines along the last dimension of space; without one, single places.
        let (outer, width) = match self.padded.split_last() {
            Some((width, outer)) => (outer, *width),
            None => (self.padded.as_slice(), 1),
        };
        let line = width * self.features;
        let per_image: usize = outer.iter().product();
        // The input element at a place of the padded input.
        let source = |d: usize, at: usize| {
            let (w, at) = (&self.windows[d], at as i64 - self.windows[d].padding.0);
            let at = usize::try_from(at).ok()?;
            (at.is_multiple_of(w.base_dilation) && at / w.base_dilation < self.space[d]).then(|| at / w.base_dilation)
        };
        let columns: Vec<(usize, usize)> = match self.padded.len() {
            0 => vec![(0, 0)],
            n => (0..width).filter_map(|at| Some((at, source(n - 1, at)? * self.space_strides[n - 1]))).collect(),
        };
        rows(pool, padded, line, line as u64 * 400, &|first, lines| {
            for (index, to) in lines.chunks_exact_mut(line).enumerate() {
                let index = first + index;
                let place = unravel(index % per_image, outer);
                let base = place.iter().enumerate().try_fold(index / per_image * self.batch_stride, |sum, (d, &at)| {
                    Some(sum + source(d, at)? * self.space_strides[d])
                });
                if base.is_none() || columns.len() < width {
                    to.fill(T::NIL);
                }
                let Some(base) = base.filter(|_| !columns.is_empty()) else { continue };
                if self.feature_stride == 1 {
                    for &(at, from) in &columns {
                        to[at * self.features..][..self.features]
                            .copy_from_slice(&lhs[base + from..base + from + self.features]);
                    }
                } else {
                    // Cache lines of the target are written whole, from a few lines of the source.
                    for first in (0..self.features).step_by(16) {
                        let some = 16.min(self.features - first);
                        for &(at, from) in &columns {
                            let to = &mut to[at * self.features + first..][..some];
                            let from =
                                lhs[base + from + first * self.feature_stride..].iter().step_by(self.feature_stride);
                            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                        }
                    }
                }
            }
        });
    }

    /// From the input in order, batch by batch and group by group.
    fn run_ordered<T: Lane>(&self, pool: &Pool, lhs: &[T], rhs: &[T], out: &mut [T]) {
        let offsets = self.place_offsets();
        let kernel_size = self.taps.iter().product::<usize>() * self.group_inputs * self.outputs;
        let images = self.batches / self.batch_groups;
        scratch::with(kernel_size, |kernel: &mut [T]| {
            self.kernel.run(pool, rhs, kernel);
            // The input of each image and group: where it begins.
            let begin = |image: usize, group: usize| match self.batch_groups {
                1 => image * self.image() + group * self.group_inputs,
                _ => (group * images + image) * self.image(),
            };
            let places = direct::Places { offsets: &offsets, images, begin: &begin };
            let depthwise = self.group_inputs == 1 && self.group_outputs == 1 && self.batch_groups == 1;
            if depthwise && self.groups > 1 {
                depthwise::run(pool, self, &places, lhs, kernel, out);
            } else {
                direct::run(pool, self, &places, self.groups, lhs, kernel, out);
            }
        });
    }
}
