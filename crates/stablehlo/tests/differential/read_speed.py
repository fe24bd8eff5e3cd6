#!/usr/bin/env python3
"""Reading the same portable artifacts with this crate and with jaxlib, in turns.

    cargo build --release -p stablehlo --example read_speed
    python read_speed.py --programs DIR --reader target/release/examples/read_speed [--rounds N]

Prints the microseconds that one program takes at best and in the median round, and the ratio.
"""

import argparse
import pathlib
import statistics
import subprocess
import time

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--reader", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    programs = [file.read_bytes() for file in sorted(args.programs.glob("*.mlirbc"))]
    context = mlir.make_ir_context()

    def deserialize(data):
        stablehlo.deserialize_portable_artifact(context, data)

    def parse(data):
        ir.Module.parse(data, context)

    def in_python(read):
        start = time.perf_counter_ns()
        with context:
            for data in programs:
                read(data)
        return time.perf_counter_ns() - start

    reader = subprocess.Popen([args.reader, "--serve", str(args.programs)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)

    def in_rust():
        reader.stdin.write("\n")
        reader.stdin.flush()
        return int(reader.stdout.readline())

    contenders = {
        "this crate: read": in_rust,
        "jaxlib: deserialize_portable_artifact": lambda: in_python(deserialize),
        "jaxlib: parse the bytes alone": lambda: in_python(parse),
    }
    times = {name: [] for name in contenders}
    for _ in range(args.rounds):
        for name, run in contenders.items():
            times[name].append(run() / len(programs) / 1000)
    ours = min(times["this crate: read"])
    print(f"{len(programs)} programs, {args.rounds} rounds in turns")
    for name, values in times.items():
        print(f"{name:40} {min(values):8.1f} µs at best, {statistics.median(values):8.1f} µs median, "
              f"{min(values) / ours:6.1f} times ours")


if __name__ == "__main__":
    main()
