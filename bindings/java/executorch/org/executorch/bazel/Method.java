package org.executorch.bazel;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.annotations.NotNull;

/**
 * A loaded method of a {@link Program}.
 *
 * <p>An object has its own state. Any thread can use it; it runs one call at a time.
 */
public final class Method implements AutoCloseable {
  private final Signature signature;
  private final Methods methods;

  Method(Signature signature, Methods methods) {
    this.signature = signature;
    this.methods = methods;
  }

  /**
   * Returns the inputs and outputs.
   *
   * @return the signature
   */
  public @NotNull Signature getSignature() {
    return signature;
  }

  /**
   * Runs the method.
   *
   * @param inputs the inputs of the signature. An integer is a Long or Integer. A tensor is an array,
   *     a buffer, or, if the number of elements does not determine its sizes, a {@link Tensor}.
   * @return copies of the outputs
   * @throws ExecutorchException if an input is wrong, or the run fails
   * @throws IllegalStateException if the method is closed
   */
  public @NotNull Results run(@NotNull Object... inputs) {
    List<ValueInfo> expected = signature.getInputs();
    if (inputs.length != expected.size()) {
      throw ExecutorchException.invalid(
          signature + " has " + expected.size() + " inputs, got " + inputs.length + "; pass " + expected.size());
    }
    Call call = methods.begin(0);
    try {
      for (int i = 0; i < inputs.length; i++) {
        expected.get(i).set(call.inputs, inputs[i]);
      }
      call.run();
      List<Object> values = new ArrayList<>();
      for (ValueInfo output : signature.getOutputs()) {
        values.add(output.get(call.outputs));
      }
      return new Results(values);
    } finally {
      call.end();
    }
  }

  /** Resets the mutable buffers to their initial values. */
  public void reset() {
    methods.reset();
  }

  /** Frees the native memory, after calls of other threads. Later calls of this function do nothing. */
  @Override
  public void close() {
    methods.close();
  }
}
