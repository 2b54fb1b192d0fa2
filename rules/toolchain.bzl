"""Toolchains for compiling models and for generating code.

They declare the interpreter, the packages and the sources as inputs.
"""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules/private:bazel_features.bzl", "RESTARTS_WORKERS_FOR_TOOLS")
load("//rules/private:distributions.bzl", "distribution_versions", "distributions_aspect")
load("//rules/private:labels.bzl", "display_label", "folder_paths")
load("//rules/private:locked_packages.bzl", "LockedPackagesInfo")
load("//rules/private:python_module.bzl", "data_files", "import_root")
load("//rules/private:required_packages.bzl", "NEWEST_TORCH", "OLDEST_TORCH", "REQUIRED_PACKAGES")

TOOLCHAIN_TYPE = str(Label("//rules:toolchain_type"))
CODEGEN_TOOLCHAIN_TYPE = str(Label("//rules:codegen_toolchain_type"))

_DOC = """The toolchain that compiles models.

It contains a Python interpreter with its standard library, packages (torch and others), and the sources of the compiler. The
packages are one folder (`site`), or libraries of a hub such as rules_python's `@pip` (`libraries`)."""

_CODEGEN_DOC = """The toolchain that reads programs and generates C.

It contains a Python interpreter without packages. Unlike the toolchain that compiles models, it needs no torch."""

_INTERPRETER_ATTRS = {
    "python": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "The interpreter: CPython 3.11 to 3.14.",
    ),
    "python_files": attr.label_list(
        allow_files = True,
        cfg = "exec",
        doc = "Other files that the interpreter needs.",
    ),
    "library": attr.label(
        allow_files = True,
        cfg = "exec",
        doc = "Files of the standard library. Without them, the interpreter uses the library of the machine.",
    ),
    "identity": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "File that changes with the interpreter or the packages. It restarts workers and is part of cache keys.",
    ),
}

_ATTRS = dict(
    _INTERPRETER_ATTRS,
    python = attr.label(
        allow_single_file = True,
        cfg = "exec",
        doc = "The interpreter: CPython 3.11 to 3.14. The default is the interpreter of the rules, with its library.",
    ),
    identity = attr.label(
        allow_single_file = True,
        cfg = "exec",
        doc = "File that changes with the interpreter or `site`. It restarts workers and is part of cache keys. Required with `site`.",
    ),
    site = attr.label(
        allow_files = True,
        cfg = "exec",
        doc = "Installed packages: the files of a folder with the target's name, such as `filegroup(name = \"site\", srcs = glob([\"site/**\"]))`.",
    ),
    libraries = attr.label_list(
        aspects = [distributions_aspect],
        cfg = "exec",
        providers = [PyInfo],
        doc = "Packages of a hub, instead of `site`: `@pip//torch`, `@pip//numpy` and `@pip//flatbuffers`, and optionally others.",
    ),
    _python = attr.label(
        allow_single_file = True,
        cfg = "exec",
        default = "@executorch_python//:python3",
    ),
    _library = attr.label(
        allow_files = True,
        cfg = "exec",
        default = "@executorch_python//:library",
    ),
    packages = attr.label(
        providers = [LockedPackagesInfo],
        doc = "List of the packages in `site`, such as `@executorch_pip//:packages`. If a model depends on one of them in another " +
              "repository, that copy is not an input of its actions, and a different version is an error. Without this list, such " +
              "copies are inputs, and come after `site` on the path.",
    ),
    compiler = attr.label(
        cfg = "exec",
        default = "//rules:compiler",
        doc = "Sources of the compiler (`compiler_sources`).",
    ),
    compiler_main = attr.label(
        allow_single_file = [".py"],
        cfg = "exec",
        default = "//exir:cli/start.py",
        doc = "Main file of the compiler, one of `compiler`.",
    ),
)

_CODEGEN_ATTRS = dict(
    _INTERPRETER_ATTRS,
    generators = attr.label(
        cfg = "exec",
        default = "//rules:generators",
        doc = "Sources of the code generators (`compiler_sources`): they write manifests and C.",
    ),
    reporters = attr.label(
        cfg = "exec",
        default = "//rules:reporters",
        doc = "Sources of the report generators (`compiler_sources`): they write HTML pages.",
    ),
)

