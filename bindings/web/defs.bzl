"""executorch_wasm_library: compiled models as a WebAssembly module with TypeScript types.

executorch_web_server serves a page with them.
"""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("//rules:defs.bzl", "executorch_cc_library")
load("//rules/private:bazel_features.bzl", "SUPPORTS_WASM")  # buildifier: disable=bzl-visibility
load(":model_configuration.bzl", "VARIANT_ISAS", "web_model")
load(":web_rules.bzl", "web_library", "web_source")
load(":web_server.bzl", _executorch_web_server = "executorch_web_server")

executorch_web_server = _executorch_web_server

# The default of the arguments `platform` and `c_toolchain`, without and with threads.
_DEFAULT = "default"
_PLATFORMS = {
    False: Label("//platforms:wasm32_wasi"),
    True: Label("//platforms:wasm32_wasi_threads"),
}
_TOOLCHAINS = {
    False: Label("//platforms/zig:wasm32_wasi"),
    True: Label("//platforms/zig:wasm32_wasi_threads"),
}

# The module has no `main`: JavaScript calls its exported functions.
_LINKOPTS = [
    "-mexec-model=reactor",
    "-Wl,--gc-sections",
    "-Wl,-z,stack-size=262144",
]

# JavaScript creates the memory. Workers set their own stack and thread-local storage.
_THREAD_LINKOPTS = [
    "-Wl,--import-memory",
    "-Wl,--shared-memory",
    "-Wl,--max-memory=4294901760",
    "-Wl,--export=__stack_pointer",
    "-Wl,--export=__tls_size",
    "-Wl,--export=__wasm_init_tls",
]

