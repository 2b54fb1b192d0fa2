"""A validation action that opens a program with the runtime's verifier."""

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

def validation(ctx, label, stem, pte, manifest, weights, backends):
    """Registers the action that verifies a program and loads each of its methods.

    Its output is for the group `_validation`, which Bazel builds with every target that depends on
    this one. No other action waits for it.

    Args:
      ctx: the context of a rule with `VALIDATION_ATTRS`.
      label: string: label of the target for messages.
      stem: name of the output.
      pte: File: the program.
      manifest: File: the program's manifest. As an input, it causes the action that writes it to
        run first. That action reports damage in more detail.
      weights: list[File]: external weights.
      backends: list[ExecutorchBackendInfo]: backends of the program's delegates. Methods with delegates of backends other than
        the CPU backend are not loaded.

    Returns:
      depset[File]
    """
    stamp = ctx.actions.declare_file(stem + ".verified")
    args = ctx.actions.args()

    # Labels of other repositories start with @, but the program does not read params files.
    args.add(label)
    args.add_all([stamp, pte] + weights)
    has_cpu_delegates = _CPU_BACKEND in [backend.id for backend in backends]
    ctx.actions.run(
        executable = ctx.executable._cpu_verifier if has_cpu_delegates else ctx.executable._verifier,
        arguments = [args],
        inputs = [pte, manifest] + weights,
        outputs = [stamp],
        execution_requirements = {"supports-path-mapping": "1"},
        mnemonic = "ExecutorchVerify",
        progress_message = "Verifying the program of %s" % label,
    )
    return depset([stamp])
