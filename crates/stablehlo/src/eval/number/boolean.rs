//! `i1`: one byte that is 0 or 1.

use bytemuck::{Pod, Zeroable};

use super::Element;
use crate::ElementType;

/// A truth value, stored as one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct Bool(u8);

impl Bool {
    /// From a Rust bool.
    pub const fn new(value: bool) -> Bool {
        Bool(value as u8)
    }

    /// As a Rust bool.
    pub const fn get(self) -> bool {
        self.0 != 0
    }
}

impl Element for Bool {
    const TYPE: ElementType = ElementType::Bool;
    const NEEDS_CANONICAL: bool = true;
    type Word = u8;

    fn canonical(self) -> Bool {
        Bool::new(self.get())
    }
}
