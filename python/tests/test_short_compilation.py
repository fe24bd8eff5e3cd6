"""The short way from `lower` to the compiler: when it is taken, that nothing changes by it, and what it falls back to."""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
from jax._src import compiler

FUNCTION = "backend_compile_and_load"


@pytest.fixture
def short(platform, devices, monkeypatch):
    """The module, with a list of the programs that went the short way."""
    if not hasattr(getattr(compiler, FUNCTION, None), "headers_by_plugin"):
        pytest.skip("this JAX has no such function")
    module = importlib.import_module(f"jax_plugins.{platform}.pjrt_plugin_support.short_compilation")
    module.taken, programs = [], []
    bytecode, write = module.bytecode, module.Headers.write

    def spied(program):
        program = bytecode(program)
        programs.append(program)
        return program

    def written(headers, entry):
        header = write(headers, entry)
        # What is learned from is written once more.
        program = programs.pop() if programs else None
        if None not in (header, program):
            module.taken.append(program)
        return header

    monkeypatch.setattr(module, "bytecode", spied)
    monkeypatch.setattr(module.Headers, "write", written)
    # So that types of results are known.
    jax.jit(lambda x: (x + 2, x.astype(jnp.int32), x > 0))(np.float32(1))
    module.taken.clear()
    jax.clear_caches()
    return module


def headers(platform):
    return getattr(compiler, FUNCTION).headers_by_plugin[platform]


def test_programs_take_it_and_give_the_same(short):
    def f(tree):
        (x, n), flags = tree
        return {"sum": x.sum(axis=0), "n": n * 3, "flags": ~flags, "rows": jnp.where(flags[:, None], x, -x)}

    tree = ((jnp.arange(6, dtype=jnp.float32).reshape(3, 2), jnp.int32(5)), jnp.array([True, False, True]))
    short.taken.clear()
    got = jax.jit(f)(tree)
    assert len(short.taken) == 1 and short.taken[0].startswith(b"ML\xefR")
    np.testing.assert_array_equal(got["sum"], [6, 9])
    assert int(got["n"]) == 15 and got["n"].dtype == jnp.int32
    np.testing.assert_array_equal(got["flags"], [False, True, False])
    np.testing.assert_array_equal(got["rows"], [[0, 1], [-2, -3], [4, 5]])


def test_what_compiled_programs_say_is_the_same(short, monkeypatch):
    def facts():
        jax.clear_caches()
        compiled = jax.jit(lambda x, y: (x @ y, y > 1)).lower(jnp.ones((4, 3)), jnp.ones((3, 2))).compile()
        memory = compiled.memory_analysis()
        # Lines of the text itself are no facts of the program.
        text = re.sub(r", metadata={[^}]*}", "", compiled.as_text() or "")
        return (text, compiled.input_shardings, compiled.output_shardings,
                memory and memory.output_size_in_bytes, memory and memory.temp_size_in_bytes)

    at_once = facts()
    assert short.taken
    monkeypatch.setattr(short, "bytecode", lambda program: None)
    assert facts() == at_once


def test_donated_arguments_are_gone(short):
    x, y = jnp.arange(1024.0), jnp.arange(1024.0)
    short.taken.clear()
    z = jax.jit(lambda x, y: (x + y).astype(jnp.float32), donate_argnums=0)(x, y)
    # The first program with a donated argument may teach what its header is; the next one goes the short way.
    np.testing.assert_array_equal(z, np.arange(1024.0) * 2)
    assert x.is_deleted() and not y.is_deleted()
    w = jax.jit(lambda x, y: (x - y).astype(jnp.float32), donate_argnums=1)(z, y)
    np.testing.assert_array_equal(w, np.arange(1024.0))
    assert y.is_deleted() and not z.is_deleted()
    assert short.taken


def test_new_types_of_results_are_learned(short, platform):
    known = headers(platform)
    if known._has_none:
        pytest.skip("jaxlib writes no headers")
    known._elements.pop("i16", None)
    known._written.clear()
    for turn in range(2):
        short.taken.clear()
        x = jax.jit(lambda x: (x + turn).astype(jnp.int16))(np.int32(3))
        assert (int(x), x.dtype) == (3 + turn, jnp.int16)
        assert len(short.taken) == turn


