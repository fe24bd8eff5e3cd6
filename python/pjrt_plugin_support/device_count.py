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


class OptionsWhenRead(Mapping):
    """Client options that are put together when JAX reads them. JAX takes functions only since 0.7, mappings always.

    `options` is a mapping or a function; the number of devices is added as option `name`, unless it is among them.
    """

    def __init__(self, options: Mapping | Callable[[], Mapping] | None, name: str):
        self._options, self._name = options, name

    def _read(self) -> dict:
        options = dict((self._options() if callable(self._options) else self._options) or {})
        wanted = wanted_devices() if self._name else None
        if wanted is not None:
            options.setdefault(self._name, wanted)
        return options

    def __getitem__(self, key):
        return self._read()[key]

    def __iter__(self):
        return iter(self._read())

    def __len__(self):
        return len(self._read())
