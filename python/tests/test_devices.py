"""Devices, memories, and moving arrays between them."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding


def test_ids_are_distinct_and_count_from_zero(devices, platform, client_platform):
    assert [device.id for device in devices] == list(range(len(devices)))
    assert all(device.platform == client_platform for device in devices)
    assert all(device.process_index == 0 for device in devices)
    assert jax.local_devices(backend=platform) == devices
    assert jax.device_count(platform) == len(devices)


def test_devices_describe_themselves(devices):
    assert len({str(device) for device in devices}) == len(devices)
    for device in devices:
        assert device.device_kind
        assert device.client.platform_version
        assert repr(device)


def test_every_device_has_a_default_memory_among_its_memories(devices):
    for device in devices:
        memories = device.addressable_memories()
        assert device.default_memory() in memories
        for memory in memories:
            assert memory.kind
            assert device in memory.addressable_by_devices()


def test_arrays_live_where_they_are_put(devices):
    for device in devices:
        array = jax.device_put(np.arange(5), device)
        assert array.devices() == {device}
        assert (array + 1).devices() == {device}
        np.testing.assert_array_equal(array + 1, np.arange(1, 6))


def test_jit_runs_on_the_device_of_its_arguments(devices):
    square = jax.jit(lambda x: x * x)
    for device in devices:
        result = square(jax.device_put(np.float32(3), device))
        assert result.devices() == {device}
        assert float(result) == 9


def test_default_device_is_obeyed(devices):
    for device in devices:
        with jax.default_device(device):
            assert jnp.ones(3).devices() == {device}


def test_every_memory_kind_can_be_used(devices):
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    for device in devices:
        for memory in device.addressable_memories():
            array = jax.device_put(values, SingleDeviceSharding(device, memory_kind=memory.kind))
            assert array.sharding.memory_kind == memory.kind
            np.testing.assert_array_equal(array, values)


def test_copies_between_all_pairs_of_devices(devices, judge):
    values = np.arange(6, dtype=np.float32).reshape(2, 3).T
    everywhere = [*devices, judge]
    for source in everywhere:
        for destination in everywhere:
            there = jax.device_put(jax.device_put(values, source), destination)
            assert there.devices() == {destination}
            np.testing.assert_array_equal(there, values)


def test_a_copy_is_independent_of_its_source(devices):
    source = jax.device_put(np.arange(4), devices[0])
    copy = jax.device_put(source, devices[-1], may_alias=False) if len(devices) == 1 else jax.device_put(source, devices[-1])
    source.delete()
    np.testing.assert_array_equal(copy, np.arange(4))


def test_arrays_on_two_devices_do_not_mix(devices):
    if len(devices) < 2:
        pytest.fail("the tests need a plugin with two devices")
    first, second = (jax.device_put(np.ones(3), device) for device in devices[:2])
    with pytest.raises(ValueError, match="incompatible devices"):
        jax.jit(jnp.add)(first, second)


def test_sharded_and_replicated_arrays_assemble(devices):
    mesh = Mesh(np.array(devices), ("d",))
    values = np.arange(4 * len(devices), dtype=np.float32)
    sharded = jax.device_put(values, NamedSharding(mesh, PartitionSpec("d")))
    assert [shard.data.shape for shard in sharded.addressable_shards] == [(4,)] * len(devices)
    np.testing.assert_array_equal(sharded, values)
    replicated = jax.device_put(values, NamedSharding(mesh, PartitionSpec()))
    for shard in replicated.addressable_shards:
        np.testing.assert_array_equal(shard.data, values)
    np.testing.assert_array_equal(jax.device_put(sharded, devices[0]), values)


def test_unknown_devices_are_refused(platform):
    with pytest.raises(RuntimeError):
        jax.devices("no_such_platform")


@pytest.mark.parametrize("program", [
    lambda x: x * 2 + 1, jnp.sum, lambda x: x @ x.T, lambda x: x[::-1], lambda x: jnp.cumsum(x, 0),
], ids=["element-wise", "sum", "product", "reverse", "cumsum"])
def test_programs_over_sharded_arrays_are_right_or_refused(devices, program):
    mesh = Mesh(np.array(devices), ("d",))
    values = np.arange(12 * len(devices), dtype=np.float32).reshape(2 * len(devices), 6)
    sharded = jax.device_put(values, NamedSharding(mesh, PartitionSpec("d")))
    want = np.asarray(jax.jit(program)(values))
    try:
        got = np.asarray(jax.jit(program)(sharded))
    except jax.errors.JaxRuntimeError as error:
        assert re.search("partition|device|shard", str(error)), error
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_collectives_are_right_or_refused(devices):
    mesh = Mesh(np.array(devices), ("d",))
    shard_map = getattr(jax, "shard_map", None)
    if shard_map is None:
        from jax.experimental.shard_map import shard_map
    total = jax.jit(shard_map(lambda x: jax.lax.psum(x, "d"), mesh=mesh, in_specs=PartitionSpec("d"),
                              out_specs=PartitionSpec()))
    values = np.arange(len(devices), dtype=np.float32)
    try:
        got = np.asarray(total(values))
    except jax.errors.JaxRuntimeError as error:
        assert re.search("partition|device|all_reduce|shard", str(error)), error
    else:
        np.testing.assert_array_equal(got, [values.sum()])
