//! `#stablehlo.result_accuracy`: how close a transcendental function must come.

use super::ResultAccuracyMode;

/// The accuracy that an op asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResultAccuracy {
    /// Bits of the `f64` absolute tolerance.
    pub atol: u64,
    /// Bits of the `f64` relative tolerance.
    pub rtol: u64,
    /// Units in the last place.
    pub ulps: i64,
    /// Whether the tolerances matter.
    pub mode: ResultAccuracyMode,
}

impl ResultAccuracy {
    /// What an op without the attribute means.
    pub const DEFAULT: ResultAccuracy = ResultAccuracy { atol: 0, rtol: 0, ulps: 0, mode: ResultAccuracyMode::Default };
}
