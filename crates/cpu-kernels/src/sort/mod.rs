//! `sort` and `top_k`.
//!
//! [`key`] turns elements into integers that are ordered as they are; [`radix`] sorts those together with positions;
//! [`program`] sorts by any comparator, many comparisons at a time.

mod key;
mod program;
mod radix;
mod rows;
mod top_k;

pub use key::{KeyOrder, SortKey};
pub use rows::{Sort, SortBody};
pub use top_k::TopK;
