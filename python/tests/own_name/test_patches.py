"""Each change to JAX's private lists: that it opens what it should in this release, and that a release which moved
the target costs one warning and nothing else."""

from __future__ import annotations

import importlib
import types
import warnings

import jax
import jax.numpy as jnp
import pytest


@pytest.fixture
def module(platform):
    """Imports a module of the support package by name."""
    return lambda name: importlib.import_module(f"jax_plugins.{platform}.pjrt_plugin_support.{name}")


@pytest.fixture(autouse=True)
def forget_warnings(module):
    guard = module("patch_guard")
    guard._warned.clear()
    yield
    guard._warned.clear()


def test_donation_is_open(platform, devices):
    from jax._src.interpreters import mlir

    assert platform in mlir._platforms_with_donation
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jax.jit(lambda x: x + 1, donate_argnums=0)(jnp.zeros(4))


def test_the_persistent_cache_is_open(devices):
    from jax._src import compilation_cache

    backend = devices[0].client
    served = compilation_cache.is_cache_used.served_platforms
    assert backend.platform in served
    renamed = importlib.import_module(
        f"jax_plugins.{backend.platform}.pjrt_plugin_support.persistent_cache")._Renamed(backend)
    assert renamed.platform != backend.platform
    assert renamed.platform_version == backend.platform_version


def test_the_plugin_is_not_called_experimental(platform, devices):
    from jax._src import xla_bridge

    assert not xla_bridge._backend_factories[platform].experimental


def test_platform_neutral_rules_are_lent(platform, devices, module):
    from jax._src.interpreters import mlir

    lent = {primitive.name for primitive in mlir._platform_specific_lowerings[platform]}
    known = {primitive.name for rules in mlir._platform_specific_lowerings.values() for primitive in rules}
    assert lent >= set(module("lowering_rules").BORROWED) & known


# What JAX lowers to LAPACK or to callbacks only; the book says what each means for users.
WITHOUT_A_RULE = {"check", "debug_callback", "debug_print", "eig", "eigh", "geqp3", "hessenberg", "pbroadcast_start",
                  "schur", "tridiagonal"}


def test_primitives_without_a_rule_are_those_of_the_book(platform, devices, support):
    missing = support.missing_lowering_rules(platform)
    print(f"no lowering rule for {platform} in JAX {jax.__version__}: {', '.join(missing)}")
    assert set(missing) <= WITHOUT_A_RULE


def test_every_primitive_without_a_rule_is_refused_by_name(devices):
    with pytest.raises(NotImplementedError, match="rule for primitive 'eigh' not found for platform"):
        jnp.linalg.eigh(jnp.eye(3))


def test_callbacks_are_refused_and_never_dropped(devices):
    called = []
    with pytest.raises(Exception, match="not supported on|not found for platform"):
        jax.jit(lambda x: jax.pure_callback(lambda a: called.append(1) or a, x, x))(jnp.ones(2))
    with pytest.raises(Exception, match="'debug_(callback|print)' not found for platform"):
        jax.jit(lambda x: jax.debug.print("{}", x))(jnp.ones(2))
    with pytest.raises(Exception, match="not supported on|not found for platform"):
        jax.jit(lambda x: jax.experimental.io_callback(called.append, None, x))(jnp.ones(2))
    assert not called
    assert int(jnp.add(1, 1)) == 2


def test_callbacks_travel_by_send_and_recv_when_the_backend_says_it_can(run_python, platform):
    done = run_python(f"""
        import warnings; warnings.simplefilter("error")
        import jax, jax.numpy as jnp, numpy as np
        from jax_plugins import {platform} as plugin
        support = plugin.pjrt_plugin_support
        support.register({platform!r}, library_path=plugin.LIBRARY_PATH, host_callbacks="send-recv")
        def f(x):
            jax.debug.print("x = {{}}", x)
            return jax.pure_callback(np.sin, x, x)
        text = jax.jit(f).lower(jnp.ones(3)).as_text()
        assert "is_host_transfer = true" in text
        assert "custom_call" not in text
        print(text.count("stablehlo.send"), text.count("stablehlo.recv"))
    """, JAX_PLATFORMS=platform)
    sends, receives = map(int, done.stdout.split())
    assert sends == 2
    assert receives >= 1


