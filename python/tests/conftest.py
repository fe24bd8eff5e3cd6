"""Runs on an environment in which the plugin's wheel is installed; `cargo xtask test` prepares one.

PJRT_TEST_PLATFORM names the plugin, PJRT_TEST_LIBRARY its `.so`. XLA's CPU is there beside it, as the judge.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

PLATFORM = os.environ.get("PJRT_TEST_PLATFORM", "rust_example")
# What the plugin's client reports, by which JAX picks lowering rules.
CLIENT_PLATFORM = os.environ.get("PJRT_TEST_CLIENT_PLATFORM", PLATFORM)
# Some tests are about plugins that JAX takes for its own CPU, some about those whose name it does not know.
collect_ignore = ["own_name" if CLIENT_PLATFORM == "cpu" else "cpu_name"]
# Tests move arrays between devices.
os.environ.setdefault("RUST_CPU_NUM_DEVICES", "2")
# Before JAX is imported anywhere: the plugin is the default backend, XLA's CPU the second.
os.environ["JAX_PLATFORMS"] = f"{PLATFORM},cpu"
os.environ.pop("PJRT_NAMES_AND_LIBRARY_PATHS", None)


@pytest.fixture(scope="session")
def platform() -> str:
    """The plugin's name."""
    return PLATFORM


@pytest.fixture(scope="session")
def client_platform() -> str:
    """The platform that its client reports."""
    return CLIENT_PLATFORM


@pytest.fixture(scope="session")
def library() -> str:
    """The plugin's shared library: the one named by PJRT_TEST_LIBRARY, else the installed one."""
    named = os.environ.get("PJRT_TEST_LIBRARY")
    if named:
        return named
    import importlib

    return str(importlib.import_module(f"jax_plugins.{PLATFORM}").LIBRARY_PATH)


@pytest.fixture(scope="session")
def support():
    """The support package, as the wheel carries it."""
    import importlib

    return importlib.import_module(f"jax_plugins.{PLATFORM}.pjrt_plugin_support")


@pytest.fixture(scope="session")
def devices():
    """The plugin's devices."""
    import jax

    return jax.devices(PLATFORM)


@pytest.fixture(scope="session")
def judge():
    """A device of XLA's CPU."""
    import jax

    return jax.devices("cpu")[0]


@pytest.fixture
def run_python(tmp_path):
    """Runs a program in a process of its own; None as a variable's value removes it."""

    def run(program: str, *, check: bool = True, timeout: float = 120, **variables):
        environment = dict(os.environ)
        for name, value in variables.items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, cwd=tmp_path,
                              capture_output=True, text=True, timeout=timeout, check=False)
        if check:
            assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run
