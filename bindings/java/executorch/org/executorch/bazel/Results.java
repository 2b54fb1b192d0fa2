package org.executorch.bazel;

import java.util.AbstractList;
import java.util.List;
import org.jetbrains.annotations.NotNull;

/** The outputs of a run: each is a {@link Tensor}, Long, Double, Boolean or String. */
public final class Results extends AbstractList<Object> {
  private final List<Object> values;

  Results(List<Object> values) {
    this.values = values;
  }

  /**
   * Returns an output.
   *
   * @param index the index of the output
   * @return the value
   * @throws IndexOutOfBoundsException if the index is out of range
   */
  @Override
  public @NotNull Object get(int index) {
    return values.get(index);
  }

  /**
   * Returns the number of outputs.
   *
   * @return the number
   */
  @Override
  public int size() {
    return values.size();
  }

  /**
   * Returns a tensor, such as {@code getTensor(0, float[].class)}.
   *
   * @param <A> the type of the array
   * @param index the index of the output
   * @param array the class of the array
   * @return the tensor
   * @throws ExecutorchException if the output is not a tensor with such elements
   */
  @SuppressWarnings("unchecked")
  public <A> @NotNull Tensor<A> getTensor(int index, @NotNull Class<A> array) {
    Object value = values.get(index);
    if (!(value instanceof Tensor) || !array.isInstance(((Tensor<?>) value).getArray())) {
      throw wrongType(index, "a tensor with elements in " + array.getSimpleName());
    }
    return (Tensor<A>) value;
  }

  /**
   * Returns an integer.
   *
   * @param index the index of the output
   * @return the value
   * @throws ExecutorchException if the output is not an integer
   */
  public long getLong(int index) {
    return scalar(index, Long.class, "an integer");
  }

  /**
   * Returns a float.
   *
   * @param index the index of the output
   * @return the value
   * @throws ExecutorchException if the output is not a float
   */
  public double getDouble(int index) {
    return scalar(index, Double.class, "a float");
  }

  /**
   * Returns a boolean.
   *
   * @param index the index of the output
   * @return the value
   * @throws ExecutorchException if the output is not a boolean
   */
  public boolean getBoolean(int index) {
    return scalar(index, Boolean.class, "a boolean");
  }

  /**
   * Returns a text.
   *
   * @param index the index of the output
   * @return the value
   * @throws ExecutorchException if the output is not a text
   */
  public @NotNull String getString(int index) {
    return scalar(index, String.class, "a text");
  }

  private <T> T scalar(int index, Class<T> type, String expected) {
    Object value = values.get(index);
    if (!type.isInstance(value)) {
      throw wrongType(index, expected);
    }
    return type.cast(value);
  }

  private ExecutorchException wrongType(int index, String expected) {
    Object value = values.get(index);
    String found = value instanceof Tensor ? "a tensor, " + value : value.getClass().getSimpleName();
    return new ExecutorchException(
        Status.INVALID_TYPE, "output " + index + " is " + found + ", not " + expected);
  }
}
