"""The name `cpu` for a plugin that stands in for JAX's own CPU client.

`jax.devices("cpu")` and `backend="cpu"` look among registered names. Where JAX's own client is not there
(`JAX_PLATFORMS` names the plugin alone), they are to find the plugin.
"""

from __future__ import annotations

import functools

from .patch_guard import patch, target


class _BackendsByName(dict):
    """JAX's table of backends, which finds stand-ins for `cpu` when it is asked for that name."""

    stand_ins: list[str]

    def get(self, name, default=None):
        if name == "cpu" and name not in self:
            name = next((stand_in for stand_in in self.stand_ins if stand_in in self), name)
        return super().get(name, default)


_BackendsByName.stand_ins = []


@patch("the name cpu for this plugin")
def answer_to_cpu(name: str) -> None:
    """Makes `cpu` mean the plugin `name` when no backend has that name itself."""
    from jax._src import xla_bridge

    backends = target(xla_bridge, "backends", lambda function: "_backends" in function.__code__.co_names)
    _BackendsByName.stand_ins.append(name)
    if isinstance(target(xla_bridge, "_backends", dict), _BackendsByName):
        return

    @functools.wraps(backends)
    def with_stand_ins():
        # JAX makes a new table when backends are cleared.
        if not isinstance(xla_bridge._backends, _BackendsByName):
            xla_bridge._backends = _BackendsByName(xla_bridge._backends)
        return backends()

    # Plugins are registered while JAX fills its table, in the first call of the function that is replaced here.
    xla_bridge._backends = _BackendsByName(xla_bridge._backends)
    xla_bridge.backends = with_stand_ins
