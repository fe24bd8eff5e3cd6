"""@SUMMARY@

JAX finds this module in the `jax_plugins` namespace and calls `initialize()`.
"""

from pathlib import Path

from .pjrt_plugin_support import initialize_plugin

__version__ = "@VERSION@"

PLATFORM = "@PLATFORM@"
CLIENT_PLATFORM = "@CLIENT_PLATFORM@"
LIBRARY_PATH = Path(__file__).resolve().parent / "@LIBRARY@"


def initialize() -> None:
    """Registers the plugin with JAX."""
    initialize_plugin(
        PLATFORM,
        library_path=LIBRARY_PATH,
        client_platform=CLIENT_PLATFORM,
        priority=@PRIORITY@,
        host_callbacks="@HOST_CALLBACKS@",
        device_count_option="@DEVICE_COUNT_OPTION@",
        version=__version__,
    )
