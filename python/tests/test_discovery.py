"""How JAX finds the plugin, and what a user reads when it cannot be used."""

from __future__ import annotations

import importlib
import importlib.metadata

import pytest


def test_the_entry_point_leads_to_a_module_with_initialize(platform):
    [entry] = [entry for entry in importlib.metadata.entry_points(group="jax_plugins") if entry.name == platform]
    module = entry.load()
    assert module.__name__ == f"jax_plugins.{platform}"
    assert callable(module.initialize)


def test_jax_plugins_stays_a_namespace_package():
    # A jax_plugins/__init__.py in one wheel would hide the plugins of all others.
    assert getattr(importlib.import_module("jax_plugins"), "__file__", None) is None


def test_without_jax_platforms_the_plugin_outranks_the_stock_cpu(run_python, client_platform):
    done = run_python("""
        import jax, jax.numpy as jnp
        x = jnp.add(1, 1)
        print(jax.default_backend(), next(iter(x.devices())).platform, int(x), jax.devices()[0].client.platform_version)
    """, JAX_PLATFORMS=None)
    assert done.stdout.split()[:3] == [client_platform, client_platform, "2"]
    assert "backend-" in done.stdout
    assert "experimental" not in done.stderr
    assert "Warning" not in done.stderr


def test_jax_platforms_cpu_leaves_the_plugin_alone(run_python):
    done = run_python("import jax; print(jax.default_backend())", JAX_PLATFORMS="cpu")
    assert done.stdout.split() == ["cpu"]


def test_calling_initialize_by_hand_is_harmless(run_python, platform):
    done = run_python(f"""
        import jax
        from jax_plugins import {platform} as plugin
        plugin.initialize()
        plugin.initialize()
        print(len(jax.devices()))
    """, JAX_PLATFORMS=platform)
    assert int(done.stdout) >= 1
    assert "error" not in done.stderr.lower()


def test_a_plugin_in_the_process_registers_by_capsule(run_python, platform, client_platform, library):
    done = run_python(f"""
        import ctypes, jax, jax.extend.backend, jax.numpy as jnp
        from jax_plugins.{platform} import pjrt_plugin_support as support
        loaded = ctypes.CDLL({library!r})
        capsule = support.register("by_capsule", c_api=support.c_api_capsule(loaded), priority=900,
                                   client_platform={client_platform!r})
        assert capsule is not None
        backend = jax.extend.backend.get_backend("by_capsule")
        print(backend.platform, jnp.arange(4).sum())
    """, JAX_PLATFORMS="by_capsule")
    assert done.stdout.split() == [client_platform, "6"]


def test_options_reach_the_plugin(run_python, platform):
    # An option that no backend has must come back by name: proof that it arrived.
    done = run_python(f"""
        import jax
        from jax_plugins import {platform} as plugin
        plugin.pjrt_plugin_support.register({platform!r}, library_path=plugin.LIBRARY_PATH,
                                            options=lambda: {{"no_such_option": 7}})
        jax.devices()
    """, check=False, JAX_PLATFORMS=platform)
    assert done.returncode != 0
    assert "no_such_option" in done.stderr


def loud_failure(run_python, platform, program: str, **variables) -> str:
    """Standard error of a program that asks for devices and must not get any."""
    done = run_python(f"""
        import jax
        from jax_plugins import {platform} as plugin
        {program}
        print(jax.devices())
    """, check=False, **{"JAX_PLATFORMS": platform, **variables})
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert "RuntimeError" in done.stderr
    return done.stderr


def test_a_missing_library_is_named(run_python, platform, tmp_path):
    said = loud_failure(run_python, platform, f"plugin.LIBRARY_PATH = {str(tmp_path / 'gone.so')!r}")
    assert "gone.so: there is no such file" in said
    assert "could not be registered" in said


