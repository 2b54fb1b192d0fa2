"""executorch_llm_java_library: a language model as a Java class with a native library."""

load("@executorch_java_rules//:defs.bzl", "java_library")
load("//rules/private:c_names.bzl", "c_prefix")  # buildifier: disable=bzl-visibility
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load(":native_library.bzl", "JAVACOPTS", "check_java_rules", "classes_of_library", "native_library")

def _source_impl(ctx):
    symbols = [target.label for target in ctx.attr.grammars]
    substitutions = {
        "{CLASS_PATH}": ctx.attr.package.replace(".", "/") + "/" + ctx.attr.class_name,
        "{CLASS}": ctx.attr.class_name,
        "{INCLUDES}": "".join([
            '#include "%s.h"\n' % "/".join([part for part in [label.package, label.name] if part])
            for label in [ctx.attr.model.label] + symbols
        ]),
        "{LABEL}": display_label(ctx.label.relative(":" + ctx.attr.library_name)),
        "{LIBRARY}": ctx.attr.library_name + "_jni",
        "{PACKAGE}": ctx.attr.package,
        "{SYMBOL}": ctx.attr.symbol,
    }
    c_grammars = "".join(["    &%s,\n" % c_prefix(label.package, label.name) for label in symbols])
    java_grammars = "".join([_GRAMMAR.format(
        class_name = ctx.attr.class_name,
        index = index,
        label = display_label(label),
        name = ctx.attr.grammars.values()[index],
    ) for index, label in enumerate(symbols)])
    outputs = []
    for template, name, grammars in [
        (ctx.file._class, ctx.attr.class_name + ".java", java_grammars),
        (ctx.file._natives, ctx.attr.class_name + "Natives.java", ""),
        (ctx.file._source, ctx.label.name + ".c", c_grammars),
    ]:
        output = ctx.actions.declare_file("%s/%s" % (ctx.label.name, name))
        outputs.append(output)
        ctx.actions.expand_template(
            output = output,
            substitutions = dict(substitutions, **{"{GRAMMARS}": grammars}),
            template = template,
        )
    return [DefaultInfo(files = depset(outputs[:2])), OutputGroupInfo(c = depset(outputs[2:]))]

_GRAMMAR = """  /** The grammar of {{@code {label}}}. */
  public static final org.executorch.bazel.LlmGrammar {name} =
      new org.executorch.bazel.LlmGrammar({class_name}Natives.class, {index});

"""

_llm_java_source = rule(
    implementation = _source_impl,
    attrs = {
        "class_name": attr.string(
            mandatory = True,
            doc = "Name of the class.",
        ),
        "grammars": attr.label_keyed_string_dict(doc = "Names of constants by grammar."),
        "library_name": attr.string(
            mandatory = True,
            doc = "Name of the Java library.",
        ),
        "model": attr.label(
            mandatory = True,
            doc = "The `executorch_llm`, whose header has its name.",
        ),
        "package": attr.string(
            mandatory = True,
            doc = "Java package of the class.",
        ),
        "symbol": attr.string(
            mandatory = True,
            doc = "C identifier of the model.",
        ),
        "_class": attr.label(
            default = "//bindings/java:templates/Llm.java.tpl",
            allow_single_file = True,
        ),
        "_natives": attr.label(
            default = "//bindings/java:templates/LlmNatives.java.tpl",
            allow_single_file = True,
        ),
        "_source": attr.label(
            default = "//bindings/java:templates/llm.c.tpl",
            allow_single_file = True,
        ),
    },
    doc = "The Java classes of a language model, and the C source of its native library as output group `c`.",
)

def _is_identifier(name):
    characters = [character for character in name.elems() if not character.isalnum() and character != "_"]
    return name != "" and not characters and not name[0].isdigit()

def _check_names(where, package, class_name, grammars):
    if [part for part in package.split(".") if not _is_identifier(part)]:
        fail("%s: 'package' must be a Java package such as 'com.example.app', got '%s'" % (where, package))
    if not _is_identifier(class_name):
        fail("%s: 'class_name' must be a Java identifier, got '%s'" % (where, class_name))
    for grammar, name in grammars.items():
        if not _is_identifier(name):
            fail("%s: 'grammars' has the name '%s' for %s; pass a Java identifier such as 'ORDER'" % (where, name, grammar))

def executorch_llm_java_library(name, model, package, class_name, symbol = None, grammars = {}, platforms = [], javacopts = [], tags = [], testonly = False, visibility = None):
    """A language model as a Java class, with a native library.

    `java_binary` and other rules of rules_java can name the target in `deps`. The function `load` of the class returns an
    `org.executorch.bazel.Llm`. The workspace selects the Java rules with `executorch.java` in MODULE.bazel
    (docs/how_to/use_from_java.md). The targets are `<name>_jni` and `<name>_natives`, as those of `executorch_java_library`.

    Args:
      name: Name of the library.
      model: An `executorch_llm`.
      package: Java package of the class, such as `com.example.app`.
      class_name: Name of the class, such as `Assistant`.
      symbol: The attribute of the `executorch_llm`, if it is set.
      grammars: Dict from `executorch_grammar` targets without `symbol` to names of constants of the class, such as `ORDER`.
      platforms: Platforms whose native libraries the jar contains. Default: the target platform only.
      javacopts: Flags of the Java compiler.
      tags: Tags of all targets.
      testonly: Whether only tests can use the targets.
      visibility: Visibility of the library, its shared library and its jar.
    """
    where = "executorch_llm_java_library(name = '%s')" % name
    check_java_rules("executorch_llm_java_library", name)
    _check_names(where, package, class_name, grammars)
    label = native.package_relative_label(model)
    library = label.relative(":%s_cc" % label.name)
    common = {"tags": tags, "testonly": testonly}
    _llm_java_source(
        name = name + "_source",
        class_name = class_name,
        grammars = grammars,
        library_name = name,
        model = model,
        package = package,
        symbol = symbol or c_prefix(label.package, label.name),
        visibility = ["//visibility:private"],
        **common
    )
    native.filegroup(
        name = name + "_jni_source",
        srcs = [name + "_source"],
        output_group = "c",
        visibility = ["//visibility:private"],
        **common
    )
    natives = native_library(
        name = name,
        srcs = [name + "_jni_source"],
        deps = [library] + grammars.keys(),
        library_name = name,
        natives = Label("//bindings/java:llm_natives"),
        platforms = platforms,
        visibility = visibility,
        common = common,
    )
    java_library(
        name = name,
        srcs = [name + "_source"],
        javacopts = JAVACOPTS + javacopts,
        runtime_deps = [natives],
        visibility = visibility,
        exports = [Label("//bindings/java:llm")],
        deps = [
            Label("//bindings/java:annotations"),
            Label("//bindings/java:llm"),
        ],
        **common
    )
    classes_of_library(name, visibility, common, more = [Label("//bindings/java:llm")])
