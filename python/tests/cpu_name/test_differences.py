"""Where this backend differs from XLA's CPU in what JAX's own tests look at: each cause that docs/jax-suite.md names, as a
small program. A difference that has gone fails here, so that the page is brought up to date.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify  # noqa: F401  (registers its primitive)
from jax.sharding import Mesh, NamedSharding, PartitionSpec

P = PartitionSpec


@pytest.fixture
def rows(devices):
    """An array whose rows are on two devices."""
    mesh = Mesh(np.array(devices[:2]), ("d",))
    return jax.device_put(np.arange(8, dtype=np.int32).reshape(4, 2), NamedSharding(mesh, P("d")))


def test_booleans_other_than_0_and_1_are_true(devices):
    odd = np.array([96, 1, 0], np.uint8).view(np.bool_)
    np.testing.assert_array_equal(jax.device_put(odd, devices[0]).astype(jnp.int8) + 0, [1, 1, 0])


def test_whole_arrays_are_named_in_the_text_of_a_sharded_program(rows):
    text = jax.jit(lambda x: jnp.sin(x.astype(jnp.float32))).lower(rows).compile().as_text()
    assert "[4,2]" in text


def test_called_functions_stay_in_the_text(devices):
    inner = jax.jit(lambda x: x + 1, inline=False)
    assert "call(" in jax.jit(lambda x: inner(x) * 2).lower(jnp.float32(0)).compile().as_text()


def test_shardings_are_followed_along_simple_ops_only(rows):
    along = jax.jit(lambda x: (x * 2 + 1).T)(rows)
    assert along.sharding.is_equivalent_to(NamedSharding(rows.sharding.mesh, P(None, "d")), 2)
    given_up = jax.jit(lambda x: x.reshape(2, 4))(rows)
    assert given_up.sharding.is_fully_replicated
    np.testing.assert_array_equal(given_up, np.asarray(rows).reshape(2, 4))


def test_the_sharding_inside_a_program_cannot_be_inspected(rows):
    with pytest.raises(jax.errors.JaxRuntimeError, match="InspectSharding"):
        jax.block_until_ready(jax.jit(lambda x: (jax.debug.inspect_array_sharding(x, callback=print), x)[1])(rows))


def test_unreduced_results_are_refused(devices):
    if not hasattr(jax.sharding, "reshard") and not hasattr(jax, "reshard"):
        pytest.fail("this JAX has no explicit sharding; the page is about 0.11 and later")
    mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Explicit,), devices=devices[:2])
    x = jax.device_put(np.ones((2, 2), np.float32), NamedSharding(mesh, P(None, "d")))
    y = jax.device_put(np.ones((2, 2), np.float32), NamedSharding(mesh, P("d", None)))
    product = jax.jit(lambda x, y: jnp.einsum("ij,jk->ik", x, y, out_sharding=NamedSharding(mesh, P(unreduced={"d"}))))
    with pytest.raises(jax.errors.JaxRuntimeError, match="still to be reduced"):
        jax.block_until_ready(product(x, y))
