"""Opening a program by the runtime's verifier, beside the build."""

load("//rules/private:labels.bzl", "display_label")

VALIDATION_ATTRS = {
    "_verifier": attr.label(
        default = "//runtime/verify:verify_program",
        cfg = "exec",
        executable = True,
    ),
}

def validation(ctx, stem, pte, manifest, weights):
    """Registers the action that verifies a program.

    Its output is for the group `_validation`, which Bazel builds along with whatever depends on the target; no other action waits for it.

    Args:
      ctx: the context of a rule with `VALIDATION_ATTRS`.
      stem: name of the output.
      pte: File: the program.
      manifest: File: what says of it what it needs. Without one the program is not opened, so that a damaged one is refused by whom it says most.
      weights: list[File]: those that lie apart.

    Returns:
      depset[File]
    """
    stamp = ctx.actions.declare_file(stem + ".verified")
    args = ctx.actions.args()

    # A file of arguments begins with an @, as does a label of another repository; the program takes none.
    args.add(display_label(ctx.label))
    args.add_all([stamp, pte] + weights)
    ctx.actions.run(
        executable = ctx.executable._verifier,
        arguments = [args],
        inputs = [pte, manifest] + weights,
        outputs = [stamp],
        execution_requirements = {"supports-path-mapping": "1"},
        mnemonic = "ExecutorchVerify",
        progress_message = "Verifying the program of %s" % display_label(ctx.label),
    )
    return depset([stamp])
