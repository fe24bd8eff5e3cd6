"""What goes wrong says what and where; the process lives, and the next call works."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def the_next_call_works(devices):
    yield
    for device in devices:
        np.testing.assert_array_equal(jax.jit(lambda x: x * 2)(jax.device_put(np.arange(3), device)), [0, 2, 4])


def foreign_call(x):
    """A program with a custom call that no backend has."""
    from jax._src.interpreters import mlir  # noqa: F401  (only public names below)

    return jax.ffi.ffi_call("no_such_custom_call", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def message_of(function, *arguments) -> str:
    with pytest.raises(Exception) as caught:
        jax.block_until_ready(jax.jit(function)(*arguments))
    return str(caught.value)


def test_an_unsupported_operation_is_described(devices):
    said = message_of(foreign_call, jnp.ones((3, 5), jnp.float16))
    assert "no_such_custom_call" in said
    assert "custom_call" in said
    assert "f16" in said
    assert "3x5" in said or "[3, 5]" in said or "[3,5]" in said
    assert "test_errors.py" in said


def test_an_error_repeats_itself(devices):
    first = message_of(foreign_call, jnp.ones(2))
    assert message_of(foreign_call, jnp.ones(2)) == first


def test_errors_on_the_second_device(devices):
    said = message_of(foreign_call, jax.device_put(np.ones(2, np.float32), devices[-1]))
    assert "no_such_custom_call" in said


def test_shapes_that_do_not_fit_are_refused_before_the_plugin(devices):
    with pytest.raises(TypeError):
        jnp.ones((2, 3)) @ jnp.ones((2, 3))


def test_unknown_compiler_options_are_refused_by_name(devices):
    with pytest.raises(Exception, match="no_such_option"):
        jax.jit(lambda x: x + 1, compiler_options={"no_such_option": "1"})(jnp.ones(2))


def test_a_size_that_overflows_is_refused(devices):
    with pytest.raises(Exception) as caught:
        jax.block_until_ready(jax.jit(lambda: jnp.zeros((2 ** 31 - 1, 2 ** 30), jnp.float32))())
    assert not isinstance(caught.value, MemoryError)


def test_garbage_for_an_executable_is_refused(devices, run_python, platform):
    from jax._src.lib import xla_client

    client = devices[0].client
    options = xla_client.CompileOptions()
    with pytest.raises(Exception):
        client.deserialize_executable(b"this is no executable", executable_devices=xla_client.DeviceList(tuple(devices[:1])),
                                      compile_options=options)


@pytest.mark.parametrize("program", [b"", b"ML\xefR", b"ML\xefR\x06StableHLO_v1.0.0\0\xff\xff\xff", b"\0" * 64, b"module {",
                                     b"func.func @main() { return %x }", bytes(range(256))], ids=repr)
def test_garbage_for_a_program_is_refused(devices, library, program):
    import pypjrt
    from pypjrt._loader import Plugin

    with pypjrt.Client.create(Plugin(library)) as client:
        with pytest.raises(Exception) as caught:
            client.compile(program)
        assert str(caught.value)
