"""Python callbacks (`pure_callback`, `io_callback`, `debug.print`, checkify) for a platform name JAX does not know.

JAX has two ways to carry them. On CPUs and GPUs a typed-FFI custom call finds the callable in the execute context,
but jaxlib fills that context only for clients with certain names. On TPUs the values travel by `stablehlo.send` and
`stablehlo.recv` with a host transfer, for which every caller of the C API passes callbacks with the execution. A
backend that executes those operations says so when it registers (`host_callbacks="send-recv"`), and gets the second
way. One that says nothing keeps JAX's own refusal, which names the primitive and the platform.
"""

from __future__ import annotations

import functools
import inspect

from .lowering_rules import lend_rule
from .patch_guard import TargetMoved, patch, target

# Primitive -> platform whose rule leads to `emit_python_callback`.
_CALLBACK_PRIMITIVES = {"debug_callback": "tpu", "debug_print": "tpu", "check": "cpu"}


class _LoweredAsTpu:
    """A module context that gives its platform as `tpu`; everything else is the context's own."""

    platforms = ("tpu",)

    def __init__(self, context):
        self._context = context

    def __getattr__(self, name):
        return getattr(self._context, name)


def _takes_a_context(function) -> bool:
    try:
        return next(iter(inspect.signature(function).parameters)) == "ctx"
    except (TypeError, ValueError, StopIteration):
        return False


@patch("Python callbacks")
def open_host_callbacks(platform: str) -> None:
    """Sends callbacks on `platform` the way JAX sends them on TPUs."""
    from jax._src import callback as callback_module
    from jax._src.interpreters import mlir

    # Until 0.5 the function stood in mlir.py.
    home = callback_module if hasattr(callback_module, "emit_python_callback") else mlir
    current = target(home, "emit_python_callback", _takes_a_context)
    tpu_way = target(home, "_emit_tpu_python_callback", callable)
    if "make_python_callback_from_host_send_and_recv" not in inspect.unwrap(tpu_way).__code__.co_names:
        raise TargetMoved("callbacks on TPUs no longer travel by send and recv")
    import jax.experimental.checkify  # registers the rules that are lent below  # noqa: F401

    for primitive_name, source in _CALLBACK_PRIMITIVES.items():
        lend_rule(primitive_name, source, platform)
    ours = getattr(current, "served_platforms", None)
    if ours is not None:
        ours.add(platform)
        return
    served = {platform}

    @functools.wraps(current)
    def emit_python_callback(ctx, *arguments, **named):
        platforms = tuple(ctx.module_context.platforms)
        if len(platforms) == 1 and platforms[0] in served:
            ctx = ctx.replace(module_context=_LoweredAsTpu(ctx.module_context))
        return current(ctx, *arguments, **named)

    emit_python_callback.served_platforms = served
    home.emit_python_callback = emit_python_callback
