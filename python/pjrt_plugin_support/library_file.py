"""Says what is wrong with a plugin's library before the loader says it in its own words."""

from __future__ import annotations

import os
import platform
import struct
import sys


class PluginLibraryError(RuntimeError):
    """A plugin that cannot be loaded; the text says why and what to do."""


def checked_path(library_path: str | os.PathLike[str]) -> str:
    """The path as the `str` that JAX's binding insists on; PluginLibraryError when nothing loadable is there."""
    path = os.fspath(library_path)
    if not sys.platform.startswith("linux"):
        raise PluginLibraryError(f"{path}: the plugin is built for Linux, and this is {sys.platform}")
    if not os.path.exists(path):
        raise PluginLibraryError(f"{path}: there is no such file; build it with `cargo xtask build-plugin`, or reinstall "
                                 "the wheel")
    if not os.path.isfile(path):
        raise PluginLibraryError(f"{path}: not a file")
    try:
        with open(path, "rb") as library:
            head = library.read(64)
            # The magic number, then the class: 2 is 64-bit.
            if head[:5] != b"\x7fELF\x02" or len(head) < 64:
                raise PluginLibraryError(f"{path}: not a shared library (no ELF header)")
            needed = _loaded_bytes(library, head)
            size = os.fstat(library.fileno()).st_size
    except OSError as error:
        raise PluginLibraryError(f"{path}: cannot be read: {error.strerror}") from error
    # The machine stands at offset 18.
    machines = {62: "x86_64", 183: "aarch64"}
    number = int.from_bytes(head[18:20], "little")
    built_for = machines.get(number, f"ELF machine {number}")
    if built_for != platform.machine():
        raise PluginLibraryError(f"{path}: built for {built_for}, and this machine is {platform.machine()}")
    if size < needed:
        # The loader would map the missing part all the same, and the process would die when it is touched.
        raise PluginLibraryError(f"{path}: cut off: {size} bytes where at least {needed} belong; copy or install it again")
    return path


def _loaded_bytes(library, head: bytes) -> int:
    """How long a 64-bit ELF file must be for all its loadable segments to be in it."""
    order = "<" if head[5] == 1 else ">"
    (table,) = struct.unpack_from(order + "Q", head, 32)
    entry_size, entries = struct.unpack_from(order + "HH", head, 54)
    end = table + entry_size * entries
    library.seek(table)
    headers = library.read(entry_size * entries)
    for start in range(0, len(headers) - 39, entry_size):
        (kind,) = struct.unpack_from(order + "I", headers, start)
        offset, size = struct.unpack_from(order + "Q16xQ", headers, start + 8)
        if kind == 1:  # PT_LOAD; offset is field 3, the size in the file field 6
            end = max(end, offset + size)
    return end
