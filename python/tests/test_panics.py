"""A panic in any trait method is an exception in Python that names it, and the next call works.

The plugin is `crates/backend-example/examples/panicking_plugin.rs`; what it should panic in is an environment
variable. Each method runs in a process of its own, since some are called only when the client is created.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = os.environ.get("PANICKING_PLUGIN", "")
if not PLUGIN:
    assert "CI" not in os.environ, "PANICKING_PLUGIN names no library"
    pytest.skip("PANICKING_PLUGIN names no library; `cargo xtask test` builds it", allow_module_level=True)

# Called when the client is created.
AT_START = [
    "initializer", "client creator", "PjrtClient::platform_name", "PjrtClient::platform_version",
    "PjrtClient::devices", "PjrtClient::memory_spaces", "PjrtClient::topology", "PjrtClient::process_index",
    "PjrtDevice::description", "PjrtDevice::memory_spaces", "PjrtDevice::is_addressable",
    "PjrtDevice::local_hardware_id", "PjrtDevice::runtime_attributes",
]

# Called by the statement, which must raise; afterwards it must work.
BY_STATEMENT = {
    "PjrtClient::buffer_from_host": "jax.device_put(x)",
    "PjrtClient::compile": "jax.jit(lambda a: a + fresh())(x)",
    "PjrtClient::load": "jax.jit(lambda a: a + fresh())(x)",
    "PjrtClient::copy_to_memory": "jax.device_put(on_device, jax.devices()[1]).block_until_ready()",
    "PjrtDevice::memory_stats": "jax.devices()[0].memory_stats()",
    "PjrtBuffer::shape": "jax.device_put(x)",
    "PjrtBuffer::memory_space": "jax.device_put(x)",
    "PjrtBuffer::layout": "jax.device_put(x)",
    "PjrtBuffer::dynamic_dimensions": "jax.device_put(x)",
    "PjrtBuffer::copy_to_host": "np.asarray(jax.device_put(x) + 1)",
    "PjrtBuffer::ready_event": "jax.block_until_ready(jax.device_put(x))",
    "PjrtBuffer::is_on_cpu": "np.asarray(jax.device_put(x))",
    "PjrtExecutable::name": "jax.jit(lambda a: a + fresh())(x)",
    "PjrtExecutable::parameters": "jax.jit(lambda a: a + fresh())(x)",
    "PjrtExecutable::outputs": "jax.jit(lambda a: a + fresh())(x)",
    "PjrtExecutable::donated_parameters": "jax.jit(lambda a: a + fresh())(x)",
    "PjrtExecutable::compiled_memory_stats": "compiled().memory_analysis()",
    "PjrtExecutable::serialize": "serialize(compiled())",
    "PjrtLoadedExecutable::execute": "add_one(x).block_until_ready()",
}

PROLOGUE = """
import os, itertools
import numpy as np
import jax, jax.numpy as jnp
x = np.arange(6, dtype=np.float32).reshape(2, 3)
numbers = itertools.count(2)
fresh = lambda: float(next(numbers))
add_one = jax.jit(lambda a: a + 1)
compiled = lambda: jax.jit(lambda a: a * fresh()).lower(x).compile()
def serialize(program):
    from jax.experimental import serialize_executable
    return serialize_executable.serialize(program)
"""


def run(code: str, **variables: str) -> subprocess.CompletedProcess:
    environment = dict(os.environ, JAX_PLATFORMS="rust_panicking", JAX_TRACEBACK_FILTERING="off",
                       PJRT_NAMES_AND_LIBRARY_PATHS=f"rust_panicking:{Path(PLUGIN).resolve()}", **variables)
    return subprocess.run([sys.executable, "-c", PROLOGUE + code], env=environment, capture_output=True, text=True,
                          timeout=300)


@pytest.mark.parametrize("method", AT_START)
def test_a_panic_at_the_start_is_an_exception(method):
    code = """
try:
    jax.devices()
except RuntimeError as error:
    print("raised", error)
else:
    print("started", np.asarray(add_one(x)).sum())
"""
    done = run(code, PANIC_IN=method)
    assert done.returncode == 0, done.stderr
    if method == "PjrtDevice::runtime_attributes":
        # Asked for twice: when the client is checked, and by frameworks that abort if it fails.
        assert f"on purpose, in {method}" in done.stdout + done.stderr
    else:
        assert "raised" in done.stdout and f"on purpose, in {method}" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("method", BY_STATEMENT)
def test_a_panic_is_an_exception_and_the_next_call_works(method):
    statement = BY_STATEMENT[method]
    code = f"""
on_device = jax.device_put(x)
np.asarray(add_one(on_device))
os.environ["PANIC_IN"] = {method!r}
try:
    result = {statement}
except Exception as error:
    print("raised", error)
os.environ["PANIC_IN"] = ""
{statement}
assert np.asarray(add_one(on_device)).sum() == x.sum() + 6
print("went on")
"""
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert "raised" in done.stdout and f"on purpose, in {method}" in done.stdout, done.stdout + done.stderr
    assert "went on" in done.stdout
