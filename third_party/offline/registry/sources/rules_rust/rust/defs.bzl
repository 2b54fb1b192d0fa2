"""`rust_library`, `rust_binary` and `rust_test` for machines that cannot reach the central registry.

They have the attributes of rules_rust that this repository uses, and run the machine's rustc.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rust/private:system_rustc.bzl", "RustcInfo")

_CrateInfo = provider(
    doc = "A Rust library.",
    fields = {
        "name": "string: name of the crate.",
        "rlib": "File: the library.",
        "transitive": "depset[File]: the libraries that it uses.",
        "cc": "CcInfo: the C libraries that it uses.",
    },
)

_ATTRS = {
    "compile_data": attr.label_list(
        allow_files = True,
        doc = "Files that the compiler reads.",
    ),
    "crate_features": attr.string_list(doc = "Features of the crate."),
    "crate_name": attr.string(doc = "Name of the crate; by default, the target's."),
    "crate_root": attr.label(
        allow_single_file = [".rs"],
        doc = "The root of the crate; by default, the only source, `main.rs` or `lib.rs`.",
    ),
    "data": attr.label_list(
        allow_files = True,
        doc = "Runfiles.",
    ),
    "deps": attr.label_list(doc = "Rust and C libraries."),
    "edition": attr.string(
        default = "2021",
        doc = "Edition of the language.",
    ),
    "rustc_env": attr.string_dict(doc = "Environment of the compiler."),
    "rustc_flags": attr.string_list(doc = "Flags of the compiler."),
    "srcs": attr.label_list(
        allow_files = [".rs"],
        doc = "Sources.",
    ),
    "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    "_rustc": attr.label(
        default = "@system_rustc//:rustc",
        providers = [RustcInfo],
    ),
}

def _crate_root(ctx):
    if ctx.file.crate_root:
        return ctx.file.crate_root
    for file in ctx.files.srcs:
        if len(ctx.files.srcs) == 1 or file.basename in ["lib.rs", "main.rs", ctx.label.name + ".rs"]:
            return file
    fail("%s: no source is named lib.rs or main.rs; set 'crate_root'" % ctx.label)

def _c_libraries(cc):
    """Returns the archives and the linker flags of C libraries."""
    archives, whole, flags, inputs = [], [], [], []
    for linker_input in cc.linking_context.linker_inputs.to_list():
        flags.extend(linker_input.user_link_flags)
        inputs.extend(linker_input.additional_inputs)
        for library in linker_input.libraries:
            archive = library.pic_static_library or library.static_library
            if archive and library.alwayslink:
                whole.append(archive)
            elif archive:
                archives.append(archive)

    # Whole archives come first, because they refer to symbols of the others.
    grouped = ["-Wl,--whole-archive"] + [archive.path for archive in whole] + ["-Wl,--no-whole-archive", "-Wl,--start-group"]
    grouped += [archive.path for archive in archives] + ["-Wl,--end-group"]
    return grouped + flags, whole + archives + inputs

def _compile(ctx, crate_type, output, flags = []):
    """Registers the compilation; returns the _CrateInfo."""
    compiler = ctx.attr._rustc[RustcInfo].path
    if not compiler:
        fail("%s: this machine has no rustc; install it (Debian: apt-get install rustc), or specify one with RUSTC" % ctx.label)
    crates = [dep[_CrateInfo] for dep in ctx.attr.deps if _CrateInfo in dep]
    libraries = [dep[CcInfo] for dep in ctx.attr.deps if CcInfo in dep]
    cc = cc_common.merge_cc_infos(cc_infos = libraries + [crate.cc for crate in crates])
    name = ctx.attr.crate_name or ctx.label.name.replace("-", "_")
    root = _crate_root(ctx)
    args = ctx.actions.args()
    args.add(root)
    args.add("--crate-name=" + name)
    args.add("--crate-type=" + crate_type)
    args.add("--edition=" + ctx.attr.edition)
    args.add("-o", output)
    args.add("-Copt-level=%d" % (3 if ctx.var["COMPILATION_MODE"] == "opt" else 0))
    for feature in ctx.attr.crate_features:
        args.add("--cfg=feature=\"%s\"" % feature)
    for crate in crates:
        args.add("--extern=%s=%s" % (crate.name, crate.rlib.path))
    rlibs = depset([crate.rlib for crate in crates], transitive = [crate.transitive for crate in crates])
    args.add_all(rlibs, format_each = "-Ldependency=%s", map_each = _folder, uniquify = True)
    inputs = []
    cc_toolchain = find_cc_toolchain(ctx)
    if crate_type == "bin":
        link_flags, inputs = _c_libraries(cc)
        args.add("-Clinker=" + cc_toolchain.compiler_executable)
        args.add_all(link_flags, format_each = "-Clink-arg=%s")
    args.add_all(flags + ctx.attr.rustc_flags)
    ctx.actions.run_shell(
        # Without the folder of the sandbox in debug information, so that outputs do not depend on it.
        command = "exec '%s' --remap-path-prefix=\"$PWD\"=. \"$@\"" % compiler,
        arguments = [args],
        inputs = depset(ctx.files.srcs + ctx.files.compile_data + [root] + inputs, transitive = [rlibs, cc_toolchain.all_files]),
        outputs = [output],
        env = dict(ctx.attr.rustc_env, PATH = "/usr/bin:/bin"),
        mnemonic = "Rustc",
        progress_message = "Compiling Rust crate %s" % name,
    )
    return _CrateInfo(name = name, rlib = output, transitive = rlibs, cc = cc)

def _folder(file):
    return file.dirname

def _runfiles(ctx):
    runfiles = ctx.runfiles(files = ctx.files.data)
    for target in ctx.attr.deps + ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return runfiles

def _library_impl(ctx):
    name = ctx.attr.crate_name or ctx.label.name.replace("-", "_")
    identity = str(abs(hash(str(ctx.label))))
    rlib = ctx.actions.declare_file("lib%s-%s.rlib" % (name, identity))
    crate = _compile(ctx, "rlib", rlib, flags = ["-Cmetadata=" + identity])
    return [DefaultInfo(files = depset([crate.rlib]), runfiles = _runfiles(ctx)), crate]

def _program(ctx, flags = []):
    output = ctx.actions.declare_file(ctx.label.name)
    _compile(ctx, "bin", output, flags = flags)
    return [DefaultInfo(executable = output, files = depset([output]), runfiles = _runfiles(ctx))]

def _test_impl(ctx):
    env = {name: ctx.expand_location(value, ctx.attr.data) for name, value in ctx.attr.env.items()}
    return _program(ctx, flags = ["--test"]) + [testing.TestEnvironment(env)]

_COMMON = {
    "fragments": ["cpp"],
    "toolchains": use_cc_toolchain(),
}

rust_library = rule(
    implementation = _library_impl,
    attrs = _ATTRS,
    doc = "A Rust library.",
    provides = [_CrateInfo],
    **_COMMON
)

rust_binary = rule(
    implementation = _program,
    attrs = _ATTRS,
    doc = "A Rust program.",
    executable = True,
    **_COMMON
)

rust_test = rule(
    implementation = _test_impl,
    attrs = dict(_ATTRS, env = attr.string_dict(doc = "Environment of the test.")),
    doc = "A Rust test with the test functions of its sources.",
    test = True,
    **_COMMON
)
