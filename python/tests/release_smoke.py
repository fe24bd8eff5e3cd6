"""One jaxlib release, one plugin: `cargo xtask test jaxlib` runs this in an environment for each release.

The plugin is the one named by JAX_PLATFORMS. Warnings are errors, so that a patch which no longer finds its target
in this release is noticed. Prints a line that begins with SMOKE OK.
"""

from __future__ import annotations

import os
import warnings

warnings.simplefilter("error")

import importlib  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

PLATFORM = os.environ["JAX_PLATFORMS"]


def check(name: str, got, want, tolerance: float = 1e-4) -> None:
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance, err_msg=name)


def main() -> None:
    devices = jax.devices()
    plugin = importlib.import_module(f"jax_plugins.{PLATFORM}")
    assert devices[0].platform == plugin.CLIENT_PLATFORM, devices
    random = np.random.default_rng(0)
    x = random.normal(size=(13, 11)).astype(np.float32)
    w = random.normal(size=(11, 7)).astype(np.float32)
    for device in devices:
        check("round trip", jax.device_put(x.T, device), x.T, 0)
        check("matmul", jax.jit(lambda a, b: jnp.tanh(a @ b))(*jax.device_put((x, w), device)), np.tanh(x @ w))
    check("grad", jax.jit(jax.grad(lambda a: jnp.sum(jnp.sin(a) ** 2)))(x), 2 * np.sin(x) * np.cos(x))
    check("sort", jax.jit(lambda a: jnp.sort(a, axis=1))(x), np.sort(x, axis=1), 0)
    check("scan", jax.jit(lambda a: jax.lax.scan(lambda c, r: (c + r, c), jnp.zeros(11), a)[0])(x), x.sum(0), 1e-3)
    check("while", jax.jit(lambda n: jax.lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2), (0, 1))[1])(10),
          1024, 0)
    check("cond", jax.jit(lambda p, a: jax.lax.cond(p, jnp.sin, jnp.cos, a))(True, x), np.sin(x))
    check("gather", jax.jit(lambda a, i: a[i])(x, np.array([3, 0, 12])), x[[3, 0, 12]], 0)
    check("scatter", jax.jit(lambda a: a.at[jnp.array([1, 1])].add(1.0))(x)[1], x[1] + 2)
    uniform = np.asarray(jax.random.uniform(jax.random.PRNGKey(0), (1000,)))
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.05
    donated = jax.device_put(x)
    check("donation", jax.jit(lambda a: a + 1, donate_argnums=0)(donated), x + 1)
    assert donated.is_deleted()
    if plugin.CLIENT_PLATFORM == "cpu":
        said = handlers_of_jaxlib(x)
    else:
        said = refusals(x, plugin.pjrt_plugin_support)
    check("after all that", jax.jit(lambda a: a * 2)(x), x * 2)
    print("SMOKE OK", jax.__version__, f"({len(devices)} devices; {said})")


def handlers_of_jaxlib(x: np.ndarray) -> str:
    """A stand-in for JAX's own CPU backend runs LAPACK kernels, and Python callbacks where jaxlib has typed ones."""
    gram = x.T @ x + np.eye(11, dtype=np.float32)
    values, vectors = jnp.linalg.eigh(gram)
    check("eigh", gram @ np.asarray(vectors), np.asarray(vectors) * np.asarray(values), 1e-3)
    check("solve", jnp.linalg.solve(gram, x.T), np.linalg.solve(gram, x.T), 1e-2)
    check("svd", jnp.linalg.svd(x, compute_uv=False), np.linalg.svd(x, compute_uv=False), 1e-3)
    from jaxlib import version

    if version.__version_info__ < (0, 6):
        return "LAPACK"
    seen = []
    doubled = jax.jit(lambda a: jax.pure_callback(lambda a: np.asarray(a) * 2, jax.ShapeDtypeStruct(a.shape, a.dtype), a))(x)
    check("pure_callback", doubled, x * 2, 0)
    jax.jit(lambda a: jax.debug.callback(lambda a: seen.append(float(a)), a))(np.float32(3))
    jax.effects_barrier()
    assert seen == [3], seen
    return "LAPACK, callbacks"


def refusals(x: np.ndarray, support) -> str:
    """A platform that JAX does not know has no rule for some primitives, and JAX says so."""
    try:
        jax.jit(lambda a: jnp.linalg.eigh(a @ a.T))(x)
    except NotImplementedError:
        pass
    else:
        raise AssertionError("a primitive without a lowering rule was not refused")
    return f"no rule for: {', '.join(support.missing_lowering_rules(PLATFORM))}"


if __name__ == "__main__":
    main()
