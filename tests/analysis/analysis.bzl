"""Analysis tests of rules: providers, registered actions and failures of a target.

They do not use a library, because none supports the oldest Bazel.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:defs.bzl", "ExecutorchBackendInfo", "ExecutorchConfigInfo", "ExecutorchKernelsInfo", "ExecutorchModelInfo")

_PROVIDERS = {
    "CcInfo": CcInfo,
    "ExecutorchBackendInfo": ExecutorchBackendInfo,
    "ExecutorchConfigInfo": ExecutorchConfigInfo,
    "ExecutorchKernelsInfo": ExecutorchKernelsInfo,
    "ExecutorchModelInfo": ExecutorchModelInfo,
}

_ActionsInfo = provider(
    doc = "The actions of the tested target.",
    fields = {"actions": "list[Action]"},
)

def _actions_impl(target, _ctx):
    return [_ActionsInfo(actions = target.actions)]

_actions = aspect(implementation = _actions_impl)

def _result(problems):
    return [AnalysisTestResultInfo(success = not problems, message = "\n".join(problems))]

def _difference(what, expected, actual):
    return [] if sorted(expected) == sorted(actual) else ["%s: expected %s, got %s" % (what, sorted(expected), sorted(actual))]

def _provides_impl(ctx):
    target = ctx.attr.target
    ours = [action for action in target[_ActionsInfo].actions if action.mnemonic.startswith("Executorch")]
    inputs = [file.path for action in ours for file in action.inputs.to_list()]
    return _result(
        _difference("providers", ctx.attr.providers, [name for name, info in _PROVIDERS.items() if info in target]) +
        _difference("actions", ctx.attr.actions, [action.mnemonic for action in ours]) +
        _difference("files", ctx.attr.files, [file.basename for file in target[DefaultInfo].files.to_list()]) +
        _difference("runfiles", ctx.attr.runfiles, [file.basename for file in target[DefaultInfo].default_runfiles.files.to_list()]) +
        ["no input of any action ends in " + name for name in ctx.attr.inputs if not [path for path in inputs if path.endswith(name)]],
    )

provides_test = rule(
    implementation = _provides_impl,
    attrs = {
        "target": attr.label(
            mandatory = True,
            aspects = [_actions],
            doc = "The tested target.",
        ),
        "providers": attr.string_list(doc = "Names of its providers, among those in _PROVIDERS."),
        "actions": attr.string_list(doc = "Mnemonics of the rules' own actions."),
        "files": attr.string_list(doc = "Names of its default outputs."),
        "runfiles": attr.string_list(doc = "Names of the runfiles that it adds to programs."),
        "inputs": attr.string_list(doc = "Suffixes of paths among the inputs of its actions."),
    },
    doc = "Tests the providers, actions and files of a target.",
    analysis_test = True,
)

def _fails_impl(ctx):
    (target,) = ctx.attr.target  # a list, because the dependency is in another configuration
    if AnalysisFailureInfo not in target:
        return _result(["the analysis of the target succeeds"])
    messages = [failure.message for failure in target[AnalysisFailureInfo].causes.to_list()]
    return _result([] if [text for text in messages if ctx.attr.message in text] else messages)

fails_test = rule(
    implementation = _fails_impl,
    attrs = {
        "target": attr.label(
            mandatory = True,
            cfg = analysis_test_transition(settings = {"//command_line_option:allow_analysis_failures": "True"}),
            doc = "The tested target.",
        ),
        "message": attr.string(
            mandatory = True,
            doc = "A part of the failure message.",
        ),
    },
    doc = "Tests that a target's analysis fails.",
    analysis_test = True,
)
