"""The persistent compilation cache for a platform name JAX does not know.

`compilation_cache.is_cache_used(backend)` compares `backend.platform` with a list that is local to the function, so
the function is wrapped: for our platforms it is asked about the same backend under a name from its list.
"""

from __future__ import annotations

import functools
import inspect

from .patch_guard import patch, target

# A name that has been on JAX's list in every release since 0.4.38.
_LISTED_PLATFORM = "tpu"


class _Renamed:
    """A backend that gives its platform as one that the cache serves; the rest is the backend's own."""

    platform = _LISTED_PLATFORM

    def __init__(self, backend):
        self._backend = backend

    def __getattr__(self, name):
        return getattr(self._backend, name)


def _consults_a_local_list(function) -> bool:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and code.co_argcount == 1 and "supported_platforms" in code.co_varnames


@patch("the persistent compilation cache")
def open_persistent_cache(platform: str) -> None:
    """Makes `is_cache_used` say yes for `platform` whenever it says yes for a listed one."""
    from jax._src import compilation_cache

    current = target(compilation_cache, "is_cache_used", _consults_a_local_list)
    ours = getattr(current, "served_platforms", None)
    if ours is not None:
        ours.add(platform)
        return
    served = {platform}

    @functools.wraps(current)
    def is_cache_used(backend):
        return current(_Renamed(backend) if backend.platform in served else backend)

    is_cache_used.served_platforms = served
    compilation_cache.is_cache_used = is_cache_used
