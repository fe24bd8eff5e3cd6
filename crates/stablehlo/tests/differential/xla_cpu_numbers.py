"""Element types, random shapes and numbers of them, and how far rounding may put two sums of them apart.

Knows nothing of programs and of what computes them: that is xla_cpu_ops.py.
"""

import ml_dtypes
import numpy as np

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
NARROW = {
    "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
SIGNED = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
UNSIGNED = {"ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64}
INTS = SIGNED | UNSIGNED
# Narrower than a byte; XLA:CPU converts and moves them.
TINY = {"i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "ui2": ml_dtypes.uint2, "ui4": ml_dtypes.uint4}
COMPLEX = {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
BOOL = {"i1": np.bool_}
NUMBERS = INTS | FLOATS | COMPLEX
ANY = BOOL | TINY | INTS | FLOATS | NARROW | COMPLEX
DTYPES = ANY

# Where all random numbers come from.
rng = np.random.Generator(np.random.PCG64(0))


def seed(number):
    """From here on the same numbers are drawn whenever this number is the same."""
    rng.bit_generator.state = np.random.PCG64(number).state


def tensor(dims, element):
    return f"tensor<{''.join(f'{d}x' for d in dims)}{element}>"


def shape(max_elements=60, max_rank=12, min_rank=0, empty=True):
    """Rank 0 to 12, now and then without elements."""
    rank = int(rng.integers(min_rank, max_rank + 1)) if rng.random() < 0.3 else int(rng.integers(min_rank, 4))
    dims = [int(rng.integers(1, 6 if rank < 4 else 3)) for _ in range(rank)]
    while np.prod(dims, dtype=int) > max_elements:
        dims[int(np.argmax(dims))] -= 1
    if empty and rank and rng.random() < 0.1:
        dims[int(rng.integers(rank))] = 0
    return dims


def values(dims, element, low=None, high=None, specials=False, whole=False):
    """Random numbers: within limits, or of all sizes, or `whole` ones within limits.

    `specials` adds zeros of both signs, infinities and NaN.
    """
    dtype = np.dtype(DTYPES[element])
    if element == "i1":
        return rng.integers(0, 2, dims).astype(np.bool_)
    if element in TINY:
        bits = 2 if "2" in element else 4
        start = 0 if element.startswith("u") else -(1 << (bits - 1))
        return rng.integers(start, start + (1 << bits), dims).astype(np.int8).astype(dtype)
    if element in INTS:
        info = np.iinfo(dtype)
        low = info.min if low is None else max(low, info.min)
        high = info.max if high is None else high
        return rng.integers(low, high, dims, dtype=dtype, endpoint=True)
    if element in COMPLEX:
        assert not whole
        return (values(dims, "f64", low, high) + 1j * values(dims, "f64", low, high)).astype(dtype)
    if whole:
        array = rng.integers(low, high, dims, endpoint=True).astype(np.float64)
    elif low is not None:
        array = rng.uniform(low, high, dims)
    else:
        array = rng.normal(size=dims) * 10.0 ** rng.uniform(-3, 3, dims)
    array = np.asarray(array)
    if specials and array.size:
        flat = array.reshape(-1)
        for special in (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 0.5, 2.5):
            if rng.random() < 0.5:
                flat[rng.integers(flat.size)] = special
    with np.errstate(all="ignore"):
        array = array.astype(np.float32).astype(dtype) if dtype.itemsize < 4 else array.astype(dtype)
    return array


def size(array):
    """The largest absolute value."""
    return float(np.max(np.abs(array.astype(np.complex128)), initial=0))


def addends(element, most):
    """Limits and kind of numbers to add up: whole ones in narrow floats, where sums are then exact in any order.

    In which order XLA adds up depends on the processor, and so does what it rounds to between two steps. In eight
    bits (those of bf16) every whole number up to 256 is exact.
    """
    return {"low": -most, "high": most, "whole": element in ("f16", "bf16")}


def rounding(element, count, terms):
    """How far two sums of `count` terms may be apart, each in an order of its own: as arguments of a result.

    A step rounds by u times a partial sum at most, u being half a unit in the last place of one, and partial sums are
    no larger than the terms' absolute values together; u times these is at most one unit in the last place of them.
    Each sum takes `count` such steps at most: for each addition, and for a product one more.
    """
    if element in INTS | BOOL:
        return {"ulps": None}
    return {"ulps": 0 if element in ("f16", "bf16") else 2 * count, "terms": terms}
