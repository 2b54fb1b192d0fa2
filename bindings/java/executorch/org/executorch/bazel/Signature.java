package org.executorch.bazel;

import java.util.List;
import java.util.stream.Collectors;
import org.jetbrains.annotations.NotNull;

/** The inputs and outputs of a method. */
public final class Signature {
  private final int index;
  private final String name;
  private final List<ValueInfo> inputs;
  private final List<ValueInfo> outputs;
  private final List<String> conditions;

  /** The numbers of all inputs and outputs of the program's method. */
  private final int inputCount;

  private final int outputCount;

  /** {@code index} is that of the method in the program. */
  Signature(
      int index,
      String name,
      List<ValueInfo> inputs,
      List<ValueInfo> outputs,
      List<String> conditions,
      int inputCount,
      int outputCount) {
    this.index = index;
    this.name = name;
    this.inputs = List.copyOf(inputs);
    this.outputs = List.copyOf(outputs);
    this.conditions = conditions;
    this.inputCount = inputCount;
    this.outputCount = outputCount;
  }

  /**
   * Returns the name of the method.
   *
   * @return the name, such as {@code forward}
   */
  public @NotNull String getName() {
    return name;
  }

  /**
   * Returns the inputs that a call passes: tensors, and integers with a range. Other inputs are
   * constants of the program.
   *
   * @return the inputs
   */
  public @NotNull List<ValueInfo> getInputs() {
    return inputs;
  }

  /**
   * Returns the outputs of a call. Outputs that are None or lists are omitted.
   *
   * @return the outputs
   */
  public @NotNull List<ValueInfo> getOutputs() {
    return outputs;
  }

  /**
   * Returns the conditions on sizes that each call checks.
   *
   * @return conditions such as {@code x.shape[0] % 4 == 0}
   */
  public @NotNull List<String> getConditions() {
    return conditions;
  }

  int index() {
    return index;
  }

  /** Returns the numbers of slots that the native object needs. */
  int[] slots() {
    return new int[] {inputCount, outputCount};
  }

  /**
   * Describes the method.
   *
   * @return a text such as {@code forward(float32 [1, 4]) -> (float32 [1, 2])}
   */
  @Override
  public @NotNull String toString() {
    return name + list(inputs) + " -> " + list(outputs);
  }

  private static String list(List<ValueInfo> values) {
    return values.stream().map(ValueInfo::toString).collect(Collectors.joining(", ", "(", ")"));
  }
}
