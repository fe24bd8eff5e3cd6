"""A buffer is live, donated or deleted; what each allows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def test_donation_is_visible(devices):
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    for device in devices:
        x = jax.device_put(np.arange(16, dtype=np.float32), device)
        y = step(x)
        assert x.is_deleted()
        np.testing.assert_array_equal(y, np.arange(1, 17))


def test_only_what_is_donated_goes(devices):
    step = jax.jit(lambda x, y: (x + y, y * 2), donate_argnums=0)
    x, y = jnp.ones(8), jnp.full(8, 3.0)
    total, double = step(x, y)
    assert x.is_deleted()
    assert not y.is_deleted()
    np.testing.assert_array_equal(total, np.full(8, 4.0))
    np.testing.assert_array_equal(double, np.full(8, 6.0))
    np.testing.assert_array_equal(y, np.full(8, 3.0))


def test_a_chain_of_donations_keeps_the_values(devices):
    step = jax.jit(lambda x: x * 2 + 1, donate_argnums=0)
    x = jnp.zeros(5)
    for _ in range(10):
        x = step(x)
    np.testing.assert_array_equal(x, np.full(5, 1023.0))


def test_donating_one_buffer_twice_is_an_error(devices):
    step = jax.jit(lambda x, y: (x + 1, y + 1), donate_argnums=(0, 1))
    x = jnp.ones(4)
    with pytest.raises(Exception, match="(?i)donat"):
        step(x, x)
    assert float(jnp.ones(3).sum()) == 3


def test_donating_and_reading_one_buffer_is_an_error(devices):
    step = jax.jit(lambda x, y: (x + 1, y + 1), donate_argnums=0)
    x = jnp.ones(4)
    with pytest.raises(Exception, match="(?i)donat"):
        step(x, x)
    assert float(jnp.ones(3).sum()) == 3


def test_a_donated_buffer_cannot_be_used_again(devices):
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.ones(4)
    step(x)
    for use in (step, lambda x: np.asarray(x), lambda x: x + 1, lambda x: x.block_until_ready()):
        with pytest.raises((RuntimeError, ValueError), match="(?i)deleted|donated"):
            use(x)


def test_a_deleted_buffer_cannot_be_used_but_described(devices):
    x = jax.device_put(np.ones((2, 3), np.float32), devices[0])
    x.delete()
    x.delete()
    assert x.is_deleted()
    assert x.shape == (2, 3)
    assert x.dtype == np.float32
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)
    with pytest.raises(RuntimeError, match="deleted"):
        jax.jit(jnp.sin)(x)
    assert float(jnp.ones(3).sum()) == 3


def test_an_array_read_before_deletion_stays_readable(devices):
    x = jax.device_put(np.arange(6), devices[0])
    host = np.asarray(x)
    x.delete()
    np.testing.assert_array_equal(host, np.arange(6))


def test_a_failed_call_leaves_donated_arguments_alive(devices):
    # The result has the shape of the argument, so the donation would be usable.
    broken = jax.jit(lambda x: jax.ffi.ffi_call("no_such_custom_call", jax.ShapeDtypeStruct(x.shape, x.dtype))(x),
                     donate_argnums=0)
    x = jnp.eye(3)
    with pytest.raises(jax.errors.JaxRuntimeError):
        broken(x)
    assert not x.is_deleted()
    np.testing.assert_array_equal(x, np.eye(3))


def test_compiled_calls_donate_too(devices):
    compiled = jax.jit(lambda x: x * 3, donate_argnums=0).lower(jnp.ones(4)).compile()
    x = jnp.ones(4)
    np.testing.assert_array_equal(compiled(x), np.full(4, 3.0))
    assert x.is_deleted()
