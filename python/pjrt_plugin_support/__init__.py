"""What the Python half of every plugin needs: registration with JAX, and the doors JAX keeps shut for names it does
not know.

A wheel carries a copy of this package inside its own (`jax_plugins.NAME.pjrt_plugin_support`), so that plugins
installed side by side share no file. It must know nothing of a particular backend; it uses no third package beside
JAX, and of JAX's private modules it needs `xla_bridge.register_plugin` only: whatever else it touches is guarded
(`patch_guard`).
"""

from .capsule import c_api_capsule
from .lowering_rules import missing_lowering_rules
from .library_file import PluginLibraryError
from .registration import initialize_plugin, register

__all__ = [
    "PluginLibraryError",
    "c_api_capsule",
    "initialize_plugin",
    "missing_lowering_rules",
    "register",
]
