#!/usr/bin/env python3
"""Compare the reference evaluator, and a plugin, with XLA:CPU on a directory of portable artifacts.

    cargo build --release -p stablehlo --example evaluate
    python xla_cpu.py --programs DIR --evaluator target/release/examples/evaluate [--only NAME ...] [--limit N]

With `--platform rust_cpu` each program that evaluates runs on that plugin, which must be installed, as well.

Needs jax and jaxlib.  Programs for several partitions run on as many devices, with whole inputs and results on both
sides.  Inputs are random but the same in each run.  Prints each program that fails or differs, then
the totals.  Integers, booleans and moved data must agree bit for bit; floats within --ulps units in the last place of
the largest magnitude in the result, times the square root of the longest input (sums may be in any order).
"""

from __future__ import annotations

import argparse
import collections
import os
import pickle
import re
import select
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ.setdefault("JAX_PLATFORMS", "cpu" + "".join(
    f",{name}" for option, name in zip(sys.argv, sys.argv[1:]) if option == "--platform"))
os.environ.setdefault("RUST_CPU_NUM_DEVICES", "8")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import jax
import ml_dtypes
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.sharding_impls import GSPMDSharding
from jax._src.lib import xla_client
from jaxlib import lapack
from jaxlib.mlir.dialects import stablehlo

jax.config.update("jax_enable_x64", True)

DTYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "ui2": ml_dtypes.uint2, "ui4": ml_dtypes.uint4,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
}


def is_float(dtype) -> bool:
    return dtype.kind == "f" or (dtype.kind == "V" and "float" in dtype.name)


def main_of(module):
    return next(op for op in module.body.operations
                if op.operation.name == "func.func" and op.operation.attributes["sym_name"].value == "main")


def array_type(ty) -> tuple[np.dtype, list[int]]:
    """Element type and sizes of a tensor type."""
    match = re.fullmatch(r"tensor<((?:\d+x)*)([^,]+?)(?:,.*)?>", str(ty))
    if not match:
        raise ValueError(f"input of type {ty}")
    return np.dtype(DTYPES[match[2]]), [int(d) for d in match[1].split("x")[:-1]]


def random_inputs(module, seed: int, large: bool = False) -> list[np.ndarray]:
    """Floats around zero, or from 2 to 3, and integers that make good indices and trip counts."""
    rng = np.random.default_rng(seed)
    arrays = []
    for dtype, shape in map(array_type, main_of(module).type.inputs):
        if dtype == np.bool_:
            arrays.append(rng.integers(0, 2, shape).astype(dtype))
        elif dtype.kind == "c":
            arrays.append((rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype))
        elif is_float(dtype):
            arrays.append(np.asarray(rng.uniform(2, 3, shape) if large else rng.normal(size=shape)).astype(dtype))
        elif "2" == dtype.name[-1] and dtype.itemsize == 1 and dtype.kind == "V":
            arrays.append(rng.integers(0, 2, shape).astype(np.int8).astype(dtype))
        else:
            arrays.append(rng.integers(0, 8, shape).astype(np.int8).astype(dtype))
    return [np.asarray(a) for a in arrays]


class Evaluator:
    """The evaluator as a process that is started again after a program that takes too long."""

    def __init__(self, binary: str, timeout: float):
        self.binary, self.timeout, self.process = binary, timeout, None

    def run(self, program: Path, inputs: list[np.ndarray]) -> list[np.ndarray]:
        if self.process is None:
            self.process = subprocess.Popen([self.binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with tempfile.TemporaryDirectory() as scratch:
            source, target = Path(scratch, "in"), Path(scratch, "out")
            source.write_bytes(dense(inputs))
            line = self.ask(f"{program}\t{source}\t{target}")
            while line.startswith("call\t"):
                line = self.ask(answer_call(*map(Path, line.split("\t")[1:])))
            if not line:
                self.process = None
                raise RuntimeError("the evaluator died")
            if not line.startswith("ok "):
                raise RuntimeError(line)
            return self.outputs(target.read_bytes())

    def ask(self, line: str) -> str:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], self.timeout)[0]:
            self.process.kill()
            self.process = None
            raise TimeoutError(f"no result after {self.timeout} s")
        return self.process.stdout.readline().strip()

    @staticmethod
    def outputs(data: bytes) -> list[np.ndarray]:
        arrays, at = [], 0
        while at < len(data):
            end = data.index(b"\n", at)
            name, *sizes = data[at:end].decode().split()
            at = end + 1
            if name in ("token", "tuple"):
                continue
            dtype, shape = np.dtype(DTYPES[name]), tuple(map(int, sizes))
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            arrays.append(np.frombuffer(data[at:at + size], dtype=np.uint8).view(dtype).reshape(shape))
            at += size
        return arrays


