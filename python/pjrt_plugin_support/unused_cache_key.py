"""No key for a persistent cache that is not there.

JAX computes the key of a program's entry whenever the cache could be used, also where no directory is set, and then finds
that there is no cache to look in. That takes a third of the Python side of compiling a small program. For our plugins
`compiler._get_cache_key` answers `None` in that case, as it does where the cache is switched off.
"""

from __future__ import annotations

import functools
import logging

from .clients import name_among
from .patch_guard import has_parameters
from .short_compilation import is_switched_off

logger = logging.getLogger(__name__)

_PARAMETERS = ["options", "backend", "computation", "devices", "override_fdo_profile"]


def there_is_no_cache(compilation_cache) -> bool:
    """Whether no persistent cache could be asked for a program."""
    # A JAX that keeps its cache elsewhere is taken to have one.
    return getattr(compilation_cache, "_cache", ...) is None and not compilation_cache.is_persistent_cache_enabled()


def spare_unused_cache_keys(name: str) -> bool:
    """Spares the plugin `name` keys that nobody looks up; says whether this JAX allows it."""
    from jax._src import compilation_cache, compiler

    current = getattr(compiler, "_get_cache_key", None)
    spared = getattr(current, "spared_plugins", None)
    if spared is not None:
        spared.add(name)
        return True
    if (is_switched_off() or not has_parameters(current, _PARAMETERS)
            or not hasattr(compilation_cache, "is_persistent_cache_enabled")):
        # Nothing is lost but time, so this is worth no warning.
        logger.debug("plugin %s: keys of programs are computed whether or not there is a cache", name)
        return False
    spared = {name}

    @functools.wraps(current)
    def _get_cache_key(options, backend, computation, devices, override_fdo_profile=None):
        if there_is_no_cache(compilation_cache) and name_among(spared, backend) is not None:
            # Whether the cache is used is found out and reported by the first program, as without this.
            compilation_cache.is_cache_used(backend)
            return None
        return current(options, backend, computation, devices, override_fdo_profile)

    _get_cache_key.spared_plugins = spared
    compiler._get_cache_key = _get_cache_key
    return True
