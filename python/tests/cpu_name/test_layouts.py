"""Arrays whose dimensions lie in another order than row-major: given, made, read and donated."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jaxlib.version
import numpy as np
import pytest

layout = pytest.importorskip("jax.experimental.layout")
if not hasattr(layout, "Format") or jaxlib.version.__version_info__ < (0, 9, 2):
    pytest.skip("layouts have another interface, or JAX takes them from the program's text", allow_module_level=True)

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def formatted(device, *order):
    return layout.Format(layout.Layout(major_to_minor=order), jax.sharding.SingleDeviceSharding(device))


def order(x):
    return x.format.layout.major_to_minor


@pytest.mark.parametrize("wanted", [(2, 1, 0), (1, 0, 2), (2, 0, 1), (0, 1, 2)])
def test_results_have_the_layout_that_is_asked_for(devices, wanted):
    f = jax.jit(lambda x: (x * 2, x + 1), out_shardings=(formatted(devices[0], *wanted), None))
    y, z = f(X)
    assert order(y) == wanted and order(z) == (0, 1, 2)
    np.testing.assert_array_equal(y, X * 2)
    np.testing.assert_array_equal(z, X + 1)
    # What takes it in whatever order it has sees the same array.
    np.testing.assert_array_equal(jnp.sum(y, axis=1), (X * 2).sum(axis=1))


def test_arrays_are_put_in_a_layout_and_taken_in_one(devices):
    columns = formatted(devices[0], 2, 1, 0)
    x = jax.device_put(X, columns)
    assert order(x) == (2, 1, 0)
    np.testing.assert_array_equal(x, X)
    f = jax.jit(lambda x: jnp.einsum("abc,dbc->ad", x, x), in_shardings=columns)
    np.testing.assert_array_equal(f(x), np.einsum("abc,dbc->ad", X, X))
    assert f.lower(X).compile().input_formats[0][0].layout.major_to_minor == (2, 1, 0)
    rows = jax.device_put(x, formatted(devices[0], 0, 1, 2))
    assert order(rows) == (0, 1, 2)
    np.testing.assert_array_equal(rows, X)


def test_an_array_in_another_layout_may_be_donated(devices):
    columns = formatted(devices[0], 2, 1, 0)
    x = jax.device_put(X, columns)
    y = jax.jit(lambda x: x + 1, in_shardings=columns, out_shardings=columns, donate_argnums=0)(x)
    assert x.is_deleted() and order(y) == (2, 1, 0)
    np.testing.assert_array_equal(y, X + 1)


def test_a_view_shows_the_same_numbers(devices):
    x = jax.device_put(X, formatted(devices[0], 1, 2, 0))
    np.testing.assert_array_equal(np.from_dlpack(x), X)


def test_layouts_over_several_devices_are_refused_by_name(devices):
    if len(devices) < 2:
        pytest.skip("one device")
    mesh = jax.sharding.Mesh(np.array(devices[:2]), ("d",))
    spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("d"))
    wanted = layout.Format(layout.Layout(major_to_minor=(2, 1, 0)), spread)
    with pytest.raises(jax.errors.JaxRuntimeError, match="layout {0,1,2} in a program over 2 devices"):
        jax.jit(lambda x: x + 1, out_shardings=wanted)(jax.device_put(X, spread))
