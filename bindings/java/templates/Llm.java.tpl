// Generated from {LABEL}. Do not edit.
package {PACKAGE};

/** The language model of {@code {LABEL}}. */
public final class {CLASS} {
{GRAMMARS}  private {CLASS}() {}

  /**
   * Opens the model with an empty conversation and one thread.
   *
   * @return the model; close it after use
   * @throws org.executorch.bazel.ExecutorchException if the memory does not suffice
   */
  @org.jetbrains.annotations.NotNull
  public static org.executorch.bazel.Llm load() {
    return load(1);
  }

  /**
   * Opens the model with an empty conversation.
   *
   * @param threads the number of threads, 1 to 64
   * @return the model; close it after use
   * @throws org.executorch.bazel.ExecutorchException if the memory does not suffice
   */
  @org.jetbrains.annotations.NotNull
  public static org.executorch.bazel.Llm load(int threads) {
    return org.executorch.bazel.Llm.open({CLASS}Natives.get(), threads);
  }
}
