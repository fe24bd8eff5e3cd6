"""Registers a plugin with JAX, and makes a plugin that cannot be registered say why."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping

import jax
from jax._src import xla_bridge

from .device_count import OptionsWhenRead
from .dlpack_copies import copy_dlpack_arrays
from .donation import open_donation
from .experimental_warning import drop_experimental_warning
from .ffi_targets import pass_on_ffi_targets, share_cpu_handlers, share_python_callbacks
from .host_callbacks import open_host_callbacks
from .library_file import checked_path
from .lowering_rules import borrow_lowering_rules
from .persistent_cache import open_persistent_cache
from .platform_alias import answer_to_cpu
from .remembered_options import remember_options
from .short_compilation import shorten_compilation
from .unused_cache_key import spare_unused_cache_keys

logger = logging.getLogger(__name__)

Options = Mapping[str, str | int | list[int] | float | bool]

# Platform names that JAX has rules and lists for; a client that reports one of them needs none of the patches.
_KNOWN_TO_JAX = frozenset({"cpu", "cuda", "rocm", "tpu", "oneapi"})

_registered: dict[str, object] = {}


def register(
    name: str,
    *,
    library_path: str | os.PathLike[str] | None = None,
    c_api: object | None = None,
    priority: int = 500,
    options: Options | Callable[[], Options] | None = None,
    client_platform: str | None = None,
    host_callbacks: str = "none",
    device_count_option: str = "",
):
    """Registers the plugin `name` with JAX and returns the capsule of its C table.

    Args:
      name: what users write into `JAX_PLATFORMS`.
      library_path: the plugin's `.so`; or else
      c_api: a capsule named `pjrt_c_api` around the table of a plugin that is in the process already.
      priority: JAX makes the backend with the highest one its default; its own CPU has 0, GPUs have 200 to 500.
      options: handed to the plugin when the client is created, or a function that returns them at that moment.
      client_platform: the platform name that the client reports, `name` by default. JAX picks lowering rules by it;
        for a name that JAX does not know, donation, the persistent cache and platform-neutral rules are opened.
      device_count_option: the client option that sets the number of devices; how many CPU devices the user wants of JAX
        is then handed over by it. Empty when there is no such option.
      host_callbacks: "send-recv" when the backend executes host transfers of `stablehlo.send` and `recv`, else "none".

    Raises:
      PluginLibraryError: nothing that can be loaded is at `library_path`.
      ValueError: both or neither of `library_path` and `c_api`, or an unknown `host_callbacks`.
      Exception: what JAX raises when the library is refused.
    """
    if (library_path is None) == (c_api is None):
        raise ValueError(f"plugin {name}: give either library_path or c_api")
    if host_callbacks not in ("none", "send-recv"):
        raise ValueError(f"plugin {name}: host_callbacks={host_callbacks!r} must be 'none' or 'send-recv'")
    platform = client_platform or name
    if device_count_option or callable(options):
        options = OptionsWhenRead(options, device_count_option)
    if name in _registered:
        return _registered[name]
    from_environment = _library_from_environment(name)
    if from_environment is not None:
        # JAX registers that one by itself, right after the installed plugins, and a name can be taken only once.
        logger.info("plugin %s: PJRT_NAMES_AND_LIBRARY_PATHS names %s, which takes the place of the installed one", name,
                    from_environment)
        drop_experimental_warning(name)
        if platform not in _KNOWN_TO_JAX:
            _open_doors(platform, host_callbacks)
        return None
    library = None if library_path is None else checked_path(library_path)
    drop_experimental_warning(name)
    capsule = xla_bridge.register_plugin(name, priority=priority, library_path=library, options=options, c_api=c_api)
    _registered[name] = capsule
    shorten_compilation(name)
    spare_unused_cache_keys(name)
    remember_options(name)
    if platform not in _KNOWN_TO_JAX:
        _open_doors(platform, host_callbacks)
        pass_on_ffi_targets(name, platform, capsule)
    elif platform == "cpu":
        answer_to_cpu(name)
        copy_dlpack_arrays(name)
        share_cpu_handlers(name, capsule)
        share_python_callbacks(name, capsule)
    return capsule


def initialize_plugin(name: str, *, priority: int = 500, version: str = "", **arguments) -> None:
    """`register` for a plugin's `initialize()`, in which JAX logs exceptions and goes on as if nothing was installed.

    When registration fails, the reason is kept and raised when JAX wants a client of the plugin: `JAX_PLATFORMS=name`
    then says what is wrong and not that the name is unknown.
    """
    try:
        register(name, priority=priority, **arguments)
    except Exception as error:  # whatever it is, the user must see it
        _register_failure(name, priority, version, error)


def _open_doors(platform: str, host_callbacks: str) -> None:
    open_donation(platform)
    open_persistent_cache(platform)
    borrow_lowering_rules(platform)
    if host_callbacks == "send-recv":
        open_host_callbacks(platform)


def _library_from_environment(name: str) -> str | None:
    for entry in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "").split(","):
        entry_name, separator, path = entry.partition(os.pathsep)
        if separator and entry_name == name:
            return path
    return None


def _register_failure(name: str, priority: int, version: str, error: Exception) -> None:
    label = f"plugin {name} {version}".rstrip()
    reason = f"{label} could not be registered with JAX {jax.__version__}: {type(error).__name__}: {error}"

    def refuse():
        raise RuntimeError(reason) from error

    xla_bridge.register_backend_factory(name, refuse, priority=priority, fail_quietly=False)
