package org.executorch.bazel;

import static org.executorch.bazel.ExecutorchException.invalid;

import java.util.List;
import java.util.stream.Collectors;
import org.jetbrains.annotations.NotNull;

/** An input or output of a {@link Method}. */
public final class ValueInfo {
  private final String name;
  private final int index;
  private final Kind kind;
  private final Range range;
  private final Dtype dtype;
  private final List<Range> sizes;
  private final int[] dimOrder;

  /** The kind of a value: TENSOR, INT, DOUBLE, BOOL or STRING. */
  public enum Kind {
    /** A {@link Tensor}. */
    TENSOR,
    /** An integer, as {@code Long}. */
    INT,
    /** A float, as {@code Double}. */
    DOUBLE,
    /** A boolean, as {@code Boolean}. */
    BOOL,
    /** A text, as {@code String}. */
    STRING
  }

  private ValueInfo(
      String name, int index, Kind kind, Range range, Dtype dtype, List<Range> sizes, int[] dimOrder) {
    this.name = name;
    this.index = index;
    this.kind = kind;
    this.range = range;
    this.dtype = dtype;
    this.sizes = sizes;
    this.dimOrder = dimOrder;
  }

  static ValueInfo tensor(String name, int index, Dtype dtype, List<Range> sizes, int[] dimOrder) {
    return new ValueInfo(name, index, Kind.TENSOR, null, dtype, List.copyOf(sizes), dimOrder);
  }

  static ValueInfo scalar(String name, int index, Kind kind, Range range) {
    return new ValueInfo(name, index, kind, range, null, List.of(), null);
  }

  /**
   * Returns the name in messages. Programs do not have the names of parameters.
   *
   * @return a name such as {@code inputs[0]}, with the position among all inputs of the program
   */
  public @NotNull String getName() {
    return name;
  }

  /**
   * Returns the kind.
   *
   * @return the kind
   */
  public @NotNull Kind getKind() {
    return kind;
  }

  /**
   * Returns the element type of a tensor.
   *
   * @return the dtype
   * @throws IllegalStateException if the value is not a tensor
   */
  public @NotNull Dtype getDtype() {
    check(dtype != null, "a tensor");
    return dtype;
  }

  /**
   * Returns the possible sizes of a tensor.
   *
   * @return a range for each dimension
   * @throws IllegalStateException if the value is not a tensor
   */
  public @NotNull List<Range> getSizes() {
    check(kind == Kind.TENSOR, "a tensor");
    return sizes;
  }

  /**
   * Returns the possible values of an integer input.
   *
   * @return the range
   * @throws IllegalStateException if the value is not an integer input
   */
  public @NotNull Range getRange() {
    check(range != null, "an integer input");
    return range;
  }

  private void check(boolean condition, String expected) {
    if (!condition) {
      throw new IllegalStateException(name + " is not " + expected);
    }
  }

  /**
   * Describes the value.
   *
   * @return a text such as {@code float32 [1, 2 to 8]} or {@code int 0 to 3}
   */
  @Override
  public @NotNull String toString() {
    if (kind != Kind.TENSOR) {
      return kind.name().toLowerCase(java.util.Locale.ROOT) + (range == null ? "" : " " + range);
    }
    return sizes.stream().map(Range::toString).collect(Collectors.joining(", ", dtype + " [", "]"));
  }

  /** Sets the input of a call. */
  void set(Inputs inputs, Object value) {
    if (kind == Kind.INT) {
      if (!(value instanceof Long || value instanceof Integer)) {
        throw wrongType(value, "Long");
      }
      inputs.setInt(index, name, ((Number) value).longValue());
    } else if (value instanceof Tensor) {
      setTensor(inputs, (Tensor<?>) value);
    } else if (!Elements.set(inputs, index, name, dtype, value, countedSizes())) {
      throw wrongType(value, Elements.describe(dtype) + " or Tensor");
    }
  }

  private ExecutorchException wrongType(Object value, String expected) {
    String found = value == null ? "null" : value.getClass().getSimpleName();
    return new ExecutorchException(
        Status.INVALID_TYPE, name + ": the value is " + found + "; pass " + expected);
  }

  /** Returns the sizes for elements without sizes, of which the number of elements determines one. */
  private int[] countedSizes() {
    int[] found = new int[sizes.size()];
    int dynamicCount = 0;
    boolean hasNone = false;
    for (int dim = 0; dim < found.length; dim++) {
      Range size = sizes.get(dim);
      found[dim] = size.getStep() == 0 ? (int) size.getMin() : Inputs.DYNAMIC;
      dynamicCount += size.getStep() == 0 ? 0 : 1;
      hasNone |= found[dim] == 0;
    }
    if (dynamicCount > 1 || dynamicCount == 1 && hasNone) {
      throw invalid(
          name + ": the number of elements does not determine the sizes of " + this
              + "; pass Tensor.of(dtype, elements, sizes)");
    }
    return found;
  }

  private void setTensor(Inputs inputs, Tensor<?> tensor) {
    if (tensor.getDtype() != dtype) {
      throw new ExecutorchException(Status.INVALID_TYPE, name + ": the tensor is " + tensor + "; pass " + this);
    }
    int[] found = Inputs.checkSizes(name, tensor.getSizes(), sizes.size());
    int[] strides = tensor.getStrides();
    int[] expected = Tensor.strides(found, dimOrder);
    for (int dim = 0; dim < found.length; dim++) {
      if (found[dim] > 1 && strides[dim] != expected[dim]) {
        throw invalid(
            name + ": the tensor's stride of dim " + dim + " is " + strides[dim] + "; pass one with the stride "
                + expected[dim]);
      }
    }
    Elements.set(inputs, index, name, dtype, tensor.getArray(), found);
  }

  /** Returns the output of a call. */
  Object get(Outputs outputs) {
    switch (kind) {
      case INT:
        return outputs.getInt(index);
      case DOUBLE:
        return outputs.getDouble(index);
      case BOOL:
        return outputs.getBool(index);
      case STRING:
        return outputs.getString(index);
      default:
        return Elements.get(outputs, index, dtype, dimOrder);
    }
  }
}
