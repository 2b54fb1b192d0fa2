"""object_library: a C library whose actions compile several small sources each."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules/private:bazel_features.bzl", "toolchain_argument")  # buildifier: disable=bzl-visibility
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility

_DOC = """A `cc_library` of C sources that compiles sixteen sources per action, each to its own object.

A library of hundreds of small files therefore needs only a few actions, in a build and in a remote
cache. Programs still link only the objects that they need. An edit recompiles the other fifteen
sources of its action as well."""

OBJECT_LIBRARY_ATTRS = {
    "srcs": attr.label_list(
        allow_files = [".c", ".h"],
        mandatory = True,
        doc = "The sources, and private headers.",
    ),
    "hdrs": attr.label_list(
        allow_files = [".h"],
        doc = "Headers for targets that depend on the library.",
    ),
    "copts": attr.string_list(doc = "Compiler flags."),
    "linkopts": attr.string_list(doc = "Linker flags for programs that link the library."),
    "deps": attr.label_list(
        providers = [CcInfo],
        doc = "Libraries that the library uses.",
    ),
    "_compile_objects": attr.label(
        default = "//rules/private:compile_objects.sh",
        allow_single_file = True,
        cfg = "exec",
        executable = True,
    ),
    "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
}

CoptsInfo = provider(
    doc = "Flags of the compiler from Bazel's command line.",
    fields = {"copts": "list[string]"},
)

_SOURCES_PER_ACTION = 16

# ACTION_NAMES.c_compile. Bazel versions define it in different files.
_C_COMPILE = "c-compile"

def _group_sources(sources):
    """Returns the sources in lists of at most `_SOURCES_PER_ACTION`."""
    count = len(sources)
    return [sources[first:min(first + _SOURCES_PER_ACTION, count)] for first in range(0, count, _SOURCES_PER_ACTION)]

def file_id(path):
    """Returns the number of a source in error codes, as tools/message_of_code.py does.

    Args:
      path: Path from the root of the source's repository.
    """
    return hash(path) & 0xFFFF

def _object_file(ctx, source, pic):
    path = source.short_path.rpartition("/")[2][:-len(".c")]
    return ctx.actions.declare_file("_objs/%s/%s%s" % (ctx.label.name, path, ".pic.o" if pic else ".o"))

def _compile_command(ctx, tools, compilation, pic):
    """Returns the compiler's flags, except source and object, and its environment."""
    flag = getattr(ctx.attr, "copts_flag", None)
    flag_copts = flag[CoptsInfo].copts if flag else []
    options = ctx.fragments.cpp
    variables = cc_common.create_compile_variables(
        feature_configuration = tools.features,
        cc_toolchain = tools.toolchain,
        user_compile_flags = options.copts + options.conlyopts + ctx.attr.copts + flag_copts,
        include_directories = compilation.includes,
        quote_include_directories = compilation.quote_includes,
        system_include_directories = compilation.system_includes,
        preprocessor_defines = compilation.defines,
        use_pic = pic,
    )
    action_args = dict(feature_configuration = tools.features, action_name = _C_COMPILE)
    return struct(
        flags = cc_common.get_memory_inefficient_command_line(variables = variables, **action_args),
        environment = cc_common.get_environment_variables(variables = variables, **action_args),
    )

def _compile_group(ctx, tools, headers, command, sources, pic):
    objects = [_object_file(ctx, source, pic) for source in sources]
    source_list = ctx.actions.args()
    source_list.use_param_file("%s", use_always = True)
    source_list.set_param_file_format("multiline")
    for source, object in zip(sources, objects):
        source_list.add_all([source, object])
        source_list.add(file_id("%s/%s" % (source.owner.package, source.owner.name)))
    args = ctx.actions.args()
    args.add(tools.compiler)
    args.add_all(command.flags)
    ctx.actions.run(
        executable = ctx.executable._compile_objects,
        arguments = [source_list, args],
        inputs = depset(sources, transitive = [headers, tools.toolchain.all_files]),
        outputs = objects,
        env = command.environment,
        mnemonic = "ExecutorchCompileObjects",
        progress_message = "Compiling %d sources of %s" % (len(sources), display_label(ctx.label)),
        **toolchain_argument(Label("@bazel_tools//tools/cpp:toolchain_type"))
    )
    return objects

def _compile_all(ctx, tools, compilation, private_headers, pic):
    """Registers the compile actions with or without PIC; returns the objects."""
    headers = depset(private_headers, transitive = [compilation.headers])
    command = _compile_command(ctx, tools, compilation, pic)
    sources = [file for file in ctx.files.srcs if file.extension == "c"]
    return depset([
        object
        for group in _group_sources(sources)
        for object in _compile_group(ctx, tools, headers, command, group, pic)
    ])

def _cc_tools(ctx):
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        # Coverage would add an output for each object (.gcno).
        unsupported_features = ctx.disabled_features + ["coverage"],
    )
    return struct(
        toolchain = toolchain,
        features = features,
        compiler = cc_common.get_tool_for_action(feature_configuration = features, action_name = _C_COMPILE),
    )

def _compilation_outputs(ctx, tools, compilation, private_headers):
    """Returns the objects that cc_library would create.

    Shared libraries and programs of debug builds use position-independent objects.
    """
    if not tools.toolchain.needs_pic_for_dynamic_libraries(feature_configuration = tools.features):
        return cc_common.create_compilation_outputs(objects = _compile_all(ctx, tools, compilation, private_headers, False))
    objects = _compile_all(ctx, tools, compilation, private_headers, False) if ctx.var["COMPILATION_MODE"] == "opt" else depset()
    return cc_common.create_compilation_outputs(
        objects = objects,
        pic_objects = _compile_all(ctx, tools, compilation, private_headers, True),
    )

def _impl(ctx):
    tools = _cc_tools(ctx)
    deps_info = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    private_headers = [file for file in ctx.files.srcs if file.extension == "h"]

    # As in cc_library, includes are relative to the root of the target's repository.
    repository = ctx.label.workspace_root
    public = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
        quote_includes = depset([repository or ".", "/".join([ctx.bin_dir.path] + ([repository] if repository else []))]),
    )
    compilation_context = cc_common.merge_cc_infos(cc_infos = [CcInfo(compilation_context = public), deps_info]).compilation_context
    linking_context, linking_outputs = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = tools.features,
        cc_toolchain = tools.toolchain,
        compilation_outputs = _compilation_outputs(ctx, tools, compilation_context, private_headers),
        linking_contexts = [deps_info.linking_context],
        user_link_flags = ctx.attr.linkopts,
        disallow_dynamic_library = True,
    )
    library = linking_outputs.library_to_link
    archive = library.static_library or library.pic_static_library
    return [
        DefaultInfo(files = depset([archive])),
        CcInfo(compilation_context = compilation_context, linking_context = linking_context),
    ]

# Arguments of every rule of this kind, except `attrs` and `doc`.
OBJECT_LIBRARY_RULE = dict(
    implementation = _impl,
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = use_cc_toolchain(),
)

object_library = rule(
    attrs = dict(
        OBJECT_LIBRARY_ATTRS,
        copts_flag = attr.label(doc = "A `copts_flag`: command-line flags, appended to `copts`."),
    ),
    doc = _DOC,
    **OBJECT_LIBRARY_RULE
)

def _copts_flag_impl(ctx):
    return [CoptsInfo(copts = ctx.build_setting_value)]

copts_flag = rule(
    implementation = _copts_flag_impl,
    build_setting = config.string_list(flag = True),
    doc = "A Bazel command-line flag whose value is a list of compiler flags.",
)
