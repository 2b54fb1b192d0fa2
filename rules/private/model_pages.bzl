"""An aspect and a rule that write a page about models that targets depend on."""

load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_module")

_ModelsInfo = provider(
    doc = "The models that a target depends on, including itself.",
    fields = {"models": "depset[struct]: `label`, string, and `pte`, File."},
)

def _model_flags(model):
    return ["--model", model.label, model.pte.path]

def _comparison_page(ctx, models):
    """Registers the action that writes `<name>.models.html`."""
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    page = ctx.actions.declare_file(ctx.label.name + ".models.html")
    args = ctx.actions.args()
    args.add("--title", display_label(ctx.label))
    args.add_all(models, map_each = _model_flags)
    args.add("--html", page)
    run_module(
        ctx,
        toolchain,
        toolchain.reporters,
        module = "executorch_report.overview",
        arguments = args,
        inputs = depset([model.pte for model in models.to_list()]),
        outputs = [page],
        mnemonic = "ExecutorchModelsReport",
        progress_message = "Reporting on the models under %s" % display_label(ctx.label),
    )
    return page

def _transitive_models(ctx):
    """Returns the models that the labels in a target's attributes provide."""
    transitive = []
    for name in dir(ctx.rule.attr):
        value = getattr(ctx.rule.attr, name)
        targets = value.keys() if type(value) == "dict" else value
        for target in targets if type(targets) == "list" else [targets]:
            if type(target) == "Target" and _ModelsInfo in target:
                transitive.append(target[_ModelsInfo].models)
    return transitive

def _aspect_impl(target, ctx):
    direct = []
    if ExecutorchModelInfo in target:
        direct = [struct(label = display_label(target.label), pte = target[ExecutorchModelInfo].pte)]
    models = depset(direct, transitive = _transitive_models(ctx))
    pages = [_comparison_page(ctx, models)] if models else []
    return [
        _ModelsInfo(models = models),
        OutputGroupInfo(executorch_report = depset(pages)),
    ]

executorch_report_aspect = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["*"],
    doc = """Writes one page that compares all models that a target of any kind depends on: their costs, operators and contents.

`bazel build //app --aspects=@rules_executorch//rules:aspects.bzl%executorch_report_aspect --output_groups=executorch_report` writes `<name>.models.html` next to the outputs of `//app`.""",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)

def _impl(ctx):
    models = depset(transitive = [target[_ModelsInfo].models for target in ctx.attr.targets])
    if not models:
        fail("%s: no target in %s depends on a model; add one to 'targets'" % (
            display_label(ctx.label),
            ", ".join([display_label(target.label) for target in ctx.attr.targets]),
        ))
    return [DefaultInfo(files = depset([_comparison_page(ctx, models)]))]

executorch_report = rule(
    implementation = _impl,
    attrs = {
        "targets": attr.label_list(
            mandatory = True,
            allow_empty = False,
            aspects = [executorch_report_aspect],
            doc = "Models, or targets that depend on models: libraries, programs, tests.",
        ),
    },
    doc = "Writes one page that compares all models that targets depend on, `<name>.models.html`: their costs, operators and contents.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
