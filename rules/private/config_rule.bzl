"""The rule of executorch_config: compiler options with a label."""

load("//rules:providers.bzl", "ExecutorchConfigInfo")
load("//rules/private:labels.bzl", "display_label")

_DOC = """Compiler options (docs/reference/config.md) that models share.

The options override those of `extends`. Sections are merged key by key; the value of a later layer replaces the value of an
earlier one."""

_ATTRS = {
    "extends": attr.label_list(
        allow_files = True,
        doc = "`executorch_config` targets or TOML files that these options override; later ones override earlier ones.",
    ),
    "file": attr.label(
        allow_single_file = [".toml"],
        doc = "The options as a TOML file.",
    ),
    "json": attr.string(doc = "The options as JSON text."),
}

def config_layers(label, attribute, target):
    """Returns the layers of options of a target.

    Args:
      label: string: label of the target that sets the attribute, for a message.
      attribute: name of the attribute.
      target: an `executorch_config` or a TOML file.

    Returns:
      list[struct(file, json)]: each struct has one of the two, the other is None. Later layers override earlier ones.
    """
    if ExecutorchConfigInfo in target:
        return target[ExecutorchConfigInfo].layers
    files = target[DefaultInfo].files.to_list()
    if not files or [file for file in files if file.extension != "toml"]:
        fail("%s: '%s' has %s, which is neither an executorch_config nor a TOML file" % (label, attribute, display_label(target.label)))
    return [struct(file = file, json = None) for file in files]

def add_config_flags(arguments, layers):
    """Adds flags for the layers.

    Args:
      arguments: Args.
      layers: list from `config_layers`.
    """
    for layer in layers:
        if layer.file:
            arguments.add("--config", layer.file)
        else:
            arguments.add("--config-json", layer.json)

def config_files(layers):
    """Returns the files among the layers.

    Args:
      layers: list from `config_layers`.

    Returns:
      list[File]
    """
    return [layer.file for layer in layers if layer.file]

def _impl(ctx):
    layers = [layer for target in ctx.attr.extends for layer in config_layers(display_label(ctx.label), "extends", target)]
    if ctx.file.file:
        layers.append(struct(file = ctx.file.file, json = None))
    if ctx.attr.json:
        layers.append(struct(file = None, json = ctx.attr.json))
    return [
        DefaultInfo(files = depset(config_files(layers))),
        ExecutorchConfigInfo(layers = layers),
    ]

executorch_config = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    provides = [ExecutorchConfigInfo],
)
