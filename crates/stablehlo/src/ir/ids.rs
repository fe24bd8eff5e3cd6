//! The index types of a module's arenas.
//!
//! An id means something only together with the [`Module`](super::Module) that issued it; none of them owns
//! anything, and all are four bytes.

use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The position in the arena, for side tables indexed by this id.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id at a position of the arena; the inverse of [`index`](Self::index).
            ///
            /// # Panics
            /// If the position does not fit 32 bits.
            #[inline]
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("an arena holds fewer than 2^32 entries"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// An operation.
    OpId, "op";
    /// A result of an operation or an argument of a block.
    ValueId, "%";
    /// A block of operations.
    BlockId, "^";
    /// A region: a list of blocks that belongs to an operation.
    RegionId, "region";
    /// An interned string.
    StrId, "str";
    /// An interned type.
    TypeId, "type";
    /// An interned attribute.
    AttrId, "attr";
    /// A source location.
    LocId, "loc";
}

impl LocId {
    /// The unknown location, present in every module.
    pub const UNKNOWN: LocId = LocId(0);
}
