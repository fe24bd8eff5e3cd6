//! Denormal numbers: flushed to zero while programs run, as XLA does on CPUs, and not a moment longer.
//!
//! The mode belongs to a thread. It is set for the time of a guard and put back as it was, so that neither the
//! caller's own arithmetic nor callbacks into Python see it.

use std::marker::PhantomData;

/// While this lives, arithmetic of this thread treats denormal inputs and results as zero.
pub struct FlushDenormals {
    previous: u32,
    /// The mode is the thread's, so the guard stays on it.
    thread: PhantomData<*const ()>,
}

#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    /// Results to zero (bit 15), inputs as zero (bit 6).
    const FLUSH: u32 = 1 << 15 | 1 << 6;

    fn get() -> u32 {
        let mut mode = 0u32;
        // SAFETY: stores the control register of SSE, which every x86-64 has, to a place of ours.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack, preserves_flags)) };
        mode
    }

    pub(super) fn flush() -> u32 {
        let previous = get();
        set(previous | FLUSH);
        previous
    }

    pub(super) fn keep() -> u32 {
        let previous = get();
        set(previous & !FLUSH);
        previous
    }

    pub(super) fn set(mode: u32) {
        // SAFETY: the value was read from the register, or differs from it by the two denormal bits, which change
        // only results that are denormal.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags, readonly)) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod control {
    //! Elsewhere denormals are kept: the portable executor is exact, and no mode is touched.

    pub(super) fn flush() -> u32 {
        0
    }

    pub(super) fn keep() -> u32 {
        0
    }

    pub(super) fn set(_: u32) {}
}

impl FlushDenormals {
    /// Sets the mode on this thread.
    pub fn on_this_thread() -> FlushDenormals {
        FlushDenormals { previous: control::flush(), thread: PhantomData }
    }

    /// Runs `call` with denormals as IEEE 754 has them, whatever the mode of this thread is, and puts the mode back.
    pub fn suspended<R>(call: impl FnOnce() -> R) -> R {
        let _mode = FlushDenormals { previous: control::keep(), thread: PhantomData };
        call()
    }
}

impl Drop for FlushDenormals {
    fn drop(&mut self) {
        control::set(self.previous);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn the_mode_ends_with_the_guard() {
        let half = || black_box(f32::MIN_POSITIVE) * black_box(0.5);
        assert_ne!(half(), 0.0);
        {
            let _guard = FlushDenormals::on_this_thread();
            assert_eq!(half(), 0.0);
            // Compared where a denormal is not taken for zero.
            assert!(FlushDenormals::suspended(|| half() != 0.0));
            assert_eq!(half(), 0.0);
        }
        assert_ne!(half(), 0.0);
    }
}
