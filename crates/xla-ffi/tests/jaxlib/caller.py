"""Calls handlers of XLA's typed FFI through the library of `examples/call_handler.rs`."""

from __future__ import annotations

import ctypes

import numpy as np

DATA_TYPES = {
    "bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
    "float32": 11, "float64": 12, "complex64": 15, "complex128": 18,
}
STAGES = ("instantiate", "prepare", "initialize", "execute")


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
                ("data_type", ctypes.c_uint32)]


class Attr(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_uint32), ("data_type", ctypes.c_uint32),
                ("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Call(ctypes.Structure):
    _fields_ = [("target", ctypes.c_char_p), ("functions", ctypes.c_size_t * 4),
                ("arguments", ctypes.POINTER(Buffer)), ("num_arguments", ctypes.c_size_t),
                ("results", ctypes.POINTER(Buffer)), ("num_results", ctypes.c_size_t),
                ("attrs", ctypes.POINTER(Attr)), ("num_attrs", ctypes.c_size_t),
                ("user_data_type", ctypes.c_int64), ("user_data", ctypes.c_size_t), ("state_deleter", ctypes.c_size_t),
                ("message", ctypes.c_char_p), ("message_size", ctypes.c_size_t), ("minor_version", ctypes.c_int32)]


class HandlerError(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def address(capsule) -> int:
    """The address in a capsule; an address stays one."""
    if isinstance(capsule, int):
        return capsule
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, get_name(capsule))


def functions(registration) -> list[int]:
    """Addresses by stage of a capsule, or of a dictionary of capsules."""
    if not isinstance(registration, dict):
        registration = {"execute": registration}
    return [address(registration[stage]) if stage in registration else 0 for stage in STAGES]


class Caller:
    def __init__(self, path: str):
        self.call_handler = ctypes.CDLL(path).call_handler
        self.call_handler.restype, self.call_handler.argtypes = ctypes.c_int32, [ctypes.POINTER(Call)]
        self.versions = set()

    def __call__(self, target, registration, arguments, results, attrs=None, user_data=(0, 0), state_deleter=0):
        """Calls a handler on the memory of the arrays as it is; returns the results.

        `registration` is a capsule, or a dictionary by stage of capsules or addresses; `user_data` is a type's number
        and an address.
        """
        kept = []

        def buffers(arrays):
            made = (Buffer * max(len(arrays), 1))()
            for buffer, array in zip(made, arrays):
                dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
                kept.append(dims)
                buffer.data, buffer.dims, buffer.rank = array.ctypes.data, dims, array.ndim
                buffer.data_type = DATA_TYPES[array.dtype.name]
            return made

        made_attrs = (Attr * max(len(attrs or {}), 1))()
        for attr, (name, value) in zip(made_attrs, (attrs or {}).items()):
            value = np.asarray(value)
            kept.append(value)
            attr.name, attr.kind = name.encode(), 1 if value.ndim else 3
            attr.data_type, attr.data, attr.size = DATA_TYPES[value.dtype.name], value.ctypes.data, value.nbytes
        message = ctypes.create_string_buffer(2000)
        call = Call(target=target.encode(), functions=(ctypes.c_size_t * 4)(*functions(registration)),
                    arguments=buffers(arguments), num_arguments=len(arguments), results=buffers(results),
                    num_results=len(results), attrs=made_attrs, num_attrs=len(attrs or {}),
                    user_data_type=user_data[0], user_data=user_data[1], state_deleter=state_deleter,
                    message=ctypes.cast(message, ctypes.c_char_p), message_size=len(message))
        code = self.call_handler(ctypes.byref(call))
        self.versions.add(call.minor_version)
        if code:
            raise HandlerError(code, message.value.decode())
        return results
