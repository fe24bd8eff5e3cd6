"""The frame around every change to a private part of JAX.

A patch looks for its target with `target`, which insists on the kind of thing it was written against. A JAX release
that moved or reshaped the target gets one warning that names what stays off, and works on without it.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable

import jax


class TargetMoved(Exception):
    """A private part of JAX is not where, or not what, a patch was written against."""


def target(module, name: str, kind: type | tuple[type, ...] | Callable[[object], bool]):
    """`module.name`, if it is there and of the expected kind (a type, or a test that answers true)."""
    where = f"{module.__name__}.{name}"
    try:
        found = getattr(module, name)
    except AttributeError:
        raise TargetMoved(f"{where} is gone") from None
    is_of_kind = isinstance(found, kind) if isinstance(kind, (type, tuple)) else kind(found)
    if not is_of_kind:
        raise TargetMoved(f"{where} is not what it was ({type(found).__name__})")
    return found


def has_parameters(function, names: list[str]) -> bool:
    """Whether it is a function that takes these parameters and no others."""
    return callable(function) and list(inspect.signature(function).parameters) == names


_warned: set[str] = set()


def patch(what: str):
    """Marks a function `f(platform)` as a patch that opens `what`; the wrapped function says whether it succeeded."""

    def decorate(function):
        @functools.wraps(function)
        def guarded(*arguments) -> bool:
            try:
                function(*arguments)
            except (TargetMoved, ImportError) as error:
                if what not in _warned:
                    _warned.add(what)
                    warnings.warn(
                        f"JAX {jax.__version__} has changed inside ({error}): {what} stays off for this plugin. "
                        "A newer version of the plugin may know this release.",
                        RuntimeWarning, stacklevel=3)
                return False
            return True

        return guarded

    return decorate
