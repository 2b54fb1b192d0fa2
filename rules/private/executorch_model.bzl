"""executorch_model: a PyTorch module compiled to a program."""

load("//rules/private:model_rule.bzl", executorch_model_rule = "executorch_model")

def executorch_model(name, module, backend = Label("//backends/portable"), config = None, **kwargs):
    """Compiles a PyTorch module to `<name less _pte>.pte`; see the rule's attributes for the rest.

    Args:
      name: name of the target; ends with `_pte` by custom.
      module: py_library that defines the model.
      backend: label of an `executorch_backend`, or a `select()` of labels, or a list of labels that are tried in order.
      config: label of a TOML file, or a dict with the same content.
      **kwargs: entry_point, weights, external_weights, calibration, data, kernels, prefix, time_limit, memory_gb, and what every rule has.
    """
    several = type(backend) == "list"
    if several and not backend:
        fail("executorch_model(name = '%s'): 'backend' is an empty list; leave it out for kernels alone" % name)
    if config and "config_json" in kwargs:
        fail("executorch_model(name = '%s'): 'config' is given twice, once as 'config_json'" % name)
    if type(config) == "dict":
        kwargs["config_json"] = json.encode(config)
    elif config:
        kwargs["config"] = config
    executorch_model_rule(
        name = name,
        module = module,
        backend = None if several else backend,
        backends = backend if several else [],
        **kwargs
    )
