"""A short way from `lowered.compile()` to the plugin's compiler.

jaxlib puts every program through passes and makes a portable artifact of it, so that plugins of any age can read it. That
takes from half a millisecond to several, whatever the plugin then needs. A plugin reads the programs of the JAX beside
it as they are, which MLIR writes in a hundredth of the time; and jaxlib hands bytes on untouched where it expects a
serialized executable. So programs are given to it as such, behind the header that it wants (`executable_header`).

All else goes jaxlib's way: programs over several devices, what the plugin refuses in this form (for instance CHLO ops that
it does not know; the passes take them apart), what its reader does not know, the first program with a type of result, from which the header is learned, and everything on
releases of JAX whose function is not the one that is replaced here. `PJRT_SHORT_COMPILATION=0` switches it off.
"""

from __future__ import annotations

import functools
import io
import logging
import os

from .clients import name_among
from .executable_header import Headers, entry_of
from .patch_guard import has_parameters

logger = logging.getLogger(__name__)

# What the function takes in the releases that this was written for, 0.7 to 0.12.
_PARAMETERS = ["backend", "module", "executable_devices", "options", "host_callbacks"]

# The newest version of MLIR's bytecode in which the attributes of an op have names, so that all releases mean the same.
_BYTECODE_VERSION = 4


def bytecode(module) -> bytes:
    """The program as MLIR bytecode."""
    file = io.BytesIO()
    module.operation.write_bytecode(file, desired_version=_BYTECODE_VERSION)
    return file.getvalue()


def in_place_of_executable(program: bytes, options) -> bytes:
    """What the plugin compiles where an executable is expected: the program behind its options. jaxlib could pass these on as
    well, but copies them several times on the way."""
    options = options.SerializeAsString()
    return b"".join((b"PJRT-RSP", len(options).to_bytes(8, "little"), options, program))


def is_for_one_device(executable_devices, options) -> bool:
    """Whether a program runs on one device: only then its header is known."""
    return len(executable_devices) == options.num_replicas == options.num_partitions == 1


def is_switched_off() -> bool:
    """Whether the user wants programs to be compiled as JAX does it."""
    return os.environ.get("PJRT_SHORT_COMPILATION", "1") == "0"


def shorten_compilation(name: str) -> bool:
    """Has programs for the plugin `name` compiled as they are; says whether this JAX allows it."""
    from jax._src import compiler

    current = getattr(compiler, "backend_compile_and_load", None)
    headers = getattr(current, "headers_by_plugin", None)
    if headers is not None:
        headers.setdefault(name, Headers())
        return True
    if is_switched_off() or not has_parameters(current, _PARAMETERS):
        # Nothing is lost but time, so this is worth no warning.
        logger.debug("plugin %s: programs go through jaxlib's passes", name)
        return False
    headers = {name: Headers()}

    @functools.wraps(current)
    def backend_compile_and_load(backend, module, executable_devices, options, host_callbacks):
        by_jaxlib = functools.partial(current, backend, module, executable_devices, options, host_callbacks)
        try:
            ours = headers.get(name_among(headers, backend))
            entry = header = None
            if ours is not None and not ours.has_given_up and is_for_one_device(executable_devices, options):
                program = bytecode(module)
                entry = entry_of(module, program)
                header = None if entry is None else ours.write(entry)
                if header is not None:
                    program = in_place_of_executable(program, options)
        except Exception as error:  # whatever a JAX to come does otherwise, programs compile
            logger.debug("a program goes through jaxlib's passes: %s: %s", type(error).__name__, error)
            return by_jaxlib()
        if header is not None:
            callbacks = (host_callbacks,) if host_callbacks else ()
            try:
                return backend.deserialize_executable(header + program, executable_devices, None, *callbacks)
            except (RuntimeError, TypeError, ValueError) as error:
                # What is really wrong, if it is not the reader, comes again from there.
                logger.debug("a program goes through jaxlib's passes: %s", error)
        executable = by_jaxlib()
        if entry is not None and header is None:
            _learn(ours, entry, executable)
        return executable

    backend_compile_and_load.headers_by_plugin = headers
    compiler.backend_compile_and_load = backend_compile_and_load
    return True


def _learn(headers: Headers, entry, executable) -> None:
    try:
        serialized = executable.serialize() if hasattr(executable, "serialize") else (
            executable.client.serialize_executable(executable))
    except (RuntimeError, AttributeError) as error:
        logger.debug("an executable does not say how it is serialized: %s", error)
        headers.give_up()
        return
    headers.learn(entry, serialized)
