"""How many CPU devices the user wants, handed to a plugin that stands in for JAX's own CPU client.

JAX has a configuration value for it (`jax_num_cpu_devices`), and XLA a flag in an environment variable. Both are read
when the client is created, as for JAX's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

import jax


def wanted_devices() -> int | None:
    """The number that was asked for; None when nothing was said."""
    configured = getattr(jax.config, "jax_num_cpu_devices", -1)
    if configured is not None and configured > 0:
        return configured
    flags = re.findall(r"--xla_force_host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    return int(flags[-1]) if flags else None


def with_device_count(options: Mapping | Callable[[], Mapping] | None, name: str) -> Callable[[], dict]:
    """`options`, and the number of devices as option `name` unless it is among them."""

    def read() -> dict:
        given = dict((options() if callable(options) else options) or {})
        wanted = wanted_devices()
        if wanted is not None:
            given.setdefault(name, wanted)
        return given

    return read
