"""executorch_rust_library: a compiled model as a Rust crate.

It has its own file, because it requires Rust rules: `@rules_executorch//bindings/rust:defs.bzl`.
"""

load("@executorch_rust_rules//:defs.bzl", "IS_SELECTED", "rust_library")
load("//rules:defs.bzl", "executorch_cc_library")
load(":rust_source.bzl", "rust_source")

def executorch_rust_library(name, model, crate_name = None, type_name = "", borrow = [], std = True, rustc_flags = [], tags = [], testonly = False, visibility = None, **kwargs):
    """A compiled model as a Rust crate, with a type for the model and a function for each method.

    `rust_binary` and other rules of rules_rust can name the target in `deps`. The workspace selects the Rust
    rules with `executorch.rust` in MODULE.bazel (docs/how_to/use_from_rust.md).

    The crate links a C library `<name>_cc` with the runtime, the program, and only the kernels and backends that it uses.

    Args:
      name: Name of the library.
      model: An `executorch_model` or `executorch_import`.
      crate_name: Name of the crate. Default: `name`.
      type_name: Name of the model's type, such as `Classifier`. Default: the model's `prefix` in Pascal case, without the package.
      borrow: Files that `load` takes from the caller: `program`, `weights` (of models with `external_weights`). The library embeds the
        others.
      std: Whether Rust's standard library is available. Otherwise, the crate needs `alloc` only, and uses `executorch_no_std`. All
        crates of a program must agree.
      rustc_flags: Flags of the Rust compiler.
      tags: Tags of all targets.
      testonly: Whether only tests can use the targets.
      visibility: Visibility of the crate.
      **kwargs: Other attributes of `executorch_cc_library`, such as `features` and `target_compatible_with`.
    """
    if not IS_SELECTED:
        fail(("executorch_rust_library(name = '%s'): this workspace has not selected Rust rules; " +
              "add executorch.rust(rules = \"@rules_rust//rust:defs.bzl\") to MODULE.bazel, " +
              "or pass rust = \"@rules_rust//rust:defs.bzl\" to executorch_dependencies in WORKSPACE") % name)
    common = {"tags": tags, "testonly": testonly}
    executorch_cc_library(
        name = name + "_cc",
        borrow = borrow,
        model = model,
        visibility = ["//visibility:private"],
        **dict(kwargs, **common)
    )
    rust_source(
        name = name + "_source",
        borrow = borrow,
        library = name + "_cc",
        model = model,
        type_name = type_name,
        visibility = ["//visibility:private"],
        **common
    )
    rust_library(
        name = name,
        srcs = [name + "_source"],
        crate_name = crate_name or name.replace("-", "_"),
        edition = "2021",
        rustc_flags = rustc_flags,
        visibility = visibility,
        deps = [
            name + "_cc",
            Label("//bindings/rust:executorch" if std else "//bindings/rust:executorch_no_std"),
        ],
        **common
    )
