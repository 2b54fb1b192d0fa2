package org.executorch.bazel;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Objects;
import org.jetbrains.annotations.NotNull;

/**
 * Elements in a Java array, and their sizes.
 *
 * <p>An output is a copy, so it stays valid after later calls and after the model is closed.
 *
 * @param <A> the type of the array, such as {@code float[]}; see {@link Dtype}
 */
public final class Tensor<A> {
  private final A array;
  private final Dtype dtype;
  private final int[] sizes;
  private final int[] strides;

  /** Creates a tensor, which owns the arrays. */
  Tensor(A array, Dtype dtype, int[] sizes, int[] strides) {
    this.array = Objects.requireNonNull(array);
    this.dtype = Objects.requireNonNull(dtype);
    this.sizes = sizes;
    this.strides = strides;
  }

  /**
   * Creates a tensor, as an input of {@link Method#run}.
   *
   * @param <A> the type of the array
   * @param dtype the dtype
   * @param array the elements, which the tensor does not copy. The last dimension is contiguous.
   * @param sizes the sizes
   * @return the tensor
   * @throws ExecutorchException if the array has the wrong type or length
   */
  public static <A> @NotNull Tensor<A> of(@NotNull Dtype dtype, @NotNull A array, @NotNull int... sizes) {
    String expected = dtype.arrayType().getSimpleName();
    if (!dtype.arrayType().isInstance(array)) {
      throw new ExecutorchException(
          Status.INVALID_TYPE,
          dtype + ": the array is " + array.getClass().getSimpleName() + "; pass " + expected);
    }
    int[] order = new int[Inputs.checkSizes(dtype.toString(), sizes, sizes.length).length];
    long count = dtype.getParts();
    for (int dim = 0; dim < sizes.length; dim++) {
      order[dim] = dim;
      count = Math.min(count * sizes[dim], Integer.MAX_VALUE + 1L);
    }
    if (count != Array.getLength(array)) {
      throw ExecutorchException.invalid(
          dtype + " " + Arrays.toString(sizes) + ": " + Array.getLength(array) + " elements; pass " + count);
    }
    return new Tensor<>(array, dtype, sizes.clone(), strides(sizes, order));
  }

  /** Returns the strides of dense elements. */
  static int[] strides(int[] sizes, int[] dimOrder) {
    int[] strides = new int[sizes.length];
    int stride = 1;
    for (int i = dimOrder.length - 1; i >= 0; i--) {
      strides[dimOrder[i]] = stride;
      stride *= Math.max(sizes[dimOrder[i]], 1);
    }
    return strides;
  }

  /**
   * Returns the elements in the tensor's dim order. Without another dim order in the model, the last
   * dimension is contiguous.
   *
   * @return the array itself, not a copy
   */
  public @NotNull A getArray() {
    return array;
  }

  /**
   * Returns the element type.
   *
   * @return the dtype
   */
  public @NotNull Dtype getDtype() {
    return dtype;
  }

  /**
   * Returns the sizes.
   *
   * @return a copy
   */
  public @NotNull int[] getSizes() {
    return sizes.clone();
  }

  /**
   * Returns the strides in elements: element {@code [i, j]} is at {@code i * strides[0] + j *
   * strides[1]}.
   *
   * @return a copy
   */
  public @NotNull int[] getStrides() {
    return strides.clone();
  }

  /**
   * Returns the position of an element in {@link #getArray}. For complex numbers, it is that of the real
   * part.
   *
   * @param index one index for each dimension
   * @return the position
   * @throws IndexOutOfBoundsException if an index is out of range, or their number is wrong
   */
  public int position(@NotNull int... index) {
    if (index.length != sizes.length) {
      throw new IndexOutOfBoundsException(index.length + " indices; pass " + sizes.length);
    }
    int position = 0;
    for (int dim = 0; dim < sizes.length; dim++) {
      position += Objects.checkIndex(index[dim], sizes[dim]) * strides[dim];
    }
    return position * dtype.getParts();
  }

  /**
   * Describes the tensor.
   *
   * @return the dtype and the sizes, such as {@code float32 [1, 1000]}
   */
  @Override
  public @NotNull String toString() {
    return dtype + " " + Arrays.toString(sizes);
  }
}