def test_arrays_without_elements_and_of_many_dimensions(short):
    short.taken.clear()
    x = jax.jit(lambda x: (x[:0] * 2, jnp.broadcast_to(x, (1, 2, 1, 300, 3))))(np.ones(3, np.float32))
    assert x[0].shape == (0,) and x[1].shape == (1, 2, 1, 300, 3)
    np.testing.assert_array_equal(x[1], 1)
    assert short.taken


def shows_what_jax_can_read(compiled, platform):
    """jaxlib translates the text of a program, which fails for ops that it does not know. The example shows none."""
    text = compiled.as_text()
    assert (text is not None) == (platform == "rust_cpu")


def test_chlo_ops_that_the_plugin_has_go_the_short_way(short, platform):
    x = np.array([0.5, -0.999, 1, -1, 0, 2], np.float32)
    for dtype, tolerance in ((np.float32, 1e-6), (jnp.bfloat16, 4e-3), (np.float16, 5e-4)):
        # So that the type of the result is known.
        jax.jit(lambda x: x + 1)(x.astype(dtype))
        short.taken.clear()
        compiled = jax.jit(jax.lax.erf_inv).lower(x.astype(dtype)).compile()
        y = np.asarray(compiled(x.astype(dtype)), np.float32)
        exact = scipy.special.erfinv(np.asarray(x.astype(dtype), np.float64))
        np.testing.assert_allclose(y, exact, rtol=tolerance)
        assert short.taken
        shows_what_jax_can_read(compiled, platform)
    values, places = jax.jit(lambda x: jax.lax.top_k(x, 2))(np.array([1, 3, 2], np.float32))
    np.testing.assert_array_equal(values, [3, 2])
    np.testing.assert_array_equal(places, [1, 2])
    np.testing.assert_array_equal(jax.jit(jax.lax.square)(x), x * x)
    np.testing.assert_allclose(jax.jit(jax.lax.erf)(x), scipy.special.erf(x), rtol=3e-7)


def test_other_chlo_ops_go_through_the_passes_where_they_are_refused(short, platform, caplog):
    x = np.array([0.5, 3, 40], np.float32)
    with caplog.at_level(logging.DEBUG, logger=short.logger.name):
        compiled = jax.jit(jax.lax.bessel_i1e).lower(x).compile()
    np.testing.assert_allclose(compiled(x), scipy.special.i1e(x), rtol=1e-6)
    shows_what_jax_can_read(compiled, platform)
    # The engine compiles them better when the passes have taken them apart; the evaluator has them as they are.
    assert ("chlo.bessel_i1e" in caplog.text) == (platform == "rust_cpu"), caplog.text


def test_what_the_reader_does_not_know_goes_through_the_passes(short, monkeypatch):
    monkeypatch.setattr(short, "bytecode", lambda program: b"ML\xefR\x04nobody\0")
    np.testing.assert_array_equal(jax.jit(lambda x: x * 2 + 1)(np.arange(3, dtype=np.float32)), [1, 3, 5])


