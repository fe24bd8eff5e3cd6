"""The warning that a platform "is experimental and not all JAX functionality may be correctly supported".

JAX prints it for every plugin outside a set of its own; the text is about JAX's test coverage, and a user who
installed the plugin cannot act on it.
"""

from .patch_guard import patch, target


@patch("silence about being experimental")
def drop_experimental_warning(name: str) -> None:
    """Adds the plugin's name to the set. Only has an effect before registration."""
    from jax._src import xla_bridge

    target(xla_bridge, "_nonexperimental_plugins", set).add(name)
