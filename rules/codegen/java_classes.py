"""Java classes of models, and the class of their native library."""

from collections.abc import Sequence

from rules.codegen.java_methods import MethodWriter
from rules.codegen.java_model import Library
from rules.codegen.java_names import check_class_name, check_package, javadoc, javadoc_lines
from rules.codegen.java_types import API, NOT_NULL
from rules.codegen.model import CodegenError
from rules.interface.description import Method

_CLASS = """\
// Generated from {target}. Do not edit.
package {package};

/**
 * Model {{@code {target}}}.
{doc} *
 * <p>An object has its own state. Any thread can use it; it runs one call at a time.
 */
public final class {name} implements java.lang.AutoCloseable {{
{constants}
  private final org.executorch.bazel.Methods methods;

  private {name}(org.executorch.bazel.Methods methods) {{
    this.methods = methods;
  }}

  /**
   * Loads all methods.
   *
{file_docs}   * @return the model; close it after use
   */
  public static {not_null}{name} load({parameters}) {{
    return load({names}new org.executorch.bazel.Options());
  }}

  /**
   * Loads all methods, with options.
   *
{file_docs}   * @param options the options
   * @return the model; close it after use
   */
  public static {not_null}{name} load({parameters_first}{not_null}org.executorch.bazel.Options options) {{
    return new {name}(
        org.executorch.bazel.Methods.load(
            "{name}", {natives}.get(), {index}, {digest}L, SLOTS, {program}, {weights}, options));
  }}
{methods}
  /** Resets the mutable buffers of all methods to their initial values. */
  public void reset() {{
    this.methods.reset();
  }}

  /** Frees the native memory, after calls of other threads. Later calls of this function do nothing. */
  @Override
  public void close() {{
    this.methods.close();
  }}
{classes}}}
"""

_NATIVES = """\
// Generated from {target}. Do not edit.
package {package};

/** The native library of {{@code {target}}}. */
final class {name} extends org.executorch.bazel.Natives {{
  private static {name} loaded;

  private {name}() {{}}

  /** Loads the library for the first caller. */
  static synchronized org.executorch.bazel.Natives get() {{
    if (loaded == null) {{
      if (org.executorch.bazel.NativeLibrary.isInstalled()) {{
        java.lang.System.loadLibrary("{library}");
      }} else {{
        java.lang.System.load(org.executorch.bazel.NativeLibrary.find({name}.class, "{library}"));
      }}
      loaded = new {name}();
    }}
    return loaded;
  }}

  @Override
  protected native long load(
      int model,
      long digest,
      java.nio.ByteBuffer frame,
      java.lang.Object[] files,
      long[] numbers,
      java.lang.Object[] texts);

  @Override
  protected native int run(long handle, int method, java.lang.Object[] tensors);

  @Override
  protected native int read(
      long handle, int method, int output, java.lang.Object target, long begin, boolean isDirect);

  @Override
  protected native byte[] text(long handle, int method, int output);

  @Override
  protected native void reset(long handle);

  @Override
  protected native void free(long handle);
}}
"""


def java_classes(library: Library) -> dict[str, str]:
    """Return the sources by path. Raises CodegenError."""
    check_package(library.package)
    names = [model.class_name for model in library.models]
    for name in names:
        check_class_name(name)
        if names.count(name) > 1 or name == library.natives:
            raise CodegenError(f"class_name: two classes are '{name}'; set other names")
    folder = library.package.replace(".", "/")
    sources = {f"{folder}/{library.natives}.java": _natives(library)}
    for index, model in enumerate(library.models):
        sources[f"{folder}/{model.class_name}.java"] = _class(library, index)
    return sources


def _natives(library: Library) -> str:
    return _NATIVES.format(
        target=javadoc(library.target), package=library.package, name=library.natives, library=f"{library.name}_jni"
    )


def _class(library: Library, index: int) -> str:
    entry = library.models[index]
    interface = entry.model.interface
    files = library.borrowed(entry.model)
    parameters = [f"{NOT_NULL}{API}.Data {file}" for file in files]
    writers = [MethodWriter(entry, number) for number in range(len(interface.methods))]
    return _CLASS.format(
        target=javadoc(interface.target),
        package=library.package,
        name=entry.class_name,
        not_null=NOT_NULL,
        doc=javadoc_lines(interface.doc, ""),
        constants=_slot_counts(interface.methods) + "".join(writer.constants() for writer in writers),
        file_docs="".join(f"   * @param {file} the {file}\n" for file in files),
        parameters=", ".join(parameters),
        parameters_first="".join(f"{parameter}, " for parameter in parameters),
        names="".join(f"{file}, " for file in files),
        natives=library.natives,
        index=index,
        digest=entry.digest,
        program="program" if "program" in files else "null",
        weights="weights" if "weights" in files else "null",
        methods="".join(writer.functions() for writer in writers),
        classes="".join(writer.outputs_class() for writer in writers),
    )


def _slot_counts(methods: Sequence[Method]) -> str:
    counts = (str(len(slots)) for method in methods for slots in (method.inputs, method.outputs))
    return f"  private static final int[] SLOTS = {{{', '.join(counts)}}};\n"