def executorch_wasm_library(
        name,
        model = None,
        class_name = "",
        models = {},
        embed = False,
        tokenizers = {},
        variants = VARIANT_ISAS.keys(),
        threads = False,
        npm_name = "",
        npm_version = "0.0.0",
        npm_license = "UNLICENSED",
        npm_license_file = None,
        platform = _DEFAULT,
        c_toolchain = _DEFAULT,
        linkopts = _LINKOPTS,
        tags = [],
        testonly = False,
        visibility = None,
        **kwargs):
    """Compiled models as a WebAssembly module, with a JavaScript class for each and TypeScript types.

    The files of the target work in browsers, workers and Node, without other packages (docs/how_to/use_in_browser.md):

    - `<name>.mjs`, a JavaScript module with the classes, and `<name>.d.mts`, their types;
    - `<name>.<variant>.wasm`, the runtime and only the kernels and backends that the models use;
    - `<name>.<Class>.wasm`, a tokenizer, for each of `tokenizers`;
    - `<name>.model.pte` and, for models with `external_weights`, `<name>.model.ptd`. With several models, `<name>.<Class>.pte`.

    The output group `npm`, which is also the target `<name>_npm`, is a folder with these files, `package.json` and licenses.

    Args:
      name: Name of the library.
      model: An `executorch_model` or `executorch_import`. Either this or `models` is mandatory.
      class_name: Name of the model's class, such as `Classifier`. Default: the model's `prefix` in Pascal case, without the package.
      models: Several models in one module: the names of their classes by the labels of the models.
      embed: Whether the .wasm files contain the programs and weights. Otherwise, `load` reads them from separate files, and verifies
        their SHA-256.
      tokenizers: Tokenizers that JavaScript uses: the names of their classes by `wordpiece_vocabulary` or `bpe_vocabulary`.
      variants: Instruction sets, the fastest first; the module selects the first that the engine supports: `relaxed_simd`, `simd`,
        `plain`.
      threads: Whether calls use several threads, in workers that share memory. The target has another file, `<name>.worker.mjs`.
      npm_name: Name of the npm package. Default: `name`.
      npm_version: Version of the npm package.
      npm_license: SPDX expression of the package's license.
      npm_license_file: File with the text of the license.
      platform: Platform of the .wasm files, with the constraint `@platforms//cpu:wasm32`. Default: `//platforms:wasm32_wasi`, or
        `//platforms:wasm32_wasi_threads`.
      c_toolchain: C toolchain for them. None: a toolchain that the workspace has registered. Default: that of `//platforms/zig`.
      linkopts: Flags of the linker. The defaults are those of Clang with wasi-libc.
      tags: Tags of all targets.
      testonly: Whether only tests can use the targets.
      visibility: Visibility of the library.
      **kwargs: Other attributes of `executorch_cc_library`, such as `features`.
    """
    where = "executorch_wasm_library(name = '%s')" % name
    if not SUPPORTS_WASM:
        fail("%s: needs Bazel 7 or newer" % where)
    if bool(model) == bool(models):
        fail("%s: set either 'model' or 'models'" % where)
    if models and class_name:
        fail("%s: 'class_name' is for one model; 'models' has the names of the classes" % where)
    unknown = [variant for variant in variants if variant not in VARIANT_ISAS]
    if unknown or not variants:
        fail("%s: 'variants' is %s; choose from: %s" % (where, variants, ", ".join(VARIANT_ISAS)))
    if "" in tokenizers.values():
        fail("%s: 'tokenizers' has an empty name; set the name of a class for each vocabulary" % where)
    platform = _PLATFORMS[threads] if platform == _DEFAULT else platform
    c_toolchain = _TOOLCHAINS[threads] if c_toolchain == _DEFAULT else c_toolchain
    classes = models or {model: class_name or "-"}
    common = {"tags": tags, "testonly": testonly}

    # Built for WebAssembly only, as dependencies of the library.
    private = dict(common, tags = tags + ["manual"], visibility = ["//visibility:private"])
    names = {label: "%s_model_%d" % (name, i) for i, label in enumerate(classes)}
    for label, model_name in names.items():
        web_model(name = model_name, code = str(native.package_relative_label(label)), files = label, **private)
    executorch_cc_library(
        name = name + "_cc",
        borrow = [] if embed else ["program", "weights"],
        linked_registry = True,
        models = names.values(),
        **dict(kwargs, **private)
    )
    web_source(
        name = name + "_source",
        embed = embed,
        library = name + "_cc",
        library_name = name,
        models = {names[label]: class_name for label, class_name in classes.items()},
        threads = threads,
        tokenizers = tokenizers,
        variants = variants,
        **private
    )
    native.filegroup(
        name = name + "_wasm_source",
        srcs = [name + "_source"],
        output_group = "c",
        **private
    )
    cc_binary(
        name = name + "_wasm",
        srcs = [
            name + "_wasm_source",
            Label("//bindings/web:wasm/instance.c"),
        ] + ([Label("//bindings/web:wasm/pool.c")] if threads else []),
        copts = ["-std=c11", "-O2"],
        linkopts = linkopts + (_THREAD_LINKOPTS if threads else []),
        deps = [
            name + "_cc",
            Label("//bindings/web:instance"),
        ],
        **private
    )
    tokenizer_binaries = {}
    for i, (label, class_name) in enumerate(tokenizers.items()):
        binary = "%s_tokenizer_%d" % (name, i)
        tokenizer_binaries[binary] = class_name
        native.filegroup(
            name = binary + "_source",
            srcs = [name + "_source"],
            output_group = "tokenizer_%d" % i,
            **private
        )
        cc_binary(
            name = binary,
            srcs = [
                binary + "_source",
                Label("//bindings/web:wasm/tokenizer.c"),
            ],
            copts = ["-std=c11", "-O2"],
            linkopts = linkopts,
            deps = [
                label,
                Label("//bindings/web:tokenizer"),
            ],
            **private
        )
    web_library(
        name = name,
        binary = name + "_wasm",
        c_toolchain = str(c_toolchain) if c_toolchain else "",
        embed = embed,
        models = classes,
        npm_license = npm_license,
        npm_license_file = npm_license_file,
        npm_name = npm_name,
        npm_version = npm_version,
        platform = str(platform),
        source = name + "_source",
        threads = threads,
        tokenizers = tokenizer_binaries,
        variants = variants,
        visibility = visibility,
        **common
    )
    native.filegroup(
        name = name + "_npm",
        srcs = [name],
        output_group = "npm",
        tags = tags + ["manual"],
        testonly = testonly,
        visibility = visibility,
    )
