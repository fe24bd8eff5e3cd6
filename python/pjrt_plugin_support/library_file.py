"""Says what is wrong with a plugin's library before the loader says it in its own words."""

from __future__ import annotations

import os
import platform
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
            head = library.read(20)
    except OSError as error:
        raise PluginLibraryError(f"{path}: cannot be read: {error.strerror}") from error
    # ELF: magic, then class (2 = 64-bit) and byte order; the machine stands at offset 18.
    if head[:4] != b"\x7fELF" or len(head) < 20:
        raise PluginLibraryError(f"{path}: not a shared library (no ELF header)")
    machines = {62: "x86_64", 183: "aarch64"}
    number = int.from_bytes(head[18:20], "little")
    built_for = machines.get(number, f"ELF machine {number}")
    if built_for != platform.machine():
        raise PluginLibraryError(f"{path}: built for {built_for}, and this machine is {platform.machine()}")
    return path
