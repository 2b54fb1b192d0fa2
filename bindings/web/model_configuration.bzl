"""The configuration of WebAssembly modules, and the way back to that of the models.

Output paths contain the configuration, so a model below a WebAssembly module would be compiled once for each variant. The
transition to WebAssembly saves the options that it changes, and `web_model` restores them for the model's files.
"""

load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules/private:model_info.bzl", "model_info")  # buildifier: disable=bzl-visibility

_ISA = "//backends/cpu:isa"
_PLATFORMS = "//command_line_option:platforms"
_SAVED = "//bindings/web:saved_options"
_TOOLCHAINS = "//command_line_option:extra_toolchains"

# Names in _SAVED.
_NAMES = {"isa": _ISA, "platforms": _PLATFORMS, "toolchains": _TOOLCHAINS}

# The CPU backend's instruction set of each variant, the fastest first.
VARIANT_ISAS = {
    "relaxed_simd": "wasm_relaxed_simd",
    "simd": "wasm_simd128",
    "plain": "plain",
}

def _options_impl(_ctx):
    return []

saved_options = rule(
    implementation = _options_impl,
    build_setting = config.string_list(flag = False),
    doc = "Options of the models' configuration: `<name>=<value>`. Empty outside WebAssembly modules.",
)

def _as_list(value):
    return value if type(value) == "list" else [value]

def _to_wasm_configuration(settings, attr, variant):
    """Returns the options of a variant. `attr` has the platform and the toolchain."""
    saved = [
        "%s=%s" % (name, value)
        for name, option in _NAMES.items()
        for value in _as_list(settings[option])
    ]
    toolchains = [str(label) for label in settings[_TOOLCHAINS]]
    return {
        _ISA: VARIANT_ISAS[variant],
        _PLATFORMS: [attr.platform],
        _SAVED: saved + ["wasm="],
        _TOOLCHAINS: toolchains + [attr.c_toolchain] if attr.c_toolchain else toolchains,
    }

def _to_plain_wasm_impl(settings, attr):
    return _to_wasm_configuration(settings, attr, "plain")

# The configuration of code that has no variants.
to_plain_wasm = transition(
    implementation = _to_plain_wasm_impl,
    inputs = [_ISA, _PLATFORMS, _TOOLCHAINS],
    outputs = [_ISA, _PLATFORMS, _SAVED, _TOOLCHAINS],
)

def _to_wasm_impl(settings, attr):
    return {variant: _to_wasm_configuration(settings, attr, variant) for variant in attr.variants}

# A split transition: the configurations of all variants, by name.
to_wasm = transition(
    implementation = _to_wasm_impl,
    inputs = [_ISA, _PLATFORMS, _TOOLCHAINS],
    outputs = [_ISA, _PLATFORMS, _SAVED, _TOOLCHAINS],
)

def _from_wasm_impl(settings, _attr):
    if not settings[_SAVED]:
        return settings
    values = {name: [] for name in _NAMES}
    for item in settings[_SAVED]:
        name, _, value = item.partition("=")
        if name in values:
            values[name].append(value)
    return {
        _ISA: values["isa"][0],
        _PLATFORMS: values["platforms"],
        _SAVED: [],
        _TOOLCHAINS: values["toolchains"],
    }

# The configuration outside of WebAssembly modules.
from_wasm = transition(
    implementation = _from_wasm_impl,
    inputs = [_ISA, _PLATFORMS, _SAVED, _TOOLCHAINS],
    outputs = [_ISA, _PLATFORMS, _SAVED, _TOOLCHAINS],
)

def _code_label(code):
    return Label(code)

def _web_model_impl(ctx):
    files = model_info(ctx, ctx.attr.files[0])
    code = ctx.attr._code[ExecutorchModelInfo]
    return [ExecutorchModelInfo(
        backends = code.backends,
        instruction_values = files.instruction_values,
        kernels = code.kernels,
        manifest = files.manifest,
        prefix = files.prefix,
        pte = files.pte,
        reference = files.reference,
        weights = files.weights,
    )]

web_model = rule(
    implementation = _web_model_impl,
    attrs = {
        "code": attr.string(
            mandatory = True,
            doc = "Label of the model; its kernels and backends are compiled for WebAssembly.",
        ),
        "files": attr.label(
            mandatory = True,
            cfg = from_wasm,
            doc = "The same model; its files are those of the library's own configuration.",
        ),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),

        # Implicit, so that its program is not validated, which would compile it.
        "_code": attr.label(default = _code_label),
    },
    doc = "A model whose program is compiled once for all variants.",
    provides = [ExecutorchModelInfo],
)
