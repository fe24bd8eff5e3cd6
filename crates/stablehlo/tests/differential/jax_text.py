"""Writes what JAX prints for many functions to a directory: N.mlir, and N.loc.mlir with locations.

Usage: jax_text.py DIRECTORY
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

x = np.ones((4, 6), np.float32)
v = np.arange(8, dtype=np.float32)
i = np.arange(8, dtype=np.int32)
sq = np.eye(4, dtype=np.float32)
img = np.ones((1, 8, 8, 3), np.float32)
ker = np.ones((3, 3, 3, 4), np.float32)
key = np.zeros(2, np.uint32)

FUNCTIONS = [
    (jnp.sin, x), (jnp.tanh, x), (jnp.exp, v), (jnp.log1p, v), (jnp.sqrt, v), (lax.rsqrt, v), (jnp.round, v),
    (jnp.sign, v), (jnp.floor, v), (jnp.isfinite, v), (lax.erf, v), (lax.lgamma, v), (lax.digamma, v), (jnp.cbrt, v),
    (lambda a: a.astype(jnp.bfloat16), v), (lambda a: a.astype(jnp.int4), i), (lambda a: a.view(jnp.int32), v),
    (lambda a: a + a * 2 - a / 3, x), (lambda a: a ** 2, x), (lambda a: jnp.where(a > 0, a, -a), x),
    (lambda a: jnp.clip(a, 0, 1), x), (lambda a: a & 3 | a ^ 5, i), (lambda a: a << 2 >> 1, i), (lambda a: ~a, i),
    (lambda a: a % 3, i), (lambda a: lax.population_count(a), i), (lambda a: lax.clz(a), i), (jnp.sum, x), (jnp.max, x),
    (lambda a: jnp.mean(a, 0), x), (lambda a: jnp.argmax(a, 1), x), (lambda a: jnp.any(a > 0), x),
    (lambda a: jnp.var(a), x), (lambda a: jnp.cumsum(a), v), (lambda a: jnp.sort(a), v), (lambda a: jnp.argsort(a), v),
    (lambda a: lax.top_k(a, 2), v), (lambda a: a @ a.T, x), (lambda a: jnp.einsum("ij,kj->ik", a, a), x),
    (lambda a: jnp.dot(a, a, precision="highest"), sq), (lambda a: a.reshape(3, 8), x), (lambda a: a.T, x),
    (lambda a: a[::-1], v), (lambda a: a[1:7:2], v), (lambda a: jnp.pad(a, 2), v), (lambda a: a[i[:3]], v),
    (lambda a: a.at[i[:3]].add(1.0), v), (lambda a: a.at[2].set(0.0), v), (lambda a: jnp.concatenate([a, a]), v),
    (lambda a: lax.dynamic_slice(a, (a[0].astype(int),), (3,)), v), (lambda a: jnp.stack([a, a]), v),
    (lambda a: jnp.broadcast_to(a, (3, 8)), v), (lambda a: jnp.arange(5) + a.astype(int)[:5], v),
    (lambda a: lax.conv_general_dilated(a, ker, (2, 2), "SAME", rhs_dilation=(1, 2),
                                        dimension_numbers=("NHWC", "HWIO", "NHWC")), img),
    (lambda a: lax.reduce_window(a, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"), img),
    (jax.grad(lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()), img),
    (lambda a: lax.fori_loop(0, 5, lambda n, c: c * n, a), v), (lambda a: lax.scan(lambda c, b: (c + b, c), a[0], a), v),
    (lambda a: lax.cond(a[0] > 0, jnp.sin, jnp.cos, a), v), (lambda a: lax.switch(a[0], [jnp.sin, jnp.cos, jnp.tan], v), i),
    (lambda a: lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] + 1, c[1] * 2), (0, a)), v),
    (jnp.fft.fft, v), (jnp.fft.rfft, v), (lambda a: jnp.linalg.cholesky(a), sq),
    (lambda a: jax.scipy.linalg.solve_triangular(a, a, lower=True), sq), (jnp.linalg.inv, sq),
    (lambda k: jax.random.uniform(k, (3,)), key), (lambda k: jax.random.normal(k, (3,)), key),
    (lambda k: lax.rng_bit_generator(jnp.tile(k, 2), (3,)), key), (jax.grad(lambda a: jnp.sum(jnp.sin(a) ** 2)), v),
    (jax.nn.softmax, x), (jax.nn.gelu, x), (jax.vmap(jnp.dot, (0, None)), x, np.ones(6, np.float32)),
    (lambda a: a * (1 + 2j), v), (lambda a: lax.reduce_precision(a, 5, 10), v), (lambda a: lax.optimization_barrier(a), v),
    (lambda a: jnp.full((2, 2), jnp.nan) + jnp.inf * a[0], v), (lambda a: jnp.asarray(np.arange(150.0)) + a[0], v),
    (lambda a: jnp.asarray([1.5, float("nan"), -0.0, 16777216.0, 1e-7, 1 / 3]) * a[0], v),
    (lambda a: jnp.asarray([True, False, True]) & (a[:3] > 0), v), (lambda a: a.astype(jnp.float8_e4m3fn), v),
]


def main(directory):
    directory = pathlib.Path(directory)
    for number, (function, *arguments) in enumerate(FUNCTIONS):
        lowered = jax.jit(function).lower(*arguments)
        (directory / f"{number}.mlir").write_text(lowered.as_text())
        (directory / f"{number}.loc.mlir").write_text(lowered.as_text(debug_info=True))
    print(jax.__version__, len(FUNCTIONS))


main(*sys.argv[1:])
