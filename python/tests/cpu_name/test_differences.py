"""Where this backend differs from XLA's CPU in what JAX's own tests look at: each cause in docs/jax-suite.json as a small
program, which states the behaviour as it is. A difference that has gone fails here, so that the record is brought up to
date.
"""

from __future__ import annotations

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify  # noqa: F401  (registers its primitive)
from jax.sharding import Mesh, NamedSharding, PartitionSpec

P = PartitionSpec

# Cause on record -> the test of it.
CAUSES = {}


def cause(name: str):
    """Marks the test of a cause."""

    def mark(test):
        assert name not in CAUSES
        CAUSES[name] = test
        return test

    return mark


def test_each_cause_on_record_has_a_test():
    record = Path(__file__).parents[3] / "docs/jax-suite.json"
    assert sorted(CAUSES) == sorted(json.loads(record.read_text())["causes"])


@pytest.fixture
def rows(devices):
    """An array whose rows are on two devices."""
    mesh = Mesh(np.array(devices[:2]), ("d",))
    return jax.device_put(np.arange(8, dtype=np.int32).reshape(4, 2), NamedSharding(mesh, P("d")))


@cause("odd-booleans")
def test_booleans_other_than_0_and_1_are_true(devices):
    odd = np.array([96, 1, 0], np.uint8).view(np.bool_)
    np.testing.assert_array_equal(jax.device_put(odd, devices[0]).astype(jnp.int8) + 0, [1, 1, 0])


@cause("whole-arrays-in-text")
def test_whole_arrays_are_named_in_the_text_of_a_sharded_program(rows):
    text = jax.jit(lambda x: jnp.sin(x.astype(jnp.float32))).lower(rows).compile().as_text()
    assert "[4,2]" in text


@cause("calls-in-text")
def test_called_functions_stay_in_the_text(devices):
    inner = jax.jit(lambda x: x + 1, inline=False)
    assert "call(" in jax.jit(lambda x: inner(x) * 2).lower(jnp.float32(0)).compile().as_text()


@cause("no-inspection")
def test_the_sharding_inside_a_program_cannot_be_inspected(rows):
    with pytest.raises(jax.errors.JaxRuntimeError, match="InspectSharding"):
        jax.block_until_ready(jax.jit(lambda x: (jax.debug.inspect_array_sharding(x, callback=print), x)[1])(rows))


@cause("unreduced")
def test_unreduced_results_are_refused(devices):
    if not hasattr(jax.sharding, "reshard") and not hasattr(jax, "reshard"):
        pytest.fail("this JAX has no explicit sharding; the page is about 0.11 and later")
    mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Explicit,), devices=devices[:2])
    x = jax.device_put(np.ones((2, 2), np.float32), NamedSharding(mesh, P(None, "d")))
    y = jax.device_put(np.ones((2, 2), np.float32), NamedSharding(mesh, P("d", None)))
    product = jax.jit(lambda x, y: jnp.einsum("ij,jk->ik", x, y, out_sharding=NamedSharding(mesh, P(unreduced={"d"}))))
    with pytest.raises(jax.errors.JaxRuntimeError, match="still to be reduced"):
        jax.block_until_ready(product(x, y))


@cause("dlpack-without-alignment")
def test_dlpack_arrays_are_taken_in_place_wherever_their_elements_may_stand(platform, run_python):
    done = run_python("""
        import jax, jax.numpy as jnp, numpy as np
        room = np.zeros(256, np.uint8)
        start = -room.ctypes.data % 64 + 4
        values = room[start:start + 40].view(np.float32)
        print(jnp.from_dlpack(values, copy=False).unsafe_buffer_pointer() == values.ctypes.data)
    """, JAX_PLATFORMS=platform)
    assert done.stdout.split() == ["True"]


@cause("cost-before-compilation")
def test_only_compiled_programs_know_their_cost(devices):
    lowered = jax.jit(jnp.sin).lower(jnp.ones(4))
    assert not lowered.cost_analysis()
    assert lowered.compile().cost_analysis()


@cause("no-dumps-of-xla")
def test_dumps_of_xla_are_not_written(devices, tmp_path):
    jax.jit(lambda x: x + 1, compiler_options={"xla_dump_to": str(tmp_path)})(jnp.ones(3)).block_until_ready()
    assert not list(tmp_path.iterdir())


def test_shardings_are_followed_along_most_ops(rows):
    mesh = rows.sharding.mesh
    along = jax.jit(lambda x: (x * 2 + 1).T)(rows)
    assert along.sharding.is_equivalent_to(NamedSharding(mesh, P(None, "d")), 2)
    for function, expected in [
        (lambda x: x[:, 1], P("d")),
        (lambda x: x[1], P()),
        (lambda x: x[jnp.array([0, 3]), :], P()),
        (lambda x: x[:, jnp.array([0])], P("d")),
        (lambda x: x.at[:, 0].set(3), P("d")),
        (lambda x: x.reshape(2, 4), P("d")),
        (lambda x: x.reshape(8), P("d")),
        (lambda x: x[::-1], P("d")),
        (lambda x: jnp.cumsum(x, 0), P("d")),
    ]:
        result = jax.jit(function)(rows)
        assert result.sharding.is_equivalent_to(NamedSharding(mesh, expected), result.ndim), (expected, result.sharding)
        np.testing.assert_array_equal(result, function(jnp.asarray(np.asarray(rows))))
