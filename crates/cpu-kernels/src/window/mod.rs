//! Windows that slide over padded, dilated arrays: `reduce_window` and `select_and_scatter`.
//!
//! A window of a recognised operation is reduced axis by axis ([`axis`]), with running reductions in linear time
//! ([`running`]); other bodies are applied to all windows at a time ([`program`]).

mod axis;
mod program;
mod reduce;
mod running;
mod select;

pub use reduce::{ReduceWindow, WindowBody};
pub use select::{Select, SelectAndScatter};

use crate::KernelError;
use crate::shape::count;

/// One dimension of a window, as in StableHLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowDimension {
    /// Window size.
    pub size: usize,
    /// Step between windows, at least 1.
    pub stride: usize,
    /// Padding before and after the (dilated) input; negative padding removes.
    pub padding: (i64, i64),
    /// Step between neighbouring input elements, at least 1.
    pub base_dilation: usize,
    /// Step between neighbouring window elements, at least 1.
    pub window_dilation: usize,
}

impl WindowDimension {
    /// A window of one element at every place.
    pub const TRIVIAL: WindowDimension =
        WindowDimension { size: 1, stride: 1, padding: (0, 0), base_dilation: 1, window_dilation: 1 };

    /// Number of windows over an input of this size; `None` when the numbers overflow or are not positive.
    pub fn output_size(&self, input: usize) -> Option<usize> {
        if self.stride == 0 || self.base_dilation == 0 || self.window_dilation == 0 {
            return None;
        }
        let spread = |size: usize, step: usize| -> Option<i64> {
            let size = i64::try_from(size).ok()?;
            if size == 0 { Some(0) } else { (size - 1).checked_mul(i64::try_from(step).ok()?)?.checked_add(1) }
        };
        let padded = spread(input, self.base_dilation)?.checked_add(self.padding.0)?.checked_add(self.padding.1)?;
        let window = spread(self.size, self.window_dilation)?;
        let stride = i64::try_from(self.stride).ok()?;
        // The position of every element of every window fits as well.
        padded.checked_add(window)?.checked_add(self.padding.0.checked_abs()?)?;
        Some(if padded <= 0 || window > padded { 0 } else { ((padded - window) / stride + 1) as usize })
    }

    /// The input element that element `within` of window `window` sees; `None` for padding and gaps.
    pub(crate) fn input_index(&self, window: usize, within: usize, input: usize) -> Option<usize> {
        let at = window as i64 * self.stride as i64 + within as i64 * self.window_dilation as i64 - self.padding.0;
        let at = usize::try_from(at).ok()?;
        let index = at / self.base_dilation;
        (at.is_multiple_of(self.base_dilation) && index < input).then_some(index)
    }
}

/// Sizes of the result. Fails when there are not as many windows as dimensions or the numbers overflow.
pub(crate) fn output_dims(
    op: &'static str,
    windows: &[WindowDimension],
    dims: &[usize],
) -> Result<Vec<usize>, KernelError> {
    let sizes = windows.iter().zip(dims).map(|(window, &dim)| window.output_size(dim));
    let sizes: Option<Vec<usize>> = sizes.collect();
    match sizes {
        Some(sizes) if windows.len() == dims.len() && count(&sizes).is_some() => Ok(sizes),
        _ => Err(KernelError::invalid(op, format!("windows {windows:?} do not fit dimensions {dims:?}"))),
    }
}
