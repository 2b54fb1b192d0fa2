"""wasmtime, which runs WASI programs in tools/ci/platforms."""

load("//rules/private/repository:wheel_files.bzl", "wheel_files")  # buildifier: disable=bzl-visibility

_MODULES = [
    "__init__",
    "_bindings",
    "_config",
    "_engine",
    "_error",
    "_exportable",
    "_extern",
    "_ffi",
    "_func",
    "_globals",
    "_instance",
    "_instance_pre",
    "_linker",
    "_managed",
    "_memory",
    "_module",
    "_sharedmemory",
    "_slab",
    "_store",
    "_table",
    "_tag",
    "_trap",
    "_types",
    "_value",
    "_wasi",
    "_wat2wasm",
]

_COMPONENT_MODULES = [
    "__init__",
    "_component",
    "_enter",
    "_func",
    "_instance",
    "_linker",
    "_resource_type",
    "_resources",
    "_types",
]

def wasmtime():
    """Defines @executorch_wasmtime, with the package for Linux on x86-64."""
    wheel_files(
        name = "executorch_wasmtime",
        package = "wasmtime",
        version = "50.0.1",
        sha256 = "cc14c3a17654e0394e0225b11813532ef0cd7bd1e222a0c5494cdedaabeddac4",
        files = ["wasmtime/linux-x86_64/_libwasmtime.so"] +
                ["wasmtime/%s.py" % module for module in _MODULES] +
                ["wasmtime/component/%s.py" % module for module in _COMPONENT_MODULES],
    )
