//! Several processes of one program side by side: the grid they form, how it falls into groups, where they meet.
//!
//! Owns threads and waiting. It knows nothing of what a collective computes from what its members bring.

mod grid;
mod groups;
mod permutation;
mod rendezvous;
mod run;

pub use grid::Grid;
pub(crate) use groups::{GroupRules, Groups, Strategy};
pub(crate) use permutation::Permutation;
pub(crate) use rendezvous::{Channel, Contributions, Rendezvous, Site};
pub(crate) use run::run_processes;