def dense(arrays: list[np.ndarray]) -> bytes:
    return b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)


def answer_call(program: Path, source: Path, target: Path) -> str:
    """Does a custom call of the evaluator, whose embedder this is: XLA has handlers for LAPACK and the like."""
    try:
        with mlir.make_ir_context() as context:
            module = stablehlo.deserialize_portable_artifact(context, program.read_bytes())
            data, inputs = source.read_bytes(), []
            for dtype, shape in map(array_type, main_of(module).type.inputs):
                count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
                own, data = data[:count], data[count:]
                inputs.append(np.frombuffer(own, dtype=np.uint8).view(dtype).reshape(shape))
            target.write_bytes(dense(xla_outputs(module, inputs)))
        return "ok"
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def xla_outputs(module, inputs: list[np.ndarray], platform: str = "cpu") -> list[np.ndarray]:
    """Whole results, also of a program for several partitions, whose inputs are cut as XLA wants them."""
    client = xla_bridge.get_backend(platform)
    attributes = module.operation.attributes
    size = lambda name: attributes[name].value if name in attributes else 1  # noqa: E731
    count = size("mhlo.num_partitions")
    if size("mhlo.num_replicas") > 1 or count > len(client.local_devices()):
        raise ValueError("more replicas or partitions than there are devices")
    devices = xla_client.DeviceList(tuple(client.local_devices()[:count]))
    options = xla_client.CompileOptions()
    if count > 1:
        options.num_partitions = count
        options.device_assignment = xla_client.DeviceAssignment.create(np.arange(count).reshape(1, count))
        options.executable_build_options.use_spmd_partitioning = True
        options.executable_build_options.use_shardy_partitioner = "sdy." in str(module)
    executable = client.compile_and_load(module, devices, options)
    if count == 1:
        results = executable.execute_sharded([jax.device_put(a, client.local_devices()[0]) for a in inputs])
        return [np.asarray(shards[0]) for shards in results.disassemble_into_single_device_arrays()]
    sharding = lambda op: GSPMDSharding(tuple(client.local_devices()[:count]), op)  # noqa: E731
    wanted = [sharding(op) for op in executable.get_parameter_shardings() or []]
    results = executable.execute_sharded([jax.device_put(a, s) for a, s in zip(inputs, wanted, strict=True)])
    arrays = []
    given = [sharding(op) for op in executable.get_output_shardings() or []]
    for ty, own, shards in zip(main_of(module).type.results, given, results.disassemble_into_single_device_arrays(), strict=True):
        whole = jax.make_array_from_single_device_arrays(tuple(ty.shape), own, shards)
        arrays.append(np.asarray(whole))
    return arrays


def bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(np.uint8)