def test_a_library_that_is_none_is_named(run_python, platform, tmp_path):
    (tmp_path / "text.so").write_text("this is no shared library")
    said = loud_failure(run_python, platform, f"plugin.LIBRARY_PATH = {str(tmp_path / 'text.so')!r}")
    assert "text.so: not a shared library" in said


def test_a_library_for_another_machine_is_named(run_python, platform, library, tmp_path):
    image = bytearray(open(library, "rb").read(4096))
    image[18:20] = (243).to_bytes(2, "little")  # RISC-V
    (tmp_path / "riscv.so").write_bytes(image)
    said = loud_failure(run_python, platform, f"plugin.LIBRARY_PATH = {str(tmp_path / 'riscv.so')!r}")
    assert "built for ELF machine 243" in said


@pytest.mark.parametrize("size", [64, 100, 4096, 60_000])
def test_a_library_that_is_cut_off_is_named(run_python, platform, library, tmp_path, size):
    # The loader would map it and die of a bus error.
    (tmp_path / "part.so").write_bytes(open(library, "rb").read(size))
    said = loud_failure(run_python, platform, f"plugin.LIBRARY_PATH = {str(tmp_path / 'part.so')!r}")
    assert f"part.so: cut off: {size} bytes" in said


def test_a_library_without_the_symbol_fails_by_its_name(run_python, platform, tmp_path):
    import _ctypes

    said = loud_failure(run_python, platform, f"plugin.LIBRARY_PATH = {_ctypes.__file__!r}")
    assert "GetPjrtApi" in said


def test_a_failing_plugin_is_loud_without_jax_platforms_too(run_python, platform, tmp_path):
    said = loud_failure(run_python, platform, f"plugin.LIBRARY_PATH = {str(tmp_path / 'gone.so')!r}", JAX_PLATFORMS="")
    assert "there is no such file" in said


def test_a_table_of_a_version_that_jax_refuses_is_loud(run_python, platform, library):
    done = run_python(f"""
        import ctypes, jax
        from jax_plugins.{platform} import pjrt_plugin_support as support
        from jax_plugins.{platform}.pjrt_plugin_support import capsule
        loaded = ctypes.CDLL({library!r})
        loaded.GetPjrtApi.restype = ctypes.c_void_p
        size = ctypes.c_size_t.from_address(loaded.GetPjrtApi()).value
        table = ctypes.create_string_buffer(ctypes.string_at(loaded.GetPjrtApi(), size))
        ctypes.c_int.from_buffer(table, 36).value = 10   # minor version
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        support.register("too_old", c_api=new(ctypes.addressof(table), capsule._CAPSULE_NAME, None))
        jax.devices()
    """, check=False, JAX_PLATFORMS="too_old")
    assert done.returncode == 1
    assert "Unable to initialize backend 'too_old'" in done.stderr
    assert "0.10" in done.stderr or "minor" in done.stderr


def test_the_environment_variable_takes_the_place_of_the_installed_library(run_python, platform, client_platform, library):
    done = run_python(f"""
        import jax, jax.numpy as jnp
        print(jax.devices()[0].platform, jnp.add(1, 1))
        open_files = open("/proc/self/maps").read()
        assert {library!r} in open_files
    """, JAX_PLATFORMS=platform, PJRT_NAMES_AND_LIBRARY_PATHS=f"{platform}:{library}")
    assert done.stdout.split() == [client_platform, "2"]
    assert "experimental" not in done.stderr


def test_wrong_uses_of_register_are_refused(support):
    for arguments in ({}, {"library_path": "a", "c_api": object()}):
        with pytest.raises(ValueError, match="either library_path or c_api"):
            support.register("wrong", **arguments)
    with pytest.raises(ValueError, match="host_callbacks='maybe'"):
        support.register("wrong", library_path="a", host_callbacks="maybe")
    with pytest.raises(support.PluginLibraryError, match="no such file"):
        support.register("wrong", library_path="/no/such/plugin.so")
