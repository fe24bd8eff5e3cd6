"""Linear algebra through the LAPACK kernels that jaxlib carries, judged by NumPy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg


def matrices(*shape: int, dtype=np.float32) -> np.ndarray:
    random = np.random.default_rng(sum(shape))
    values = random.normal(size=shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.normal(size=shape)
    return values.astype(dtype)


@pytest.fixture(params=[np.float32, np.complex64], ids=["f32", "c64"])
def dtype(request):
    return request.param


@pytest.fixture(params=[(4, 4), (2, 3, 5, 5)], ids=str)
def square(request, dtype):
    return matrices(*request.param, dtype=dtype)


def hermitian(a: np.ndarray) -> np.ndarray:
    return a + np.swapaxes(a, -1, -2).conj()


def positive(a: np.ndarray) -> np.ndarray:
    return a @ np.swapaxes(a, -1, -2).conj() + a.shape[-1] * np.eye(a.shape[-1], dtype=a.dtype)


def close(got, want, tolerance=2e-4):
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)


def test_cholesky(devices, square):
    close(jnp.linalg.cholesky(positive(square)), np.linalg.cholesky(positive(square)))


def test_eigenvalues_of_hermitian_matrices(devices, square):
    values, vectors = jnp.linalg.eigh(hermitian(square))
    close(values, np.linalg.eigvalsh(hermitian(square)))
    close(hermitian(square) @ np.asarray(vectors), np.asarray(vectors) * np.asarray(values)[..., None, :], 1e-3)


def test_eigenvalues_of_general_matrices(devices, square):
    values, vectors = jnp.linalg.eig(square)
    close(square.astype(np.complex64) @ np.asarray(vectors), np.asarray(vectors) * np.asarray(values)[..., None, :], 1e-3)


def test_lu_solve_det_and_inverse(devices, square):
    right = matrices(*square.shape[:-1], 3, dtype=square.dtype)
    close(jnp.linalg.solve(square, right), np.linalg.solve(square, right), 2e-3)
    close(jnp.linalg.det(square), np.linalg.det(square), 2e-3)
    close(jnp.linalg.inv(square), np.linalg.inv(square), 2e-3)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4), (0, 3), (3, 0)], ids=str)
def test_qr_and_svd(devices, shape, dtype):
    a = matrices(*shape, dtype=dtype)
    q, r = jnp.linalg.qr(a)
    close(np.asarray(q) @ np.asarray(r), a)
    u, s, v = jnp.linalg.svd(a, full_matrices=False)
    close((np.asarray(u) * np.asarray(s)[..., None, :]) @ np.asarray(v), a)
    if 0 not in shape:
        close(s, np.linalg.svd(a, compute_uv=False))


def test_triangular_solve(devices, square):
    lower = np.tril(square) + 5 * np.eye(square.shape[-1], dtype=square.dtype)
    right = matrices(*square.shape[:-1], 2, dtype=square.dtype)
    close(jax.scipy.linalg.solve_triangular(lower, right, lower=True), np.linalg.solve(lower, right))
    close(jax.scipy.linalg.solve_triangular(lower, right, lower=True, trans=2),
          np.linalg.solve(np.swapaxes(lower, -1, -2).conj(), right))


def test_schur_hessenberg_and_pivoted_qr(devices, dtype):
    a = matrices(5, 5, dtype=dtype)
    t, z = map(np.asarray, jax.scipy.linalg.schur(a))
    close(z @ t @ z.conj().T, a)
    h, q = map(np.asarray, jax.scipy.linalg.hessenberg(a, calc_q=True))
    close(q @ h @ q.conj().T, a)
    close(np.asarray(jax.scipy.linalg.expm(a * 0.1)), scipy.linalg.expm(a * 0.1))


def test_a_failed_factorisation_is_nan_and_no_error(devices):
    assert np.isnan(np.asarray(jnp.linalg.cholesky(-jnp.eye(3)))[np.tril_indices(3)]).all()


def test_gradients_and_batches(devices, square):
    a = hermitian(square)
    got = jax.grad(lambda a: jnp.linalg.eigvalsh(a).sum().real)(a)
    assert got.shape == a.shape and np.isfinite(got).all()
    stack = np.stack([positive(matrices(3, 3)), positive(matrices(4, 3)[:3])])
    close(jax.vmap(jnp.linalg.cholesky)(stack), np.linalg.cholesky(stack))


def test_a_target_of_the_user_is_called(run_python, platform):
    done = run_python("""
        import jax, jax.numpy as jnp, numpy as np
        from jaxlib import lapack
        x = jnp.array([[4.0, 2.0], [2.0, 5.0]])
        [handler] = [handler for name, handler, *_ in lapack.registrations()["cpu"] if name == "lapack_spotrf_ffi"]
        jax.ffi.register_ffi_target("my_potrf", handler, platform="cpu")
        call = jax.ffi.ffi_call("my_potrf", (jax.ShapeDtypeStruct((2, 2), jnp.float32),
                                             jax.ShapeDtypeStruct((), jnp.int32)),
                                input_layouts=[(1, 0)], output_layouts=[(1, 0), None])
        lapack._lapack.initialize()
        factor, info = jax.jit(lambda x: call(x, uplo=np.uint8(ord("L"))))(x)
        assert int(info) == 0
        np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(np.asarray(x)), rtol=1e-6)
        try:
            jax.block_until_ready(jax.jit(lambda x: call(x))(x))
        except jax.errors.JaxRuntimeError as error:
            print(error)
        assert float(jnp.sum(x)) == 13
    """, JAX_PLATFORMS=platform)
    assert done.stdout.startswith("INVALID_ARGUMENT") and "attributes" in done.stdout, done.stdout


@pytest.mark.parametrize("shape", [(300, 300), (900, 900), (3, 300, 300)], ids=str)
def test_systems_so_large_that_lapack_needs_much_stack(devices, shape):
    # It recurses over blocks, with half a megabyte a level.
    matrix = np.random.default_rng(0).normal(size=shape).astype(np.float32) + 20 * np.eye(shape[-1], dtype=np.float32)
    solution = np.ones((*shape[:-1], 1), np.float32)
    for device in devices[:2]:
        solved = jnp.linalg.solve(jax.device_put(matrix, device), matrix @ solution)
        np.testing.assert_allclose(solved, solution, rtol=1e-3, atol=1e-3)


def test_such_systems_in_regions_for_each_device(devices):
    matrices = np.random.default_rng(0).normal(size=(2, 300, 300)).astype(np.float32) + 20 * np.eye(300, dtype=np.float32)
    solved = jax.pmap(lambda matrix: jnp.linalg.solve(matrix, matrix.sum(1, keepdims=True)), devices=devices[:2])(matrices)
    np.testing.assert_allclose(solved, np.ones((2, 300, 1)), rtol=1e-3, atol=1e-3)