def difference(got: np.ndarray, want: np.ndarray, ulps: float, longest: int) -> str | None:
    """What differs beyond rounding, or None."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if got.size == 0:
        return None
    if not is_float(want.dtype) and want.dtype.kind != "c":
        wrong = np.asarray(got.astype(np.int64) != want.astype(np.int64))
        if not wrong.any():
            return None
        at = np.argwhere(wrong)[0]
        return f"{wrong.sum()} of {wrong.size} differ, first at {at.tolist()}: {got[tuple(at)]} instead of {want[tuple(at)]}"
    parts = [np.real, np.imag] if want.dtype.kind == "c" else [lambda a: a]
    narrow = {"complex64": np.float32, "complex128": np.float64}.get(want.dtype.name, want.dtype)
    epsilon = float(ml_dtypes.finfo(narrow).eps) if want.dtype.name != "float8_e8m0fnu" else 1.0
    for part in parts:
        g, w = part(got).astype(np.float64), part(want).astype(np.float64)
        if (np.isnan(g) != np.isnan(w)).any():
            at = np.argwhere(np.isnan(g) != np.isnan(w))[0]
            return f"NaN differs, first at {at.tolist()}: {got[tuple(at)]} instead of {want[tuple(at)]}"
        finite = np.isfinite(w) & np.isfinite(g)
        if (g[~finite & ~np.isnan(g)] != w[~finite & ~np.isnan(g)]).any():
            at = np.argwhere(~finite & ~np.isnan(g) & (g != w))[0]
            return f"infinity differs, first at {at.tolist()}: {got[tuple(at)]} instead of {want[tuple(at)]}"
        scale = max(float(np.abs(want.astype(np.complex128))[finite].max(initial=0)), float(ml_dtypes.finfo(narrow).tiny))
        error = np.abs(g - w)[finite].max(initial=0)
        if error > ulps * epsilon * scale * max(longest, 1) ** 0.5:
            at = np.argwhere(np.where(finite, np.abs(g - w), 0) == error)[0]
            return f"off by {error / (epsilon * scale):.1f} ulp of the largest, at {at.tolist()}: {got[tuple(at)]} instead of {want[tuple(at)]}"
    return None


def compare(name: str, where: str, got, want, inputs, ulps: float, totals: collections.Counter) -> None:
    """Prints what differs, and counts."""
    longest = max([a.size for a in inputs], default=1)
    problems = [difference(g, w, ulps, longest) for g, w in zip(got, want)]
    if len(got) != len(want):
        problems.append(f"{len(got)} results instead of {len(want)}")
    problems = [f"result {i}: {p}" for i, p in enumerate(problems) if p]
    totals[("differs" if problems else "agrees") + where] += 1
    if problems:
        print(f"{name} DIFFERS{where}: {'; '.join(problems)[:400]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=Path)
    parser.add_argument("--evaluator", required=True)
    parser.add_argument("--platform", help="a plugin that runs the programs too")
    parser.add_argument("--only", nargs="*", help="names (or beginnings of names) of programs")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--ulps", type=float, default=16)
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--cache", type=Path, help="directory that keeps XLA's results between runs")
    parser.add_argument("--skip-xla", action="store_true", help="only see what evaluates")
    args = parser.parse_args()
    # XLA's handlers look their LAPACK up only when a program is lowered that uses it.
    lapack.prepare_lapack_call("potrf_ffi", np.dtype(np.float32))
    context, evaluator = mlir.make_ir_context(), Evaluator(args.evaluator, args.timeout)
    totals: collections.Counter = collections.Counter()
    files = sorted(args.programs.glob("*.mlirbc"))
    if args.only:
        files = [f for f in files if any(f.name.startswith(o) for o in args.only)]
    for file in files[:args.limit]:
        data = file.read_bytes()
        with context:
            module = stablehlo.deserialize_portable_artifact(context, data)
        try:
            inputs = random_inputs(module, zlib.crc32(file.name.encode()))
        except (ValueError, KeyError) as error:
            print(f"{file.stem} inputs: {error}", flush=True)
            totals["no inputs"] += 1
            continue
        try:
            try:
                got = evaluator.run(file, inputs)
            except TimeoutError:
                # Loops that wait for a number to grow end with these.
                inputs = random_inputs(module, zlib.crc32(file.name.encode()), large=True)
                got = evaluator.run(file, inputs)
        except Exception as error:
            print(f"{file.stem} evaluator: {str(error)[:300]}", flush=True)
            totals["does not evaluate"] += 1
            continue
        if args.skip_xla:
            totals["evaluates"] += 1
            continue
        cached = args.cache and args.cache / f"{file.stem}.pickle"
        if cached and cached.exists():
            want = pickle.loads(cached.read_bytes())
        else:
            try:
                with context:
                    want = xla_outputs(module, inputs)
            except Exception as error:
                want = f"{type(error).__name__}: {str(error)[:200]}"
            if cached:
                args.cache.mkdir(parents=True, exist_ok=True)
                cached.write_bytes(pickle.dumps(want))
        if isinstance(want, str):
            print(f"{file.stem} xla: {want}", flush=True)
            totals["XLA does not run it alone"] += 1
            continue
        compare(file.stem, "", got, want, inputs, args.ulps, totals)
        if args.platform:
            try:
                with context:
                    module = stablehlo.deserialize_portable_artifact(context, data)
                    got = xla_outputs(module, inputs, args.platform)
            except Exception as error:
                print(f"{file.stem} {args.platform}: {type(error).__name__}: {str(error)[:300]}", flush=True)
                totals[f"does not run on {args.platform}"] += 1
                continue
            compare(file.stem, f" on {args.platform}", got, want, inputs, args.ulps, totals)
    print(dict(totals))
    return 1 if any(what.startswith("differs") for what in totals) else 0


if __name__ == "__main__":
    sys.exit(main())
