"""A plugin's C table as far as Python calls it by itself: errors, and the extensions by which handlers of custom calls
are registered. Offsets have not moved since the members exist.
"""

from __future__ import annotations

import ctypes

from .capsule import table_address

_TABLE_EXTENSIONS = 8
_TABLE_ERROR_DESTROY = 40
_TABLE_ERROR_MESSAGE = 48

_FFI_EXTENSION = 5
# Members of the FFI extension's node.
_NODE_TYPE_REGISTER = 24
_NODE_REGISTER_HANDLER = 40

# The extension of our own for handlers with several stages, and its one member.
_STAGES_EXTENSION = 0x52530001
_NODE_CALL = 24

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# In the order in which the functions of a handler are listed.
STAGES = ("instantiate", "prepare", "initialize", "execute", "record")


class _Node(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_uint), ("next", ctypes.c_void_p)]


class _RegisterHandler(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("target_name", ctypes.c_char_p), ("target_name_size", ctypes.c_size_t),
                ("handler", ctypes.c_void_p), ("platform_name", ctypes.c_char_p),
                ("platform_name_size", ctypes.c_size_t), ("traits", ctypes.c_int)]


class _TypeInfo(ctypes.Structure):
    _fields_ = [("deleter", ctypes.c_void_p), ("serialize", ctypes.c_void_p), ("deserialize", ctypes.c_void_p)]


class _RegisterType(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("type_name", ctypes.c_char_p),
                ("type_name_size", ctypes.c_size_t), ("type_id", ctypes.c_int64), ("type_info", ctypes.c_void_p)]


class _Call(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("method", ctypes.c_char_p), ("method_size", ctypes.c_size_t),
                ("input", ctypes.c_char_p), ("input_size", ctypes.c_size_t), ("output", ctypes.c_void_p),
                ("output_size", ctypes.c_size_t), ("holder", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _ErrorMessage(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p),
                ("message", ctypes.c_void_p), ("message_size", ctypes.c_size_t)]


class _ErrorDestroy(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p)]


def _pointer_at(address: int) -> int | None:
    return ctypes.c_void_p.from_address(address).value


def _size_with(structure, last: str) -> int:
    """The size of a struct up to its last member: the tail padding does not belong to it."""
    member = getattr(structure, last)
    return member.offset + member.size


class PluginTable:
    """The table of a plugin, from the capsule that registration gave."""

    def __init__(self, c_api):
        self._table = table_address(c_api)

    def _member(self, extension: int, offset: int) -> tuple[int, int] | None:
        """A function pointer in an extension's node: (node, function); None when there is none."""
        node = _pointer_at(self._table + _TABLE_EXTENSIONS)
        while node:
            base = _Node.from_address(node)
            if base.type == extension:
                function = _pointer_at(node + offset) if base.struct_size >= offset + _POINTER else None
                return (node, function) if function else None
            node = base.next
        return None

    @property
    def takes_handlers(self) -> bool:
        """Whether the plugin has the FFI extension with a function for handlers."""
        return self._member(_FFI_EXTENSION, _NODE_REGISTER_HANDLER) is not None

    @property
    def takes_stages(self) -> bool:
        """Whether the plugin takes handlers with more than an execute stage."""
        return self._member(_STAGES_EXTENSION, _NODE_CALL) is not None

    def _raise(self, error: int | None, what: str) -> None:
        if not error:
            return
        arguments = _ErrorMessage(struct_size=ctypes.sizeof(_ErrorMessage), error=error)
        message = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_pointer_at(self._table + _TABLE_ERROR_MESSAGE))
        message(ctypes.addressof(arguments))
        text = ctypes.string_at(arguments.message, arguments.message_size).decode(errors="replace")
        destroy = _ErrorDestroy(struct_size=ctypes.sizeof(_ErrorDestroy), error=error)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_pointer_at(self._table + _TABLE_ERROR_DESTROY))(ctypes.addressof(destroy))
        raise RuntimeError(f"{what}: {text}")

    def register_handler(self, target: str, platform: str, stages: dict[str, int], traits: int) -> None:
        """Registers the functions of a handler, by stage; `takes_handlers`, or `takes_stages` if there are several."""
        encoded, encoded_platform = target.encode(), platform.encode()
        if set(stages) == {"execute"}:
            _, function = self._member(_FFI_EXTENSION, _NODE_REGISTER_HANDLER)
            arguments = _RegisterHandler(
                struct_size=_size_with(_RegisterHandler, "traits"), target_name=encoded, target_name_size=len(encoded),
                handler=stages["execute"], platform_name=encoded_platform, platform_name_size=len(encoded_platform),
                traits=traits)
            error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(function)(ctypes.addressof(arguments))
        else:
            node, function = self._member(_STAGES_EXTENSION, _NODE_CALL)
            lines = [target, platform, traits, *(stages.get(stage, 0) for stage in STAGES)]
            text = "\n".join(map(str, lines)).encode()
            method = b"register_handler"
            arguments = _Call(struct_size=ctypes.sizeof(_Call), method=method, method_size=len(method), input=text,
                              input_size=len(text))
            error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(function)(
                node, ctypes.addressof(arguments))
            if not error and arguments.deleter:
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(arguments.deleter)(arguments.holder)
        self._raise(error, f"FFI target {target}")

    def register_type(self, name: str, type_id: int, deleter: int) -> int:
        """Registers a type of states or user data under its number; 0 asks for one. Returns the number."""
        member = self._member(_FFI_EXTENSION, _NODE_TYPE_REGISTER)
        if member is None:
            raise NotImplementedError(f"FFI type {name}: the plugin has no FFI extension that takes types")
        encoded, info = name.encode(), _TypeInfo(deleter=deleter)
        arguments = _RegisterType(struct_size=_size_with(_RegisterType, "type_info"), type_name=encoded,
                                  type_name_size=len(encoded), type_id=type_id, type_info=ctypes.addressof(info))
        error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(member[1])(ctypes.addressof(arguments))
        self._raise(error, f"FFI type {name}")
        return arguments.type_id
