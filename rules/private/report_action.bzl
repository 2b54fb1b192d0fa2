"""The action that writes a program's report (docs/how_to/inspect_a_program.md)."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:python_command.bzl", "run_module")

def report_page(ctx, label, stem, pte, manifest, sources = None):
    """Registers the action that writes `<stem>.report.html`.

    Args:
      ctx: the context of a rule with the code generation toolchain.
      label: string: label of the target for messages.
      stem: name of the page.
      pte: File: the program.
      manifest: File: its manifest.
      sources: File: source lines of the program's instructions, or None.

    Returns:
      File
    """
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    page = ctx.actions.declare_file(stem + ".report.html")
    args = ctx.actions.args()
    args.add(pte)
    args.add("--manifest", manifest)
    if sources:
        args.add("--sources", sources)
    args.add("--html", page)
    run_module(
        ctx,
        toolchain,
        toolchain.reporters,
        module = "executorch_report.inspect_program",
        arguments = args,
        inputs = depset([pte, manifest] + ([sources] if sources else [])),
        outputs = [page],
        mnemonic = "ExecutorchReport",
        progress_message = "Reporting on %s" % label,
    )
    return page
