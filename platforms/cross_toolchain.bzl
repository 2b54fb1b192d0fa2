"""C toolchains for Debian's cross compilers."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl", "feature", "flag_group", "flag_set", "tool_path")
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")

_TOOLS = ["ar", "cpp", "gcc", "gcov", "ld", "nm", "objdump", "strip"]

_COMPILE_ACTIONS = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.preprocess_assemble,
]

# Reproducible objects: no timestamps and no absolute paths.
_COPTS = [
    "-no-canonical-prefixes",
    "-fno-canonical-system-headers",
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
]

_ATTRS = {
    "prefix": attr.string(
        mandatory = True,
        doc = "Prefix of the names of the tools in /usr/bin.",
    ),
    "includes": attr.string_list(
        mandatory = True,
        doc = "Include folders of the compiler.",
    ),
    "copts": attr.string_list(doc = "Flags for all compilations."),
    "linkopts": attr.string_list(doc = "Flags for all links."),
}

def _flags(name, actions, flags):
    sets = [flag_set(actions = actions, flag_groups = [flag_group(flags = flags)])] if flags else []
    return feature(name = name, enabled = True, flag_sets = sets)

def _impl(ctx):
    prefix = ctx.attr.prefix
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        abi_libc_version = "unknown",
        abi_version = "unknown",
        compiler = "gcc",
        cxx_builtin_include_directories = ctx.attr.includes,
        features = [
            _flags("reproducible", _COMPILE_ACTIONS, _COPTS),
            _flags("target_copts", _COMPILE_ACTIONS, ctx.attr.copts),
            _flags("target_linkopts", [ACTION_NAMES.cpp_link_executable], ctx.attr.linkopts),
        ],
        host_system_name = "local",
        target_cpu = prefix,
        target_libc = "unknown",
        target_system_name = prefix,
        tool_paths = [tool_path(name = tool, path = "/usr/bin/" + prefix + tool) for tool in _TOOLS],
        toolchain_identifier = prefix + "toolchain",
    )

_cross_config = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = "The tools and flags of a cross compiler.",
    provides = [CcToolchainConfigInfo],
)

def cross_toolchain(name, constraints, **kwargs):
    """Declares a C toolchain. Workspaces register the ones that they use.

    Args:
      name: name of the `toolchain`.
      constraints: list[Label], constraint values of the target platform.
      **kwargs: prefix, includes, copts, linkopts.
    """
    _cross_config(name = name + "_config", **kwargs)
    native.filegroup(name = name + "_no_files")
    cc_toolchain(
        name = name + "_cc",
        all_files = ":%s_no_files" % name,
        compiler_files = ":%s_no_files" % name,
        dwp_files = ":%s_no_files" % name,
        linker_files = ":%s_no_files" % name,
        objcopy_files = ":%s_no_files" % name,
        strip_files = ":%s_no_files" % name,
        supports_param_files = True,
        toolchain_config = ":%s_config" % name,
    )
    native.toolchain(
        name = name,
        exec_compatible_with = ["@platforms//os:linux"],
        target_compatible_with = constraints,
        toolchain = ":%s_cc" % name,
        toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
    )
