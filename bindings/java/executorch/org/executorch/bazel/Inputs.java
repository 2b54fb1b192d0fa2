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
import java.util.Arrays;

/** For generated classes: the inputs of a {@link Call}. */
public final class Inputs {
  /** A size that is computed from the number of elements. */
  public static final int DYNAMIC = -1;

  /** Values of et_java_source. */
  private static final int INT = 1;

  private static final int ARRAY = 2;
  private static final int DIRECT = 3;

  private final Frame frame;
  private final int first;
  private final Object[] tensors;
  private final String[] names;

  /** {@code first} is the slot of the first input in the frame. */
  Inputs(Frame frame, int first, int count) {
    this.frame = frame;
    this.first = first;
    this.tensors = new Object[count];
    this.names = new String[count];
  }

  /** Returns an array or a direct buffer for each tensor. */
  Object[] tensors() {
    return tensors;
  }

  /** Returns the name of each input that has been set. */
  String[] names() {
    return names;
  }

  /** Releases the tensors. */
  void clear() {
    Arrays.fill(tensors, null);
  }

  /** Sets an integer. */
  public void setInt(int input, String name, long value) {
    names[input] = name;
    frame.put(first + input, Frame.KIND, INT);
    frame.put(first + input, Frame.VALUE, value);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, boolean[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, byte[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, short[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, int[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, long[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, float[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, double[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, ByteBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray() && dtype != Dtype.BOOL) {
      setBuffer(input, name, dtype, elements, ByteOrder.nativeOrder(), sizes);
      return;
    }
    byte[] copy = new byte[elements.remaining()];
    elements.duplicate().get(copy);
    if (dtype == Dtype.BOOL) {
      set(input, name, dtype, toBooleans(name, copy), sizes);
    } else {
      set(input, name, dtype, copy, sizes);
    }
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, ShortBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    short[] copy = new short[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, IntBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    int[] copy = new int[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, LongBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    long[] copy = new long[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, FloatBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    float[] copy = new float[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, DoubleBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    double[] copy = new double[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  private void setBuffer(
      int input, String name, Dtype dtype, Buffer elements, ByteOrder order, int[] sizes) {
    checkOrder(name, order);
    // Another thread can change the position and the limit, but neither exceeds the capacity.
    int begin = elements.position();
    int count = elements.limit() - begin;
    if (elements.isDirect()) {
      setTensor(input, name, dtype, DIRECT, elements, begin, count, sizes);
    } else {
      int start = elements.arrayOffset() + begin;
      setTensor(input, name, dtype, ARRAY, elements.array(), start, count, sizes);
    }
  }

  private static boolean[] toBooleans(String name, byte[] bytes) {
    boolean[] booleans = new boolean[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] != 0 && bytes[i] != 1) {
        throw invalid(name + ": element " + i + " is " + bytes[i] + "; pass 0 or 1");
      }
      booleans[i] = bytes[i] == 1;
    }
    return booleans;
  }

  /** Checks that a buffer has the machine's byte order. */
  static void checkOrder(String name, ByteOrder order) {
    if (order != ByteOrder.nativeOrder()) {
      throw invalid(
          name + ": the buffer's byte order is " + order + "; call order(ByteOrder.nativeOrder()) on its ByteBuffer");
    }
  }

  private void setTensor(
      int input, String name, Dtype dtype, int kind, Object tensor, int begin, int count, int[] sizes) {
    names[input] = name;
    int slot = first + input;
    if (sizes.length > Frame.MAX_RANK) {
      throw invalid(name + ": " + sizes.length + " sizes; pass at most " + Frame.MAX_RANK);
    }
    long others = dtype.getParts();
    int dynamic = -1;
    for (int dim = 0; dim < sizes.length; dim++) {
      frame.put(slot, Frame.SIZES + dim, sizes[dim]);
      if (sizes[dim] == DYNAMIC) {
        dynamic = dim;
      } else {
        others = multiply(name, others, sizes[dim]);
      }
    }
    if (dynamic >= 0) {
      long size = others == 0 ? 0 : count / others;
      if (size * others != count) {
        throw invalid(name + ": " + count + " elements; pass a multiple of " + others);
      }
      frame.put(slot, Frame.SIZES + dynamic, size);
    } else if (others != count) {
      throw invalid(name + ": " + count + " elements; pass " + others);
    }
    frame.put(slot, Frame.KIND, kind);
    frame.put(slot, Frame.DTYPE, dtype.code());
    frame.put(slot, Frame.VALUE, begin);
    frame.put(slot, Frame.COUNT, count / dtype.getParts());
    frame.put(slot, Frame.RANK, sizes.length);
    tensors[input] = tensor;
  }

  /** Multiplies sizes. A negative size, and a product above that of the largest array, is invalid. */
  private static long multiply(String name, long product, int size) {
    if (size < 0) {
      throw invalid(name + ": size " + size + " is negative; pass 0 or more");
    }
    return Math.min(product * size, Integer.MAX_VALUE + 1L);
  }

  /** Checks the sizes that a caller passes for a tensor with several dynamic sizes. */
  public static int[] checkSizes(String name, int[] sizes, int rank) {
    if (sizes.length != rank) {
      throw invalid(name + ": " + sizes.length + " sizes; pass " + rank);
    }
    for (int size : sizes) {
      multiply(name, 1, size);
    }
    return sizes.clone();
  }
}
