"""Buffer donation for a platform name JAX does not know.

JAX keeps a list of the platforms on which `donate_argnums` does anything; elsewhere it warns and copies.
"""

from .patch_guard import patch, target


@patch("buffer donation")
def open_donation(platform: str) -> None:
    """Adds `platform` to the list."""
    from jax._src.interpreters import mlir

    platforms = target(mlir, "_platforms_with_donation", list)
    if platform not in platforms:
        platforms.append(platform)
