"""Opening a program by the runtime's verifier, beside the build."""

load("//rules/private:labels.bzl", "display_label")

_CPU_BACKEND = "CpuBackend"

VALIDATION_ATTRS = {
    "_cpu_verifier": attr.label(
        default = "//runtime/verify:verify_cpu_program",
        cfg = "exec",
        executable = True,
    ),
    "_verifier": attr.label(
        default = "//runtime/verify:verify_program",
        cfg = "exec",
        executable = True,
    ),
}

def validation(ctx, stem, pte, manifest, weights, backends):
    """Registers the action that verifies a program and loads each of its methods.

    Its output is for the group `_validation`, which Bazel builds along with whatever depends on the target; no other action waits for it.

    Args:
      ctx: the context of a rule with `VALIDATION_ATTRS`.
      stem: name of the output.
      pte: File: the program.
      manifest: File: what says of it what it needs. Without one the program is not opened, so that a damaged one is refused by whom it says most.
      weights: list[File]: those that lie apart.
      backends: list[ExecutorchBackendInfo]: those that the program may have delegates of. Methods with delegates of other backends than the CPU
        backend are not loaded.

    Returns:
      depset[File]
    """
    stamp = ctx.actions.declare_file(stem + ".verified")
    args = ctx.actions.args()

    # A file of arguments begins with an @, as does a label of another repository; the program takes none.
    args.add(display_label(ctx.label))
    args.add_all([stamp, pte] + weights)
    has_cpu_delegates = _CPU_BACKEND in [backend.id for backend in backends]
    ctx.actions.run(
        executable = ctx.executable._cpu_verifier if has_cpu_delegates else ctx.executable._verifier,
        arguments = [args],
        inputs = [pte, manifest] + weights,
        outputs = [stamp],
        execution_requirements = {"supports-path-mapping": "1"},
        mnemonic = "ExecutorchVerify",
        progress_message = "Verifying the program of %s" % display_label(ctx.label),
    )
    return depset([stamp])
