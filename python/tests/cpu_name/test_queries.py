"""What a backend for CPUs says about devices, memory and programs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def test_devices_look_like_cpus(devices, judge):
    for number, device in enumerate(devices):
        assert device.device_kind == judge.device_kind
        assert repr(device) == f"CpuDevice(id={number})"
        assert [memory.kind for memory in device.addressable_memories()] == [
            memory.kind for memory in judge.addressable_memories()]
        assert device.default_memory().kind == judge.default_memory().kind


def test_cpu_means_the_plugin_where_it_is_alone(run_python, platform):
    done = run_python("""
        import jax, jax.numpy as jnp
        print(jax.devices("cpu") == jax.devices(), jax.local_devices(backend="cpu")[0].client.platform_version)
        print(int(jax.jit(jnp.add, backend="cpu")(1, 1)))
    """, JAX_PLATFORMS=platform)
    assert done.stdout.startswith("True ") and "backend-cpu" in done.stdout and done.stdout.endswith("2\n"), done.stdout


@pytest.mark.parametrize(("variables", "config", "count"), [
    ({"RUST_CPU_NUM_DEVICES": "3"}, "", 3),
    ({"RUST_CPU_NUM_DEVICES": None}, "", 1),
    ({"RUST_CPU_NUM_DEVICES": "3"}, "jax.config.update('jax_num_cpu_devices', 5)", 5),
    ({"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}, "", 4),
])
def test_the_number_of_devices_can_be_set(run_python, platform, variables, config, count):
    done = run_python(f"import jax\n{config}\nprint(len(jax.devices()))", JAX_PLATFORMS=platform, **variables)
    assert int(done.stdout) == count


def test_memory_is_counted(devices):
    device = devices[0]
    before = device.memory_stats()["bytes_in_use"]
    array = jnp.ones((1000, 1000), jnp.float32, device=device).block_until_ready()
    stats = device.memory_stats()
    assert stats["bytes_in_use"] - before >= 4_000_000
    assert stats["peak_bytes_in_use"] >= stats["bytes_in_use"]
    assert stats["bytes_limit"] > stats["bytes_in_use"]
    del array
    assert device.memory_stats()["bytes_in_use"] - before < 4_000_000


def test_what_does_not_fit_is_an_error_with_the_counters(run_python, platform):
    done = run_python("""
        import jax, jax.numpy as jnp
        x = jnp.ones(100_000, jnp.float32).block_until_ready()
        try:
            (x[:, None] * x).block_until_ready()
        except jax.errors.JaxRuntimeError as error:
            print(error)
        print(float(jnp.sum(x)))
    """, JAX_PLATFORMS=platform, RUST_CPU_MEMORY_LIMIT=str(100 << 20))
    assert "RESOURCE_EXHAUSTED" in done.stdout
    assert "of 104857600 bytes are in use" in done.stdout
    assert "RUST_CPU_MEMORY_LIMIT" in done.stdout
    assert done.stdout.endswith("100000.0\n")


def test_programs_show_themselves(devices):
    compiled = jax.jit(lambda x: jnp.sin(x) @ x).lower(jnp.ones((4, 4))).compile()
    assert compiled.as_text()
    memory = compiled.memory_analysis()
    assert (memory.argument_size_in_bytes, memory.output_size_in_bytes) == (64, 64)
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    assert {"flops", "bytes accessed"} <= set(cost)


def test_programs_with_regions_for_each_device_show_themselves(devices):
    mesh = jax.sharding.Mesh(np.array(devices[:2]), ("d",))
    rows = jax.sharding.PartitionSpec("d")
    x = jax.device_put(np.arange(8, dtype=np.float32).reshape(4, 2), jax.sharding.NamedSharding(mesh, rows))
    region = jax.shard_map(lambda x: jnp.sin(x) + jax.lax.axis_index("d"), mesh=mesh, in_specs=rows, out_specs=rows)
    text = jax.jit(lambda x: region(region(x) * 2)).lower(x).compile().as_text()
    # What one device computes.
    assert text.count("f32[2,2]{1,0} sine(") == 2 or text.count("sine(") == 2, text
    assert "f32[2,2]" in text


def test_options_of_xla_are_checked(devices):
    def compile_with(**options):
        jax.jit(lambda x: x + 1).lower(1.0).compile(compiler_options=options)

    compile_with(xla_embed_ir_in_executable=True, xla_dump_max_hlo_modules=200)
    for options, message in [
        ({"invalid_key": "invalid_value"}, "No such compile option: 'invalid_key'"),
        ({"xla_no_such_flag": True}, "No such compile option: 'xla_no_such_flag'"),
        ({"xla_embed_ir_in_executable": "invalid_value"},
         "While setting option xla_embed_ir_in_executable, 'invalid_value' is not a valid bool value."),
    ]:
        with pytest.raises(jax.errors.JaxRuntimeError) as caught:
            compile_with(**options)
        assert message in str(caught.value)


def test_donated_storage_is_taken(devices):
    x = jax.device_put(np.ones(1 << 20, np.float32), devices[0]) + 0
    peak = devices[0].memory_stats()["bytes_in_use"]
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    y.block_until_ready()
    assert x.is_deleted()
    assert devices[0].memory_stats()["bytes_in_use"] <= peak
    np.testing.assert_array_equal(y, np.full(1 << 20, 2, np.float32))


def test_dlpack_shows_memory_in_place(devices):
    x = jax.device_put(np.arange(64.0, dtype=np.float32).reshape(8, 8), devices[0])
    there = np.from_dlpack(x)
    assert there.ctypes.data == x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(there, x)
    back = jnp.from_dlpack(np.array(there))
    np.testing.assert_array_equal(back + 1, there + 1)
    swapped = jnp.from_dlpack(np.arange(12.0, dtype=np.float32).reshape(3, 4).T.copy(order="F"))
    np.testing.assert_array_equal(swapped, np.arange(12.0).reshape(3, 4).T)


@pytest.mark.parametrize("offset", [0, 4, 2])
def test_dlpack_copies_when_it_is_told_to(platform, run_python, offset):
    done = run_python(f"""
        import jax, jax.numpy as jnp, numpy as np
        room = np.zeros(256, np.uint8)
        start = -room.ctypes.data % 64 + {offset}
        values = room[start:start + 40].view(np.float32)
        values[:] = np.arange(10)
        aligned = {offset} % 4 == 0
        for copy in (None, True, False):
            try:
                array = jnp.from_dlpack(values, copy=copy)
            except ValueError as error:
                assert copy is False and not aligned, error
                assert "which requires a copy" in str(error)
                continue
            in_place = array.unsafe_buffer_pointer() == values.ctypes.data
            assert in_place == (aligned and copy is not True), (copy, in_place)
            np.testing.assert_array_equal(array, values)
            if not in_place:
                values[0] = 7
                assert array[0] == 0
                values[0] = 0
        transposed = np.arange(12.0, dtype=np.float32).reshape(3, 4).T
        np.testing.assert_array_equal(jnp.from_dlpack(transposed, copy=True), transposed)
        try:
            jnp.from_dlpack(transposed, copy=False)
        except ValueError:
            print("refused")
    """, JAX_PLATFORMS=platform)
    assert done.stdout.split() == ["refused"]
