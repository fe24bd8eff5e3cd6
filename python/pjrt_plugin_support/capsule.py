"""Capsules around the C table of a library that is already in the process."""

from __future__ import annotations

import ctypes
import os

# The capsule keeps a pointer to its name, so the bytes must live as long as any capsule.
_CAPSULE_NAME = b"pjrt_c_api"


def c_api_capsule(library: str | os.PathLike[str] | ctypes.CDLL):
    """The capsule that `register(c_api=...)` takes, from a loaded library or the path of one."""
    if not isinstance(library, ctypes.CDLL):
        library = ctypes.CDLL(os.fspath(library))
    library.GetPjrtApi.restype = ctypes.c_void_p
    library.GetPjrtApi.argtypes = []
    table = library.GetPjrtApi()
    if not table:
        raise RuntimeError(f"GetPjrtApi of {library._name} returned null")
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(table, _CAPSULE_NAME, None)


def table_address(capsule) -> int:
    """The address of the table in a capsule made here or by JAX."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(capsule, _CAPSULE_NAME)
