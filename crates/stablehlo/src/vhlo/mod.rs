//! VHLO, the versioned form in which StableHLO programs travel: what its codes and ops mean, and what each
//! becomes in current StableHLO.
//!
//! Upgrades of older op versions need no steps of their own: an older version lacks properties, and an absent
//! property has the default that the upgrade would write. Knows the decoder's primitives but not the layout of
//! the file.

mod attr_codes;
mod convert;
mod op;
mod op_table;
mod type_codes;
mod version;

pub(crate) use attr_codes::decode_attr;
pub(crate) use convert::Conversion;
pub(crate) use op::{Rule, VhloOp};
pub(crate) use type_codes::decode_type;
pub use version::{CURRENT_VERSION, MINIMUM_VERSION, Version};
