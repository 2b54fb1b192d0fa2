"""The rule of executorch_cc_library.

It compiles and links models as a C library with only the kernels that they use.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:model_library.bzl", "MODEL_LIBRARY_ATTRS", "borrowed_programs", "cc_toolchain_args", "compile_library", "generate_library", "library_deps")

_DOC = """Compiled models as a C library.

The library contains typed headers (`<package>/<name>.h` for C and `<package>/<name>.hpp` for C++17), the programs in
read-only memory, and a table with only the kernels and backends that they use. It runs no code before `main`, and does not
look up kernels by name at run time."""

_ATTRS = dict(
    MODEL_LIBRARY_ATTRS,
    linked_registry = attr.bool(doc = "Also define `et_linked_registry`, which the test programs of //runtime/replay use."),
)

def _static_archives(library):
    """Returns the library's archives, the default outputs of the target."""
    return [file for file in [library.static_library, library.pic_static_library] if file]

def _impl(ctx):
    generated = generate_library(ctx, flags = ["--linked-registry"] if ctx.attr.linked_registry else [])
    deps = library_deps(ctx, generated.models)
    toolchain_args = cc_toolchain_args(ctx)
    compilation_context, compilation_outputs = compile_library(ctx, toolchain_args, generated, deps)
    linking_context, linking_outputs = cc_common.create_linking_context_from_compilation_outputs(
        name = ctx.label.name,
        compilation_outputs = compilation_outputs,
        linking_contexts = [info.linking_context for info in deps],
        disallow_dynamic_library = True,
        **toolchain_args
    )
    return [
        DefaultInfo(
            files = depset(generated.headers + _static_archives(linking_outputs.library_to_link)),
            runfiles = borrowed_programs(ctx, generated.models),
        ),
        CcInfo(compilation_context = compilation_context, linking_context = linking_context),
    ]

executorch_cc_library = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = [CODEGEN_TOOLCHAIN_TYPE] + use_cc_toolchain(),
)
