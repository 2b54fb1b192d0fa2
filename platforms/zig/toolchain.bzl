"""C and C++ toolchains that use Zig's compiler, which has the headers and libraries of all its targets."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "artifact_name_pattern",
    "env_entry",
    "env_set",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
)
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("//rules:zig_targets.bzl", "ZIG_TARGETS")
load(":libc_configuration.bzl", "libc_configuration")

_COMPILE_ACTIONS = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.preprocess_assemble,
]

_LINK_ACTIONS = [
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

_ARCHIVE_ACTIONS = [ACTION_NAMES.cpp_link_static_library]

# Zig's C compiler enables the undefined behavior sanitizer by default. The other flags make objects
# reproducible.
_COPTS = [
    "-fno-sanitize=undefined",
    "-Wno-pass-failed",  # `#pragma unroll` is only a hint
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
]

# For C++ sources, Zig's option for its C++ library adds the headers.
_CXX = "-lc++"

_LINKOPTS = [
    "-fno-sanitize=undefined",
    _CXX,
]

# With `-c opt`, as Bazel's own toolchain for Linux.
_OPT_COPTS = [
    "-g0",
    "-O2",
    "-DNDEBUG",
    "-ffunction-sections",
    "-fdata-sections",
]

_OPT_LINKOPTS = ["-Wl,--gc-sections"]

_TOOLS = {"ar": "ar.sh", "gcc": "cc.sh"}

_OTHER_TOOLS = ["cpp", "gcov", "ld", "nm", "objdump", "strip"]

_ZIG = attr.label(
    default = "@executorch_zig//:ziglang/zig",
    allow_single_file = True,
    cfg = "exec",
)

def _zig_libc_impl(ctx):
    archive = ctx.actions.declare_file(ctx.label.name + ".tar")
    args = ctx.actions.args()
    args.add_all([ctx.file._zig.dirname, archive, "-target", ctx.attr.triple, "-O2"])
    args.add_all(_LINKOPTS)
    args.add_all(ctx.attr.linkopts)
    args.add(ctx.file._probe)
    args.add("-lm")
    ctx.actions.run(
        executable = ctx.executable._build,
        arguments = [args],
        inputs = depset([ctx.file._probe], transitive = [ctx.attr._files[DefaultInfo].files]),
        outputs = [archive],
        # Zig uses its cache only with the same inodes of its files, so each output base needs its own.
        execution_requirements = {"no-cache": "1"},
        mnemonic = "ZigLibc",
        progress_message = "Building the C and C++ libraries for " + ctx.attr.triple,
    )
    return [DefaultInfo(files = depset([archive]))]

_zig_libc = rule(
    implementation = _zig_libc_impl,
    cfg = libc_configuration,
    attrs = {
        "triple": attr.string(mandatory = True, doc = "Zig's name of the target."),
        "linkopts": attr.string_list(doc = "Flags for all links."),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
        "_build": attr.label(default = "//platforms/zig:libc.sh", allow_single_file = True, cfg = "exec", executable = True),
        "_files": attr.label(default = "@executorch_zig//:all_files", cfg = "exec"),
        "_probe": attr.label(default = "//platforms/zig:probe.cc", allow_single_file = True),
        "_zig": _ZIG,
    },
    doc = "A cache of Zig with the target's C and C++ libraries, as a tar archive. Without it, each link would build them.",
)

def _flag_set(actions, flags):
    return flag_set(actions = actions, flag_groups = [flag_group(flags = flags)])

def _environment(name, actions, variables):
    entries = [env_entry(key, value) for key, value in variables.items()]
    return feature(name = name, enabled = True, env_sets = [env_set(actions = actions, env_entries = entries)])

def _config_impl(ctx):
    zig = ctx.file._zig.dirname
    target = ["-target", ctx.attr.triple]
    paths = {tool: "unsupported.sh" for tool in _OTHER_TOOLS}
    paths.update(_TOOLS)
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        abi_libc_version = "unknown",
        abi_version = "unknown",
        artifact_name_patterns = [
            artifact_name_pattern("executable", "", ctx.attr.executable_extension),
        ] if ctx.attr.executable_extension else [],
        compiler = "clang",
        cxx_builtin_include_directories = ["%workspace%/" + zig + "/lib"],
        features = [
            _environment("zig", _COMPILE_ACTIONS + _LINK_ACTIONS + _ARCHIVE_ACTIONS, {"ZIG": zig}),
            _environment("libc_archive", _LINK_ACTIONS, {"LIBC_ARCHIVE": ctx.file.libc.path}),
            # Replaces Bazel's feature, whose -Wl,-S makes Zig build its C and C++ libraries again.
            feature(name = "strip_debug_symbols"),
            feature(name = "target", enabled = True, flag_sets = [
                _flag_set(_COMPILE_ACTIONS, target + _COPTS + ctx.attr.copts),
                _flag_set([ACTION_NAMES.cpp_compile], [_CXX]),
                _flag_set(_LINK_ACTIONS, target + _LINKOPTS + ctx.attr.linkopts),
            ]),
            feature(name = "opt", flag_sets = [
                _flag_set(_COMPILE_ACTIONS, _OPT_COPTS),
                _flag_set(_LINK_ACTIONS, _OPT_LINKOPTS),
            ]),
        ],
        host_system_name = "local",
        target_cpu = ctx.attr.triple,
        target_libc = "unknown",
        target_system_name = ctx.attr.triple,
        tool_paths = [tool_path(name = tool, path = path) for tool, path in paths.items()],
        toolchain_identifier = "zig-" + ctx.attr.triple,
    )

_zig_config = rule(
    implementation = _config_impl,
    attrs = {
        "triple": attr.string(mandatory = True, doc = "Zig's name of the target."),
        "libc": attr.label(mandatory = True, allow_single_file = True, cfg = "exec", doc = "The `_zig_libc`."),
        "copts": attr.string_list(doc = "Flags for all compilations."),
        "linkopts": attr.string_list(doc = "Flags for all links."),
        "executable_extension": attr.string(doc = "Extension of the names of programs, such as `.exe`."),
        "_zig": _ZIG,
    },
    doc = "The tools and flags of a target.",
    provides = [CcToolchainConfigInfo],
)

def _zig_toolchain(name, triple, constraints, headers, linkopts = [], **kwargs):
    _zig_libc(
        name = name + "_libc",
        linkopts = linkopts,
        tags = ["manual"],
        triple = triple,
    )
    _zig_config(
        name = name + "_config",
        libc = name + "_libc",
        linkopts = linkopts,
        tags = ["manual"],
        triple = triple,
        **kwargs
    )
    native.filegroup(
        name = name + "_compiler_files",
        srcs = [
            "@executorch_zig//:cxx_headers",
            "@executorch_zig//:ziglang/zig",
            "//platforms/zig:scripts",
        ] + ["@executorch_zig//:" + folder for folder in headers],
        tags = ["manual"],
    )
    native.filegroup(
        name = name + "_linker_files",
        srcs = [
            name + "_libc",
            "@executorch_zig//:all_files",
            "//platforms/zig:scripts",
        ],
        tags = ["manual"],
    )
    cc_toolchain(
        name = name + "_cc",
        # The actions of object_library, which only compile, use all_files.
        all_files = name + "_compiler_files",
        ar_files = name + "_compiler_files",
        as_files = name + "_compiler_files",
        compiler_files = name + "_compiler_files",
        dwp_files = name + "_compiler_files",
        linker_files = name + "_linker_files",
        objcopy_files = name + "_compiler_files",
        strip_files = name + "_compiler_files",
        supports_param_files = True,
        tags = ["manual"],
        toolchain_config = name + "_config",
    )
    native.toolchain(
        name = name,
        exec_compatible_with = ["@platforms//os:linux"],
        target_compatible_with = constraints,
        toolchain = name + "_cc",
        toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
    )

# buildifier: disable=unnamed-macro
def zig_toolchains():
    """Declares a C toolchain for each target of `ZIG_TARGETS`, with the target's name."""
    for name, arguments in ZIG_TARGETS.items():
        _zig_toolchain(name = name, **arguments)
