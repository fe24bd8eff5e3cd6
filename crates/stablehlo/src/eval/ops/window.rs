//! Windows that slide over dilated, padded arrays: which input element each window position sees.
//!
//! Under `reduce_window`, `select_and_scatter` and `convolution`.

use super::movement::spread_size;
use crate::eval::error::OpError;

/// One dimension of a window.
#[derive(Clone, Copy, Debug)]
pub struct WindowDimension {
    /// Window size.
    pub size: usize,
    /// Step between windows.
    pub stride: usize,
    /// Padding before and after the (dilated) input; negative padding removes.
    pub padding: (i64, i64),
    /// Step between neighbouring input elements.
    pub base_dilation: usize,
    /// Step between neighbouring window elements.
    pub window_dilation: usize,
}

impl WindowDimension {
    /// From attribute values. Fails unless sizes, strides and dilations are positive (a size may be zero).
    pub fn new(
        size: i64,
        stride: i64,
        padding: (i64, i64),
        base_dilation: i64,
        window_dilation: i64,
    ) -> Result<WindowDimension, OpError> {
        let positive = |what: &str, n: i64, least: i64| {
            usize::try_from(n)
                .ok()
                .filter(|_| n >= least)
                .ok_or_else(|| OpError::invalid(format!("{what} {n} of a window must be at least {least}")))
        };
        Ok(WindowDimension {
            size: positive("size", size, 0)?,
            stride: positive("stride", stride, 1)?,
            padding,
            base_dilation: positive("base dilation", base_dilation, 1)?,
            window_dilation: positive("window dilation", window_dilation, 1)?,
        })
    }

    /// Number of windows over an input of this size. Fails when the numbers overflow.
    pub fn output_size(&self, input: usize) -> Result<usize, OpError> {
        let overflow = || OpError::invalid(format!("window {self:?} over {input} elements overflows"));
        let padded = spread_size(input as i64, self.base_dilation as i64)
            .and_then(|n| n.checked_add(self.padding.0)?.checked_add(self.padding.1))
            .ok_or_else(overflow)?
            .max(0);
        let window = spread_size(self.size as i64, self.window_dilation as i64).ok_or_else(overflow)?;
        let windows = if padded == 0 || window > padded { 0 } else { (padded - window) / self.stride as i64 + 1 };
        Ok(windows as usize)
    }

    /// The input element that element `within` of window `window` sees; `None` for padding and gaps.
    pub fn input_index(&self, window: usize, within: usize, input: usize) -> Option<usize> {
        let at = window as i64 * self.stride as i64 + within as i64 * self.window_dilation as i64 - self.padding.0;
        let at = usize::try_from(at).ok()?;
        (at.is_multiple_of(self.base_dilation) && at / self.base_dilation < input).then_some(at / self.base_dilation)
    }
}

/// Pairs (window, input element), as flat positions, of all windows whose element `within` sees an input element.
pub(super) fn visible_pairs(
    windows: &[WindowDimension],
    within: &[usize],
    input_dims: &[usize],
    output_dims: &[usize],
) -> (Vec<usize>, Vec<usize>) {
    let (mut outputs, mut inputs) = (vec![0usize], vec![0usize]);
    for (d, window) in windows.iter().enumerate() {
        let pairs: Vec<(usize, usize)> =
            (0..output_dims[d]).filter_map(|o| Some((o, window.input_index(o, within[d], input_dims[d])?))).collect();
        // Each prefix of dimensions extends to all pairs of the next one, in row-major order.
        let extend = |flat: &[usize], dims: &[usize], pick: fn(&(usize, usize)) -> usize| {
            let mut out = Vec::with_capacity(flat.len() * pairs.len());
            for &at in flat {
                out.extend(pairs.iter().map(|p| at * dims[d] + pick(p)));
            }
            out
        };
        outputs = extend(&outputs, output_dims, |p| p.0);
        inputs = extend(&inputs, input_dims, |p| p.1);
    }
    (outputs, inputs)
}
