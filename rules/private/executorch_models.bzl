"""executorch_models: one module compiled for several backends, configs and toolchains."""

load("//rules/private:arguments.bzl", "require")
load("//rules/private:executorch_model.bzl", "executorch_model")
load("//rules/private:model_group.bzl", "executorch_model_group")

def _check_name_parts(where, argument, parts):
    if not parts:
        fail("%s: '%s' is empty; omit it, or add an entry" % (where, argument))
    for part in parts:
        if not part or [c for c in part.elems() if not (c.isalnum() or c == "_")]:
            fail("%s: '%s' has the name '%s'; use only letters, digits and '_', because names become part of target names" % (where, argument, part))

def _check_is_dict(where, argument, value):
    if value != None and type(value) != "dict":
        fail("%s: '%s' must be a dict whose keys become part of target names, got %r" % (where, argument, value))

def _named_values(where, argument, values):
    """Returns pairs: a part of the target's name, and its value."""
    if values == None:
        return [("", None)]
    _check_name_parts(where, argument, values.keys())
    return [("_" + part, value) for part, value in values.items()]

def _check_excluded(where, exclude, targets):
    for combination in exclude:
        if combination not in targets:
            fail("%s: 'exclude' has the unknown combination '%s'; valid combinations: %s" % (where, combination, ", ".join(targets.keys())))
    if not [target for target in targets.values() if target]:
        fail("%s: 'exclude' omits every combination; remove one from it" % where)

def executorch_models(name, module = None, backends = None, configs = None, toolchains = None, allow_fallback = None, exclude = [], **kwargs):
    """Compiles one module for several backends, with several configs and with several toolchains.

    Defines a model `<name>_<backend>_<config>_<toolchain>_pte` for each combination, and `<name>`
    for the programs of all combinations. Without `backends`, `configs` or `toolchains`, names omit
    this part.

    Args:
      name: Prefix of the names.
      module: `py_library` that defines the model.
      backends: Dict from a part of the target's name to a value of `executorch_model(backend = …)`:
        a label or a list of labels.
      configs: Dict from a part of the target's name to a value of `executorch_model(config = …)`;
        None for the defaults.
      toolchains: Dict from a part of the target's name to a value of `executorch_model(toolchain = …)`;
        None for the registered toolchain. `executorch_diff` compares the programs
        (docs/how_to/choose_pytorch.md).
      allow_fallback: Dict from a key of `backends` to the operators that may fall back to kernels; by default, all may.
      exclude: List of combinations to omit, each as `"<backend>_<config>_<toolchain>"`.
      **kwargs: Other attributes of `executorch_model`, for all models.
    """
    where = "executorch_models(name = '%s')" % name
    require(where, "module", module, "the py_library that defines the model")
    for argument, value in [("backends", backends), ("configs", configs), ("toolchains", toolchains), ("allow_fallback", allow_fallback)]:
        _check_is_dict(where, argument, value)
    allow_fallback = allow_fallback or {}
    for key in allow_fallback:
        if key not in (backends or {}):
            fail("%s: 'allow_fallback' has '%s', which is not a key of 'backends'" % (where, key))
    targets = {}
    for parts, backend, config, toolchain in [
        ((backend_part, config_part, toolchain_part), backend, config, toolchain)
        for backend_part, backend in _named_values(where, "backends", backends)
        for config_part, config in _named_values(where, "configs", configs)
        for toolchain_part, toolchain in _named_values(where, "toolchains", toolchains)
    ]:
        suffix = "".join(parts)
        combination = suffix[1:]
        target = name + suffix + "_pte"
        if combination in targets:
            fail("%s: two combinations have the name '%s'; rename a key of 'backends', 'configs' or 'toolchains'" % (where, target))
        targets[combination] = None
        if combination in exclude:
            continue
        targets[combination] = target
        attributes = dict(kwargs)
        if backend != None:
            attributes["backend"] = backend
        if toolchains != None:
            attributes["toolchain"] = toolchain
        executorch_model(
            name = target,
            module = module,
            config = config,
            allow_fallback = allow_fallback.get(parts[0][1:]),
            **attributes
        )
    _check_excluded(where, exclude, targets)
    propagated = {key: kwargs[key] for key in ["tags", "target_compatible_with", "testonly", "visibility"] if key in kwargs}
    executorch_model_group(
        name = name,
        models = [target for target in targets.values() if target],
        **propagated
    )
