"""adapter_folder: the two files of a LoRA adapter, under the names that PEFT gives them."""

load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility

_CONFIG = "adapter_config.json"
_WEIGHTS = "adapter_model.safetensors"

def adapter_files(value):
    """Returns the labels of an adapter's files.

    Args:
      value: a safetensors file, whose `adapter_config.json` is in the same folder; a target with both files; or a list of
        labels.

    Returns:
      list: labels.
    """
    if type(value) == "list":
        return value
    text = str(value)
    if not text.endswith(".safetensors"):
        return [value]
    folder = text[:max(text.rfind("/"), text.rfind(":")) + 1]
    return [value, folder + _CONFIG]

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
    outputs = []
    for name in [_CONFIG, _WEIGHTS]:
        output = ctx.actions.declare_file("%s/%s" % (ctx.label.name, name))
        ctx.actions.symlink(output = output, target_file = _find_file(ctx, name))
        outputs.append(output)
    return [DefaultInfo(files = depset(outputs))]

adapter_folder = rule(
    implementation = _impl,
    attrs = {
        "srcs": attr.label_list(
            mandatory = True,
            allow_files = True,
            doc = "The `adapter_config.json` and the `adapter_model.safetensors`. Other files are ignored.",
        ),
        "argument": attr.string(
            mandatory = True,
            doc = "The argument of the macro, for messages.",
        ),
    },
    doc = "A folder with the target's name, which has the two files.",
)
