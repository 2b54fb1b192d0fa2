"""executorch_model: compile a PyTorch module to a program."""

load("//rules/private:arguments.bzl", "check_backend", "require")
load("//rules/private:compilation.bzl", "COMPILATION_SUFFIX")
load("//rules/private:compile_rule.bzl", "executorch_compilation")
load("//rules/private:config_options.bzl", "check_config")
load("//rules/private:model_files.bzl", "model_files")
load("//rules/private:model_rule.bzl", "model_stem", executorch_model_rule = "executorch_model")

def _check_fallback(where, names):
    for name in names:
        if type(name) != "string" or len(name.split("::")) != 2:
            fail("%s: 'allow_fallback' has %r; write operators as 'aten::exp', or 'aten::exp.out'" % (where, name))

def _check_module(where, module):
    if type(module) == "string" and module.endswith(".py"):
        fail("%s: 'module' must be a py_library, got the file '%s'; specify a py_library that has it in 'srcs'" % (where, module))

def executorch_model(name, module = None, backend = Label("//backends/portable"), config = None, allow_fallback = None, entry_point_args = None, **kwargs):
    """Compiles a PyTorch module to `<name without _pte>.pte`; see the rule for other attributes.

    Args:
      name: Name of the target; ends with `_pte` by convention.
      module: `py_library` that defines the model.
      backend: An `executorch_backend`, a `select()` of labels, or a list of labels in order of preference.
      config: An `executorch_config`, a TOML file, or a dict of options (docs/reference/config.md).
      allow_fallback: List of operators that may fall back to kernels because no backend supports
        them: `aten::exp` or, with the overload that the manifest lists, `aten::exp.out`. Another
        fallback is a build error that names the operator and the line. `[]` allows none; by
        default, all are allowed.
      entry_point_args: Dict of keyword arguments of the entry point: numbers, strings, booleans and
        lists of them.
      **kwargs: Other attributes of the rule, and attributes that every rule has.
    """
    where = "executorch_model(name = '%s')" % name
    require(where, "module", module, "the py_library that defines the model")
    _check_module(where, module)
    if "backends" in kwargs:
        fail("%s: unknown attribute 'backends'; pass the list to 'backend'" % where)
    check_backend(where, backend)
    is_list = type(backend) == "list"
    if is_list and not backend:
        fail("%s: 'backend' is an empty list; omit it to use only kernels" % where)
    if config and "config_json" in kwargs:
        fail("%s: 'config' and 'config_json' are both set; remove one" % where)
    if type(config) == "dict":
        check_config(where, config)
        kwargs["config_json"] = json.encode(config)
    elif config:
        kwargs["config"] = config
    if type(allow_fallback) == "list":
        _check_fallback(where, allow_fallback)
    if entry_point_args:
        kwargs["entry_point_args_json"] = json.encode(entry_point_args)
    any_fallback = allow_fallback == None
    backends = backend if is_list else []
    backend = None if is_list else backend

    # Manual: only the model needs the target, so `//...` must not build it where the model is
    # filtered out.
    executorch_compilation(
        name = name + COMPILATION_SUFFIX,
        stem = model_stem(name),
        module = module,
        allow_fallback = allow_fallback,
        any_fallback = any_fallback,
        backend = backend,
        backends = backends,
        **dict(kwargs, tags = ["manual"] + (kwargs.get("tags") or []), visibility = ["//visibility:private"])
    )
    executorch_model_rule(
        name = name,
        compilation = ":" + name + COMPILATION_SUFFIX,
        module = module,
        allow_fallback = allow_fallback,
        any_fallback = any_fallback,
        backend = backend,
        backends = backends,
        **kwargs
    )
    model_files(name, bool(kwargs.get("external_weights")), kwargs)
