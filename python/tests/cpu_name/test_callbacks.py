"""Python in programs: what is called, in which order, with what; errors; callbacks that run programs themselves."""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify, io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec


@pytest.fixture(autouse=True)
def the_next_call_works(devices):
    yield
    np.testing.assert_array_equal(jax.jit(lambda x: x * 2)(jnp.arange(3)), [0, 2, 4])


def message_of(function, *arguments) -> str:
    with pytest.raises(Exception) as caught:
        jax.block_until_ready(jax.jit(function)(*arguments))
        jax.effects_barrier()
    return str(caught.value)


def test_pure_callback(devices):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def reversed_and_sum(a, b):
        assert isinstance(np.asarray(a), np.ndarray)
        return np.asarray(a)[::-1], np.asarray(a).sum(dtype=np.float32) + np.asarray(b)

    shapes = (jax.ShapeDtypeStruct((2, 3), np.float32), jax.ShapeDtypeStruct((), np.float32))
    for device in devices:
        there = jax.device_put(x, device)
        backwards, total = jax.jit(lambda x: jax.pure_callback(reversed_and_sum, shapes, x, 1.0))(there)
        np.testing.assert_array_equal(backwards, x[::-1])
        assert float(total) == 16


def test_results_in_any_memory_order(devices):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    for change in (np.asfortranarray, lambda a: np.ascontiguousarray(a.T).T, lambda a: a[::-1][::-1]):
        same = jax.jit(lambda x: jax.pure_callback(lambda a: change(np.asarray(a)), x, x))(x)
        np.testing.assert_array_equal(same, x)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint32, np.float16, jnp.bfloat16, np.float32, np.complex64])
def test_every_kind_of_element_reaches_the_callback(devices, dtype):
    x = np.array([0, 1, 1, 0, 1]).astype(dtype)
    got = jax.jit(lambda x: jax.pure_callback(lambda a: np.asarray(a)[::-1].copy(), x, x))(x)
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(got), x[::-1])


def test_callbacks_in_loops_and_conditionals(devices):
    seen = []

    def body(i, x):
        return x + io_callback(lambda i: (seen.append(int(i)), np.float32(i))[1], jax.ShapeDtypeStruct((), np.float32), i,
                               ordered=True)

    assert float(jax.jit(lambda x: jax.lax.fori_loop(0, 5, body, x))(0.0)) == 10
    assert seen == [0, 1, 2, 3, 4]
    branch = jax.jit(lambda p: jax.lax.cond(p, lambda: jax.pure_callback(lambda: np.int32(7), jnp.int32(0)), lambda: 3))
    assert (int(branch(True)), int(branch(False))) == (7, 3)


def test_ordered_effects_keep_their_order(devices):
    seen = []

    @jax.jit
    def f(x):
        io_callback(lambda x: seen.append(("first", int(x))), None, x, ordered=True)
        io_callback(lambda x: seen.append(("second", int(x))), None, x, ordered=True)
        return x + 1

    x = jnp.int32(0)
    for _ in range(10):
        x = f(x)
    jax.effects_barrier()
    assert seen == [(which, number) for number in range(10) for which in ("first", "second")]


def test_ordered_callbacks_in_regions_for_each_device_keep_their_order(devices):
    mesh = Mesh(np.array(devices[:2]), ("d",))
    seen = {0: [], 1: []}

    def call(number, x):
        seen[int(number[0])].append(np.asarray(x).tolist())

    def region(number, x):
        io_callback(call, None, number, x, ordered=True)
        io_callback(call, None, number, x + 1, ordered=True)

    whole = jax.jit(jax.shard_map(region, mesh=mesh, in_specs=PartitionSpec("d"), out_specs=None),
                    in_shardings=NamedSharding(mesh, PartitionSpec("d")))
    whole(jnp.arange(2), jnp.arange(4))
    jax.effects_barrier()
    assert seen == {0: [[0, 1], [1, 2]], 1: [[2, 3], [3, 4]]}


@pytest.mark.parametrize("spread", [False, True], ids=["one device", "two devices"])
def test_a_barrier_waits_for_every_launch(devices, spread):
    seen = []

    def call(x):
        time.sleep(0.3 if x[0] == 0 else 0)
        seen.append(np.asarray(x).tolist())

    @jax.jit
    def f(x):
        io_callback(call, None, x)
        return x

    x = jnp.arange(4)
    if spread:
        x = jax.device_put(x, NamedSharding(Mesh(np.array(devices[:2]), ("d",)), PartitionSpec("d")))
    f(x)
    f(x + 1)
    jax.effects_barrier()
    assert sorted(seen) == [[0, 1, 2, 3], [1, 2, 3, 4]]


def test_debug_print_and_debug_callback(devices, capfd):
    seen = []

    @jax.jit
    def f(x):
        jax.debug.print("x is {} and {y}", x, y=x * 2)
        jax.debug.print("ordered {}", x, ordered=True)
        jax.debug.callback(lambda x: seen.append(float(x)), x)
        return x

    f(jnp.float32(3))
    jax.effects_barrier()
    printed = capfd.readouterr().out
    assert "x is 3.0 and 6.0" in printed and "ordered 3.0" in printed
    assert seen == [3]


