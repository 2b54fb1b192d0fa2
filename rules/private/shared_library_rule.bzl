"""The rule of executorch_shared_library.

It links models as a shared library that exports only their functions.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:model_library.bzl", "MODEL_LIBRARY_ATTRS", "borrowed_programs", "cc_toolchain_args", "compile_library", "generate_library", "library_deps")

_DOC = """Compiled models as a shared library `lib<name>.so` that exports only the functions of the models.

The header `<package>/<name>.h` declares these functions: load, set inputs, execute, get outputs,
reset state, unload. `<package>/<name>.hpp` has the same C++17 classes as that of a static library, which
call these functions. The library contains the runtime, the kernels and the backends as hidden
symbols, so several such libraries work in one process (docs/how_to/shared_libraries.md). A
`cc_binary` can name the target in `deps` or in `data`. Only ELF systems are supported."""

_ATTRS = dict(
    MODEL_LIBRARY_ATTRS,
    exports = attr.string_list(
        doc = "Other C functions of the runtime, the kernels or the backends to export, such as `et_method_input_count`.",
    ),
)

def _link_library(ctx, toolchain_args, compilation_outputs, deps, version_script):
    """Links the library; returns its file."""
    linking_outputs = cc_common.link(
        name = ctx.label.name,
        compilation_outputs = compilation_outputs,
        linking_contexts = [info.linking_context for info in deps],
        output_type = "dynamic_library",
        user_link_flags = ["-Wl,--version-script=" + version_script.path] + ["-Wl,-u," + name for name in ctx.attr.exports],
        additional_inputs = [version_script],
        **toolchain_args
    )
    library = linking_outputs.library_to_link
    return library.resolved_symlink_dynamic_library or library.dynamic_library

def _impl(ctx):
    exports = ctx.actions.declare_file(ctx.label.name + ".lds")
    generated = generate_library(ctx, flags = ["--export=" + name for name in ctx.attr.exports], exports = exports)
    deps = library_deps(ctx, generated.models)

    # Whole archives would contain every kernel.
    toolchain_args = cc_toolchain_args(ctx, disabled_features = ["legacy_whole_archive"])
    compilation_context, compilation_outputs = compile_library(ctx, toolchain_args, generated, deps)
    library = _link_library(ctx, toolchain_args, compilation_outputs, deps, exports)
    linker_input = cc_common.create_linker_input(
        owner = ctx.label,
        libraries = depset([cc_common.create_library_to_link(dynamic_library = library, **toolchain_args)]),
    )
    return [
        DefaultInfo(
            files = depset(generated.headers + [library]),
            runfiles = borrowed_programs(ctx, generated.models),
        ),
        CcInfo(
            compilation_context = compilation_context,
            linking_context = cc_common.create_linking_context(linker_inputs = depset([linker_input])),
        ),
    ]

executorch_shared_library = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = [CODEGEN_TOOLCHAIN_TYPE] + use_cc_toolchain(),
)
