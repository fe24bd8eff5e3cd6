"""`jax.ffi.register_ffi_target(..., platform=OURS)` for a plugin that has the FFI extension.

jaxlib keeps what users register for a platform until somebody says where it goes; for a plugin nobody does. Here the
handlers are passed on to the plugin, through the extension in its C table. A plugin without the extension refuses the
registration, instead of failing at the first use.
"""

from __future__ import annotations

import ctypes

from .capsule import table_address
from .patch_guard import patch, target

_FFI_EXTENSION_TYPE = 5

# Offsets in the C table and in the extension's node; they have not moved since these members exist.
_TABLE_EXTENSIONS = 8
_TABLE_ERROR_DESTROY = 40
_TABLE_ERROR_MESSAGE = 48
_NODE_REGISTER_HANDLER = 40


class _Node(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.c_void_p)]


class _RegisterHandler(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("target_name", ctypes.c_char_p), ("target_name_size", ctypes.c_size_t),
                ("handler", ctypes.c_void_p), ("platform_name", ctypes.c_char_p),
                ("platform_name_size", ctypes.c_size_t), ("traits", ctypes.c_int)]


class _ErrorMessage(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p),
                ("message", ctypes.c_void_p), ("message_size", ctypes.c_size_t)]


class _ErrorDestroy(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p)]


def _pointer_at(address: int) -> int | None:
    return ctypes.c_void_p.from_address(address).value


def register_handler_function(table: int) -> int | None:
    """Address of the plugin's function that takes handlers; None when it has none."""
    node = _pointer_at(table + _TABLE_EXTENSIONS)
    while node:
        base = _Node.from_address(node)
        if base.type == _FFI_EXTENSION_TYPE:
            has_member = base.struct_size >= _NODE_REGISTER_HANDLER + ctypes.sizeof(ctypes.c_void_p)
            return _pointer_at(node + _NODE_REGISTER_HANDLER) if has_member else None
        node = base.next
    return None


def _taken_message(table: int, error: int) -> str:
    """The text of an error, which is destroyed."""
    arguments = _ErrorMessage(struct_size=ctypes.sizeof(_ErrorMessage), error=error)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_pointer_at(table + _TABLE_ERROR_MESSAGE))(ctypes.addressof(arguments))
    text = ctypes.string_at(arguments.message, arguments.message_size).decode(errors="replace")
    destroy = _ErrorDestroy(struct_size=ctypes.sizeof(_ErrorDestroy), error=error)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_pointer_at(table + _TABLE_ERROR_DESTROY))(ctypes.addressof(destroy))
    return text


def _handler_address(name: str, function) -> int:
    """The address in a capsule; registrations may also be a dictionary of stages."""
    if isinstance(function, dict):
        if set(function) != {"execute"}:
            raise NotImplementedError(f"FFI target {name}: a plugin takes handlers with an execute stage only, not with "
                                      f"{', '.join(sorted(function))}")
        function = function["execute"]
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(function, name_of(function))


@patch("registration of FFI targets")
def pass_on_ffi_targets(name: str, platform: str, c_api) -> None:
    """Sends to the plugin what was and will be registered with `jax.ffi` for `platform`."""
    from jax._src.lib import xla_client

    set_handler = target(xla_client, "register_custom_call_handler", callable)
    table = table_address(c_api)
    function = register_handler_function(table)
    # Handlers are called as long as the plugin runs programs; a capsule that goes away must not take one with it.
    kept: list[object] = []

    def register(target_name, handler, xla_platform, api_version=0, traits=0) -> None:
        target_name = target_name.decode() if isinstance(target_name, bytes) else target_name
        if function is None:
            raise NotImplementedError(f"plugin {name} has no FFI extension, so the target {target_name} cannot be "
                                      f"registered for platform {xla_platform}")
        if api_version != 1:
            raise NotImplementedError(f"FFI target {target_name}: api_version {api_version} is the untyped interface, which "
                                      f"plugin {name} cannot take; use the typed one, api_version=1")
        encoded, encoded_platform = target_name.encode(), platform.encode()
        arguments = _RegisterHandler(
            struct_size=_RegisterHandler.traits.offset + _RegisterHandler.traits.size,
            target_name=encoded, target_name_size=len(encoded), handler=_handler_address(target_name, handler),
            platform_name=encoded_platform, platform_name_size=len(encoded_platform),
            traits=int(getattr(traits, "value", traits)))
        kept.append(handler)
        error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(function)(ctypes.addressof(arguments))
        if error:
            raise RuntimeError(f"FFI target {target_name}: {_taken_message(table, error)}")

    set_handler(platform, register)
