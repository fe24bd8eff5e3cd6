"""Runs handlers that jaxlib ships through the library of `examples/call_handler.rs` and compares with NumPy.

    python lapack_handlers.py path/to/libcall_handler.so

Exits 0 when every check holds; prints one line for each.
"""

from __future__ import annotations

import sys

import jaxlib.version
import numpy as np
from caller import Caller, HandlerError
from jaxlib import lapack

INVALID_ARGUMENT = 3


def column_major(matrices):
    """LAPACK's order: the shape stays, the last two axes are swapped in memory. JAX asks for it by layouts."""
    return np.swapaxes(np.ascontiguousarray(np.swapaxes(matrices, -1, -2)), -1, -2)


def matrices_of(shape, dtype):
    """Room for a result that consists of matrices, filled with something that must not stay."""
    return column_major(np.full(shape, 77, dtype))


def vectors_of(shape, dtype):
    """Room for any other result."""
    return np.full(shape, 77, dtype)


def main(path: str) -> None:
    caller = Caller(path)
    if hasattr(lapack, "registrations"):
        targets = {name: value for name, value, version in lapack.registrations()["cpu"] if version == 1}
    else:
        from jaxlib.cpu import _lapack

        targets = {name: value for name, value in _lapack.registrations().items() if name.endswith("_ffi")}
    initialize = getattr(lapack._lapack, "initialize", None)
    if initialize is not None:
        initialize()
    rng = np.random.default_rng(0)
    failed = []

    def check(name, got, want, tolerance):
        error = float(np.max(np.abs(got - want), initial=0.0) / max(1.0, float(np.max(np.abs(want), initial=0.0))))
        good = got.shape == want.shape and error <= tolerance
        print(f"{'ok  ' if good else 'FAIL'} {name}: {error:.2e}")
        if not good:
            failed.append(name)

    def refused(name, code, call):
        try:
            call()
        except HandlerError as error:
            good = error.code == code
            print(f"{'ok  ' if good else 'FAIL'} {name}: {str(error).splitlines()[0][:150]}")
        else:
            good = False
            print(f"FAIL {name}: no error")
        if not good:
            failed.append(name)

    for prefix, dtype, tolerance in (("s", "float32", 1e-5), ("d", "float64", 1e-13), ("c", "complex64", 1e-5),
                                     ("z", "complex128", 1e-13)):
        def random(*shape):
            values = rng.normal(size=shape)
            if dtype.startswith("complex"):
                values = values + 1j * rng.normal(size=shape)
            return values.astype(dtype)

        real = np.zeros((), dtype).real.dtype
        # Every target says a version that is served: called without arguments it complains about those.
        mine = [name for name in targets if name.startswith(f"lapack_{prefix}")]

        # LU: a batch of matrices that are not square.
        target = f"lapack_{prefix}getrf_ffi"
        matrices = random(3, 5, 4)
        factors, pivots, info = caller(target, targets[target], [column_major(matrices)],
                                       [matrices_of((3, 5, 4), dtype), vectors_of((3, 4), "int32"), vectors_of(3, "int32")])
        assert not info.any(), info
        for matrix, factor, pivot in zip(matrices, factors, pivots):
            lower = np.tril(factor, -1)[:, :4] + np.eye(5, 4, dtype=dtype)
            product = lower @ np.triu(factor)[:4]
            for row, other in reversed(list(enumerate(pivot - 1))):
                product[[row, other]] = product[[other, row]]
            check(target, product, matrix, tolerance)

        # Cholesky, with an attribute.
        target = f"lapack_{prefix}potrf_ffi"
        half = random(2, 6, 6)
        matrices = half @ np.swapaxes(half, -1, -2).conj() + 6 * np.eye(6, dtype=dtype)
        factors, info = caller(target, targets[target], [column_major(matrices)],
                               [matrices_of((2, 6, 6), dtype), vectors_of(2, "int32")], {"uplo": np.uint8(ord("L"))})
        assert not info.any(), info
        check(target, np.tril(factors), np.linalg.cholesky(matrices), tolerance)

        # Eigenvalues of a symmetric matrix: two attributes, which must reach the handler sorted by name.
        target = f"lapack_{prefix}heevd_ffi" if dtype.startswith("complex") else f"lapack_{prefix}syevd_ffi"
        vectors, values, info = caller(target, targets[target], [column_major(matrices)],
                                       [matrices_of((2, 6, 6), dtype), vectors_of((2, 6), real), vectors_of(2, "int32")],
                                       {"uplo": np.uint8(ord("L")), "mode": np.uint8(ord("V"))})
        assert not info.any(), info
        check(target, values, np.linalg.eigvalsh(matrices), tolerance)
        check(target + " vectors", matrices @ vectors, vectors * values[:, None, :], 10 * tolerance)

        # Triangular solve: two arguments, four attributes.
        target = f"lapack_{prefix}trsm_ffi"
        triangle, right = np.tril(random(5, 5)) + 5 * np.eye(5, dtype=dtype), random(5, 3)
        options = {"side": np.uint8(ord("L")), "uplo": np.uint8(ord("L")), "trans_x": np.uint8(ord("N")),
                          "diag": np.uint8(ord("N"))}
        try:
            (solution,) = caller(target, targets[target], [column_major(triangle), column_major(right)],
                                 [matrices_of((5, 3), dtype)], options)
        except HandlerError:
            # Up to 0.5 the factor was a third argument.
            (solution,) = caller(target, targets[target],
                                 [column_major(triangle), column_major(right), np.ones((), dtype)],
                                 [matrices_of((5, 3), dtype)], options)
        check(target, triangle @ solution, right, 10 * tolerance)

        # A failed factorisation is no error of the call: the info output says where.
        target = f"lapack_{prefix}potrf_ffi"
        _, info = caller(target, targets[target], [-np.eye(3, dtype=dtype)[None]],
                         [matrices_of((1, 3, 3), dtype), vectors_of(1, "int32")], {"uplo": np.uint8(ord("L"))})
        check(target + " info", info, np.array([1], "int32"), 0)

        refused(f"{target} without its attribute", INVALID_ARGUMENT,
                lambda: caller(target, targets[target], [np.eye(3, dtype=dtype)[None]],
                               [matrices_of((1, 3, 3), dtype), vectors_of(1, "int32")]))
        refused(f"{target} on integers", INVALID_ARGUMENT,
                lambda: caller(target, targets[target], [np.eye(3, dtype="int32")[None]],
                               [matrices_of((1, 3, 3), dtype), vectors_of(1, "int32")], {"uplo": np.uint8(ord("L"))}))
        for name in mine:
            refused(name + " without arguments", INVALID_ARGUMENT, lambda: caller(name, targets[name], [], []))

    if failed:
        sys.exit(f"{len(failed)} checks failed: {failed}")
    print(f"jaxlib {jaxlib.version.__version__}: {len(targets)} LAPACK targets, API 0.{max(caller.versions)}, all good")


if __name__ == "__main__":
    main(sys.argv[1])
