"""The rule that writes the sources of the drivers, and an index of the models' files."""

load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module")  # buildifier: disable=bzl-visibility

_ATTRS = {
    "borrowing": attr.string_list(doc = "Names of models whose files the caller provides."),
    "same_prefix": attr.string_list(doc = "Names of models that cannot be in a library with the others."),
    "calls": attr.label_keyed_string_dict(doc = "The models' `replay_data`; the values are their names."),
    "models": attr.label_keyed_string_dict(
        providers = [ExecutorchModelInfo],
        doc = "The models; the values are their names.",
    ),
    "srcs": attr.label_list(
        allow_files = [".py"],
        doc = "The generator.",
    ),
}

def _impl(ctx):
    names = ctx.attr.models.values()
    mains = [ctx.actions.declare_file(name) for name in ["driver_main.c", "driver_main.cc", "driver_main.rs", "DriverMain.java", "driver_main.mjs"]]
    sources = {name: [ctx.actions.declare_file("driver_" + name + end) for end in [".c", ".cc"]] for name in names}
    calls = {name: target[DefaultInfo].files.to_list()[1] for target, name in ctx.attr.calls.items()}
    args = ctx.actions.args()
    index = {}
    files = []
    manifests = []
    for target, name in ctx.attr.models.items():
        info = target[ExecutorchModelInfo]
        borrows = name in ctx.attr.borrowing
        library = "same_prefix" if name in ctx.attr.same_prefix else "models"
        args.add_all("--model", [name, info.prefix, info.manifest, "files" if borrows else "-", library] + sources[name])
        manifests.append(info.manifest)
        found = {"calls": calls.get(name), "manifest": info.manifest, "program": info.pte, "weights": info.weights}
        entry = {role: file.short_path for role, file in found.items() if file}
        index[name] = dict(entry, borrows = borrows)
        files += [file for file in found.values() if file]
    args.add_all(mains)
    run_module(
        ctx,
        ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE],
        ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE].generators,
        module = "tests.languages.drivers",
        arguments = args,
        inputs = depset(manifests + ctx.files.srcs),
        outputs = mains + [file for pair in sources.values() for file in pair],
        mnemonic = "ExecutorchDrivers",
        progress_message = "Generating %s" % display_label(ctx.label),
    )
    c_sources, cpp_sources = [[files[i] for files in sources.values()] for i in range(2)]
    index_file = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(index_file, json.encode(index))
    return [
        DefaultInfo(files = depset([index_file]), runfiles = ctx.runfiles(files + [index_file])),
        OutputGroupInfo(
            c = depset(mains[:1] + c_sources),
            cpp = depset(mains[1:2] + cpp_sources),
            java = depset(mains[3:4]),
            rust = depset(mains[2:3]),
            web = depset(mains[4:]),
        ),
    ]

driver_sources = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = "The sources of drivers in C, C++, Rust, Java and JavaScript, as output groups.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
