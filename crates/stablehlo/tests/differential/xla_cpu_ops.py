"""Writes programs of a few ops each, random inputs, and what XLA:CPU makes of them, to a directory.

Usage: xla_cpu_ops.py DIRECTORY [--samples N] [--seed N] [--inputs-only]

For each program NAME.mlir the files NAME.in and NAME.out hold the dense bytes of all inputs and results, one after
the other (for each device in turn, if there are several); with --inputs-only nothing runs, and NAME.out is missing.
Programs and inputs are the same whenever the samples and the seed are.  index.json lists the programs: number of replicas,
and for each result the op it is about and how many units in the last place it may be off; none if it must
agree bit for bit.  Units are those of the largest number of the result, or of `terms` if that is larger: what the
absolute values of all that is added up to one number come to.  Sums that cancel are off by their terms.  The conversions of all half-precision numbers to and from the narrow floats are judged by
ml_dtypes, as XLA:CPU does some of them in two steps.
"""

import argparse
import json
import os
import pathlib

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import xla_bridge  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from xla_cpu_numbers import (  # noqa: E402
    ANY, BOOL, COMPLEX, DTYPES, FLOATS, INTS, NARROW, NUMBERS, SIGNED, TINY, UNSIGNED,
    addends, rng, rounding, seed, shape, size, tensor, values,
)

jax.config.update("jax_enable_x64", True)


class Program:
    """A function that is written op by op."""

    def __init__(self, name, replicas=1):
        self.name, self.replicas = name, replicas
        self.inputs, self.types, self.lines, self.results = [], [], [], []

    def input(self, dims, element, array=None, **limits):
        """A new input; returns its name. For several devices each gets numbers of its own."""
        count = self.replicas
        arrays = [values(dims, element, **limits) for _ in range(count)] if array is None else [array] * count
        self.inputs.append([np.asarray(a).astype(DTYPES[element]).reshape(dims) for a in arrays])
        self.types.append(tensor(dims, element))
        return f"%a{len(self.types) - 1}"

    def constant(self, array, element):
        array = np.asarray(array)
        self.op(f"stablehlo.constant dense<{array.tolist()}> : {tensor(array.shape, element)}")
        return self.last

    def op(self, text, count=1):
        self.last = f"%v{len(self.lines)}"
        self.lines.append(f"{self.last}{f':{count}' if count > 1 else ''} = {text}" if count else text)
        return self.last

    def array(self, name):
        """The numbers of an input, for all devices."""
        return np.stack(self.inputs[int(name[2:])])

    def result(self, op, text, *types, ulps=None, terms=0.0):
        """An op all of whose results are compared."""
        name = self.op(text, len(types))
        for i, ty in enumerate(types):
            self.results.append((f"{name}#{i}" if len(types) > 1 else name, ty, op, ulps, terms))

    def text(self):
        arguments = ", ".join(f"%a{i}: {ty}" for i, ty in enumerate(self.types))
        types = ", ".join(ty for _, ty, *_ in self.results)
        names = ", ".join(name for name, *_ in self.results)
        body = "\n  ".join([*self.lines, f"return {names} : {types}"])
        attributes = f"mhlo.num_replicas = {self.replicas} : i32, mhlo.num_partitions = 1 : i32"
        return f"module @program attributes {{{attributes}}} {{\nfunc.func public @main({arguments}) -> ({types}) {{\n  {body}\n}}\n{FUNCTIONS}}}\n"


