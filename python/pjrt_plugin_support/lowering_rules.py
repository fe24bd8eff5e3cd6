"""Lowering rules for a platform name JAX does not know.

Most primitives have one rule for all platforms. Some have rules for named platforms only; where such a rule writes
nothing but StableHLO it serves any backend and is borrowed (`BORROWED`). What is left without a rule is listed by
`missing_lowering_rules`: JAX refuses those primitives by name when a program is lowered.
"""

from __future__ import annotations

from .patch_guard import TargetMoved, patch, target

# Primitive -> the platform whose rule is platform-neutral: it emits the StableHLO operation of that meaning.
BORROWED = {
    "pbroadcast": "cuda",           # stablehlo.collective_broadcast
    "pbroadcast_dynamic": "cuda",   # the same, with a fallback in plain StableHLO
}

# Primitives that cannot have a rule elsewhere: they stand for one vendor's kernels.
_VENDOR_KERNELS = ("cudnn_", "dot_product_attention_", "scaled_matmul")


def _tables():
    from jax._src.interpreters import mlir

    return target(mlir, "_lowerings", dict), target(mlir, "_platform_specific_lowerings", dict)


def lend_rule(primitive_name: str, source: str, platform: str) -> bool:
    """Gives `platform` the rule that `source` has for a primitive, unless it has one; says whether it did."""
    common, by_platform = _tables()
    for primitive, rule in list(by_platform.get(source, {}).items()):
        if primitive.name == primitive_name and primitive not in common:
            return by_platform[platform].setdefault(primitive, rule) is rule
    return False


@patch("lowering rules that JAX has for other platforms only")
def borrow_lowering_rules(platform: str) -> None:
    """Lends `platform` the rules in BORROWED."""
    for primitive_name, source in BORROWED.items():
        lend_rule(primitive_name, source, platform)


def missing_lowering_rules(platform: str) -> dict[str, list[str]]:
    """The primitives that this JAX can lower for some platform but not for `platform`, each with those platforms.

    Vendor kernels (cuDNN) are left out: they are no part of what a backend can be asked for. Empty when the tables
    have moved in this release.
    """
    try:
        common, by_platform = _tables()
    except (TargetMoved, ImportError):
        return {}
    import jax.experimental.checkify  # registers the rules of its primitive  # noqa: F401

    found: dict[str, set[str]] = {}
    for other, rules in list(by_platform.items()):
        for primitive in rules:
            name = primitive.name
            if (primitive not in common and primitive not in by_platform.get(platform, {})
                    and not name.startswith(_VENDOR_KERNELS)):
                found.setdefault(name, set()).add(other)
    return {name: sorted(found[name]) for name in sorted(found)}
