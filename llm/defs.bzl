"""executorch_llm: a language model as a program, a C and C++ library, and a command line."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//rules:defs.bzl", "executorch_cc_library", "executorch_model")
load("//text:defs.bzl", "bpe_vocabulary")
load("//tools/build_defs:macro_arguments.bzl", "c_prefix", "require")
load("//tools/build_defs:python_action.bzl", "python_action")
load("//tools/build_defs:python_launcher.bzl", "python_binary")
load(":adapters.bzl", "adapter_folder", "adapter_ranks", "adapter_weights")

# Attributes that are set on all targets.
_COMMON_ATTRS = ["compatible_with", "exec_compatible_with", "features", "restricted_to", "tags", "target_compatible_with", "testonly"]

# Dtypes of KV caches, as in llm/decoder/kv_cache.py.
_KV_CACHES = ["float32", "float16", "int8"]

def _check_symbol(where, symbol):
    if symbol and symbol != c_prefix("", symbol):
        fail("%s: 'symbol' must start with a letter and consist of letters, digits and single '_', got '%s'" % (where, symbol))

def _check_options(where, symbol, context, chunk, kv_cache, config):
    _check_symbol(where, symbol)
    for name, value in [("context", context), ("chunk", chunk)]:
        if type(value) != "int" or value < 2:
            fail("%s: '%s' must be a number of tokens, at least 2, got %r" % (where, name, value))
    if kv_cache not in _KV_CACHES:
        fail("%s: 'kv_cache' must be one of %s, got %r" % (where, ", ".join(_KV_CACHES), kv_cache))
    if config != None and type(config) != "dict":
        fail("%s: 'config' must be a dict of options, got %r" % (where, config))

def _with_shared_cache(config):
    """Returns the config of a program whose methods share their KV cache."""
    planning = dict((config or {}).get("memory_planning", {}), share_mutable_buffers = True)
    return dict(config or {}, memory_planning = planning)

def _include_path(name):
    package = native.package_name()
    return "%s%s.h" % (package + "/" if package else "", name)

# Files of a safetensors model, beside the weights.
_MODEL_FILES = {
    "model_config": "config.json",
    "tokenizer": "tokenizer.json",
    "tokenizer_config": "tokenizer_config.json",
}

def _check_files(where, weights, **files):
    """Fails unless the files are those of a GGUF model, or all those of a safetensors model."""
    require(where, "weights", weights, "a GGUF file, or safetensors with 'model_config', 'tokenizer' and 'tokenizer_config'")
    given = [name for name in _MODEL_FILES if files[name]]
    missing = [name for name in _MODEL_FILES if not files[name]]
    if missing and str(weights).endswith((".safetensors", ".safetensors.index.json")):
        fail("%s: 'weights' is a safetensors file, but '%s' is missing; set it to the model's %s" % (where, missing[0], _MODEL_FILES[missing[0]]))
    if missing and given:
        fail("%s: '%s' is set, but '%s' is missing; set it to the model's %s, or omit all of them if the weights are a GGUF file" % (where, given[0], missing[0], _MODEL_FILES[missing[0]]))

def _data_path(name):
    """Returns the path of a file of this package, as of `exir.data_path`."""
    return "/".join([part for part in [native.package_name(), name] if part])

def _check_adapters(where, adapters):
    if type(adapters) != "dict":
        fail("%s: 'adapters' must be a dict from names to safetensors files, got %r" % (where, adapters))
    for name in adapters:
        if not name or [c for c in name.elems() if not (c.isalnum() or c in "-_")]:
            fail("%s: 'adapters' has the name '%s'; names consist of letters, digits, '-' and '_'" % (where, name))

def executorch_llm(name, weights = None, model_config = None, tokenizer = None, tokenizer_config = None, chat_template = None, context = 2048, chunk = 128, kv_cache = "float32", adapters = None, merged_adapter = None, symbol = None, backend = Label("//backends/cpu"), config = None, visibility = None, **kwargs):
    """A language model as a program, a C and C++ library, and a command line.

    The targets are:

    - `<name>`: the program, an `executorch_model` with the methods `prefill` and `decode`.
    - `<name>_cc`: a `cc_library` with the model, its tokenizer and chat template, and the functions of
      `executorch/llm/hosted.h` and `executorch/llm/llm.hpp`. Its header `<package>/<name>.h` declares
      `const et_llm_model <symbol>`. The program is in read-only memory.
    - `<name>_vocabulary`: the tokenizer and the chat template alone, a `bpe_vocabulary`.
    - `<name>.so`: a shared library, for `executorch_runtime.llm` in Python.
    - `<name>.<adapter>.ptd`: the weights of one of the `adapters`, which `<name>_cc` contains.
    - `<name>.chat`: a program that chats with the model: `bazel run //app:assistant.chat`.
    - `<name>.serve`: an HTTP server with the interface of OpenAI's chat completions.

    Args:
      name: Name of the program.
      weights: GGUF file with the weights, the tokenizer and the chat template. Or a safetensors file;
        or the `model.safetensors.index.json` of several, which are in `data`.
      model_config: The `config.json` of a safetensors model.
      tokenizer: The `tokenizer.json` or the SentencePiece model (`tokenizer.model`) of a safetensors model.
      tokenizer_config: The `tokenizer_config.json` of a safetensors model, which can have the chat template.
      chat_template: File with a chat template, such as the `chat_template.jinja` of a safetensors model. It
        replaces that of the other files. `@rules_executorch//text:completion.jinja` joins the messages, for
        models that are not trained for chats.
      context: Maximum number of tokens of a conversation. The model's context length can be a lower limit.
      chunk: Maximum number of tokens that one call of `prefill` processes. Larger values need more memory.
        Layers with sliding-window attention cache the window and a chunk of tokens.
      kv_cache: Dtype of the KV cache: `float32`, `float16` (half the memory) or `int8` (about a quarter).
      adapters: Dict of LoRA adapters that the program can switch at run time (docs/how_to/use_a_language_model.md), by
        name: the `adapter_model.safetensors` of PEFT, beside its `adapter_config.json`; or a target or a list with both
        files.
      merged_adapter: LoRA adapter that the build merges into the weights, a value like those of `adapters`.
      symbol: C identifier; by default package and name, such as `app_assistant` for `//app:assistant`.
      backend: An `executorch_backend`.
      config: Dict of compiler options (docs/reference/config.md).
      visibility: Visibility of the targets.
      **kwargs: Other attributes of `executorch_model`, such as `memory_gb`, and attributes that every rule has.
    """
    where = "executorch_llm(name = '%s')" % name
    _check_files(where, weights, model_config = model_config, tokenizer = tokenizer, tokenizer_config = tokenizer_config)
    symbol = symbol or c_prefix(native.package_name(), name)
    _check_options(where, symbol, context, chunk, kv_cache, config)
    _check_adapters(where, adapters or {})
    common = {key: kwargs[key] for key in _COMMON_ATTRS if key in kwargs}
    private = dict(common, visibility = ["//visibility:private"])
    python = {key: value for key, value in private.items() if key != "features"}
    entry_point_args = {"chunk": chunk, "context": context, "kv_cache": kv_cache}
    data = kwargs.pop("data", [])
    if merged_adapter:
        folder = name + "_merged_adapter"
        adapter_folder(
            name = folder,
            adapter = merged_adapter,
            argument = "'merged_adapter'",
            **private
        )
        entry_point_args["merged_adapter"] = _data_path(folder)
        data = data + [":" + folder]
    folders = {
        key: adapter_folder(
            name = "%s_adapter_%s" % (name, key),
            adapter = adapter,
            argument = "'adapters[\"%s\"]'" % key,
            **private
        )
        for key, adapter in (adapters or {}).items()
    }
    if folders:
        ranks = name + "_ranks_of_adapters"
        adapter_ranks(
            name = ranks,
            folders = folders.values(),
            **python
        )
        entry_point_args["adapter_ranks"] = _data_path(ranks + ".json")
        data = data + [":%s.json" % ranks]
        kwargs["external_weights"] = True
    executorch_model(
        name = name,
        backend = backend,
        config = _with_shared_cache(config),
        data = data,
        entry_point = "language_model",
        entry_point_args = entry_point_args,
        module = Label("//llm/decoder"),
        prefix = symbol,
        visibility = visibility,
        weights = weights,
        weights_metadata = model_config,
        **kwargs
    )
    executorch_cc_library(
        name = name + "_program",
        model = ":" + name,
        **private
    )
    bpe_vocabulary(
        name = name + "_vocabulary",
        chat_template = chat_template,
        config = tokenizer_config,
        model = tokenizer or weights,
        symbol = symbol + "_vocabulary",
        visibility = visibility,
        **common
    )
    files = {key: "%s.%s.ptd" % (name, key) for key in folders}
    for key, folder in folders.items():
        adapter_weights(
            name = "%s_weights_of_adapter_%s" % (name, key),
            out = files[key],
            base = ":%s.ptd" % name,
            folder = folder,
            **dict(python, visibility = visibility)
        )
    label = "%s//%s:%s" % (native.repository_name().replace("@@", "@"), native.package_name(), name)
    python_action(
        name = name + "_model",
        srcs = files.values(),
        outs = [name + ".h", name + ".c"] + ([name + "_adapters.S"] if files else []),
        arguments = ["--adapter=%s=$(location %s)" % (key, file) for key, file in files.items()] + [
            symbol,
            label,
            symbol,
            _include_path(name + "_program"),
            symbol + "_vocabulary",
            _include_path(name + "_vocabulary"),
        ],
        main = Label("//llm/generate:model"),
        **python
    )
    python_action(
        name = name + "_text_tokens",
        srcs = [tokenizer or weights],
        outs = [name + "_text_tokens.c"],
        arguments = ["$(location %s)" % (tokenizer or weights), symbol, label],
        main = Label("//llm/generate:text_tokens"),
        **python
    )
    cc_library(
        name = name + "_cc",
        srcs = [
            name + ".c",
            name + "_text_tokens.c",
        ] + ([name + "_adapters.S"] if files else []),
        hdrs = [name + ".h"],
        textual_hdrs = files.values(),
        visibility = visibility,
        deps = [
            ":" + name + "_program",
            ":" + name + "_vocabulary",
            Label("//llm:cc"),
        ],
        **common
    )
    for suffix, source in [(".chat", "chat_main.c"), (".so", "shared_main.c")]:
        cc_binary(
            name = name + suffix,
            srcs = [Label("//llm:" + source)],
            linkshared = suffix == ".so",
            local_defines = [
                "MODEL=" + symbol,
                'MODEL_HEADER=\\"%s\\"' % _include_path(name),
            ],
            visibility = visibility,
            deps = [":" + name + "_cc"],
            **dict(common, tags = (kwargs.get("tags") or []) + (["manual"] if suffix == ".so" else []))
        )
    python_binary(
        name = name + ".serve",
        args = ["$(rootpath :%s.so)" % name],
        data = [
            ":%s.so" % name,
            Label("//llm/server"),
        ],
        module = "llm.server.main",
        visibility = visibility,
        **dict(common, tags = (kwargs.get("tags") or []) + ["manual"])
    )

def executorch_grammar(name, grammar = None, schema = None, symbol = None, visibility = None, **kwargs):
    """A grammar or a JSON schema as a C library, for `et_llm_generation.grammar`.

    Its header `<package>/<name>.h` declares `const et_grammar <symbol>`.

    Args:
      name: Name of the `cc_library`.
      grammar: File with a grammar in the notation of GBNF. Its rule `root` is the whole text.
      schema: File with a JSON schema, instead of `grammar`.
      symbol: C identifier; by default package and name, such as `app_order` for `//app:order`.
      visibility: Visibility of the target.
      **kwargs: Attributes that every rule has.
    """
    where = "executorch_grammar(name = '%s')" % name
    if bool(grammar) == bool(schema):
        fail("%s: set either 'grammar' or 'schema', the file to compile" % where)
    _check_symbol(where, symbol)
    common = {key: kwargs.pop(key) for key in _COMMON_ATTRS if key in kwargs}
    if kwargs:
        fail("%s: unknown attribute '%s'; supported are grammar, schema, symbol, visibility, %s" % (where, kwargs.keys()[0], ", ".join(_COMMON_ATTRS)))
    label = "%s//%s:%s" % (native.repository_name().replace("@@", "@"), native.package_name(), name)
    python_action(
        name = name + "_tables",
        srcs = [grammar or schema],
        outs = [name + ".h", name + ".c"],
        arguments = [
            "grammar" if grammar else "schema",
            "$(location %s)" % (grammar or schema),
            symbol or c_prefix(native.package_name(), name),
            label,
        ],
        main = Label("//llm/generate:grammar"),
        visibility = ["//visibility:private"],
        **{key: value for key, value in common.items() if key != "features"}
    )
    cc_library(
        name = name,
        srcs = [name + ".c"],
        hdrs = [name + ".h"],
        visibility = visibility,
        deps = [Label("//llm:grammar")],
        **common
    )
