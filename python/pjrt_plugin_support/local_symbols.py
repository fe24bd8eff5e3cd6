"""Addresses of symbols that a loaded ELF library has but does not export."""

from __future__ import annotations

import ctypes
import mmap
import struct


class _DlInfo(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def local_symbols(inside: int, names: list[str]) -> dict[str, int]:
    """Those of `names` that the library has that contains the address `inside`, with their addresses."""
    info = _DlInfo()
    dladdr = ctypes.CDLL(None).dladdr
    dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(_DlInfo)]
    if not dladdr(inside, ctypes.byref(info)):
        return {}
    with open(info.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        return {name: info.base + value for name, value in _values(image, names).items()}


def _values(image: mmap.mmap, names: list[str]) -> dict[str, int]:
    if image[:6] != b"\x7fELF\x02\x01":
        return {}
    (headers,) = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    # Of each section: kind, place, bytes, which other section it belongs to.
    sections = []
    for index in range(count):
        _, kind, _, _, place, length, link = struct.unpack_from("<IIQQQQI", image, headers + index * size)
        sections.append((kind, place, length, link))
    found = {}
    for kind, place, length, link in sections:
        if kind != 2:
            continue
        _, texts, texts_length, _ = sections[link]
        for name in names:
            at = image.find(b"\0" + name.encode() + b"\0", texts, texts + texts_length)
            if at < 0:
                continue
            wanted, at = struct.pack("<I", at + 1 - texts), place
            while (at := image.find(wanted, at, place + length)) >= 0:
                if (at - place) % 24 == 0:
                    found[name] = struct.unpack_from("<Q", image, at + 8)[0]
                    break
                at += 1
    return found
