"""The targets of this package, in workspaces with Java rules."""

load("@executorch_java_rules//:defs.bzl", "IS_SELECTED", "java_binary", "java_library", "java_test")
load("//bindings/java:defs.bzl", "executorch_java_library", "executorch_java_runtime", "executorch_llm_java_library")
load("//llm:defs.bzl", "executorch_grammar")

_TAGS = ["manual"]

_EXTERNAL = "//tests/feature_models/external_weights:one_row_pte"

# Environment variables of tests with the paths of programs.
_PROGRAMS = {
    "INTEGER_INPUTS": "//tests/feature_models:integer_inputs_pte",
    "KV_CACHE_DECODER": "//tests/feature_models:kv_cache_decoder_pte",
    "OTHER_PROGRAM": "//tests/rust:odd_names_pte",
    "PROGRAM": _EXTERNAL,
    "TWO_DYNAMIC_SIZES": "//tests/rust:two_dynamic_sizes_pte",
    "WEIGHTS": _EXTERNAL + ".ptd",
}

# Attributes of the models' libraries, by name.
_LIBRARIES = {
    "borrowed_inputs": dict(model = "//tests/rust:borrowed_inputs_pte"),
    "convolutions": dict(model = "//tests/feature_models:convolutions_pte"),
    "external": dict(
        borrow = [
            "program",
            "weights",
        ],
        class_name = "External",
        model = _EXTERNAL,
    ),
    "integer_inputs": dict(model = "//tests/feature_models:integer_inputs_pte"),
    "kv_cache_decoder": dict(model = "//tests/feature_models:kv_cache_decoder_pte"),
    "noise": dict(model = "//tests/rust:noise_pte"),
    "one_row": dict(model = _EXTERNAL),
    "two_dynamic_sizes": dict(model = "//tests/rust:two_dynamic_sizes_pte"),
}

# Models that each test uses.
_TESTS = {
    "FloatsTest": [],
    "InputsTest": [
        "borrowed_inputs",
        "integer_inputs",
        "one_row",
        "two_dynamic_sizes",
    ],
    "LlmTest": [
        "other_assistant",
        "small_assistant",
    ],
    "LoaderTest": ["one_row"],
    "ObjectsTest": [
        "convolutions",
        "external",
        "integer_inputs",
        "kv_cache_decoder",
        "noise",
        "one_row",
    ],
    "ProgramTest": ["runtime"],
    "SelectedKernelsTest": ["integer_inputs_runtime"],
}

# buildifier: disable=unnamed-macro
def java_targets():
    """Declares the targets."""
    if not IS_SELECTED:
        return
    for name, attributes in _LIBRARIES.items():
        executorch_java_library(
            name = name,
            testonly = True,
            package = "tests.models",
            tags = _TAGS,
            **dict({"class_name": name.title().replace("_", "")}, **attributes)
        )
    executorch_java_runtime(
        name = "runtime",
        testonly = True,
        tags = _TAGS,
    )
    executorch_java_runtime(
        name = "integer_inputs_runtime",
        testonly = True,
        models = [_PROGRAMS["INTEGER_INPUTS"]],
        tags = _TAGS,
    )
    executorch_grammar(
        name = "answers",
        testonly = True,
        grammar = "answers.gbnf",
        tags = _TAGS,
    )
    executorch_llm_java_library(
        name = "small_assistant",
        testonly = True,
        class_name = "SmallAssistant",
        grammars = {":answers": "ANSWERS"},
        model = "//llm:small_adapted",
        package = "tests.models",
        symbol = "small_adapted",
        tags = _TAGS,
    )
    executorch_llm_java_library(
        name = "other_assistant",
        testonly = True,
        class_name = "OtherAssistant",
        model = "//llm:small_adapted",
        package = "tests.models",
        symbol = "small_adapted",
        tags = _TAGS,
    )
    java_library(
        name = "testing",
        testonly = True,
        srcs = ["Testing.java"],
        tags = _TAGS,
        deps = ["//bindings/java:executorch"],
    )
    for name, libraries in _TESTS.items():
        java_test(
            name = name,
            size = "small",
            srcs = [name + ".java"],
            data = _PROGRAMS.values(),
            env = {variable: "$(rootpath %s)" % label for variable, label in _PROGRAMS.items()},
            main_class = "tests.java." + name,
            tags = _TAGS,
            use_testrunner = False,
            deps = libraries + [
                "testing",
                "//bindings/java:executorch",
            ],
        )

    # Run by hand with other options of the virtual machine: `JDK_JAVA_OPTIONS=-Xint … stress 10000000 10000 16`.
    stress = dict(
        srcs = ["Stress.java"],
        main_class = "tests.java.Stress",
        tags = _TAGS,
        testonly = True,
        deps = [
            "one_row",
            "testing",
            "//bindings/java:executorch",
        ],
    )
    java_binary(name = "stress", **stress)
    java_test(
        name = "StressTest",
        size = "medium",
        args = [
            "50000",
            "500",
            "16",
        ],
        jvm_flags = [
            "-Xcheck:jni",
            "-Xmx64m",
        ],
        use_testrunner = False,
        **stress
    )
