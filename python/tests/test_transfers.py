"""Arrays into the device and back: every element type, every kind of NumPy layout."""

from __future__ import annotations

import gc
import weakref

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

NUMPY_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
               "float64", "complex64", "complex128"]
SMALL_TYPES = ["bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
               "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
SUB_BYTE_TYPES = ["float4_e2m1fn", "int2", "int4", "uint2", "uint4"]


def types():
    for name in NUMPY_TYPES:
        yield np.dtype(name)
    for name in SMALL_TYPES + SUB_BYTE_TYPES:
        if hasattr(ml_dtypes, name) and hasattr(jnp, name):
            yield np.dtype(getattr(ml_dtypes, name))


def values_of(dtype: np.dtype, count: int) -> np.ndarray:
    """Values that use the whole range of the type."""
    random = np.random.default_rng(count)
    if dtype == bool:
        return random.integers(0, 2, count).astype(bool)
    bits = 8 * dtype.itemsize
    if dtype.name in SUB_BYTE_TYPES:
        bits = 2 if dtype.name.endswith("2") else 4
        patterns = random.integers(0, 2 ** bits, count).astype(np.uint8)
        if dtype.name.startswith("int"):
            # ml_dtypes keeps a signed sub-byte integer sign-extended in its byte.
            return ((patterns.astype(np.int8) << (8 - bits)) >> (8 - bits)).astype(dtype)
        return patterns.view(dtype) if dtype.name.startswith("float") else patterns.astype(dtype)
    return np.frombuffer(random.bytes(count * dtype.itemsize), dtype=dtype).copy()


def assert_same_bits(got, want: np.ndarray) -> None:
    got = np.asarray(got)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    assert got.tobytes() == np.ascontiguousarray(want).tobytes()


@pytest.fixture(params=list(types()), ids=lambda dtype: dtype.name)
def dtype(request):
    return request.param


@pytest.fixture
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 4), (0,), (3, 0, 2), (1, 1, 1, 1, 1, 2)], ids=str)
def test_every_type_survives_the_round_trip_bit_for_bit(devices, x64, dtype, shape):
    values = values_of(dtype, int(np.prod(shape))).reshape(shape)
    for device in devices:
        array = jax.device_put(values, device)
        assert array.shape == shape
        assert array.dtype == dtype
        assert_same_bits(array, values)


def test_every_type_survives_any_layout(devices, x64, dtype):
    block = values_of(dtype, 4 * 6 * 5).reshape(4, 6, 5)
    for name, view in {
        "transposed": block.T,
        "swapped": block.swapaxes(0, 1),
        "fortran": np.asfortranarray(block),
        "negative stride": block[::-1],
        "all negative": block[::-1, ::-1, ::-1],
        "steps": block[::2, 1::3, ::-2],
        "inner slice": block[1:3, 2:4, 1:4],
        "stride 0": np.broadcast_to(block[:1, :1], (3, 2, 5)),
        "stride 0 of a scalar": np.broadcast_to(block[0, 0, 0], (3, 4)),
        "size 1 axis": block[:, None, ::2],
        "nothing": block[:, 3:3],
        "negative nothing": block[::-1, 3:3],
    }.items():
        array = jax.device_put(view, devices[0])
        try:
            assert_same_bits(array, view)
        except AssertionError as error:
            raise AssertionError(f"layout {name!r}") from error


def test_unaligned_arrays_are_taken(devices):
    raw = np.frombuffer(b"\0" + np.arange(9, dtype=np.float32).tobytes(), np.uint8)
    unaligned = raw[1:].view(np.float32)
    assert_same_bits(jax.device_put(unaligned, devices[0]), unaligned)


@pytest.mark.parametrize("size", [1, 1000, 1_000_000])
def test_changing_the_source_after_jnp_array_does_not_change_the_array(devices, size):
    source = np.arange(size, dtype=np.float32)
    array = jnp.array(source, device=devices[0])
    array.block_until_ready()
    source[:] = -1
    assert_same_bits(array, np.arange(size, dtype=np.float32))


def test_what_is_read_back_is_not_device_memory(devices):
    array = jax.device_put(np.arange(8), devices[0])
    copy = np.array(array)
    copy[:] = 0
    np.testing.assert_array_equal(array, np.arange(8))
    with pytest.raises(ValueError):
        np.asarray(array)[0] = 1


def test_host_arrays_are_let_go(devices):
    class Watched(np.ndarray):
        pass

    source = np.arange(1000, dtype=np.float32).view(Watched)
    gone = weakref.ref(source)
    array = jax.device_put(source, devices[0]).block_until_ready()
    del source
    gc.collect()
    assert gone() is None
    assert float(array[3]) == 3


def test_python_scalars_and_trees(devices):
    tree = jax.device_put({"a": 1, "b": (2.5, [True, 3j])}, devices[0])
    assert jax.tree.map(lambda leaf: leaf.item(), tree) == {"a": 1, "b": (2.5, [True, 3j])}


def test_a_large_array(devices):
    values = np.random.default_rng(0).integers(0, 255, 40_000_000, dtype=np.uint8)
    assert_same_bits(jax.device_put(values, devices[0]), values)


def test_copy_to_host_async(devices):
    array = jax.device_put(np.arange(10), devices[-1])
    array.copy_to_host_async()
    np.testing.assert_array_equal(array, np.arange(10))


def test_sizes_in_bytes(devices):
    array = jax.device_put(np.zeros((3, 5), np.float32), devices[0])
    assert array.nbytes == 60
    assert array.on_device_size_in_bytes() >= 60
