"""`copy=` of `jnp.from_dlpack` for a plugin that stands in for JAX's own CPU client.

jaxlib's client of the C API takes DLPack arrays in place and cannot copy them (`copy=True` is UNIMPLEMENTED), nor can it
say that a plugin had to. The arrays are made in place, then, and copied, or refused when `copy=False` was not kept.
"""

from __future__ import annotations

import ctypes
import functools

from .clients import name_among
from .patch_guard import patch, target


class _WithCopies:
    """jaxlib's module with our way of taking DLPack arrays; the rest is the module's own."""

    def __init__(self, module):
        self._module = module
        self.stand_ins: list[str] = []

    def __getattr__(self, name):
        return getattr(self._module, name)

    def dlpack_managed_tensor_to_buffer(self, capsule, device, stream, copy=None, *rest):
        import jax.numpy as jnp

        take = functools.partial(self._module.dlpack_managed_tensor_to_buffer, capsule, device, stream)
        if copy is None or name_among(self.stand_ins, device.client) is None:
            return take(copy, *rest)
        if copy:
            return jnp.array(take(None, *rest), copy=True)
        address = _address(capsule)
        array = take(None, *rest)
        if array.size and array.unsafe_buffer_pointer() != address:
            raise ValueError(
                "Specified array which requires a copy, since its elements are not aligned or not in row-major order; "
                "however copy=False. Set copy=True or copy=None to perform the requested operation.")
        return array


class _Tensor(ctypes.Structure):
    """How a `DLTensor` begins and ends."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("dtype", ctypes.c_uint32), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


# Name of a capsule that nobody has taken -> where the tensor stands in it.
_PLACES = {b"dltensor": 0, b"dltensor_versioned": 32}


def _address(capsule) -> int:
    """Where the elements of an array begin that is in a capsule, as long as nobody has taken it."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = name_of(capsule)
    tensor = _Tensor.from_address(pointer_of(capsule, name) + _PLACES[name])
    return (tensor.data or 0) + tensor.byte_offset


def _takes_copy(module) -> bool:
    signature = getattr(getattr(module, "dlpack_managed_tensor_to_buffer", None), "__doc__", None) or ""
    return isinstance(module, _WithCopies) or "copy" in signature


@patch("copies of DLPack arrays")
def copy_dlpack_arrays(name: str) -> None:
    """Makes `copy=` do what it says for arrays of the plugin `name`."""
    import jax
    from jax._src import dlpack

    if jax.__version_info__ < (0, 8, 1):
        # JAX copies by itself.
        return
    module = target(dlpack, "_jax", _takes_copy)
    if not isinstance(module, _WithCopies):
        module = _WithCopies(module)
        dlpack._jax = module
    module.stand_ins.append(name)
