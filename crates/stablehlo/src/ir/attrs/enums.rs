//! The enumerations of StableHLO, with their spelling and their number in VHLO.

macro_rules! enums {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal, $code:literal;)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every value, in order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The spelling in the text form.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The value with this spelling.
            pub fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }

            /// The number that stands for it in VHLO bytecode.
            pub const fn code(self) -> u64 {
                match self { $($name::$variant => $code,)* }
            }

            /// The value with this number in VHLO bytecode.
            pub const fn from_code(code: u64) -> Option<$name> {
                match code { $($code => Some($name::$variant),)* _ => None }
            }
        }
    )*};
}

enums! {
    /// `comparison_direction` of `compare`.
    ComparisonDirection {
        /// Equal.
        Eq = "EQ", 0;
        /// Not equal.
        Ne = "NE", 1;
        /// Greater or equal.
        Ge = "GE", 2;
        /// Greater.
        Gt = "GT", 3;
        /// Less or equal.
        Le = "LE", 4;
        /// Less.
        Lt = "LT", 5;
    }
    /// `compare_type` of `compare`.
    ComparisonType {
        /// Left to the element type.
        NoType = "NOTYPE", 0;
        /// IEEE comparison.
        Float = "FLOAT", 1;
        /// IEEE total order.
        TotalOrder = "TOTALORDER", 2;
        /// Signed integers.
        Signed = "SIGNED", 3;
        /// Unsigned integers and booleans.
        Unsigned = "UNSIGNED", 4;
    }
    /// `api_version` of `custom_call`.
    CustomCallApiVersion {
        /// Not said.
        Unspecified = "API_VERSION_UNSPECIFIED", 0;
        /// A function without a status.
        Original = "API_VERSION_ORIGINAL", 1;
        /// A function with a status.
        StatusReturning = "API_VERSION_STATUS_RETURNING", 2;
        /// The same on all platforms.
        StatusReturningUnified = "API_VERSION_STATUS_RETURNING_UNIFIED", 3;
        /// The typed foreign function interface.
        TypedFfi = "API_VERSION_TYPED_FFI", 4;
    }
    /// `fft_type` of `fft`.
    FftType {
        /// Complex to complex.
        Fft = "FFT", 0;
        /// Inverse, complex to complex.
        Ifft = "IFFT", 1;
        /// Real to complex.
        Rfft = "RFFT", 2;
        /// Inverse, complex to real.
        Irfft = "IRFFT", 3;
    }
    /// An entry of `precision_config`.
    Precision {
        /// Fastest.
        Default = "DEFAULT", 0;
        /// In between.
        High = "HIGH", 1;
        /// Most accurate.
        Highest = "HIGHEST", 2;
    }
    /// `rng_algorithm` of `rng_bit_generator`.
    RngAlgorithm {
        /// The implementation's choice.
        Default = "DEFAULT", 0;
        /// Threefry 2x32.
        ThreeFry = "THREE_FRY", 1;
        /// Philox 4x32.
        Philox = "PHILOX", 2;
    }
    /// `rng_distribution` of `rng`.
    RngDistribution {
        /// Uniform over an interval.
        Uniform = "UNIFORM", 1;
        /// Normal.
        Normal = "NORMAL", 2;
    }
    /// `transpose_a` of `triangular_solve`.
    Transpose {
        /// Not a valid choice; exists in the encoding.
        Invalid = "TRANSPOSE_INVALID", 0;
        /// The matrix itself.
        NoTranspose = "NO_TRANSPOSE", 1;
        /// Its transpose.
        Transpose = "TRANSPOSE", 2;
        /// Its conjugate transpose.
        Adjoint = "ADJOINT", 3;
    }
    /// `mode` of `result_accuracy`.
    ResultAccuracyMode {
        /// The implementation's choice.
        Default = "DEFAULT", 0;
        /// Most accurate.
        Highest = "HIGHEST", 1;
        /// Within the given tolerance.
        Tolerance = "TOLERANCE", 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_and_number_round_trip() {
        macro_rules! check {
            ($($name:ident)*) => {$(
                for &value in $name::ALL {
                    assert_eq!($name::from_text(value.text()), Some(value));
                    assert_eq!($name::from_code(value.code()), Some(value));
                }
                assert_eq!($name::from_code(99), None);
            )*};
        }
        check!(ComparisonDirection ComparisonType CustomCallApiVersion FftType Precision RngAlgorithm
               RngDistribution Transpose ResultAccuracyMode);
    }
}