def _sources_info(target):
    """Returns files, executable (see compiler_sources) and root folder of sources."""
    return struct(
        files = target[DefaultInfo].files,
        executable = target[DefaultInfo].files_to_run,
        root = target.label.workspace_root or ".",
    )

def _toolchain_info(ctx, toolchain_type, python, library, **fields):
    return platform_common.ToolchainInfo(
        toolchain_type = toolchain_type,
        python = python,
        library = library,
        python_files = depset(ctx.files.python_files),
        identity = [ctx.file.identity] if ctx.file.identity else [],
        **fields
    )

def _folder_packages(ctx):
    """Returns the packages of `site`.

    The identity restarts workers if a file changes.
    """
    if not ctx.file.identity:
        fail("%s: 'site' requires 'identity'; name a file that changes with the folder" % display_label(ctx.label))
    folder = folder_paths(ctx.attr.site)
    return struct(
        files = ctx.attr.site[DefaultInfo].files,
        tools = depset(),
        roots = [folder.path],
        runfiles_roots = [folder.short_path],
        versions = ctx.attr.packages[LockedPackagesInfo].versions if ctx.attr.packages else {},
    )

def _check_libraries(where, versions):
    if not RESTARTS_WORKERS_FOR_TOOLS:
        fail("%s: 'libraries' requires Bazel 7 or newer; use 'site'" % where)
    missing = [name for name in REQUIRED_PACKAGES if name not in versions]
    if missing:
        fail("%s: 'libraries' lacks %s; add each to the requirements of your hub and to 'libraries'" % (where, ", ".join(missing)))
    release = tuple([int(part) for part in versions["torch"].split(".")[:2]])
    if release < OLDEST_TORCH or release > NEWEST_TORCH:
        fail("%s: unsupported torch: found torch %s; use torch %d.%d to %d.%d" % ((where, versions["torch"]) + OLDEST_TORCH + NEWEST_TORCH))

def _library_packages(ctx):
    """Returns the packages of `libraries`. A changed file restarts workers."""
    versions = distribution_versions(ctx.attr.libraries)
    _check_libraries(display_label(ctx.label), versions)
    sources = [library[PyInfo].transitive_sources for library in ctx.attr.libraries]
    files = depset(transitive = sources + [data_files(ctx.attr.libraries)])
    imports = depset(transitive = [library[PyInfo].imports for library in ctx.attr.libraries]).to_list()
    return struct(
        files = files,
        tools = files,
        roots = [import_root(entry, ctx.workspace_name) for entry in imports],
        runfiles_roots = ["../" + entry for entry in imports],
        versions = versions,
    )

def _toolchain_impl(ctx):
    if bool(ctx.attr.site) == bool(ctx.attr.libraries):
        fail("%s: set one of 'site' and 'libraries'" % display_label(ctx.label))
    return [_toolchain_info(
        ctx,
        TOOLCHAIN_TYPE,
        python = ctx.file.python or ctx.file._python,
        library = ctx.files.library if ctx.file.python else ctx.files._library,
        packages = _folder_packages(ctx) if ctx.attr.site else _library_packages(ctx),
        compiler = _sources_info(ctx.attr.compiler),
        compiler_main = ctx.file.compiler_main,
    )]

def _codegen_impl(ctx):
    return [_toolchain_info(
        ctx,
        CODEGEN_TOOLCHAIN_TYPE,
        python = ctx.file.python,
        library = ctx.files.library,
        generators = _sources_info(ctx.attr.generators),
        reporters = _sources_info(ctx.attr.reporters),
    )]

executorch_toolchain = rule(
    implementation = _toolchain_impl,
    attrs = _ATTRS,
    doc = _DOC,
)

executorch_codegen_toolchain = rule(
    implementation = _codegen_impl,
    attrs = _CODEGEN_ATTRS,
    doc = _CODEGEN_DOC,
)