def test_ffi_targets_reach_the_plugin_or_are_refused(run_python, platform):
    done = run_python(f"""
        import jax, jax.numpy as jnp, numpy as np
        from jaxlib import lapack
        from jax_plugins.{platform}.pjrt_plugin_support import plugin_table
        import jax.extend.backend
        from jax._src import xla_bridge
        x = jnp.array([[4.0, 2.0], [2.0, 5.0]])
        table = plugin_table.PluginTable(xla_bridge._backend_factories[{platform!r}].c_api)
        [handler] = [handler for name, handler, *_ in lapack.registrations()["cpu"] if name == "lapack_spotrf_ffi"]
        if not table.takes_handlers:
            try:
                jax.ffi.register_ffi_target("test_potrf", handler, platform={platform!r})
            except NotImplementedError as error:
                assert "test_potrf" in str(error) and "no FFI extension" in str(error)
                print("refused")
        else:
            jax.ffi.register_ffi_target("test_potrf", handler, platform={platform!r})
            call = jax.ffi.ffi_call("test_potrf", (jax.ShapeDtypeStruct((2, 2), jnp.float32), jax.ShapeDtypeStruct((), jnp.int32)),
                                    input_layouts=[(1, 0)], output_layouts=[(1, 0), None])
            factor, info = jax.jit(lambda x: call(x, uplo=np.uint8(ord("L"))))(x)
            assert int(info) == 0
            np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(np.asarray(x)), rtol=1e-6)
            print("called")
    """, JAX_PLATFORMS=platform)
    assert done.stdout.split() in (["refused"], ["called"])


def test_an_untyped_ffi_target_is_refused(run_python, platform):
    done = run_python(f"""
        import jax
        jax.devices()
        try:
            jax.ffi.register_ffi_target("old", object(), platform={platform!r}, api_version=0)
        except NotImplementedError as error:
            print(error)
    """, JAX_PLATFORMS=platform)
    assert "old" in done.stdout


def moved_donation(monkeypatch):
    from jax._src.interpreters import mlir

    monkeypatch.delattr(mlir, "_platforms_with_donation")


def retyped_donation(monkeypatch):
    from jax._src.interpreters import mlir

    monkeypatch.setattr(mlir, "_platforms_with_donation", frozenset({"cpu"}))


def moved_cache(monkeypatch):
    from jax._src import compilation_cache

    monkeypatch.delattr(compilation_cache, "is_cache_used")


def reshaped_cache(monkeypatch):
    from jax._src import compilation_cache

    monkeypatch.setattr(compilation_cache, "is_cache_used", lambda backend, options: True)


def moved_experimental(monkeypatch):
    from jax._src import xla_bridge

    monkeypatch.delattr(xla_bridge, "_nonexperimental_plugins")


def moved_rules(monkeypatch):
    from jax._src.interpreters import mlir

    monkeypatch.setattr(mlir, "_platform_specific_lowerings", None)


def moved_callbacks(monkeypatch):
    from jax._src import callback
    from jax._src.interpreters import mlir

    for home in (callback, mlir):
        monkeypatch.delattr(home, "emit_python_callback", raising=False)


def moved_ffi(monkeypatch):
    from jax._src.lib import xla_client

    monkeypatch.delattr(xla_client, "register_custom_call_handler")


def test_a_moved_ffi_registry_costs_one_warning(module, monkeypatch):
    with monkeypatch.context() as patched:
        moved_ffi(patched)
        with pytest.warns(RuntimeWarning, match="FFI targets") as caught:
            assert module("ffi_targets").pass_on_ffi_targets("some_plugin", "some_platform", None) is False
        assert len(caught) == 1


@pytest.mark.parametrize(("name", "function", "break_jax", "what"), [
    ("donation", "open_donation", moved_donation, "buffer donation"),
    ("donation", "open_donation", retyped_donation, "buffer donation"),
    ("persistent_cache", "open_persistent_cache", moved_cache, "persistent compilation cache"),
    ("persistent_cache", "open_persistent_cache", reshaped_cache, "persistent compilation cache"),
    ("experimental_warning", "drop_experimental_warning", moved_experimental, "experimental"),
    ("lowering_rules", "borrow_lowering_rules", moved_rules, "lowering rules"),
    ("host_callbacks", "open_host_callbacks", moved_callbacks, "Python callbacks"),
], ids=lambda value: getattr(value, "__name__", None))
def test_a_moved_target_costs_one_warning(module, monkeypatch, name, function, break_jax, what):
    apply = getattr(module(name), function)
    with monkeypatch.context() as patched:
        break_jax(patched)
        with pytest.warns(RuntimeWarning, match=what) as caught:
            assert apply("some_platform") is False
        assert len(caught) == 1
        assert jax.__version__ in str(caught[0].message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert apply("some_platform") is False


def test_the_list_of_missing_rules_survives_a_moved_table(support, monkeypatch):
    from jax._src.interpreters import mlir

    with monkeypatch.context() as patched:
        patched.delattr(mlir, "_lowerings")
        assert support.missing_lowering_rules("some_platform") == {}


def test_target_says_what_is_wrong(module):
    guard = module("patch_guard")
    somewhere = types.ModuleType("somewhere")
    somewhere.number = 3
    assert guard.target(somewhere, "number", int) == 3
    with pytest.raises(guard.TargetMoved, match="somewhere.number is not what it was"):
        guard.target(somewhere, "number", list)
    with pytest.raises(guard.TargetMoved, match="somewhere.nothing is gone"):
        guard.target(somewhere, "nothing", list)
