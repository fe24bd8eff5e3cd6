//! Where tests find a JAX to compare with.

use std::process::Command;

/// A Python with JAX: the one that `STABLEHLO_PYTHON` names, which then must have it, or `python3` if that has.
pub fn python() -> Option<String> {
    let named = std::env::var("STABLEHLO_PYTHON").ok();
    let python = named.clone().unwrap_or_else(|| "python3".to_owned());
    let has_jax = Command::new(&python).args(["-c", "import jax"]).output().is_ok_and(|o| o.status.success());
    assert!(has_jax || named.is_none(), "{python} has no jax");
    if !has_jax {
        println!("skipped: {python} has no jax");
    }
    has_jax.then_some(python)
}
