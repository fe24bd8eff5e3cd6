"""Compile options that are derived once.

JAX derives the options of each program from its flags anew, which takes as long as a plugin needs to read a small
program and compile it. For our plugins they are remembered, as bytes, together with the value of every flag of JAX that
they were derived under; whatever flag changes, they are derived again. Programs over several devices, with options of
their own, or with a persistent cache, whose keys tell large programs from small ones by their options, get theirs from JAX.
"""

from __future__ import annotations

import functools
import logging
import operator

from .clients import name_among
from .patch_guard import has_parameters
from .short_compilation import is_switched_off
from .unused_cache_key import there_is_no_cache

logger = logging.getLogger(__name__)

_PARAMETERS = ["computation", "tuple_args", "allow_prop_to_inputs", "allow_prop_to_outputs", "backend", "np_dev",
               "compiler_options"]
# Programs differ in which of their arguments and results may be sharded freely.
_MOST_REMEMBERED = 1024

_value = operator.attrgetter("value")


class _Remembered:
    """Options, each with its bytes, and the flags that they were derived under."""

    def __init__(self, flags: list):
        self.flags = flags
        self.options: dict[tuple, tuple] = {}


def remember_options(name: str) -> bool:
    """Has the options of programs for the plugin `name` remembered; says whether this JAX allows it."""
    from jax._src import compilation_cache, compiler, config
    from jax._src.interpreters import pxla

    current = getattr(pxla, "create_compile_options", None)
    plugins = getattr(current, "plugins_with_options", None)
    if plugins is not None:
        plugins.add(name)
        return True
    flags = getattr(config.config, "_value_holders", None)
    profile_version = getattr(compiler, "get_latest_profile_version", None)
    if (is_switched_off() or not has_parameters(current, _PARAMETERS) or not isinstance(flags, dict)
            or not hasattr(compilation_cache, "is_persistent_cache_enabled")):
        # Nothing is lost but time, so this is worth no warning.
        logger.debug("plugin %s: the options of each program are derived anew", name)
        return False
    plugins = {name}
    remembered = _Remembered([])

    @functools.wraps(current)
    def create_compile_options(computation, tuple_args, allow_prop_to_inputs, allow_prop_to_outputs, backend, np_dev,
                               compiler_options):
        nonlocal remembered
        derive = functools.partial(current, computation, tuple_args, allow_prop_to_inputs, allow_prop_to_outputs, backend,
                                   np_dev, compiler_options)
        if compiler_options or np_dev.size != 1:
            return derive()
        plugin = name_among(plugins, backend)
        if (plugin is None or not there_is_no_cache(compilation_cache)
                # Embedders of JAX put their own function here, whose answers are theirs to change.
                or compiler.get_latest_profile_version is not profile_version):
            return derive()
        known = remembered
        values = list(map(_value, flags.values()))
        if known.flags != values:
            remembered = known = _Remembered(values)
        key = (plugin, np_dev.item().id, tuple_args, tuple(allow_prop_to_inputs), tuple(allow_prop_to_outputs))
        options, data = known.options.get(key, (None, None))
        if options is None or options.SerializeAsString() != data:
            options = derive()
            if len(known.options) < _MOST_REMEMBERED:
                known.options[key] = options, options.SerializeAsString()
        return options

    create_compile_options.plugins_with_options = plugins
    pxla.create_compile_options = create_compile_options
    return True
