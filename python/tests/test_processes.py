"""Whole processes: how they end, how many there may be, what they leave for the next one."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest


def test_exit_with_live_buffers_and_programs(run_python):
    done = run_python("""
        import jax, jax.numpy as jnp
        x = jnp.arange(1000.0)
        f = jax.jit(lambda x: (x @ x, x + 1))
        kept = [f(x) for _ in range(50)]
        print("end")
    """)
    assert done.stdout.split() == ["end"]
    assert done.stderr == ""


def test_exit_right_after_dispatch(run_python):
    done = run_python("""
        import os, jax, jax.numpy as jnp
        x = jnp.ones((200, 200))
        for _ in range(20):
            x = x @ x * 0.001
        os._exit(0)
    """)
    assert done.stderr == ""


def test_exit_by_exception(run_python):
    done = run_python("""
        import jax.numpy as jnp
        x = jnp.ones(10) + 1
        raise SystemExit(7)
    """, check=False)
    assert done.returncode == 7
    assert done.stderr == ""


def test_clearing_caches_and_backends(run_python, client_platform):
    done = run_python("""
        import jax, jax.extend.backend, jax.numpy as jnp
        f = jax.jit(lambda x: x + 1)
        assert float(f(1.0)) == 2
        jax.clear_caches()
        assert float(f(2.0)) == 3
        jax.extend.backend.clear_backends()
        assert float(jax.jit(lambda x: x * 2)(2.0)) == 4
        print(jax.default_backend())
    """)
    assert done.stdout.split() == [client_platform]


def test_two_processes_at_once(tmp_path):
    program = """
import jax, jax.numpy as jnp
x = jnp.ones((50, 50))
for _ in range(50):
    x = jnp.tanh(x @ x * 0.01)
