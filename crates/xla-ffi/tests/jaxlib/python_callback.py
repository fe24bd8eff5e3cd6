"""Runs jaxlib's handler of Python callbacks through the library of `examples/call_handler.rs`.

    python python_callback.py path/to/libcall_handler.so

jaxlib lists only the execute function of this handler. It also needs the state that its instantiate function makes,
whose address is found among the library's local symbols.
"""

from __future__ import annotations

import ctypes
import re
import sys

import jaxlib.version
import numpy as np
from caller import Caller, HandlerError, address
from jaxlib import xla_client
from local_symbols import local_symbols

TARGET = "xla_ffi_python_cpu_callback"
INSTANTIATE = "kCpuTransposePlanCacheInstantiate"
STATE_INFO = "_ZN3jax21CpuTransposePlanCache4infoE"


class Callbacks(ctypes.Structure):
    """What jaxlib attaches to an execution: the callables of its program."""

    _fields_ = [("first", ctypes.POINTER(ctypes.py_object)), ("count", ctypes.c_size_t)]


def main(path: str) -> None:
    if jaxlib.version.__version_info__ < (0, 6):
        # The handler in 0.5.3 was compiled against internals of XLA; programs call it since 0.6.
        print(f"skipped: jaxlib {jaxlib.version.__version__} has no Python callback in the typed FFI")
        return
    caller = Caller(path)
    execute = address(xla_client.custom_call_targets("Host")[TARGET]["execute"])
    symbols = local_symbols(execute, [INSTANTIATE, STATE_INFO])
    handler = {"instantiate": symbols[INSTANTIATE], "execute": execute}
    deleter = 0
    if STATE_INFO in symbols:
        # Size, extensions, deleter.
        deleter = (ctypes.c_size_t * 3).from_address(symbols[STATE_INFO])[2]

    def call(arguments, results, index=0, user_data=(0, 0)):
        return caller(TARGET, handler, arguments, results, {"index": np.uint64(index)}, user_data, deleter)

    # Without callables the error names the type that the handler looks for.
    try:
        call([], [])
    except HandlerError as error:
        number = int(re.search(r"no user data of type number (\d+)", str(error))[1])
        assert "state" not in str(error), error
    else:
        sys.exit("no user data, and no error")

    seen = []

    def divide(a, b):
        seen.append((a.shape, a.dtype, b.shape, b.dtype))
        return a // b, np.asfortranarray(np.outer(a, b).astype(np.float64))

    def fail(*_):
        raise ValueError("on purpose")

    callables = (ctypes.py_object * 2)(divide, fail)
    attached = Callbacks(ctypes.cast(callables, ctypes.POINTER(ctypes.py_object)), len(callables))
    user_data = number, ctypes.addressof(attached)
    a, b = np.arange(10, 16, dtype=np.int32), np.array([3], np.int32)
    for round in range(3):
        results = [np.zeros(6, np.int32), np.zeros((6, 1), np.float64)]
        quotient, product = call([a + round, b], results, user_data=user_data)
        np.testing.assert_array_equal(quotient, (a + round) // 3)
        np.testing.assert_array_equal(product, np.outer(a + round, b))
    assert seen == 3 * [((6,), np.int32, (1,), np.int32)], seen

    # A result in column-major order goes through the state.
    square = np.arange(12, dtype=np.int32).reshape(3, 4)

    def transpose(x):
        return (np.asfortranarray(x),)

    callables[0] = transpose
    (same,) = call([square], [np.zeros((3, 4), np.int32)], user_data=user_data)
    np.testing.assert_array_equal(same, square)

    try:
        call([a, b], [np.zeros(6, np.int32)], index=1, user_data=user_data)
    except HandlerError as error:
        assert "ValueError: on purpose" in str(error), error
    else:
        sys.exit("an exception, and no error")
    callables[0] = divide
    results = [np.zeros(6, np.int32), np.zeros((6, 1), np.float64)]
    np.testing.assert_array_equal(call([a, b], results, user_data=user_data)[0], a // 3)
    print(f"jaxlib {jaxlib.version.__version__}: Python callbacks, API 0.{max(caller.versions)}, all good")


if __name__ == "__main__":
    main(sys.argv[1])
