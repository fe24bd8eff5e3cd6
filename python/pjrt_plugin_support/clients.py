"""Which plugin a client of JAX is of: a client reports its platform, which may be another's too, and not the name."""

from __future__ import annotations

from collections.abc import Iterable

from jax._src import xla_bridge


def name_among(names: Iterable[str], client) -> str | None:
    """The one of these names under which the client is registered, if it is under any."""
    backends = xla_bridge.backends()
    return next((name for name in names if backends.get(name) is client), None)
