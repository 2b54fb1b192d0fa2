package org.executorch.bazel;

import static org.executorch.bazel.ExecutorchException.invalid;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;

/** For generated classes: the outputs of a {@link Call}, after its run. */
public final class Outputs {
  /** Values of et_value_tag. */
  private static final int TAG_INT = 2;

  private static final int TAG_BOOL = 3;
  private static final int TAG_DOUBLE = 4;
  private static final int TAG_TENSOR = 5;

  private final Call call;
  private final Frame frame;
  private final int first;

  /** {@code first} is the slot of the first output in the frame. */
  Outputs(Call call, Frame frame, int first) {
    this.call = call;
    this.frame = frame;
    this.first = first;
  }

  private int checkKind(int output, int tag) {
    int slot = first + output;
    if (frame.get(slot, Frame.KIND) != tag) {
      throw new ExecutorchException(
          Status.INVALID_TYPE,
          "outputs[" + output + "] has another kind; the program differs from the model");
    }
    return slot;
  }

  /** Returns an integer. */
  public long getInt(int output) {
    return frame.get(checkKind(output, TAG_INT), Frame.VALUE);
  }

  /** Returns a boolean. */
  public boolean getBool(int output) {
    return frame.get(checkKind(output, TAG_BOOL), Frame.VALUE) != 0;
  }

  /** Returns a float. */
  public double getDouble(int output) {
    return Double.longBitsToDouble(frame.get(checkKind(output, TAG_DOUBLE), Frame.VALUE));
  }

  /** Returns a string. */
  public String getString(int output) {
    byte[] bytes = call.text(output);
    if (bytes == null) {
      throw new ExecutorchException(
          Status.INVALID_TYPE,
          "outputs[" + output + "] has another kind; the program differs from the model");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Checks the type of an output, and returns the number of its Java elements. */
  private int checkTensor(int output, Dtype dtype, int rank) {
    int slot = checkKind(output, TAG_TENSOR);
    if (frame.get(slot, Frame.DTYPE) != dtype.code() || frame.get(slot, Frame.RANK) != rank) {
      throw new ExecutorchException(
          Status.INVALID_TYPE,
          "outputs[" + output + "] is not a " + dtype + " tensor with " + rank
              + " dims; the program differs from the model");
    }
    long count = frame.get(slot, Frame.COUNT) * dtype.getParts();
    if (count > Integer.MAX_VALUE) {
      throw new ExecutorchException(
          Status.NOT_SUPPORTED, "outputs[" + output + "] has " + count + " elements; Java arrays have fewer");
    }
    return (int) count;
  }

  private <A> Tensor<A> tensor(int output, Dtype dtype, int[] dimOrder, A array) {
    call.read(output, array, 0, false);
    int[] sizes = new int[dimOrder.length];
    for (int dim = 0; dim < sizes.length; dim++) {
      sizes[dim] = (int) frame.get(first + output, Frame.SIZES + dim);
    }
    return new Tensor<>(array, dtype, sizes, Tensor.strides(sizes, dimOrder));
  }

  /** Returns a copy of a tensor. */
  public Tensor<boolean[]> getBooleans(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new boolean[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<byte[]> getBytes(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new byte[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<short[]> getShorts(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new short[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<int[]> getInts(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new int[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<long[]> getLongs(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new long[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<float[]> getFloats(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new float[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<double[]> getDoubles(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new double[count]);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, ByteBuffer target, int count) {
    checkTarget(name, target, ByteOrder.nativeOrder(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, ShortBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, IntBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, LongBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, FloatBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, DoubleBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  private static void checkTarget(String name, Buffer target, ByteOrder order, int count) {
    if (target.isReadOnly()) {
      throw invalid(name + ": the buffer is read-only; pass a writable one");
    }
    if (!target.isDirect() && !target.hasArray()) {
      throw invalid(name + ": the buffer is a view of a heap buffer; pass a direct buffer, or wrap an array");
    }
    Inputs.checkOrder(name, order);
    checkRemaining(name, target.remaining(), count);
  }

  private static void checkRemaining(String name, int remaining, int count) {
    if (remaining < count) {
      throw invalid(name + ": the buffer has " + remaining + " elements left; pass at least " + count);
    }
  }

  /** Copies a tensor to a buffer that {@code checkTarget} has accepted, and sets the buffer's limit to the end of the elements. */
  public void copyTo(int output, String name, Dtype dtype, int rank, Buffer target) {
    int count = checkTensor(output, dtype, rank);
    int begin = target.position();
    checkRemaining(name, target.limit() - begin, count);
    if (target.isDirect()) {
      call.read(output, target, begin, true);
    } else if (dtype == Dtype.BOOL) {
      boolean[] booleans = new boolean[count];
      call.read(output, booleans, 0, false);
      for (int i = 0; i < count; i++) {
        ((ByteBuffer) target).put(begin + i, (byte) (booleans[i] ? 1 : 0));
      }
    } else {
      int start = target.arrayOffset() + begin;
      call.read(output, target.array(), start, false);
    }
    target.limit(begin + count);
  }
}
