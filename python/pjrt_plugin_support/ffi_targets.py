"""Handlers of custom calls: what users register with `jax.ffi`, and what jaxlib brings along, reaches the plugin.

jaxlib keeps what is registered for a platform until somebody says where it goes; for a plugin nobody does. A plugin
without the FFI extension refuses the registration, instead of failing at the first use.

For the platform `cpu` jaxlib knows where: into its own registry, for XLA's CPU. A plugin whose client reports `cpu`
gets everything that goes there as well, and what is there from the start: LAPACK kernels and Python callbacks.
"""

from __future__ import annotations

import ctypes

from .local_symbols import local_symbols
from .patch_guard import patch, target
from .plugin_table import STAGES, PluginTable

# jaxlib's Python callbacks keep a state that is made when a program is compiled. jaxlib lists their execute functions
# only; the other one, and the type of the state, are among its local symbols.
_CALLBACKS = ("xla_ffi_python_cpu_callback", "xla_ffi_partitioned_python_cpu_callback", "xla_buffer_python_cpu_callback")
_CALLBACK_INSTANTIATE = "kCpuTransposePlanCacheInstantiate"
_CALLBACK_STATE_ID = "_ZN3jax21CpuTransposePlanCache2idE"
_CALLBACK_STATE_INFO = "_ZN3jax21CpuTransposePlanCache4infoE"

# Handlers are called as long as the plugin runs programs; a capsule that goes away must not take one with it.
_kept: list[object] = []


def _address(capsule) -> int:
    """What is in a capsule, whatever its name."""
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(capsule, name_of(capsule))


def _stages(table: PluginTable, plugin: str, name: str, handler) -> dict[str, int]:
    """The addresses of a handler's functions: it is a capsule, or a dictionary of capsules by stage."""
    _kept.append(handler)
    stages = {stage: _address(function) for stage, function in handler.items()} if isinstance(handler, dict) else {
        "execute": _address(handler)}
    unknown = set(stages) - set(STAGES)
    if unknown or (set(stages) != {"execute"} and not table.takes_stages):
        served = ", ".join(STAGES) if table.takes_stages else "execute"
        raise NotImplementedError(f"FFI target {name}: plugin {plugin} takes handlers with the stages {served}, not with "
                                  f"{', '.join(sorted(stages))}")
    return stages


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


@patch("registration of FFI targets")
def pass_on_ffi_targets(name: str, platform: str, c_api) -> None:
    """Sends to the plugin what was and will be registered with `jax.ffi` for `platform`."""
    from jax._src.lib import xla_client

    set_handler = target(xla_client, "register_custom_call_handler", callable)
    table = PluginTable(c_api)

    def register(target_name, handler, xla_platform, api_version=0, traits=0) -> None:
        target_name = _text(target_name)
        if not table.takes_handlers:
            raise NotImplementedError(f"plugin {name} has no FFI extension, so the target {target_name} cannot be "
                                      f"registered for platform {xla_platform}")
        if api_version != 1:
            raise NotImplementedError(f"FFI target {target_name}: api_version {api_version} is the untyped interface, which "
                                      f"plugin {name} cannot take; use the typed one, api_version=1")
        stages = _stages(table, name, target_name, handler)
        table.register_handler(target_name, platform, stages, int(getattr(traits, "value", traits)))

    set_handler(platform, register)


@patch("custom calls: LAPACK kernels and what is registered with jax.ffi")
def share_cpu_handlers(name: str, c_api) -> None:
    """Sends to the plugin what was and will be registered for `cpu`, in addition to where jaxlib sends it."""
    from jax._src.lib import xla_client

    table = PluginTable(c_api)
    if not table.takes_handlers:
        return
    handlers = target(xla_client, "_custom_callback_handler", dict)
    lock = target(xla_client, "_custom_callback_lock", lambda lock: hasattr(lock, "acquire"))
    set_handler = target(xla_client, "register_custom_call_handler", callable)
    extension = target(xla_client, "_xla", lambda module: hasattr(module, "register_custom_call_target"))
    key = target(xla_client, "xla_platform_names", dict).get("cpu", "cpu")
    # Without an owner jaxlib's own function is the one that would take the place later, with the first CPU client.
    owner = handlers.get(key, extension.register_custom_call_target)

    def pass_on(target_name, handler, traits) -> None:
        stages = _stages(table, name, target_name, handler)
        table.register_handler(target_name, "cpu", stages, int(getattr(traits, "value", traits)))

    def register(target_name, handler, xla_platform, api_version=0, traits=0) -> None:
        owner(target_name, handler, xla_platform, api_version, traits)
        if api_version == 1:
            pass_on(_text(target_name), handler, traits)

    with lock:
        taken = key in handlers
        if taken:
            handlers[key] = register
    if not taken:
        set_handler("cpu", register)
    for target_name, handler in _lapack_kernels():
        pass_on(target_name, handler, 0)
    if taken:
        # What had been registered before we came.
        for target_name, handler in xla_client.custom_call_targets("Host").items():
            if target_name not in _CALLBACKS:
                pass_on(target_name, handler, 0)


def _lapack_kernels():
    """jaxlib's typed LAPACK kernels: (target, handler)."""
    from jaxlib import lapack

    if hasattr(lapack, "registrations"):
        return [(name, handler) for name, handler, version in lapack.registrations()["cpu"] if version == 1]
    from jaxlib.cpu import _lapack

    return [(name, handler) for name, handler in _lapack.registrations().items() if name.endswith("_ffi")]


def _is_typed_callback(listed) -> bool:
    return callable(listed) and _CALLBACKS[0] in listed("Host")


@patch("Python callbacks")
def share_python_callbacks(name: str, c_api) -> None:
    """Sends jaxlib's handlers of `pure_callback`, `io_callback` and the like to the plugin.

    Before jaxlib 0.6 callbacks are untyped custom calls, which the plugin refuses when a program has one.
    """
    from jax._src.lib import xla_client
    from jaxlib import version

    table = PluginTable(c_api)
    if not table.takes_stages or version.__version_info__ < (0, 6):
        return
    listed = target(xla_client, "custom_call_targets", _is_typed_callback)("Host")
    for target_name in _CALLBACKS:
        if target_name not in listed:
            continue
        stages = _stages(table, name, target_name, listed[target_name])
        symbols = local_symbols(stages["execute"], [_CALLBACK_INSTANTIATE, _CALLBACK_STATE_ID, _CALLBACK_STATE_INFO])
        if target_name != _CALLBACKS[2] and _CALLBACK_INSTANTIATE in symbols:
            stages["instantiate"] = symbols[_CALLBACK_INSTANTIATE]
        table.register_handler(target_name, "cpu", stages, 0)
        if _CALLBACK_STATE_INFO in symbols and _CALLBACK_STATE_ID in symbols:
            # A size, extensions, the deleter; and the number, once it was assigned.
            deleter = (ctypes.c_size_t * 3).from_address(symbols[_CALLBACK_STATE_INFO])[2]
            type_id = ctypes.c_int64.from_address(symbols[_CALLBACK_STATE_ID]).value
            if type_id and deleter:
                table.register_type("jax::CpuTransposePlanCache", type_id, deleter)
