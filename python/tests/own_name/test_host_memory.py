"""Host memory of a platform that JAX does not take for the host itself: arrays are copied to the device."""

from __future__ import annotations

import jax
import numpy as np
import pytest


@pytest.mark.parametrize("size", [1, 1000, 1_000_000])
def test_changing_the_source_later_does_not_change_the_array(devices, size):
    source = np.arange(size, dtype=np.int32)
    array = jax.device_put(source, devices[0])
    array.block_until_ready()
    source[:] = -1
    np.testing.assert_array_equal(array, np.arange(size, dtype=np.int32))
