"""Models in the attributes of other rules."""

load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules/private:labels.bzl", "display_label")

def model_info(ctx, target):
    """Returns the ExecutorchModelInfo of an attribute's target. Fails if it is not a model.

    The attribute itself requires no provider, because Bazel's error would name only the provider.

    Args:
      ctx: the context of the rule that names the target.
      target: the target.

    Returns:
      ExecutorchModelInfo: the model.
    """
    if ExecutorchModelInfo not in target:
        fail("%s: %s is not a model; pass an executorch_model or executorch_import, such as ':net_pte'" %
             (display_label(ctx.label), display_label(target.label)))
    return target[ExecutorchModelInfo]
