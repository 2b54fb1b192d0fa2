package org.executorch.bazel;

import java.util.Objects;
import org.jetbrains.annotations.NotNull;

/**
 * Thrown if a model cannot be loaded, or a call fails.
 *
 * <p>The message starts with the status and names the invalid element, such as {@code
 * INVALID_ARGUMENT: image: 100 elements; pass 150528}.
 */
public final class ExecutorchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Status status;

  /** Creates an exception. The message does not have the status. */
  ExecutorchException(Status status, String message) {
    super(status + ": " + message);
    this.status = Objects.requireNonNull(status);
  }

  /** Returns the exception for an invalid argument. */
  static ExecutorchException invalid(String message) {
    return new ExecutorchException(Status.INVALID_ARGUMENT, message);
  }

  /**
   * Returns the kind of the error.
   *
   * @return the status of the C runtime
   */
  public @NotNull Status getStatus() {
    return status;
  }
}
