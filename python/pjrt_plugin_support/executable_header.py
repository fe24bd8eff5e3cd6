"""The header that jaxlib puts before a plugin's serialized executable, and wants to see when it reads one back.

It says of which types and where the results are, and which arguments are donated. Its form is jaxlib's own business, so
nothing of it is taken for granted: a header is written only once one for the same types, written by jaxlib itself, was
seen to be what would have been written here, byte for byte. Programs over several devices have more in their headers, and
get none.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

# What a serialized executable of the plugins' framework begins with.
_EXECUTABLE = b"PJRT-RS2"
_LAYOUT_CLASS = b"xla::ifrt::PjRtLayout"
_ARRAY = re.compile(r"tensor<((?:\d+x)*)([a-zA-Z]\w*|complex<\w+>)>")
# Attributes of results and arguments that put more into a header than what is written here.
_OUT_OF_THE_ORDINARY = (b"memory_kind", b"layout_mode")
# Lists of types whose part of a header is kept.
_MOST_WRITTEN = 1024
# Attributes of arguments that the program may overwrite.
_DONATED = ("tf.aliasing_output", "jax.buffer_donor")
_NONE = frozenset()


class Entry(NamedTuple):
    """What a header says of a program."""

    name: str
    function_type: str
    """In MLIR's words."""
    donated: frozenset[int]
    """The numbers of the arguments that it may overwrite."""

    @property
    def arrays(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The types of arguments and results, in MLIR's words."""
        return _arrays(self.function_type)


def entry_of(module, program: bytes) -> Entry | None:
    """The entry of a program for one device, of which the bytecode is given too; nothing if it has one that no header is
    written for."""
    from jaxlib.mlir import ir

    operation = module.operation
    main = ir.SymbolTable(operation)["main"]

    attributes = main.attributes
    # Names that are in the bytecode nowhere are those of no attribute: printing them would take longer.
    if any(word in program for word in _OUT_OF_THE_ORDINARY):
        texts = [str(attributes[name]).encode() for name in ("arg_attrs", "res_attrs") if name in attributes]
        if any(word in text for text in texts for word in _OUT_OF_THE_ORDINARY):
            return None
    donated = _NONE
    if "arg_attrs" in attributes and any(word.encode() in program for word in _DONATED):
        donated = frozenset(number for number, attribute in enumerate(map(ir.DictAttr, attributes["arg_attrs"]))
                            if any(word in attribute for word in _DONATED))
    entry = Entry(ir.StringAttr(operation.attributes["sym_name"]).value, str(main.type), donated)
    return None if entry.arrays is None else entry


@functools.lru_cache(maxsize=1024)
def _arrays(function_type: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The types of a function's arguments and results; nothing if not all of them are arrays."""
    arguments, arrow, results = function_type.partition(" -> ")
    lists = [tuple(found.group() for found in _ARRAY.finditer(text)) for text in (arguments, results)]
    listed = [", ".join(of) for of in lists]
    # A single result stands without parentheses.
    fits = arguments == f"({listed[0]})" and results in (f"({listed[1]})", listed[1])
    return (lists[0], lists[1]) if arrow and fits else None


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number: int, contents: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(contents)) + contents


@functools.lru_cache(maxsize=4096)
def _array(of: str) -> tuple[tuple[int, ...], str]:
    """Dimensions and element type of an array's type."""
    dims, element = _ARRAY.fullmatch(of).groups()
    return tuple(map(int, dims.split("x")[:-1])), element


def _packed(numbers) -> bytes:
    return _field(1, b"".join(map(_varint, numbers))) if numbers else b""


@functools.lru_cache(maxsize=4096)
def _parameter(of: str, donated: bool) -> bytes:
    dims, _ = _array(of)
    layout = _packed(tuple(reversed(range(len(dims))))) + b"\x80\x01\x01"
    layout = _field(1, _field(1, _field(1, _LAYOUT_CLASS) + _field(2, _field(1, layout))))
    return _field(6, layout + (b"\x18\x01" if donated else b""))


class Headers:
    """What is known of the headers of one client's programs."""

    has_given_up = False
    """Whether no header will ever be written."""

    def __init__(self):
        self._elements: dict[str, bytes] = {}
        self._start = self._memory = self._end = b""
        self._has_none = False
        # What was written for results and parameters of these types.
        self._written: dict[tuple, bytes] = {}

    def write(self, entry: Entry) -> bytes | None:
        """The header for a program; nothing as long as not all of it is known."""
        if self._has_none:
            return b""
        if self.has_given_up or not self._start:
            return None
        arrays = self._written.get(entry[1:])
        if arrays is None:
            of_arguments, of_results = entry.arrays
            parts = []
            for of in of_results:
                dims, element = _array(of)
                if element not in self._elements:
                    return None
                shape = _packed(dims)
                parts.append(_field(5, _field(1, shape) + self._elements[element] + self._memory + _field(6, shape)))
            parts += [_parameter(of, number in entry.donated) for number, of in enumerate(of_arguments)]
            arrays = b"".join(parts)
            if len(self._written) == _MOST_WRITTEN:
                self._written.clear()
            self._written[entry[1:]] = arrays
        header = b"".join((self._start, arrays, _field(7, entry.name.encode()), self._end))
        return _varint(len(header)) + header

    def give_up(self) -> None:
        """No headers are written from now on."""
        self.has_given_up = True

    def learn(self, entry: Entry, serialized: bytes) -> None:
        """Looks at the header that jaxlib wrote for a program. One that is not what was expected is the end of it."""
        if self._has_none or self.has_given_up:
            return
        before = serialized.find(_EXECUTABLE)
        if before == 0:
            self._has_none = True
            return
        try:
            self._take_apart(entry, serialized[:before])
            agree = self.write(entry) == serialized[:before]
        except (ValueError, LookupError):
            agree = False
        self.has_given_up = not agree

    def _take_apart(self, entry: Entry, header: bytes) -> None:
        (_, _, contents), = _fields(header, delimited=True)
        fields = list(_fields(contents))
        self._written.clear()
        self._start = b"".join(whole for number, whole, _ in fields if number < 5)
        self._end = b"".join(whole for number, whole, _ in fields if number > 7)
        specs = [dict((number, whole) for number, whole, _ in _fields(spec)) for number, _, spec in fields if number == 5]
        for of, spec in zip(entry.arrays[1], specs, strict=True):
            self._elements[_array(of)[1]] = spec[2]
            self._memory = spec[4]


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def _fields(data: bytes, delimited: bool = False):
    """Number, octets and contents of each field of a message, or the one message behind its length."""
    at = 0
    while at < len(data):
        start = at
        tag, at = (2, at) if delimited else _read_varint(data, at)
        contents = b""
        if tag & 7 == 2:
            size, at = _read_varint(data, at)
            contents, at = data[at:at + size], at + size
        elif tag & 7 == 0:
            _, at = _read_varint(data, at)
        else:
            raise ValueError("a field of another kind")
        if at > len(data):
            raise ValueError("cut off")
        yield tag >> 3, data[start:at], contents
