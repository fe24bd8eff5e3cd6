//! Depthwise convolution: every feature by itself, features side by side in vectors.
#![allow(unsafe_code, reason = "arrays are read and written by address and stride")]
#![allow(clippy::needless_range_loop, reason = "what iterators are made of is not always inlined into wide code")]

use cpu_runtime::Pool;
use cpu_vir::exec::Isa;

use super::direct::Places;
use super::plan::Plan;
use crate::lanes::{self, Lane, Loops, Vector};
use crate::parallel::{Shared, ranges};

/// Computes all of `out`, which is `[image, place, feature]`; `kernel` is `[tap, feature]`.
pub(super) fn run<T: Lane>(pool: &Pool, plan: &Plan, places: &Places<'_>, lhs: &[T], kernel: &[T], out: &mut [T]) {
    let isa = Isa::detect();
    let features = plan.features;
    let taps = plan.tap_offsets();
    let count = places.offsets.len();
    let reach = taps.iter().max().map_or(0, |last| last + features);
    assert_eq!(taps.len() * features, kernel.len(), "the kernel's size");
    assert_eq!(places.images * count * features, out.len(), "the result's size");
    let out = Shared::new(out);
    let cost = (features * taps.len()) as u64 * 60 + 2_000;
    ranges(pool, places.images * count, cost, &|start, end| {
        for task in start..end {
            let (image, place) = (task / count, task % count);
            let lhs = &lhs[(places.begin)(image, 0) + places.offsets[place]..];
            assert!(reach <= lhs.len(), "the padded input's size");
            // SAFETY: every place is handed out once.
            let to = unsafe { out.part(task * features, features) };
            let place = Place { lhs, kernel, taps: &taps, to };
            // SAFETY: input and kernel have all features of every tap.
            unsafe { lanes::run(isa, place) }
        }
    });
}

/// All features of one place.
struct Place<'a, T> {
    lhs: &'a [T],
    kernel: &'a [T],
    taps: &'a [usize],
    to: &'a mut [T],
}

impl<T: Lane> Loops<T> for Place<'_, T> {
    /// # Safety
    /// From each tap on, `lhs` has as many elements as `to`, and `kernel` has that many for each tap. The processor
    /// has what `V` needs.
    #[inline(always)]
    unsafe fn run<V: Vector<Lane = T>>(self) {
        let Place { lhs, kernel, taps, to } = self;
        let features = to.len();
        let whole = features / V::LANES * V::LANES;
        // SAFETY: the caller's promises.
        unsafe {
            let (lhs, kernel, to) = (lhs.as_ptr(), kernel.as_ptr(), to.as_mut_ptr());
            let mut f = 0;
            while f < whole {
                let mut sum = V::splat(T::NIL);
                for t in 0..taps.len() {
                    sum = sum.add_product(V::load(lhs.add(taps[t] + f)), V::load(kernel.add(t * features + f)));
                }
                sum.store(to.add(f));
                f += V::LANES;
            }
            for f in whole..features {
                let mut sum = V::splat(T::NIL);
                for t in 0..taps.len() {
                    sum = sum.add_product(V::splat(*lhs.add(taps[t] + f)), V::splat(*kernel.add(t * features + f)));
                }
                *to.add(f) = lanes::first(sum);
            }
        }
    }
}