def test_vmap_and_grad_around_callbacks(devices):
    doubled = lambda x: jax.pure_callback(lambda a: np.asarray(a) * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), x,
                                          vmap_method="sequential")
    np.testing.assert_array_equal(jax.vmap(doubled)(jnp.arange(4.0)), [0, 2, 4, 6])

    @jax.custom_jvp
    def sine(x):
        return jax.pure_callback(lambda a: np.sin(a), jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    sine.defjvp(lambda primals, tangents: (sine(*primals), jnp.cos(primals[0]) * tangents[0]))
    np.testing.assert_allclose(jax.jit(jax.grad(sine))(0.5), np.cos(0.5), rtol=1e-6)


def test_checkify(devices):
    checked = checkify.checkify(jax.jit(lambda x: jnp.log(x)), errors=checkify.float_checks)
    error, value = checked(jnp.float32(-1))
    assert "nan" in error.get()
    error, value = checked(jnp.float32(1))
    assert error.get() is None and float(value) == 0
    said = message_of(lambda x: (checkify.debug_check(x < 0, "x is {}", x), checkify.check(x < 0, "x is {x}", x=x))[1],
                      jnp.float32(2))
    assert "checkify" in said or "x is 2" in said


def fail(*_):
    raise ValueError("on purpose")


@pytest.mark.parametrize("call", [
    lambda x: jax.pure_callback(fail, x, x),
    lambda x: io_callback(fail, x, x),
    lambda x: io_callback(fail, x, x, ordered=True),
    lambda x: jax.lax.fori_loop(0, 3, lambda i, x: x + jax.pure_callback(fail, x, x), x),
], ids=["pure", "io", "ordered", "loop"])
def test_an_exception_reaches_python(devices, call):
    for _ in range(2):
        assert "ValueError: on purpose" in message_of(call, jnp.float32(1))


def test_an_exception_in_a_debug_callback(devices):
    assert "on purpose" in message_of(lambda x: (jax.debug.callback(fail, x), x)[1], jnp.float32(1))


def test_results_of_the_wrong_shape_are_refused(devices):
    said = message_of(lambda x: jax.pure_callback(lambda a: np.zeros((2, 2), np.float32), x, x), jnp.ones(3))
    assert "(2, 2)" in said or "2,2" in said or "shape" in said


def test_a_partitioned_callback_is_called_for_each_device_with_its_block(devices):
    mesh = Mesh(np.array(devices[:2]), ("d",))
    rows = jax.device_put(np.arange(8, dtype=np.int32).reshape(4, 2), NamedSharding(mesh, PartitionSpec("d")))
    seen = []

    @jax.jit
    def f(x):
        jax.debug.callback(lambda x: seen.append(np.asarray(x).tolist()), x + 1, partitioned=True)
        return x

    f(rows).block_until_ready()
    jax.effects_barrier()
    assert sorted(seen) == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


def test_callbacks_in_regions_for_each_device(devices):
    doubled = jax.pmap(lambda x: jax.pure_callback(lambda a: np.asarray(a) * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), x))
    x = np.arange(2 * len(devices), dtype=np.float32).reshape(len(devices), 2)
    np.testing.assert_array_equal(doubled(x), x * 2)
    with pytest.raises(Exception, match="on purpose"):
        jax.block_until_ready(jax.pmap(lambda x: jax.pure_callback(fail, x, x))(x))


NESTED = """
    import jax, jax.numpy as jnp, numpy as np

    inner = jax.jit(lambda x: jax.lax.fori_loop(0, 50, lambda i, x: jnp.sin(x @ x), x))

    def callback(x):
        return np.asarray(inner(jnp.asarray(np.asarray(x)))) + np.asarray(jnp.asarray(np.asarray(x)) * 2)

    def outer(x):
        return jax.lax.fori_loop(0, 3, lambda i, x: jax.pure_callback(callback, x, x) * 0.1, x)

    x = jnp.eye(64) * 0.5
    results = [jax.jit(outer)(x) for _ in range(3)]
    def deeper(x):
        return np.asarray(jax.jit(outer)(jnp.asarray(np.asarray(x))))
    results.append(jax.jit(lambda x: jax.pure_callback(deeper, x, x))(x))
    for result in results:
        np.testing.assert_array_equal(np.asarray(result), np.asarray(results[0]))
    print("done")
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_callback_that_runs_programs_finishes(run_python, platform, threads):
    done = run_python(NESTED, JAX_PLATFORMS=platform, RUST_CPU_NUM_THREADS=threads, RUST_CPU_NUM_DEVICES="1")
    assert done.stdout == "done\n"


def test_exit_right_after_a_callback_was_dispatched(run_python, platform):
    done = run_python("""
        import time
        import jax, jax.numpy as jnp
        jax.jit(lambda x: (jax.debug.callback(lambda x: time.sleep(0.2), x), x)[1])(1.0)
    """, JAX_PLATFORMS=platform, timeout=60)
    assert done.stderr == ""


def test_callbacks_see_subnormal_numbers(devices):
    tiny = np.float32(1e-40)
    seen = jax.jit(lambda x: jax.pure_callback(lambda x: np.bool_(np.float32(1e-38) * np.float32(0.01) > 0), jnp.bool_(0), x))
    assert bool(seen(tiny))
    assert np.float32(1e-38) * np.float32(0.01) > 0
