"""Prints, as JSON, the layout of every struct and the value of every constant in pypjrt's ctypes module."""

import ctypes
import json

from pypjrt._abi import pjrt_0_114 as abi

structs = {}
constants = {}
for name, value in vars(abi).items():
    if isinstance(value, type) and issubclass(value, ctypes.Structure):
        fields = []
        for field in getattr(value, "_fields_", []):
            descriptor = getattr(value, field[0])
            fields.append([field[0], descriptor.offset, descriptor.size])
        structs[name] = {"size": ctypes.sizeof(value), "fields": fields}
    elif isinstance(value, int) and not isinstance(value, bool):
        constants[name] = value
print(json.dumps({"structs": structs, "constants": constants, "slots": abi.SLOT, "table": abi.VTABLE_OFFSET}))
