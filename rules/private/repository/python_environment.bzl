"""A repository with the packages of a lock file in one folder.

The packages are installed once per user and machine (install_environment.py). The repository has
links to their files. With an archive of modules instead of some 10,000 sources and byte code files
(pack_modules.py), a sandboxed action is as fast as an unsandboxed one.
"""

load("//rules/private/repository:python_interpreter.bzl", "PYTHON_VERSIONS", "find_python")
load("//rules/private/repository:python_site.bzl", "NO_SUCH_TORCH", "SITE", "install_packages", "write_package")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES")

_DOC = """\
The packages of a hash-locked requirements file.

Targets: `:site` (the files of the folder `site`, for PYTHONPATH), `:python3` and `:library` (the interpreter), `:identity` (a file that changes when the \
lock, the interpreter or the recipe does), `:environment` (all four, the inputs of an action), `:requirements.lock` (the lock that was \
installed), `:packages` (the versions of its packages), `:compiler` (an `executorch_toolchain` of all of these), and a `py_library` for each package, \
`//torch` for instance."""

_ATTRS = {
    "lock": attr.label(
        mandatory = True,
        allow_single_file = True,
        doc = "Lock file with exact versions and hashes, for CPython 3.11 on x86-64 Linux.",
    ),
    "other_locks": attr.label_keyed_string_dict(
        allow_files = True,
        doc = "Lock files for other versions and platforms, each with `<version> <platform>`, such as `3.12 linux-x86_64`. " +
              "If several match, the first that can be installed is used. `lock` is tried before them.",
    ),
    "python_version": attr.string(
        default = PYTHON_VERSIONS[0],
        doc = "Version of CPython, such as `3.11`.",
    ),
    "build_variables": attr.string_dict(doc = "Environment variables for packages that pip compiles, which have no wheel."),
    "optional": attr.bool(doc = "If the packages are not available, print a line and create an empty folder, instead of failing."),
    "pack": attr.bool(doc = "Store the modules in an archive."),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

_DEFAULT_LOCK_KEY = "3.11 linux-x86_64"

_BUILD = """\
load("@rules_executorch//rules:toolchain.bzl", "executorch_toolchain")
load("@rules_executorch//rules/private:locked_packages.bzl", "locked_packages")

package(default_visibility = ["//visibility:public"])

exports_files(["identity", "requirements.lock"])

{site}
alias(
    name = "python3",
    actual = "{python}",
)

alias(
    name = "library",
    actual = "{library}",
)

filegroup(
    name = "environment",
    srcs = ["identity", ":library", ":python3", ":site"],
)

locked_packages(
    name = "packages",
    versions = {versions},
)

executorch_toolchain(
    name = "compiler",
    identity = "identity",
    packages = ":packages",
    site = ":site",
)
"""

_PYTHON = Label("@executorch_python//:python3")
_LIBRARY = Label("@executorch_python//:library")

_NO_LOCK_ERROR = """\
no lock file for CPython {key}; lock files exist for: {known_keys}. Make one with that Python \
(third_party/python/README.md), and add it to 'other_locks'."""

_OTHER_LOCK_NOTE = """\
the index does not have the torch of %s; installing %s instead: %s"""

def _candidate_locks(rctx, python):
    """Returns the locks for an interpreter, in the order in which to try them."""
    key = "%s %s" % (rctx.attr.python_version, python.platform)
    locks_and_keys = [(rctx.attr.lock, _DEFAULT_LOCK_KEY)] + rctx.attr.other_locks.items()
    candidates = [lock for lock, lock_key in locks_and_keys if lock_key == key]
    if not candidates:
        fail(_NO_LOCK_ERROR.format(key = key, known_keys = ", ".join([lock_key for _, lock_key in locks_and_keys])))
    return candidates

def _download_note(rctx, lock):
    """Returns the download size that a lock's header states."""
    lines = [line[len("# "):] for line in rctx.read(lock).splitlines() if line.startswith("# To download")]
    return " ".join(lines)

def _install_first_available(rctx, python):
    """Installs the first lock whose torch is available; returns result and lock."""
    locks = _candidate_locks(rctx, python)
    for lock, following in zip(locks, locks[1:] + [None]):
        result = install_packages(rctx, python, rctx.path(lock), rctx.attr.build_variables, rctx.attr.pack)
        if result.return_code != NO_SUCH_TORCH or not following:
            return result, lock

        # buildifier: disable=print
        print(_OTHER_LOCK_NOTE % (lock.name, following.name, _download_note(rctx, following)))
    return None

def _install(rctx, python):
    """Creates the folder `site`; returns the cache entry's name and the lock.

    The name is None if the environment is optional and not installed.
    """
    result, lock = _install_first_available(rctx, python)
    if result.return_code == 0:
        return rctx.path(result.stdout.strip()).dirname.basename, lock
    if not rctx.attr.optional:
        fail(result.stderr)

    # buildifier: disable=print
    print("continuing without the packages of %s: %s" % (lock.name, result.stderr.strip()))
    rctx.file("site/README", "These packages could not be installed.\n", executable = False)
    return None, lock

def _locked_versions(text):
    """Returns versions by name, from a lock with one package per line."""
    lines = [line.split(" ")[0].split("==") for line in text.splitlines() if "==" in line and not line.startswith("#")]
    return {name: version for name, version in lines}

def _python_environment_impl(rctx):
    python = find_python(rctx, rctx.attr.python_version)
    installed, lock = _install(rctx, python)
    lock_text = rctx.read(lock)
    rctx.file("requirements.lock", lock_text, executable = False)
    rctx.file("identity", "{} python-{}\n".format(installed or "none", python.version), executable = False)
    versions = _locked_versions(lock_text)
    rctx.file("BUILD.bazel", _BUILD.format(python = _PYTHON, library = _LIBRARY, site = SITE, versions = versions), executable = False)
    for name in versions:
        write_package(rctx, name)

python_environment = repository_rule(
    implementation = _python_environment_impl,
    attrs = _ATTRS,
    doc = _DOC,
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
