"""Targets for the LoRA adapters of executorch_llm."""

load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//tools/build_defs:python_action.bzl", "python_action")

_CONFIG = "adapter_config.json"
_WEIGHTS = "adapter_model.safetensors"

def _find_file(ctx, name):
    """Returns the file with a name or, without one, the only file with the name's extension."""
    same_name = [file for file in ctx.files.srcs if file.basename == name]
    extension = name.rpartition(".")[2]
    found = same_name or [file for file in ctx.files.srcs if file.extension == extension]
    if len(found) != 1:
        fail("%s: %s has %d files named %s, or with its extension; pass a target or a list with the %s and the %s of one adapter" %
             (display_label(ctx.label), ctx.attr.argument, len(found), name, _CONFIG, _WEIGHTS))
    return found[0]

def _impl(ctx):
    for output in ctx.outputs.outs:
        ctx.actions.symlink(output = output, target_file = _find_file(ctx, output.basename))
    return [DefaultInfo(files = depset(ctx.outputs.outs))]

_adapter_folder = rule(
    implementation = _impl,
    attrs = {
        "srcs": attr.label_list(
            mandatory = True,
            allow_files = True,
            doc = "The `adapter_config.json` and the `adapter_model.safetensors`. Other files are ignored.",
        ),
        "outs": attr.output_list(
            mandatory = True,
            doc = "The files in the folder.",
        ),
        "argument": attr.string(
            mandatory = True,
            doc = "The argument of the macro, for messages.",
        ),
    },
    doc = "A folder with the two files of an adapter.",
)

def _adapter_files(value):
    """Returns the labels of an adapter's files."""
    if type(value) == "list":
        return value
    text = str(value)
    if not text.endswith(".safetensors"):
        return [value]
    folder = text[:max(text.rfind("/"), text.rfind(":")) + 1]
    return [value, folder + _CONFIG]

def adapter_folder(name, adapter, argument, **kwargs):
    """Defines a folder with the name of the target, which has the two files of an adapter.

    Args:
      name: name of the target.
      adapter: a safetensors file, whose `adapter_config.json` is in the same folder; a target with both files; or a list of
        labels.
      argument: the argument of the macro, for messages.
      **kwargs: attributes that every rule has.

    Returns:
      list: the labels of the `adapter_config.json` and of the `adapter_model.safetensors`.
    """
    outs = ["%s/%s" % (name, file) for file in [_CONFIG, _WEIGHTS]]
    _adapter_folder(
        name = name,
        srcs = _adapter_files(adapter),
        outs = outs,
        argument = argument,
        **kwargs
    )
    return [":" + out for out in outs]

def adapter_ranks(name, folders, **kwargs):
    """Defines the file `<name>.json` with the ranks of adapters.

    The program depends on this file only, so it is compiled again only if the ranks change.

    Args:
      name: name of the target.
      folders: list of results of `adapter_folder`.
      **kwargs: attributes that every rule has.
    """
    python_action(
        name = name,
        srcs = [file for files in folders for file in files],
        outs = [name + ".json"],
        arguments = ["ranks"] + ["$(location %s)" % files[0] for files in folders],
        main = Label("//llm/decoder:adapter_files"),
        **kwargs
    )

def adapter_weights(name, out, base, folder, **kwargs):
    """Defines a file with the weights of an adapter.

    Args:
      name: name of the target.
      out: name of the file.
      base: label of the program's weights file.
      folder: result of `adapter_folder`.
      **kwargs: attributes that every rule has.
    """
    python_action(
        name = name,
        srcs = [base] + folder,
        outs = [out],
        arguments = ["weights", "$(location %s)" % base, "$(location %s)" % folder[0]],
        main = Label("//llm/decoder:adapter_files"),
        **kwargs
    )
