//! The closed list of operations, and the way between an [`OpCode`] and its name.
//!
//! Owns the machinery; the list itself is in `op_table.rs`.

use std::fmt;
use std::sync::LazyLock;

use hashbrown::HashMap;

pub use super::op_table::OpCode;

/// The dialect that an op belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `builtin`
    Builtin,
    /// `func`
    Func,
    /// `stablehlo`
    Stablehlo,
    /// `chlo`
    Chlo,
    /// `sdy`
    Sdy,
    /// `check`: the expectations that StableHLO's own tests state.
    Check,
    /// `interpreter`: what StableHLO's own tests ask of the machine that runs them.
    Interpreter,
    /// Any other.
    Unknown,
}

/// Builds the enum and its static facts from the table of `op_table.rs`.
macro_rules! op_codes {
    ($($dialect:ident { $($name:ident = $text:literal [$($attr:literal),*];)* })*) => {
        /// An operation of the dialects that programs are made of.
        ///
        /// StableHLO ops have the plain name; ops of other dialects carry the dialect as a prefix. The
        /// spelling of each is [`OpCode::name`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum OpCode {
            $($(#[doc = concat!("`", $text, "`")] $name,)*)*
            /// An op of a dialect that this crate does not know; the module keeps its name.
            Unknown,
        }

        impl OpCode {
            /// Every op with a name of its own, in order of declaration (all but [`OpCode::Unknown`]).
            pub const ALL: &'static [OpCode] = &[$($(OpCode::$name,)*)*];

            const NAMES: &'static [&'static str] = &[$($($text,)*)* "unknown"];
            const INHERENT: &'static [&'static [&'static str]] = &[$($(&[$($attr),*],)*)* &[]];
            const DIALECTS: &'static [Dialect] = &[$($({ let _ = $text; Dialect::$dialect },)*)* Dialect::Unknown];

            /// The full name, such as `stablehlo.add` or `func.call`.
            #[inline]
            pub const fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// The attributes that belong to the op's definition, sorted; every other attribute of such an op
            /// is discardable.
            #[inline]
            pub const fn inherent_attributes(self) -> &'static [&'static str] {
                Self::INHERENT[self as usize]
            }

            /// The dialect of the op.
            #[inline]
            pub const fn dialect(self) -> Dialect {
                Self::DIALECTS[self as usize]
            }
        }
    };
}
pub(crate) use op_codes;

impl OpCode {
    /// The op with this full name, if it is one of [`OpCode::ALL`].
    pub fn from_name(name: &str) -> Option<OpCode> {
        static BY_NAME: LazyLock<HashMap<&'static str, OpCode>> =
            LazyLock::new(|| OpCode::ALL.iter().map(|&op| (op.name(), op)).collect());
        BY_NAME.get(name).copied()
    }

    /// True for the ops that end a block.
    pub const fn is_terminator(self) -> bool {
        matches!(self, OpCode::Return | OpCode::FuncReturn | OpCode::SdyReturn)
    }

    /// The name without the dialect, such as `add`.
    pub fn mnemonic(self) -> &'static str {
        self.name().split_once('.').map_or(self.name(), |(_, mnemonic)| mnemonic)
    }
}

impl fmt::Display for OpCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_belong_to_their_dialect() {
        for &op in OpCode::ALL {
            assert_eq!(OpCode::from_name(op.name()), Some(op));
            let dialect = format!("{:?}", op.dialect()).to_lowercase();
            assert_eq!(op.name().split_once('.').unwrap().0, dialect, "{op}");
            assert_eq!(op.mnemonic(), op.name().split_once('.').unwrap().1);
        }
        assert_eq!(OpCode::from_name("stablehlo.frobnicate"), None);
        assert_eq!(OpCode::from_name("unknown"), None);
    }

    #[test]
    fn inherent_attributes_are_sorted() {
        for &op in OpCode::ALL {
            assert!(op.inherent_attributes().is_sorted(), "{op}");
        }
    }
}
