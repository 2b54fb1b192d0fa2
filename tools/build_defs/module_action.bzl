"""The common part of rules that write files with a Python module."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:python_command.bzl", "run_module")  # buildifier: disable=bzl-visibility

MODULE_ACTION_ATTRS = {
    "srcs": attr.label_list(
        allow_files = True,
        doc = "Input files.",
    ),
    "outs": attr.output_list(
        mandatory = True,
        doc = "Output files.",
    ),
    "arguments": attr.string_list(doc = "Command line, before the paths of `outs`; `$(location …)` is replaced."),
}

def run_module_action(ctx, toolchain, module, mnemonic, progress_message, sources = [], package_roots = []):
    """Registers the action that writes the files of a rule with `MODULE_ACTION_ATTRS`.

    Args:
      ctx: the rule's context.
      toolchain: the toolchain with the interpreter.
      module: dotted name of the module.
      mnemonic: CamelCase name of the action.
      progress_message: progress message of the action.
      sources: list[depset[File]]: inputs in addition to `srcs`.
      package_roots: list[string]: folders of packages that the module imports, from the execution root.

    Returns:
      list: the providers of the rule.
    """
    args = ctx.actions.args()
    args.add_all([ctx.expand_location(argument, ctx.attr.srcs) for argument in ctx.attr.arguments])
    args.add_all(ctx.outputs.outs)
    run_module(
        ctx,
        toolchain,
        ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE].generators,
        module = module,
        arguments = args,
        inputs = depset(ctx.files.srcs, transitive = sources),
        outputs = ctx.outputs.outs,
        mnemonic = mnemonic,
        progress_message = progress_message,
        package_roots = package_roots,
    )
    return [DefaultInfo(files = depset(ctx.outputs.outs))]
