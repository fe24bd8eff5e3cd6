"""Processes that run long: memory after many calls, interrupts, children, and what the next process finds in the cache."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

CALLS = 100_000


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


@pytest.mark.parametrize("program", [
    lambda x: x * 2 + 1,
    # Too long for the caller's thread: it goes through the queue of the device.
    lambda x: jnp.sort(x * 2),
], ids=["inline", "queued"])
def test_many_identical_calls_leave_memory_flat(devices, program):
    compiled = jax.jit(program)
    x = jax.device_put(np.arange(1000, dtype=np.float32), devices[0])

    def call(times: int) -> None:
        for _ in range(times):
            result = compiled(x)
        result.block_until_ready()

    call(2000)
    memory, counted = resident(), devices[0].memory_stats()["bytes_in_use"]
    call(CALLS)
    # Results of 4 kB each would be 400 MB.
    assert resident() - memory < 16_000_000
    assert devices[0].memory_stats()["bytes_in_use"] <= counted


def interrupted(run_python, platform, long_work: str):
    """Runs what would take hours, with a Ctrl-C soon after it has begun; the seconds until Python had it."""
    done = run_python(f"""
import os, signal, threading, time
import jax, jax.numpy as jnp

# A process that was started in the background ignores Ctrl-C otherwise.
signal.signal(signal.SIGINT, signal.default_int_handler)
x = jnp.ones(1000)
loop = jax.jit(lambda times, x: jax.lax.fori_loop(0, times, lambda _, x: jnp.sin(x) + 1, x))
loop(1, x).block_until_ready()
released = threading.Event()
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    jax.block_until_ready({long_work})
except KeyboardInterrupt:
    print("interrupted after", time.monotonic() - begin)
released.set()
print("then", float(jax.jit(lambda x: x + 1)(2.0)))
""", JAX_PLATFORMS=platform)
    assert done.stdout.splitlines()[1:] == ["then 3.0"], done.stdout + done.stderr
    return float(done.stdout.split()[2])


def test_an_interrupt_ends_the_wait_for_a_long_program(run_python, platform):
    # The process ends as well, although the program goes on.
    assert interrupted(run_python, platform, "loop(1 << 30, x)") < 20


def test_an_interrupt_ends_the_wait_for_a_callback(run_python, platform):
    wait = "jax.pure_callback(lambda x: (released.wait(60), x)[1], x, x)"
    assert interrupted(run_python, platform, f"jax.jit(lambda x: {wait})(x)") < 20


@pytest.mark.filterwarnings("ignore:os.fork")
def test_a_forked_child_computes(run_python, platform):
    done = run_python("""
        import os, warnings
        warnings.simplefilter("ignore")
        import jax, jax.numpy as jnp
        short, long = jax.jit(lambda x: x + 1), jax.jit(lambda x: jnp.sort(x @ x).sum())
        x = jnp.ones((400, 400))
        expected = float(short(1.0)), float(long(x))
        read, write = os.pipe()
        if os.fork() == 0:
            os.write(write, repr((float(short(1.0)), float(long(x)))).encode())
            os._exit(0)
        os.close(write)
        print(os.read(read, 1000).decode() == repr(expected), os.waitstatus_to_exitcode(os.wait()[1]))
        print((float(short(1.0)), float(long(x))) == expected)
    """, JAX_PLATFORMS=platform, timeout=60)
    assert done.stdout.split() == ["True", "0", "True"], done.stdout + done.stderr


CACHED_PROGRAM = """
import os
import jax, jax.numpy as jnp
from jax._src import monitoring
events = []
monitoring.register_event_listener(lambda event, **_: events.append(event.rsplit("/", 1)[-1]))
jax.config.update("jax_compilation_cache_dir", os.environ["TEST_CACHE"])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
print(jax.jit(lambda x: jnp.linalg.cholesky(x @ x.T + 4 * jnp.eye(3)))(jnp.arange(9.0).reshape(3, 3)).tolist())
print("hits", events.count("cache_hits"))
"""


def test_the_cache_serves_programs_with_custom_calls_and_refuses_foreign_entries(run_python, platform, tmp_path):
    def run(cache: str, platform: str):
        done = run_python(CACHED_PROGRAM, TEST_CACHE=str(tmp_path / cache), JAX_PLATFORMS=platform)
        return done.stdout.splitlines()[0], int(re.search(r"hits (\d+)", done.stdout)[1]), done.stderr

    def entries(cache: str):
        return [path for path in (tmp_path / cache).iterdir() if re.match("jit__?lambda.*-cache$", path.name)]

    first, hits, _ = run("ours", platform)
    assert hits == 0
    again, hits, said = run("ours", platform)
    assert again == first and hits > 0 and said == ""
    # What XLA compiled, under the names of ours.
    run("theirs", "cpu")
    (ours,), (theirs,) = entries("ours"), entries("theirs")
    ours.write_bytes(theirs.read_bytes())
    again, _, said = run("ours", platform)
    assert again == first
    assert "no serialized executable of this plugin framework" in said and "Traceback" not in said, said
