package org.executorch.bazel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jetbrains.annotations.NotNull;

/**
 * A program that is not known when the app is built. For known models, generated classes are simpler.
 *
 * <p>The app needs an {@code executorch_java_runtime} with the kernels of the program.
 */
public final class Program {
  private final Data program;
  private final Data weights;
  private final Map<String, Signature> signatures;

  private Program(Data program, Data weights, Map<String, Signature> signatures) {
    this.program = program;
    this.weights = weights;
    this.signatures = signatures;
  }

  /**
   * Verifies a program, and reads its signatures.
   *
   * @param program the program
   * @return the program, which holds no native memory
   * @throws ExecutorchException if the program is damaged
   */
  public static @NotNull Program open(@NotNull Data program) {
    return read(Objects.requireNonNull(program), null);
  }

  /**
   * Verifies a program with external weights, and reads its signatures.
   *
   * @param program the program
   * @param weights the weights, which must be those of the program
   * @return the program, which holds no native memory
   * @throws ExecutorchException if a file is damaged
   */
  public static @NotNull Program open(@NotNull Data program, @NotNull Data weights) {
    return read(Objects.requireNonNull(program), Objects.requireNonNull(weights));
  }

  private static Program read(Data program, Data weights) {
    ProgramNatives natives = ProgramNatives.get();
    Methods opened = Methods.load("Program", natives, -1, 0, new int[0], program, weights, new Options());
    try {
      return new Program(program, weights, Description.read(opened.describe(natives)));
    } finally {
      opened.close();
    }
  }

  /**
   * Returns the names of the methods.
   *
   * @return the names, in the order of the program
   */
  public @NotNull List<String> getMethodNames() {
    return new ArrayList<>(signatures.keySet());
  }

  /**
   * Returns the inputs and outputs of a method.
   *
   * @param method the name of the method
   * @return the signature
   * @throws ExecutorchException if the program has no such method
   */
  public @NotNull Signature signature(@NotNull String method) {
    Signature found = signatures.get(method);
    if (found == null) {
      throw new ExecutorchException(
          Status.NOT_FOUND,
          "the program has no method '" + method + "'; its methods are: " + String.join(", ", signatures.keySet()));
    }
    return found;
  }

  /**
   * Loads a method with default options.
   *
   * @param name the name of the method
   * @return the method; close it after use
   * @throws ExecutorchException if the program has no such method, or it cannot be loaded
   */
  public @NotNull Method method(@NotNull String name) {
    return method(name, new Options());
  }

  /**
   * Loads a method. Each call returns an object with its own state.
   *
   * @param name the name of the method
   * @param options the options
   * @return the method; close it after use
   * @throws ExecutorchException if the program has no such method, or it cannot be loaded
   */
  public @NotNull Method method(@NotNull String name, @NotNull Options options) {
    Signature signature = signature(name);
    Methods loaded =
        Methods.load(
            "Method '" + name + "'",
            ProgramNatives.get(),
            signature.index(),
            0,
            signature.slots(),
            program,
            weights,
            options);
    return new Method(signature, loaded);
  }
}