print(float(x.sum()))
"""
    running = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    results = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert results[0] == results[1] != ""


CACHED_PROGRAM = """
import logging, os
import jax, jax.numpy as jnp
from jax._src import monitoring
events = []
monitoring.register_event_listener(lambda event, **_: events.append(event.rsplit("/", 1)[-1]))
jax.config.update("jax_compilation_cache_dir", os.environ["TEST_CACHE"])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
x = jax.device_put(jnp.arange(8.0), jax.devices()[int(os.environ.get("TEST_DEVICE", "0"))])
print(jax.jit(lambda x: (x @ x, jnp.sin(x).sum()))(x))
print("hits", events.count("cache_hits"), "misses", events.count("cache_misses"))
"""


def cached_run(run_python, cache, device="0"):
    done = run_python(CACHED_PROGRAM, TEST_CACHE=str(cache), TEST_DEVICE=device)
    hits, misses = map(int, re.search(r"hits (\d+) misses (\d+)", done.stdout).groups())
    return done.stdout.splitlines()[0], hits, misses, done.stderr


def test_a_second_process_hits_the_persistent_cache(run_python, tmp_path):
    first, hits, misses, said = cached_run(run_python, tmp_path / "cache")
    assert misses > 0 == hits, said
    assert any((tmp_path / "cache").iterdir())
    second, hits, misses, said = cached_run(run_python, tmp_path / "cache")
    assert hits > 0 == misses, said
    assert second == first
    assert said == ""


def test_a_damaged_cache_entry_is_refused_and_replaced(run_python, tmp_path):
    first, *_ = cached_run(run_python, tmp_path / "cache")
    for entry in (tmp_path / "cache").rglob("*"):
        if entry.is_file():
            entry.write_bytes(entry.read_bytes()[:-20] + b"damaged, as you can see")
    again, _, _, said = cached_run(run_python, tmp_path / "cache")
    assert again == first
    assert "Traceback" not in said


def test_a_program_cached_for_one_device_runs_there(run_python, tmp_path, devices):
    last = str(len(devices) - 1)
    first, *_ = cached_run(run_python, tmp_path / "cache", device=last)
    second, hits, misses, said = cached_run(run_python, tmp_path / "cache", device=last)
    assert hits > 0 == misses, said
    assert second == first


def test_many_threads(devices):
    """Threads that put, execute, read and delete at once, on all devices, with programs of their own and shared ones."""
    shared = jax.jit(lambda x, y: jnp.tanh(x @ y) + x)
    failures: list[BaseException] = []
    values = np.random.default_rng(0).normal(size=(16, 16)).astype(np.float32)
    want = np.tanh(values @ values) + values

    def work(number: int) -> None:
        try:
            device = devices[number % len(devices)]
            own = jax.jit(lambda x: x * number)
            for _ in range(15):
                x = jax.device_put(values, device)
                y = shared(x, x)
                z = own(x)
                x.delete()
                np.testing.assert_allclose(np.asarray(y), want, rtol=1e-4, atol=1e-4)
                np.testing.assert_allclose(np.asarray(z), values * number, rtol=1e-6)
        except BaseException as error:  # reported by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads)
    assert not failures, failures[0]


@pytest.mark.filterwarnings("ignore:os.fork")
def test_a_forked_child_works_or_gets_an_error_but_never_hangs(run_python):
    done = run_python("""
        import os, signal, time, warnings
        warnings.simplefilter("ignore")
        import numpy as np, jax, jax.numpy as jnp
        big = np.ones(1 << 20, np.float32)
        f = jax.jit(lambda x: x.sum())
        assert float(f(jax.device_put(big))) == 1 << 20
        child = os.fork()
        if child == 0:
            try:
                value = float(f(jax.device_put(big)))
                os._exit(0 if value == 1 << 20 else 3)
            except Exception:
                os._exit(1)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            finished, status = os.waitpid(child, os.WNOHANG)
            if finished:
                print("child", os.waitstatus_to_exitcode(status))
                break
            time.sleep(0.05)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            print("child hangs")
        # The parent must not notice.
        assert float(f(jax.device_put(big))) == 1 << 20
    """)
    assert done.stdout.strip() in ("child 0", "child 1"), done.stdout + done.stderr


def test_identical_calls_leave_memory_flat(devices):
    def resident() -> int:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * 4096

    f = jax.jit(lambda x: x * 2 + 1)
    x = jax.device_put(np.ones(10_000, np.float32), devices[0])
    for _ in range(300):
        f(x).block_until_ready()
    before = resident()
    for _ in range(2000):
        f(x).block_until_ready()
    # 2000 results of 40 kB each would be 80 MB.
    assert resident() - before < 16_000_000


def test_profiling_around_our_programs(tmp_path, devices):
    with jax.profiler.trace(str(tmp_path)):
        np.testing.assert_array_equal(jax.jit(lambda x: x + 1)(np.arange(3)), [1, 2, 3])
    assert float(jnp.add(1, 1)) == 2


def test_a_distributed_job_of_one_process(run_python, platform, client_platform):
    # JAX then adds the options node_id and num_nodes, and hands over a key-value store.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    done = run_python(f"""
        import jax, jax.numpy as jnp
        jax.distributed.initialize("127.0.0.1:{port}", num_processes=1, process_id=0)
        print(jax.process_count(), jax.default_backend(), jnp.add(1, 1))
        jax.distributed.shutdown()
    """, JAX_PLATFORMS=platform)
    assert done.stdout.split() == ["1", client_platform, "2"]


def test_every_call_can_be_seen(run_python, platform):
    program = "import jax, jax.numpy as jnp; print(jax.jit(lambda x: x + 1)(jnp.arange(3)))"
    done = run_python(program, JAX_PLATFORMS=platform, PJRT_LOG="debug")
    # Arrays in memory of the host are read in place.
    read = "PJRT_Buffer_(ToHostBuffer|OpaqueDeviceMemoryDataPointer|UnsafePointer)"
    for call in ("PJRT_Client_Create", "PJRT_Client_Compile", "PJRT_LoadedExecutable_Execute", read):
        assert re.search(rf"{call}\b.* ok in [0-9.]+ us", done.stderr), call
    assert run_python(program, JAX_PLATFORMS=platform, PJRT_LOG=None).stderr == ""
