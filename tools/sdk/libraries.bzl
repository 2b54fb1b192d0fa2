"""static_libraries: the static libraries that a program would link."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _impl(ctx):
    inputs = depset(transitive = [dep[CcInfo].linking_context.linker_inputs for dep in ctx.attr.deps])
    libraries = [library for item in inputs.to_list() for library in item.libraries]
    files = [library.pic_static_library or library.static_library for library in libraries]
    return [DefaultInfo(files = depset([file for file in files if file]))]

static_libraries = rule(
    implementation = _impl,
    attrs = {"deps": attr.label_list(
        mandatory = True,
        providers = [CcInfo],
        doc = "C and C++ libraries. The outputs are their static libraries and those of their dependencies.",
    )},
    doc = "The static libraries of C and C++ targets, for distribution. Position-independent code is preferred.",
)
