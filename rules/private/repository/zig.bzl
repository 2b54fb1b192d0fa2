"""A repository with Zig's C compiler, which has the headers and C libraries of all its targets."""

load("//rules:zig_targets.bzl", "ZIG_HEADERS")
load("//rules/private/repository:python_interpreter.bzl", "find_any_python")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES", "python_program")

_VERSION = "0.17.1"

# SHA-256 of the wheel for Linux, by the CPU of the build machine.
_WHEELS = {
    "aarch64": "b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e",
    "x86_64": "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54",
}

_CPUS = {"amd64": "x86_64", "arm64": "aarch64"}

# Prints the path of the wheel in the user's cache, or the reason why it is not there.
_LOCATE = """
import sys
from commands import BootstrapError
from wheel_files import Wheel, cached
try:
    print(cached(Wheel(*sys.argv[1:])), end="")
except (BootstrapError, OSError) as error:
    sys.exit(str(error))
"""

# Targets of the repository, besides one for each folder of ZIG_HEADERS.
_PROGRAM = "ziglang/zig"
_ALL_FILES = "all_files"
_CXX_HEADERS = "cxx_headers"

# Fails only when a toolchain is used, so that queries and fetches of all packages work.
_UNSUPPORTED_BUILD = """\
package(default_visibility = ["//visibility:public"])

genrule(
    name = "unsupported",
    outs = ["{program}"],
    cmd = "echo {message} >&2; exit 1",
    tags = ["manual"],
)

[filegroup(name = name) for name in {names}]
"""

# Zig has 20,000 files. A compilation needs its program, and the headers of its target.
_BUILD = """\
package(default_visibility = ["//visibility:public"])

exports_files(["{program}"])

filegroup(
    name = "{all_files}",
    srcs = glob(["ziglang/**"]),
)

filegroup(
    name = "{cxx_headers}",
    srcs = glob([
        "ziglang/lib/%s/**" % folder
        for folder in ["include", "libcxx/include", "libcxxabi/include", "libunwind/include"]
    ]),
)

[filegroup(
    name = name,
    srcs = glob(["ziglang/lib/libc/include/%s/**" % name]),
) for name in {headers}]
"""

def _zig_impl(rctx):
    cpu = _CPUS.get(rctx.os.arch, rctx.os.arch)
    if rctx.os.name != "linux" or cpu not in _WHEELS:
        message = "'//platforms/zig supports builds on Linux with %s, not on %s with %s'" % (
            " and ".join(_WHEELS),
            rctx.os.name,
            cpu,
        )
        names = ZIG_HEADERS + [_ALL_FILES, _CXX_HEADERS]
        build = _UNSUPPORTED_BUILD.format(program = _PROGRAM, message = message, names = names)
        rctx.file("BUILD.bazel", build, executable = False)
        return
    program = python_program(rctx, "wheel_files")
    rctx.report_progress("fetching ziglang " + _VERSION)
    result = rctx.execute(
        [find_any_python(rctx).path, "-B", "-c", _LOCATE, "ziglang", _VERSION, _WHEELS[cpu]],
        environment = {"PYTHONPATH": str(program.dirname)},
        timeout = 3600,
    )
    if result.return_code:
        fail(result.stderr)
    rctx.symlink(result.stdout, "wheel.zip")
    rctx.extract("wheel.zip")
    rctx.delete("wheel.zip")
    build = _BUILD.format(program = _PROGRAM, all_files = _ALL_FILES, cxx_headers = _CXX_HEADERS, headers = ZIG_HEADERS)
    rctx.file("BUILD.bazel", build, executable = False)

zig = repository_rule(
    implementation = _zig_impl,
    attrs = {
        "_python_sources": attr.label_list(default = PYTHON_SOURCES),
    },
    doc = "Zig's C compiler, from the wheel `ziglang`, which pip downloads with the machine's configuration.",
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
