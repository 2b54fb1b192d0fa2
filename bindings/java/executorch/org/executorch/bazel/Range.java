package org.executorch.bazel;

import org.jetbrains.annotations.NotNull;

/** The integers {@code min}, {@code min + step} and so on, at most {@code max}. */
public final class Range {
  private final long min;
  private final long max;
  private final long step;

  Range(long min, long max, long step) {
    this.min = min;
    this.max = max;
    this.step = step;
  }

  /**
   * Returns the smallest integer.
   *
   * @return the minimum
   */
  public long getMin() {
    return min;
  }

  /**
   * Returns the upper bound.
   *
   * @return the maximum
   */
  public long getMax() {
    return max;
  }

  /**
   * Returns the difference of adjacent integers; 0 if there is only one integer.
   *
   * @return the step
   */
  public long getStep() {
    return step;
  }

  /**
   * Describes the range.
   *
   * @return a text such as {@code 4}, {@code 2 to 8} or {@code 8 to 64 in steps of 8}
   */
  @Override
  public @NotNull String toString() {
    return step == 0 ? "" + min : min + " to " + max + (step == 1 ? "" : " in steps of " + step);
  }
}