def test_what_cannot_be_looked_at_goes_through_the_passes(short):
    def fail(module):
        raise KeyError("main")

    for name in ("entry_of", "bytecode"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(short, name, fail)
            jax.clear_caches()
            np.testing.assert_array_equal(jax.jit(lambda x: x * 2 + 1)(np.arange(3, dtype=np.float32)), [1, 3, 5])


def test_errors_of_programs_are_those_of_the_long_way(short):
    def message():
        with pytest.raises(Exception) as caught:
            jax.clear_caches()
            jax.jit(lambda x: jax.ffi.ffi_call("nobody_knows_this", jax.ShapeDtypeStruct((), np.float32))(x))(np.float32(1))
        return type(caught.value), str(caught.value)

    at_once = message()
    assert "nobody_knows_this" in at_once[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(short, "bytecode", lambda program: None)
        assert message() == at_once


def test_a_header_that_is_not_as_expected_is_the_end_of_it(short, platform, monkeypatch):
    module = importlib.import_module(f"jax_plugins.{platform}.pjrt_plugin_support.executable_header")
    entry = module.Entry("jit_f", "(tensor<2xf32>) -> tensor<f32>", frozenset())
    known = headers(platform)
    if known._has_none:
        pytest.skip("jaxlib writes no headers")
    good = known.write(entry)
    for change in (lambda header: header.replace(b"jit_f", b"jit_g"), lambda header: header[:-3],
                   lambda header: header[:1] + b"\x0d" + header[2:], lambda header: b"", lambda header: b"\xff" * 40):
        fresh = module.Headers()
        assert fresh.write(entry) is None
        fresh.learn(entry, b"?" + change(good) + b"PJRT-RS2")
        assert fresh.write(entry) is None and fresh.has_given_up
        fresh.learn(entry, good + b"PJRT-RS2")
        assert fresh.write(entry) is None
    fresh = module.Headers()
    fresh.learn(entry, good + b"PJRT-RS2")
    assert fresh.write(entry) == good
    with_donation = module.Entry("jit_f", "(tensor<2xf32>) -> (tensor<3x4xf32>, tensor<f32>)", frozenset([0]))
    assert fresh.write(with_donation) == known.write(with_donation)
    bare = module.Headers()
    bare.learn(entry, b"PJRT-RS2")
    assert bare.write(entry) == b""


def test_what_an_entry_says(short, platform, devices):
    header = importlib.import_module(f"jax_plugins.{platform}.pjrt_plugin_support.executable_header")

    def entry(function, *arguments, **options):
        module = jax.jit(function, **options).lower(*arguments).compiler_ir()
        return header.entry_of(module, short.bytecode(module))

    x = np.ones(4, np.float32)
    plain = entry(lambda x: x + 1, x)
    assert plain.arrays == (("tensor<4xf32>",), ("tensor<4xf32>",)) and not plain.donated
    assert entry(lambda x: x + 1, x, donate_argnums=0).donated == {0}
    z = np.ones((2, 3), np.complex64)
    both = entry(lambda x, z: (z + 1, x + 1, x[0]), x, z, donate_argnums=0)
    assert both.arrays == (("tensor<4xf32>", "tensor<2x3xcomplex<f32>>"),
                           ("tensor<2x3xcomplex<f32>>", "tensor<4xf32>", "tensor<f32>"))
    assert both.donated == {0}
    assert entry(lambda: ()).arrays == ((), ())
    kinds = [memory.kind for memory in devices[0].addressable_memories()]
    if "pinned_host" in kinds:
        there = jax.sharding.SingleDeviceSharding(devices[0], memory_kind="pinned_host")
        assert entry(lambda x: x + 1, x, out_shardings=there) is None


def test_programs_over_several_devices_go_through_the_passes(short, platform, devices):
    if len(devices) < 2:
        pytest.skip("there is one device")
    mesh = jax.sharding.Mesh(np.array(devices[:2]), ("d",))
    over_both = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    short.taken.clear()
    x = np.arange(4, dtype=np.float32)
    f = jax.jit(lambda x: x * 3 + 1, in_shardings=over_both, out_shardings=over_both)
    if platform == "rust_example":
        # It refuses them, and says so as from there.
        with pytest.raises(Exception, match="runs a program on one device"):
            f(x)
    else:
        np.testing.assert_array_equal(f(x), x * 3 + 1)
    assert not short.taken


def test_keys_are_computed_only_for_a_cache_that_is_there(devices, platform, tmp_path, monkeypatch):
    if not hasattr(getattr(compiler, "_get_cache_key", None), "spared_plugins"):
        pytest.skip("this JAX has no such function")
    from jax._src import compilation_cache

    computed = []
    get = compilation_cache.get_cache_key
    monkeypatch.setattr(compilation_cache, "get_cache_key", lambda *a, **k: computed.append(1) or get(*a, **k))
    jax.jit(lambda x: x * 3 + 1)(np.float32(1))
    assert not computed
    with _cache_in(tmp_path):
        jax.jit(lambda x: x * 5 + 1)(np.float32(1))
        assert computed and list(tmp_path.iterdir())
    computed.clear()
    jax.jit(lambda x: x * 7 + 1)(np.float32(1))
    assert not computed


@pytest.fixture
def options(devices, platform):
    """The options of a program for some devices, and how often JAX derived any."""
    from jax._src.interpreters import pxla

    if not hasattr(pxla.create_compile_options, "plugins_with_options"):
        pytest.skip("this JAX has no such function")
    module = jax.jit(lambda x: x + 1).lower(np.float32(1)).compiler_ir()
    derived = []
    get = compiler.get_compile_options

    def options(on=devices[:1], results=(True,), function=pxla.create_compile_options, **own):
        return function(module, False, (False,), results, on[0].client, np.array(on), own)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "get_compile_options", lambda *a, **k: derived.append(1) or get(*a, **k))
        options.derived = derived
        options.by_jax = functools.partial(options, function=pxla.create_compile_options.__wrapped__)
        # So that these are known.
        options()
        derived.clear()
        yield options


def test_options_are_derived_once_and_are_those_of_jax(options):
    for results in ((True,), (False,), (False, True)):
        options.derived.clear()
        first, second = options(results=results), options(results=results)
        derived = len(options.derived)
        expected = options.by_jax(results=results).SerializeAsString()
        assert first.SerializeAsString() == second.SerializeAsString() == expected
        assert derived == (results != (True,))
        # What one program's holder does to them is nobody else's.
        second.num_partitions = 7
        second.executable_build_options.debug_options.xla_llvm_disable_expensive_passes = True
        assert options(results=results).SerializeAsString() == expected


def test_options_follow_flags(options):
    def agree():
        assert options().SerializeAsString() == options.by_jax().SerializeAsString()

    for name, value in (("jax_optimization_level", "O2"), ("jax_use_shardy_partitioner", False),
                        ("jax_compiler_enable_remat_pass", False), ("jax_xla_profile_version", 3),
                        ("jax_disable_most_optimizations", True)):
        before = jax.config.values[name]
        plain = options().SerializeAsString()
        jax.config.update(name, value)
        try:
            agree()
            assert options().SerializeAsString() != plain, name
        finally:
            jax.config.update(name, before)
        agree()
        assert options().SerializeAsString() == plain


def test_options_that_are_not_remembered(options, devices, tmp_path, monkeypatch):
    def are_derived(**arguments):
        options.derived.clear()
        options(**arguments), options(**arguments)
        return len(options.derived) == 2

    assert not are_derived()
    assert are_derived(xla_llvm_disable_expensive_passes=True)
    if len(devices) > 1:
        assert are_derived(on=devices[:2])
        options(on=devices[1:2])
        assert not are_derived(on=devices[1:2])
        assert options(on=devices[1:2]).SerializeAsString() == options.by_jax(on=devices[1:2]).SerializeAsString()
    assert are_derived(on=jax.devices("cpu")[:1]) or jax.devices("cpu")[:1] == devices[:1]
    with _cache_in(tmp_path):
        assert are_derived()
    assert not are_derived()
    monkeypatch.setattr(compiler, "get_latest_profile_version", lambda client: 5)
    assert are_derived() and options().profile_version == 5


@contextlib.contextmanager
def _cache_in(folder):
    from jax._src import compilation_cache

    names = {"jax_compilation_cache_dir": str(folder), "jax_persistent_cache_min_compile_time_secs": 0,
             "jax_persistent_cache_min_entry_size_bytes": -1}
    before = {name: getattr(jax.config, name) for name in names}
    try:
        for name, value in names.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
        yield
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()


def test_it_can_be_switched_off(run_python, platform):
    code = f"""
        import jax
        jax.devices("{platform}")
        from jax._src import compiler
        assert not hasattr(compiler.{FUNCTION}, "headers_by_plugin")
        assert float(jax.jit(lambda x: x + 1)(1.0)) == 2
    """
    run_python(code, PJRT_SHORT_COMPILATION="0")


def test_other_releases_are_left_alone(short, monkeypatch):
    def other(backend, module, options):
        raise AssertionError

    monkeypatch.setattr(compiler, FUNCTION, other)
    assert not short.shorten_compilation("a plugin")
    assert getattr(compiler, FUNCTION) is other
    monkeypatch.delattr(compiler, FUNCTION)
    assert not short.shorten_compilation("a plugin")
