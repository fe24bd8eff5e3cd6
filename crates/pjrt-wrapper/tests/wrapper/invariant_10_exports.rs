//! Invariant 10: only a plugin exports `GetPjrtApi`. That its library exports nothing else and needs only libc,
//! libm and libgcc_s can be seen in a built library alone (`cargo xtask build-plugin` looks there).

use crate::support::plugin;

#[test]
fn exports_nothing_for_backends_that_are_embedded() {
    assert!(!plugin().raw().is_null());
    // SAFETY: the name ends with a zero byte.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"GetPjrtApi".as_ptr()) };
    assert!(symbol.is_null(), "this binary holds several backends and is no plugin");
}