# Functions that ops name.
FUNCTIONS = """func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


def run(program, text):
    """What XLA:CPU gives: for each device the bytes of all results."""
    client = xla_bridge.get_backend("cpu")
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        if "dynamic_" in text:
            module = mlir.refine_polymorphic_shapes(module)
        options = xla_client.CompileOptions()
        count = options.num_replicas = program.replicas
        devices = client.local_devices()[:count]
        options.device_assignment = xla_client.DeviceAssignment.create(np.arange(count).reshape(count, 1))
        executable = client.compile_and_load(module, xla_client.DeviceList(tuple(devices)), options)
    mesh = jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(devices), "d"), jax.sharding.PartitionSpec("d"))
    arguments = []
    for arrays in program.inputs:
        shards = [jax.device_put(a, d) for a, d in zip(arrays, devices)]
        whole = (count * arrays[0].shape[0], *arrays[0].shape[1:]) if count > 1 else None
        arguments.append(shards[0] if count == 1 else jax.make_array_from_single_device_arrays(whole, mesh, shards))
    results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    return [[np.asarray(shards[d]) for shards in results] for d in range(count)]


def elementwise(samples):
    """Ops of one, two and three numbers."""
    # Op, element types, limits of the operand, units in the last place.
    unary = [
        ("abs", SIGNED | FLOATS, {"specials": True}, None), ("negate", INTS | FLOATS, {"specials": True}, None),
        ("sign", SIGNED | FLOATS, {"specials": True}, None), ("ceil", FLOATS, {"specials": True}, None),
        ("floor", FLOATS, {"specials": True}, None), ("round_nearest_afz", FLOATS, {"specials": True}, None),
        ("round_nearest_even", FLOATS, {"specials": True}, None), ("sqrt", FLOATS, {"specials": True}, 1),
        ("not", BOOL | INTS, {}, None), ("popcnt", INTS, {}, None), ("count_leading_zeros", INTS, {}, None),
        ("cbrt", FLOATS, {}, 4), ("cosine", FLOATS, {"low": -50, "high": 50}, 4),
        ("exponential", FLOATS, {"low": -10, "high": 10}, 4),
        ("exponential_minus_one", FLOATS, {"low": -5, "high": 5}, 6), ("log", FLOATS, {"low": 1e-3, "high": 1e3}, 4),
        ("log_plus_one", FLOATS, {"low": -0.9, "high": 50}, 4), ("logistic", FLOATS, {"low": -8, "high": 20}, 6),
        ("rsqrt", FLOATS, {"low": 1e-3, "high": 1e3}, 4), ("sine", FLOATS, {"low": -50, "high": 50}, 4),
        ("tan", FLOATS, {"low": -1.5, "high": 1.5}, 6), ("tanh", FLOATS, {"low": -10, "high": 10}, 8),
        ("negate", COMPLEX, {}, None), ("exponential", COMPLEX, {"low": -3, "high": 3}, 32),
        ("log", COMPLEX, {"low": 0.1, "high": 5}, 32), ("sine", COMPLEX, {"low": -2, "high": 2}, 32),
        ("cosine", COMPLEX, {"low": -2, "high": 2}, 32), ("sqrt", COMPLEX, {"low": -5, "high": 5}, 32),
        ("tanh", COMPLEX, {"low": -2, "high": 2}, 64), ("logistic", COMPLEX, {"low": -2, "high": 2}, 64),
        ("rsqrt", COMPLEX, {"low": 0.1, "high": 5}, 64), ("log_plus_one", COMPLEX, {"low": -0.5, "high": 3}, 64),
        ("exponential_minus_one", COMPLEX, {"low": -2, "high": 2}, 64), ("sign", COMPLEX, {"low": -2, "high": 2}, 8),
    ]
    for number, (op, elements, limits, ulps) in enumerate(unary):
        program = Program(f"unary_{number}_{op}")
        for element in elements:
            for _ in range(samples):
                dims = shape()
                x = program.input(dims, element, **limits)
                ty = tensor(dims, element)
                program.result(op, f'"stablehlo.{op}"({x}) : ({ty}) -> {ty}', ty, ulps=ulps)
        yield program
    to_part = Program("parts")
    for element, part in (("complex<f32>", "f32"), ("complex<f64>", "f64")):
        for _ in range(samples):
            dims = shape()
            z, ty, real = to_part.input(dims, element, low=-5, high=5), tensor(dims, element), tensor(dims, part)
            to_part.result("real", f"stablehlo.real {z} : ({ty}) -> {real}", real)
            to_part.result("imag", f"stablehlo.imag {z} : ({ty}) -> {real}", real)
            to_part.result("abs", f"stablehlo.abs {z} : ({ty}) -> {real}", real, ulps=8)
            x, y = to_part.input(dims, part), to_part.input(dims, part)
            to_part.result("complex", f"stablehlo.complex {x}, {y} : {ty}", ty)
    for element in FLOATS:
        dims = shape()
        x, ty = to_part.input(dims, element, specials=True), tensor(dims, "i1")
        to_part.result("is_finite", f"stablehlo.is_finite {x} : ({tensor(dims, element)}) -> {ty}", ty)
        for exponent, mantissa in ((5, 10), (8, 7), (4, 3), (5, 2)):
            ty = tensor(dims, element)
            to_part.result("reduce_precision", f"stablehlo.reduce_precision {x}, format = e{exponent}m{mantissa} : {ty}", ty)
    yield to_part
    binary = [
        ("add", NUMBERS, {"specials": True}, None), ("subtract", NUMBERS, {"specials": True}, None),
        ("multiply", INTS | FLOATS, {"specials": True}, None), ("maximum", BOOL | INTS | FLOATS, {"specials": True}, None),
        ("minimum", BOOL | INTS | FLOATS, {"specials": True}, None), ("divide", INTS | FLOATS, {"specials": True}, None),
        ("remainder", INTS | FLOATS, {"low": -100, "high": 100}, 1), ("and", BOOL | INTS, {}, None),
        ("or", BOOL | INTS, {}, None), ("xor", BOOL | INTS, {}, None),
        ("shift_left", INTS, {"low": 0, "high": 70}, None), ("shift_right_arithmetic", INTS, {"low": 0, "high": 70}, None),
        ("shift_right_logical", INTS, {"low": 0, "high": 70}, None), ("power", FLOATS, {"low": 0.1, "high": 5}, 16),
        ("power", INTS, {"low": 0, "high": 9}, None), ("atan2", FLOATS, {"low": -5, "high": 5}, 4),
        ("multiply", COMPLEX, {"low": -5, "high": 5}, 16), ("divide", COMPLEX, {"low": 0.5, "high": 5}, 32),
        ("power", COMPLEX, {"low": 0.5, "high": 2}, 64),
    ]
    for number, (op, elements, limits, ulps) in enumerate(binary):
        program = Program(f"binary_{number}_{op}")
        for element in elements:
            for _ in range(samples):
                dims = shape()
                x, y = program.input(dims, element, **limits), program.input(dims, element, **limits)
                ty = tensor(dims, element)
                program.result(op, f"stablehlo.{op} {x}, {y} : {ty}", ty, ulps=ulps)
        yield program
    others = Program("compare_select_clamp")
    for element in BOOL | INTS | FLOATS | COMPLEX:
        for _ in range(samples):
            dims = shape()
            x, y, ty, flags = *(others.input(dims, element, low=-3, high=3) for _ in range(2)), tensor(dims, element), tensor(dims, "i1")
            for direction in ("EQ", "NE") + (() if element in COMPLEX else ("LT", "LE", "GT", "GE")):
                others.result("compare", f"stablehlo.compare {direction}, {x}, {y} : ({ty}, {ty}) -> {flags}", flags)
            p = others.input(dims, "i1")
            others.result("select", f"stablehlo.select {p}, {x}, {y} : {flags}, {ty}", ty)
            if element not in COMPLEX:
                z = others.input(dims, element, low=-3, high=3)
                others.result("clamp", f"stablehlo.clamp {x}, {y}, {z} : {ty}", ty)
        if element in FLOATS:
            z = others.input([40], element, specials=True)
            w, ty = others.input([40], element, specials=True), tensor([40], element)
            others.result("compare", f"stablehlo.compare LT, {z}, {w}, TOTALORDER : ({ty}, {ty}) -> tensor<40xi1>", "tensor<40xi1>")
    yield others
    for source in BOOL | TINY | INTS | FLOATS | COMPLEX:
        program = Program(f"convert_{source}")
        for target in BOOL | TINY | INTS | FLOATS | COMPLEX:
            if source in COMPLEX and target not in COMPLEX:
                continue
            # What is out of range is the same in neither.
            limits = {"low": 0, "high": 1} if target in TINY else {"low": 0 if target in UNSIGNED else -100, "high": 100}
            x = program.input([9], source, **limits)
            ty = tensor([9], target)
            program.result("convert", f"stablehlo.convert {x} : ({tensor([9], source)}) -> {ty}", ty)
        yield program


def movement(samples):
    """Ops that move elements, for every element type."""
    # XLA:CPU has no six-bit floats.
    for element in [e for e in ANY if not e.startswith("f6E")]:
        program = Program(f"movement_{element}")
        for _ in range(samples):
            dims = shape(min_rank=1, empty=False)
            rank, ty = len(dims), tensor(dims, element)
            x = program.input(dims, element)
            order = rng.permutation(rank).tolist()
            out = tensor([dims[d] for d in order], element)
            program.result("transpose", f"stablehlo.transpose {x}, dims = {order} : ({ty}) -> {out}", out)
            flat = tensor([int(np.prod(dims))], element)
            program.result("reshape", f"stablehlo.reshape {x} : ({ty}) -> {flat}", flat)
            some = sorted(rng.permutation(rank)[:rng.integers(rank + 1)].tolist())
            program.result("reverse", f"stablehlo.reverse {x}, dims = {some} : {ty}", ty)
            start = [int(rng.integers(0, d)) for d in dims]
            limit = [int(rng.integers(s, d + 1)) for s, d in zip(start, dims)]
            step = [int(rng.integers(1, 3)) for _ in dims]
            out = tensor([-(-(b - a) // s) for a, b, s in zip(start, limit, step)], element)
            ranges = ", ".join(f"{a}:{b}:{s}" for a, b, s in zip(start, limit, step))
            program.result("slice", f"stablehlo.slice {x} [{ranges}] : ({ty}) -> {out}", out)
            if element in TINY:
                # XLA:CPU aborts on more than this for elements that share a byte.
                continue
            d = int(rng.integers(rank))
            other = list(dims)
            other[d] = int(rng.integers(0, 4))
            y, out = program.input(other, element), list(dims)
            out[d] += other[d]
            program.result("concatenate", f"stablehlo.concatenate {x}, {y}, dim = {d} : ({ty}, {tensor(other, element)}) -> {tensor(out, element)}", tensor(out, element))
            low, high = ([int(rng.integers(-1, 3)) for _ in dims] for _ in range(2))
            inner = [int(rng.integers(0, 2)) for _ in dims]
            out = [d + (d - 1) * i + l + h for d, i, l, h in zip(dims, inner, low, high)]
            if min(out) < 0 or np.prod(out) > 5000:
                low, high, inner, out = [1] + [0] * (rank - 1), [0] * rank, [0] * rank, [dims[0] + 1, *dims[1:]]
            v = program.input([], element)
            program.result("pad", f"stablehlo.pad {x}, {v}, low = {low}, high = {high}, interior = {inner} : ({ty}, {tensor([], element)}) -> {tensor(out, element)}", tensor(out, element))
            at = sorted(rng.permutation(rank + 1)[:rank].tolist())
            out = [dims[at.index(d)] if d in at else int(rng.integers(0, 3)) for d in range(rank + 1)]
            program.result("broadcast_in_dim", f"stablehlo.broadcast_in_dim {x}, dims = {at} : ({ty}) -> {tensor(out, element)}", tensor(out, element))
            sizes = [int(rng.integers(1, d + 1)) for d in dims]
            starts = [program.input([], "i32", low=-2, high=6) for _ in dims]
            index_types = ", ".join("tensor<i32>" for _ in dims)
            part = tensor(sizes, element)
            program.result("dynamic_slice", f"stablehlo.dynamic_slice {x}, {', '.join(starts)}, sizes = {sizes} : ({ty}, {index_types}) -> {part}", part)
            u = program.input(sizes, element)
            program.result("dynamic_update_slice", f"stablehlo.dynamic_update_slice {x}, {u}, {', '.join(starts)} : ({ty}, {part}, {index_types}) -> {ty}", ty)
            if element not in BOOL and element not in NARROW and element not in TINY:
                iota = tensor(dims, element)
                program.result("iota", f"stablehlo.iota dim = {int(rng.integers(rank))} : {iota}", iota)
            literal = values([2, 2], element, low=0, high=1) if element in TINY else values([2, 2], element, low=-2, high=2)
            if element not in COMPLEX and element != "f8E8M0FNU":
                text = np.asarray(literal).astype(np.float64 if element not in BOOL else bool).tolist() if element in FLOATS | NARROW | BOOL else np.asarray(literal).astype(np.int64).tolist()
                program.result("constant", f"stablehlo.constant dense<{json.dumps(text)}> : {tensor([2, 2], element)}", tensor([2, 2], element))
            rows, index = program.input([5, 3], element), program.input([2, 4, 1], "i32", low=-1, high=6)
            out = tensor([2, 4, 3], element)
            program.result("gather", f'"stablehlo.gather"({rows}, {index}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 3>}}> : ({tensor([5, 3], element)}, tensor<2x4x1xi32>) -> {out}', out)
            batched = program.input([2, 5], element)
            index = program.input([2, 3], "i64", low=-1, high=6)
            out = tensor([2, 3], element)
            program.result("gather", f'"stablehlo.gather"({batched}, {index}) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}}> : ({tensor([2, 5], element)}, tensor<2x3xi64>) -> {out}', out)
            scalar = tensor([], element)
            updates = program.input([4, 3], element)
            index = program.constant(rng.permutation(7)[:4].reshape(4, 1), "i32")
            program.result("scatter", f'"stablehlo.scatter"({rows}, {index}, {updates}) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{\n^bb0(%l: {scalar}, %r: {scalar}):\n stablehlo.return %r : {scalar}\n}}) : ({tensor([5, 3], element)}, tensor<4x1xi32>, {tensor([4, 3], element)}) -> {tensor([5, 3], element)}', tensor([5, 3], element))
        yield program
    bits = Program("bitcast")
    for source, target in (("f32", "i32"), ("f64", "ui64"), ("bf16", "ui16"), ("f16", "i16"), ("i8", "ui8"), ("f8E5M2", "ui8")):
        dims = shape()
        x, out = bits.input(dims, source), tensor(dims, target)
        bits.result("bitcast_convert", f"stablehlo.bitcast_convert {x} : ({tensor(dims, source)}) -> {out}", out)
    for source, target, ratio in (("f32", "ui8", 4), ("i64", "i16", 4), ("f64", "f32", 2), ("ui16", "ui8", 2)):
        dims = shape()
        x, out = bits.input(dims, source, low=-9, high=9), tensor([*dims, ratio], target)
        bits.result("bitcast_convert", f"stablehlo.bitcast_convert {x} : ({tensor(dims, source)}) -> {out}", out)
        bits.result("bitcast_convert", f"stablehlo.bitcast_convert {bits.last} : ({out}) -> {tensor(dims, source)}", tensor(dims, source))
    yield bits


def neutral(op, element):
    """The number that changes nothing."""
    if op in ("maximum", "minimum") and element in INTS:
        info = np.iinfo(DTYPES[element])
        return np.array(info.min if op == "maximum" else info.max, DTYPES[element])
    constants = {"add": 0, "or": 0, "multiply": 1, "and": 1, "maximum": -np.inf, "minimum": np.inf}
    return np.array(constants[op]).astype(DTYPES[element])


def body(op, element):
    scalar = tensor([], element)
    return f"({{\n^bb0(%l: {scalar}, %r: {scalar}):\n %s = stablehlo.{op} %l, %r : {scalar}\n stablehlo.return %s : {scalar}\n}})"


def products(program, x, y, element, count):
    """How far two sums of `count` products of two inputs may be apart."""
    # Each part of a complex product is two products.
    each = 2 if element in COMPLEX else 1
    return rounding(element, each * count, count * size(program.array(x)) * size(program.array(y)))


def contractions(samples):
    """Products, convolutions, linear algebra, normalisation."""
    program = Program("dot_general")
    for element in INTS | FLOATS | COMPLEX:
        for _ in range(samples):
            b, m, k, n = (int(rng.integers(0 if i and rng.random() < 0.1 else 1, 5)) for i in range(4))
            limits = addends(element, 3)
            x, y = program.input([b, m, k], element, **limits), program.input([b, k, n], element, **limits)
            out, allowed = tensor([b, m, n], element), products(program, x, y, element, k)
            program.result("dot_general", f"stablehlo.dot_general {x}, {y}, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({tensor([b, m, k], element)}, {tensor([b, k, n], element)}) -> {out}", out, **allowed)
            x, y = program.input([k, m, 2], element, **limits), program.input([2, n, k], element, **limits)
            out, allowed = tensor([m, n], element), products(program, x, y, element, 2 * k)
            program.result("dot_general", f"stablehlo.dot_general {x}, {y}, contracting_dims = [0, 2] x [2, 0] : ({tensor([k, m, 2], element)}, {tensor([2, n, k], element)}) -> {out}", out, **allowed)
    for narrow, wide in (("bf16", "f32"), ("f16", "f32"), ("i8", "i32"), ("f8E4M3FN", "f32")):
        x, y = program.input([3, 4], narrow, low=-3, high=3), program.input([4, 2], narrow, low=-3, high=3)
        out = tensor([3, 2], wide)
        program.result("dot_general", f"stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0] : ({tensor([3, 4], narrow)}, {tensor([4, 2], narrow)}) -> {out}", out, **products(program, x, y, wide, 4))
    yield program
    program = Program("convolution")
    for element in ("i32", "f16", "bf16", "f32", "f64", "complex<f32>"):
        for _ in range(2 * samples):
            spatial = int(rng.integers(0, 4))
            groups = int(rng.choice([1, 1, 2]))
            batch_groups = int(rng.choice([1, 2])) if groups == 1 else 1
            batch, features, outputs = 2 * batch_groups, 2 * groups, 2 * groups * batch_groups
            size = [int(rng.integers(2, 6)) for _ in range(spatial)]
            kernel = [int(rng.integers(1, 4)) for _ in range(spatial)]
            stride, base, dilate = ([int(rng.integers(1, 3)) for _ in range(spatial)] for _ in range(3))
            pad = [[int(rng.integers(-1, 3)), int(rng.integers(0, 3))] for _ in range(spatial)]
            out = []
            for s, k, st, b, d, (low, high) in zip(size, kernel, stride, base, dilate, pad):
                padded, window = (s - 1) * b + 1 + low + high, (k - 1) * d + 1
                out.append(0 if window > padded else (padded - window) // st + 1)
            reverse = [bool(rng.integers(2)) for _ in range(spatial)]
            lhs, rhs = [batch, *size, features], [*kernel, features // groups, outputs]
            result = tensor([batch // batch_groups, *out, outputs], element)
            limits = addends(element, 2)
            x, y = program.input(lhs, element, **limits), program.input(rhs, element, **limits)
            allowed = products(program, x, y, element, int(np.prod(rhs[:-1])))
            labels = ", ".join(map(str, range(spatial)))
            comma = ", " if spatial else ""
            numbers = f"[b, {labels}{comma}f]x[{labels}{comma}i, o]->[b, {labels}{comma}f]"
            window = f"stride = {stride}, pad = {pad}, lhs_dilate = {base}, rhs_dilate = {dilate}, reverse = {[str(r).lower() for r in reverse]}".replace("'", "") if spatial else ""
            program.result("convolution", f"stablehlo.convolution({x}, {y}) dim_numbers = {numbers}, window = {{{window}}} {{batch_group_count = {batch_groups} : i64, feature_group_count = {groups} : i64}} : ({tensor(lhs, element)}, {tensor(rhs, element)}) -> {result}", result, **allowed)
    yield program
    program = Program("linear_algebra")
    for element in ("f32", "f64", "complex<f32>", "complex<f64>"):
        n, b = 4, 2
        a = values([b, n, n], element, low=-1, high=1)
        positive = a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)
        ty = tensor([b, n, n], element)
        for lower in ("true", "false"):
            x = program.input([b, n, n], element, array=positive)
            # The other triangle is not specified.
            program.op(f"stablehlo.cholesky {x}, lower = {lower} : {ty}")
            factor, mask = program.last, np.tril(np.ones((b, n, n), bool)) if lower == "true" else np.triu(np.ones((b, n, n), bool))
            mask, zero = program.input([b, n, n], "i1", array=mask), program.input([b, n, n], element, array=np.zeros((b, n, n)))
            program.result("cholesky", f"stablehlo.select {mask}, {factor}, {zero} : {tensor([b, n, n], 'i1')}, {ty}", ty, ulps=64)
            for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                for left in ("true", "false"):
                    unit = str(bool(rng.integers(2))).lower()
                    rhs = [b, n, 3] if left == "true" else [b, 3, n]
                    y, out = program.input(rhs, element, low=-1, high=1), tensor(rhs, element)
                    program.result("triangular_solve", f'"stablehlo.triangular_solve"({x}, {y}) <{{left_side = {left}, lower = {lower}, transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = {unit}}}> : ({ty}, {out}) -> {out}', out, ulps=4096)
        real = element if element in FLOATS else None
        if real:
            half = "complex<f32>" if real == "f32" else "complex<f64>"
            for size in (1, 8, 12, 7):
                x, z = program.input([2, size], real), program.input([2, size], half, low=-1, high=1)
                program.result("fft", f"stablehlo.fft {z}, type = FFT, length = [{size}] : ({tensor([2, size], half)}) -> {tensor([2, size], half)}", tensor([2, size], half), ulps=64)
                program.result("fft", f"stablehlo.fft {z}, type = IFFT, length = [{size}] : ({tensor([2, size], half)}) -> {tensor([2, size], half)}", tensor([2, size], half), ulps=64)
                part = tensor([2, size // 2 + 1], half)
                program.result("fft", f"stablehlo.fft {x}, type = RFFT, length = [{size}] : ({tensor([2, size], real)}) -> {part}", part, ulps=64)
                w = program.input([2, size // 2 + 1], half, low=-1, high=1)
                program.result("fft", f"stablehlo.fft {w}, type = IRFFT, length = [{size}] : ({part}) -> {tensor([2, size], real)}", tensor([2, size], real), ulps=64)
            matrix = tensor([5, 3], real)
            x = program.input([5, 3], real, low=-1, high=1)
            program.result("custom_call", f"stablehlo.custom_call @Qr({x}) : ({matrix}) -> ({matrix}, {tensor([3], real)})", matrix, tensor([3], real), ulps=256)
    yield program
    program = Program("batch_norm")
    for element in ("f32", "f64"):
        x, grad = (program.input([3, 4, 2], element, low=-2, high=2) for _ in range(2))
        scale, offset, mean = (program.input([4], element, low=-2, high=2) for _ in range(3))
        variance = program.input([4], element, low=0.5, high=2)
        ty, feature = tensor([3, 4, 2], element), tensor([4], element)
        attributes = "<{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>"
        program.result("batch_norm_inference", f'"stablehlo.batch_norm_inference"({x}, {scale}, {offset}, {mean}, {variance}) {attributes} : ({ty}, {feature}, {feature}, {feature}, {feature}) -> {ty}', ty, ulps=64)
        program.result("batch_norm_training", f'"stablehlo.batch_norm_training"({x}, {scale}, {offset}) {attributes} : ({ty}, {feature}, {feature}) -> ({ty}, {feature}, {feature})', ty, feature, feature, ulps=256, terms=2)
        program.result("batch_norm_grad", f'"stablehlo.batch_norm_grad"({x}, {scale}, {mean}, {variance}, {grad}) {attributes} : ({ty}, {feature}, {feature}, {feature}, {ty}) -> ({ty}, {feature}, {feature})', ty, feature, feature, ulps=512, terms=12)
    yield program


def reductions(samples):
    """Ops that take a function of scalars."""
    for element in BOOL | INTS | FLOATS | COMPLEX:
        program = Program(f"reductions_{element}")
        scalar = tensor([], element)
        ops = ["and", "or"] if element == "i1" else ["add"] if element in COMPLEX else ["add", "maximum", "minimum", "multiply"]
        for op in ops:
            # Sums and products may be in any order; products do not cancel.
            ulps = None if element in BOOL | INTS or op in ("maximum", "minimum") else 64
            limits = addends(element, 2) if op == "add" else {"low": -2, "high": 2}
            allowed = lambda count: rounding(element, count, 2.0 * count) if op == "add" else {"ulps": ulps}  # noqa: B023, E731
            for _ in range(samples):
                dims = shape(min_rank=1)
                x = program.input(dims, element, **limits)
                # XLA leaves out an initial value that is not neutral where there is nothing to combine.
                init = program.input([], element, array=neutral(op, element))
                some = sorted(rng.permutation(len(dims))[:rng.integers(len(dims) + 1)].tolist())
                out = tensor([d for i, d in enumerate(dims) if i not in some], element)
                program.result("reduce", f'"stablehlo.reduce"({x}, {init}) {body(op, element).replace("({", "({")} {{dimensions = array<i64{": " if some else ""}{", ".join(map(str, some))}>}} : ({tensor(dims, element)}, {scalar}) -> {out}', out, **allowed(int(np.prod([dims[i] for i in some], dtype=int))))
                x = program.input([5, 6], element, **limits)
                window, stride, base, dilate = ([int(rng.integers(1, 4)) for _ in range(2)] for _ in range(4))
                pad = [[int(rng.integers(0, 3)), int(rng.integers(0, 3))] for _ in range(2)]
                sizes = []
                for s, w, st, b, d, (low, high) in zip((5, 6), window, stride, base, dilate, pad):
                    padded, spread = (s - 1) * b + 1 + low + high, (w - 1) * d + 1
                    sizes.append(0 if spread > padded else (padded - spread) // st + 1)
                lists = ", ".join(f"{name} = array<i64: {a}, {b}>" for name, (a, b) in (("window_dimensions", window), ("window_strides", stride), ("base_dilations", base), ("window_dilations", dilate)))
                out = tensor(sizes, element)
                program.result("reduce_window", f'"stablehlo.reduce_window"({x}, {init}) {body(op, element)} {{{lists}, padding = dense<{pad}> : tensor<2x2xi64>}} : ({tensor([5, 6], element)}, {scalar}) -> {out}', out, **allowed(int(np.prod(window))))
                index, updates = program.input([6, 1], "i32", low=-1, high=5), program.input([6, 2], element, **limits)
                target, ty = program.input([5, 2], element, **limits), tensor([5, 2], element)
                program.result("scatter", f'"stablehlo.scatter"({target}, {index}, {updates}) {body(op, element)} {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}} : ({ty}, tensor<6x1xi32>, {tensor([6, 2], element)}) -> {ty}', ty, **allowed(7))
                a, b, ty = program.input([2, 3], element, low=-2, high=2), program.input([2, 3], element, low=-2, high=2), tensor([2, 3], element)
                program.result("map", f'"stablehlo.map"({a}, {b}) {body(op, element)} {{dimensions = array<i64: 0, 1>}} : ({ty}, {ty}) -> {ty}', ty, ulps=ulps)
        if element in ("f32", "f64") or element in COMPLEX:
            # All that is left of this sum is what rounding leaves.
            half = values([24], element, low=-2, high=2)
            x, ty = program.input([25], element, array=np.append(half, -half.sum())), tensor([25], element)
            init = program.input([], element, array=neutral("add", element))
            terms = float(np.abs(program.array(x).view(half.real.dtype)).sum())
            program.result("reduce", f'"stablehlo.reduce"({x}, {init}) {body("add", element)} {{dimensions = array<i64: 0>}} : ({ty}, {scalar}) -> {scalar}', scalar, **rounding(element, 25, terms))
        if element not in COMPLEX and element != "i1":
            for _ in range(samples):
                dims = shape(min_rank=1)
                d = int(rng.integers(len(dims)))
                x, ty = program.input(dims, element, low=-9, high=9), tensor(dims, element)
                y, positions = program.input(dims, "i32"), tensor(dims, "i32")
                comparator = f"({{\n^bb0(%a: {scalar}, %b: {scalar}, %c: tensor<i32>, %d: tensor<i32>):\n %p = stablehlo.compare LT, %a, %b : ({scalar}, {scalar}) -> tensor<i1>\n stablehlo.return %p : tensor<i1>\n}})"
                program.result("sort", f'"stablehlo.sort"({x}, {y}) {comparator} {{dimension = {d} : i64, is_stable = true}} : ({ty}, {positions}) -> ({ty}, {positions})', ty, positions)
                # The windows do not overlap, so that nothing but zero is added to anything.
                x, source = program.input([4, 6], element, low=-9, high=9), program.input([2, 3], element, low=-2, high=2)
                init, ty = program.input([], element, array=np.zeros(())), tensor([4, 6], element)
                select = f"({{\n^bb0(%a: {scalar}, %b: {scalar}):\n %p = stablehlo.compare GE, %a, %b : ({scalar}, {scalar}) -> tensor<i1>\n stablehlo.return %p : tensor<i1>\n}}, {body('add', element)[1:]}"
                program.result("select_and_scatter", f'"stablehlo.select_and_scatter"({x}, {source}, {init}) {select} {{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}} : ({ty}, {tensor([2, 3], element)}, {scalar}) -> {ty}', ty, ulps=None if element in INTS else 0)
        yield program


def control(samples):
    """Flow of control, tuples, tokens, random bits, composites and custom calls."""
    program = Program("control")
    ty = "tensor<3xf32>"
    for _ in range(samples):
        x, y = program.input([3], "f32"), program.input([3], "f32")
        p, i = program.input([], "i1"), program.input([], "i32", low=-1, high=4)
        branch = "{\n stablehlo.return %s : tensor<3xf32>\n}"
        program.result("if", f'"stablehlo.if"({p}) ({branch % x}, {branch % y}) : (tensor<i1>) -> {ty}', ty)
        program.result("case", f'"stablehlo.case"({i}) ({branch % x}, {branch % y}, {branch % x}) : (tensor<i32>) -> {ty}', ty)
        n, one = program.constant(int(rng.integers(0, 5)), "i32"), program.constant(1, "i32")
        zero = program.constant(0, "i32")
        loop = f"({{\n^bb0(%i: tensor<i32>, %c: {ty}):\n %p = stablehlo.compare LT, %i, {n} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %p : tensor<i1>\n}}, {{\n^bb0(%i: tensor<i32>, %c: {ty}):\n %n = stablehlo.add %i, {one} : tensor<i32>\n %d = stablehlo.add %c, {y} : {ty}\n stablehlo.return %n, %d : tensor<i32>, {ty}\n}})"
        program.result("while", f'"stablehlo.while"({zero}, {x}) {loop} : (tensor<i32>, {ty}) -> (tensor<i32>, {ty})', "tensor<i32>", ty)
        pair = program.op(f"stablehlo.tuple {x}, {y} : tuple<{ty}, {ty}>")
        program.result("get_tuple_element", f"stablehlo.get_tuple_element {pair}[1] : (tuple<{ty}, {ty}>) -> {ty}", ty)
        program.results[-1] = (program.results[-1][0], ty, "tuple, get_tuple_element", None, 0.0)
        program.result("optimization_barrier", f"stablehlo.optimization_barrier {x}, {y} : {ty}, {ty}", ty, ty)
        program.result("composite", f'stablehlo.composite "my.twice" {x} {{decomposition = @twice}} : ({ty}) -> {ty}', ty)
        program.result("get_dimension_size", f"stablehlo.get_dimension_size {x}, dim = 0 : ({ty}) -> tensor<i32>", "tensor<i32>")
        program.result("custom_call", f'stablehlo.custom_call @mhlo.erf({x}) {{mhlo.attributes = {{}}, mhlo.version = 1 : i64}} : ({ty}) -> {ty}', ty, ulps=8)
    yield program
    for algorithm, words in (("DEFAULT", 2), ("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3)):
        program = Program(f"bits_{algorithm}_{words}")
        for element in UNSIGNED:
            for _ in range(samples):
                dims = shape(empty=False)
                state, out, key = program.input([words], "ui64"), tensor(dims, element), f"tensor<{words}xui64>"
                program.result("rng_bit_generator", f"stablehlo.rng_bit_generator {state}, algorithm = {algorithm} : ({key}) -> ({key}, {out})", key, out)
        yield program


def dynamic(samples):
    """Ops whose shapes come from operands, which are constants here."""
    program = Program("dynamic")
    for element in ("i8", "i32", "ui64", "f16", "f32", "f64", "complex<f64>"):
        for _ in range(samples):
            x, ty = program.input([2, 3], element), tensor([2, 3], element)
            shape_of = program.constant([4, 2, 3], "i32")
            program.result("dynamic_broadcast_in_dim", f"stablehlo.dynamic_broadcast_in_dim {x}, {shape_of}, dims = [1, 2] : ({ty}, tensor<3xi32>) -> {tensor([4, 2, 3], element)}", tensor([4, 2, 3], element))
            flat = program.constant([6], "i64")
            program.result("dynamic_reshape", f"stablehlo.dynamic_reshape {x}, {flat} : ({ty}, tensor<1xi64>) -> {tensor([6], element)}", tensor([6], element))
            sizes = program.constant([3, 4], "i32")
            program.result("dynamic_iota", f"stablehlo.dynamic_iota {sizes}, dim = 1 : (tensor<2xi32>) -> {tensor([3, 4], element)}", tensor([3, 4], element))
            v = program.input([], element)
            low, high, inner = (program.constant(c, "i32") for c in ([1, -1], [0, 2], [1, 0]))
            program.result("dynamic_pad", f"stablehlo.dynamic_pad {x}, {v}, {low}, {high}, {inner} : ({ty}, {tensor([], element)}, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> {tensor([4, 4], element)}", tensor([4, 4], element))
            rows, index, sizes = program.input([5, 3], element), program.input([4], "i32", low=-1, high=6), program.constant([1, 3], "i32")
            out = tensor([4, 3], element)
            program.result("dynamic_gather", f'"stablehlo.dynamic_gather"({rows}, {index}, {sizes}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}}> : ({tensor([5, 3], element)}, tensor<4xi32>, tensor<2xi32>) -> {out}', out)
    for element in ("i32", "f32"):
        x, kernel = program.input([1, 5, 2], element, low=-3, high=3), program.input([3, 2, 4], element, low=-3, high=3)
        pad, out = program.constant([[1, 2]], "i32"), tensor([1, 6, 4], element)
        program.result("dynamic_conv", f'"stablehlo.dynamic_conv"({x}, {kernel}, {pad}) <{{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}}> : ({tensor([1, 5, 2], element)}, {tensor([3, 2, 4], element)}, tensor<1x2xi32>) -> {out}', out, **products(program, x, kernel, element, 6))
    yield program


def collectives(samples):
    """Ops between four replicas."""
    for number in range(samples):
        program = Program(f"collectives_{number}", 4)
        everyone, halves = "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>", "dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>"
        for element in ("i32", "ui8", "f16", "bf16", "f32", "f64", "complex<f32>"):
            for groups, size in ((everyone, 4), (halves, 2)):
                x, ty = program.input([4, 2], element, **addends(element, 4)), tensor([4, 2], element)
                groups, allowed = f"replica_groups = {groups}", rounding(element, size, 4.0 * size)
                wide = tensor([4, 2 * size], element)
                program.result("all_gather", f'"stablehlo.all_gather"({x}) <{{all_gather_dim = 1 : i64, {groups}}}> : ({ty}) -> {wide}', wide)
                program.result("all_reduce", f'"stablehlo.all_reduce"({x}) <{{{groups}}}> {body("add", element)} : ({ty}) -> {ty}', ty, **allowed)
                part = tensor([4 // size, 2], element)
                program.result("reduce_scatter", f'"stablehlo.reduce_scatter"({x}) <{{scatter_dimension = 0 : i64, {groups}}}> {body("add", element)} : ({ty}) -> {part}', part, **allowed)
                turned = tensor([4 // size, 2 * size], element)
                program.result("all_to_all", f'"stablehlo.all_to_all"({x}) <{{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = {size} : i64, {groups}}}> : ({ty}) -> {turned}', turned)
            route = rng.permutation(4)[:3].tolist()
            route = [[a, b] for a, b in zip(route, route[1:])]
            program.result("collective_permute", f'"stablehlo.collective_permute"({x}) <{{source_target_pairs = dense<{route}> : tensor<2x2xi64>}}> : ({ty}) -> {ty}', ty)
        program.result("replica_id", "stablehlo.replica_id : tensor<ui32>", "tensor<ui32>")
        yield program


def chlo(samples):
    """Ops of chlo, which XLA takes apart into others; its formulas are good to more units in some places than others."""
    unary = [
        ("erf", FLOATS, (-3, 3), 8), ("erfc", FLOATS, (-2, 3), 16), ("erf_inv", FLOATS, (-0.95, 0.95), 16),
        ("lgamma", FLOATS, (2.5, 30), 16), ("digamma", FLOATS, (2, 30), 16), ("bessel_i1e", FLOATS, (-30, 30), 16),
        ("sinh", FLOATS, (-5, 5), 16), ("cosh", FLOATS, (-5, 5), 16), ("asin", FLOATS, (-0.95, 0.95), 16),
        ("acos", FLOATS, (-0.95, 0.95), 16), ("atan", FLOATS, (-9, 9), 8), ("asinh", FLOATS, (-50, 50), 16),
        ("acosh", FLOATS, (1.1, 50), 16), ("atanh", FLOATS, (-0.95, 0.95), 16), ("tan", FLOATS, (-1.5, 1.5), 16),
        ("square", FLOATS | COMPLEX, (-9, 9), 4), ("conj", COMPLEX, (-9, 9), None),
        ("asin", COMPLEX, (-2, 2), 64), ("acos", COMPLEX, (-2, 2), 64), ("atan", COMPLEX, (-0.9, 0.9), 64),
        ("asinh", COMPLEX, (-2, 2), 64), ("acosh", COMPLEX, (-2, 2), 64), ("atanh", COMPLEX, (-0.9, 0.9), 64),
        ("sinh", COMPLEX, (-2, 2), 64), ("cosh", COMPLEX, (-2, 2), 64), ("tan", COMPLEX, (-0.7, 0.7), 64),
    ]
    program = Program("chlo_unary")
    for op, elements, (low, high), ulps in unary:
        for element in elements:
            for _ in range(samples):
                dims = shape(empty=False)
                x, ty = program.input(dims, element, low=low, high=high), tensor(dims, element)
                program.result(f"chlo.{op}", f"chlo.{op} {x} : {ty} -> {ty}", ty, ulps=ulps)
    yield program
    program = Program("chlo_others")
    for element in FLOATS:
        for _ in range(samples):
            dims = shape(empty=False)
            ty, flags = tensor(dims, element), tensor(dims, "i1")
            x, y = (program.input(dims, element, specials=True) for _ in range(2))
            for op in ("is_inf", "is_neg_inf", "is_pos_inf"):
                program.result(f"chlo.{op}", f"chlo.{op} {x} : {ty} -> {flags}", flags)
            x, y = (program.input(dims, element, low=-9, high=9) for _ in range(2))
            program.result("chlo.next_after", f"chlo.next_after {x}, {y} : {ty}, {ty} -> {ty}", ty)
            if element in ("f32", "f64"):
                s, q = program.input(dims, element, low=1.5, high=9), program.input(dims, element, low=0.5, high=9)
                program.result("chlo.zeta", f"chlo.zeta {s}, {q} : {ty}, {ty} -> {ty}", ty, ulps=64)
                n = program.input(dims, element, array=rng.integers(0, 4, dims))
                # The digamma function is near zero where terms of size one cancel.
                program.result("chlo.polygamma", f"chlo.polygamma {n}, {q} : {ty}, {ty} -> {ty}", ty, ulps=256, terms=1)
    for element in INTS | FLOATS:
        for _ in range(samples):
            a, b = program.input([4, 1], element, low=1, high=9), program.input([3], element, low=1, high=9)
            types, out = f"({tensor([4, 1], element)}, {tensor([3], element)})", tensor([4, 3], element)
            for op in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder"):
                ulps = 1 if op == "remainder" and element in FLOATS else None
                program.result(f"chlo.broadcast_{op}", f"chlo.broadcast_{op} {a}, {b} : {types} -> {out}", out, ulps=ulps)
            flags = tensor([4, 3], "i1")
            program.result("chlo.broadcast_compare", f"chlo.broadcast_compare {a}, {b} {{comparison_direction = #chlo<comparison_direction LT>}} : {types} -> {flags}", flags)
            x, ty = program.input([2, 6], element), tensor([2, 6], element)
            values_type, positions = tensor([2, 3], element), tensor([2, 3], "i32")
            program.result("chlo.top_k", f"chlo.top_k({x}, k = 3) : {ty} -> ({values_type}, {positions})", values_type, positions)
            if element in INTS:
                x, y = program.input([7], element), program.input([7], element)
                ty = tensor([7], element)
                program.result("chlo.mulhi", f"chlo.mulhi {x}, {y} : {ty}, {ty} -> {ty}", ty)
    yield program


def half_precision():
    """All half-precision numbers to every narrow float, and every narrow float to half precision."""
    program = Program("half_precision")
    everything = np.arange(65536, dtype=np.uint16).view(np.float16)
    x = program.input([65536], "f16", array=everything)
    expected = []
    with np.errstate(all="ignore"):
        for element, dtype in (NARROW | {"bf16": ml_dtypes.bfloat16}).items():
            out = tensor([65536], element)
            program.result("convert", f"stablehlo.convert {x} : (tensor<65536xf16>) -> {out}", out)
            expected.append(everything.astype(dtype))
            bits = {"f4": 4, "f6": 6, "bf": 16}.get(element[:2], 8)
            codes = np.arange(1 << bits, dtype=np.uint16 if bits == 16 else np.uint8).view(dtype)
            y = program.input([1 << bits], element, array=codes)
            out = tensor([1 << bits], "f16")
            program.result("convert", f"stablehlo.convert {y} : ({tensor([1 << bits], element)}) -> {out}", out)
            expected.append(codes.astype(np.float16))
    return program, [expected]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs-only", action="store_true")
    args = parser.parse_args()
    seed(args.seed)
    index = []

    def write(program, outputs):
        text, name = program.text(), program.name.replace("<", "_").replace(">", "")
        count = program.replicas
        dense = lambda array: np.ascontiguousarray(array).tobytes()  # noqa: E731
        inputs = b"".join(dense(arrays[d]) for d in range(count) for arrays in program.inputs)
        (args.directory / f"{name}.mlir").write_text(text)
        (args.directory / f"{name}.in").write_bytes(inputs)
        if outputs is not None:
            (args.directory / f"{name}.out").write_bytes(b"".join(dense(a) for device in outputs for a in device))
        results = [{"op": op, "ulps": ulps, "terms": terms} for _, _, op, ulps, terms in program.results]
        index.append({"name": name, "replicas": count, "results": results})

    families = (elementwise, movement, contractions, reductions, control, dynamic, collectives, chlo)
    for family in families:
        for program in family(args.samples):
            try:
                write(program, None if args.inputs_only else run(program, program.text()))
            except Exception as error:
                (args.directory / "failed.mlir").write_text(program.text())
                raise RuntimeError(f"XLA:CPU does not run {program.name}: {str(error)[:2000]}") from error
    write(*half_precision())
    (args.directory / "index.json").write_text(json.dumps(index))


if __name__ == "__main__":
    main()
